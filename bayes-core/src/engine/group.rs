//! A group of chains that are tuned together, from their starting points to their draws.

use super::burn_in::BurnIn;
use super::chains::Settings;
use super::mover;
use crate::density::{Counts, Density, Particles};
use crate::error::Error;
use crate::kernel::{ChainBlock, Kernel, Target, Tuning, Visit, Workspace};
use crate::report::Bar;
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Group, Stage, Trajectories};
use std::ops::Range;

/// Chains that are tuned together. Fixed: what is computed must not depend on the number of threads.
pub(super) const GROUP: usize = 16;
/// The most times that so many draws are tried, where none has a finite density.
const TRIES: usize = 10;
/// Draws of which the likeliest is a chain's start. A single draw of a prior with heavy tails may lie
/// where the density is finite and its slopes are so large that no trajectory is ever accepted.
const CANDIDATES: usize = 10;

/// The states of a group of chains and what moves them.
pub(super) struct ChainGroup {
    pub(super) particles: Particles,
    streams: Vec<Stream>,
    workspace: Workspace,
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
        kernel.transitions(tuning, target, chains, count, visit);
    }
}

/// What all groups of a run have in common.
pub(super) struct Task<'a> {
    pub(super) settings: &'a Settings,
    pub(super) seed: u64,
    pub(super) density: &'a dyn Density,
    pub(super) kernel: &'a dyn Kernel,
}

impl Task<'_> {
    fn key(&self, chain: usize, stage: u32, purpose: Purpose) -> Key {
        Key {
            seed: self.seed,
            group: 0,
            item: chain as u64,
            stage,
            purpose,
        }
    }

    fn target(&self) -> Target<'_> {
        Target {
            density: self.density,
            lambda: 1.0,
        }
    }

    /// Runs the chains with these indices.
    pub(super) fn run(&self, chains: Range<usize>, bar: &Bar) -> Result<Vec<Group>, Error> {
        let (density, kernel) = (self.density, self.kernel);
        let mut group = self.start(&chains)?;
        if kernel.needs_gradient() {
            let counts = &mut group.workspace.counts;
            density.evaluate_gradient(1.0, &mut group.particles.block(), counts);
        }
        let mut tuning = kernel.init(density);
        // The group's own streams: `item` will name the pilot.
        let key = Key {
            group: (chains.start / GROUP) as u64,
            ..self.key(0, 0, Purpose::Tune)
        };
        let mut burn_in = BurnIn::new(kernel, self.target(), self.settings.burn_in, key);
        burn_in.run(&mut group, &mut tuning, bar);
        group.workspace.counts.merge(&burn_in.counts);
        let records = self.sample(&mut group, &tuning, bar);
        bar.finish();
        let mut counts = Some(std::mem::take(&mut group.workspace.counts));
        let finish = |(chain, record): (usize, Record)| {
            // without a transition after the burn-in, its acceptance is the best that is known
            let acceptance = record
                .acceptance()
                .unwrap_or_else(|| burn_in.acceptance.get(chain).copied().unwrap_or(f64::NAN));
            // The group's work is booked once, on its first chain: a sum over chains is then the total.
            let counts = counts.take().unwrap_or_default();
            record.into_group(self.stage(&tuning, acceptance), counts)
        };
        Ok(records.into_iter().enumerate().map(finish).collect())
    }

    fn stage(&self, tuning: &Tuning, acceptance: f64) -> Stage {
        Stage {
            lambda: 1.0,
            ess: f64::NAN,
            log_increment: 0.0,
            acceptance,
            step_size: tuning.step_size,
            mutations: self.settings.thin,
            unique_ancestors: 1,
        }
    }

    /// Keeps draws, the tuning frozen.
    fn sample(&self, group: &mut ChainGroup, tuning: &Tuning, bar: &Bar) -> Vec<Record> {
        let (draws, thin) = (self.settings.draws, self.settings.thin);
        let density = self.density;
        let mut records = vec![Record::default(); group.len()];
        let mut count = draws * thin;
        // With burn-in the first draw is its last state: MCMC∥ with one draw makes B steps, not B + T.
        if self.settings.burn_in > 0 {
            count -= thin;
            for (chain, record) in records.iter_mut().enumerate() {
                let position = group.particles.position(chain);
                record.draws.extend(density.output(position));
            }
        }
        let mut visit = |visit: Visit<'_>| {
            let record = &mut records[visit.chain];
            record.learn(&visit, self.kernel, density);
            if record.transitions.is_multiple_of(thin) {
                record.draws.extend(density.output(visit.position));
                if visit.chain == 0 {
                    bar.draw(draws - (count - record.transitions) / thin, draws);
                }
            }
            tuning.step_size
        };
        group.transitions(self.kernel, tuning, self.target(), count, &mut visit);
        records
    }

    /// Of ten draws from the prior, or the next ten, the one of largest likelihood among those of finite density.
    fn likeliest(&self, chain: usize, counts: &mut Counts) -> Result<Particles, Error> {
        let density = self.density;
        let dim = density.layout().dim;
        let mut candidates = Particles::new(CANDIDATES, dim);
        for attempt in 0..TRIES {
            for (k, position) in candidates.positions.chunks_exact_mut(dim).enumerate() {
                let stage = (attempt * CANDIDATES + k) as u32;
                let key = self.key(chain, stage, Purpose::Initial);
                density.draw_prior(&mut key.stream(), position);
            }
            counts.merge(&mover::evaluate(&mut candidates, density));
            let block = candidates.block();
            let best = (0..CANDIDATES as u32)
                .filter(|i| block.log_density(*i as usize, 1.0).is_finite())
                .max_by(|i, j| {
                    let likelihood = |i: &u32| block.log_likelihood[*i as usize];
                    likelihood(i).total_cmp(&likelihood(j))
                });
            if let Some(best) = best {
                return Ok(candidates.select(&[best]));
            }
        }
        Err(density.start_error(candidates.position(CANDIDATES - 1), TRIES * CANDIDATES))
    }

    /// A starting point for each chain: of ten draws from the prior, the one of largest likelihood among those of
    /// finite density.
    fn start(&self, chains: &Range<usize>) -> Result<ChainGroup, Error> {
        let dim = self.density.layout().dim;
        let mut particles = Particles::new(chains.len(), dim);
        let mut workspace = Workspace::new(chains.len(), dim);
        for (i, chain) in chains.clone().enumerate() {
            let mut start = self.likeliest(chain, &mut workspace.counts)?;
            particles.block().take(i, &start.block());
        }
        let stream = |chain| self.key(chain, 0, Purpose::Move).stream();
        Ok(ChainGroup {
            particles,
            streams: chains.clone().map(stream).collect(),
            workspace,
        })
    }
}

