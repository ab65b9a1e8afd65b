//! The series of autoregressive residuals: times, priors, and refusals.

use crate::of;
use crate::refusals::refusal;
use crate::residuals::{POSITIONS, SORTED, X, Y, densities, on, rows};
use bayes::prelude::*;
use bayes_formula::{Averaging, Family, Prior, Regression, formula};

#[test]
fn dates_are_times_and_months_are_neighbours() {
    let months = [
        "2023-11-01",
        "2023-12-01",
        "2024-01-01",
        "2024-02-01",
        "2024-03-01",
    ];
    let row = |(k, month): (usize, &&str)| format!("{},{},{month}\n", Y[k], X[k]);
    let body: String = months.iter().enumerate().rev().map(row).collect();
    let dates = format!("y,x,t\n{body}");
    let regression = formula("y ~ x + ar(t)").expect("it is a formula");
    let regression = regression
        .prior("b", Prior::normal(0.0, 2.0))
        .prior("intercept", Prior::student_t(3.0, 0.5, 2.5));
    let dated = regression.on(&of(&dates)).expect("they are months");
    let numbered = regression
        .on(&of(&rows(&SORTED[..5])))
        .expect("they are numbers");
    for position in &POSITIONS {
        let [a, b] = [&dated, &numbered].map(|one| densities(one, position));
        assert!((a[1] - b[1]).abs() < 1e-12 * b[1].abs(), "{a:?} {b:?}");
    }
    let error = refusal(
        "y ~ x + ar(t)",
        Family::Gaussian,
        &dates.replace("2023-11-01", "2024-06-01"),
    );
    let wanted = "`t` has a gap from 2024-03-01 to 2024-06-01, rows 1 and 5; `ar` takes rows that follow each other as neighbours";
    assert!(error.contains(wanted), "{error}");
}

/// Formulas with a part of the expected message, for the rows of the tests.
const UNFIT: &[(&str, &str)] = &[
    (
        "y ~ x + ar(t)",
        "`t` is 1 in rows 1 and 6; `ar` has one row at each time of a series: name the column of the series by `gr`",
    ),
    (
        "y ~ x + ar(w * w)",
        "`w*w` has a gap from 4 to 9, rows 2 and 3; `ar` takes rows",
    ),
    ("y ~ x + ar()", "`ar` needs the column that orders the rows"),
    ("y ~ x + ar(gr = g)", "`ar` needs the column that orders"),
    ("y ~ x + ar(tt)", "the table has no column `tt`"),
    ("y ~ x + ar(t, gr = gg)", "the table has no column `gg`"),
    ("y ~ x + ar(g)", "`g` holds texts, where numbers are needed"),
    (
        "y ~ x + ar(t, gr = w)",
        "`ar` needs a series of at least two rows, and each series has one",
    ),
    (
        "y ~ x + ar(t, g, p = 6)",
        "`p = 6` of `ar` needs a series of more than 6 rows, and the longest one has 6; take a smaller `p`",
    ),
    (
        "y ~ x + ar(t, g, 0)",
        "`p` of `ar` is a whole number from 1",
    ),
    ("y ~ x + ar(t, g, 1.5)", "`p` of `ar` is a whole number"),
    ("y ~ x + ar(t, g, p = x)", "write `ar(time)`, `ar(time, gr"),
    ("y ~ x + ar(t, q = 2)", "write `ar(time)`, `ar(time, gr"),
    ("y ~ x + ar(t, cov = 1)", "write `ar(time)`, `ar(time, gr"),
    (
        "y ~ x + ar(t, g, cov = TRUE)",
        "the residuals of the family gaussian have none before the first row, as with `cov = FALSE`",
    ),
    (
        "y ~ x + ar(t, g + w)",
        "`gr` of `ar` is one column, or `a:b`",
    ),
    ("y ~ x + ar(y, g)", "the response cannot order the rows"),
    (
        "y ~ x + ar(log(y), g)",
        "the response cannot order the rows",
    ),
    ("y ~ x + ar(t, gr = y)", "nor name their series"),
    ("y ~ x + ar(t, g) + ar(w)", "`ar` is there twice"),
    ("y ~ x - ar(t, g)", "`ar` is added, and not removed"),
    ("y ~ x:ar(t, g)", "`ar(time)` is a term by itself"),
    ("y ~ (ar(t) | g)", "`ar(time)` is a term by itself"),
    ("y ~ x; sigma ~ ar(t, g)", "`ar` is a term of the response"),
    ("y ~ arma(t, g)", "did you mean `ar(time, gr = g, p = 1)`"),
    ("y ~ ma(t, g)", "formulas have no others, such as moving"),
    (
        "y | cens(floor(w / 10)) ~ x + ar(t, g)",
        "`ar` needs the residual of every row, which `cens` and `trunc` hide",
    ),
    ("y | trunc(-9, 9) ~ x + ar(t, g)", "`cens` and `trunc` hide"),
];

