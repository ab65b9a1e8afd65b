//! An island of nested sampling: levels of the likelihood rise until almost no evidence is left above them.

use super::dead::Dead;
use super::families::{FamilyGains, Fates};
use crate::density::Particles;
use crate::engine::save::checkpoint::{Unit, savable};
use crate::engine::smc::doomed;
use crate::engine::smc::island::Island;
use crate::engine::smc::sampler::{Sampler, Step};
use crate::error::Error;
use crate::number;
use crate::numeric::{log_mean_exp, log_sum_exp};
use crate::observe::Observer;
use crate::order;
use crate::rng::Purpose;
use crate::run::{Group, Stage};
use serde::{Deserialize, Serialize};

/// An island is given up after this number of levels: by default the prior mass is then e^-27726.
const MOST_LEVELS: usize = 20_000;
/// The largest share of the evidence that progress shows before an island is finished.
const NOT_DONE: f64 = 1.0 - f64::EPSILON;

/// Settings of the levels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settings {
    /// The share of the states that survive a level.
    pub(super) survivors: f64,
    /// The share of the evidence that may be left above the last level.
    pub(super) remaining: f64,
}

/// An island, and everything below its level.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::engine) struct State {
    island: Island,
    below: Below,
}

savable!(State);

/// Everything below the level of an island.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Below {
    /// The log of the prior mass above the level.
    #[serde(with = "number::one")]
    log_volume: f64,
    /// The log of the evidence below it.
    #[serde(with = "number::one")]
    log_evidence: f64,
    dead: Dead,
    gains: FamilyGains,
}

impl Below {
    fn new(families: usize) -> Self {
        Self {
            log_volume: 0.0,
            log_evidence: f64::NEG_INFINITY,
            dead: Dead::default(),
            gains: FamilyGains::new(families),
        }
    }

    /// Moves the states of an island that are not above the level below it; all states if there is no level. `log_evidence` is the
    /// estimate of the whole.
    fn bury(&mut self, island: &Island, level: Option<f64>, log_evidence: f64) {
        let log_likelihood = &island.particles.log_likelihood;
        let log_mass = self.log_volume - (log_likelihood.len() as f64).ln();
        let survives = |l: f64| level.is_some_and(|level| l > level);
        let log_weight = |l: &f64| (!survives(*l)).then_some(log_mass + l);
        let log_weights: Vec<Option<f64>> = log_likelihood.iter().map(log_weight).collect();
        let gone: Vec<f64> = log_weights.iter().flatten().copied().collect();
        let survivors = log_weights.len() - gone.len();
        let before = self.log_evidence;
        self.log_evidence = log_sum_exp(&[before, log_sum_exp(&gone)]);
        self.gains.add(&Fates {
            ancestors: &island.ancestors,
            log_weights: &log_weights,
            below: [before, self.log_evidence],
            log_evidence,
        });
        let buried = log_weights.iter().enumerate();
        for (i, _) in buried.filter(|(_, log_weight)| log_weight.is_some()) {
            let ancestor = island.ancestors[i];
            self.dead.add(&island.particles, i, log_mass, ancestor);
        }
        self.dead.prune(log_evidence, island.particles.dim);
        self.log_volume += (survivors as f64 / log_weights.len() as f64).ln();
    }
}

/// An SMC sampler whose targets are the prior above levels of the likelihood.
pub(super) struct Levels<'a> {
    /// The sampler that resamples and moves.
    pub(super) sampler: Sampler<'a>,
    pub(super) settings: Settings,
}

