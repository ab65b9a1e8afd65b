//! State space models: derivatives, draws, digits, and what is refused.

use crate::battery::stream;
use crate::vector_errors::{assert_texts, data_error, parameter_error};
use crate::vectors::assert_gradient;
use bayes_autodiff::{Dual, Real, Value, Vector};
use bayes_model::dist::*;
use nalgebra::DMatrix;

#[test]
fn gradients_agree_with_differences() {
    const Y: [f64; 7] = [0.3, -0.4, f64::NAN, 1.2, 0.8, 0.1, 1.9];
    let density = |v: &[Real<Dual<6>>; 6]| {
        let trend =
            Trend::new(v[0].exp(), v[1].exp()).start([Real::constant(0.3), v[5]], [1.0, 0.5]);
        let rest = Season::new(3, v[2].exp()).start(0.8) + Cycle::new(4.0, v[3].logistic(), 0.4);
        StateSpace::new(trend + rest, v[4].exp(), 7)
            .skip_missing()
            .log_likelihood(&Y)
    };
    assert_gradient(density, [-0.5, -1.0, -0.7, 0.4, -0.2, 0.1]);
    let autoregression = |v: &[Real<Dual<4>>; 4]| {
        let part = Autoregression::new(Vector::from(v[..2].to_vec()), v[2].exp());
        StateSpace::new(part, v[3].exp(), 7)
            .skip_missing()
            .log_likelihood(&Y)
    };
    assert_gradient(autoregression, [0.5, 0.2, -0.3, -0.4]);
}

/// Mutation meant to be detected: draws whose noise is a variance, or that begin at the mean.
#[test]
fn draws_have_the_moments_of_the_density() {
    let level = Level::new(0.7).start(2.0, 1.5);
    let model = StateSpace::new(level + Season::new(3, 0.4).start(0.9), 0.5, 4);
    let (mut stream, n) = (stream(5), 40_000);
    let draws: Vec<Vec<f64>> = (0..n)
        .map(|_| Distribution::<Value>::draw(&model, &mut stream))
        .collect();
    let mean = |f: &dyn Fn(&[f64]) -> f64| draws.iter().map(|x| f(x)).sum::<f64>() / n as f64;
    let (level, season) = (1.5_f64.powi(2), 0.81 * 2.0 / 3.0);
    // the last value is a period after the first: the same effect but for the steps of three seasons
    let variance = [
        level + season + 0.25,
        level + 3.0 * 0.49 + season + 0.25 + 2.0 * 0.16,
    ];
    for (t, wanted) in [(0, variance[0]), (3, variance[1])] {
        let found = mean(&|x| (x[t] - 2.0).powi(2));
        let error = wanted * (2.0 / n as f64).sqrt();
        assert!(
            (found - wanted).abs() < 4.0 * error,
            "{t}: {found}, not {wanted}"
        );
    }
    let wanted = level + season;
    let found = mean(&|x| (x[0] - 2.0) * (x[3] - 2.0));
    let error = (variance[0] * variance[1] * 2.0 / n as f64).sqrt();
    assert!(
        (found - wanted).abs() < 4.0 * error,
        "{found}, not {wanted}"
    );
    assert!((mean(&|x| x[1]) - 2.0).abs() < 4.0 * (variance[1] / n as f64).sqrt());
}

/// A single state is exact however vague its start is; several are exact up to a limit, and the density is NaN beyond it, never a number
/// without digits.
///
/// Mutation meant to be detected: the covariance of a state that is seen alone as a difference.
#[test]
fn a_vague_start_costs_no_digits_without_notice() {
    let y = [1.0, 2.5, 2.0];
    let one = |sd: f64| {
        let model = StateSpace::new(Level::new(1.0).start(0.0, sd), 1.0, 3);
        Distribution::<Value>::log_likelihood(&model, &y).primal() + sd.ln()
    };
    // the limit: the first value tells the level, the next are 1.5 above and 0.2 below what is expected, with variances 3 and 8/3
    let limit = -0.5
        * (1.5_f64.powi(2) / 3.0 + (2.0_f64 - 2.0).powi(2) / (8.0 / 3.0) + 8.0_f64.ln())
        - 1.5 * (2.0 * std::f64::consts::PI).ln();
    for sd in [1e9, 1e12] {
        assert!(
            (one(sd) - limit).abs() < 1e-12,
            "{sd}: {}, not {limit}",
            one(sd)
        );
    }
    let several = |sd: f64| {
        let season = Season::new(3, 0.5).start(sd);
        StateSpace::new(Level::new(1.0).start(0.0, sd) + season, 1.0, 3)
    };
    let density = |sd: f64| Distribution::<Value>::log_likelihood(&several(sd), &y).primal();
    assert!((density(1e5) + 3.0 * 1e5_f64.ln() - density(1e3) - 3.0 * 1e3_f64.ln()).abs() < 1e-5);
    assert!(density(1e7).is_nan());
    assert_eq!(
        parameter_error(several(1e7)),
        "StateSpace: parameter `start: sd` is 10000000, must be at most 3e6 times the standard deviation of a value given the values before it: the filter \
         has no digits left"
    );
}