#[test]
fn residuals_that_do_not_fit_are_refused() {
    let fault = |(text, wanted): &(&str, &str)| {
        let error = refusal(text, Family::Gaussian, &rows(&SORTED));
        (!error.contains(wanted)).then(|| format!("{text}: {error}"))
    };
    let faults: Vec<String> = UNFIT.iter().filter_map(fault).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    for (text, family, wanted) in [
        (
            "w ~ x + ar(t, g, 2)",
            Family::Poisson,
            "`ar` of the family poisson has latent residuals, and they depend on one before",
        ),
        (
            "w ~ x + ar(t, g, cov = FALSE)",
            Family::Poisson,
            "stationary from the first row of a series on, as with `cov = TRUE`; leave `cov` out",
        ),
        (
            "g ~ x + ar(w)",
            Family::Categorical,
            "the family categorical has a linear predictor for each label",
        ),
    ] {
        let error = refusal(text, family, &rows(&SORTED));
        assert!(error.contains(wanted), "{text}: {error}");
    }
    for (text, family) in [
        // the column of an addition is not the response
        ("y | weights(w) ~ x + ar(w)", Family::Gaussian),
        ("y ~ x + ar(t, gr = g, p = 5)", Family::Gaussian),
        ("y ~ x + ar(t, gr = g, cov = FALSE)", Family::Gaussian),
        ("w ~ x + ar(t, gr = g, cov = TRUE)", Family::Poisson),
    ] {
        let made = formula(text).and_then(|text| text.family(family).on(&of(&rows(&SORTED))));
        assert!(made.is_ok(), "{text}: {}", made.err().expect("an error"));
    }
}

#[test]
fn links_and_rows_that_do_not_fit_residuals_are_refused() {
    let linked = formula("w ~ x + ar(t, gr = g)").expect("it is a formula");
    let linked = linked
        .link(bayes_formula::Link::Log)
        .on(&of(&rows(&SORTED)));
    let error = linked.err().expect("a link").to_string();
    assert!(error.contains("take the link identity"), "{error}");
    let lacking = rows(&SORTED).replace(",3,a,", ",,a,");
    let error = refusal("y ~ x + ar(t, g)", Family::Gaussian, &lacking);
    assert!(
        error.contains("`t` has no value in 1 of 11 rows"),
        "{error}"
    );
    let alike = "y,x,t,g,h\n1,0,1,a:b,c\n2,1,2,a:b,c\n1,2,1,a,b:c\n4,1,2,a,b:c\n";
    let error = refusal("y ~ x + ar(t, gr = g:h)", Family::Gaussian, alike);
    assert!(
        error.contains("two groups of `g:h` would both be called `a:b:c`; change the labels"),
        "{error}"
    );
    // a time that is there twice is no gap of the rows before it
    let twice = refusal(
        "y ~ x + ar(t)",
        Family::Gaussian,
        "y,x,t\n1,0,1\n2,1,2\n1,2,3\n4,1,3\n",
    );
    assert!(
        twice.contains("`t` is 3 in rows 3 and 4; `ar` has one row at each time"),
        "{twice}"
    );
    // the row that is left out makes a gap
    let dropped = formula("y ~ x + ar(t, gr = g)").expect("it is a formula");
    let dropped = dropped.drop_missing(true).on(&of(&lacking)).err();
    let error = dropped.expect("a gap").to_string();
    let wanted = "`t` has a gap from 2 to 4, rows 2 and 3 of `g`, the group `a`";
    assert!(error.contains(wanted), "{error}");
}

#[test]
fn priors_of_residuals_stay_between_their_ends() {
    let with = |prior: &str| {
        let formula = formula("y ~ x + ar(t, gr = g)").expect("it is a formula");
        formula
            .prior_of_text(prior)
            .expect("a prior")
            .on(&of(&rows(&SORTED)))
    };
    let listed = |prior: &str| with(prior).expect("it fits").priors().to_string();
    let default = on("y ~ x + ar(t, gr = g)", &SORTED).priors().to_string();
    assert!(
        default.contains("ar[1]     ~ uniform(-1, 1)\n"),
        "{default}"
    );
    let normal = listed("ar ~ normal(0.3, 0.5)");
    assert!(
        normal.contains("ar[1]     ~ normal(0.3, 0.5), between -1 and 1\n"),
        "{normal}"
    );
    let beta = listed("ar[1] ~ beta(2, 2)");
    assert!(beta.contains("ar[1]     ~ beta(2, 2)\n"), "{beta}");
    let error = with("ar ~ normal(9, 0.5)")
        .err()
        .expect("no mass")
        .to_string();
    assert!(
        error.contains("`ar` is between -1 and 1, where normal(9, 0.5) has next to no mass"),
        "{error}"
    );
    // normalised within, in its coordinate, which has no part without density
    let plain = with("ar ~ uniform(-1, 1)").expect("it fits");
    for prior in ["normal(0.3, 0.5)", "beta(2, 2)", "half_normal(0.5)"] {
        let regression = with(&format!("ar ~ {prior}")).expect("it fits");
        let mut total = 0.0;
        for k in -3000..3000 {
            let position = [0.0, 0.0, (f64::from(k) + 0.5) / 100.0, 0.0];
            let [a, b] = [&regression, &plain].map(|one| densities(one, &position)[0]);
            assert!(a.is_finite(), "{prior} at {}: {a}", position[2]);
            // the uniform prior in its logistic coordinate has the density p (1 - p)
            let p = 1.0 / (1.0 + (-position[2]).exp());
            total += (a - b).exp() * p * (1.0 - p) / 100.0;
        }
        assert!((total - 1.0).abs() < 1e-6, "{prior}: {total}");
    }
}

