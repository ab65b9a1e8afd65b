//! Transforms between constrained supports and R^d, with their log Jacobians.
//!
//! Every transform has the same pair of functions. `constrain` maps unconstrained coordinates to
//! the support and returns the log of the Jacobian determinant; `unconstrain` is its inverse on
//! plain numbers. All are branch-free on random values.

pub mod above;
pub mod below;
pub mod correlation;
pub mod correlation_cholesky;
pub mod covariance;
pub mod covariance_cholesky;
mod factor;
pub mod integers;
pub mod interval;
pub mod ordered;
pub mod positive_ordered;
pub mod real;
pub mod simplex;
mod support;
pub mod unit_vector;
pub mod zero_sum;

pub use support::Support;

/// The range of unconstrained coordinates near 0, where chains start in Stan.
pub const NEAR_ZERO: std::ops::Range<f64> = -2.0..2.0;
