//! Drift diffusion: references, derivatives, draws, errors.

use crate::battery::{Numbers, stream};
use crate::reference::number;
use crate::vectors::{assert_gradient, compare, for_each_point};
use bayes_autodiff::{Dual, Real, Value, Vector};
use bayes_model::dist::*;
use std::f64::consts::PI;

fn of(params: &serde_json::Value) -> Univariate<Wiener, (f64, f64, f64, f64), 4> {
    Wiener::new(
        number(&params["boundary"]),
        number(&params["non_decision"]),
        number(&params["start"]),
        number(&params["drift"]),
    )
}

/// Mutations meant to be detected: one image or frequency fewer; the ends exchanged; a start near an end whose images cancel.
#[test]
fn the_density_agrees_with_the_reference() {
    for_each_point("wiener", |params, x, wanted| {
        compare(of(params), &[number(x)], wanted);
    });
}

/// Both series hold just below and just above the time where they change.
#[test]
fn gradients_agree_with_differences() {
    for data in [[0.9, -0.7], [-1.2, 0.45], [3.0, -5.0], [1.19, -1.21]] {
        let density = |v: &[Real<Dual<4>>; 4]| {
            let start = v[2].logistic();
            Wiener::new(v[0].exp(), v[1], start, v[3]).log_likelihood(&Numbers(data.to_vec()))
        };
        assert_gradient(density, [0.4, 0.2, 0.3, -0.8]);
        assert_gradient(density, [0.4, 0.2, -6.0, 1.5]);
        assert_gradient(density, [0.4, 0.2, 6.0, 1.5]);
    }
}

/// The probability of the upper end and the mean time are known (Feller 1968, section XIV.5; Wagenmakers et al. 2007).
#[test]
fn draws_have_the_choices_and_the_mean_times_of_the_process() {
    for (i, [boundary, start, drift]) in [
        [1.5, 0.5, 1.0],
        [1.0, 0.01, 0.0],
        [2.0, 0.3, -3.0],
        [6.0, 0.8, -4.0],
        [60.0, 0.02, 5.0],
        [2.0, 0.00001, 4000.0],
        [0.5, 0.999, 10.0],
    ]
    .into_iter()
    .enumerate()
    {
        let process = Wiener::new(boundary, 0.25, start, drift);
        let at = boundary * start;
        let (upper, mean) = if drift == 0.0 {
            (start, at * (boundary - at))
        } else {
            let ratio = |y: f64| (-2.0 * drift * y).exp_m1();
            let upper = ratio(at) / ratio(boundary);
            (upper, (boundary * upper - at) / drift)
        };
        let n = 20_000;
        let mut stream = stream(100 + i as u64);
        let draws = (0..n).map(|_| Distribution::<Value>::draw(&process, &mut stream)[0]);
        let draws: Vec<f64> = draws.collect();
        let share = draws.iter().filter(|x| **x > 0.0).count() as f64 / f64::from(n);
        let error = (upper * (1.0 - upper) / f64::from(n)).sqrt();
        assert!(
            (share - upper).abs() < 4.5 * error + 1e-12,
            "{i}: {share}, {upper}"
        );
        let times: Vec<f64> = draws.iter().map(|x| x.abs() - 0.25).collect();
        let found = times.iter().sum::<f64>() / f64::from(n);
        let variance = times.iter().map(|t| (t - found).powi(2)).sum::<f64>() / f64::from(n);
        let error = (variance / f64::from(n)).sqrt();
        assert!((found - mean).abs() < 4.5 * error, "{i}: {found}, {mean}");
    }
}

/// Passage by passage this draw would take `1e9` steps. With such a drift the time is the distance over the drift, to 5 digits.
#[test]
fn a_draw_with_a_strong_drift_takes_no_longer() {
    for drift in [1e9, -1e9, 1e300] {
        let process = Wiener::new(1.0, 0.0, 0.25, drift);
        let x = Distribution::<Value>::draw(&process, &mut stream(5))[0];
        let distance = if drift > 0.0 { 0.75 } else { 0.25 };
        assert!((x * drift / distance - 1.0).abs() < 1e-3, "{drift}: {x}");
    }
}

/// Neither endless loops nor finite numbers: a run counts these points and rejects them.
#[test]
fn parameters_that_are_not_allowed_have_neither_a_density_nor_draws() {
    for [boundary, non_decision, start, drift] in [
        [f64::NAN, 0.1, 0.5, 1.0],
        [0.0, 0.1, 0.5, 1.0],
        [-1.0, 0.1, 0.5, 1.0],
        [1.0, f64::NAN, 0.5, 1.0],
        [1.0, -0.1, 0.5, 1.0],
        [1.0, 0.1, f64::NAN, 1.0],
        [1.0, 0.1, 0.0, 1.0],
        [1.0, 0.1, 1.0, 1.0],
        [1.0, 0.1, 1.5, 1.0],
        [1.0, 0.1, 0.5, f64::NAN],
    ] {
        let process = Wiener::new(boundary, non_decision, start, drift);
        let x = Distribution::<Value>::draw(&process, &mut stream(6))[0];
        assert!(x.is_nan(), "{process:?} draws {x}");
        for x in [0.8, -0.8] {
            let density: Real<Value> = process.log_likelihood(&x);
            assert!(density.primal().is_nan(), "{process:?}: {density:?}");
        }
    }
}

