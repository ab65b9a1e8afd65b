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
        Self::learns("ohsmc", Algorithm::OpenHorizon, Moves::RandomWalk(0.01))
    }
}

impl MarginalLikelihood<ColdStart> {
    pub(in crate::engine) fn cold_start() -> Self {
        let moves = Moves::Invariant(Arc::new(RandomWalk::new()), 10);
        Self::learns("sgsmc", Algorithm::ColdStart, moves)
    }

    /// Particles move by `steps` steps of a kernel that leaves the posterior of the rows so far invariant, such as `Hmc` or `Mala`; ten
    /// steps of `RandomWalk` by default. A fixed step size (`RandomWalk::new().step_size(0.2)`) keeps the kernel unchanged and the
    /// estimate of the marginal likelihood unbiased. Otherwise the step size adapts to the acceptance, and the shape to the particles.
    pub fn kernel(self, kernel: impl Kernel + 'static, steps: usize) -> Self {
        self.set(|marginal| marginal.settings.moves = Moves::Invariant(Arc::new(kernel), steps))
    }
}

impl MarginalLikelihood<Expectation> {
    pub(in crate::engine) fn expectation() -> Self {
        let moves = Moves::Invariant(Arc::new(Hmc::new()), 1);
        let mut engine = Self::learns("mcem", Algorithm::Expectation, moves);
        engine.runner.own.settings.particles = 100;
        engine
    }

    /// Particles move by `steps` steps of a kernel that leaves the posterior of all training rows given the params invariant; one step of
    /// `Hmc` by default.
    pub fn kernel(self, kernel: impl Kernel + 'static, steps: usize) -> Self {
        self.set(|marginal| marginal.settings.moves = Moves::Invariant(Arc::new(kernel), steps))
    }

    /// Number of steps of the params between two moves of the particles, at least 1 (the default). With minibatches, the number of
    /// minibatches in an epoch gives one move per epoch. Many steps are EM's maximisation (Wei and Tanner 1990), one is a gradient by
    /// Markov chains (De Bortoli et al. 2021).
    pub fn maximisation_steps(self, steps: usize) -> Self {
        self.set(|marginal| marginal.settings.maximisation_steps = steps)
    }
}

impl MarginalLikelihood<VariationalStep> {
    pub(in crate::engine) fn variational() -> Self {
        let mut engine = Self::learns("variational_em", Algorithm::Variational, Moves::Still);
        engine.runner.own.settings.particles = 100;
        engine
    }
}

impl MarginalLikelihood<PriorDraws> {
    pub(in crate::engine) fn prior_draws() -> Self {
        let algorithm = Algorithm::PriorDraws;
        Self::learns("expected_likelihood", algorithm, Moves::Still)
    }
}

impl<A: FeynmanKac> MarginalLikelihood<A> {
    /// How particles are resampled; stratified by default.
    pub fn resampling(self, resampling: Resampling) -> Self {
        self.set(|marginal| marginal.settings.resampling = resampling)
    }

    /// Particles are resampled where their effective sample size falls below this share of them, above 0 and at most 1. By default the
    /// share is 1, which resamples before every move.
    pub fn ess_threshold(self, share: f64) -> Self {
        self.set(|marginal| marginal.settings.ess_threshold = share)
    }

    /// Whether the gradient is the mean over resampled particles, as in the authors' code. By default it is the mean over weighted
    /// particles, which has the same expectation and less variance.
    pub fn resampled_gradient(self, resampled: bool) -> Self {
        self.set(|marginal| marginal.settings.resampled_gradient = resampled)
    }

    /// Particles move by `φ + √v ξ` with this variance v, without acceptance: on each unconstrained coordinate. The default of
    /// `ohsmc()`, with a variance of 0.01.
    pub fn random_walk(self, variance: f64) -> Self {
        self.set(|marginal| marginal.settings.moves = Moves::RandomWalk(variance))
    }

    /// Particles move by an Ornstein-Uhlenbeck process that leaves the prior invariant, `u exp(−t/2) + √(1 − exp(−t)) ξ` in coordinates u
    /// with a standard normal prior. The prior must be Gaussian and must not depend on params.
    pub fn ornstein_uhlenbeck(self, time: f64) -> Self {
        self.set(|marginal| marginal.settings.moves = Moves::OrnsteinUhlenbeck(time))
    }
}
