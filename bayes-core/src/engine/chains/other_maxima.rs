//! A second opinion on chains: maxima of the density that no draw is near.
//!
//! R-hat compares chains. Where all of them are in one mode, it sees nothing. Climbs from draws of the prior do not depend on the chains; the
//! mass around the maximum of the draws and the share of the draws there give the mass of what the chains have seen, and so the share
//! of the posterior around another maximum ([`OtherMaxima`](crate::diagnose::warning::OtherMaxima)).

use crate::density::{Counts, LogDensity};
use crate::engine::ascent::PEAK_DRAWS;
use crate::engine::fit::beyond::is_continuous;
use crate::engine::fit::beyond::maxima::{Begin, CLIMBS, GRADIENTS, MAX_DIM, found};
use crate::run::{Group, NotSearched};

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

/// Notes with the first chain why there was no search.
pub(super) fn refuse(chains: &mut [Group], reason: NotSearched) {
    if let Some(chain) = chains.first_mut().and_then(Group::chain_mut) {
        chain.not_searched = Some(reason);
    }
}

/// What a search by chains needs beside them.
pub(super) struct Search<'a> {
    pub(super) density: &'a dyn LogDensity,
    pub(super) seed: u64,
}

impl Search<'_> {
    /// Searches for maxima that no draw is near, and keeps all maxima with the first chain. There is no search that would cost more than a 25th
    /// of the run (of a short run an eighth), nor in more than 100 coordinates, nor for whole numbers.
    pub(super) fn run(&self, chains: &mut [Group], is_stopped: &dyn Fn() -> bool) {
        if !is_continuous(self.density) {
            return;
        }
        let draws: usize = chains.iter().map(|chain| chain.log_prior.len()).sum();
        if draws < LEAST_DRAWS {
            return refuse(chains, NotSearched::FewDraws);
        }
        if self.density.dim() > MAX_DIM {
            return refuse(chains, NotSearched::ManyCoordinates);
        }
        let Some(gradients) = self.gradients(chains) else {
            return refuse(chains, NotSearched::TooShort);
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
            chain.not_searched = climbs.is_none().then_some(NotSearched::Stopped);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::Block;
    use crate::engine::Inference;
    use crate::run::Run;

    /// A standard normal density in this number of coordinates.
    struct Normal(usize);

    impl LogDensity for Normal {
        fn dim(&self) -> usize {
            self.0
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, -0.5 * x.iter().map(|x| x * x).sum::<f64>()]);
        }
        fn evaluate_gradient(&self, [_, likelihood]: [f64; 2], block: &mut Block<'_>) {
            self.evaluate(block);
            for (slope, x) in block.gradient.iter_mut().zip(block.positions.iter()) {
                *slope = -likelihood * x;
            }
        }
    }

    fn nuts(dim: usize, draws: usize) -> Run {
        let nuts = Inference::nuts().chains(2).draws(draws).seed(1);
        let run = nuts.burn_in(100).progress(false).run_on(&Normal(dim));
        run.expect("the density is valid")
    }

    fn reason(run: &Run) -> Option<NotSearched> {
        run.groups[0].chain().and_then(|chain| chain.not_searched)
    }

    /// Would detect a run that does not say that no search was made.
    #[test]
    fn a_run_says_why_it_was_not_searched() {
        let (few, wide) = (nuts(2, 20), nuts(101, 100));
        assert_eq!(reason(&few), Some(NotSearched::FewDraws));
        assert_eq!(reason(&wide), Some(NotSearched::ManyCoordinates));
        let text = few.to_string();
        let line = "\nother maxima   not searched for: there are fewer than 100 draws\n";
        assert!(text.contains(line), "{text}");
        assert_eq!(reason(&nuts(2, 500)), Some(NotSearched::TooShort));
        let mut run = nuts(2, 4000);
        assert_eq!(reason(&run), None);
        assert!(!run.to_string().contains("other maxima  "), "{run}");
        let search = Search {
            density: &Normal(2),
            seed: 1,
        };
        search.run(&mut run.groups, &|| true);
        assert_eq!(reason(&run), Some(NotSearched::Stopped));
        refuse(&mut run.groups, NotSearched::Late);
        let text = run.to_string();
        assert!(
            text.contains("not searched for: the time of the run was over"),
            "{text}"
        );
    }
}
