//! Smooth terms: a curve against restricted maximum likelihood, names and refusals.

use crate::refusals::refusal;
use crate::{of, table};
use bayes::prelude::*;
use bayes_formula::{Family, Prior, Regression, formula};

/// The curve of the motorcycle data by restricted maximum likelihood, with its standard errors: the mixed model of the penalised spline with 20
/// knots, by NumPy and SciPy (natural splines of `CubicSpline`, a pseudo-inverse of the penalty, Nelder-Mead for the two standard deviations).
const AT: [f64; 9] = [5.0, 10.0, 15.0, 20.0, 25.0, 30.0, 35.0, 40.0, 50.0];
const CURVE: [f64; 9] = [
    -2.1958, -0.2840, -24.5278, -112.2891, -68.6831, 29.5543, 22.0201, 4.6773, -7.2009,
];
const ERROR: [f64; 9] = [
    9.1676, 7.2163, 4.7260, 6.4795, 5.8378, 7.5430, 6.5913, 7.4650, 9.6490,
];
const SIGMA: f64 = 22.5613;
const SDS: f64 = 125.67;

#[test]
fn a_curve_is_that_of_restricted_maximum_likelihood() {
    let motorcycle = table("mcycle");
    let regression = formula("accel ~ s(times, k = 20)")
        .expect("it is a formula")
        .prior("sds", Prior::half_student_t(3.0, 200.0))
        .prior("b", Prior::normal(0.0, 50.0))
        .on(&motorcycle)
        .expect("it fits the table");
    let run = Inference::nuts().seed(1).progress(false).run(&regression);
    let run = run.expect("it runs");
    let rows: String = AT.iter().map(|x| format!("{x}\n")).collect();
    let new = regression
        .of(&of(&format!("times\n{rows}")))
        .expect("a new table");
    let curve = run
        .predict(&new)
        .expect("predictions")
        .draws("y")
        .expect("draws")
        .mean();
    for (k, found) in curve.iter().enumerate() {
        let distance = (found - CURVE[k]).abs();
        // the posterior's standard deviations differ from the mode of the restricted likelihood, which moves the curve by less than its
        // error
        assert!(
            distance < 0.4 * ERROR[k],
            "at {}: {found}, {}",
            AT[k],
            CURVE[k]
        );
    }
    let near = |name: &str, wanted: f64, share: f64| {
        let found = run.mean(name).expect("it is there")[0];
        assert!(
            (found / wanted - 1.0).abs() < share,
            "{name}: {found}, {wanted}"
        );
    };
    near("sigma", SIGMA, 0.05);
    near("sds", SDS, 0.25);
    // the curve has no straight part, so the slope is the least-squares slope
    near("b", slope(&motorcycle), 0.1);
}

fn slope(table: &bayes::data::Table) -> f64 {
    let [x, y] = ["times", "accel"].map(|name| table.reals(name).expect("numbers"));
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (centre, level) = (mean(&x), mean(&y));
    let product: f64 = x
        .iter()
        .zip(&y)
        .map(|(x, y)| (x - centre) * (y - level))
        .sum();
    product / x.iter().map(|x| (x - centre).powi(2)).sum::<f64>()
}

const ROWS: &str = "y,x,z,g\n1,1,0.5,a\n2,2,0.1,b\n4,4,-1,a\n3,7,2,b\n5,3,1,a\n7,1.5,2,b\n1,2.5,3,a\n2,5,1.5,b\n4,8,0,a\n6,6,-2,b\n";

