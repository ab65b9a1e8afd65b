//! Work before the islands begin: the plan of a pilot, and the cost of an island.

use super::{PILOT, ParallelSmc, REHEARSAL, no_start};
use crate::density::{Counts, LogDensity};
use crate::engine::budget::Cost;
use crate::engine::builder::Runner;
use crate::engine::improper;
use crate::engine::save::checkpoint::{Journal, Unit};
use crate::engine::smc::control_variates;
use crate::engine::smc::doomed;
use crate::engine::smc::island::Island;
use crate::engine::smc::path::Path;
use crate::engine::smc::plan::Plan;
use crate::engine::smc::resample::Resampling;
use crate::engine::smc::resumable::State;
use crate::engine::smc::sampler::{NEEDS_PRIOR, Sampler};
use crate::engine::smc::settings::Settings;
use crate::engine::smc::walks::Walk;
use crate::engine::timed::Clock;
use crate::error::Error;
use crate::kernel::fits_positions;
use crate::run::Group;
use std::time::Instant;

/// A finished island that showed the cost of an island.
pub(super) struct Rehearsal<'a> {
    /// The number of islands that fit into the budget, at least 1.
    pub(super) fit: u64,
    /// Whether the time of the run is already over.
    pub(super) is_over: bool,
    /// Says when unfinished islands are given up.
    pub(super) clock: &'a Clock,
    /// The island, which is discarded unless the first one is not finished in time.
    pub(super) island: Group,
}

impl Rehearsal<'_> {
    /// Whether unfinished islands are given up now.
    pub(super) fn is_late(&self) -> bool {
        self.clock.is_late()
    }

    /// The island as a replacement for the island with this number. Its work is counted with the first island of the run.
    pub(super) fn stand_in(&self, number: u64) -> Vec<Group> {
        vec![Group {
            index: number,
            counts: Counts::default(),
            ..self.island.clone()
        }]
    }
}

