//! Forward mode: num-dual's static dual vectors, of first and of second order.

mod first;
mod product;
mod second;
mod slopes;

pub use first::Dual;
pub use second::Dual2;

use nalgebra::Const;
use num_dual::Derivative;

/// `derivative * slope`; a slope of exactly zero means no dependence.
///
/// An infinite derivative of a constant would give `0 · ∞` (as in `e^{ln 0}`), whose limit is 0, not NaN.
#[inline(always)]
fn scaled<const R: usize, const C: usize>(
    derivative: Derivative<f64, Const<R>, Const<C>>,
    slope: f64,
) -> Derivative<f64, Const<R>, Const<C>> {
    if slope == 0.0 {
        Derivative::none()
    } else {
        derivative * slope
    }
}
