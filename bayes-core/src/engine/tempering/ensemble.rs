//! Chains of parallel tempering that share a ladder and its tuning, from starting points to draws.

use super::Settings;
use super::barrier::{first_ladder, nearest, respaced};
use super::rung::{Common, Rung};
use super::stepping_stones::log_ratio;
use super::swaps::Swaps;
use crate::density::{Counts, Particles};
use crate::engine::chains::Length;
use crate::engine::chains::record::Record;
use crate::engine::chains::start::{CANDIDATES, likeliest};
use crate::engine::drawn::Drawn;
use crate::engine::save::checkpoint::{Unit, savable};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::observe::{Observer, Steps};
use crate::parallel;
use crate::rng::{Key, Purpose};
use crate::run::{Chain, Exchanges, Group, Stage};
use serde::{Deserialize, Serialize};
use std::ops::Range;

/// Number of chains that share a ladder: they fill the SIMD lanes. Fixed, so that results do not depend on the number of
/// threads.
pub(in crate::engine) const SHARING: usize = 8;

/// Temperatures of the first round, if the number adapts.
pub(in crate::engine) const FIRST: usize = 16;
/// Temperatures per unit of the communication barrier, if the number adapts. With 2, half of the swaps are rejected, which gives the most
/// round trips for the same work (Syed et al. 2022).
const DENSITY: f64 = 2.0;
/// The minimum and maximum of an adaptive number of temperatures.
const BOUNDS: (usize, usize) = (4, 500);
/// Maximum number of values in the states for the fits of kernels, over all temperatures: 256 MiB.
pub(in crate::engine) const MAX_KEPT: usize = 1 << 25;
/// Maximum number of states of a temperature for the fit of its kernel.
pub(in crate::engine) const MAX_STATES: usize = 2048;
/// Number of stages of random streams per round; each temperature has one stage in each round.
const STAGES: u32 = 1 << 16;

/// The common data of all ensembles of a run.
#[derive(Clone, Copy)]
pub(in crate::engine) struct Task<'a> {
    pub(in crate::engine) settings: &'a Settings,
    pub(in crate::engine) seed: u64,
    pub(in crate::engine) common: Common<'a>,
    /// The same for the burn-in, with a density that is cut when the time is over.
    pub(in crate::engine) until_cut: Common<'a>,
    pub(in crate::engine) observer: &'a dyn Observer,
    /// The draws of all groups; the run cuts its chains to the shortest.
    pub(in crate::engine) drawn: &'a Drawn,
}

impl Task<'_> {
    /// Runs the chains with these indices; `None` if they were stopped.
    pub(in crate::engine) fn run(
        &self,
        members: Range<usize>,
        mut unit: Unit<'_, '_, State>,
    ) -> Result<Option<Vec<Group>>, Error> {
        let mut ensemble = Ensemble {
            task: self,
            state: self.begin(&members, &unit)?,
            members,
            rounds: rounds(self.settings.length.burn_in),
        };
        let place = unit.place;
        let show = |steps| self.observer.step(place, steps);
        while !ensemble.is_done() {
            ensemble.advance(&show);
            self.drawn.have(ensemble.draws());
            if unit.has_cut() && ensemble.draws() == 0 {
                return Ok(None);
            }
            if !ensemble.is_done() && unit.boundary(&ensemble.state) {
                let draws = ensemble.draws();
                if !unit.is_late() || draws == 0 || !self.drawn.ends_with(draws) {
                    return Ok(None);
                }
                break;
            }
        }
        Ok(Some(ensemble.finish()))
    }

    /// The saved state of the chains, or their start.
    fn begin(&self, members: &Range<usize>, unit: &Unit<'_, '_, State>) -> Result<State, Error> {
        if let Some(saved) = unit.saved() {
            match saved.restored(self.common.kernel) {
                Ok(state) => return Ok(state),
                Err(error) => unit.tell(&error),
            }
        }
        self.start(members)
    }

    /// Every chain at every temperature starts from the likeliest of ten prior draws.
    fn start(&self, members: &Range<usize>) -> Result<State, Error> {
        let Common {
            density, kernel, ..
        } = self.until_cut;
        let tuning = kernel.init(density)?;
        let ladder = first_ladder(self.settings.temperatures.unwrap_or(FIRST));
        let start = |(k, lambda): (usize, &f64)| {
            let mut counts = Counts::default();
            let mut particles = Particles::new(members.len(), density.dim());
            for (i, chain) in members.clone().enumerate() {
                let key = Key::new(self.seed, Purpose::Initial).group(k as u64);
                let mut state =
                    likeliest(density, key.item(chain as u64), CANDIDATES, &mut counts)?;
                particles.block().take(i, &state.block());
            }
            Ok((Rung::new(*lambda, particles, tuning.clone()), counts))
        };
        let rungs: Vec<Result<(Rung, Counts), Error>> =
            parallel::map(ladder.iter().enumerate(), start);
        let mut state = State {
            rungs: Vec::new(),
            swaps: Swaps::new(Vec::new(), ladder.len()),
            round: 0,
            scan: 0,
            counts: Counts::default(),
            traces: Vec::new(),
        };
        // in order, so that the reported error does not depend on threads
        for rung in rungs {
            let (rung, counts) = rung?;
            state.rungs.push(rung);
            state.counts.merge(&counts);
        }
        Ok(state)
    }
}

