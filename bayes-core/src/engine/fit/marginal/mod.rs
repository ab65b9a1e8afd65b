//! Maximum marginal likelihood: learns params while particles integrate out the random values.

mod algorithm;
mod expectation;
mod following;
mod held_out;
mod moves;
mod population;
#[cfg(test)]
mod tests;
mod training;
mod variational;

use crate::density::{AtParams, LogDensity, Posterior, part_of_layout};
use crate::engine::builder::{Builder, Runner};
use crate::engine::common::named_texts;
use crate::engine::fit::approximation::independent;
use crate::engine::fit::map::{Batches, Reader, Rowwise, hold_out, require_noisy};
use crate::engine::fit::training::Training;
use crate::engine::smc::resample::Resampling;
use crate::error::{Error, FitError};
use crate::model::rows::Rows;
use crate::model::{Differentiable, VariableKind, fingerprint};
use crate::optimise::Adam;
use crate::rng::{Key, Purpose};
use crate::run::{Ended, FIT_FORMAT, Fit, Independent, Learnt, Objective, Restart, Run};
use algorithm::Algorithm;
pub use algorithm::{ColdStart, Expectation, FeynmanKac, OpenHorizon, PriorDraws, VariationalStep};
use moves::Moves;
use std::marker::PhantomData;
use std::sync::Arc;
use training::{Data, Outcome, Trainer};

/// Builder of maximum marginal likelihood; `run` makes a [`Learnt`].
///
/// The params ψ of a model (`let psi = param(start);`) maximise the marginal likelihood, which integrates out the random values φ:
///
/// ```text
/// ln p(y; ψ) = ln ∫ p(y | φ; ψ) p(φ; ψ) dφ
/// ∇ ln p(y; ψ) = E[∇ ln p(y, φ; ψ) | y; ψ] ≈ Σ_j w_j ∇ ln p(y, φ_j; ψ)        Fisher's identity
/// ```
///
/// φ are the unconstrained coordinates, with the Jacobian of their transforms. Weighted particles φ_j come from a Feynman-Kac model: a
/// Markov kernel moves them, and the likelihood of rows reweights them (Zhao, Mair, Schön and Sjölund 2024). Nothing is differentiated
/// through resampling or moves. An optimiser takes the gradient of a minibatch of M of the N rows: the gradient of its log likelihood
/// times N/M, divided by N as in [`Map`](crate::engine::Map).
///
/// - [`Inference::sgsmc`](crate::engine::Inference::sgsmc) (their algorithm 2) starts from the prior in every step and takes one row of
///   the minibatch after another. Without `.minibatch(rows)` it is their algorithm 1: sequential Monte Carlo on all rows, whose estimate
///   of the marginal likelihood is unbiased if the kernel does not adapt. With minibatches it maximises the mean log marginal likelihood
///   of only M rows, and its particles follow the posterior given the last minibatch. For the posterior given all rows, sample
///   `model.with_params(..)` with another engine.
/// - [`Inference::ohsmc`](crate::engine::Inference::ohsmc) (their algorithm 3) keeps its particles, and so sees the rows again and again.
///   It is quick, and its particles predict well, but they are not draws from the posterior. From epoch to epoch they become fewer and
///   closer to each other, as far as the kernel allows.
///
/// Three more engines learn the same params with other particles, for comparison:
///
/// - [`Inference::mcem`](crate::engine::Inference::mcem), Monte Carlo EM: parallel chains of a kernel that leaves the posterior of all
///   rows given the params invariant. They start from draws of the posterior given the first params. At the end they are compared with
///   new draws given the last params: [`Learnt::warning`] says where they did not follow.
/// - [`Inference::variational_em`](crate::engine::Inference::variational_em): draws of a Gaussian that is learnt together with the
///   params.
/// - [`Inference::expected_likelihood`](crate::engine::Inference::expected_likelihood): prior draws. It maximises another quantity, the
///   prior mean of the log likelihood.
///
/// With validation rows, the engine keeps the params and particles of the step with the lowest validation loss: the negative log density
/// of the mixture of all particles.
pub type MarginalLikelihood<A> = Builder<MarginalLearning<A>>;

/// The settings of the engine `A` that learns params.
#[derive(Clone, Debug)]
pub struct MarginalLearning<A> {
    settings: Settings,
    start: Option<Arc<Fit>>,
    minibatch: Option<usize>,
    validation: Option<f64>,
    algorithm: PhantomData<A>,
}