fn fitted(text: &str) -> Regression {
    let made = formula(text).and_then(|formula| formula.on(&of(ROWS)));
    made.unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn curves_have_names_and_priors() {
    let regression = fitted("y ~ s(x, k = 5) + z");
    let priors = regression.priors().to_string();
    assert!(
        priors.contains("b[s(x):1]") && priors.contains("sds[s(x)]"),
        "{priors}"
    );
    let engine = Inference::nuts().chains(1).draws(4).burn_in(4).seed(1);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let names = run.layout.element_names();
    for name in ["b[z]", "b[s(x):1]", "sds[s(x)]", "s[x:1]", "s[x:3]"] {
        assert!(names.iter().any(|known| known == name), "{name}: {names:?}");
    }
    assert!(!names.iter().any(|name| name == "s[x:4]"));
    let priors = fitted("y ~ g + s(x, k = 4, by = g)").priors().to_string();
    for name in [
        "b[s(x):ga:1]",
        "b[s(x):gb:1]",
        "sds[s(x):ga]",
        "sds[s(x):gb]",
    ] {
        assert!(priors.contains(name), "{name}: {priors}");
    }
    let priors = fitted("y ~ s(log(x), k = 4, by = z)").priors().to_string();
    for name in ["b[s(log(x)):z]", "b[s(log(x)):z:1]", "sds[s(log(x)):z]"] {
        assert!(priors.contains(name), "{name}: {priors}");
    }
    let set = formula("y ~ s(x, k = 5)").expect("a formula");
    let set = set
        .prior("sds[s(x)]", Prior::exponential(2.0))
        .on(&of(ROWS));
    assert!(
        set.expect("it fits")
            .priors()
            .to_string()
            .contains("exponential(2)")
    );
}

/// The curve of a level depends only on its rows, and is orthogonal to their line.
#[test]
fn curves_of_levels_have_no_line_of_their_own() {
    let regression = fitted("y ~ g + s(x, k = 4, by = g)");
    let engine = Inference::nuts().chains(1).draws(4).burn_in(4).seed(1);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let draw = &run.groups[0].draws[..run.layout.elements()];
    let range = |name: &str| run.layout.find(name).expect("it is there").range();
    // the log likelihood at the draw gives the linear predictor of a single row
    let lines: Vec<&str> = ROWS.lines().collect();
    let (mut level, mut product) = (0.0, 0.0);
    for row in [0, 2, 4, 6, 8] {
        let fields: Vec<&str> = lines[row + 1].split(',').collect();
        let x: f64 = fields[1].parse().expect("a number");
        let eta = linear_predictor(&regression, &run, row);
        let b = &draw[range("b")];
        let centre = (1.0 + 4.0 + 3.0 + 2.5 + 8.0) / 5.0;
        let curve = eta - draw[range("intercept").start] - b[1] * (x - centre);
        level += curve;
        product += curve * (x - centre);
    }
    assert!(
        level.abs() < 1e-6 && product.abs() < 1e-6,
        "{level}, {product}"
    );
}

/// The linear predictor of a row at the first draw, from the log likelihoods of two responses on a table of this row only.
fn linear_predictor(regression: &Regression, run: &Run, row: usize) -> f64 {
    let lines: Vec<&str> = ROWS.lines().collect();
    let rest = lines[row + 1].split_once(',').expect("a response").1;
    let draw = &run.groups[0].draws[..run.layout.elements()];
    let sigma = draw[run.layout.find("sigma").expect("it is there").range().start];
    let term = |y: f64| {
        let table = of(&format!("{}\n{y},{rest}\n", lines[0]));
        let one = regression.of(&table).expect("a row of the table");
        let prediction = run.predict(&one).expect("it predicts");
        prediction
            .log_likelihood()
            .expect("a term")
            .rows()
            .next()
            .expect("a draw")[0]
    };
    // -(1 - eta)²/2s² + (eta + 1)²/2s² = 2 eta / s²
    (term(1.0) - term(-1.0)) * sigma * sigma / 2.0
}

#[test]
fn smooth_terms_that_do_not_fit_are_refused() {
    let cases = [
        (
            "y ~ s(x, k = 11)",
            "`x` has 10 different values, and a curve of k = 11 needs 11; write `s(x, k = 10)` or less",
        ),
        ("y ~ s(g)", "`g` holds texts, where numbers are needed"),
        ("y ~ s(xx)", "the table has no column `xx`"),
        (
            "y ~ s(x, z)",
            "write `s(x)`, `s(x, k = 10)` or `s(x, by = z)`: one column",
        ),
        (
            "y ~ s(x, k = 2)",
            "the number of knots `k` is a whole number from 3 to 200",
        ),
        ("y ~ s(x, bs = 'tp')", "curves are cubic regression splines"),
        (
            "y ~ s(x):z",
            "`s(x)` is a term by itself; for a curve in each level of `z` write `s(x, by = z)`",
        ),
        (
            "y ~ x + s(x, k = 5)",
            "the column `s(x):1` is a sum of others (x) times numbers",
        ),
        (
            "y ~ s(x, k = 5) + s(x, k = 4)",
            "the curve `s(x)` is there twice; leave one out",
        ),
        ("y ~ x - s(x)", "a smooth term is added, and not removed"),
    ];
    for (text, wanted) in cases {
        let error = refusal(text, Family::Gaussian, ROWS);
        assert!(error.contains(wanted), "{text}: {error}");
    }
}

const SURFACE: &str = "y ~ t2(x, z, k = 4)";

fn surface() -> bayes::data::Table {
    let row = |i: u32| {
        let [x, z] = [f64::from(i % 9) / 4.0 - 1.0, f64::from(i % 7) / 3.0 - 1.0];
        format!("{},{x},{z}\n", 1.0 + x * z + (2.0 * x).sin())
    };
    of(&format!("y,x,z\n{}", (0..63).map(row).collect::<String>()))
}

/// The mutations that it detects: a part without its lines; parts of one scale; products that differ between tables.
#[test]
fn a_surface_is_its_lines_and_three_parts() {
    let regression = formula(SURFACE).and_then(|made| made.on(&surface()));
    let regression = regression.expect("it fits the table");
    let engine = Inference::nuts().chains(2).draws(300).burn_in(300).seed(2);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let names = run.layout.element_names();
    let of_kind = |start: &str| names.iter().filter(|name| name.starts_with(start)).count();
    // 2 curves of each column: 4 along the line of the other one, and 4 products
    assert_eq!(
        [of_kind("b["), of_kind("sds["), of_kind("s[")],
        [3, 3, 4 + 4 + 4]
    );
    assert!(
        names.contains(&"sds[t2(x; z; k = 4):3]".to_owned()),
        "{names:?}"
    );
    let fitted = regression.fitted(&run).table().expect("its run").rows;
    let y = surface().reals("y").expect("numbers");
    for (row, y) in fitted.iter().zip(y) {
        assert!(
            (row.summary.mean.mean - y).abs() < 0.25,
            "{}, {y}",
            row.summary.mean.mean
        );
    }
    // a row of another table is the same as in the first one
    let new = regression
        .of(&of("x,z\n-1,-1\n-0.75,-0.6666666666666667\n"))
        .expect("it fits");
    let again = new.fitted(&run).table().expect("its run").rows;
    for (a, b) in fitted.iter().zip(&again) {
        assert!((a.summary.mean.mean - b.summary.mean.mean).abs() < 1e-9);
    }
    regression.effects(&run, "x:z").expect("both are columns");
}

#[test]
fn what_is_no_surface_is_refused() {
    let rows = "y,x,z\n1,1,1\n2,2,0\n4,3,1\n3,4,0\n2,5,1\n1,6,0\n";
    let cases = [
        (
            "y ~ t2(x)",
            "write `t2(x, z)` or `t2(x, z, k = 5)`: two columns",
        ),
        (
            "y ~ t2(x, z, by = z)",
            "write `t2(x, z)` or `t2(x, z, k = 5)`: two columns",
        ),
        (
            "y ~ t2(x, x)",
            "`x` is there twice; for a curve of one column write `s(x)`",
        ),
        (
            "y ~ t2(x, z, k = 30)",
            "the number of knots `k` is a whole number from 3 to 20",
        ),
        (
            "y ~ t2(x, z)",
            "`z` has 2 different values, and a curve of k = 5 needs 5; leave the term out",
        ),
        (
            "y ~ t2(x, z):x",
            "`t2(x, z)` is a term by itself, of two columns",
        ),
        (
            "y ~ x - t2(x, z)",
            "a smooth term is added, and not removed",
        ),
        ("y ~ t2(x, zz)", "the table has no column `zz`"),
    ];
    for (text, wanted) in cases {
        let found = refusal(text, Family::Gaussian, rows);
        assert!(found.contains(wanted), "{found}\n{wanted}");
    }
}
