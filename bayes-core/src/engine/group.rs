//! A group of chains that are tuned together, from their starting points to their draws.

use super::burn_in::BurnIn;
use super::chains::Settings;
use super::record::{Record, Step};
use super::start::likeliest;
use crate::density::{LogDensity, Particles, Target};
use crate::error::Error;
use crate::kernel::{ChainBlock, Kernel, Tuning, Visit, Workspace};
use crate::observe::Observer;
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Group, Stage};
use std::ops::Range;

/// Number of chains that are tuned together. Fixed, so that results do not depend on the number of threads.
pub(super) const GROUP: usize = 16;
/// The states of a group of chains, and the tuning and memory to move them.
pub(super) struct ChainGroup {
    pub(super) particles: Particles,
    streams: Vec<Stream>,
    workspace: Workspace,
    /// The last transition of each chain; `None` before the first.
    last: Vec<Option<Step>>,
}

impl ChainGroup {
    /// Number of chains.
    pub(super) fn len(&self) -> usize {
        self.particles.len()
    }

    /// Number of coordinates.
    pub(super) fn dim(&self) -> usize {
        self.particles.dim
    }

    /// The position of a chain after its last transition.
    fn state(&self, chain: usize) -> Visit<'_> {
        let position = self.particles.position(chain);
        let step = self.last[chain].unwrap_or_default();
        Visit {
            chain,
            position,
            start: position,
            log_prior: self.particles.log_prior[chain],
            log_likelihood: self.particles.log_likelihood[chain],
            acceptance: step.acceptance,
            trajectory: step.trajectory,
        }
    }

    /// Every chain makes `count` transitions; see [`Kernel::transitions`].
    pub(super) fn transitions(
        &mut self,
        kernel: &dyn Kernel,
        tuning: &Tuning,
        target: Target<'_>,
        count: usize,
        visit: &mut dyn FnMut(Visit<'_>) -> f64,
    ) {
        let chains = ChainBlock {
            block: &mut self.particles.block(),
            streams: &mut self.streams,
            workspace: &mut self.workspace,
        };
        let last = &mut self.last;
        let mut remember = |seen: Visit<'_>| {
            last[seen.chain] = Some(Step::of(&seen));
            visit(seen)
        };
        kernel.transitions(tuning, target, chains, count, &mut remember);
    }
}

/// The common data of all groups of a run.
pub(super) struct Task<'a> {
    pub(super) settings: &'a Settings,
    pub(super) seed: u64,
    pub(super) density: &'a dyn LogDensity,
    pub(super) kernel: &'a dyn Kernel,
    /// The first group of this process.
    pub(super) first: usize,
    pub(super) observer: &'a dyn Observer,
}

impl Task<'_> {
    fn key(&self, chain: usize, stage: u32, purpose: Purpose) -> Key {
        Key::new(self.seed, purpose).item(chain as u64).stage(stage)
    }

    fn target(&self) -> Target<'_> {
        Target::posterior(self.density)
    }

    /// Runs the chains with these indices.
    pub(super) fn run(&self, chains: Range<usize>) -> Result<Vec<Group>, Error> {
        let kernel = self.kernel;
        let mut group = self.start(&chains)?;
        if kernel.needs_gradient() {
            let (particles, counts) = (&mut group.particles, &mut group.workspace.counts);
            self.target()
                .evaluate_gradient(&mut particles.block(), counts);
        }
        let mut tuning = kernel.init(self.density)?;
        let number = chains.start / GROUP;
        let place = number - self.first;
        let show = |done, total| self.observer.draw(place, done, total);
        // The group's own streams: `item` will name the pilot.
        let key = self.key(0, 0, Purpose::Tune).group(number as u64);
        let mut burn_in = BurnIn::new(kernel, self.target(), self.settings.burn_in, key);
        burn_in.run(&mut group, &mut tuning, &show);
        group.workspace.counts.merge(&burn_in.counts);
        let records = self.sample(&mut group, &tuning, &show);
        self.observer.finish(place);
        let mut counts = Some(std::mem::take(&mut group.workspace.counts));
        let finish = |(chain, record): (usize, Record)| {
            // without a transition after the burn-in, use the acceptance of the burn-in
            let acceptance = record
                .acceptance()
                .unwrap_or_else(|| burn_in.acceptance.get(chain).copied().unwrap_or(f64::NAN));
            // The work of a group is counted once, on its first chain, so that the sum over chains is the total.
            let counts = counts.take().unwrap_or_default();
            let index = (chains.start + chain) as u64;
            record.into_group(index, vec![self.stage(&tuning, acceptance)], counts)
        };
        Ok(records.into_iter().enumerate().map(finish).collect())
    }

    fn stage(&self, tuning: &Tuning, acceptance: f64) -> Stage {
        Stage {
            lambda: 1.0,
            particles: 1,
            ess: f64::NAN,
            log_increment: 0.0,
            acceptance,
            step_size: tuning.step_size,
            mutations: self.settings.thin,
            relaxation_time: f64::NAN,
            unique_parents: 1,
        }
    }

    /// Makes the draws, with frozen tuning.
    fn sample(
        &self,
        group: &mut ChainGroup,
        tuning: &Tuning,
        show: &dyn Fn(usize, usize),
    ) -> Vec<Record> {
        let (draws, thin) = (self.settings.draws, self.settings.thin);
        let quantities = self.density.quantities();
        let elements = self.density.describe().layout.elements();
        let record = || Record::new(draws, elements, group.dim());
        let mut records: Vec<Record> = std::iter::repeat_with(record).take(group.len()).collect();
        let mut count = draws * thin;
        // With burn-in the first draw is its last state: MCMC∥ with one draw makes B steps, not B + T.
        if self.settings.burn_in > 0 {
            count -= thin;
            for (chain, record) in records.iter_mut().enumerate() {
                record.keep(&group.state(chain), quantities);
            }
        }
        let mut visit = |visit: Visit<'_>| {
            let record = &mut records[visit.chain];
            record.learn(&visit, self.kernel, quantities);
            if record.transitions().is_multiple_of(thin) {
                record.keep(&visit, quantities);
                if visit.chain == 0 {
                    show(draws - (count - record.transitions()) / thin, draws);
                }
            }
            tuning.step_size
        };
        group.transitions(self.kernel, tuning, self.target(), count, &mut visit);
        records
    }

    /// A starting point for each chain: the draw of highest likelihood among ten prior draws with
    /// finite density.
    fn start(&self, chains: &Range<usize>) -> Result<ChainGroup, Error> {
        let dim = self.density.dim();
        let mut particles = Particles::new(chains.len(), dim);
        let mut workspace = Workspace::new(chains.len(), dim);
        for (i, chain) in chains.clone().enumerate() {
            let key = self.key(chain, 0, Purpose::Initial);
            let mut start = likeliest(self.density, key, &mut workspace.counts)?;
            particles.block().take(i, &start.block());
        }
        let stream = |chain| self.key(chain, 0, Purpose::Move).stream();
        Ok(ChainGroup {
            particles,
            streams: chains.clone().map(stream).collect(),
            workspace,
            last: vec![None; chains.len()],
        })
    }
}
