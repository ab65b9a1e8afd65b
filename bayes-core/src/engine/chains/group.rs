//! A group of chains that are tuned together, from starting points to draws.

use super::Settings;
use super::burn_in::{BurnIn, Progress, last_window};
use super::other_maxima::{Search, refuse};
use super::record::{Record, Step};
use super::start::{Starts, likeliest_at};
use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::budget::Cost;
use crate::engine::drawn::Drawn;
use crate::engine::fit::pathfinder;
use crate::engine::save::checkpoint::{Unit, savable};
use crate::error::Error;
use crate::kernel::{ChainBlock, Kernel, Tuning, Visit, Workspace};
use crate::observe::{Observer, Steps};
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Chain, Group, NotSearched, Stage};
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::time::{Duration, Instant};

/// Number of chains that are tuned together. Fixed, so that results do not depend on the number of threads.
pub(in crate::engine) const GROUP: usize = 16;
/// The approximate time between two points at which a group can be saved or stopped, if the run needs such points. Finished chains wait
/// there for the others.
const SEGMENT: Duration = Duration::from_secs(1);

/// The states of a group of chains, and the memory to move them.
#[derive(Serialize, Deserialize)]
pub(in crate::engine) struct ChainGroup {
    pub(in crate::engine) particles: Particles,
    streams: Vec<Stream>,
    workspace: Workspace,
    /// The last transition of each chain; `None` before the first.
    last: Vec<Option<Step>>,
}

impl ChainGroup {
    /// Number of chains.
    pub(in crate::engine) fn len(&self) -> usize {
        self.particles.len()
    }

    /// Number of coordinates.
    pub(in crate::engine) fn dim(&self) -> usize {
        self.particles.dim
    }

    /// Counts evaluations that were made elsewhere.
    pub(in crate::engine) fn count(&mut self, counts: &Counts) {
        self.workspace.counts.merge(counts);
    }

    /// The position of a chain after its last transition.
    fn state(&self, chain: usize) -> Visit<'_> {
        let position = self.particles.position(chain);
        let step = self.last[chain].unwrap_or_default();
        Visit {
            chain,
            position,
            start: position,
            gradient: &[],
            log_prior: self.particles.log_prior[chain],
            log_likelihood: self.particles.log_likelihood[chain],
            acceptance: step.acceptance,
            tuning_acceptance: f64::NAN,
            trajectory: step.trajectory,
        }
    }

    /// Every chain makes `count` transitions; see [`Kernel::transitions`].
    pub(in crate::engine) fn transitions(
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

/// Everything that determines the future of a group of chains.
#[derive(Serialize, Deserialize)]
pub(in crate::engine) struct State {
    group: ChainGroup,
    tuning: Tuning,
    burn_in: Progress,
    /// The draws of each chain; empty before the end of the burn-in.
    records: Vec<Record>,
}

savable!(State);

impl State {
    /// Gradients so far.
    fn gradients(&self) -> u64 {
        self.group.workspace.counts.gradient_evaluations
    }

    /// Prepares a state that was read from a file.
    ///
    /// # Errors
    /// [`Error::Saved`] if the tuning belongs to another kernel.
    fn restored(mut self, kernel: &dyn Kernel) -> Result<Self, Error> {
        kernel.restore(&mut self.tuning)?;
        let (n, dim) = (self.group.len(), self.group.dim());
        self.group.workspace = self.group.workspace.restored(n, dim);
        Ok(self)
    }
}

/// A group of chains after its burn-in.
pub(in crate::engine) struct BurntIn {
    pub(in crate::engine) state: State,
    /// The cost of a step in the last window, summed over the chains.
    pub(in crate::engine) step: Cost,
    /// The time of the outputs of one draw of each chain.
    pub(in crate::engine) output: Duration,
    /// The cost of the whole burn-in.
    pub(in crate::engine) all: Cost,
}

/// The common data of all groups of a run.
pub(in crate::engine) struct Task<'a> {
    pub(in crate::engine) settings: &'a Settings,
    pub(in crate::engine) seed: u64,
    pub(in crate::engine) density: &'a dyn LogDensity,
    /// The same for starts and the burn-in, cut when the time is over.
    pub(in crate::engine) until_cut: &'a dyn LogDensity,
    pub(in crate::engine) kernel: &'a dyn Kernel,
    pub(in crate::engine) observer: &'a dyn Observer,
    /// The draws of all groups; the run cuts its chains to the shortest.
    pub(in crate::engine) drawn: &'a Drawn,
    /// The search for other maxima after the draws, if there is one.
    pub(super) search: Option<Search<'a>>,
}

