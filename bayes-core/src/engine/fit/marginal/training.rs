//! The loop over minibatches: particles, gradient, step of the params.

use super::Settings;
use super::algorithm::Algorithm;
use super::following::When;
use super::held_out::HeldOut;
use super::moves::Moves;
use super::population::Population;
use super::variational::Approximation;
use crate::density::{AtParams, Counts, LogDensity, Particles, Target};
use crate::engine::fit::map::{Batches, Reader};
use crate::engine::mover;
use crate::error::Error;
use crate::kernel::Tuning;
use crate::model::rows::shuffled;
use crate::numeric::weighted_sum;
use crate::observe::{Losses, Observer};
use crate::optimise::{Descent, Seen, Step};
use crate::rng::{Key, Purpose};
use crate::run::Ended;

/// The explanation of why particles are drawn from a prior.
const NEEDS_PRIOR: &str = "the particles of a marginal likelihood start from prior draws";
/// The explanation of a marginal likelihood that is not a number where no statement is the cause.
const FAR_OUT: &str = "the params left the range in which the model can be evaluated; a smaller learning rate may keep them inside";

/// The rows that params are learnt from.
pub(super) struct Data<'a> {
    /// The density of all training rows.
    pub(super) all: &'a dyn LogDensity,
    /// The same density, for the gradients of single particles.
    pub(super) apart: &'a dyn LogDensity,
    /// The source of some of these rows.
    pub(super) training: &'a dyn Batches,
    /// The number N of these rows.
    pub(super) rows: usize,
    /// The number M of rows of a minibatch.
    pub(super) minibatch: usize,
    /// The source of held-out rows, and their number.
    pub(super) held_out: Option<(&'a dyn Batches, usize)>,
}

/// Everything that the learning of params depends on.
pub(super) struct Trainer<'a> {
    pub(super) settings: &'a Settings,
    pub(super) data: &'a Data<'a>,
    pub(super) seed: u64,
    /// One flag per coordinate: whether it is a param, `[dim]`.
    pub(super) is_param: &'a [bool],
    pub(super) observer: &'a dyn Observer,
}

/// The result of the learning.
pub(super) struct Outcome {
    /// The unconstrained coordinates of the kept params.
    pub(super) params: Vec<f64>,
    /// The particles given these params.
    pub(super) population: Population,
    /// The starting points of its chains, `[particles, random coordinates]`; empty if there are none, or if validation chose the step.
    pub(super) first: Vec<f64>,
    pub(super) losses: Vec<f64>,
    pub(super) validation_losses: Vec<f64>,
    pub(super) gradient_norm: f64,
    pub(super) ended: Ended,
    pub(super) counts: Counts,
}

/// An estimate from a minibatch.
pub(super) struct Estimate {
    /// `ln p(y_batch; ψ)`, with an open horizon given all earlier minibatches.
    pub(super) log_likelihood: f64,
    /// The gradient of N/M times the log likelihood.
    pub(super) gradient: Vec<f64>,
}

/// The particles and the params during the learning.
pub(super) struct State {
    pub(super) params: Vec<f64>,
    pub(super) population: Population,
    /// The Gaussian of variational EM.
    pub(super) approximation: Option<Approximation>,
    /// The starting points of the chains; empty for other particles.
    first: Vec<f64>,
    tuning: Option<Tuning>,
    descent: Box<dyn Descent>,
    /// Steps so far.
    steps: u64,
    gradient_norm: f64,
    counts: Counts,
}

impl State {
    /// Steps so far.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }
}

/// The params with the lowest validation loss.
struct Best {
    loss: f64,
    /// The epoch, from 1.
    epoch: usize,
    params: Vec<f64>,
    population: Population,
}

