//! A level that walks at random.

use super::super::rows::check_number;
use super::super::{Constraint, Parameter, ParameterError};
use super::system::variance;
use super::{Block, Coefficient, First, Part, Unknown};
use bayes_autodiff::Mode;

/// The local level: `μ_{t+1} = μ_t + sd η_t`. One state.
///
/// ```text
/// Level::new(sd_level).start(1000.0, 500.0)
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Level<S, F = Unknown> {
    sd: S,
    first: F,
}

const NAME: &str = "Level";

impl<S> Level<S> {
    /// `sd`: the standard deviation of a step, a number, at least zero; a level that does not move has 0.
    pub fn new(sd: S) -> Self {
        let first = Unknown;
        Self { sd, first }
    }

    /// The prior of the first level: a normal distribution with this mean and standard deviation, numbers in the unit of the series; known
    /// with 0.
    pub fn start<A, B>(self, mean: A, sd: B) -> Level<S, First<A, B>> {
        let first = First { mean, sd };
        Level { sd: self.sd, first }
    }
}

impl<M: Mode, S: Parameter<M>, A: Parameter<M>, B: Parameter<M>> Part<M> for Level<S, First<A, B>> {
    fn dim(&self) -> usize {
        1
    }
    fn write(&self, block: &mut Block<'_, M>) {
        block.transition(0, 0, Coefficient::ONE);
        block.loading(0, Coefficient::ONE);
        block.noise(0, 0, variance(&self.sd, 0));
        self.first.write(1, block);
    }
    fn check(&self, _: usize) -> Result<(), ParameterError> {
        check_number(NAME, "sd", &self.sd, Constraint::NonNegative)?;
        self.first.check(NAME, 1, false)
    }
}
