//! Islands without resampling: few particles have most of the weight.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The smallest effective number of particles, and the smallest as a share of all. The log weights are about normal,
/// so a share of 0.02 is a variance of 4; then the mean weight rests on particles that are too rare to occur.
const PARTICLES: f64 = 10.0;
const SHARE: f64 = 0.02;

/// Few of the weighted particles have most of the weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnevenParticles {
    /// Effective number of particles, `1 / Σ w²`.
    pub effective: f64,
    /// Number of particles of all islands.
    pub particles: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<UnevenParticles> {
    if run
        .groups
        .iter()
        .all(|island| island.log_weights().is_empty())
    {
        return None;
    }
    let weights = run.draw_weights();
    // several states of a particle share its weight
    let particles = run.particles_per_group() * run.groups.len();
    let states = (weights.len() as f64 / particles as f64).max(1.0);
    let squares: f64 = weights.iter().map(|weight| weight * weight).sum();
    let effective = 1.0 / (squares * states);
    let bound = PARTICLES.max(SHARE * particles as f64);
    (effective < bound).then_some(UnevenParticles {
        effective,
        particles,
    })
}

impl Message for UnevenParticles {
    fn problem(&self) -> String {
        let Self {
            effective,
            particles,
        } = self;
        format!(
            "few particles carry most of the weight: the effective number of particles is {effective:.1} of {particles}, and the \
             evidence may be too low"
        )
    }

    fn remedy(&self) -> &'static str {
        "Use more temperatures (a higher `.ess_target(..)`), more mutation steps, or resampling (`Inference::smc()`)."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{islands, normals, of_island};

    #[test]
    fn weights_of_a_large_variance() {
        let mut run = islands(&[-3.0], 4000);
        of_island(&mut run.groups[0]).ancestors = (0..4000).collect();
        let logs = |sd: f64| normals(5, 4000).into_iter().map(|z| sd * z).collect();
        of_island(&mut run.groups[0]).log_weights = logs(0.5);
        assert!(run.warnings().is_empty());
        of_island(&mut run.groups[0]).log_weights = logs(3.0);
        assert_warned(
            &run,
            "few particles carry most of the weight: the effective number of particles is 16.3 of 4000, and the evidence may be too low. Use more \
             temperatures (a higher `.ess_target(..)`), more mutation steps, or resampling (`Inference::smc()`).",
        );
    }
}