impl Task<'_> {
    fn key(&self, chain: usize, stage: u32, purpose: Purpose) -> Key {
        Key::new(self.seed, purpose).item(chain as u64).stage(stage)
    }

    fn target(&self) -> Target<'_> {
        Target::posterior(self.density)
    }

    /// Runs the chains with these indices; `None` if they were stopped.
    pub(in crate::engine) fn run(
        &self,
        chains: Range<usize>,
        mut unit: Unit<'_, '_, State>,
    ) -> Result<Option<Vec<Group>>, Error> {
        let mut state = self.begin(&chains, &unit)?;
        let longest = unit.interval().map(|interval| interval.min(SEGMENT));
        let mut segment = if longest.is_some() { 1 } else { usize::MAX };
        while self.left(&state) != Some(0) {
            let start = Instant::now();
            let show = |steps| self.observer.step(unit.place, steps);
            let is_burn_in = self.left(&state).is_none();
            self.advance(&mut state, chains.start, segment, &show);
            if is_burn_in && unit.has_cut() {
                return Ok(None);
            }
            self.drawn.have(self.draws_made(&state));
            if self.left(&state) != Some(0) && unit.boundary(&state) {
                if !unit.is_late() || state.records.is_empty() {
                    return Ok(None);
                }
                // fewer draws than fit by the forecast
                if !self.drawn.ends_with(self.draws_made(&state)) {
                    return Ok(None);
                }
                break;
            }
            // the division of draws into segments does not change them
            segment = match longest {
                Some(longest) if start.elapsed() > longest => (segment / 2).max(1),
                _ => segment.saturating_mul(2),
            };
        }
        let mut groups = self.finish(state, chains.start);
        match &self.search {
            Some(_) if unit.is_late() => refuse(&mut groups, NotSearched::Late),
            Some(search) => search.run(&mut groups, &|| unit.is_stopped() || unit.has_cut()),
            None => {}
        }
        Ok(Some(groups))
    }

    /// Runs only the burn-in of the chains with these indices; `None` if they were stopped or cut.
    pub(in crate::engine) fn burn_in(
        &self,
        chains: Range<usize>,
        unit: &Unit<'_, '_, State>,
    ) -> Result<Option<BurntIn>, Error> {
        let mut state = self.begin(&chains, unit)?;
        let begin = Instant::now();
        let steps = last_window(self.settings.length.burn_in).max(1);
        let (mut step, mut output) = (Cost::default(), Duration::ZERO);
        let show = |steps| self.observer.step(unit.place, steps);
        while self.left(&state).is_none() {
            if unit.is_stopped() {
                return Ok(None);
            }
            let (start, before) = (Instant::now(), state.gradients());
            self.advance(&mut state, chains.start, 1, &show);
            // the last call begins to keep draws, with one of each chain
            match self.left(&state) {
                None => {
                    step = Cost {
                        time: start.elapsed() / steps as u32,
                        gradients: (state.gradients() - before) / steps as u64,
                    };
                }
                Some(_) => output = start.elapsed(),
            }
            if unit.has_cut() {
                return Ok(None);
            }
        }
        let all = Cost {
            time: begin.elapsed(),
            gradients: state.gradients(),
        };
        Ok(Some(BurntIn {
            state,
            step,
            output,
            all,
        }))
    }

    /// The saved state of the chains, or their start.
    fn begin(&self, chains: &Range<usize>, unit: &Unit<'_, '_, State>) -> Result<State, Error> {
        if let Some(saved) = unit.saved() {
            match saved.restored(self.kernel) {
                Ok(state) => return Ok(state),
                Err(error) => unit.tell(&error),
            }
        }
        let mut group = self.start(chains)?;
        if self.kernel.needs_gradient() {
            let (particles, counts) = (&mut group.particles, &mut group.workspace.counts);
            Target::posterior(self.until_cut).evaluate_gradient(&mut particles.block(), counts);
        }
        Ok(State {
            group,
            tuning: self.kernel.init(self.until_cut)?,
            burn_in: Progress::default(),
            records: Vec::new(),
        })
    }

    /// Transitions left after the burn-in; `None` before its end.
    fn left(&self, state: &State) -> Option<usize> {
        let made = state.records.first()?.transitions();
        Some(self.transitions() - made)
    }

    /// Draws of each chain so far.
    fn draws_made(&self, state: &State) -> usize {
        state.records.first().map_or(0, Record::draws)
    }

    /// Transitions after the burn-in.
    fn transitions(&self) -> usize {
        let (draws, thin) = (self.settings.length.draws, self.settings.thin);
        // With burn-in the first draw is its last state: MCMC∥ with one draw makes B steps, not B + T.
        match self.settings.length.burn_in {
            0 => draws * thin,
            _ => (draws - 1) * thin,
        }
    }

    /// The next window of the burn-in, or at most `segment` transitions after it.
    fn advance(&self, state: &mut State, first: usize, segment: usize, show: &dyn Fn(Steps)) {
        if let Some(left) = self.left(state) {
            return self.sample(state, left.min(segment), show);
        }
        let burn_in = BurnIn {
            kernel: self.kernel,
            target: Target::posterior(self.until_cut),
            steps: self.settings.length.burn_in,
            // The group's own streams: `item` will name the pilot.
            key: self.key(0, 0, Purpose::Tune).group((first / GROUP) as u64),
        };
        let State {
            group,
            tuning,
            burn_in: progress,
            ..
        } = state;
        let show = |done, acceptance| {
            show(Steps {
                done,
                of: self.settings.length.burn_in + self.transitions(),
                is_burn_in: true,
                acceptance,
                divergent: 0,
            });
        };
        if !burn_in.advance(progress, group, tuning, &show) {
            self.record(state);
        }
    }

    /// The chains as groups of a run.
    fn finish(&self, mut state: State, first: usize) -> Vec<Group> {
        let mut counts = Some(std::mem::take(&mut state.group.workspace.counts));
        let burn_in = state.burn_in.acceptance;
        let finish = |(chain, record): (usize, Record)| {
            // without a transition after the burn-in, use the acceptance of the burn-in
            let acceptance = record
                .acceptance()
                .unwrap_or_else(|| burn_in.get(chain).copied().unwrap_or(f64::NAN));
            // The work of a group is counted once, on its first chain, so that the sum over chains is the total.
            let counts = counts.take().unwrap_or_default();
            let chain = first + chain;
            let stage = self.stage(&state.tuning, acceptance);
            let origin = Chain {
                history: vec![stage],
                superchain: self.settings.superchain(chain).map(|number| number as u64),
                ..Chain::default()
            };
            record.into_group(chain as u64, origin, counts)
        };
        let mut groups: Vec<Group> = state.records.into_iter().enumerate().map(finish).collect();
        Group::note_nan_among_draws(&mut groups);
        groups
    }

    fn stage(&self, tuning: &Tuning, acceptance: f64) -> Stage {
        Stage {
            lambda: 1.0,
            level: None,
            particles: 1,
            states: 1,
            ess: f64::NAN,
            log_increment: 0.0,
            acceptance,
            step_size: tuning.step_size,
            mutations: self.settings.thin,
            relaxation_time: f64::NAN,
            jump_time: f64::NAN,
            leapfrog_steps: 0,
            unique_parents: 1,
        }
    }

    /// Begins to keep draws.
    fn record(&self, state: &mut State) {
        let State { group, records, .. } = state;
        let quantities = self.until_cut.quantities();
        let elements = self.density.describe().layout.elements();
        let record = || Record::new(self.settings.length.draws, elements, group.dim());
        *records = std::iter::repeat_with(record).take(group.len()).collect();
        if self.settings.length.burn_in > 0 {
            // chains that keep only their last state have no statistics but the burn-in's
            if self.transitions() > 0 {
                group.workspace.counts.end_burn_in();
            }
            for (chain, record) in records.iter_mut().enumerate() {
                record.keep(&group.state(chain), quantities);
            }
        }
    }

    /// Every chain makes `count` transitions, with frozen tuning.
    fn sample(&self, state: &mut State, count: usize, show: &dyn Fn(Steps)) {
        let (thin, burn_in, all) = (
            self.settings.thin,
            self.settings.length.burn_in,
            self.transitions(),
        );
        let quantities = self.density.quantities();
        let State {
            group,
            tuning,
            records,
            ..
        } = state;
        let mut visit = |visit: Visit<'_>| {
            let record = &mut records[visit.chain];
            record.learn(&visit, self.kernel, quantities);
            if record.transitions().is_multiple_of(thin) {
                record.keep(&visit, quantities);
                if visit.chain == 0 {
                    let done = burn_in + record.transitions();
                    show(steps(done, burn_in + all, records));
                }
            }
            tuning.step_size
        };
        group.transitions(self.kernel, tuning, self.target(), count, &mut visit);
    }

    /// A starting point for each chain or superchain: among ten prior draws with finite density, with the given values, the one of highest
    /// likelihood; or a draw at the end of a path from there.
    fn start(&self, chains: &Range<usize>) -> Result<ChainGroup, Error> {
        let density = self.until_cut;
        let dim = density.dim();
        let mut particles = Particles::new(chains.len(), dim);
        let mut workspace = Workspace::new(chains.len(), dim);
        for (i, chain) in chains.clone().enumerate() {
            let place = self.settings.superchain(chain).unwrap_or(chain);
            let key = self.key(place, 0, Purpose::Initial);
            let values = &self.settings.start;
            let mut start = likeliest_at(density, values, key, &mut workspace.counts)?;
            particles.block().take(i, &start.block());
        }
        if self.settings.starts == Starts::Pathfinder {
            let places = chains
                .clone()
                .map(|chain| self.settings.superchain(chain).unwrap_or(chain));
            let key = |place| self.key(place, 0, Purpose::Elbo);
            let keys: Vec<Key> = places.map(key).collect();
            pathfinder::draw_starts(density, &mut particles, &keys, &mut workspace.counts);
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

/// The progress of chains after the burn-in.
fn steps(done: usize, of: usize, records: &[Record]) -> Steps {
    let known = records.iter().filter_map(Record::acceptance);
    let acceptance = known.clone().sum::<f64>() / known.count() as f64;
    Steps {
        done,
        of,
        is_burn_in: false,
        acceptance,
        divergent: records.iter().map(Record::divergent).sum(),
    }
}
