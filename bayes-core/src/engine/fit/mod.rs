//! Points and Gaussians instead of draws of the posterior: modes, params, and approximations around them.

pub(super) mod approximation;
pub(super) mod beyond;
pub(super) mod deep_ensemble;
pub(super) mod laplace;
pub(super) mod map;
pub(super) mod marginal;
pub(super) mod pathfinder;
mod searches;
pub(super) mod swag;
pub(super) mod training;
pub(super) mod variational;
