//! Estimates from interacting islands, some of which descend from the same initial island.

use super::estimate::Estimate;
use super::genealogy::Families;
use super::islands::{ratio_estimate, with_families};
use crate::run::{Run, Weights};
use std::collections::BTreeMap;

/// Islands by the initial island from which they descend. A lineage is all islands that descend from one initial island.
///
/// Islands are to the island particle model what particles are to SMC (Vergé et al. 2015). So the error of one run comes from the
/// ancestry of its islands, as the error of one island comes from the ancestry of its particles (Chan & Lai 2013; Lee & Whiteley
/// 2018): different lineages are independent except for the normalisation of the weights. A lineage counts as one island that holds
/// the draws of all its islands.
pub(crate) struct Lineages {
    /// For each lineage, the places of its islands in the run.
    islands: Vec<Vec<usize>>,
    /// The weights of the lineages.
    weights: Weights,
    /// The weights of the draws within each lineage.
    within: Vec<Weights>,
    /// The particles of each lineage by the initial particle from which they descend.
    families: Vec<Families>,
}

impl Lineages {
    /// The lineages of a run; `None` if its islands are independent.
    pub(crate) fn of(run: &Run) -> Option<Self> {
        let islands = islands_by_ancestor(run)?;
        let mut rest = run.draw_weights().into_iter();
        let elements = run.layout.elements();
        let groups = run.groups.iter();
        let draws: Vec<Vec<f64>> = groups
            .map(|group| rest.by_ref().take(group.len(elements)).collect())
            .collect();
        let total = |lineage: &Vec<usize>| -> f64 {
            lineage.iter().flat_map(|i| &draws[*i]).sum::<f64>().ln()
        };
        let weights = Weights::from_logs(&islands.iter().map(total).collect::<Vec<_>>());
        let (mut within, mut families) = (Vec::new(), Vec::new());
        for lineage in &islands {
            let logs: Vec<f64> = lineage
                .iter()
                .flat_map(|i| draws[*i].iter().map(|weight| weight.ln()))
                .collect();
            let own = Weights::from_logs(&logs);
            let islands = lineage.iter().filter_map(|i| run.groups[*i].island());
            let ancestors = islands.flat_map(|island| &island.ancestors);
            families.push(Families::new(
                ancestors.copied(),
                Some(own.clone()),
                run.particles_per_group(),
            ));
            within.push(own);
        }
        Some(Self {
            islands,
            weights,
            within,
            families,
        })
    }

    /// The number of lineages.
    pub(crate) fn len(&self) -> usize {
        self.islands.len()
    }

    /// The mean of a column, one value for each draw, island by island, with its standard error.
    pub(crate) fn mean(&self, column: &[Vec<f64>]) -> Estimate {
        let values = |lineage: &Vec<usize>| -> Vec<f64> {
            lineage.iter().flat_map(|i| &column[*i]).copied().collect()
        };
        let columns: Vec<Vec<f64>> = self.islands.iter().map(values).collect();
        let pairs = self.families.iter().zip(&columns);
        let families: Vec<Estimate> = pairs.map(|(own, values)| own.estimate(values)).collect();
        if let [single] = families.as_slice() {
            return *single;
        }
        let pairs = self.within.iter().zip(&columns);
        let means: Vec<f64> = pairs.map(|(own, values)| own.mean(values)).collect();
        let between = ratio_estimate(&self.weights, &means);
        let families: Vec<Option<Estimate>> = families.into_iter().map(Some).collect();
        with_families(between, &self.weights, &families)
    }

    /// The standard error of a run's log evidence, from the log evidences of its islands, and its degrees of freedom.
    ///
    /// ```text
    /// relative variance of Z = (Σ_k s_k² − 1/P) / (1 − Σ_k s_k²),    s_k the share of lineage k in the sum of the islands' evidence
    /// ```
    ///
    /// The same formula as for the particles of one island; NaN if all islands are of one lineage.
    pub(crate) fn log_evidence_error(&self, log_evidence: &[f64]) -> (f64, f64) {
        let shares = Weights::from_logs(log_evidence);
        let of =
            |lineage: &Vec<usize>| -> f64 { lineage.iter().map(|i| shares.as_slice()[*i]).sum() };
        let share: f64 = self.islands.iter().map(|lineage| of(lineage).powi(2)).sum();
        let degrees = (1.0 / share - 1.0).max(1.0);
        if self.len() < 2 {
            return (f64::NAN, degrees);
        }
        let excess = (share - 1.0 / log_evidence.len() as f64).max(0.0);
        ((excess / (1.0 - share)).ln_1p().sqrt(), degrees)
    }
}

/// The places of islands that descend from the same initial island; `None` if no two do.
pub(super) fn islands_by_ancestor(run: &Run) -> Option<Vec<Vec<usize>>> {
    let mut lineages: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
    for (place, group) in run.groups.iter().enumerate() {
        lineages
            .entry(group.island()?.ancestor_island?)
            .or_default()
            .push(place);
    }
    let shared = lineages.len() < run.groups.len();
    shared.then(|| lineages.into_values().collect())
}
