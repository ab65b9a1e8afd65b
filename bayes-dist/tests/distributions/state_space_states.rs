//! The states and the forecasts of state space models against the dense multivariate normal distribution, and all against statsmodels.

use crate::reference::file;
use crate::state_space::{Dense, diagonal, difference, normal, real, season};
use crate::vectors::list;
use bayes_autodiff::{Matrix, Real, Value};
use bayes_model::dist::*;
use nalgebra::{DMatrix, DVector};
use serde_json::Value as Json;
use std::f64::consts::TAU;

const Y: [f64; 6] = [0.4, -0.2, f64::NAN, 1.3, 0.9, f64::NAN];

/// The places of the values that are there.
const KNOWN: [usize; 4] = [0, 1, 3, 4];

/// A trend and a season, without the library.
fn dense() -> Dense {
    let line = DMatrix::from_row_slice(2, 2, &[1.0, 1.0, 0.0, 1.0]);
    let first = diagonal(&[1.0, 0.5]);
    let trend = Dense::new(line, &[0.09, 0.04], &[1.0, 0.0], &[0.3, 0.1], first);
    let [t, p] = season(3, 0.8);
    trend.and(Dense::new(t, &[0.16, 0.0], &[1.0, 0.0], &[0.0; 2], p))
}

/// The same with the library.
fn model() -> StateSpace<impl Part<Value>, Real<Value>> {
    let trend = Trend::new(real(0.3), 0.2).start([0.3, 0.1], [1.0, 0.5]);
    let parts = trend + Season::new(3, 0.4).start(0.8);
    StateSpace::new(parts, real(0.6), 6).skip_missing()
}

/// Mean and standard deviation of a quantity given the values at `known`, by its covariances with all values.
fn given(cross: &DVector<f64>, known: &[usize], own: f64, prior: f64) -> [f64; 2] {
    let (mean, covariance) = dense().moments(0.6, 6);
    let among = covariance.select_rows(known).select_columns(known);
    let cross = DVector::from_fn(known.len(), |i, _| cross[known[i]]);
    let error = DVector::from_fn(known.len(), |i, _| Y[known[i]] - mean[known[i]]);
    let weights = among.cholesky().unwrap().solve(&cross);
    [
        prior + weights.dot(&error),
        (own - weights.dot(&cross)).sqrt(),
    ]
}

/// Mutations meant to be detected: states that are filtered and not smoothed, or the other way around; variances that are not reduced.
#[test]
fn states_are_conditional_moments_of_the_dense_distribution() {
    let (dense, model) = (dense(), model());
    let states: Matrix<Value> = model.states(&Y);
    let sds: Matrix<Value> = model.state_sds(&Y);
    let filtered: Matrix<Value> = model.filtered_states(&Y);
    let (mut a, mut p) = (dense.a.clone(), vec![dense.p.clone()]);
    for t in 0..6 {
        p.push(&dense.t * &p[t] * dense.t.transpose() + &dense.q);
    }
    let power = |n: usize| {
        let one = DMatrix::<f64>::identity(4, 4);
        (0..n).fold(one, |power, _| power * &dense.t)
    };
    for time in 0..6 {
        for k in 0..4 {
            let with = |t: usize| match t < time {
                true => (power(time - t) * &p[t] * &dense.z[t])[k],
                false => ((power(t - time) * &p[time]).transpose() * &dense.z[t])[k],
            };
            let cross = DVector::from_fn(6, |t, _| with(t));
            let [mean, sd] = given(&cross, &KNOWN, p[time][(k, k)], a[k]);
            assert!(difference(states[(time, k)].primal(), mean) < 1e-10);
            assert!(difference(sds[(time, k)].primal(), sd) < 1e-10);
            let before = KNOWN.into_iter().filter(|t| *t <= time);
            let before: Vec<usize> = before.collect();
            let [mean, _] = given(&cross, &before, p[time][(k, k)], a[k]);
            assert!(difference(filtered[(time, k)].primal(), mean) < 1e-10);
        }
        a = &dense.t * a;
    }
}

