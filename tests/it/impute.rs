//! Missing values that a model samples: exact answers, names, predictions and messages.

use bayes::Error;
use bayes::nalgebra::{DMatrix, DVector};
use bayes::predict::PredictionError;
use bayes::prelude::*;

const NAN: f64 = f64::NAN;

fn nuts() -> bayes::engine::Chains<Nuts> {
    Inference::nuts().draws(1000).seed(3).progress(false)
}

/// Asserts that a mean is within 4.5 of its Monte Carlo errors of the exact one.
fn near(what: &str, found: bayes::diagnose::Estimate, exact: f64) {
    let gap = (found.mean - exact).abs();
    assert!(
        found.se < 0.05 && gap < 4.5 * found.se,
        "{what}: {found:?}, exactly {exact}"
    );
}

#[model]
fn mean(x: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    let x = impute(x, Normal::new(mu, 1.0));
    let total = deterministic(x.sum());
}

/// The mean is that of the known values, and a missing value adds its own variance; the evidence is that of the known values. The mutations
/// that it detects: a missing value is observed too, a gap takes the value of another one, a known value has another place.
#[test]
fn the_mean_of_a_normal_with_gaps_is_exact() {
    let x = [1.0, NAN, 2.5, 0.5, NAN];
    let model = mean(&x);
    let run = nuts().run(&model).expect("the model is sound");
    let names = run.layout.element_names();
    assert_eq!(names, ["mu", "x[1]", "x[4]", "total"]);
    let (precision, sum): (f64, f64) = (0.25 + 3.0, 4.0);
    let centre = sum / precision;
    near("mu", run.estimate(|draw| draw.scalar("mu")), centre);
    for gap in 0..2 {
        near("x", run.estimate(|draw| draw.vector("x")[gap]), centre);
        let square = run.estimate(|draw| (draw.vector("x")[gap] - centre).powi(2));
        near("its variance", square, 1.0 + 1.0 / precision);
    }
    // the sum is over all values, known and missing
    let draw = run.estimate(|draw| draw.scalar("total") - draw.vector("x").iter().sum::<f64>());
    assert!((draw.mean - sum).abs() < 1e-12, "{draw:?}");

    let psmc = Inference::psmc()
        .islands(4)
        .particles(256)
        .seed(1)
        .progress(false);
    let run = psmc.run(&model).expect("the model is sound");
    let [found, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|x| x.expect("it has one"));
    let squares = 1.0 + 6.25 + 0.25 - sum * sum / precision;
    let exact = -1.5 * std::f64::consts::TAU.ln() - 0.5 * (4.0 * precision).ln() - 0.5 * squares;
    assert!(
        error < 0.1 && (found - exact).abs() < 4.5 * error,
        "{found} ± {error}, exactly {exact}"
    );
}

#[model]
fn bivariate(x: &[f64], z: &[f64], y: &[f64]) {
    let x = impute(x, Normal::new(0.5, 1.0));
    let z = impute(z, Normal::new(0.8 * &x - 0.2, 0.7));
    observe(y, Normal::new(1.5 * &x - &z, 0.5));
}

/// Mean and covariance of `(x, z, y)` of a row.
fn row() -> (DVector<f64>, DMatrix<f64>) {
    // x = 0.5 + a, z = 0.2 + 0.8 a + 0.7 b, y = 0.55 + 0.7 a - 0.7 b + 0.5 c
    let root = DMatrix::from_row_slice(3, 3, &[1.0, 0.0, 0.0, 0.8, 0.7, 0.0, 0.7, -0.7, 0.5]);
    let mean = DVector::from_row_slice(&[0.5, 0.2, 0.55]);
    (mean, &root * root.transpose())
}

/// Mean and variance of element `wanted` of a row given those that are known.
fn conditional(
    row: (DVector<f64>, DMatrix<f64>),
    known: &[(usize, f64)],
    wanted: usize,
) -> [f64; 2] {
    let (mean, covariance) = row;
    let n = known.len();
    let among = DMatrix::from_fn(n, n, |i, j| covariance[(known[i].0, known[j].0)]);
    let with = DVector::from_fn(n, |i, _| covariance[(known[i].0, wanted)]);
    let apart = DVector::from_fn(n, |i, _| known[i].1 - mean[known[i].0]);
    let weights = among.try_inverse().expect("it is positive") * &with;
    [
        mean[wanted] + weights.dot(&apart),
        covariance[(wanted, wanted)] - weights.dot(&with),
    ]
}

