//! The builder of every engine: an algorithm with its own settings, and the settings that engines share.
//!
//! `common` has the setters of [`Common`]; `shared` has the setters that several algorithms have.

mod common;
mod shared;

pub use common::Divisible;
pub use shared::{ChoosesRows, MakesDraws};

use super::Engine;
use super::anchor::{OwnPrior, SuitsPriorOf};
use super::common::Common;
use super::save::outcome::Made;
use crate::density::LogDensity;
use crate::error::Error;
use crate::kernel::{Kernel, Moves};
use crate::model::Model;
use crate::observe::Memory;
use crate::run::{Run, RunFile, Spool};
use std::fmt::{self, Debug, Formatter};
use std::marker::PhantomData;
use std::path::Path;

/// An engine as a builder: an algorithm `A` with its own settings, and the settings that engines share. [`Inference`](super::Inference)
/// makes it; it ends in `run(&model)`.
///
/// `K` is the kernel, [`NoKernel`] for an algorithm without one, and `P` the prior. Both are types only, for the bounds on models. A setting that
/// has no meaning for an algorithm does not compile:
///
/// ```
/// # use bayes_core::engine::Inference;
/// let engine = Inference::psmc().islands(16).shard(0, 2);
/// ```
///
/// ```compile_fail,E0599
/// # use bayes_core::engine::Inference;
/// let engine = Inference::nuts().islands(16);
/// ```
///
/// ```compile_fail,E0599
/// # use bayes_core::engine::Inference;
/// let engine = Inference::vi().shard(0, 2);
/// ```
///
/// ```compile_fail,E0599
/// # use bayes_core::engine::Inference;
/// let engine = Inference::nested().gradient_limit(10_000);
/// ```
#[must_use = "an engine does nothing until `.run(&model)`"]
pub struct Builder<A, K = NoKernel, P = OwnPrior> {
    pub(crate) runner: Runner<A>,
    types: PhantomData<fn() -> (K, P)>,
}

/// The kernel of an engine that moves nothing: no kernel.
#[derive(Clone, Copy, Debug)]
pub struct NoKernel;

/// A builder without the types of kernel and prior, which only the bounds on models need. The code that runs an algorithm is therefore
/// compiled once, not with every model.
#[derive(Clone, Debug)]
pub struct Runner<A> {
    pub(crate) common: Common,
    pub(crate) own: A,
}

/// What an engine does with its settings. It makes a [`Builder`] an [`Engine`].
pub trait Algorithm: Clone + Debug + Send + Sync {
    /// As [`Engine::units`].
    fn units(&self) -> usize {
        1
    }

    /// As [`Engine::memory`].
    fn memory(runner: &Runner<Self>, density: &dyn LogDensity) -> Option<Memory> {
        let _ = (runner, density);
        None
    }

    /// The run on a density; its draws are in the spool, if there is one and the algorithm has islands or chains that finish one by one.
    ///
    /// # Errors
    /// As [`Engine::run_on`].
    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        spool: Option<Spool>,
    ) -> Result<Made, Error>;
}

impl<A, K, P> Builder<A, K, P> {
    /// The engine with this name and algorithm, and common settings by default.
    pub(crate) fn new(engine: &'static str, own: A) -> Self {
        Self::of(Runner {
            common: Common::new(engine),
            own,
        })
    }

    pub(crate) fn of(runner: Runner<A>) -> Self {
        Self {
            runner,
            types: PhantomData,
        }
    }

    /// The same engine with another algorithm, for another kernel or prior.
    pub(crate) fn with<B, L, Q>(self, change: impl FnOnce(A) -> B) -> Builder<B, L, Q> {
        Builder::of(Runner {
            common: self.runner.common,
            own: change(self.runner.own),
        })
    }

    /// The same engine after a change of its algorithm.
    pub(crate) fn set(mut self, change: impl FnOnce(&mut A)) -> Self {
        change(&mut self.runner.own);
        self
    }
}

impl<A: Algorithm, K: Kernel, P> Builder<A, K, P> {
    /// Runs the engine on `model`.
    ///
    /// # Errors
    /// Before the first move: a setting out of range, an instruction set that the processor does not support, data that do not fit the
    /// model, or no starting point. Chains and tempering need a starting point of finite density among 100 prior draws, islands a particle
    /// of positive likelihood; islands and tempering need a proper prior.
    ///
    /// Of SMC also [`Error::Ladder`] after 500 temperatures, or 100 tiny ones that do not grow, if their progress shows that the ladder
    /// would not end, and [`Error::Resolution`] if the ladder ended at a log likelihood so large that its differences are lost to rounding.
    pub fn run<Mo: Model>(&self, model: &Mo) -> Result<Run, Error>
    where
        K: Moves<Mo>,
        P: SuitsPriorOf<Mo>,
    {
        let common = &self.runner.common;
        common.run_on_model(model, &|density| self.run_on(density))
    }

