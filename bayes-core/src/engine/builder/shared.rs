//! Settings that several algorithms have: each setter once.
//!
//! An algorithm has a group of settings if it lends it by `AsMut`.

use super::Builder;
use crate::engine::chains::Length;
use crate::engine::fit::map::{Settings as FitSettings, SomeRows};
use crate::engine::fit::training::Training;
use crate::engine::smc::mutations::{MovePolicy, Mutations};
use crate::engine::smc::numbers::IslandNumbers;
use crate::engine::smc::settings::Settings;
use crate::optimise::{Adam, EarlyStopping, Optimiser};
use std::sync::Arc;

/// An algorithm whose number of draws is a setting: of each chain, or of an approximation.
pub trait MakesDraws {
    fn draws(&mut self) -> &mut usize;
}

/// An algorithm that can train on some of the rows of a model.
pub trait ChoosesRows {
    /// The same algorithm on some rows.
    type OnSome;

    /// The same algorithm, after a change of its rows.
    fn on_some(self, change: impl FnOnce(&mut SomeRows)) -> Self::OnSome;
}

impl<A: AsMut<IslandNumbers>, K, P> Builder<A, K, P> {
    /// Number of islands P, from 1 to a million. Islands are independent; the mean squared error falls as 1/P.
    pub fn islands(self, islands: usize) -> Self {
        self.set(|algorithm| *algorithm.as_mut() = IslandNumbers::all(islands as u64))
    }
}

impl<A: AsMut<Settings>, K, P> Builder<A, K, P> {
    /// Particles N that move in each island, at least 2. An island of the result has N draws for each state that is kept of a particle:
    /// [`Smc::posterior_states`](crate::engine::Smc::posterior_states), or [`Nested::states_kept`](crate::engine::Nested).
    pub fn particles(self, particles: usize) -> Self {
        self.set(|algorithm| algorithm.as_mut().particles = particles)
    }

    /// Mutation steps M at each temperature or level: a number, or [`Mutations::adaptive`], the default (with at most 2000 steps at a level
    /// of nested sampling).
    pub fn mutations(self, mutations: impl Into<Mutations>) -> Self {
        self.set(|algorithm| algorithm.as_mut().mutations = Arc::new(mutations.into()))
    }

    /// A user-defined rule for the number of mutation steps at each temperature or level.
    pub fn move_policy(self, policy: impl MovePolicy + 'static) -> Self {
        self.set(|algorithm| algorithm.as_mut().mutations = Arc::new(policy))
    }
}

impl<A: AsMut<Length>, K, P> Builder<A, K, P> {
    /// Number of chains, from 1 to a million. Parallel tempering needs at least 2 for a standard error of the log evidence, and multiples
    /// of 8 fill its SIMD lanes.
    pub fn chains(self, chains: usize) -> Self {
        self.set(|algorithm| algorithm.as_mut().chains = chains)
    }

    /// Steps B of a chain, or scans of parallel tempering, before the first draw is kept, when kernels (and the ladder) are tuned; at most
    /// 10⁹.
    #[doc(alias = "warmup")]
    #[doc(alias = "tune")]
    pub fn burn_in(self, steps: usize) -> Self {
        self.set(|algorithm| algorithm.as_mut().burn_in = steps)
    }
}

impl<A: AsMut<Training>> Builder<A> {
    /// The optimiser: [`Adam`], [`AdamW`](crate::optimise::AdamW), [`Sgd`](crate::optimise::Sgd), or, for exact gradients of a point
    /// estimate or an ensemble (their default), [`Lbfgs`](crate::optimise::Lbfgs).
    pub fn optimiser(self, optimiser: impl Optimiser + 'static) -> Self {
        self.set(|algorithm| algorithm.as_mut().optimiser = Arc::new(optimiser))
    }

    /// Short for `.optimiser(Adam::new(learning_rate))`.
    pub fn adam(self, learning_rate: f64) -> Self {
        self.optimiser(Adam::new(learning_rate))
    }

    /// Maximum number of epochs, at least 1: passes over all training rows. By default 1000 for point estimates and ensembles, 5000 for
    /// variational inference, 100 that count for SWAG, and 200 for maximum marginal likelihood.
    pub fn epochs(self, epochs: usize) -> Self {
        self.set(|algorithm| algorithm.as_mut().epochs = epochs)
    }
}

impl<A: ChoosesRows> Builder<A> {
    /// Rows of a minibatch, at least 1. The model has rows (`#[rows]`), and the optimiser is not L-BFGS.
    pub fn minibatch(self, rows: usize) -> Builder<A::OnSome> {
        self.with(|algorithm| algorithm.on_some(|some| some.minibatch = Some(rows)))
    }
}

impl<A: ChoosesRows + AsMut<FitSettings>> Builder<A> {
    /// Holds out this share of the rows, above 0 and below 1, drawn at random by the seed. The optimisation stops by the loss of these
    /// rows ([`EarlyStopping`]), each member of an ensemble independently. The model has rows (`#[rows]`).
    pub fn validation(self, share: f64) -> Builder<A::OnSome> {
        self.with(|algorithm| algorithm.on_some(|some| some.validation = Some(share)))
    }
}

impl<A: AsMut<FitSettings>> Builder<A> {
    /// Whether the Jacobians of the transforms count: with them the mode of the unconstrained coordinates, without (the default) the mode
    /// of the values. A density written by hand is maximised as it is.
    pub fn jacobian(self, jacobian: bool) -> Self {
        self.set(|algorithm| algorithm.as_mut().set_jacobian(jacobian))
    }

    /// When to stop by the validation loss, and whether the last or the best weights are returned. Each member of an ensemble stops
    /// independently.
    pub fn early_stopping(self, rule: EarlyStopping) -> Self {
        self.set(|algorithm| algorithm.as_mut().stopping = Some(rule))
    }
}

impl<A: MakesDraws, K, P> Builder<A, K, P> {
    /// Draws kept of each chain, at least 1; at most 10⁹ of all chains together. Parallel tempering keeps one of every scan. Of an
    /// approximation: the number of independent draws, at least 2. 1000 by default.
    pub fn draws(self, draws: usize) -> Self {
        self.set(|algorithm| *algorithm.draws() = draws)
    }
}
