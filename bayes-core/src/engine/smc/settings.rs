//! The settings of an SMC sampler.

use super::mutations::MovePolicy;
use super::path::Path;
use super::resample::Resampling;
use super::schedule::Schedule;
use super::step_size_rule::StepSizeRule;
use crate::error::Error;
use std::sync::Arc;

/// Settings of an SMC sampler that do not depend on the kernel's type.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(in crate::engine) particles: usize,
    /// States kept of each particle at a temperature, if there are as many steps.
    pub(in crate::engine) states_kept: usize,
    /// States kept of each particle at the posterior; `None` for the default.
    pub(in crate::engine) posterior_states: Option<usize>,
    pub(in crate::engine) path: Path,
    pub(in crate::engine) mutations: Arc<dyn MovePolicy>,
    pub(in crate::engine) schedule: Schedule,
    pub(in crate::engine) resampling: Resampling,
    pub(in crate::engine) step_size_rule: StepSizeRule,
    pub(in crate::engine) step_size_mixture: f64,
    /// Whether control variates also estimate the log evidence, where possible; `None` to decide by the density.
    pub(in crate::engine) control_variates: Option<bool>,
}

impl Settings {
    /// Number of states of each particle that form the population of a temperature.
    pub(in crate::engine) fn kept(&self) -> usize {
        self.states_kept.min(self.mutations.least()).max(1)
    }

    /// Checks the number of particles.
    pub(in crate::engine) fn validate_particles(&self) -> Result<(), Error> {
        let particles = self.particles;
        let holds = (2..=u32::MAX as usize).contains(&particles);
        Error::setting("particles", particles, holds, "from 2 to 4294967295")
    }

    /// Checks the numbers of states of each particle.
    pub(in crate::engine) fn validate_states(&self) -> Result<(), Error> {
        let counts = [
            ("states_kept", self.states_kept),
            ("posterior_states", self.posterior_states.unwrap_or(1)),
        ];
        for (name, states) in counts {
            let holds = states >= 1 && self.particles.saturating_mul(states) <= u32::MAX as usize;
            let allowed = "at least 1, and together with the particles at most 4294967295 states";
            Error::setting(name, states, holds, allowed)?;
        }
        Ok(())
    }
}