    /// Same as [`run`](Self::run), with the draws in a file. Islands and groups of chains leave memory when they are finished, so
    /// that memory depends only on the number of running ones. The file has the bytes of [`Run::save`](crate::run::Run::save) of the
    /// same run.
    ///
    /// ```text
    /// let file = Inference::psmc().islands(100_000).run_to_file(&model, "all.run")?;
    /// println!("{}", file.select(["mu", "tau"])?);     // a run with these quantities alone
    /// ```
    ///
    /// During the run the finished groups are in a file beside the result, whose name ends in `.unsaved`. A run that may be killed
    /// also needs [`checkpoint`](Self::checkpoint); finished groups then leave memory once they are in the folder of checkpoints. For
    /// a while there are two copies of the draws on the disk, with checkpoints three. If the last write fails, for example on a full
    /// disk, and the checkpoints are incomplete, `.unsaved` stays, and [`RunFile::open`](crate::run::RunFile::open) reads it. If
    /// `.unsaved` found no room either, the run goes to the folder for temporary files, or else comes back in the error.
    ///
    /// The file always holds a whole run. The finished groups of a stopped run are in the folder of checkpoints, and the error is
    /// [`Error::Stopped`](crate::Error::Stopped). Without such a folder they are in the file of
    /// [`Run::file_for`](crate::run::Run::file_for).
    ///
    /// # Errors
    /// The errors of [`run`](Self::run); [`Error::Run`](crate::Error::Run) and [`Error::File`](crate::Error::File) if the file cannot
    /// be written, before the run where possible; [`FileError::Unsaved`](crate::run::FileError::Unsaved) if the draws are in another
    /// file, and [`Error::NotSaved`](crate::Error::NotSaved) if they are in memory.
    pub fn run_to_file<Mo: Model>(
        &self,
        model: &Mo,
        path: impl AsRef<Path>,
    ) -> Result<RunFile, Error>
    where
        K: Moves<Mo>,
        P: SuitsPriorOf<Mo>,
    {
        self.run_to_file_on(&self.runner.common.posterior(model)?, path)
    }
}

impl<A: Algorithm, K, P> Builder<A, K, P> {
    /// Runs the engine on a density. An ensemble maximises the density of its values, if it knows them ([`LogDensity::of_values`]); other
    /// optimisers train on it as it is, with or without Jacobians.
    ///
    /// # Errors
    /// Same as `run`; [`Error::NoPrior`] if the engine or its kernel needs a prior and the density has none.
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        Ok(A::made(&self.runner, density, None)?.run)
    }

    /// Same as [`run_on`](Self::run_on), with the draws in a file; see [`run_to_file`](Self::run_to_file).
    ///
    /// # Errors
    /// The errors of [`run_on`](Self::run_on), and errors of the file.
    pub fn run_to_file_on(
        &self,
        density: &dyn LogDensity,
        path: impl AsRef<Path>,
    ) -> Result<RunFile, Error> {
        let path = path.as_ref();
        Run::may_save(path)?;
        let made = A::made(&self.runner, density, Some(Spool::beside(path)?))?;
        made.into_file(path, &self.runner.common)
    }
}

impl<A: Algorithm, K, P> Engine for Builder<A, K, P> {
    fn common(&self) -> &Common {
        &self.runner.common
    }

    fn common_mut(&mut self) -> &mut Common {
        &mut self.runner.common
    }

    fn units(&self) -> usize {
        self.runner.own.units()
    }

    fn memory(&self, density: &dyn LogDensity) -> Option<Memory> {
        A::memory(&self.runner, density)
    }

    fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        Self::run_on(self, density)
    }

    fn run_to_file_on(&self, density: &dyn LogDensity, path: &Path) -> Result<RunFile, Error> {
        Self::run_to_file_on(self, density, path)
    }
}

impl<A: Clone, K, P> Clone for Builder<A, K, P> {
    fn clone(&self) -> Self {
        Self::of(self.runner.clone())
    }
}

impl<A: Debug, K, P> Debug for Builder<A, K, P> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        self.runner.fmt(f)
    }
}
