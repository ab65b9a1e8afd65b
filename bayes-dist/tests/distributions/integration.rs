//! Densities integrate to one and masses sum to one, in the unconstrained coordinate, so that the Jacobian is tested
//! too.

use crate::battery::{Subject, stream};
use bayes_model::transform::Support;

/// The log density of the unconstrained coordinate.
pub fn log_density_of_coordinate(subject: &Subject, u: f64, parameters: &[f64]) -> f64 {
    let distribution = subject.distribution(parameters);
    let (x, log_jacobian) = distribution.constrain(u);
    distribution.log_density(&[x]) + log_jacobian
}

/// Draws of the unconstrained coordinate, sorted.
pub fn coordinates(subject: &Subject, parameters: &[f64], count: usize, item: u64) -> Vec<f64> {
    let distribution = subject.distribution(parameters);
    let mut stream = stream(item);
    let mut draws: Vec<f64> = (0..count)
        .flat_map(|_| distribution.unconstrain(&distribution.draw(&mut stream)))
        .collect();
    draws.sort_by(f64::total_cmp);
    draws
}

/// The place of the largest density among and between the draws, where a kink may be.
fn mode(subject: &Subject, parameters: &[f64], draws: &[f64]) -> f64 {
    let (mut low, mut high) = (draws[0], draws[draws.len() - 1]);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if log_density_of_coordinate(subject, a, parameters)
            < log_density_of_coordinate(subject, b, parameters)
        {
            low = a;
        } else {
            high = b;
        }
    }
    0.5 * (low + high)
}

/// `∫ f(u) du` from `start` to infinity in the direction of `scale`, by the trapezoidal rule in `t` with `u = start +
/// scale e^(π/2 sinh t)` (Takahasi and Mori 1974).
pub fn half_line(density: impl Fn(f64) -> f64, start: f64, scale: f64) -> f64 {
    let step = 1.0 / 128.0;
    let terms = (-4 * 128..=4 * 128).map(|k| {
        let t = f64::from(k) * step;
        let distance = scale * (std::f64::consts::FRAC_PI_2 * t.sinh()).exp();
        let slope = distance.abs() * std::f64::consts::FRAC_PI_2 * t.cosh();
        let f = density(start + distance);
        if f == 0.0 { 0.0 } else { f * slope * step }
    });
    terms.sum()
}

/// The density of the coordinate. Beyond 30 a bounded `x` rounds to its bound, where a pole may be: there the density
/// is cut off.
pub fn density_of_coordinate(subject: &Subject, u: f64, parameters: &[f64]) -> f64 {
    let density = log_density_of_coordinate(subject, u, parameters).exp();
    if u.abs() > 30.0 && !density.is_finite() {
        0.0
    } else {
        density
    }
}

pub fn integrates_to_one(subject: &Subject) {
    for case in subject.cases().iter().filter(|case| !case.out_of_reach) {
        let parameters = case.parameters.as_slice();
        let draws = coordinates(subject, parameters, 1000, 1);
        let total = if subject.is_discrete() {
            sum_of_masses(subject, parameters, &draws)
        } else {
            let density = |u| density_of_coordinate(subject, u, parameters);
            let scale = draws[750] - draws[250];
            let start = mode(subject, parameters, &draws);
            half_line(density, start, scale) + half_line(density, start, -scale)
        };
        assert!(
            (total - 1.0).abs() < 1e-7,
            "{parameters:?}: the total is {total}"
        );
    }
}

/// The smallest value of a discrete family.
pub fn smallest(subject: &Subject, parameters: &[f64]) -> f64 {
    let Support::Integers { low, .. } = subject.support(parameters) else {
        panic!("the values of a discrete family are whole numbers")
    };
    low.primal()
}

/// The sum to far beyond the largest draw, or to a mass beyond it that adds nothing: in a tail that falls by a millionth with each value,
/// all further masses are 1e-14 together.
fn sum_of_masses(subject: &Subject, parameters: &[f64], draws: &[f64]) -> f64 {
    let (first, last) = (smallest(subject, parameters), draws[draws.len() - 1]);
    let distribution = subject.distribution(parameters);
    let mut sum = 0.0;
    for i in 0..=(40.0 * last.abs() + 100.0) as u64 {
        let x = first + i as f64;
        let mass = distribution.log_density(&[x]).exp();
        sum += mass;
        if x > last && mass < 1e-20 {
            break;
        }
    }
    sum
}
