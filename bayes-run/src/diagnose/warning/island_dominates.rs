//! Islands: most of the weight is on very few islands.

use super::advice::weights_spread;
use super::{Advice, Message};
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Run, Weighting};
use crate::text::percent;
use serde::{Deserialize, Serialize};

/// Most of the weight is on very few islands.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IslandDominates {
    /// The heaviest island.
    pub island: usize,
    /// Its weight, 0 to 1.
    pub weight: f64,
    /// Effective number of islands.
    pub effective: f64,
    /// Number of islands.
    pub islands: usize,
    /// The number of particles with which the islands would agree better.
    pub advice: Option<Advice>,
}

/// P_eff below two, or below a tenth of the islands. Two or three healthy islands can have a P_eff below or
/// close to two, so for them the bound is 0.6 P.
pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<IslandDominates> {
    let islands = run.groups.len();
    let weights = run.weights();
    let effective = weights.effective();
    let bound = (0.6 * islands as f64).min(2.0).max(0.1 * islands as f64);
    if run.weighting != Weighting::Evidence || islands < 2 || effective >= bound {
        return None;
    }
    let (island, weight) = weights.heaviest()?;
    Some(IslandDominates {
        island,
        weight,
        effective,
        islands,
        advice: advice(run),
    })
}

/// The standard deviation of the islands' log evidences at which about three in four of them count.
const AGREEMENT: f64 = 0.5;

fn advice(run: &Run) -> Option<Advice> {
    Advice::particles(run, weights_spread(run), AGREEMENT)
}

impl Message for IslandDominates {
    fn problem(&self) -> String {
        let Self {
            island,
            islands,
            effective,
            ..
        } = self;
        let weight = percent(self.weight);
        format!(
            "island {island} carries {weight} of the weight: the effective number of islands is {effective:.1} of {islands}"
        )
    }

    fn remedy(&self) -> &'static str {
        "The estimates and their standard errors rest on few islands. Use more particles per island or more \
         mutation steps, so that the islands agree on the evidence."
    }

    fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::Told;
    use crate::run::example::islands;

    #[test]
    fn one_island_with_all_the_weight() {
        let mut log_evidence = vec![-10.0; 8];
        log_evidence[3] = -6.9;
        let run = islands(&log_evidence, 64);
        let warnings = run.warnings();
        assert_eq!(
            warnings[0].to_string(),
            "island 3 carries 76% of the weight: the effective number of islands is 1.7 of 8. The estimates \
         and their standard errors rest on few islands. Use more particles per island or more mutation \
         steps, so that the islands agree on the evidence. Try `.particles(512)`, 8 times the cost of this run (about \
         70 400 evaluations)."
        );
        let equal = run.reweighted(Weighting::Equal);
        assert!(
            equal
                .warnings()
                .iter()
                .all(|w| !matches!(w, Warning::IslandDominates { .. }))
        );
    }

    #[test]
    fn two_islands_are_not_suspect_for_being_two() {
        assert_eq!(islands(&[-3.0, -2.6], 64).warnings(), []);
        let dominated = islands(&[-3.0, 3.0], 64).warnings();
        assert!(matches!(
            dominated[0],
            Warning::IslandDominates(Told {
                found: IslandDominates {
                    island: 1,
                    islands: 2,
                    ..
                },
                ..
            })
        ));
    }
}