/// The log density of a trend with noise and its slopes in the logarithms of three standard deviations, with all lengths in units of `scale`.
fn at_scale(scale: f64) -> (f64, Vec<f64>) {
    const Y: [f64; 5] = [0.3, -0.4, 1.2, 0.8, 1.9];
    let sd = |k: usize, log: f64| Dual::<3>::variable(log, k).exp() * scale;
    let trend = Trend::new(sd(0, -0.5), sd(1, -1.0))
        .start([0.2 * scale, 0.1 * scale], [1.5 * scale, scale]);
    let y: Vec<f64> = Y.iter().map(|y| y * scale).collect();
    let found = StateSpace::new(trend, sd(2, 0.2), Y.len()).log_likelihood(&y);
    (found.primal(), Dual::gradient(found).to_vec())
}

/// The density of a scaled series is the same but for the units, and its slopes in logarithms are the same.
///
/// Mutation meant to be detected: one over a variance, whose slope is a square beyond the doubles from scales of 1e77 on.
#[test]
fn slopes_are_the_same_at_all_scales() {
    let (density, slopes) = at_scale(1.0);
    assert!(slopes.iter().all(|slope| slope.abs() > 0.01), "{slopes:?}");
    for scale in [1e-140, 1e-100, 1e-80, 1e80, 1e100, 1e140_f64] {
        let (found, slopes_here) = at_scale(scale);
        let in_units = found + 5.0 * scale.ln();
        // a log density of some 1600 at the far scales
        assert!(
            (in_units - density).abs() < 1e-11,
            "{scale:e}: {in_units}, not {density}"
        );
        for (here, wanted) in slopes_here.iter().zip(&slopes) {
            assert!(
                (here - wanted).abs() < 1e-12,
                "{scale:e}: {slopes_here:?}, not {slopes:?}"
            );
        }
    }
}

/// Mutation meant to be detected: a variance that overflows or underflows on the way to a density of 0, or to a number without digits.
#[test]
fn scales_whose_variances_are_no_doubles_are_refused() {
    let density = |scale: f64| at_scale(scale).0;
    for scale in [1e-150, 1e-160, 1e-200, 1e150, 1e160, 1e200] {
        assert!(density(scale).is_nan(), "{scale:e}");
    }
    let of = |sd: f64, start: f64| StateSpace::new(Level::new(sd).start(0.0, start), sd, 3);
    for (found, parameter, allowed) in [
        (of(1e150, 1.0), "`sd`", "is between 1e-145 and 1e145"),
        (of(1e-160, 1.0), "`sd`", "is between 1e-145 and 1e145"),
        (of(1.0, 1e150), "`start: sd`", "at most 1e145"),
    ] {
        let text = parameter_error(found);
        assert!(
            text.starts_with(&format!("StateSpace: parameter {parameter} is ")),
            "{text}"
        );
        assert!(text.contains(allowed), "{text}");
    }
}

/// A coefficient outside of the stationary region has density 0, also where the recursion has no number.
#[test]
fn what_has_no_stationary_distribution_has_no_density() {
    let random = |x: f64| Real::<Value>::constant(x);
    let autoregression = Autoregression::new([random(0.8), random(0.3)], 1.0);
    let cycle = Cycle::new(5.0, random(1.2), 1.0);
    let found = StateSpace::new(autoregression, 1.0, 2).log_likelihood(&[0.0, 1.0]);
    assert_eq!(found.primal(), f64::NEG_INFINITY);
    let found = StateSpace::new(cycle, 1.0, 2).log_likelihood(&[0.0, 1.0]);
    assert_eq!(found.primal(), f64::NEG_INFINITY);
}

