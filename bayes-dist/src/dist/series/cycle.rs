//! A damped cycle.

use super::super::rows::check_number;
use super::super::{Constraint, Parameter, ParameterError};
use super::{Block, Coefficient, Part};
use bayes_autodiff::{Mode, PlainValue};
use std::f64::consts::TAU;

/// A stochastic cycle about 0, which begins at its stationary distribution (Harvey 1989, section 2.3.4). Two states, the cycle and its
/// conjugate.
///
/// ```text
/// c_{t+1} = ρ ( cos λ c_t + sin λ c*_t) + sd κ_t
/// c*_{t+1} = ρ (-sin λ c_t + cos λ c*_t) + sd κ*_t,    λ = 2π/period
/// ```
///
/// The standard deviation of the cycle is `sd/√(1 - ρ²)`.
#[derive(Clone, Copy, Debug)]
pub struct Cycle<P, D, S> {
    period: P,
    damping: D,
    sd: S,
}

const NAME: &str = "Cycle";

impl<P, D, S> Cycle<P, D, S> {
    /// `period`: a number of steps, finite and above zero; a cycle of less than 2 is one of a longer period; `damping`: `ρ`, a number from
    /// 0 to below 1; `sd`: the standard deviation of a step, a number, at least zero.
    pub fn new(period: P, damping: D, sd: S) -> Self {
        Self {
            period,
            damping,
            sd,
        }
    }
}

impl<M: Mode, P: Parameter<M>, D: Parameter<M>, S: Parameter<M>> Part<M> for Cycle<P, D, S> {
    fn dim(&self) -> usize {
        2
    }
    fn write(&self, block: &mut Block<'_, M>) {
        let angle = self.period.at(0).recip() * TAU;
        let (damping, sd) = (self.damping.at(0), self.sd.at(0));
        let (cos, sin) = (damping * angle.cos(), damping * angle.sin());
        let rest = 1.0 - damping.square();
        let (variance, stationary) = (sd.square(), rest.gt(0.0));
        for (i, k, entry) in [(0, 0, cos), (0, 1, sin), (1, 0, -sin), (1, 1, cos)] {
            block.transition(i, k, Coefficient::Random(entry));
        }
        block.loading(0, Coefficient::ONE);
        for i in 0..2 {
            block.noise(i, i, Coefficient::Random(variance));
            block.covariance(i, i, Coefficient::Random(variance / rest));
        }
        block.require(stationary);
    }
    fn check(&self, _: usize) -> Result<(), ParameterError> {
        check_number(NAME, "period", &self.period, Constraint::Positive)?;
        check_number(NAME, "damping", &self.damping, Constraint::NonNegative)?;
        check_number(NAME, "sd", &self.sd, Constraint::NonNegative)?;
        let damping = self.damping.at(0).plain_value();
        // a random one may be drawn outside, where the density is zero
        if D::DATA && damping >= 1.0 {
            return Err(ParameterError::Value {
                distribution: NAME,
                parameter: "damping",
                index: None,
                value: damping,
                allowed: "from 0 to below 1",
            });
        }
        Ok(())
    }
}
