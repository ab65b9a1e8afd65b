//! Normal effects that sum to zero.

use crate::battery::{Numbers, stream};
use crate::vector_errors::{assert_texts, data_error, parameter_error};
use bayes_autodiff::{Dual, Real, Value};
use bayes_model::dist::*;

fn lift(numbers: &[f64]) -> Vec<Real<Value>> {
    numbers.iter().map(|x| Real::constant(*x)).collect()
}

fn log_normal(x: f64, sd: f64) -> f64 {
    -0.5 * (x / sd).powi(2) - sd.ln() - 0.5 * std::f64::consts::TAU.ln()
}

/// Along the line `(a, -a)` the distance from 0 is `√2 a`.
#[test]
fn two_effects_are_a_normal_distance() {
    let effects = ZeroSumNormal::new(0.7, 2);
    for a in [0.0, 0.3, -5.0] {
        let wanted = log_normal(2.0_f64.sqrt() * a, 0.7);
        let found = effects.log_density_of(&lift(&[a, -a])).primal();
        assert!(
            (found - wanted).abs() < 1e-13,
            "{found} instead of {wanted}"
        );
        let data = Distribution::<Value>::log_likelihood(&effects, &Numbers(vec![a, -a]));
        assert!((data.primal() - wanted).abs() < 1e-13);
    }
    let off = effects.log_density_of(&lift(&[0.5, -0.4])).primal();
    assert_eq!(off, f64::NEG_INFINITY);
}

#[test]
fn its_coordinates_are_independent_normals() {
    let effects = ZeroSumNormal::new(2.5, 6);
    let z = [0.3, -1.2, 4.0, 0.0, -7.5];
    let mut total = Real::constant(0.0);
    let value = effects.add_sample(&lift(&z), true, &mut total);
    let wanted: f64 = z.iter().map(|z| log_normal(*z, 2.5)).sum();
    assert!((total.primal() - wanted).abs() < 1e-12);
    let of_value = effects.log_density_of(value.elements()).primal();
    assert!((of_value - wanted).abs() < 1e-12);
    let gaussian = Distribution::<Value>::gaussian(&effects).expect("it is one");
    assert_eq!(gaussian.mean, [0.0; 5]);
}

/// The covariance is `sd² (I - 1/n)`.
#[test]
fn draws_have_the_covariance_of_the_plane() {
    const DRAWS: usize = 20_000;
    let (n, sd) = (4, 1.5);
    let effects = ZeroSumNormal::new(sd, n);
    let mut stream = stream(5);
    let draws: Vec<Vec<f64>> = (0..DRAWS)
        .map(|_| Distribution::<Value>::draw(&effects, &mut stream))
        .collect();
    assert!(draws.iter().all(|x| x.iter().sum::<f64>().abs() < 1e-13));
    for i in 0..n {
        for k in 0..n {
            let found = draws.iter().map(|x| x[i] * x[k]).sum::<f64>() / DRAWS as f64;
            let wanted = sd * sd * (f64::from(u8::from(i == k)) - 1.0 / n as f64);
            // a product of two normals of this variance at most has twice its square
            let error = (2.0 * sd.powi(4) / DRAWS as f64).sqrt();
            assert!(
                (found - wanted).abs() < 4.0 * error,
                "[{i}, {k}]: {found} instead of {wanted}"
            );
        }
    }
}

#[test]
fn derivatives_agree_with_differences() {
    type D = Dual<4>;
    let at = |v: [f64; 4]| -> [Real<D>; 4] { std::array::from_fn(|i| D::variable(v[i], i)) };
    let density = |v: [Real<D>; 4]| {
        let mut total = Real::constant(0.0);
        let value = ZeroSumNormal::new(v[0].exp(), 4).add_sample(&v[1..], true, &mut total);
        total + value[0] * value[3] * 2.0 + value[1]
    };
    let v = [0.2, 0.5, -1.0, 0.8];
    let gradient = D::gradient(density(at(v)));
    for i in 0..4 {
        let moved = |step: f64| {
            let mut moved = v;
            moved[i] += step;
            density(at(moved)).primal()
        };
        let difference = (moved(1e-5) - moved(-1e-5)) / 2e-5;
        assert!(
            (gradient[i] - difference).abs() < 1e-8,
            "{i}: {} and {difference}",
            gradient[i]
        );
    }
}

#[test]
fn what_is_wrong_is_named() {
    let data = |x: &[f64]| data_error(ZeroSumNormal::new(1.0, 3), x);
    assert_texts([
        (
            parameter_error(ZeroSumNormal::new(1.0, 1)),
            "ZeroSumNormal: parameter `n` is 1, must be a whole number, at least 2",
        ),
        (
            parameter_error(ZeroSumNormal::new(-1.0, 3)),
            "ZeroSumNormal: parameter `sd` is -1, must be a finite number above 0",
        ),
        (
            parameter_error(ZeroSumNormal::new([1.0, 2.0], 3)),
            "ZeroSumNormal: parameter `sd` has length 2, must be a single number",
        ),
        (
            data(&[1.0, 1.0, -1.5]),
            "ZeroSumNormal: observation at index 0 is 0.5, must be a vector that sums to 0 (the value shown is the sum)",
        ),
        (
            data(&[1.0, f64::INFINITY, 0.0]),
            "ZeroSumNormal: observation at index 1 is inf, must be a finite number",
        ),
    ]);
}
