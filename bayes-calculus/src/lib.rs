//! Functions that models compose of the number types of `bayes-autodiff`, in every mode.
//!
//! [`integrate`] and [`solve`] are integrals and roots of functions, and [`ode`](ode()) solves differential equations. The number types
//! know nothing of these, so that they compile side by side with the distributions.

#![forbid(unsafe_code)]

mod numeric;
pub mod ode;

pub use numeric::{Equation, Integral, Limit, integrate, solve};
pub use ode::{Ode, ode};