impl Levels<'_> {
    /// Runs an island until almost no evidence is left; `None` if it was stopped, or cut by the clock.
    pub(super) fn run(
        &self,
        mut unit: Unit<'_, '_, State>,
        observer: &dyn Observer,
    ) -> Result<Option<Vec<Group>>, Error> {
        let mut state = self.begin(&unit)?;
        while !state.island.is_done() {
            let told = state.island.history.len();
            self.advance(&mut state);
            if unit.has_cut() {
                return Ok(None);
            }
            let island = &state.island;
            // the last level adds to the stage before it
            if let Some(stage) = island
                .history
                .last()
                .filter(|_| island.history.len() > told)
            {
                observer.stage(unit.place, stage, island.history.len());
            }
            self.check(island)?;
            if !island.is_done() && unit.boundary(&state) {
                return Ok(None);
            }
        }
        let show = |done, of| observer.outputs(unit.place, done, of);
        let group = self.finish(state, &show);
        Ok((!unit.has_cut()).then(|| vec![group]))
    }

    /// The saved state of a unit, or a new island.
    fn begin(&self, unit: &Unit<'_, '_, State>) -> Result<State, Error> {
        if let Some(saved) = unit.saved() {
            match self.restored(saved) {
                Ok(state) => return Ok(state),
                Err(error) => unit.tell(&error),
            }
        }
        let mut island = self.sampler.start(unit.number)?;
        // a draw whose prior density is not finite has no weight: its likelihood does not count
        let Particles {
            log_prior,
            log_likelihood,
            ..
        } = &mut island.particles;
        for (log_prior, log_likelihood) in log_prior.iter().zip(log_likelihood) {
            if !log_prior.is_finite() {
                *log_likelihood = f64::NEG_INFINITY;
            }
        }
        let below = Below::new(island.gains.len());
        Ok(State { island, below })
    }

    /// Checks that the levels will come to an end and, at the end, that likelihoods are resolved.
    ///
    /// # Errors
    /// [`Error::Ladder`], [`Error::Resolution`].
    fn check(&self, island: &Island) -> Result<(), Error> {
        let levels = island.history.len();
        if island.lambda < 1.0 && levels >= MOST_LEVELS {
            return Err(Error::Ladder {
                model: self.sampler.density.describe().name,
                temperatures: levels,
                lambda: island.lambda,
                forecast: f64::INFINITY,
                statement: doomed::largest_term(self.sampler.density, island),
            });
        }
        match island.lambda == 1.0 {
            true => doomed::resolved(self.sampler.density, island),
            false => Ok(()),
        }
    }

    fn restored(&self, state: State) -> Result<State, Error> {
        let State { island, below } = state;
        let island = self.sampler.restore(island)?;
        let families = island.gains.len();
        let holds = below.dead.is_complete(island.particles.dim, families)
            && below.gains.is_complete(families);
        if !holds {
            return Err(Error::Saved {
                what: "an island of this sampler",
                message: "the lists of the states below its level are incomplete".to_owned(),
            });
        }
        Ok(State { island, below })
    }

    /// One level: leaves the states below it behind, resamples the states above it and moves them.
    fn advance(&self, state: &mut State) {
        let State { island, below } = state;
        let log_likelihood = &island.particles.log_likelihood;
        let above = below.log_volume + log_mean_exp(log_likelihood);
        let total = log_sum_exp(&[below.log_evidence, above]);
        let log_increment = total - island.log_evidence;
        island.log_evidence = total;
        if total == f64::NEG_INFINITY {
            return;
        }
        let best = log_likelihood
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let level = self.level(log_likelihood);
        let is_last = below.log_volume + best <= total + self.settings.remaining.ln();
        if is_last || level >= best {
            below.bury(island, None, total);
            end(island, log_increment);
            return;
        }
        below.bury(island, Some(level), total);
        let weight = |l: &f64| if *l > level { 0.0 } else { f64::NEG_INFINITY };
        island.log_weights = log_likelihood.iter().map(weight).collect();
        let states = island.log_weights.len();
        let survivors = island.log_weights.iter().filter(|w| **w == 0.0).count();
        island.level = Some(level);
        island.inflation = Some(below.gains.inflation(total)).filter(|ratio| ratio.is_finite());
        let share = (below.log_evidence - total).exp();
        island.lambda = share.clamp(island.lambda, NOT_DONE);
        let step = Step {
            log_increment,
            states,
            ess: survivors as f64,
        };
        self.sampler.resample_and_move(island, step);
    }

    /// The level below the wanted share of the states; a smaller share is above it if several states are equal to it.
    fn level(&self, log_likelihood: &[f64]) -> f64 {
        let mut sorted = log_likelihood.to_vec();
        order::sort(&mut sorted);
        let survivors = (self.settings.survivors * sorted.len() as f64).round() as usize;
        sorted[sorted.len() - 1 - survivors.clamp(1, sorted.len() - 1)]
    }

    /// The stored output of an island.
    fn finish(&self, state: State, show: &(dyn Fn(usize, usize) + Sync)) -> Group {
        let State { mut island, below } = state;
        if island.log_evidence > f64::NEG_INFINITY {
            let mut stream = self.sampler.stream(&island, Purpose::Resample, 0);
            let (draws, dim) = (island.particles.len(), island.particles.dim);
            (island.particles, island.ancestors) = below.dead.draw(draws, dim, &mut stream);
            island.gains = below.gains.of(island.log_evidence);
            let inflation = below.gains.inflation(island.log_evidence);
            island.inflation = Some(inflation).filter(|ratio| ratio.is_finite());
        }
        // draws from several levels have no common acceptance
        island.acceptance.clear();
        self.sampler.finish_shown(island, show)
    }
}

/// Ends an island at its last level; its last states change the log evidence by `log_increment`.
fn end(island: &mut Island, log_increment: f64) {
    island.lambda = 1.0;
    let states = island.particles.len();
    match island.history.last_mut() {
        Some(last) => {
            last.lambda = 1.0;
            last.log_increment += log_increment;
        }
        None => island.history.push(Stage {
            lambda: 1.0,
            level: None,
            particles: island.gains.len(),
            states,
            ess: states as f64,
            log_increment,
            acceptance: f64::NAN,
            step_size: island.tunings[0].step_size,
            leapfrog_steps: 0,
            mutations: 0,
            relaxation_time: f64::NAN,
            jump_time: f64::NAN,
            unique_parents: states,
        }),
    }
}
