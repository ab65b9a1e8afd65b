//! Linear Gaussian state space models: the parts of which a series is the sum, and the Kalman filter.

mod autoregression;
mod coefficient;
mod cycle;
mod draws;
mod filter;
mod level;
mod regression;
mod season;
mod smoother;
mod start;
mod states;
mod sum;
mod system;
mod trend;

pub use autoregression::Autoregression;
pub use coefficient::Coefficient;
pub use cycle::Cycle;
pub use level::Level;
pub use regression::Regression;
pub use season::Season;
pub use start::{First, Unknown};
pub use states::States;
pub use sum::Sum;
pub use system::Block;
pub use trend::Trend;

pub(super) use draws::draw;
pub(super) use filter::{Filter, Moments};
use system::{Symmetric, System};

use super::ParameterError;
use bayes_autodiff::Mode;

/// A part of a state space model: states that follow a Gaussian autoregression, and how much of each is in a value of the series.
///
/// ```text
/// y_t = Σ_parts Z_t α_t + e_t,    α_{t+1} = T α_t + η_t,    η_t ~ Normal(0, Q),    α_1 ~ Normal(a, P)
/// ```
///
/// Parts add up: `level + season`. A part that is an `Option` is there if it is `Some`. Those of the library are [`Level`], [`Trend`], [`Season`], [`Cycle`], [`Autoregression`], [`Regression`]
/// and, for any matrices, [`States`].
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a part of a state space model",
    label = "expected parts such as `Level::new(sd).start(mean, sd)`, or a sum of them",
    note = "the first states need a prior, which no default could know: add `.start(..)` to a `Level`, `Trend`, `Season` or `Regression`",
    note = "data switch a part on or off as an `Option`: `level + seasonal.then(|| Season::new(12, sd).start(1.0))`"
)]
pub trait Part<M: Mode> {
    /// The number of states.
    fn dim(&self) -> usize;

    /// Writes the entries that are not zero.
    fn write(&self, block: &mut Block<'_, M>);

    /// Writes the loadings at a time, from 0 on, if they are not the same at all times; returns whether it did so.
    ///
    /// # Panics
    /// With a [`Fault`](bayes_autodiff::fault::Fault) at a time that the part does not know.
    fn load(&self, _time: usize, _loadings: &mut [Coefficient<M>]) -> bool {
        false
    }

    /// Checks the parameters for a series of `length` values.
    ///
    /// # Errors
    /// The first parameter that is not allowed, with the name of the part.
    fn check(&self, length: usize) -> Result<(), ParameterError>;
}

/// A part that is there or not, as data say; without it the whole has no states of it.
impl<M: Mode, P: Part<M>> Part<M> for Option<P> {
    fn dim(&self) -> usize {
        self.as_ref().map_or(0, P::dim)
    }
    fn write(&self, block: &mut Block<'_, M>) {
        if let Some(part) = self {
            part.write(block);
        }
    }
    fn load(&self, time: usize, loadings: &mut [Coefficient<M>]) -> bool {
        self.as_ref().is_some_and(|part| part.load(time, loadings))
    }
    fn check(&self, length: usize) -> Result<(), ParameterError> {
        self.as_ref().map_or(Ok(()), |part| part.check(length))
    }
}

impl<M: Mode, P: Part<M> + ?Sized> Part<M> for &P {
    fn dim(&self) -> usize {
        (**self).dim()
    }
    fn write(&self, block: &mut Block<'_, M>) {
        (**self).write(block);
    }
    fn load(&self, time: usize, loadings: &mut [Coefficient<M>]) -> bool {
        (**self).load(time, loadings)
    }
    fn check(&self, length: usize) -> Result<(), ParameterError> {
        (**self).check(length)
    }
}