/// Gaps in two predictors, with a parameter for each value: each row is a Gaussian given its known numbers. The mutations that it detects: the
/// parameters of another row, and an imputed predictor that the next statements do not see.
#[test]
fn missing_predictors_have_their_conditional_distribution() {
    let x = [0.3, NAN, NAN, -1.0];
    let z = [NAN, 1.2, NAN, 0.1];
    let y = [1.0, 0.4, 2.0, -1.5];
    let run = nuts()
        .run(&bivariate(&x, &z, &y))
        .expect("the model is sound");
    let names = run.layout.element_names();
    assert_eq!(names, ["x[1]", "x[2]", "z[0]", "z[2]"]);
    let quantities = [("x", 0, 1), ("x", 1, 2), ("z", 0, 0), ("z", 1, 2)];
    for (name, k, place) in quantities {
        let numbers = [x[place], z[place], y[place]];
        let known = numbers
            .iter()
            .copied()
            .enumerate()
            .filter(|(_, x)| !x.is_nan());
        let known: Vec<(usize, f64)> = known.collect();
        let wanted = usize::from(name == "z");
        let [mean, variance] = conditional(row(), &known, wanted);
        near(name, run.estimate(|draw| draw.vector(name)[k]), mean);
        let square = run.estimate(|draw| (draw.vector(name)[k] - mean).powi(2));
        near(name, square, variance);
    }
}

#[model]
fn options(x: &[Option<f64>]) {
    let mu = sample(Normal::new(0.0, 2.0));
    let x = impute(x, Normal::new(mu, 1.0));
    let total = deterministic(x.sum());
}

