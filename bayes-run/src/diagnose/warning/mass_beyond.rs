//! Approximations: the posterior goes on where no draw is, and k-hat, which judges where draws are, does not show it.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Excursions, Group, Run};
use serde::{Deserialize, Serialize};

/// A mean log weight that rises by less is no matter.
const LEAST: f64 = 0.25;
/// A rise within this many of its standard errors may be due to the trajectories.
const ERRORS: f64 = 3.0;

/// Short trajectories from the draws raise their importance weights, which they leave the same if the weights can be relied on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MassBeyond(pub Excursions);

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<MassBeyond> {
    let mut independent = run.groups.iter().filter_map(Group::independent);
    let found = independent.find_map(|own| own.excursions.as_ref())?;
    let rises = found.rise > LEAST.max(ERRORS * found.se);
    rises.then(|| MassBeyond(found.clone()))
}

impl Message for MassBeyond {
    fn problem(&self) -> String {
        let Excursions {
            number,
            rise,
            se,
            beyond,
        } = &self.0;
        format!(
            "the posterior goes on where no draw of the approximation is: short trajectories from {number} draws raise the log importance \
             weight by {rise:.2} ± {se:.2} on average, and {beyond} of them end where it is larger than at every draw"
        )
    }

    fn remedy(&self) -> &'static str {
        "Trajectories would leave the mean the same if the weights could be relied on. K-hat does not see this part, which means, intervals \
         and the evidence lack, as in a funnel or with heavy tails: use an engine that samples, such as `Inference::nuts()`."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{approximation, of_draws};

    fn with(rise: f64, se: f64) -> Run {
        let mut run = approximation(1000, 1.0);
        of_draws(&mut run.groups[0]).excursions = Some(Excursions {
            number: 128,
            rise,
            se,
            beyond: 25,
        });
        run
    }

    #[test]
    fn weights_that_rise_are_no_weights_of_the_posterior() {
        assert_warned(
            &with(1.9, 0.4),
            "the posterior goes on where no draw of the approximation is: short trajectories from 128 draws raise the log importance weight \
             by 1.90 ± 0.40 on average, and 25 of them end where it is larger than at every draw. Trajectories would leave the mean the \
             same if the weights could be relied on. K-hat does not see this part, which means, intervals and the evidence lack, as in a \
             funnel or with heavy tails: use an engine that samples, such as `Inference::nuts()`.",
        );
    }

    #[test]
    fn small_and_uncertain_rises_are_not_told() {
        for (rise, se) in [(0.2, 0.01), (1.1, 0.4), (-2.0, 0.1)] {
            let run = with(rise, se);
            assert!(run.warnings().is_empty(), "{:?}", run.warnings());
        }
    }
}
