//! Times of events: the family `cox` with censoring and truncation, and its predictions; `frechet`.

use crate::families::{ENDS_OF_BASELINE, baseline};
use crate::of;
use crate::refusals::refusal;
use bayes::prelude::*;
use bayes_formula::{Family, Link, Prior, Regression, formula};

const X: [f64; 6] = [-1.0, 0.3, 0.8, 1.4, -0.2, 2.1];
/// The times of `families.rs`, whose baseline scipy has made polynomials of.
const TIMES: [f64; 6] = [0.5, 1.2, 0.9, 3.0, 2.0, 4.1];
const KINDS: [&str; 6] = ["none", "right", "left", "interval", "none", "right"];
const UPPER: f64 = 3.7;
const ENTRY: [f64; 6] = [0.45, 0.6, 0.1, 1.0, 1.9, 0.0];

fn made(text: &str, family: Family) -> Regression {
    let rows: String = (0..6)
        .map(|i| {
            let (time, kind, x, entry) = (TIMES[i], KINDS[i], X[i], ENTRY[i]);
            format!("{time},{kind},{UPPER},{entry},{x}\n")
        })
        .collect();
    let made = formula(text).and_then(|made| {
        made.family(family)
            .on(&of(&format!("time,kind,upper,entry,x\n{rows}")))
    });
    made.unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn short(regression: &Regression) -> Run {
    let engine = Inference::nuts().chains(1).draws(5).burn_in(20).seed(2);
    engine.progress(false).run(regression).expect("it runs")
}

/// The log probability of a censored or observed time, given that it is above its entry, at the hazard ratio `ratio`.
fn wanted(shares: &[f64], ratio: f64, i: usize) -> f64 {
    let survival = |t: f64| (-ratio * baseline(shares, t)[1]).exp();
    let t = TIMES[i];
    let probability = match KINDS[i] {
        "none" => ratio * baseline(shares, t)[0] * survival(t),
        "right" => survival(t),
        "left" => survival(ENTRY[i]) - survival(t),
        _ => survival(t) - survival(UPPER),
    };
    (probability / survival(ENTRY[i])).ln()
}

#[test]
fn censored_times_have_the_probabilities_of_the_survival_function() {
    let regression = made(
        "time | cens(kind, upper) + trunc(lb = entry) ~ x",
        Family::Cox,
    );
    let run = short(&regression);
    let group = &run.groups[0];
    let draws = group.draws.chunks(run.layout.elements());
    for (values, found) in draws.zip(&group.log_likelihood) {
        let vector = |name: &str| &values[run.layout.find(name).expect("it is there").range()];
        let (intercept, b) = (vector("intercept")[0], vector("b")[0]);
        let ratio = |i: usize| (intercept + b * X[i]).exp();
        let total: f64 = (0..6).map(|i| wanted(vector("sbhaz"), ratio(i), i)).sum();
        assert!(
            (found - total).abs() < 1e-9 * total.abs().max(1.0),
            "{found}, {total}"
        );
    }
}

/// The mutations that it detects: draws of the baseline without the hazard ratio; survivors of the end that are lost.
#[test]
fn predicted_times_have_the_survival_of_their_draws() {
    let regression = made("time ~ x", Family::Cox);
    let engine = Inference::nuts().chains(2).draws(1000).burn_in(200).seed(2);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let new = regression.of(&of("x\n-0.5\n1\n")).expect("it fits");
    let drawn = run
        .predict(&new)
        .expect("its run")
        .draws("y")
        .expect("draws");
    let end = ENDS_OF_BASELINE[1];
    assert!(
        drawn
            .values
            .iter()
            .all(|t| *t > ENDS_OF_BASELINE[0] && *t <= end + 1e-12)
    );
    for (row, x) in [-0.5, 1.0].into_iter().enumerate() {
        for t in [1.0, 2.5, end - 1e-9] {
            let survives = run.estimate(|draw| {
                let ratio = (draw.vector("intercept")[0] + draw.vector("b")[0] * x).exp();
                (-ratio * baseline(draw.vector("sbhaz"), t)[1]).exp()
            });
            let count = drawn.rows().filter(|draw| draw[row] > t).count();
            let found = count as f64 / 2000.0;
            // the draws of the times have an error of their own
            let error = (0.25 / 2000.0_f64).sqrt();
            assert!(
                (found - survives.mean).abs() < 4.0 * error,
                "{x} {t}: {found}, {survives:?}"
            );
        }
    }
    let fitted = new.fitted(&run).table().expect("its run");
    assert!(fitted.rows[0].summary.mean.mean < end);
}

/// The baseline reaches to the last end: a knot at the last time would be the record of those who survive it.
#[test]
fn survivors_of_late_ends_are_recorded_there() {
    let table = |end: f64, is_new: bool| {
        let row = |i: usize| format!("{},{},9,{end},{}\n", TIMES[i], KINDS[i], X[i]);
        let rows: String = (0..6).map(row).collect();
        of(&match is_new {
            true => format!("x,stop\n-1,{end}\n1,{end}\n"),
            false => format!("time,kind,upper,stop,x\n{rows}"),
        })
    };
    let made = formula("time | cens(kind, upper, end = stop) ~ x").expect("it is a formula");
    let regression = made.family(Family::Cox).on(&table(8.0, false));
    let regression = regression.unwrap_or_else(|error| panic!("{error}"));
    let engine = Inference::nuts().chains(1).draws(200).burn_in(100).seed(2);
    let run = engine.progress(false).run(&regression).expect("it runs");
    let new = regression.of(&table(8.0, true)).expect("it fits");
    let drawn = run.predict(&new).expect("its run");
    let drawn = drawn.draws("y").expect("draws").values;
    assert!(drawn.iter().all(|t| *t <= 8.0), "{drawn:?}");
    let share = |low: f64, high: f64| {
        let within = drawn.iter().filter(|t| **t >= low && **t <= high);
        within.count() as f64 / drawn.len() as f64
    };
    assert!(share(8.0, 8.0) > 0.02, "{}", share(8.0, 8.0));
    assert!(share(4.1, 7.99) > 0.02, "{}", share(4.1, 7.99));
    let late = regression.of(&table(20.0, true)).err();
    let late = late.expect("it is refused").to_string();
    assert!(
        late.contains("is 20 in row 1") && late.contains("a baseline hazard until 9.17"),
        "{late}"
    );
}

#[test]
fn mistakes_about_hazards_are_named() {
    let error = "coxph".parse::<Family>().expect_err("there is none");
    assert!(error.contains("did you mean `cox`"), "{error}");
    let rows = "time,status,x\n1,1,0.3\n2,0,1\n4,1,2\n";
    let cases = [
        (
            refusal("time ~ x", Family::Cox, "time,x\n0,1\n2,2\n"),
            "`time` is 0 in row 1; it must hold numbers above 0, for the family cox",
        ),
        (
            refusal("time ~ x", Family::Cox, "time,x\n2,1\n2,2\n"),
            "`time` is 2 in all rows",
        ),
        (
            refusal("time ~ 0 + x", Family::Cox, rows),
            "the family cox needs an intercept, `1 +`",
        ),
        (
            refusal("time ~ x; sigma ~ x", Family::Cox, rows),
            "the family cox has no `sigma`",
        ),
        (
            refusal("time ~ x", Family::Frechet, "time,x\n-1,1\n2,2\n"),
            "`time` is -1 in row 1; it must hold numbers above 0, for the family frechet",
        ),
        (
            refusal("time ~ x; shape ~ x", Family::Frechet, rows),
            "the family frechet has no `shape`; it has nu",
        ),
    ];
    for (found, wanted) in cases {
        assert!(found.contains(wanted), "{found}\n{wanted}");
    }
}

#[test]
fn links_priors_and_measures_that_hazards_do_not_have_are_named() {
    let rows = "time,status,x\n1,1,0.3\n2,0,1\n4,1,2\n";
    let linked = formula("time ~ x").expect("it is a formula");
    let linked = linked.family(Family::Cox).link(Link::Identity);
    let found = linked
        .on(&of(rows))
        .err()
        .expect("it is refused")
        .to_string();
    assert!(found.contains("must be log, for the family cox"), "{found}");
    let low = formula("time ~ x")
        .expect("it is a formula")
        .family(Family::Frechet);
    let low = low.prior("nu", Prior::uniform(0.0, 1.0)).on(&of(rows));
    let found = low.err().expect("it is refused").to_string();
    assert!(
        found.contains(
            "`nu` of the family frechet is above 1, where uniform(0, 1) has next to no mass"
        ),
        "{found}"
    );
    let regression = made("time ~ x", Family::Cox);
    let error = regression
        .r2(&short(&regression))
        .expect_err("there is no R²");
    assert!(
        error
            .to_string()
            .contains("times, known up to an end, of the family cox"),
        "{error}"
    );
}

/// `nu` is above 1, where the mean is finite, also by its linear predictor.
#[test]
fn a_frechet_variable_has_a_finite_mean() {
    let regression = made("time ~ x", Family::Frechet);
    assert!(
        regression
            .priors()
            .to_string()
            .lines()
            .any(|line| line == "nu        ~ gamma(2, 0.1), above 1"),
        "{}",
        regression.priors()
    );
    let run = short(&regression);
    assert!(run.mean("nu").expect("it is there")[0] > 1.0);
    let by_row = made("time ~ x; nu ~ x", Family::Frechet);
    let run = short(&by_row);
    let fitted = by_row.fitted(&run).draws().expect("its run");
    let linear = by_row.fitted(&run).linear().draws().expect("its run");
    for (mean, eta) in fitted.values.iter().zip(&linear.values) {
        assert!((mean / eta.exp() - 1.0).abs() < 1e-12);
    }
}