#[model]
fn bounded(x: &[f64], y: &[f64], low: &[f64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    let x = impute(x, Gamma::new(2.0, rate));
    let y = impute(y, Beta::new(2.0, &x + 1.0));
    let z = impute(
        low.iter().map(|low| low * 3.0).collect::<Vec<f64>>(),
        Normal::new(&y, 1.0).truncated(low, 4.0),
    );
    let w = impute(
        low,
        Normal::new(0.0, rate).truncated(-3.0, 3.0).iid(low.len()),
    );
    factor(-(&z - &w).norm_squared());
}

#[model]
fn bounded_by_hand(x: &[f64], y: &[f64], low: &[f64]) {
    let rate = sample(Gamma::new(2.0, 1.0));
    observe(x[0], Gamma::new(2.0, rate));
    observe(x[2], Gamma::new(2.0, rate));
    let x1 = sample(Gamma::new(2.0, rate));
    observe(y[1], Beta::new(2.0, x1 + 1.0));
    let y0 = sample(Beta::new(2.0, x[0] + 1.0));
    let y2 = sample(Beta::new(2.0, x[2] + 1.0));
    observe(3.0 * low[0], Normal::new(y0, 1.0).truncated(low[0], 4.0));
    observe(3.0 * low[1], Normal::new(y[1], 1.0).truncated(low[1], 4.0));
    observe(3.0 * low[2], Normal::new(y2, 1.0).truncated(low[2], 4.0));
    for low in low {
        observe(*low, Normal::new(0.0, rate).truncated(-3.0, 3.0));
        factor(-(3.0 * low - low).powi(2));
    }
}

/// The mutations that it detects: bounds or parameters of another element, a Jacobian that is left out, an option that is no gap.
#[test]
fn the_density_is_that_of_the_statements_by_hand() {
    let (x, y, low) = ([0.7, NAN, 2.0], [NAN, 0.3, NAN], [0.1, 0.5, 0.9]);
    let imputed = bounded(&x, &y, &low);
    let by_hand = bounded_by_hand(&x, &y, &low);
    let found = imputed.log_density_at(&[("rate", &[0.8]), ("x", &[1.3]), ("y", &[0.2, 0.6])]);
    let wanted = by_hand.log_density_at(&[
        ("rate", &[0.8]),
        ("x1", &[1.3]),
        ("y0", &[0.2]),
        ("y2", &[0.6]),
    ]);
    let [found, wanted] = [found, wanted].map(|density| density.expect("it has values"));
    for (found, wanted) in [
        (found.log_prior, wanted.log_prior),
        (found.log_likelihood, wanted.log_likelihood),
    ] {
        assert!(
            (found - wanted).abs() < 1e-12 * wanted.abs(),
            "{found}, {wanted}"
        );
    }
    let run = nuts().run(&imputed).expect("the model is sound");
    let is_probability = |y: &f64| 0.0 < *y && *y < 1.0;
    let inside = run.estimate(|draw| {
        let (x, y) = (draw.vector("x")[0], draw.vector("y"));
        f64::from(x > 0.0 && y.iter().all(is_probability))
    });
    assert_eq!(inside.mean, 1.0);

    let values: [(&str, &[f64]); 2] = [("mu", &[0.4]), ("x", &[1.3, -0.2])];
    let numbers = mean(&[1.0, NAN, 2.5, NAN]).log_density_at(&values);
    let some = options(&[Some(1.0), None, Some(2.5), Some(NAN)]).log_density_at(&values);
    let [numbers, some] =
        [numbers, some].map(|density| density.expect("it has values").log_likelihood);
    assert_eq!(numbers.to_bits(), some.to_bits());
}

/// The mutations that it detects: a quantity without elements in the output, and an observation of nothing that is refused.
#[test]
fn data_without_a_gap_and_data_without_a_value_are_possible() {
    let whole = nuts().run(&mean(&[1.0, 2.0])).expect("the model is sound");
    assert_eq!(whole.layout.names(), ["mu", "total"]);
    near("mu", whole.estimate(|draw| draw.scalar("mu")), 3.0 / 2.25);
    let none = nuts().run(&mean(&[NAN, NAN])).expect("the model is sound");
    assert_eq!(none.layout.element_names(), ["mu", "x[0]", "x[1]", "total"]);
    near("mu", none.estimate(|draw| draw.scalar("mu") / 2.0), 0.0);
}

#[model]
fn regression(x: &[f64], y: &[f64]) {
    let slope = sample(Normal::new(0.0, 1.0));
    let x = impute(x, Normal::new(2.0, 0.5));
    observe(y, Normal::new(slope * &x, 0.1));
}

#[model]
fn of_persons(person: &[&str], x: &[f64], y: &[f64]) {
    let slope = sample(Normal::new(0.0, 1.0));
    #[dims(person)]
    let x = impute(x, Normal::new(2.0, 0.5));
    #[dims(person)]
    observe(y, Normal::new(slope * &x, 0.1));
}

const X: [f64; 4] = [1.5, NAN, 2.5, 2.0];
const Y: [f64; 4] = [1.5, 3.0, 2.5, 2.1];

/// Only known values are observations, under the numbers of their rows. The mutation that it detects: known values that are counted without
/// the gaps.
#[test]
fn only_known_values_are_observations() {
    let model = regression(&X, &Y);
    let run = nuts().run(&model).expect("the model is sound");
    let prediction = run.predict(model).expect("the same model");
    let names: Vec<String> = prediction
        .observed()
        .iter()
        .flat_map(bayes::predict::Observed::observation_names)
        .collect();
    assert_eq!(
        names,
        ["x[0]", "x[2]", "x[3]", "y[0]", "y[1]", "y[2]", "y[3]"]
    );
    let loo = run.loo(&model).expect("it has observations");
    assert_eq!(loo.pointwise.len(), 7);
    let notes = prediction.notes();
    assert!(notes[0].starts_with("`x`: it has gaps that `impute` fills"));
    assert!(!notes[0].contains("one step"), "{notes:?}");
    let told = "`x` has gaps that `impute` fills: its known values are observations of their own";
    let text = loo.to_string();
    assert!(text.contains(told) && !text.contains("filter"), "{text}");
    let p = run
        .p_value(&model, "x", |_, x| x[0])
        .expect("it is observed");
    assert!(p.is_imputed && !p.to_string().contains("past"), "{p}");
    let check = model.check(Check::new()).expect("it runs").to_string();
    assert!(check.contains("no problems found"), "{check}");
}

/// A row of other data has its own value, even under the same number. The mutation that it detects: the missing value of row 1 of the run
/// stands for that of row 1 of other data.
#[test]
fn other_data_have_other_missing_values() {
    let run = nuts().run(&regression(&X, &Y)).expect("the model is sound");
    let of_run = run.mean("x").expect("it is there")[0];
    assert!((of_run - 2.92).abs() < 0.05, "{of_run}");
    let other = [1.0, NAN];
    let new = regression(&other, &[NAN; 2]);
    let error = run.predict(new).expect_err("rows have numbers alone");
    let Error::Prediction { source, .. } = error else {
        panic!("{error}");
    };
    let name = "x".to_owned();
    assert_eq!(source, PredictionError::OtherRows { name });
    let drawn = run
        .predict_with(new, NewGroups::Draw)
        .expect("they are drawn");
    let y = drawn.draws("y").expect("it is observed");
    let slope = run.mean("slope").expect("it is there")[0];
    let second = y.mean()[1];
    assert!((second - 2.0 * slope).abs() < 0.1, "{second}");
}

/// Rows with names keep their values in other data. The mutations that it detects: names that are not found, or of the known values alone.
#[test]
fn rows_with_names_are_found_in_other_data() {
    let person = ["Ann", "Ben", "Cem", "Dan"];
    let run = nuts()
        .run(&of_persons(&person, &X, &Y))
        .expect("the model is sound");
    assert_eq!(run.layout.element_names(), ["slope", "x[Ben]"]);
    let others = of_persons(&["Eve", "Ben"], &[1.0, NAN], &[NAN; 2]);
    let found = run.predict(others).expect("Ben is known");
    let known = found.observed_variable("x").expect("it is observed");
    assert_eq!(known.element_names(), ["x[Eve]"]);
    let ben = found.draws("y").expect("it is observed").mean()[1];
    assert!((ben - 3.0).abs() < 0.1, "{ben}");
    let error = run
        .predict(of_persons(&["Eve"], &[NAN], &[NAN]))
        .expect_err("Eve is new")
        .to_string();
    assert!(
        error.contains("the run has no `Eve` along `person`"),
        "{error}"
    );
    let wrong = nuts()
        .run(&of_persons(&person[..3], &X, &Y))
        .expect_err("a name is missing");
    assert!(
        wrong
            .to_string()
            .contains("do not fit: `person` must have a name for each value, known or missing"),
        "{wrong}"
    );
    let twice = nuts()
        .run(&of_persons(&["Ann", "Ben", "Ann", "Dan"], &X, &Y))
        .expect_err("two rows have one name");
    assert!(
        twice
            .to_string()
            .contains("`Ann` is there twice along `person`"),
        "{twice}"
    );
}

#[model]
fn lengths(x: &[f64], scale: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let x = impute(x, Gamma::new(mu.exp(), scale));
    factor(x.sum());
}

#[model]
fn plain(x: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(x, Normal::new(mu, 1.0));
}

/// The mutations that it detects: the index of a datum, or of a parameter, among the known ones; lengths that repeat in silence.
#[test]
fn wrong_data_are_named_by_their_row() {
    let problem = |x: &[f64], scale: &[f64]| {
        let error = nuts().run(&lengths(x, scale)).expect_err("it does not fit");
        let Error::Model { problems, .. } = error else {
            panic!("{error}");
        };
        problems.into_iter().next().expect("it has a problem")
    };
    let found = problem(&[NAN, 1.0, NAN, -2.0], &[1.0; 4]);
    assert!(
        found.to_string().contains("observation at index 3 is -2"),
        "{found}"
    );
    let found = problem(&[NAN, 1.0, NAN, 2.0], &[1.0, 1.0, -1.0, 1.0]);
    assert!(
        found.to_string().contains("`rate` at index 2 is -1"),
        "{found}"
    );
    let found = problem(&[NAN, 1.0, NAN, 2.0], &[1.0; 3]).to_string();
    let wanted = "shapes do not fit: `impute` of 4 values, missing ones included, under Gamma, which has parameters or copies for 3";
    assert!(
        found.contains(wanted) && found.contains("`x` in `let x = impute(x, "),
        "{found}"
    );
    let advice = nuts()
        .run(&plain(&[0.1, NAN]))
        .expect_err("a value is missing")
        .to_string();
    assert!(
        advice.contains("`let y = impute(y, Normal::new(mu, sigma));`"),
        "{advice}"
    );
}
