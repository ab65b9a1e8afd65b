//! Integrals and roots of functions whose parameters are random.
//!
//! The places at which a function is evaluated do not depend on a branch, so the trace records them once for all particles. A result
//! that does not keep its tolerance is NaN: the run counts it as a density that is not a number, and says so.

mod integrate;
mod solve;

pub use integrate::{Integral, Limit, integrate};
pub use solve::{Equation, solve};

use bayes_autodiff::Mode;
use bayes_autodiff::Real;
use bayes_autodiff::fault::refuse;

/// `x` where `error` is at most `largest`, else NaN.
fn kept<M: Mode>(x: Real<M>, error: Real<M>, largest: Real<M>) -> Real<M> {
    Real::select(error.le(largest), x, Real::constant(f64::NAN))
}

/// Stops the model unless a setting is above 0.
fn check_setting(function: &'static str, argument: &'static str, value: f64) {
    if value.is_nan() || value <= 0.0 {
        refuse(function, argument, format_args!("{value:?}"), "above 0");
    }
}