/// Settings that do not depend on rows.
#[derive(Clone, Debug)]
struct Settings {
    algorithm: Algorithm,
    particles: usize,
    moves: Moves,
    training: Training,
    resampling: Resampling,
    ess_threshold: f64,
    resampled_gradient: bool,
    /// Steps of the params for every move of the particles, where the moves have a target of their own.
    maximisation_steps: usize,
}

impl<A> MarginalLikelihood<A> {
    fn learns(engine: &'static str, algorithm: Algorithm, moves: Moves) -> Self {
        let settings = Settings {
            algorithm,
            particles: 1000,
            moves,
            training: Training::new(Adam::new(0.01), 200),
            resampling: Resampling::Stratified,
            ess_threshold: 1.0,
            resampled_gradient: false,
            maximisation_steps: 1,
        };
        let settings = MarginalLearning {
            settings,
            start: None,
            minibatch: None,
            validation: None,
            algorithm: PhantomData,
        };
        Self::new(engine, settings)
    }

    /// Number of particles J, at least 2; 1000 by default.
    pub fn particles(self, particles: usize) -> Self {
        self.set(|marginal| marginal.settings.particles = particles)
    }

    /// Rows of a minibatch, at least 1; all by default. Each pass over the rows has its own order. Rows left after the last whole minibatch
    /// wait for the next pass.
    pub fn minibatch(self, rows: usize) -> Self {
        self.set(|marginal| marginal.minibatch = Some(rows))
    }

    /// Holds out this share of the rows, above 0 and below 1, drawn at random by the seed. The params with the lowest validation loss are
    /// kept. The loss is computed after every step, for all particles: few rows are enough.
    pub fn validation(self, share: f64) -> Self {
        self.set(|marginal| marginal.validation = Some(share))
    }

    /// The params start where another fit ended, instead of at a draw from the distribution in `param(..)`.
    pub fn start(self, fit: &Fit) -> Self {
        self.set(|marginal| marginal.start = Some(Arc::new(fit.clone())))
    }
}

impl<A> AsMut<Training> for MarginalLearning<A> {
    fn as_mut(&mut self) -> &mut Training {
        &mut self.settings.training
    }
}

impl<A> MarginalLikelihood<A> {
    /// Learns the params of `model`.
    ///
    /// # Errors
    /// Before the first step: a setting out of range, data that do not fit the model, a model without params or without random values, a
    /// prior that cannot be sampled, or a likelihood that is zero at all particles. A likelihood that becomes zero or NaN later is no
    /// error: the last finite params are kept, and [`Fit::ended`] says so.
    pub fn run<Mo: Rows + Differentiable>(&self, model: &Mo) -> Result<Learnt, Error> {
        let Runner { common, own } = &self.runner;
        let posterior = common.posterior(model)?;
        let total = model.rows()?;
        let (held_out, training) = match own.validation {
            Some(share) => hold_out(share, total, common.seed)?,
            None => (Vec::new(), (0..total).collect()),
        };
        let held_out = Rowwise {
            model,
            posterior: &posterior,
            rows: &held_out,
        };
        self.run_with(model, &posterior, &training, &held_out)
    }

    /// As [`MarginalLikelihood::run`], but keeps the params with the lowest loss on the data of another model of the same function.
    ///
    /// # Errors
    /// As [`MarginalLikelihood::run`]; [`Error::Setting`] if a share of the rows is held out as well.
    pub fn run_validated<Mo: Rows + Differentiable>(
        &self,
        model: &Mo,
        validation: &Mo,
    ) -> Result<Learnt, Error> {
        let Runner { common, own } = &self.runner;
        let share = own.validation;
        let allowed = "left out if a validation model is given";
        Error::setting("validation", share.unwrap_or(0.0), share.is_none(), allowed)?;
        let posterior = common.posterior(model)?;
        let other = common.posterior(validation)?;
        let (own, theirs) = (posterior.layout(), other.layout());
        crate::engine::fit::map::same_quantities((model.name(), own), (validation.name(), theirs))?;
        let rows: Vec<usize> = (0..model.rows()?).collect();
        let held_out: Vec<usize> = (0..validation.rows()?).collect();
        let held_out = Rowwise {
            model: validation,
            posterior: &other,
            rows: &held_out,
        };
        self.run_with(model, &posterior, &rows, &held_out)
    }