/// Everything that determines the future of the chains, between two scans.
#[derive(Serialize, Deserialize)]
pub(in crate::engine) struct State {
    rungs: Vec<Rung>,
    swaps: Swaps,
    /// Rounds that have begun; the last round makes the draws.
    round: u32,
    /// Scans of the present round; 0 between two rounds.
    scan: usize,
    /// The evaluations at temperatures that have been removed.
    #[serde(deserialize_with = "Counts::read")]
    counts: Counts,
    /// Log likelihoods of the draws, `[chains][temperatures][draws]`.
    traces: Vec<Vec<Vec<f64>>>,
}

savable!(State);

impl State {
    /// Prepares a state that was read from a file.
    ///
    /// # Errors
    /// [`Error::Saved`] if the tunings belong to another kernel.
    fn restored(mut self, kernel: &dyn Kernel) -> Result<Self, Error> {
        let rungs = self.rungs.into_iter().map(|rung| rung.restored(kernel));
        self.rungs = rungs.collect::<Result<_, _>>()?;
        Ok(self)
    }
}

/// A round of scans between two changes of the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Round {
    scans: usize,
    /// Whether the ladder changes at the end of the round.
    respaces: bool,
}

/// The rounds of a burn-in: each twice as long as the one before (Syed et al. 2022), and a last tenth where only the step sizes adapt.
fn rounds(burn_in: usize) -> Vec<Round> {
    let last = burn_in / 10;
    let mut rounds = Vec::new();
    if last > 0 {
        rounds.push(Round {
            scans: last,
            respaces: false,
        });
    }
    let mut left = burn_in - last;
    while left > 0 {
        let scans = left.div_ceil(2);
        rounds.push(Round {
            scans,
            respaces: true,
        });
        left -= scans;
    }
    rounds.reverse();
    rounds
}

struct Ensemble<'a> {
    task: &'a Task<'a>,
    /// The indices of the chains.
    members: Range<usize>,
    /// The rounds of the burn-in.
    rounds: Vec<Round>,
    state: State,
}