#[test]
fn independent_series_are_rows() {
    let model = || StateSpace::new(Level::new(0.5).start(0.0, 1.0), 0.3, 3).skip_missing();
    let rows = [[0.1, 0.5, -0.2], [1.0, f64::NAN, 0.7], [0.3, 0.2, 0.1]];
    let data = DMatrix::from_fn(3, 3, |i, k| rows[i][k]);
    let mut terms = Vec::new();
    Distribution::<Value>::for_each_term(&model(), &data, |term| terms.push(term.primal()));
    for (row, term) in rows.iter().zip(terms) {
        assert_eq!(
            Distribution::<Value>::log_likelihood(&model(), row).primal(),
            term
        );
    }
}

/// The error of a series of three values with this part.
fn part_error(part: impl Part<Value>) -> String {
    parameter_error(StateSpace::new(part, 1.0, 3))
}

#[test]
fn errors_name_the_part_and_the_parameter() {
    let level = || Level::new(1.0).start(0.0, 1.0);
    assert_texts([
        (
            parameter_error(StateSpace::new(level(), -1.0, 3)),
            "StateSpace: parameter `sd` is -1, must be a finite number, at least 0",
        ),
        (
            parameter_error(StateSpace::new(level(), 1.0, 0)),
            "StateSpace: parameter `length` has length 0, must be at least 1",
        ),
        (
            part_error(Level::new(-2.0).start(0.0, 1.0)),
            "Level: parameter `sd` is -2, must be a finite number, at least 0",
        ),
        (
            part_error(Level::new(1.0).start(0.0, -1.0)),
            "Level: parameter `start: sd` is -1, must be a finite number, at least 0",
        ),
        (
            part_error(level() + Season::new(1, 0.1).start(1.0)),
            "Season: parameter `period` is 1, must be a whole number, at least 2",
        ),
        (
            part_error(Trend::new(0.1, 0.1).start([0.0; 3], [1.0; 2])),
            "Trend: parameter `start: mean` has length 3, must be 2, a number for each state",
        ),
        (
            part_error(Cycle::new(5.0, 1.0, 0.1)),
            "Cycle: parameter `damping` is 1, must be from 0 to below 1",
        ),
        (
            part_error(Autoregression::new([0.8, 0.3], 1.0)),
            "Autoregression: parameter `coefficients` at index 1 is 0.3, must be such that the series is stationary (the value shown is the last \
             coefficient)",
        ),
        (
            part_error(Regression::new([1.0, 2.0]).start(0.0, 1.0)),
            "Regression: parameter `x` has length 2, must be at least 3, the length of the series",
        ),
    ]);
}

#[test]
fn matrices_that_cannot_be_are_named() {
    let eye = || DMatrix::<f64>::identity(2, 2);
    let states = |q: [f64; 4]| {
        let q = DMatrix::from_row_slice(2, 2, &q);
        States::new(eye(), q, [1.0, 0.0], [0.0, 0.0], eye())
    };
    let large = DMatrix::<f64>::identity(3, 3);
    assert_texts([
        (
            part_error(states([1.0, 2.0, 2.0, 1.0])),
            "States: parameter `noise` at index 3 is 1, must be such that the matrix is positive semidefinite",
        ),
        (
            part_error(states([1.0, 0.5, 0.4, 1.0])),
            "States: parameter `noise` at index 2 is 0.4, must be equal to the element across the diagonal: the matrix must be symmetric",
        ),
        (
            part_error(States::new(large, eye(), [1.0, 0.0], [0.0, 0.0], eye())),
            "States: parameter `transition` has length 9, must be a matrix of 2 x 2, as there are 2 loadings",
        ),
    ]);
    let singular = StateSpace::new(states([1.0, 1.0, 1.0, 1.0]), 1.0, 3);
    assert_eq!(Distribution::<Value>::check(&singular), Ok(()));
}

/// Mutation meant to be detected: a value that is missing without notice.
#[test]
fn missing_values_are_refused_unless_they_are_expected() {
    let model = || StateSpace::new(Level::new(1.0).start(0.0, 1.0), 1.0, 2);
    assert_texts([
        (
            data_error(model(), &[0.0, f64::NAN]),
            "StateSpace: observation at index 1 is NaN, must be a finite number",
        ),
        (
            data_error(model().skip_missing(), &[0.0, f64::INFINITY]),
            "StateSpace: observation at index 1 is inf, must be a finite number, or NaN where a value is missing",
        ),
    ]);
    let outcome = Distribution::<Value>::check_data(&model().skip_missing(), &[0.0, f64::NAN]);
    assert_eq!(outcome, Ok(()));
}