#[test]
fn predictions_that_lack_the_rows_before_are_refused() {
    let regression = on("y ~ x + ar(t, gr = g)", &SORTED);
    let error = |text: &str| {
        let made = regression.of(&of(text)).err();
        made.unwrap_or_else(|| panic!("`{text}` is accepted"))
            .to_string()
    };
    let late = error("x,t,g\n0.5,7,a\n0.2,8,a\n");
    assert!(
        late.contains("`t` begins with 7 in row 1 of `g`, the group `a`, and the series began at another time where the model was fitted"),
        "{late}"
    );
    let between = error("y,x,t,g\n1,0.5,1,a\n,0.1,2,a\n2,0.2,3,a\n");
    assert!(
        between.contains("row 2 has no response, and row 3 after it in `t` has one"),
        "{between}"
    );
    let fast = error("y,x,t,g\n1,0.5,1,a\n,0.1,1.5,a\n");
    assert!(
        fast.contains("in a smaller step than where the model was fitted"),
        "{fast}"
    );
    // a group that the fit has not seen begins anywhere
    assert!(regression.of(&of("x,t,g\n0.5,7,new\n0.2,8,new\n")).is_ok());
}

/// A short run.
fn run_of(regression: &Regression) -> Run {
    let run = Inference::nuts().draws(50).burn_in(100).chains(2).seed(1);
    run.progress(false).run(regression).expect("it runs")
}

#[test]
fn forecasts_of_a_transformed_response_continue_its_residuals() {
    let y = [1.5, 0.7, 2.2, 4.1, 1.3, 0.9];
    let row = |(k, y): (usize, &f64)| format!("{y},{},{k}\n", X[k]);
    let rows: String = y.iter().enumerate().map(row).collect();
    let table = format!("y,x,t\n{rows}");
    let regression = formula("log(y) ~ x + ar(t)").expect("it is a formula");
    let regression = regression.on(&of(&table)).expect("it fits the table");
    let run = run_of(&regression);
    let new = regression.of(&of(&format!("{table},0.4,6\n")));
    let fitted = new.expect("it continues").fitted(&run).draws();
    let of = |name: &str| run.draws(name).expect("it is there").values;
    let (b, ar, intercept) = (of("b"), of("ar"), of("intercept"));
    for (k, row) in fitted.expect("its run").rows().enumerate() {
        let mu = |x: f64| intercept[k] + b[k] * x;
        let wanted = mu(0.4) + ar[k] * (y[5].ln() - mu(X[5]));
        assert!((row[6] - wanted).abs() < 1e-10, "{} {wanted}", row[6]);
    }
    // a value that the function does not have, by its row in the table
    let negative = regression.of(&crate::of("y,x,t\n,0.3,0\n-1,0.3,1\n"));
    let error = negative.err().expect("a logarithm").to_string();
    assert!(error.contains("it is NaN in row 2"), "{error}");
}

/// Would detect series that are read from a changed table: its times and groups are not those of a fit.
#[test]
fn contrasts_of_the_columns_of_a_series_keep_the_residuals_of_its_rows() {
    let fit = |text: &str, family: Family| {
        let regression = formula(text).expect("it is a formula").family(family);
        let regression = regression.on(&of(&rows(&SORTED))).expect("it fits");
        let run = run_of(&regression);
        (regression, run)
    };
    let contrast = |(regression, run): &(Regression, Run), of: &str| {
        let found = regression.contrasts(run, of, &Averaging::new());
        found.expect("it is a column").rows[0].summary.mean.mean
    };
    let numbers = fit("y ~ x + t + g + ar(t, gr = g)", Family::Gaussian);
    let b = numbers.1.mean("b").expect("b");
    for (of, wanted) in [("t", b[1]), ("g", b[2])] {
        let found = contrast(&numbers, of);
        assert!((found - wanted).abs() < 1e-10, "{of}: {found} {wanted}");
    }
    let counts = fit("w ~ x + t + ar(t, gr = g)", Family::Poisson);
    let (regression, run) = &counts;
    let b = run.draws("b").expect("b");
    let linear = regression.fitted(run).linear().draws();
    let change = |(row, b): (&[f64], &[f64])| {
        let means = row.iter().map(|eta| (eta + b[1]).exp() - eta.exp());
        means.sum::<f64>() / 11.0
    };
    let linear = linear.expect("its run");
    let all: Vec<f64> = linear.rows().zip(b.rows()).map(change).collect();
    let wanted = all.iter().sum::<f64>() / all.len() as f64;
    let found = contrast(&counts, "t");
    assert!(
        (found - wanted).abs() < 1e-10 * wanted.abs(),
        "{found} {wanted}"
    );
}
