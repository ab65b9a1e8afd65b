//! Approximations: draws that are moved apart find more of the posterior than the draws themselves.

use super::Message;
use crate::diagnose::{ColumnDiagnostics, Psis};
use crate::run::{Group, Run, Widened};
use crate::text::short;
use serde::{Deserialize, Serialize};

/// A log mass that rises by less is no matter.
const LEAST: f64 = 0.02;
/// A rise within this many of its standard errors may be due to the draws. Of 136 runs of ordinary posteriors the largest was 2.5.
const ERRORS: f64 = 3.0;

/// The posterior has more mass by wider draws: its tails are heavier than those of the approximation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeavyTails(pub Widened);

/// Where k-hat is high, it warns.
pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<HeavyTails> {
    let importance = run.importance()?;
    let is_seen = importance.pareto_k > Psis::finite_k(importance.log_weights.len());
    let found = heavier(run).filter(|_| !is_seen)?;
    Some(HeavyTails(found.clone()))
}

/// The mass by wider draws, if it is higher.
pub(super) fn heavier(run: &Run) -> Option<&Widened> {
    let mut independent = run.groups.iter().filter_map(Group::independent);
    let found = independent.find_map(|own| own.widened.as_ref())?;
    (found.rise > LEAST.max(ERRORS * found.se)).then_some(found)
}

impl Message for HeavyTails {
    fn problem(&self) -> String {
        let Widened { scale, rise, se } = self.0;
        format!(
            "the posterior has heavier tails than the approximation: its log mass by draws that are {} times as far from their mean is {} ± {} higher \
             than by the draws",
            short(scale),
            short(rise),
            short(se)
        )
    }

    fn remedy(&self) -> &'static str {
        "Both would be the same if the weights could be relied on. K-hat does not see these tails, which means, intervals and the evidence lack: use an \
         engine that samples, such as `Inference::nuts()` or `Inference::psmc()`."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{approximation, of_draws};

    fn with(rise: f64, se: f64) -> Run {
        let mut run = approximation(1000, 1.0);
        let scale = 1.5;
        of_draws(&mut run.groups[0]).widened = Some(Widened { scale, rise, se });
        run
    }

    #[test]
    fn a_mass_that_rises_is_told() {
        assert_warned(
            &with(0.17, 0.03),
            "the posterior has heavier tails than the approximation: its log mass by draws that are 1.500 times as far from their mean is 0.1700 ± \
             0.03000 higher than by the draws. Both would be the same if the weights could be relied on. K-hat does not see these tails, which \
             means, intervals and the evidence lack: use an engine that samples, such as `Inference::nuts()` or `Inference::psmc()`.",
        );
    }

    /// Would detect a second warning of one cause, and a promise about draws that lack tails.
    #[test]
    fn a_high_k_hat_is_told_alone() {
        let told = |rise: f64| {
            let mut run = approximation(4000, 0.7);
            let (scale, se) = (1.5, 0.01);
            of_draws(&mut run.groups[0]).widened = Some(Widened { scale, rise, se });
            let [warning] = &run.warnings()[..] else {
                panic!("{:?}", run.warnings());
            };
            let Warning::ApproximationPoor(poor) = warning else {
                panic!("{warning}");
            };
            poor.found.divergence
        };
        assert!(told(0.0).is_finite() && told(0.2).is_nan());
    }

    #[test]
    fn small_and_uncertain_rises_are_not_told() {
        for (rise, se) in [(0.015, 0.001), (0.09, 0.035), (-0.5, 0.01)] {
            let run = with(rise, se);
            assert!(run.warnings().is_empty(), "{:?}", run.warnings());
        }
    }
}