    fn run_with<Mo: Rows + Differentiable>(
        &self,
        model: &Mo,
        posterior: &Posterior<'_>,
        training: &[usize],
        held_out: &Rowwise<'_, '_, Mo>,
    ) -> Result<Learnt, Error> {
        let minibatch = self.runner.own.minibatch.unwrap_or(training.len());
        let holds = (1..=training.len()).contains(&minibatch);
        let allowed = format!("from 1 to {}, the number of training rows", training.len());
        Error::setting("minibatch", minibatch, holds, &allowed)?;
        // one check that no random value depends on the rows
        let some = model.subset(training)?;
        let all = posterior.on_sharing(&some);
        let is_compared = self.runner.own.settings.algorithm == Algorithm::Expectation;
        let apart = is_compared.then(|| posterior.on(&some));
        let rows = Rowwise {
            model,
            posterior: &all,
            rows: training,
        };
        let held_out = (!held_out.rows.is_empty()).then_some((held_out, held_out.rows.len()));
        let data = Data {
            all: &all,
            apart: apart.as_ref().unwrap_or(&all),
            training: &rows,
            rows: training.len(),
            minibatch,
            held_out: held_out.map(|(rows, count)| (rows as &dyn Batches, count)),
        };
        let mut learnt = self.learn(&data)?;
        learnt.fit.fingerprint = format!("{:016x}", fingerprint(model));
        let fixed = fingerprint(&model.with_params(&learnt.fit.values())?);
        learnt.particles.fingerprint = format!("{fixed:016x}");
        Ok(learnt)
    }

    /// Learns the params of a density written by hand. Its [`Description`](crate::density::Description) says which coordinates are
    /// params; it has a single row.
    ///
    /// # Errors
    /// As [`MarginalLikelihood::run`].
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<Learnt, Error> {
        let own = &self.runner.own;
        let size = own.minibatch.unwrap_or(1);
        Error::setting("minibatch", size, size == 1, "left out for a density")?;
        let share = own.validation;
        let allowed = "left out for a density, which has a single row";
        Error::setting("validation", share.unwrap_or(0.0), share.is_none(), allowed)?;
        self.learn(&Data {
            all: density,
            apart: density,
            training: &Whole(density),
            rows: 1,
            minibatch: 1,
            held_out: None,
        })
    }

    fn learn(&self, data: &Data<'_>) -> Result<Learnt, Error> {
        self.runner.own.settings.validate()?;
        data.all.validate()?;
        let description = data.all.describe();
        require_both(&description.name, &description.params)?;
        let observers = self.runner.common.observers(1);
        let trainer = Trainer {
            settings: &self.runner.own.settings,
            data,
            seed: self.runner.common.seed,
            is_param: &description.params,
            observer: &observers,
        };
        let start = self.starting_params(data.all, &description.params)?;
        let mut outcome = trainer.run(start)?;
        let is_finite = !matches!(outcome.ended, Ended::NotFinite { .. });
        let warning = match self.runner.own.settings.algorithm {
            Algorithm::Expectation if is_finite => trainer.lag(&mut outcome)?,
            _ => None,
        };
        let at = trainer.at(data.all, &outcome.params);
        let particles = self.particles_run(&at, &outcome);
        let fit = self.fit(data, &at, &outcome);
        Ok(Learnt {
            fit,
            particles,
            warning,
        })
    }

    /// The unconstrained coordinates at which the params start.
    fn starting_params(
        &self,
        density: &dyn LogDensity,
        is_param: &[bool],
    ) -> Result<Vec<f64>, Error> {
        let select = |all: &[f64]| -> Vec<f64> {
            let flags = all.iter().zip(is_param);
            flags.filter(|(_, is)| **is).map(|(x, _)| *x).collect()
        };
        let Some(fit) = &self.runner.own.start else {
            let mut position = vec![0.0; is_param.len()];
            let key = Key::new(self.runner.common.seed, Purpose::Initial);
            density.draw_start(&mut key.stream(), &mut position);
            return Ok(select(&position));
        };
        let own = density.describe();
        let wanted = is_param.iter().filter(|is| **is).count();
        let names = |layout: &crate::model::Layout| -> Vec<String> {
            let params = layout.variables.iter();
            let params = params.filter(|v| v.kind == VariableKind::Param);
            params.map(|v| v.name.clone()).collect()
        };
        let position = fit.position();
        let same = fit.model == own.name && names(&fit.layout) == names(&own.layout);
        match position.len() {
            found if same && found == wanted => Ok(position.to_vec()),
            found if same && found == is_param.len() => Ok(select(position)),
            _ => Err(Error::Fit {
                model: own.name,
                source: FitError::Quantity {
                    quantity: format!(
                        "it is of the params `{}` of `{}`",
                        names(&fit.layout).join("`, `"),
                        fit.model
                    ),
                },
            }),
        }
    }

