//! Interacting islands (Vergé, Dubarry, Del Moral & Moulines 2015): islands advance together and are resampled.

use super::doomed;
use super::island::Island;
use super::resample::Resampling;
use super::sampler::{Sampler, Step};
use crate::error::Error;
use crate::numeric::log_mean_exp;
use crate::observe::Observer;
use crate::parallel;
use crate::rng::{Key, Purpose};
use crate::run::{Group, Weights};

/// Islands that are resampled by their evidence when few of them carry the weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::engine) struct Interaction {
    /// The effective number of islands below which they are resampled, as a fraction of all.
    pub(in crate::engine) threshold: f64,
}

/// The number of the random stream that resamples islands; no island and no pilot has it.
const ISLANDS: u64 = u64::MAX - 1;

impl Interaction {
    /// Runs islands with these numbers to the end of the path, all at the same temperature.
    ///
    /// Islands are resampled after their reweighting and before their particles are resampled, as in the paper, so that copies diverge at
    /// once. They are not resampled at the last temperature, where it would only add noise: the weights of the islands stay.
    pub(in crate::engine) fn run(
        self,
        sampler: &Sampler<'_>,
        numbers: &[u64],
        observer: &dyn Observer,
    ) -> Result<Vec<Group>, Error> {
        let start = |number: &u64| -> Result<Island, Error> {
            let mut island = sampler.start(*number)?;
            island.ancestor_island = Some(*number);
            Ok(island)
        };
        let mut islands: Vec<Island> = parallel::try_map(numbers, start)?;
        while !islands.iter().all(Island::is_done) {
            let reweight = |island: &mut Island| sampler.reweight(island);
            let mut steps: Vec<Option<Step>> = parallel::map(&mut islands, reweight);
            if !islands.iter().all(Island::is_done) && self.is_due(&islands) {
                resample(sampler, &mut islands, &mut steps);
            }
            let pairs = islands.iter_mut().zip(steps).enumerate();
            parallel::each(pairs, |(place, (island, step))| {
                if let Some(step) = step {
                    sampler.resample_and_move(island, step);
                    if let Some(stage) = island.history.last() {
                        observer.stage(place, stage, island.history.len());
                    }
                }
            });
            // the ladder of a pilot is known to end
            if sampler.plan.is_none() {
                let check = |island: &Island| doomed::check(sampler.density, island);
                islands.iter().try_for_each(check)?;
            }
        }
        let finish = |(place, island): (usize, Island)| {
            let show = |done, of| observer.outputs(place, done, of);
            let group = sampler.finish_shown(island, &show);
            observer.finish(place);
            group
        };
        Ok(parallel::map(islands.into_iter().enumerate(), finish))
    }

    /// Whether the effective number of islands is below the threshold.
    fn is_due(self, islands: &[Island]) -> bool {
        weights(islands).effective() < self.threshold * islands.len() as f64
    }

    /// # Errors
    /// [`Error::Setting`] for a threshold that is not a fraction.
    pub(in crate::engine) fn validate(self) -> Result<(), Error> {
        let holds = self.threshold > 0.0 && self.threshold <= 1.0;
        Error::setting(
            "interacting",
            self.threshold,
            holds,
            "above 0 and at most 1",
        )
    }
}

fn log_evidence(islands: &[Island]) -> Vec<f64> {
    islands.iter().map(|island| island.log_evidence).collect()
}

fn weights(islands: &[Island]) -> Weights {
    Weights::from_logs(&log_evidence(islands))
}

/// Replaces islands by copies of islands with more evidence; each then has their mean evidence.
///
/// A selected island keeps its place; its further copies take the places of islands that were not selected.
fn resample(sampler: &Sampler<'_>, islands: &mut [Island], steps: &mut [Option<Step>]) {
    let mean = log_mean_exp(&log_evidence(islands));
    let stage = islands.iter().map(|island| island.history.len()).max();
    let key = Key::new(sampler.seed, Purpose::Resample).group(ISLANDS);
    let mut stream = key.stage(stage.unwrap_or(0) as u32).stream();
    let shares = weights(islands);
    let chosen = Resampling::Systematic.ancestors(shares.as_slice(), islands.len(), &mut stream);
    let mut copies = vec![0_usize; islands.len()];
    chosen.iter().for_each(|i| copies[*i as usize] += 1);
    let mut free: Vec<usize> = (0..islands.len()).filter(|i| copies[*i] == 0).collect();
    for (from, count) in copies.iter().enumerate() {
        for _ in 1..*count {
            let to = free.pop().expect("there are as many copies as islands");
            islands[to] = islands[from].copy_as(&islands[to]);
            steps[to] = steps[from];
        }
    }
    for (island, step) in islands.iter_mut().zip(steps.iter_mut().flatten()) {
        step.log_increment += mean - island.log_evidence;
        island.log_evidence = mean;
    }
}