impl<'a> Trainer<'a> {
    pub(super) fn at<'d>(&'d self, density: &'d dyn LogDensity, params: &'d [f64]) -> AtParams<'d> {
        AtParams::new(density, self.is_param, params)
    }

    /// Learns the params from `start`.
    pub(super) fn run(&self, start: Vec<f64>) -> Result<Outcome, Error> {
        let mut state = self.start(start)?;
        let mut reader = self.data.training.reader()?;
        let mut held_out = self.held_out(&mut state)?;
        let (mut losses, mut validation_losses, mut best) = (Vec::new(), Vec::new(), None);
        let mut ended = None;
        for epoch in 0..self.settings.training.epochs {
            let key = Key::new(self.seed, Purpose::Minibatch).stage(epoch as u32);
            let order = shuffled(self.data.rows, key);
            let batches = order.chunks_exact(self.data.minibatch);
            let (mut sum, mut least, mut made) = (0.0, f64::INFINITY, 0);
            for batch in batches {
                let share = made as f64 * batch.len() as f64 / self.data.rows as f64;
                let (loss, step) =
                    self.step(&mut state, batch, &mut *reader, epoch as f64 + share)?;
                (sum, made) = (sum + loss, made + 1);
                if step == Step::NotFinite {
                    ended = Some(self.not_finite(&state, epoch));
                    break;
                }
                if let Some(held_out) = &mut held_out {
                    let loss = self.validation_loss(&mut state, held_out)?;
                    least = least.min(loss);
                    keep(&mut best, loss, epoch + 1, &state);
                }
            }
            losses.push(sum / made.max(1) as f64);
            let validation = held_out.as_ref().map(|_| least);
            validation_losses.extend(validation);
            let training = losses[epoch];
            let shown = Losses {
                training,
                validation,
            };
            self.observer
                .epoch(0, epoch + 1, self.settings.training.epochs, shown);
            if ended.is_some() {
                break;
            }
        }
        if self.settings.algorithm == Algorithm::Expectation && ended.is_none() {
            // the chains were moved before the last step of the params
            self.advance(&mut state, None, 0, &mut *reader)?;
        }
        self.observer.finish(0);
        Ok(outcome(state, best, ended, [losses, validation_losses]))
    }

    fn held_out(&self, state: &mut State) -> Result<Option<HeldOut<'a>>, Error> {
        let Some((from, rows)) = self.data.held_out else {
            return Ok(None);
        };
        let at = self.at(self.data.all, &state.params);
        let tried = &state.population.particles;
        HeldOut::new(from, rows, (&at, tried), &mut state.counts).map(Some)
    }

    /// The state before the first step: particles from the prior, or chains at the posterior.
    pub(super) fn start(&self, params: Vec<f64>) -> Result<State, Error> {
        self.data.all.proper_prior(NEEDS_PRIOR)?;
        let at = self.at(self.data.all, &params);
        self.settings.moves.validate(&at)?;
        let tuning = self.settings.moves.init(&at)?;
        let (population, counts) = match self.settings.algorithm {
            Algorithm::Expectation => self.posterior_draws(&at, When::First)?,
            _ => (self.prior_draws(&at, 0), Counts::default()),
        };
        let approximation = match self.settings.algorithm {
            Algorithm::Variational => Some(Approximation::start(
                &at,
                &*self.settings.training.optimiser,
            )?),
            _ => None,
        };
        drop(at);
        let first = match self.settings.algorithm {
            Algorithm::Expectation => population.particles.positions.clone(),
            _ => Vec::new(),
        };
        Ok(State {
            first,
            population,
            approximation,
            tuning,
            descent: self.settings.training.optimiser.start(params.len()),
            params,
            steps: 0,
            gradient_norm: f64::NAN,
            counts,
        })
    }

    /// Particles from the prior given the params, for the step with this number.
    pub(super) fn prior_draws(&self, at: &AtParams<'_>, step: u64) -> Population {
        let key = Key::new(self.seed, Purpose::Initial).group(step + 1);
        let n = self.settings.particles;
        Population::new(Particles::of_prior(n, at.dim(), at, key))
    }

    /// One minibatch: an estimate, and a step of the params; returns the loss per row.
    fn step(
        &self,
        state: &mut State,
        batch: &[usize],
        reader: &mut dyn Reader,
        epoch: f64,
    ) -> Result<(f64, Step), Error> {
        let estimate = match self.settings.algorithm {
            Algorithm::OpenHorizon => self.go_on(state, batch, reader)?,
            Algorithm::ColdStart => self.anew(state, batch, reader)?,
            Algorithm::Expectation => self.expect(state, batch, reader)?,
            Algorithm::Variational => self.vary(state, batch, reader, epoch)?,
            Algorithm::PriorDraws => self.average_over_prior(state, batch, reader)?,
        };
        if estimate.log_likelihood == f64::NEG_INFINITY && state.steps == 0 {
            let position = state.population.particles.position(0);
            let whole = self.at(self.data.all, &state.params).whole(position);
            return Err(self.data.all.start_error(&whole, self.settings.particles));
        }
        let rows = self.data.rows as f64;
        let gradient: Vec<f64> = estimate.gradient.iter().map(|g| -g / rows).collect();
        state.gradient_norm = estimate.gradient.iter().map(|g| g * g).sum::<f64>().sqrt();
        state.steps += 1;
        let loss = -estimate.log_likelihood / batch.len() as f64;
        let seen = Seen {
            loss,
            gradient: &gradient,
            epoch,
            epochs: self.settings.training.epochs as f64,
        };
        let step = state.descent.step(seen, &mut state.params);
        Ok((loss, step))
    }

    /// Algorithm 3: moves the particles of the step before and reweights them by the likelihood of the minibatch.
    pub(super) fn go_on(
        &self,
        state: &mut State,
        batch: &[usize],
        reader: &mut dyn Reader,
    ) -> Result<Estimate, Error> {
        if let Some(last) = state.steps.checked_sub(1) {
            self.resample(state, last, 0);
        }
        self.advance(state, None, 0, reader)?;
        let (mut log_likelihood, step) = (0.0, state.steps);
        let gradient = self.mean_gradient(state, batch, reader, &mut |population| {
            log_likelihood = population.reweight();
            self.shares(population, step, 0)
        })?;
        Ok(Estimate {
            log_likelihood,
            gradient,
        })
    }

    /// Algorithms 1 and 2: particles from the prior, reweighted by the rows of the minibatch one after another, with moves in between.
    pub(super) fn anew(
        &self,
        state: &mut State,
        batch: &[usize],
        reader: &mut dyn Reader,
    ) -> Result<Estimate, Error> {
        state.population = self.prior_draws(&self.at(self.data.all, &state.params), state.steps);
        let mut log_likelihood = 0.0;
        for n in 0..batch.len() {
            if n > 0 {
                self.resample(state, state.steps, n as u32);
                self.advance(state, Some(&batch[..n]), n as u32, reader)?;
            }
            let State {
                population, params, ..
            } = &mut *state;
            let mut counts = Counts::default();
            reader.read(&batch[n..=n], &mut |density| {
                let at = self.at(density, params);
                counts = mover::evaluate(&mut population.particles, Target::posterior(&at));
            })?;
            log_likelihood += population.reweight();
            state.counts.merge(&counts);
        }
        let (step, stage) = (state.steps, batch.len() as u32);
        let gradient = self.mean_gradient(state, batch, reader, &mut |population| {
            self.shares(population, step, stage)
        })?;
        Ok(Estimate {
            log_likelihood,
            gradient,
        })
    }

    /// Moves the particles; a kernel with a target leaves the posterior of the rows `seen` invariant.
    pub(super) fn advance(
        &self,
        state: &mut State,
        seen: Option<&[usize]>,
        stage: u32,
        reader: &mut dyn Reader,
    ) -> Result<(), Error> {
        let key = Key::new(self.seed, Purpose::Move).group(state.steps);
        let key = key.stage(stage);
        let moves: &Moves = &self.settings.moves;
        let (particles, tuning) = (&mut state.population.particles, &mut state.tuning);
        let mut counts = Counts::default();
        let mut go = |density: &dyn LogDensity| {
            let at = self.at(density, &state.params);
            counts = moves.step(&at, tuning, particles, key);
        };
        match seen.filter(|_| moves.has_target()) {
            Some(rows) => reader.read(rows, &mut go)?,
            None => go(self.data.all),
        }
        state.counts.merge(&counts);
        Ok(())
    }

    /// Evaluates the minibatch at the particles. Fisher's identity needs the mean of the gradients of
    /// `ln p(φ; ψ) + N/M ln p(y_batch | φ; ψ)` with respect to ψ, weighted by the `shares` of the particles. Calls `shares` once the
    /// likelihoods are known.
    pub(super) fn mean_gradient(
        &self,
        state: &mut State,
        batch: &[usize],
        reader: &mut dyn Reader,
        shares: &mut dyn FnMut(&mut Population) -> Vec<f64>,
    ) -> Result<Vec<f64>, Error> {
        let weights = [1.0, self.data.rows as f64 / batch.len() as f64];
        let State {
            population,
            params,
            counts,
            ..
        } = state;
        let mut gradient = Vec::new();
        reader.read(batch, &mut |density| {
            let at = self.at(density, params);
            if at.sharing().is_some() {
                // densities first: once the shares are known, gradients are summed as they are computed, and their shared parts are
                // evaluated once
                let particles = &mut population.particles;
                counts.merge(&mover::evaluate(particles, Target::posterior(&at)));
                let shares = shares(population);
                gradient = at.summed_gradient(weights, &shares, &mut population.particles, counts);
            } else {
                let slopes = at.param_gradients(weights, &mut population.particles, counts);
                gradient = weighted_sum(&shares(population), &slopes);
            }
        })?;
        Ok(gradient)
    }

    /// The shares of the particles in a mean: their weights, or the shares after a resampling.
    fn shares(&self, population: &Population, step: u64, stage: u32) -> Vec<f64> {
        if !self.settings.resampled_gradient {
            return population.weights();
        }
        let ancestors = self.ancestors(population, step, stage);
        let share = 1.0 / ancestors.len() as f64;
        let mut shares = vec![0.0; ancestors.len()];
        for ancestor in ancestors {
            shares[ancestor as usize] += share;
        }
        shares
    }

    /// The ancestors by the weights after this stage of a step.
    fn ancestors(&self, population: &Population, step: u64, stage: u32) -> Vec<u32> {
        let key = Key::new(self.seed, Purpose::Resample).group(step);
        let mut stream = key.stage(stage).stream();
        let resampling = self.settings.resampling;
        population.ancestors(resampling, &mut stream)
    }

    /// Resamples where the effective sample size is too small.
    fn resample(&self, state: &mut State, step: u64, stage: u32) {
        let threshold = self.settings.ess_threshold;
        if threshold >= 1.0 || state.population.ess_share() < threshold {
            let ancestors = self.ancestors(&state.population, step, stage);
            state.population.select(&ancestors);
        }
    }

    fn validation_loss(&self, state: &mut State, held_out: &mut HeldOut<'_>) -> Result<f64, Error> {
        let at = self.at(self.data.all, &state.params);
        held_out.loss(&at, &state.population, &mut state.counts)
    }

    fn not_finite(&self, state: &State, epoch: usize) -> Ended {
        let position = state.population.particles.position(0);
        let whole = self.at(self.data.all, &state.params).whole(position);
        let statement = self.data.all.first_non_finite(&whole);
        Ended::NotFinite {
            epoch: epoch + 1,
            statement: statement.unwrap_or_else(|| FAR_OUT.to_owned()),
        }
    }
}

fn keep(best: &mut Option<Best>, loss: f64, epoch: usize, state: &State) {
    if best.as_ref().is_some_and(|best| loss >= best.loss) || loss.is_nan() {
        return;
    }
    *best = Some(Best {
        loss,
        epoch,
        params: state.params.clone(),
        population: state.population.clone(),
    });
}

fn outcome(
    state: State,
    best: Option<Best>,
    ended: Option<Ended>,
    [losses, validation_losses]: [Vec<f64>; 2],
) -> Outcome {
    let (params, population, first, epoch) = match best {
        Some(best) => (best.params, best.population, Vec::new(), Some(best.epoch)),
        None => (state.params, state.population, state.first, None),
    };
    let kept = epoch.map_or(Ended::AllEpochs, |kept| Ended::Stopped { kept });
    Outcome {
        params,
        population,
        first,
        losses,
        validation_losses,
        gradient_norm: state.gradient_norm,
        ended: ended.unwrap_or(kept),
        counts: state.counts,
    }
}
