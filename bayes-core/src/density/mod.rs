//! What kernels and engines see of a model: log prior, log likelihood and gradient of blocks of particles.

mod arithmetic;
mod counts;
mod particles;
mod posterior;
mod reference;

pub use arithmetic::{Arithmetic, ArithmeticSettings, Gradient};
pub use counts::{Counts, NonFinite};
pub use particles::{Block, Particles, tempered};
pub use posterior::Posterior;
pub use reference::Reference;

use crate::error::Error;
use crate::rng::Stream;
use crate::run::{Layout, StatementInfo};

/// A posterior on R^d as blocks of particles in, densities out.
///
/// Object-safe, so that kernels and engines are compiled once and not for each model. Nothing here assumes one
/// particle at a time: an implementation is free to evaluate a block in lanes.
pub trait Density: Sync {
    /// The model's name.
    fn name(&self) -> &str;
    /// Names and shapes of the output; `layout().dim` is d.
    fn layout(&self) -> &Layout;
    /// The model's statements, to which counts refer.
    fn statements(&self) -> Vec<StatementInfo>;
    /// How it is evaluated.
    fn arithmetic(&self) -> &Arithmetic;
    /// Which coordinates are whole numbers, `[dim]`.
    fn discrete(&self) -> &[bool];
    /// The Gaussian reference measure of pCN, fitted to the prior.
    fn reference(&self) -> &Reference;
    /// Fills `log_prior` and `log_likelihood` at the positions of `block`.
    ///
    /// NaN becomes minus infinity and is counted by statement.
    fn evaluate(&self, block: &mut Block<'_>, counts: &mut Counts);
    /// Fills also the gradient of `log_prior + lambda * log_likelihood`.
    fn evaluate_gradient(&self, lambda: f64, block: &mut Block<'_>, counts: &mut Counts);
    /// Draws a position from the prior, `[dim]` unconstrained.
    fn draw_prior(&self, stream: &mut Stream, position: &mut [f64]);
    /// The constrained values at a position, `[layout().elements()]`.
    fn output(&self, position: &[f64]) -> Vec<f64>;
    /// The log density of each statement at a position, Jacobians included.
    fn terms(&self, position: &[f64]) -> Vec<f64>;
    /// The error that says why there is no starting point.
    fn start_error(&self, position: &[f64], tried: usize) -> Error;
}
