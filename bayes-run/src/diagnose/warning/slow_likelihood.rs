//! Islands: the log likelihoods of the particles at the posterior depend on earlier ones for too long.

use super::{Message, slow_moves};
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::likelihood_memory::{Memory, measured};
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The largest autocorrelation of the log likelihood without a warning, [`LAG`](crate::diagnose::likelihood_memory::LAG) states of a particle
/// apart.
///
/// In 40 runs of 4 islands of 64 particles on a random walk with unknown scales, whose evidence is too low by 0.8 of its error, it was 0.31 to
/// 0.56; in 12 runs on two funnels 0.51 or more; in 199 runs on 39 problems without a neck at most 0.24. The
/// bound was chosen on these runs. With other seeds it was 0.28 to 0.51 in 20 runs on the random walk, and above the bound in 3 of 130 runs
/// without a neck, of which 2 have `SlowMoves` (experiments/figures.md): the margin is small on both sides.
const MOST: f64 = 0.27;

/// The log likelihoods of the particles depend on earlier ones for longer than on a posterior without necks.
///
/// The relaxation time behind [`SlowMoves`](super::SlowMoves) is measured over few moves, where most particles have forgotten; in a neck some
/// have not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowLikelihood {
    /// The autocorrelation of the log likelihood along the states of a particle.
    pub correlation: f64,
    /// The number of states between the two that are compared.
    pub lag: usize,
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<SlowLikelihood> {
    let Memory { correlation, lag } = measured(run)?;
    let is_slow = correlation > MOST && slow_moves::find(run, elements).is_none();
    is_slow.then_some(SlowLikelihood { correlation, lag })
}

impl Message for SlowLikelihood {
    fn problem(&self) -> String {
        let Self { correlation, lag } = self;
        format!(
            "the log likelihoods of the particles at the posterior have a correlation of {correlation:.2} with those {lag} states before, \
             where at most {MOST} is usual"
        )
    }

    fn remedy(&self) -> &'static str {
        "Some of the particles are in a narrow part of the posterior, which they rarely enter or leave: it may have too little mass, and \
         the log evidence may be too low by more than its error. Make more moves (`.mutations(60)`) or take more particles, and compare the \
         evidence of both runs."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::likelihood_memory::testing::follow;
    use crate::run::example::{islands, of_island};

    /// Islands of 64 particles with `states` states, whose log likelihoods follow an autoregression.
    fn of(count: usize, states: usize, coefficient: f64) -> Run {
        let mut run = islands(&vec![-3.0; count], 64);
        follow(&mut run, states, coefficient);
        run
    }

    // Detects the states before the equal distances, whose noise hides the correlation, and a variogram without its square.
    #[test]
    fn log_likelihoods_that_depend_on_earlier_ones() {
        let found = find(&of(4, 32, 0.9), &[]).expect("0.9 to the power of 7 is 0.48");
        assert_eq!(found.lag, 7);
        assert!((found.correlation - 0.478).abs() < 0.1, "{found:?}");
        assert_eq!(find(&of(4, 32, 0.7), &[]), None);
    }

    // Detects trails across particles, and lags that are too short to tell a neck.
    #[test]
    fn few_states_or_particles_say_nothing() {
        assert_eq!(find(&of(4, 15, 0.95), &[]), None);
        assert_eq!(find(&of(4, 16, 0.95), &[]).map(|found| found.lag), Some(6));
        assert_eq!(find(&of(3, 32, 0.95), &[]), None);
        let mut walk = of(4, 32, 0.95);
        for group in &mut walk.groups {
            let last = of_island(group).history.last_mut();
            last.expect("it has temperatures").leapfrog_steps = 1;
        }
        assert_eq!(find(&walk, &[]), None);
    }

    // Would detect a run that is silent because one island died, and another kept few states.
    #[test]
    fn islands_that_say_nothing_are_left_out() {
        let mut run = of(6, 32, 0.9);
        let history = &mut of_island(&mut run.groups[0]).history;
        history.last_mut().expect("it has temperatures").lambda = 0.4;
        run.groups[3].log_likelihood.truncate(64 * 8);
        run.groups[4].log_likelihood[7] = f64::NEG_INFINITY;
        assert_eq!(find(&run, &[]), None, "192 particles are left");
        run.groups[4].log_likelihood[7] = 0.0;
        let found = find(&run, &[]).expect("256 particles are left");
        assert_eq!(found.lag, 7);
    }

    #[test]
    fn the_message_names_the_correlation() {
        let found = SlowLikelihood {
            correlation: 0.4,
            lag: 7,
        };
        let text = Warning::SlowLikelihood(found.into()).to_string();
        assert!(
            text.contains("a correlation of 0.40 with those 7 states before, where at most 0.27 is usual. Some"),
            "{text}"
        );
    }

    // Detects a rule that the list of warnings lacks.
    #[test]
    fn a_run_has_the_warning() {
        let warnings = of(4, 32, 0.9).warnings();
        let named = |warning: &Warning| matches!(warning, Warning::SlowLikelihood(_));
        assert!(warnings.iter().any(named), "{warnings:?}");
    }
}