/// Mutations meant to be detected: a forecast that begins one time late, or without the noise of the values.
#[test]
fn forecasts_are_conditional_moments_of_the_dense_distribution() {
    let (mean, covariance) = dense().moments(0.6, 9);
    let model = model();
    let forecast: Matrix<Value> = model.forecast(&Y, 3);
    for h in 0..3 {
        let cross = covariance.column(6 + h).rows(0, 6).into_owned();
        let own = covariance[(6 + h, 6 + h)];
        let [mean, sd] = given(&cross, &KNOWN, own, mean[6 + h]);
        assert!(difference(forecast[(h, 0)].primal(), mean) < 1e-10);
        assert!(difference(forecast[(h, 1)].primal(), sd) < 1e-10);
    }
    let next = [0.5, -0.3, 1.1];
    let whole: Vec<f64> = Y.iter().chain(&next).copied().collect();
    let (first, among) = (mean.rows(0, 6), covariance.view((0, 0), (6, 6)));
    let before = normal(&first.into_owned(), &among.into_owned(), &Y);
    let wanted = normal(&mean, &covariance, &whole) - before;
    let after = model.after::<Value, _>(&Y, 3);
    assert_eq!(Distribution::<Value>::check(&after), Ok(()));
    assert!(difference(after.log_likelihood(&next).primal(), wanted) < 1e-10);
}

fn root(parameters: &[f64], i: usize) -> Real<Value> {
    real(parameters[i].sqrt())
}

/// Compares a model with a case of statsmodels to `1e-8`.
fn agrees_with<P: Part<Value>, S: Parameter<Value>>(
    case: &Json,
    model: StateSpace<P, S>,
    y: &[f64],
) {
    let same = |got: f64, wanted: f64, what: &str| {
        assert!(
            difference(got, wanted) < 1e-8,
            "{} {what}: {got}, not {wanted}",
            case["name"]
        );
    };
    same(
        model.log_likelihood(y).primal(),
        case["log_density"].as_f64().unwrap(),
        "density",
    );
    let found: [Matrix<Value>; 3] = [
        model.states(y),
        model.state_sds(y),
        model.filtered_states(y),
    ];
    for (found, name) in found.iter().zip(["smoothed", "smoothed_sd", "filtered"]) {
        // an autoregression has its past among the states, which statsmodels lists too
        for (k, wanted) in list(&case[name]).into_iter().enumerate() {
            same(found[(40, k)].primal(), wanted, name);
        }
    }
    if case["forecast"].is_array() {
        let found: Matrix<Value> = model.forecast(y, 5);
        for (k, name) in ["forecast", "forecast_sd"].into_iter().enumerate() {
            for (h, wanted) in list(&case[name]).into_iter().enumerate() {
                same(found[(h, k)].primal(), wanted, name);
            }
        }
    }
}

/// Mutation meant to be detected: whatever this library and the tests above have in common that others do not.
#[test]
fn statsmodels_has_the_same_densities_states_and_forecasts() {
    let file = file("state_space");
    let nile = list(&file["nile"]);
    let about: Vec<f64> = nile.iter().map(|y| y - 900.0).collect();
    let logs: Vec<f64> = list(&file["passengers"]).iter().map(|y| y.ln()).collect();
    let mut holes = nile.clone();
    for t in [20, 21, 22, 23, 40, 60, 99] {
        holes[t] = f64::NAN;
    }
    let dam: Vec<f64> = (1871..1971)
        .map(|year| f64::from(u8::from(year >= 1899)))
        .collect();
    let mut cases = 0;
    for case in file["cases"].as_array().unwrap() {
        let p = list(&case["parameters"]);
        let sd = |i| root(&p, i);
        let level = Level::new(root(&p, 1)).start(1000.0, 500.0);
        match case["name"].as_str().unwrap() {
            "level" => agrees_with(case, StateSpace::new(level, sd(0), 100), &nile),
            "missing" => agrees_with(
                case,
                StateSpace::new(level, sd(0), 100).skip_missing(),
                &holes,
            ),
            "trend" => {
                let trend = Trend::new(sd(1), sd(2)).start([1000.0, 0.0], [500.0, 20.0]);
                agrees_with(case, StateSpace::new(trend, sd(0), 100), &nile);
            }
            "season" => {
                let trend = Trend::new(sd(1), sd(2)).start([4.8, 0.01], [1.0, 0.1]);
                let season = Season::new(12, sd(3)).start(0.5);
                agrees_with(case, StateSpace::new(trend + season, sd(0), 144), &logs);
            }
            "cycle" => {
                let cycle = Cycle::new(TAU / p[2], p[3], sd(1));
                agrees_with(case, StateSpace::new(cycle, sd(0), 100), &about);
            }
            "autoregression" => {
                let part = Autoregression::new([p[2], p[3]], sd(1));
                agrees_with(case, StateSpace::new(part, sd(0), 100), &about);
            }
            "regression" => {
                let effect = Regression::new(&dam).start(-100.0, 300.0);
                agrees_with(case, StateSpace::new(level + effect, sd(0), 100), &nile);
            }
            other => panic!("{other} has no test"),
        }
        cases += 1;
    }
    assert_eq!(cases, 7);
}