impl Ensemble<'_> {
    /// The present round of the burn-in, or the next one; `None` for the draws.
    fn round(&self) -> Option<usize> {
        let begun = self.state.round as usize;
        let round = begun - usize::from(self.state.scan > 0);
        (round < self.rounds.len()).then_some(round)
    }

    /// Draws of each chain so far.
    fn draws(&self) -> usize {
        match self.round() {
            Some(_) => 0,
            None => self.state.scan,
        }
    }

    fn is_done(&self) -> bool {
        self.round().is_none() && self.state.scan == self.task.settings.length.draws
    }

    /// One scan.
    fn advance(&mut self, show: &dyn Fn(Steps)) {
        match self.round() {
            Some(round) => self.adapt(round, show),
            None => self.draw(show),
        }
    }

    /// One scan of a round of the burn-in; the ladder and the kernels adapt.
    fn adapt(&mut self, number: usize, show: &dyn Fn(Steps)) {
        let burn_in = self.task.settings.length.burn_in;
        let round = self.rounds[number];
        if self.state.scan == 0 {
            self.begin();
            self.tune();
        }
        self.explore(self.task.until_cut);
        if round.respaces && self.state.scan.is_multiple_of(self.stride(round.scans)) {
            self.state.rungs.iter_mut().for_each(Rung::keep);
        }
        self.exchange();
        let before: usize = self.rounds[..number].iter().map(|round| round.scans).sum();
        show(self.steps(before + self.state.scan));
        if self.state.scan < round.scans {
            return;
        }
        self.state.scan = 0;
        self.state.rungs.iter_mut().for_each(Rung::freeze);
        if round.respaces {
            // late changes of the number would leave copied states
            let rejection = self.state.swaps.rejection();
            self.respace(&rejection, 4 * (before + round.scans) <= burn_in);
        }
    }

    /// One scan with ladder and kernels frozen, and its draws.
    fn draw(&mut self, show: &dyn Fn(Steps)) {
        if self.state.scan == 0 {
            self.begin();
            self.record();
        }
        self.explore(self.task.common);
        let State { rungs, traces, .. } = &mut self.state;
        for (chain, traces) in traces.iter_mut().enumerate() {
            let states = traces.iter_mut().zip(&*rungs);
            states.for_each(|(trace, rung)| trace.push(rung.potential(chain)));
        }
        self.exchange();
        show(self.steps(self.task.settings.length.burn_in + self.state.scan));
    }

    /// The progress of the chains after this number of scans.
    fn steps(&self, done: usize) -> Steps {
        let Length { burn_in, draws, .. } = self.task.settings.length;
        Steps {
            done,
            of: burn_in + draws,
            is_burn_in: done <= burn_in,
            acceptance: f64::NAN,
            divergent: 0,
        }
    }

    /// Swaps states between neighbours; the end of a scan.
    fn exchange(&mut self) {
        self.state.swaps.exchange(&mut self.state.rungs);
        self.state.scan += 1;
    }

    /// Begins a round: new streams, and swap counts from 0.
    fn begin(&mut self) {
        self.state.round += 1;
        let key = |purpose, chain: usize| Key::new(self.task.seed, purpose).item(chain as u64);
        let first = self.state.round * STAGES;
        for (stage, rung) in (first..).zip(&mut self.state.rungs) {
            let stream = |chain| key(Purpose::Move, chain).stage(stage).stream();
            rung.begin(self.members.clone().map(stream).collect());
        }
        let stream = |chain| key(Purpose::Swap, chain).stage(self.state.round).stream();
        let streams = self.members.clone().map(stream).collect();
        self.state.swaps = self.state.swaps.next_round(streams, self.state.rungs.len());
    }

    /// Fits the kernel of every temperature and finds its step size.
    fn tune(&mut self) {
        let (common, first) = (self.task.until_cut, self.state.round * STAGES);
        let key = Key::new(self.task.seed, Purpose::Tune).group(self.members.start as u64);
        let rungs = self.state.rungs.iter_mut().enumerate();
        parallel::each(rungs, |(k, rung)| {
            rung.tune(common, key.stage(first + k as u32));
        });
    }

    fn explore(&mut self, common: Common<'_>) {
        parallel::each(&mut self.state.rungs, |rung| rung.explore(common));
    }

    /// Number of scans between two kept states, chosen so that the states of a round fit in memory.
    fn stride(&self, scans: usize) -> usize {
        let (chains, dim) = (self.members.len(), self.task.common.density.dim());
        let room = MAX_KEPT / (dim * self.state.rungs.len()).max(1);
        (scans * chains).div_ceil(room.clamp(1, MAX_STATES))
    }

    /// A ladder with equal rejection probabilities; if its size is `free`, with the number of temperatures that the barrier needs.
    fn respace(&mut self, rejection: &[f64], free: bool) {
        let lambdas: Vec<f64> = self.state.rungs.iter().map(|rung| rung.lambda).collect();
        let adaptive = self.task.settings.temperatures.is_none() && free;
        let barrier: f64 = rejection.iter().sum();
        let temperatures = if adaptive {
            let wanted = (DENSITY * barrier).ceil() as usize + 1;
            wanted.clamp(BOUNDS.0, BOUNDS.1)
        } else {
            lambdas.len()
        };
        let old: Vec<Rung> = std::mem::take(&mut self.state.rungs);
        let ladder = respaced(&lambdas, rejection, temperatures);
        for (k, lambda) in ladder.into_iter().enumerate() {
            let mut rung = old[nearest(&lambdas, lambda)].copy_at(lambda);
            if temperatures == old.len() {
                rung.particles.clone_from(&old[k].particles);
            }
            self.state.rungs.push(rung);
        }
        for mut rung in old {
            self.state.counts.merge(&rung.take_counts());
        }
    }

    /// The chains as groups of a run.
    fn finish(self) -> Vec<Group> {
        let lambdas: Vec<f64> = self.state.rungs.iter().map(|rung| rung.lambda).collect();
        let of_chain = |traces: &Vec<_>| log_ratios(&lambdas, traces);
        let log_ratios: Vec<Vec<f64>> = parallel::map(&self.state.traces, of_chain);
        let chains = log_ratios.iter().enumerate();
        let stages = chains.map(|(chain, ratios)| self.stages(chain, ratios));
        let stages = stages.collect();
        self.groups(stages)
    }

    /// Starts to keep the states of the last temperature and the log likelihoods of all temperatures.
    fn record(&mut self) {
        let (density, draws) = (self.task.common.density, self.task.settings.length.draws);
        let (elements, dim) = (density.describe().layout.elements(), density.dim());
        let record = || Record::new(draws, elements, dim);
        let State { rungs, traces, .. } = &mut self.state;
        *traces = vec![vec![Vec::new(); rungs.len()]; self.members.len()];
        if let Some(last) = rungs.last_mut() {
            last.records = std::iter::repeat_with(record)
                .take(self.members.len())
                .collect();
        }
    }

    /// The temperatures of a chain, each with the log ratio of its evidence to the evidence of the temperature before.
    fn stages(&self, chain: usize, log_ratios: &[f64]) -> Vec<Stage> {
        let stage = |(rung, log_ratio): (&Rung, &f64)| Stage {
            lambda: rung.lambda,
            level: None,
            particles: 1,
            states: 1,
            ess: f64::NAN,
            log_increment: *log_ratio,
            acceptance: rung.acceptance(chain),
            step_size: rung.tuning.step_size,
            mutations: self.task.common.mutations,
            relaxation_time: f64::NAN,
            jump_time: f64::NAN,
            leapfrog_steps: 0,
            unique_parents: 1,
        };
        self.state.rungs.iter().zip(log_ratios).map(stage).collect()
    }

    /// The chains as groups of a run.
    fn groups(mut self, stages: Vec<Vec<Stage>>) -> Vec<Group> {
        let mut counts = std::mem::take(&mut self.state.counts);
        for rung in &mut self.state.rungs {
            counts.merge(&rung.take_counts());
        }
        let records = self
            .state
            .rungs
            .last_mut()
            .map(|rung| std::mem::take(&mut rung.records));
        let records = records.unwrap_or_default().into_iter().zip(stages);
        // The work of an ensemble is counted once, on its first chain, so that the sum over chains is the total.
        let mut counts = Some(counts);
        let group = |(chain, (record, stages)): (usize, (Record, Vec<Stage>))| {
            let index = (self.members.start + chain) as u64;
            let counts = counts.take().unwrap_or_default();
            let swaps = Exchanges {
                scans: self.state.scan as u64,
                round_trips: self.state.swaps.round_trips(chain),
                swap_acceptance: self.state.swaps.acceptance(chain),
            };
            let chain = Chain {
                history: stages,
                exchanges: Some(swaps),
                ..Chain::default()
            };
            record.into_group(index, chain, counts)
        };
        let mut groups: Vec<Group> = records.enumerate().map(group).collect();
        Group::note_nan_among_draws(&mut groups);
        groups
    }
}

