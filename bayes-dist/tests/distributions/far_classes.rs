//! The slopes of mixtures and hidden states at data that are far from all classes.
//!
//! The probability `r` of a class given a datum is a function of the difference of two log densities. At `z` standard deviations these are
//! `-z²/2`, and a rounding of one standard deviation, by a factor `1 ± ε`, moves the difference by `ε z²`: no function of rounded arguments
//! knows `r` better than to `ε z² r (1 - r)`, from 1e8 standard deviations on not at all. What does not depend on `r` is right at
//! every distance: the log density, and the sums of slopes over the classes, to a rounding of the log density where that is within 1e6 of 0.
//!
//! Mutation meant to be detected: shares by the rounded total alone, which sum to 2 from 1e9 standard deviations on; a log density of the normal
//! that loses digits of `x - mean`; and slopes that are not finite.

use bayes_autodiff::{Dual, Matrix, Real, Vector};
use bayes_model::dist::*;

type D = Dual<4>;

/// The log density of `x` and its slopes in both weights and both means, for classes at `∓ mean` with the standard deviation 1.
fn mixture(x: f64, weight: f64, mean: f64) -> (f64, [f64; 4]) {
    let [a, b, low, high] = arguments(weight, mean);
    let components = [Normal::new(low, 1.0), Normal::new(high, 1.0)];
    let weights = Vector::from(vec![a, b]);
    slopes(Mixture::new(weights, components), x)
}

/// The same as a series of one value.
fn hidden_markov(x: f64, weight: f64, mean: f64) -> (f64, [f64; 4]) {
    let [a, b, low, high] = arguments(weight, mean);
    let emissions = [Normal::new(low, 1.0), Normal::new(high, 1.0)];
    let half = Real::<D>::constant(0.5);
    let moves = Matrix::from_elements(2, 2, vec![half; 4]);
    let start = Vector::from(vec![a, b]);
    slopes(HiddenMarkov::new(start, moves, emissions, 1), x)
}

fn arguments(weight: f64, mean: f64) -> [Real<D>; 4] {
    [
        Dual::variable(weight, 0),
        Dual::variable(1.0 - weight, 1),
        Dual::variable(-mean, 2),
        Dual::variable(mean, 3),
    ]
}

fn slopes(distribution: impl Distribution<D>, x: f64) -> (f64, [f64; 4]) {
    let density = distribution.log_density_of(&[Real::constant(x)]);
    (density.primal(), Dual::gradient(density))
}

#[test]
fn classes_of_far_data_are_as_exact_as_rounded_arguments_allow() {
    const WEIGHT: f64 = 0.25;
    for density in [mixture, hidden_markov] {
        for power in 0..150 {
            let x = 10f64.powi(power);
            for shift in [0.0, 0.3, 2.0] {
                // ln f(x; -mean) - ln f(x; mean) = -2 x mean
                let mean = 0.5 * shift / x;
                let (value, [first, second, low, high]) = density(x, WEIGHT, mean);
                let share = 1.0 / (1.0 + (shift + 3f64.ln()).exp());
                let least = 4.0 * f64::EPSILON;
                // a few roundings of each standard deviation, times the largest slope of `r`, 1/4
                let rounding = f64::EPSILON * x * x;
                let found = WEIGHT * first;
                assert!(
                    (found - share).abs() <= rounding + least,
                    "{x:e}, {shift}: {found}, not {share}"
                );
                // near 0 shares are exponentials of a difference from the rounded total
                let of_total = match value.abs() < 1e6 {
                    true => least + f64::EPSILON * value.abs(),
                    false => least,
                };
                let total = found + (1.0 - WEIGHT) * second;
                assert!((total - 1.0).abs() <= of_total, "{x:e}, {shift}: {total}");
                // the slopes of a shift of both means
                let along = low + high - x;
                let tilt = mean * (1.0 - 2.0 * found);
                assert!(
                    (along + tilt).abs() <= 4.0 * of_total * x,
                    "{x:e}: {low} {high}"
                );
                let wanted = -0.5 * x * x - 0.5 * std::f64::consts::TAU.ln();
                let near = 2.0 + least * wanted.abs();
                assert!((value - wanted).abs() <= near, "{x:e}: {value}");
            }
        }
    }
}
