//! Gradients against finite differences.

use crate::density::{Density, Particles};
use crate::run::Counts;

/// Steps of the differences, relative to `1 + |x|`. The smaller of the two discrepancies counts: a long step errs where the
/// density is strongly curved, a short one where it is large.
const STEPS: [f64; 2] = [1e-3, 1e-4];

/// A slope that is further off than this is a fault.
pub(super) const TOLERANCE: f64 = 1e-5;

/// A slope by automatic differentiation and by finite differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The unconstrained coordinate.
    pub coordinate: usize,
    /// By automatic differentiation.
    pub gradient: f64,
    /// By a difference of fourth order.
    pub difference: f64,
    /// How far they are apart, relative to the larger of 1, the slope, and what rounding of the density allows.
    pub error: f64,
}

/// The slope in coordinate `k` at a position where the density is `log_density` and its slope `gradient`; `None` where
/// the density is not finite around it.
pub(super) fn compare(
    density: &dyn Density,
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

/// How far a point is moved, relative to the step, to see what rounding makes of its density.
const NEARBY: f64 = 1e-9;

/// How uncertain densities are, by those right beside them: that of a Gaussian process loses digits to the condition of its
/// covariance, so that no bound by the size of the density tells.
fn noise(
    density: &dyn Density,
    position: &[f64],
    k: usize,
    offsets: &[f64; 4],
    values: &[f64],
) -> f64 {
    let nearby = along(density, position, k, &offsets.map(|x| x * (1.0 + NEARBY)));
    let differences = values.iter().zip(&nearby).map(|(a, b)| (a - b).abs());
    differences.fold(f64::EPSILON, f64::max)
}

/// The log posterior density at `position` moved by each of `offsets` in coordinate `k`.
///
/// One particle at a time: a model that takes a plain number out of a random value sees that of the first particle.
pub(super) fn along(
    density: &dyn Density,
    position: &[f64],
    k: usize,
    offsets: &[f64],
) -> Vec<f64> {
    let mut one = Particles::new(1, position.len());
    let mut at = |offset: &f64| {
        one.positions.copy_from_slice(position);
        one.positions[k] += offset;
        density.evaluate(&mut one.block(), &mut Counts::default());
        one.log_prior[0] + one.log_likelihood[0]
    };
    offsets.iter().map(&mut at).collect()
}
