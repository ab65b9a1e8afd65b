//! Gradients against finite differences.

use crate::density::{LogDensity, Particles, Target};
use crate::run::Counts;

/// Steps of the differences, relative to `1 + |x|`. The smaller of the two discrepancies counts: a long step is
/// inaccurate if the density is strongly curved, a short one if it is large.
const STEPS: [f64; 2] = [1e-3, 1e-4];

/// A larger error of a derivative is a fault.
pub(super) const TOLERANCE: f64 = 1e-5;

/// A derivative by automatic differentiation and by finite differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The unconstrained coordinate.
    pub coordinate: usize,
    /// By automatic differentiation.
    pub gradient: f64,
    /// By a difference of fourth order.
    pub difference: f64,
    /// Their difference, relative to the largest of 1, the derivative, and the rounding error of the density.
    pub error: f64,
}

/// The derivative in coordinate `k` at a position where the log density is `log_density` and its derivative
/// `gradient`; `None` if the density is not finite around it.
pub(super) fn compare(
    density: &dyn LogDensity,
    position: &[f64],
    k: usize,
    [log_density, gradient]: [f64; 2],
) -> Option<Slope> {
    let slopes = STEPS.iter().filter_map(|step| {
        let step = step * (1.0 + position[k].abs());
        let offsets = [step, -step, 2.0 * step, -2.0 * step];
        let values = along(density, position, k, &offsets);
        if !values.iter().all(|x| x.is_finite()) {
            return None;
        }
        // of fourth order
        let (near, far) = (values[0] - values[1], values[2] - values[3]);
        let difference = (8.0 * near - far) / (12.0 * step);
        let scale = gradient.abs().max(difference.abs()).max(1.0);
        let error_of = |rounding: f64| {
            ((gradient - difference).abs() - 8.0 * rounding / step).max(0.0) / scale
        };
        let rounding = f64::EPSILON * log_density.abs();
        let mut error = error_of(rounding);
        if error > TOLERANCE {
            error = error_of(rounding.max(noise(density, position, k, &offsets, &values)));
        }
        Some(Slope {
            coordinate: k,
            gradient,
            difference,
            error,
        })
    });
    slopes.min_by(|a, b| a.error.total_cmp(&b.error))
}

/// The distance, relative to the step, between the points from which the rounding error of the density is estimated.
const NEARBY: f64 = 1e-9;

/// The rounding error of a density, estimated from neighbouring points: that of a Gaussian process loses digits by the
/// condition number of its covariance, so a bound by the size of the density would not be enough.
fn noise(
    density: &dyn LogDensity,
    position: &[f64],
    k: usize,
    offsets: &[f64; 4],
    values: &[f64],
) -> f64 {
    let nearby = along(density, position, k, &offsets.map(|x| x * (1.0 + NEARBY)));
    let differences = values.iter().zip(&nearby).map(|(a, b)| (a - b).abs());
    differences.fold(f64::EPSILON, f64::max)
}

/// The log posterior density at `position` shifted by each of `offsets` in coordinate `k`.
///
/// One particle at a time, because a model that reads the plain value of a random quantity sees that of the first particle.
pub(super) fn along(
    density: &dyn LogDensity,
    position: &[f64],
    k: usize,
    offsets: &[f64],
) -> Vec<f64> {
    let mut one = Particles::new(1, position.len());
    let mut at = |offset: &f64| {
        one.positions.copy_from_slice(position);
        one.positions[k] += offset;
        Target::posterior(density).evaluate(&mut one.block(), &mut Counts::default());
        one.log_prior[0] + one.log_likelihood[0]
    };
    offsets.iter().map(&mut at).collect()
}
