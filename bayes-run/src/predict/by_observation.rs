//! Log likelihoods and new data observation by observation, at the draws of a run, in bounded memory.
//!
//! Importance sampling needs one observation at all draws, but a model gives all observations at one draw. All pairs may need more memory
//! than there is, so the model is evaluated at all draws once for each block of observations.

use super::{Prediction, PredictionError};
use crate::error::Error;
use crate::model::{Observations, Wanted};
use crate::parallel;
use std::ops::Range;

/// Bytes of the numbers that are in memory at once, unless the limit of the run leaves fewer.
pub(super) const ROOM: usize = 1 << 30;

/// The most draws that are evaluated in parallel and then visited in order, and the bytes of all their numbers. Both bound the memory of a
/// visit.
const BLOCK: usize = 256;
const BLOCK_BYTES: usize = 1 << 26;

/// Number of observations whose numbers a thread copies at a time: the numbers of neighbours lie together.
const ROWS: usize = 64;

/// The draws that are used, out of all draws of a run.
#[derive(Clone, Debug)]
pub(crate) struct UsedDraws {
    /// The indices of the draws in the order of the run.
    places: Vec<usize>,
    /// The weights of the draws, which sum to 1.
    pub(crate) weights: Vec<f64>,
}

impl UsedDraws {
    /// All draws, with these weights.
    #[cfg(test)]
    pub(crate) fn all(weights: &[f64]) -> Self {
        Self {
            places: (0..weights.len()).collect(),
            weights: weights.to_vec(),
        }
    }
}

/// The numbers of one observation at every used draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AtDraws<'a> {
    /// The index of the observation among all observations.
    pub(crate) observation: usize,
    /// `[draws]`.
    pub(crate) log_likelihood: &'a [f64],
    /// New data, `[draws]`; empty unless requested.
    pub(crate) new: &'a [f64],
}

/// Some observations at all draws, `[observations, draws]`.
struct Block {
    observations: Range<usize>,
    log_likelihood: Vec<f64>,
    new: Vec<f64>,
}

