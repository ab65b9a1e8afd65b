//! A group made of particles.

#[cfg(doc)]
use super::Island;
use super::{Group, Origin, Statistics};
use crate::density::{Counts, Particles, Quantities};
use crate::parallel;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Number of particles whose output is computed together: a block of the replay of a trace.
const TOGETHER: usize = 32;

impl Group {
    /// Group `index` of this origin, without draws, statistics and counts.
    #[must_use]
    pub fn new(index: u64, origin: impl Into<Origin>) -> Self {
        Self {
            index,
            draws: Vec::new(),
            positions: Vec::new(),
            log_prior: Vec::new(),
            log_likelihood: Vec::new(),
            statistics: Statistics::default(),
            counts: Counts::default(),
            origin: origin.into(),
        }
    }

    /// Keeps the first `draws` of a chain, all if it has no more. Its counts, its log evidence and the sums over its transitions still
    /// count all that it made.
    pub fn truncate(&mut self, draws: usize) {
        let made = self.log_prior.len();
        if draws >= made {
            return;
        }
        let values = |list: &[f64]| list.len() / made * draws;
        self.draws.truncate(values(&self.draws));
        self.positions.truncate(values(&self.positions));
        self.log_prior.truncate(draws);
        self.log_likelihood.truncate(draws);
        self.statistics.truncate(draws);
        self.origin.truncate(draws);
    }

    /// The group's own estimate of the log evidence: [`log_evidence`](Self::log_evidence) less the bias of choosing temperatures by the
    /// same particles ([`Island::adaptation_bias`]). The run's estimate is the mean of these, if it uses the weights alone.
    #[must_use]
    pub fn log_evidence_estimate(&self) -> Option<f64> {
        let bias = self.island().map_or(0.0, |island| island.adaptation_bias);
        Some(self.log_evidence()? - bias)
    }

    /// Group `index` of this origin, with evaluated particles as its draws.
    #[must_use]
    pub fn of_particles(
        index: u64,
        origin: impl Into<Origin>,
        particles: Particles,
        quantities: &dyn Quantities,
    ) -> Self {
        Self::of_particles_shown((index, origin.into()), particles, quantities, &|_, _| {})
    }

    /// As [`Group::of_particles`]; calls `show` with the number of particles whose output is computed, and the number of all.
    pub fn of_particles_shown(
        (index, origin): (u64, Origin),
        particles: Particles,
        quantities: &dyn Quantities,
        show: &(dyn Fn(usize, usize) + Sync),
    ) -> Self {
        let done = AtomicUsize::new(0);
        let blocks = particles.positions.chunks(TOGETHER * particles.dim);
        let draws: Vec<Vec<f64>> = parallel::map(blocks, |positions| {
            let found = quantities.outputs(positions, particles.dim);
            let count = positions.len() / particles.dim;
            let before = done.fetch_add(count, Ordering::Relaxed);
            show(before + count, particles.len());
            found
        });
        Self {
            draws: draws.concat(),
            positions: particles.positions,
            log_prior: particles.log_prior,
            log_likelihood: particles.log_likelihood,
            ..Self::new(index, origin)
        }
    }

    /// Marks in the counts of groups that were made together whether the first NaN of a statement lies among their
    /// draws.
    #[doc(hidden)]
    pub fn note_nan_among_draws(groups: &mut [Self]) {
        for g in 0..groups.len() {
            let mut counts = std::mem::take(&mut groups[g].counts);
            for count in counts.non_finite.values_mut() {
                let mut first = count.first_nan.iter().chain(&count.first_nan_in_burn_in);
                count.nan_among_draws = first.any(|first| is_among(groups, &first.position));
            }
            groups[g].counts = counts;
        }
    }
}

/// Whether a position lies within the range of the draws in every coordinate.
fn is_among(groups: &[Group], position: &[f64]) -> bool {
    let step = position.len();
    let within = |(coordinate, x): (usize, &f64)| {
        let values = || {
            let positions = groups.iter().map(|group| &group.positions);
            positions.flat_map(move |positions| positions.iter().skip(coordinate).step_by(step))
        };
        values().any(|value| value <= x) && values().any(|value| value >= x)
    };
    position.iter().enumerate().all(within)
}
