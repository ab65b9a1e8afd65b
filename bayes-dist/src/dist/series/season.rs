//! A season.

use super::super::rows::check_number;
use super::super::{Constraint, Parameter, ParameterError};
use super::system::variance;
use super::{Block, Coefficient, Part, Unknown};
use bayes_autodiff::Mode;

/// Effects of the times of a period, such as twelve months, that change slowly: the effects of a whole period sum to a small noise (Durbin
/// and Koopman 2012, section 3.2.2).
///
/// ```text
/// γ_{t+1} = -Σ_{j=1..period-1} γ_{t+1-j} + sd ω_t
/// ```
///
/// `period - 1` states: the effect of the present time, and the effects of the times before it, the latest first.
#[derive(Clone, Copy, Debug)]
pub struct Season<S, F = Unknown> {
    period: usize,
    sd: S,
    first: F,
}

const NAME: &str = "Season";

impl<S> Season<S> {
    /// `period`: the number of times, at least 2; `sd`: the standard deviation of the sum over a period, a number, at least zero; a season
    /// that does not change has 0.
    pub fn new(period: usize, sd: S) -> Self {
        Self {
            period,
            sd,
            first: Unknown,
        }
    }

    /// The prior of the first effects: a [`ZeroSumNormal`](super::super::ZeroSumNormal) with this `sd`, a number in the unit of the
    /// series, for all times of the period. The effect of one time has mean 0 and standard deviation `sd √(1 - 1/period)`.
    pub fn start<B>(self, sd: B) -> Season<S, Effects<B>> {
        Season {
            period: self.period,
            sd: self.sd,
            first: Effects(sd),
        }
    }
}

/// First effects that sum to zero.
#[derive(Clone, Copy, Debug)]
pub struct Effects<B>(B);

impl<M: Mode, S: Parameter<M>, B: Parameter<M>> Part<M> for Season<S, Effects<B>> {
    fn dim(&self) -> usize {
        self.period.saturating_sub(1)
    }
    fn write(&self, block: &mut Block<'_, M>) {
        let dim = Part::<M>::dim(self);
        for i in 0..dim {
            block.transition(0, i, Coefficient::Known(-1.0));
            if i > 0 {
                block.transition(i, i - 1, Coefficient::ONE);
            }
            for k in 0..=i {
                let own = f64::from(u8::from(i == k)) - 1.0 / self.period as f64;
                block.covariance(
                    i,
                    k,
                    variance(&self.first.0, 0).times(Coefficient::Known(own)),
                );
            }
        }
        if dim > 0 {
            block.loading(0, Coefficient::ONE);
            block.noise(0, 0, variance(&self.sd, 0));
        }
    }
    fn check(&self, _: usize) -> Result<(), ParameterError> {
        if self.period < 2 {
            return Err(ParameterError::Value {
                distribution: NAME,
                parameter: "period",
                index: None,
                value: self.period as f64,
                allowed: "a whole number, at least 2",
            });
        }
        check_number(NAME, "sd", &self.sd, Constraint::NonNegative)?;
        check_number(NAME, "start: sd", &self.first.0, Constraint::NonNegative)
    }
}
