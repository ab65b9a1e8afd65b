//! Transforms between constrained supports and R^d, with their log Jacobians.
//!
//! Every transform has the same pair of functions: `constrain` takes unconstrained coordinates to the
//! support and gives the log of the Jacobian determinant, `unconstrain` is its inverse on plain
//! numbers. All are branch-free on random values.

pub mod above;
pub mod below;
pub mod integers;
pub mod interval;
pub mod ordered;
pub mod real;
pub mod simplex;
mod support;

pub use support::Support;