#[test]
fn no_time_is_infinite_or_shorter_than_the_time_beside_the_process() {
    let process = Wiener::new(1.0, 0.1, 0.5, 1.0);
    for x in [f64::INFINITY, f64::NEG_INFINITY, 0.05, -0.05, 0.1, 0.0] {
        let density: Real<Value> = process.log_likelihood(&x);
        assert_eq!(density.primal(), f64::NEG_INFINITY, "{x}");
    }
    // the drift alone decides, although its square overflows
    let late: Real<Value> = process.log_likelihood(&1e200);
    assert!((late.primal() / -1e200 - (0.5 + PI * PI / 2.0)).abs() < 1e-12);
}

/// The shares of draws in intervals are the integrals of the density there, at both ends.
#[test]
fn draws_have_the_density() {
    let process = Wiener::new(1.2, 0.1, 0.4, 0.9);
    let density = |x: f64| -> f64 {
        let log: Real<Value> = process.log_likelihood(&x);
        log.primal().exp()
    };
    let n = 40_000;
    let mut stream = stream(77);
    let draws = (0..n).map(|_| Distribution::<Value>::draw(&process, &mut stream)[0]);
    let draws: Vec<f64> = draws.collect();
    let mut all = 0.0;
    for (low, high) in [
        (-4.0, -0.6),
        (-0.6, -0.3),
        (-0.3, -0.1),
        (0.1, 0.25),
        (0.25, 0.4),
        (0.4, 0.8),
        (0.8, 4.0),
    ] {
        let steps = 2000;
        let width = (high - low) / f64::from(steps);
        let middle = |i| low + width * (f64::from(i) + 0.5);
        let wanted: f64 = (0..steps).map(|i| density(middle(i))).sum::<f64>() * width;
        let inside = draws.iter().filter(|x| (low..high).contains(*x)).count();
        let (share, error) = (
            inside as f64 / f64::from(n),
            (wanted * (1.0 - wanted) / f64::from(n)).sqrt(),
        );
        assert!(
            (share - wanted).abs() < 4.5 * error,
            "{low}: {share}, {wanted}"
        );
        all += wanted;
    }
    assert!((all - 1.0).abs() < 2e-4, "{all}");
}

#[test]
fn vectors_of_drifts_are_one_for_each_datum() {
    let (drifts, data) = ([0.5, -1.0], [0.8, -0.9]);
    let together = Wiener::new(1.5, 0.2, 0.5, drifts).log_likelihood(&data);
    let each = |i: usize| -> f64 {
        let one: Real<Value> = Wiener::new(1.5, 0.2, 0.5, drifts[i]).log_likelihood(&data[i]);
        one.primal()
    };
    let together: Real<Value> = together;
    assert!((together.primal() - each(0) - each(1)).abs() < 1e-14);
    let random = Vector::<Value>::constant(&drifts);
    let again = Wiener::new(1.5, 0.2, 0.5, random).log_likelihood(&data);
    assert_eq!(again.primal(), together.primal());
}

#[test]
fn errors_name_the_parameter() {
    let message = |start: f64| {
        let process = Wiener::new(1.0, 0.0, start, 0.0);
        let error = Distribution::<Value>::check(&process).expect_err("an end");
        error.to_string()
    };
    for start in [0.0, 1.0] {
        let wanted = format!("Wiener: parameter `start` is {start}, must be above 0 and below 1");
        assert_eq!(message(start), wanted);
    }
}

#[test]
fn times_with_signs_are_made_of_positive_times_and_a_choice_for_each() {
    let signed = |times: &[f64]| Wiener::signed(times, &[true, false]);
    assert_eq!(signed(&[0.5, 0.75]), Ok(vec![0.5, -0.75]));
    let message = |times: &[f64]| signed(times).expect_err("no times").to_string();
    assert_eq!(
        message(&[0.5]),
        "Wiener: got 1 observations, must be 2, the number of choices"
    );
    for (x, word) in [
        (0.0, "0"),
        (-0.5, "-0.5"),
        (f64::NAN, "NaN"),
        (f64::INFINITY, "inf"),
    ] {
        let wanted =
            format!("Wiener: observation at index 1 is {word}, must be a finite number above 0");
        assert_eq!(message(&[0.5, x]), wanted);
    }
}
