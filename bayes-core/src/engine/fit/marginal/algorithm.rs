//! The engines that learn params: the source of the particles of a step, and settings that only some engines have.

use super::MarginalLikelihood;
use super::moves::Moves;
use crate::engine::smc::resample::Resampling;
use crate::kernel::{Hmc, Kernel, RandomWalk};
use std::sync::Arc;

/// Particles that start from the prior in every step: [`Inference::sgsmc`](crate::engine::Inference::sgsmc).
#[derive(Clone, Copy, Debug)]
pub struct ColdStart;

/// Particles that go on from step to step: [`Inference::ohsmc`](crate::engine::Inference::ohsmc).
#[derive(Clone, Copy, Debug)]
pub struct OpenHorizon;

/// Particles that are states of Markov chains: [`Inference::mcem`](crate::engine::Inference::mcem).
#[derive(Clone, Copy, Debug)]
pub struct Expectation;

/// Particles that are draws of a Gaussian: [`Inference::variational_em`](crate::engine::Inference::variational_em).
#[derive(Clone, Copy, Debug)]
pub struct VariationalStep;

/// Particles that are draws of the prior: [`Inference::expected_likelihood`](crate::engine::Inference::expected_likelihood).
#[derive(Clone, Copy, Debug)]
pub struct PriorDraws;

/// An engine that moves, reweights and resamples its particles: `sgsmc` and `ohsmc`.
pub trait FeynmanKac {}

impl FeynmanKac for ColdStart {}
impl FeynmanKac for OpenHorizon {}

/// The particles at the start of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Algorithm {
    ColdStart,
    OpenHorizon,
    Expectation,
    Variational,
    PriorDraws,
}

impl MarginalLikelihood<OpenHorizon> {
    pub(in crate::engine) fn open_horizon() -> Self {
        Self::new("ohsmc", Algorithm::OpenHorizon, Moves::RandomWalk(0.01))
    }
}

impl MarginalLikelihood<ColdStart> {
    pub(in crate::engine) fn cold_start() -> Self {
        let moves = Moves::Invariant(Arc::new(RandomWalk::new()), 10);
        Self::new("sgsmc", Algorithm::ColdStart, moves)
    }

    /// Particles move by `steps` steps of a kernel that leaves the posterior of the rows so far invariant, such as `Hmc` or `Mala`; ten
    /// steps of `RandomWalk` by default. A fixed step size (`RandomWalk::new().step_size(0.2)`) keeps the kernel unchanged and the
    /// estimate of the marginal likelihood unbiased. Otherwise the step size adapts to the acceptance, and the shape to the particles.
    pub fn kernel(mut self, kernel: impl Kernel + 'static, steps: usize) -> Self {
        self.settings.moves = Moves::Invariant(Arc::new(kernel), steps);
        self
    }
}

impl MarginalLikelihood<Expectation> {
    pub(in crate::engine) fn expectation() -> Self {
        let moves = Moves::Invariant(Arc::new(Hmc::new()), 1);
        let mut engine = Self::new("mcem", Algorithm::Expectation, moves);
        engine.settings.particles = 100;
        engine
    }

    /// Particles move by `steps` steps of a kernel that leaves the posterior of all training rows given the params invariant; one step of
    /// `Hmc` by default.
    pub fn kernel(mut self, kernel: impl Kernel + 'static, steps: usize) -> Self {
        self.settings.moves = Moves::Invariant(Arc::new(kernel), steps);
        self
    }

    /// Number of steps of the params between two moves of the particles, at least 1 (the default). With minibatches, the number of
    /// minibatches in an epoch gives one move per epoch. Many steps are EM's maximisation (Wei and Tanner 1990), one is a gradient by
    /// Markov chains (De Bortoli et al. 2021).
    pub fn maximisation_steps(mut self, steps: usize) -> Self {
        self.settings.maximisation_steps = steps;
        self
    }
}

impl MarginalLikelihood<VariationalStep> {
    pub(in crate::engine) fn variational() -> Self {
        let mut engine = Self::new("variational_em", Algorithm::Variational, Moves::Still);
        engine.settings.particles = 100;
        engine
    }
}

impl MarginalLikelihood<PriorDraws> {
    pub(in crate::engine) fn prior_draws() -> Self {
        let algorithm = Algorithm::PriorDraws;
        Self::new("expected_likelihood", algorithm, Moves::Still)
    }
}

impl<A: FeynmanKac> MarginalLikelihood<A> {
    /// How particles are resampled; stratified by default.
    pub fn resampling(mut self, resampling: Resampling) -> Self {
        self.settings.resampling = resampling;
        self
    }

    /// Particles are resampled where their effective sample size falls below this share of them, above 0 and at most 1. By default the
    /// share is 1, which resamples before every move.
    pub fn ess_threshold(mut self, share: f64) -> Self {
        self.settings.ess_threshold = share;
        self
    }

    /// Whether the gradient is the mean over resampled particles, as in the authors' code. By default it is the mean over weighted
    /// particles, which has the same expectation and less variance.
    pub fn resampled_gradient(mut self, resampled: bool) -> Self {
        self.settings.resampled_gradient = resampled;
        self
    }

    /// Particles move by `φ + √v ξ` with this variance v, without acceptance: on each unconstrained coordinate. The default of
    /// `ohsmc()`, with a variance of 0.01.
    pub fn random_walk(mut self, variance: f64) -> Self {
        self.settings.moves = Moves::RandomWalk(variance);
        self
    }

    /// Particles move by an Ornstein-Uhlenbeck process that leaves the prior invariant, `u exp(−t/2) + √(1 − exp(−t)) ξ` in coordinates u
    /// with a standard normal prior. The prior must be Gaussian and must not depend on params.
    pub fn ornstein_uhlenbeck(mut self, time: f64) -> Self {
        self.settings.moves = Moves::OrnsteinUhlenbeck(time);
        self
    }
}