    /// The kept particles, evaluated on all training rows.
    fn particles_run(&self, at: &AtParams<'_>, outcome: &Outcome) -> Run {
        let population = &outcome.population;
        let origin = Independent {
            log_weights: population.log_weights.clone(),
            ..Independent::default()
        };
        let mut group = independent(at, population.particles.clone(), origin);
        group.counts.merge(&outcome.counts);
        let settings = self.settings_as_text();
        self.runner.common.run_of_draws(at, settings, group)
    }

    fn fit(&self, data: &Data<'_>, at: &AtParams<'_>, outcome: &Outcome) -> Fit {
        let description = data.all.describe();
        let random = outcome.population.particles.position(0);
        let loss = outcome.losses.last().copied().unwrap_or(f64::NAN);
        let restart = Restart {
            position: outcome.params.clone(),
            values: at.values(random),
            log_prior: 0.0,
            log_likelihood: -loss * data.rows as f64,
            log_density: -loss * data.rows as f64,
            gradient_norm: outcome.gradient_norm,
            losses: outcome.losses.clone(),
            validation_losses: outcome.validation_losses.clone(),
            ended: outcome.ended.clone(),
            maximum: None,
        };
        Fit {
            model: description.name,
            format: FIT_FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            fingerprint: format!("{:016x}", data.all.quantities().fingerprint()),
            objective: Objective::MarginalLikelihood,
            optimiser: self
                .runner
                .own
                .settings
                .training
                .optimiser
                .name()
                .to_owned(),
            settings: self.settings_as_text(),
            seed: self.runner.common.seed,
            arithmetic: description.arithmetic,
            layout: part_of_layout(&description.layout, true, outcome.params.len()),
            statements: description.statements,
            best: 0,
            restarts: vec![restart],
            counts: outcome.counts.clone(),
        }
    }

    fn settings_as_text(&self) -> std::collections::BTreeMap<String, String> {
        let settings = &self.runner.own.settings;
        named_texts([
            ("particles", settings.particles.to_string()),
            ("epochs", settings.training.epochs.to_string()),
            ("moves", format!("{:?}", settings.moves)),
            ("optimiser", format!("{:?}", settings.training.optimiser)),
            ("resampling", format!("{:?}", settings.resampling)),
            ("ess_threshold", format!("{:?}", settings.ess_threshold)),
            (
                "resampled_gradient",
                settings.resampled_gradient.to_string(),
            ),
            (
                "maximisation_steps",
                settings.maximisation_steps.to_string(),
            ),
            ("minibatch", format!("{:?}", self.runner.own.minibatch)),
            ("validation", format!("{:?}", self.runner.own.validation)),
        ])
    }
}

/// Refuses a model that has nothing to learn, or nothing to integrate out.
///
/// # Errors
/// [`Error::Setting`].
fn require_both(model: &str, is_param: &[bool]) -> Result<(), Error> {
    let params = is_param.iter().filter(|is| **is).count();
    let allowed = "at least 1: a model without params has nothing to learn, and every other engine runs on it";
    let what = format!("{params} in `{model}`");
    Error::setting("number of params", what, params >= 1, allowed)?;
    let random = is_param.len() - params;
    let allowed = "at least 1: a model without random values has nothing to integrate out; use `Inference::mle()`";
    let what = format!("{random} in `{model}`");
    Error::setting("number of random values", what, random >= 1, allowed)
}

impl Settings {
    fn validate(&self) -> Result<(), Error> {
        let particles = self.particles;
        let holds = (2..=100_000_000).contains(&particles);
        Error::setting("particles", particles, holds, "from 2 to 100000000")?;
        self.training.validate_epochs()?;
        let share = self.ess_threshold;
        let holds = share > 0.0 && share <= 1.0;
        Error::setting("ess_threshold", share, holds, "above 0 and at most 1")?;
        let steps = self.maximisation_steps;
        Error::setting("maximisation_steps", steps, steps >= 1, "at least 1")?;
        let holds = self.resampling != Resampling::Never;
        let allowed = "a scheme that resamples";
        Error::setting("resampling", "Never", holds, allowed)?;
        require_noisy(&*self.training.optimiser)?;
        self.training.optimiser.validate()
    }
}

/// A density as its only row.
struct Whole<'a>(&'a dyn LogDensity);

impl Batches for Whole<'_> {
    fn reader(&self) -> Result<Box<dyn Reader + '_>, Error> {
        Ok(Box::new(Whole(self.0)))
    }
}

impl Reader for Whole<'_> {
    fn read(&mut self, _: &[usize], then: &mut dyn FnMut(&dyn LogDensity)) -> Result<(), Error> {
        then(self.0);
        Ok(())
    }
}
