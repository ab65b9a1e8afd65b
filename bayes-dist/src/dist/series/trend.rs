//! A level with a slope.

use super::super::rows::check_number;
use super::super::{Constraint, Parameter, ParameterError};
use super::system::variance;
use super::{Block, Coefficient, First, Part, Unknown};
use bayes_autodiff::Mode;

/// The local linear trend: a level and its slope, both of which walk at random. Two states, the level and the slope.
///
/// ```text
/// μ_{t+1} = μ_t + ν_t + sd_level ξ_t,    ν_{t+1} = ν_t + sd_slope ζ_t
/// ```
///
/// Smooth with `sd_level` 0.
#[derive(Clone, Copy, Debug)]
pub struct Trend<S, B, F = Unknown> {
    sd_level: S,
    sd_slope: B,
    first: F,
}

const NAME: &str = "Trend";

impl<S, B> Trend<S, B> {
    /// `sd_level`, `sd_slope`: the standard deviations of a step of the level and of the slope, numbers, at least zero.
    pub fn new(sd_level: S, sd_slope: B) -> Self {
        Self {
            sd_level,
            sd_slope,
            first: Unknown,
        }
    }

    /// The priors of the first level and slope, normal: `mean` and `sd` `[2]`, in the unit of the series, and of the series per step.
    pub fn start<A, D>(self, mean: A, sd: D) -> Trend<S, B, First<A, D>> {
        Trend {
            sd_level: self.sd_level,
            sd_slope: self.sd_slope,
            first: First { mean, sd },
        }
    }
}

impl<M, S, B, A, D> Part<M> for Trend<S, B, First<A, D>>
where
    M: Mode,
    S: Parameter<M>,
    B: Parameter<M>,
    A: Parameter<M>,
    D: Parameter<M>,
{
    fn dim(&self) -> usize {
        2
    }
    fn write(&self, block: &mut Block<'_, M>) {
        for (i, k) in [(0, 0), (0, 1), (1, 1)] {
            block.transition(i, k, Coefficient::ONE);
        }
        block.loading(0, Coefficient::ONE);
        block.noise(0, 0, variance(&self.sd_level, 0));
        block.noise(1, 1, variance(&self.sd_slope, 0));
        self.first.write(2, block);
    }
    fn check(&self, _: usize) -> Result<(), ParameterError> {
        check_number(NAME, "sd_level", &self.sd_level, Constraint::NonNegative)?;
        check_number(NAME, "sd_slope", &self.sd_slope, Constraint::NonNegative)?;
        self.first.check(NAME, 2, false)
    }
}