/// The log ratio of the evidence of each temperature to the evidence of the temperature before, 0 for the first. Computed from the log
/// likelihoods of a chain's states, `[temperatures][draws]`.
fn log_ratios(lambdas: &[f64], traces: &[Vec<f64>]) -> Vec<f64> {
    let pairs = lambdas.windows(2).zip(traces.windows(2));
    let ratio = |(lambda, trace): (&[f64], &[Vec<f64>])| {
        log_ratio(&trace[0], &trace[1], lambda[1] - lambda[0])
    };
    std::iter::once(0.0).chain(pairs.map(ratio)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_double_and_make_up_the_burn_in() {
        for burn_in in 0..300 {
            let rounds = rounds(burn_in);
            let sum: usize = rounds.iter().map(|round| round.scans).sum();
            assert_eq!(sum, burn_in);
            let growing: Vec<usize> = rounds
                .iter()
                .filter(|round| round.respaces)
                .map(|round| round.scans)
                .collect();
            let doubles = |pair: &[usize]| pair[1].abs_diff(2 * pair[0]) <= 1;
            assert!(growing.windows(2).all(doubles), "{growing:?}");
        }
        let scans: Vec<usize> = rounds(1000).iter().map(|round| round.scans).collect();
        assert_eq!(scans, [1, 2, 4, 7, 14, 28, 56, 113, 225, 450, 100]);
    }
}