/// What is kept of a chain.
#[derive(Clone, Debug, Default)]
struct Record {
    draws: Vec<f64>,
    transitions: usize,
    acceptance_sum: f64,
    trajectories: Trajectories,
    energy: EnergyRecord,
}

impl Record {
    fn learn(&mut self, visit: &Visit<'_>, kernel: &dyn Kernel, density: &dyn Density) {
        self.transitions += 1;
        self.acceptance_sum += visit.acceptance;
        let trajectory = visit.trajectory;
        let total = &mut self.trajectories;
        total.transitions += 1;
        total.leapfrogs += trajectory.leapfrogs;
        total.doublings += u64::from(trajectory.depth);
        let saturated = kernel
            .max_depth()
            .is_some_and(|most| trajectory.depth >= most);
        total.saturated += u64::from(saturated);
        if trajectory.divergent {
            total.divergent += 1;
            if total.divergent <= Trajectories::KEPT as u64 {
                total.divergent_starts.extend(density.output(visit.start));
            }
        }
        self.energy.learn(trajectory.energy);
    }

    /// Mean acceptance probability; `None` before the first transition.
    fn acceptance(&self) -> Option<f64> {
        let transitions = self.transitions as f64;
        (self.transitions > 0).then(|| self.acceptance_sum / transitions)
    }

    fn into_group(mut self, stage: Stage, counts: Counts) -> Group {
        self.trajectories.e_bfmi = self.energy.e_bfmi();
        Group {
            log_evidence: None,
            draws: self.draws,
            ancestors: Vec::new(),
            history: vec![stage],
            counts,
            trajectories: (self.trajectories.leapfrogs > 0).then_some(self.trajectories),
        }
    }
}

/// Sums over the energies of a chain's trajectories.
///
/// ```text
/// E-BFMI = Σ (E_n - E_{n-1})² / Σ (E_n - Ē)²        Betancourt (2016), equation 7
/// ```
#[derive(Clone, Debug, Default)]
struct EnergyRecord {
    count: f64,
    last: f64,
    mean: f64,
    squares: f64,
    jumps: f64,
}

impl EnergyRecord {
    fn learn(&mut self, energy: f64) {
        if self.count > 0.0 {
            self.jumps += (energy - self.last).powi(2);
        }
        self.last = energy;
        self.count += 1.0;
        let distance = energy - self.mean;
        self.mean += distance / self.count;
        self.squares += distance * (energy - self.mean);
    }

    /// NaN where the energy never changed.
    fn e_bfmi(&self) -> f64 {
        self.jumps / self.squares
    }
}
