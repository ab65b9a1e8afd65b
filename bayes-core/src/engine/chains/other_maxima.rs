//! A second opinion on chains: maxima of the density that no draw is near.
//!
//! R-hat compares chains. Where all of them are in one mode, it sees nothing. Climbs from draws of the prior do not depend on the chains; the
//! mass around the maximum of the draws and the share of the draws there give the mass of what the chains have seen, and so the share
//! of the posterior around another maximum ([`OtherMaxima`](crate::diagnose::warning::OtherMaxima)).

use crate::density::{Counts, LogDensity};
use crate::engine::ascent::PEAK_DRAWS;
use crate::engine::fit::beyond::is_continuous;
use crate::engine::fit::beyond::maxima::{Begin, CLIMBS, GRADIENTS, found};
use crate::run::Group;

/// The share of the chains' gradients that the search may take.
const SHARE: f64 = 0.04;
/// A short run may spend this share, up to this number of gradients.
const SHARE_OF_SHORT: f64 = 0.125;
const LEAST_BUDGET: f64 = 1000.0;
/// The gradients that a climb may take, to decide the number of climbs: they are whole blocks of the SIMD lanes, at most 8 of them.
const OF_A_CLIMB: usize = 50;
const BLOCKS: usize = 8;
/// A search needs at least this number of gradients for its climbs.
const LEAST_CLIMBS: usize = 160;
/// Maximum number of maxima that are measured.
const PLACES: usize = 3;
/// Least number of draws of all chains: with fewer, a mode may lack draws by chance.
const LEAST_DRAWS: usize = 100;

/// What a search by chains needs beside them.
pub(super) struct Search<'a> {
    pub(super) density: &'a dyn LogDensity,
    pub(super) seed: u64,
}

impl Search<'_> {
    /// Searches for maxima that no draw is near, and keeps all maxima with the first chain. There is no search that would cost more than a 25th
    /// of the run (of a short run an eighth), nor in more than 100 coordinates, nor for whole numbers.
    pub(super) fn run(&self, chains: &mut [Group], is_stopped: &dyn Fn() -> bool) {
        let draws: usize = chains.iter().map(|chain| chain.log_prior.len()).sum();
        if draws < LEAST_DRAWS || !is_continuous(self.density) {
            return;
        }
        let Some(gradients) = self.gradients(chains) else {
            return;
        };
        let begin = Begin {
            groups: chains,
            log_mass: f64::NEG_INFINITY,
            known: &[],
            seed: self.seed,
            climbs: CLIMBS * (gradients / (CLIMBS * OF_A_CLIMB)).clamp(1, BLOCKS),
            gradients,
            reserve: self.curvatures(),
            places: PLACES,
        };
        let mut counts = Counts::default();
        let climbs = found(self.density, &begin, (&mut counts, is_stopped));
        let Some(first) = chains.first_mut() else {
            return;
        };
        first.counts.gradient_evaluations += counts.gradient_evaluations;
        first.counts.density_evaluations += counts.density_evaluations;
        if let Some(chain) = first.chain_mut() {
            chain.climbs = climbs;
        }
    }

    /// The gradients for climbs and curvatures; `None` where a search would cost too much.
    fn gradients(&self, chains: &[Group]) -> Option<usize> {
        let of_chain = |chain: &Group| chain.counts.gradient_evaluations;
        let spent = chains.iter().map(of_chain).sum::<u64>() as f64;
        let budget = (SHARE * spent).max(LEAST_BUDGET.min(SHARE_OF_SHORT * spent)) as usize;
        // a density costs a third of a gradient
        let left = budget.checked_sub(PLACES * PEAK_DRAWS / 3)?;
        (left >= LEAST_CLIMBS + self.curvatures()).then_some(left.min(GRADIENTS))
    }

    /// The gradients for the curvatures of all maxima that are measured.
    fn curvatures(&self) -> usize {
        PLACES * 2 * self.density.dim()
    }
}
