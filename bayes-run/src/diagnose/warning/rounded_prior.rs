//! Runs of models whose prior has mass where numbers round.

use super::Message;
use crate::density::{NEGLIGIBLE_ROUNDING, RoundedPrior};
use crate::diagnose::ColumnDiagnostics;
use crate::run::{GroupKind, Run};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Prior draws of a quantity round to an end of its support, or to infinity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriorRounds {
    /// The quantity, and the number of its rounded draws.
    pub prior: RoundedPrior,
}

/// A coordinate this far from 0 may round: at a logit of 30, three digits of `1 - p` are left. A positive value rounds only at 700, so for
/// values above 1e12 the warning may come too early, but never too late.
const FAR: f64 = 28.0;

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Vec<PriorRounds> {
    let found = run.rounded_priors.iter();
    found
        .filter(|prior| prior.is_lost() || uses_prior_draws(run) || is_reached(run, prior))
        .cloned()
        .map(|prior| PriorRounds { prior })
        .collect()
}

/// Whether draws of the prior are among the states of the engine. Chains leave them.
fn uses_prior_draws(run: &Run) -> bool {
    let exchange = || run.groups.iter().any(|group| group.exchanges().is_some());
    run.kind != GroupKind::Chains || exchange()
}

/// Whether more than a few draws are where the quantity may round.
fn is_reached(run: &Run, prior: &RoundedPrior) -> bool {
    let positions = || {
        run.groups
            .iter()
            .flat_map(|group| group.positions.chunks_exact(run.layout.dim))
    };
    let is_far = |position: &&[f64]| {
        let coordinates = prior.coordinates.iter();
        coordinates.copied().any(|i| position[i].abs() > FAR)
    };
    positions().filter(is_far).count() as f64 > NEGLIGIBLE_ROUNDING * positions().count() as f64
}

impl Message for PriorRounds {
    fn problem(&self) -> String {
        self.prior.problem()
    }

    fn remedy(&self) -> &'static str {
        self.prior.remedy()
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        Some(self.prior.remedy_of_formula().into())
    }
}

#[cfg(test)]
mod tests {
    use crate::density::RoundedPrior;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Run;
    use crate::run::example::{chains, islands};

    fn rounding(rounded: usize, lost: usize) -> RoundedPrior {
        RoundedPrior {
            statement: 0,
            name: "x".to_owned(),
            draws: 1000,
            rounded,
            lost,
            coordinates: [0].into(),
        }
    }

    #[test]
    fn prior_mass_beyond_numbers_is_reported_with_its_share() {
        let mut run = islands(&[-3.0; 4], 64);
        run.rounded_priors = vec![rounding(0, 492)];
        assert_warned(
            &run,
            "49.2% of the prior draws of `x` are so near an end of its support, or so large, that no number holds them. This part of the prior \
             is missing, and evidence and posterior are wrong by up to its share. Use a prior with less mass at the ends or in the tails, or \
             give one to the logarithm or the logit of the quantity.",
        );
    }

    #[test]
    fn chains_are_warned_only_where_their_draws_are_at_the_end() {
        let mut run = chains(4, 250);
        run.rounded_priors = vec![rounding(492, 0)];
        let warns = |run: &Run| !super::find(run, &[]).is_empty();
        assert!(!warns(&run));
        for position in run.groups[0].positions.chunks_mut(run.layout.dim).take(3) {
            position[0] = -40.0;
        }
        assert!(warns(&run), "3 of 1000 draws");
        run.groups[0].positions[0] = 0.0;
        assert!(!warns(&run), "2 of 1000 draws");
        run.rounded_priors = vec![rounding(0, 492)];
        assert!(
            warns(&run),
            "mass that is missing is missing for chains too"
        );
    }
}
