//! Runs of models whose prior has mass where numbers round.

use super::Message;
use crate::density::RoundedPrior;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// Prior draws of a quantity round to an end of its support, or to infinity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PriorRounds {
    /// The quantity, and how many of its draws.
    pub prior: RoundedPrior,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Vec<PriorRounds> {
    let found = run.rounded_priors.iter();
    found.cloned().map(|prior| PriorRounds { prior }).collect()
}

impl Message for PriorRounds {
    fn problem(&self) -> String {
        self.prior.problem()
    }

    fn remedy(&self) -> &'static str {
        self.prior.remedy()
    }
}

#[cfg(test)]
mod tests {
    use crate::density::RoundedPrior;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::islands;

    #[test]
    fn prior_mass_beyond_numbers_is_told_with_its_share() {
        let mut run = islands(&[-3.0; 4], 64);
        run.rounded_priors = vec![RoundedPrior {
            statement: 0,
            name: "x".to_owned(),
            draws: 1000,
            rounded: 0,
            lost: 492,
        }];
        assert_warned(
            &run,
            "49.2% of the prior draws of `x` are so near an end of its support, or so large, that no number holds them. This part of the prior \
             is missing, and evidence and posterior are wrong by up to its share. Use a prior with less mass at the ends or in the tails, or \
             give one to the logarithm or the logit of the quantity.",
        );
    }
}
