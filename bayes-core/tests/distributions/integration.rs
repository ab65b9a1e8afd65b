//! Densities integrate to one, masses sum to one: in the unconstrained coordinate, so that the Jacobian is tested too.

use crate::battery::{Subject, is_discrete, stream};
use crate::reference::cases;
use bayes_autodiff::{Real, Value};
use bayes_core::dist::Distribution;

/// The log density of the unconstrained coordinate.
pub fn log_density_of_coordinate<S: Subject<K>, const K: usize>(
    u: f64,
    parameters: [f64; K],
) -> f64 {
    let distribution = S::scalar(parameters.map(Real::<Value>::constant));
    let (x, log_jacobian) = distribution.constrain(&[Real::constant(u)]);
    (distribution.log_density_at(&x) + log_jacobian).primal()
}

/// Draws of the unconstrained coordinate, sorted.
pub fn coordinates<S: Subject<K>, const K: usize>(
    parameters: [f64; K],
    count: usize,
    item: u64,
) -> Vec<f64> {
    let distribution = S::scalar(parameters.map(Real::<Value>::constant));
    let mut stream = stream(item);
    let mut draws: Vec<f64> = (0..count)
        .flat_map(|_| distribution.unconstrain(&distribution.draw(&mut stream)))
        .collect();
    draws.sort_by(f64::total_cmp);
    draws
}

/// Whether so much of the mass lies below the smallest double that neither draws nor quadrature in doubles see it.
pub fn is_out_of_reach<S: Subject<K>, const K: usize>(parameters: [f64; K]) -> bool {
    S::REFERENCE == "Gamma" && parameters[0] < 0.01
}

/// The place of the largest density among and between the draws; there a kink may sit.
fn mode<S: Subject<K>, const K: usize>(parameters: [f64; K], draws: &[f64]) -> f64 {
    let (mut low, mut high) = (draws[0], draws[draws.len() - 1]);
    for _ in 0..200 {
        let (a, b) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        if log_density_of_coordinate::<S, K>(a, parameters)
            < log_density_of_coordinate::<S, K>(b, parameters)
        {
            low = a;
        } else {
            high = b;
        }
    }
    0.5 * (low + high)
}

/// `∫ f(u) du` from `start` away to infinity in the direction of `scale`: `u = start + scale e^(π/2 sinh t)`
/// (Takahasi and Mori 1974), by the trapezoidal rule in `t`.
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

/// The density of the coordinate. Beyond 30 a bounded `x` rounds to its bound, where a pole may sit: there it is cut.
pub fn density_of_coordinate<S: Subject<K>, const K: usize>(u: f64, parameters: [f64; K]) -> f64 {
    let density = log_density_of_coordinate::<S, K>(u, parameters).exp();
    if u.abs() > 30.0 && !density.is_finite() {
        0.0
    } else {
        density
    }
}

pub fn integrates_to_one<S: Subject<K>, const K: usize>() {
    for parameters in cases::<S, K>() {
        if is_out_of_reach::<S, K>(parameters) {
            continue;
        }
        let draws = coordinates::<S, K>(parameters, 1000, 1);
        let total = if is_discrete::<S, K>() {
            sum_of_masses::<S, K>(parameters, &draws)
        } else {
            let density = |u| density_of_coordinate::<S, K>(u, parameters);
            let scale = draws[750] - draws[250];
            let start = mode::<S, K>(parameters, &draws);
            half_line(density, start, scale) + half_line(density, start, -scale)
        };
        assert!(
            (total - 1.0).abs() < 1e-7,
            "{parameters:?}: the total is {total}"
        );
    }
}

fn sum_of_masses<S: Subject<K>, const K: usize>(parameters: [f64; K], draws: &[f64]) -> f64 {
    let last = 40.0 * draws[draws.len() - 1] + 100.0;
    (0..=last as u64)
        .map(|x| S::log_density(x as f64, parameters).exp())
        .sum()
}
