//! Settings that several algorithms have: each setter once.

use super::Builder;
use crate::engine::chains::Length;
use crate::engine::smc::mutations::{MovePolicy, Mutations};
use crate::engine::smc::settings::Settings;
use crate::optimise::{Adam, Optimiser};
use std::sync::Arc;

/// An algorithm of islands of particles.
pub trait OfIslands {
    /// Sets the number of islands.
    fn set_islands(&mut self, islands: u64);

    /// The settings of the sampler of an island.
    fn sampler(&mut self) -> &mut Settings;
}

/// An algorithm of Markov chains.
pub trait OfChains {
    fn length(&mut self) -> &mut Length;
}

/// An algorithm with an optimiser.
pub trait Optimises {
    fn set_optimiser(&mut self, optimiser: Arc<dyn Optimiser>);
    fn set_epochs(&mut self, epochs: usize);
}

/// An algorithm whose number of draws is a setting: of each chain, or of an approximation.
pub trait MakesDraws {
    fn draws(&mut self) -> &mut usize;
}

impl<A: OfIslands, K, P> Builder<A, K, P> {
    /// Number of islands P, from 1 to a million. Islands are independent; the mean squared error falls as 1/P.
    pub fn islands(self, islands: usize) -> Self {
        self.set(|algorithm| algorithm.set_islands(islands as u64))
    }

    /// Particles N that move in each island, at least 2. An island of the result has N draws for each state that is kept of a particle:
    /// [`Smc::posterior_states`](crate::engine::Smc::posterior_states), or [`Nested::states_kept`](crate::engine::Nested).
    pub fn particles(self, particles: usize) -> Self {
        self.set(|algorithm| algorithm.sampler().particles = particles)
    }

    /// Mutation steps M at each temperature or level: a number, or [`Mutations::adaptive`], the default (with at most 2000 steps at a level
    /// of nested sampling).
    pub fn mutations(self, mutations: impl Into<Mutations>) -> Self {
        self.set(|algorithm| algorithm.sampler().mutations = Arc::new(mutations.into()))
    }

    /// A user-defined rule for the number of mutation steps at each temperature or level.
    pub fn move_policy(self, policy: impl MovePolicy + 'static) -> Self {
        self.set(|algorithm| algorithm.sampler().mutations = Arc::new(policy))
    }
}

impl<A: OfChains, K, P> Builder<A, K, P> {
    /// Number of chains, from 1 to a million. Parallel tempering needs at least 2 for a standard error of the log evidence, and multiples
    /// of 8 fill its SIMD lanes.
    pub fn chains(self, chains: usize) -> Self {
        self.set(|algorithm| algorithm.length().chains = chains)
    }

    /// Steps B of a chain, or scans of parallel tempering, before the first draw is kept, when kernels (and the ladder) are tuned; at most
    /// 10⁹.
    #[doc(alias = "warmup")]
    #[doc(alias = "tune")]
    pub fn burn_in(self, steps: usize) -> Self {
        self.set(|algorithm| algorithm.length().burn_in = steps)
    }
}

impl<A: Optimises> Builder<A> {
    /// The optimiser: [`Adam`], [`AdamW`](crate::optimise::AdamW), [`Sgd`](crate::optimise::Sgd), or, for exact gradients of a point
    /// estimate or an ensemble (their default), [`Lbfgs`](crate::optimise::Lbfgs).
    pub fn optimiser(self, optimiser: impl Optimiser + 'static) -> Self {
        self.set(|algorithm| algorithm.set_optimiser(Arc::new(optimiser)))
    }

    /// Short for `.optimiser(Adam::new(learning_rate))`.
    pub fn adam(self, learning_rate: f64) -> Self {
        self.optimiser(Adam::new(learning_rate))
    }

    /// Maximum number of epochs, at least 1: passes over all training rows. By default 1000 for point estimates and ensembles, 5000 for
    /// variational inference, 100 that count for SWAG, and 200 for maximum marginal likelihood.
    pub fn epochs(self, epochs: usize) -> Self {
        self.set(|algorithm| algorithm.set_epochs(epochs))
    }
}

impl<A: MakesDraws, K, P> Builder<A, K, P> {
    /// Draws kept of each chain, at least 1; at most 10⁹ of all chains together. Parallel tempering keeps one of every scan. Of an
    /// approximation: the number of independent draws, at least 2. 1000 by default.
    pub fn draws(self, draws: usize) -> Self {
        self.set(|algorithm| *algorithm.draws() = draws)
    }
}
