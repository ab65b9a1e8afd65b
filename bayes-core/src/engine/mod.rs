//! Engines: how particles and chains are run, and the builder that chooses among them.

mod builder;
mod burn_in;
mod chains;
mod group;
mod mover;
mod mutations;
mod psmc;
mod resample;
mod schedule;
mod smc;
mod step_size;
mod tune;

pub use chains::Chains;
pub use mutations::Mutations;
pub use psmc::Smc;
pub use resample::Resampling;
pub use schedule::Schedule;

use crate::kernel::{Hmc, Nuts, Pcn, RandomWalk};

/// Chooses an engine; every engine is a builder that ends in `run(&model)`.
///
/// | engine | what it is | starts with |
/// |---|---|---|
/// | [`Inference::smc`] | one SMC sampler | 1 island of 1024 particles |
/// | [`Inference::psmc`] | islands that never communicate, weighted by their evidence | 8 islands of 256 particles |
/// | [`Inference::nuts`] | chains of the No-U-Turn sampler | 4 chains, 1000 steps of burn-in, 1000 draws |
/// | [`Inference::hmc`] | Hamiltonian Monte Carlo chains | 4 chains, 1000 steps of burn-in, 1000 draws |
/// | [`Inference::pcn`] | pCN chains | 4 chains, 5000 steps of burn-in, 1000 draws of every 10th step |
/// | [`Inference::random_walk`] | random-walk chains | as pCN |
#[derive(Clone, Copy, Debug)]
pub struct Inference;

impl Inference {
    /// A single SMC sampler ("SMC Is All You Need", Algorithm 1).
    pub fn smc() -> Smc<Hmc> {
        Smc::new("smc", 1, 1024)
    }

    /// Parallel SMC: islands that never communicate ("SMC Is All You Need", Algorithm 2).
    pub fn psmc() -> Smc<Hmc> {
        Smc::new("psmc", 8, 256)
    }

    /// Chains of the No-U-Turn sampler, with the defaults of Stan.
    pub fn nuts() -> Chains<Nuts> {
        Chains::new("nuts", Nuts::new(), 1000, 1)
    }

    /// Hamiltonian Monte Carlo chains; with `.chains(n).draws(1)` the papers' HMC∥.
    pub fn hmc() -> Chains<Hmc> {
        Chains::new("hmc", Hmc::new(), 1000, 1)
    }

    /// Preconditioned Crank-Nicolson chains; with `.chains(n).draws(1)` the papers' pCN∥.
    pub fn pcn() -> Chains<Pcn> {
        Chains::new("pcn", Pcn::new(), 5000, 10)
    }

    /// Random-walk Metropolis chains.
    pub fn random_walk() -> Chains<RandomWalk> {
        Chains::new("random_walk", RandomWalk::new(), 5000, 10)
    }
}