impl Runner<ParallelSmc> {
    /// The sampler on a density, with the plan of a pilot; `place` is the number of the density among all densities of the run.
    pub(super) fn prepare<'a>(
        &'a self,
        density: &'a dyn LogDensity,
        place: usize,
        journal: &Journal<'_, State>,
    ) -> Result<Sampler<'a>, Error> {
        self.validate()?;
        density.proper_prior(NEEDS_PRIOR)?;
        density.validate_for_sampling()?;
        fits_positions(&*self.own.kernel)?;
        self.own.kernel.validate(density)?;
        // the other densities of a run differ by their anchors
        if place == 0 {
            let found = improper::check(density, &self.common);
            if journal.has_cut() {
                return Err(self.own.budget.searched_too_long(density));
            }
            found?;
            improper::remember(density, &self.common);
        }
        let legs = density.legs();
        let path = self.own.settings.path;
        let holds = legs.is_empty() || path == Path::tempering();
        let allowed = "`Path::tempering()` for a density with legs";
        Error::setting("path", format!("{path:?}"), holds, allowed)?;
        let mut tuning = self.own.kernel.init(density)?;
        // a step size fixed by the user is not changed
        if self.own.kernel.target_acceptance().is_some() {
            tuning.step_size_mixture = self.own.settings.step_size_mixture;
        }
        let mut origin = self.settings_as_text(density);
        let fingerprint = density.quantities().fingerprint();
        origin.insert("seed".to_owned(), self.common.seed.to_string());
        origin.insert("fingerprint".to_owned(), format!("{fingerprint:016x}"));
        let mut sampler = Sampler {
            settings: &self.own.settings,
            density,
            legs,
            kernel: &*self.own.kernel,
            seed: self.common.seed,
            tuning,
            plan: None,
            controls: self.controls(density),
            walk: self.walk(density)?,
            origin,
        };
        if let Some(particles) = self.own.pilot {
            let unit = journal.unit(PILOT - place as u64, 0);
            sampler.plan = Some(self.explore(&sampler, particles, unit)?);
        }
        Ok(sampler)
    }

    /// The walk of the islands. There is none where islands replay the moves of a pilot, where the user chose the number of moves, or where
    /// gradients are limited, which a walk does not need.
    fn walk(&self, density: &dyn LogDensity) -> Result<Option<Walk>, Error> {
        let own = &self.own;
        let settings = &own.settings;
        if own.pilot.is_some() || own.budget.gradients.is_some() || !settings.mutations.adapts() {
            return Ok(None);
        }
        Walk::of(&*own.kernel, density, settings)
    }

    /// The maximum number of functions for control variates of the log evidence. There are none where the evidence has to be unbiased:
    /// with a pilot, and for interacting islands.
    pub(super) fn functions(&self, settings: &Settings, dim: usize) -> usize {
        let states = settings.particles.saturating_mul(settings.kept());
        let unbiased = self.own.pilot.is_some() || self.own.interaction.is_some();
        match settings.control_variates {
            Some(false) => 0,
            _ if unbiased || !self.own.kernel.needs_gradient() => 0,
            _ => control_variates::number_of_functions(states, dim),
        }
    }

    /// Whether control variates also estimate the log evidence.
    fn controls(&self, density: &dyn LogDensity) -> bool {
        self.functions(&self.own.settings, density.dim()) > 0
            && (self.own.settings.control_variates == Some(true)
                || !control_variates::may_jump(density))
    }

    /// The plan of a pilot island.
    fn explore(
        &self,
        sampler: &Sampler<'_>,
        particles: usize,
        mut unit: Unit<'_, '_, State>,
    ) -> Result<Plan, Error> {
        let settings = Settings {
            particles,
            posterior_states: Some(self.own.settings.kept()),
            // a pilot learns moves and temperatures for particles of equal weight
            resampling: match self.own.settings.resampling {
                Resampling::Never => Resampling::default(),
                scheme => scheme,
            },
            ..self.own.settings.clone()
        };
        let pilot = Sampler {
            settings: &settings,
            density: sampler.density,
            legs: sampler.density.legs(),
            kernel: sampler.kernel,
            seed: sampler.seed,
            tuning: sampler.tuning.clone(),
            plan: None,
            controls: false,
            walk: None,
            origin: sampler.origin.clone(),
        };
        let mut state = State::begin(&pilot, &unit, PILOT)?;
        while !state.island.is_done() {
            let State { island, plan } = &mut state;
            let temperatures = island.history.len();
            pilot.advance(island);
            let units = self.own.islands.count() as usize;
            if unit.has_cut() {
                return Err(Error::Cut);
            }
            if island.history.len() > temperatures {
                plan.record(island);
            }
            doomed::check(sampler.density, island)?;
            if unit.boundary(&state) {
                return Err(Error::Stopped { finished: 0, units });
            }
        }
        let State { island, mut plan } = state;
        if island.log_evidence == f64::NEG_INFINITY {
            let tried = particles * settings.kept();
            return Err(no_start(sampler.density, self.common.seed, tried));
        }
        plan.counts = island.counts;
        Ok(plan)
    }

    /// An island that shows the cost of an island; its work is added to `counts`.
    ///
    /// # Errors
    /// [`Error::TimeLimit`] if the island is not finished in time; the errors of the ladder.
    pub(super) fn rehearse<'a>(
        &self,
        sampler: &Sampler<'_>,
        (start, clock): (Instant, &'a Clock),
        counts: &mut Counts,
    ) -> Result<Rehearsal<'a>, Error> {
        let begin = Instant::now();
        let unfinished = |reached: &str| {
            let model = sampler.density.describe().name;
            self.own.budget.too_short(model, reached.to_owned())
        };
        let started = sampler.start(REHEARSAL);
        let mut island = started.map_err(|error| match clock.judged(error) {
            Error::Cut => unfinished("the particles of the first island were not evaluated"),
            error => error,
        })?;
        while !island.is_done() {
            sampler.advance(&mut island);
            if clock.has_cut() || clock.is_late() && !island.is_done() {
                return Err(self.too_short(sampler.density, Some(&island)));
            }
            if sampler.plan.is_none() {
                doomed::check(sampler.density, &island)?;
            }
        }
        let island = sampler.finish(island);
        // the start, or the outputs
        if clock.has_cut() {
            return Err(unfinished("the first island was not finished"));
        }
        let each = Cost {
            time: begin.elapsed(),
            gradients: island.counts.gradient_evaluations,
        };
        counts.merge(&island.counts);
        let spent = Cost {
            time: start.elapsed(),
            gradients: counts.gradient_evaluations,
        };
        let wanted = self.own.islands.count();
        let is_over = self.own.budget.time.is_some_and(|limit| spent.time > limit);
        Ok(Rehearsal {
            fit: self.own.budget.units(wanted, each, spent),
            is_over,
            clock,
            island,
        })
    }

    /// The error of a run whose time is over before an island, or the pilot, was finished.
    pub(super) fn too_short(&self, density: &dyn LogDensity, island: Option<&Island>) -> Error {
        let reached = match island {
            Some(island) => {
                let (temperatures, lambda) = (island.history.len(), island.progress());
                format!(
                    "the first island was at the power {lambda:.1e} of the likelihood, after {temperatures} temperatures"
                )
            }
            None => "the pilot was not finished".to_owned(),
        };
        self.own.budget.too_short(density.describe().name, reached)
    }
}