impl Prediction<'_> {
    /// Every `step`th draw of each island or chain.
    pub(crate) fn every(&self, step: usize) -> UsedDraws {
        let mut places = Vec::new();
        let mut first = 0;
        for size in self.source.groups() {
            places.extend((first..first + size).step_by(step.max(1)));
            first += size;
        }
        let all = self.source.weights();
        let mut weights: Vec<f64> = places.iter().map(|place| all[*place]).collect();
        if places.len() < all.len() {
            let total: f64 = weights.iter().sum();
            weights.iter_mut().for_each(|weight| *weight /= total);
        }
        UsedDraws { places, weights }
    }

    /// Number of observations.
    pub(crate) fn observations(&self) -> usize {
        self.observed.iter().map(|o| o.observations).sum()
    }

    /// The names of all observations.
    pub(crate) fn observation_names(&self) -> Vec<String> {
        let observed = self.observed.iter();
        observed.flat_map(|o| o.observation_names()).collect()
    }

    /// Applies `of` to each observation in `wanted`, in order. With `new`, the observations of this range have one datum each, for which
    /// new data are drawn.
    ///
    /// # Errors
    /// The errors of [`Prediction::log_likelihood`]; [`Error::Memory`] or [`Error::Prediction`] if the limit of the run, or the machine, has
    /// no memory for a single observation.
    pub(crate) fn map_observations<T: Send>(
        &self,
        used: &UsedDraws,
        wanted: Range<usize>,
        new: bool,
        of: impl Fn(AtDraws<'_>) -> T + Sync,
    ) -> Result<Vec<T>, Error> {
        self.require_likelihood()?;
        let mut found = Vec::with_capacity(wanted.len());
        let mut next = wanted.start;
        while next < wanted.end {
            let mut block = self.block(next..wanted.end, used, new)?;
            self.fill(&mut block, used);
            next = block.observations.end;
            found.extend(parallel::map(block.rows(used.places.len()), &of));
        }
        Ok(found)
    }

    /// Log posterior predictive density of each observation, as in [`Pointwise::log_predictive_densities`](super::Pointwise).
    ///
    /// # Errors
    /// The errors of [`Prediction::map_observations`].
    pub(crate) fn log_predictive_densities(&self) -> Result<Vec<f64>, Error> {
        let used = self.every(1);
        let log_weights: Vec<f64> = used.weights.iter().map(|weight| weight.ln()).collect();
        self.map_observations(&used, 0..self.observations(), false, |at| {
            super::pointwise::log_predictive_density(at.log_likelihood, &log_weights)
        })
    }

    /// Memory for `observations` numbers at every draw.
    pub(super) fn numbers(&self, draws: usize, observations: usize) -> Result<Vec<f64>, Error> {
        let mut values = Vec::new();
        let bytes = (draws as u64).saturating_mul(observations as u64 * size_of::<f64>() as u64);
        let what = format!("{observations} numbers at each of {draws} draws");
        self.require_memory(bytes, &what)?;
        let is_free = super::available::memory().is_none_or(|free| bytes <= free);
        match values.try_reserve_exact(draws.saturating_mul(observations)) {
            Ok(()) if is_free => Ok(values),
            _ => Err(self.error(PredictionError::Memory {
                observations,
                draws,
                bytes,
            })),
        }
    }

    /// Number of draws that are evaluated in parallel.
    pub(super) fn together(&self) -> usize {
        let numbers: usize = self.observed.iter().map(|o| o.data.len()).sum();
        let number = size_of::<f64>() * numbers.max(1);
        match self.most_together() {
            Some(bytes) => (bytes.min(BLOCK_BYTES) / number).clamp(1, BLOCK),
            None => (BLOCK_BYTES / number).clamp(rayon::current_num_threads().min(BLOCK), BLOCK),
        }
    }

    /// Visits at most about `count` draws, evenly spread, with the requested numbers of their observations.
    pub(crate) fn visit_some(
        &self,
        count: usize,
        wanted: Wanted,
        mut visit: impl FnMut(&[Observations]),
    ) {
        let tasks = self.tasks();
        let step = tasks.len().div_ceil(count.max(1)).max(1);
        for (key, start) in tasks.into_iter().step_by(step) {
            visit(&self.at(start, wanted, &mut key.stream()));
        }
    }

    /// The requested numbers at draws with these indices, in this order.
    #[cfg(feature = "io")]
    pub(crate) fn at_draws(&self, places: &[usize], wanted: Wanted) -> Vec<Vec<Observations>> {
        let tasks = self.tasks();
        parallel::map(places, |place| {
            let (key, start) = tasks[*place];
            self.at(start, wanted, &mut key.stream())
        })
    }

    /// Memory for as many of these observations as fit.
    fn block(&self, left: Range<usize>, used: &UsedDraws, new: bool) -> Result<Block, Error> {
        let draws = used.places.len();
        let each = (draws * size_of::<f64>() * (1 + usize::from(new))).max(1);
        let what = "the log likelihoods of an observation";
        let room = self.room_for(used.weights.len(), self.observations(), each as u64, what)?;
        let mut count = left.len().min((room / each).max(1));
        loop {
            let (mut log_likelihood, mut both) = (Vec::new(), Vec::new());
            let numbers = count * draws;
            let has_room = log_likelihood.try_reserve_exact(numbers).is_ok()
                && (!new || both.try_reserve_exact(numbers).is_ok());
            if has_room {
                log_likelihood.resize(numbers, 0.0);
                both.resize(if new { numbers } else { 0 }, 0.0);
                return Ok(Block {
                    observations: left.start..left.start + count,
                    log_likelihood,
                    new: both,
                });
            }
            if count == 1 {
                let (observations, bytes) = (1, each as u64);
                return Err(self.error(PredictionError::Memory {
                    observations,
                    draws,
                    bytes,
                }));
            }
            count /= 2;
        }
    }

    /// Evaluates the model at the draws.
    fn fill(&self, block: &mut Block, used: &UsedDraws) {
        let wanted = Wanted {
            log_likelihood: true,
            draws: !block.new.is_empty(),
            ..Wanted::default()
        };
        let (tasks, draws) = (self.tasks(), used.places.len());
        for (index, places) in used.places.chunks(self.together()).enumerate() {
            let one = |place: &usize| {
                let (key, start) = tasks[*place];
                self.at(start, wanted, &mut key.stream())
            };
            let found: Vec<Vec<Observations>> = parallel::map(places, one);
            let first = index * self.together();
            block.take(&found, first, draws);
        }
    }
}

impl Block {
    /// Copies the results of some draws, out of `draws`, starting at draw `first`.
    fn take(&mut self, found: &[Vec<Observations>], first: usize, draws: usize) {
        let Some(variables) = found.first() else {
            return;
        };
        // the variables lie one after another: the variable of each observation, and its number there
        let counts = variables
            .iter()
            .map(|variable| variable.log_likelihood.len());
        let places = counts
            .enumerate()
            .flat_map(|(variable, count)| (0..count).map(move |k| (variable, k)));
        let places = places.skip(self.observations.start);
        let places: Vec<(usize, usize)> = places.take(self.observations.len()).collect();
        let copy = |to: &mut [f64], of: fn(&Observations) -> &[f64]| {
            let pieces = to.chunks_mut((ROWS * draws).max(1));
            parallel::each(pieces.zip(places.chunks(ROWS)), |(rows, places)| {
                for (row, (variable, k)) in rows.chunks_mut(draws).zip(places) {
                    let row = row[first..first + found.len()].iter_mut();
                    row.zip(found)
                        .for_each(|(to, at)| *to = of(&at[*variable])[*k]);
                }
            });
        };
        copy(&mut self.log_likelihood, |found| &found.log_likelihood);
        copy(&mut self.new, |found| &found.draws);
    }

    fn rows(&self, draws: usize) -> impl Iterator<Item = AtDraws<'_>> {
        let row = move |i: usize| AtDraws {
            observation: self.observations.start + i,
            log_likelihood: &self.log_likelihood[i * draws..(i + 1) * draws],
            new: self.new.get(i * draws..(i + 1) * draws).unwrap_or_default(),
        };
        (0..self.observations.len()).map(row)
    }
}
