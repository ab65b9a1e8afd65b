//! Gradients against finite differences, coordinate by coordinate.

use crate::density::{Line, LogDensity};

/// A larger error of a derivative is a fault.
pub(super) const TOLERANCE: f64 = 1e-5;

/// A derivative by automatic differentiation and by finite differences.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slope {
    /// The unconstrained coordinate.
    pub coordinate: usize,
    /// The derivative by automatic differentiation.
    pub gradient: f64,
    /// The derivative by a difference of fourth order.
    pub difference: f64,
    /// The difference of the two beyond the estimated error of the finite difference, relative to the larger of 1 and the
    /// derivative.
    pub error: f64,
}

/// Compares the derivative in coordinate `k` with `gradient`, its value by automatic differentiation; `None` if the density is
/// not finite around the position.
pub(super) fn compare(
    density: &dyn LogDensity,
    position: &[f64],
    k: usize,
    gradient: f64,
) -> Option<Slope> {
    let direction = unit(position.len(), k);
    let line = Line {
        density,
        position,
        direction: &direction,
    };
    let found = line.compare(gradient, 1.0 + position[k].abs())?;
    Some(Slope {
        coordinate: k,
        gradient: found.gradient,
        difference: found.difference,
        error: found.error,
    })
}

/// The log posterior density at `position` shifted by each of `offsets` in coordinate `k`.
pub(super) fn along<const N: usize>(
    density: &dyn LogDensity,
    position: &[f64],
    k: usize,
    offsets: [f64; N],
) -> [f64; N] {
    let direction = unit(position.len(), k);
    let line = Line {
        density,
        position,
        direction: &direction,
    };
    line.values(offsets)
}

/// The unit vector of coordinate `k`, `[dim]`.
fn unit(dim: usize, k: usize) -> Vec<f64> {
    let mut direction = vec![0.0; dim];
    direction[k] = 1.0;
    direction
}
