//! Coefficients of groups that are correlated over terms and linear predictors: `(1 | p | g)`.

use crate::of;
use crate::refusals::refusal;
use bayes::prelude::*;
use bayes_formula::{Family, Regression, formula};

const ROWS: &str =
    "y,x,g,h\n0.2,-1,a,u\n-1,0.3,b,v\n0.7,0.8,a,v\n1.9,1.4,c,u\n0.4,-0.2,b,u\n2.2,2.1,c,v\n";

fn made(text: &str) -> Regression {
    let made = formula(text).and_then(|formula| formula.on(&of(ROWS)));
    made.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn short(regression: &Regression) -> Run {
    let engine = Inference::nuts().chains(1).draws(4).burn_in(20).seed(2);
    engine.progress(false).run(regression).expect("it runs")
}

/// The elements of a quantity whose names begin like this.
fn names(run: &Run, start: &str) -> Vec<String> {
    let names = run.layout.element_names().into_iter();
    names.filter(|name| name.starts_with(start)).collect()
}

#[test]
fn one_id_gives_one_correlation_matrix() {
    let joined = short(&made("y ~ x + (1 + x | p | g); sigma ~ (1 | p | g)"));
    assert_eq!(
        names(&joined, "cor["),
        [
            "cor[g:Intercept:x]",
            "cor[g:Intercept:sigma:Intercept]",
            "cor[g:x:sigma:Intercept]"
        ]
    );
    let apart = short(&made("y ~ x + (1 + x | g); sigma ~ (1 | g)"));
    assert_eq!(names(&apart, "cor["), ["cor[g:Intercept:x]"]);
    assert_eq!(names(&joined, "r["), names(&apart, "r["));
    let own = short(&made("y ~ x + (1 | p | g); sigma ~ (1 + x | q | g)"));
    assert_eq!(names(&own, "cor["), ["cor[sigma:g:Intercept:x]"]);
}

/// Effects are standard deviations times the Cholesky factor times standard values, whatever the linear predictors. The mutation that it
/// detects: standard values of another term.
#[test]
fn effects_of_one_id_are_products_with_one_factor() {
    let run = short(&made(
        "y ~ x + (1 | h) + (1 + x | p | g); sigma ~ (1 | p | g)",
    ));
    let elements = run.layout.element_names();
    for values in run.groups[0].draws.chunks(run.layout.elements()) {
        let of = |name: &str| {
            let place = elements.iter().position(|known| known == name);
            values[place.unwrap_or_else(|| panic!("no `{name}` in {elements:?}"))]
        };
        let l = |i: usize, j: usize| {
            let found = run.layout.find("l").expect("it is there");
            values[found.range().start + 3 * i + j]
        };
        for level in ["a", "b", "c"] {
            let z = [
                format!("z[g:{level}:Intercept]"),
                format!("z[g:{level}:x]"),
                format!("z[sigma:g:{level}:Intercept]"),
            ]
            .map(|name| of(&name));
            for (i, (sd, r)) in [
                ("sd[g:Intercept]", format!("r[g:{level}:Intercept]")),
                ("sd[g:x]", format!("r[g:{level}:x]")),
                (
                    "sd[sigma:g:Intercept]",
                    format!("r[sigma:g:{level}:Intercept]"),
                ),
            ]
            .into_iter()
            .enumerate()
            {
                let wanted: f64 = of(sd) * (0..=i).map(|j| l(i, j) * z[j]).sum::<f64>();
                assert!((of(&r) - wanted).abs() < 1e-12, "{r}: {}, {wanted}", of(&r));
            }
        }
        let product: f64 = (0..2).map(|k| l(1, k) * l(2, k)).sum();
        assert!((of("cor[g:x:sigma:Intercept]") - product).abs() < 1e-12);
    }
}

#[test]
fn new_groups_are_drawn_with_their_correlations() {
    let regression = made("y ~ x + (1 | p | g); sigma ~ (1 | p | g)");
    let run = short(&regression);
    let new = regression.of(&of("x,g\n1,a\n1,new\n")).expect("it fits");
    assert!(
        run.predict(&new).is_err(),
        "a group that was never seen is an error"
    );
    let drawn = run.predict_with(&new, NewGroups::Draw).expect("its run");
    let drawn = drawn.draws("y").expect("draws");
    assert!(drawn.values.iter().all(|y| y.is_finite()));
}

/// Given a draw of the standard deviations and of the correlation, the product of two standardised new effects has the mean `cor`. The
/// mutation that it detects: new effects without their correlation, for which the sum has the mean -E[cor²], about -1/3.
#[test]
fn new_effects_have_the_correlation_of_their_draw() {
    const DRAWS: usize = 2000;
    let regression = made("y ~ x + (1 | p | g); sigma ~ (1 | p | g)");
    let engine = Inference::nuts()
        .chains(1)
        .draws(DRAWS)
        .burn_in(300)
        .seed(2);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let new = regression.of(&of("x,g\n1,new\n")).expect("it fits");
    let prediction = run.predict_with(&new, NewGroups::Draw).expect("its run");
    let mut draws = run.groups[0].draws.chunks(run.layout.elements());
    let place = |name: &str| run.layout.find(name).expect("it is there").range();
    let (sd, cor) = (place("sd"), place("cor").start);
    let (mut sum, mut squares) = (0.0, 0.0);
    prediction.for_each_draw(|draw| {
        let values = draws.next().expect("a draw of the run");
        let effects = draw.vector("r");
        // the new group is the last one of each term
        let levels = effects.len() / 2;
        let [a, b] = [0, 1].map(|k| effects[(k + 1) * levels - 1] / values[sd.start + k]);
        let term = values[cor] * (a * b - values[cor]);
        sum += term;
        squares += term * term;
    });
    let error = squares.sqrt() / DRAWS as f64;
    let mean = sum / DRAWS as f64;
    assert!(mean.abs() < 4.0 * error, "{mean}, {error}");
    assert!(error < 0.03, "{error} shows nothing");
}

#[test]
fn ids_of_different_groups_are_refused() {
    let cases = [
        (
            "y ~ x + (1 | p | g) + (1 | p | h)",
            "the id `p` joins coefficients of the groups `g` and `h`",
        ),
        (
            "y ~ x + (1 | p | g/h)",
            "the id `p` joins coefficients of the groups `g` and `g:h`",
        ),
        (
            "y ~ (1 | p | g) + (1 | p | g)",
            "the coefficient `g:Intercept` varies in two terms",
        ),
        (
            "y ~ (1 | x + 1 | g)",
            "between two bars stands the id of correlated terms",
        ),
    ];
    for (text, wanted) in cases {
        let found = refusal(text, Family::Gaussian, ROWS);
        assert!(found.contains(wanted), "{found}\n{wanted}");
    }
}
