//! Engines: SMC, pSMC and Markov chains, and the builder that chooses among them.

mod builder;
mod burn_in;
mod chains;
mod group;
mod island;
mod mover;
mod mutations;
mod path;
mod psmc;
mod record;
mod resample;
mod sampler;
mod schedule;
mod step_size;
mod tune;

pub use builder::Common;
pub use chains::Chains;
pub use island::Island;
pub use mover::Mover;
pub use mutations::{MovePolicy, MoveWatch, Mutations};
pub use path::Path;
pub use psmc::Smc;
pub use resample::Resampling;
pub use sampler::Sampler;
pub use schedule::Schedule;

use crate::density::{LogDensity, Posterior};
use crate::error::Error;
use crate::kernel::{self, Hmc, Kernel, Nuts, Pcn, RandomWalk};
use crate::model::Model;
use crate::run::Run;
use std::fmt::Debug;

/// An engine with its settings, which makes a run from a density.
///
/// The builders of [`Inference`] are engines; [`Inference::by_name`] chooses one at run time.
pub trait Engine: Debug + Send + Sync {
    /// `smc`, `psmc`, `nuts`, `hmc`, `pcn`, `random_walk`, or the name of a user-defined engine.
    fn name(&self) -> &'static str {
        self.common().engine
    }

    /// The settings that all engines share.
    fn common(&self) -> &Common;

    /// The settings that all engines share, to be changed.
    fn common_mut(&mut self) -> &mut Common;

    /// Runs on a density.
    ///
    /// # Errors
    /// A setting out of range, a density without a property that the engine or its kernel needs, or a density that is not
    /// finite at any starting point.
    fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error>;
}

impl dyn Engine {
    /// Runs on a model.
    ///
    /// # Errors
    /// As [`Engine::run_on`], and data that do not fit the model. Combinations that the builders reject at compile
    /// time, such as HMC on a model with discrete random values, are errors here.
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error> {
        let common = self.common();
        let posterior = Posterior::with(model, common.seed, common.arithmetic)?;
        self.run_on(&posterior)
    }
}

/// Every engine by its name, with a kernel.
type Make = fn(Box<dyn Kernel>) -> Box<dyn Engine>;

/// The engines, each with its default kernel.
const ENGINES: &[(&str, &str, Make)] = &[
    ("smc", "hmc", |kernel| {
        Box::new(Inference::smc().kernel(kernel))
    }),
    ("psmc", "hmc", |kernel| {
        Box::new(Inference::psmc().kernel(kernel))
    }),
    ("nuts", "nuts", |kernel| Box::new(Inference::chains(kernel))),
    ("hmc", "hmc", |kernel| Box::new(Inference::chains(kernel))),
    ("pcn", "pcn", |kernel| Box::new(Inference::chains(kernel))),
    ("random_walk", "random_walk", |kernel| {
        Box::new(Inference::chains(kernel))
    }),
];

/// Chooses an engine; every engine is a builder that ends in `run(&model)`.
///
/// | engine | what it is | defaults |
/// |---|---|---|
/// | [`Inference::smc`] | one SMC sampler | 1 island of 1024 particles |
/// | [`Inference::psmc`] | independent islands, weighted by their evidence | 8 islands of 256 particles |
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

    /// Parallel SMC: independent islands ("SMC Is All You Need", Algorithm 2).
    pub fn psmc() -> Smc<Hmc> {
        Smc::new("psmc", 8, 256)
    }

    /// Chains of any kernel. With a gradient kernel: 1000 steps of burn-in, and every state is kept. Without: 5000
    /// steps, and every 10th state is kept.
    pub fn chains<K: Kernel>(kernel: K) -> Chains<K> {
        let (burn_in, thin) = if kernel.needs_gradient() {
            (1000, 1)
        } else {
            (5000, 10)
        };
        Chains::new(kernel.name(), kernel, burn_in, thin)
    }

    /// The engine with this name and its default settings; `kernel` names a kernel to replace its default kernel.
    ///
    /// ```
    /// use bayes_core::engine::Inference;
    ///
    /// let engine = Inference::by_name("psmc", Some("pcn"))?;
    /// assert_eq!(engine.name(), "psmc");
    /// assert!(Inference::by_name("gibbs", None).is_err());
    /// # Ok::<(), bayes_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Setting`] with the valid names.
    pub fn by_name(engine: &str, kernel: Option<&str>) -> Result<Box<dyn Engine>, Error> {
        let names: Vec<&str> = ENGINES.iter().map(|known| known.0).collect();
        let known = ENGINES.iter().find(|known| known.0 == engine);
        let allowed = format!("one of {}", names.join(", "));
        let unknown = || Error::Setting {
            setting: "engine",
            value: engine.to_owned(),
            allowed,
        };
        let (_, own, make) = known.ok_or_else(unknown)?;
        Ok(make(kernel::by_name(kernel.unwrap_or(own))?))
    }

    /// Chains of the No-U-Turn sampler, with the defaults of Stan.
    pub fn nuts() -> Chains<Nuts> {
        Self::chains(Nuts::new())
    }

    /// Hamiltonian Monte Carlo chains; with `.chains(n).draws(1)` the papers' HMC∥.
    pub fn hmc() -> Chains<Hmc> {
        Self::chains(Hmc::new())
    }

    /// Preconditioned Crank-Nicolson chains; with `.chains(n).draws(1)` the papers' pCN∥.
    pub fn pcn() -> Chains<Pcn> {
        Self::chains(Pcn::new())
    }

    /// Random-walk Metropolis chains.
    pub fn random_walk() -> Chains<RandomWalk> {
        Self::chains(RandomWalk::new())
    }
}
