//! The common part of all engine builders: seed, evaluation of the model, progress, and the resulting run.

use super::shard::Shard;
use crate::density::{ArithmeticSettings, LogDensity};
use crate::error::Error;
use crate::kernel::Kernel;
use crate::observe::{Observer, Observers, Progress};
use crate::run::{FORMAT, Group, GroupKind, Run, Weighting};
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

/// The settings of every engine.
#[derive(Clone, Debug)]
pub struct Common {
    /// The name of the engine.
    pub engine: &'static str,
    /// The seed of every random number.
    pub seed: u64,
    /// How a model is evaluated.
    pub arithmetic: ArithmeticSettings,
    /// Which part of the run this process makes; all of it if none is given.
    pub shard: Option<Shard>,
    /// Whether to show progress on stderr, where that is a terminal.
    pub progress: bool,
    /// Additional observers of the run.
    pub observers: Vec<Arc<dyn Observer>>,
}

impl Common {
    /// Seed 0, arithmetic chosen by the library, progress shown.
    #[must_use]
    pub fn new(engine: &'static str) -> Self {
        Self {
            engine,
            seed: 0,
            arithmetic: ArithmeticSettings::default(),
            shard: None,
            progress: true,
            observers: Vec::new(),
        }
    }

    /// The units of this process among `all`, which are islands or groups of chains; `units` says how many there are.
    ///
    /// # Errors
    /// [`Error::Setting`] if there is no such [`Shard`].
    pub(super) fn share(&self, all: Range<u64>, units: &str) -> Result<Range<u64>, Error> {
        match self.shard {
            Some(shard) => shard.share(all, units),
            None => Ok(all),
        }
    }

    /// All observers of a run with this number of groups.
    #[must_use]
    pub fn observers(&self, groups: usize) -> Observers {
        let mut observers = self.observers.clone();
        let progress = Progress::new(self.progress, groups);
        if !progress.is_hidden() {
            observers.push(Arc::new(progress));
        }
        Observers(observers)
    }

    /// The run with these groups.
    #[must_use]
    pub fn run(
        &self,
        density: &dyn LogDensity,
        kernel: &dyn Kernel,
        (kind, weighting): (GroupKind, Weighting),
        settings: BTreeMap<String, String>,
        groups: Vec<Group>,
    ) -> Run {
        let gradient_fault = match kernel.needs_gradient() {
            true => density.gradient_fault(),
            false => None,
        };
        let run = self.run_without_kernel(density, (kind, weighting), settings, groups);
        Run {
            kernel: kernel.name().to_owned(),
            gradient_fault,
            ..run
        }
    }

    /// The run with these groups of an engine without a kernel, whose name takes the kernel's place.
    pub(super) fn run_without_kernel(
        &self,
        density: &dyn LogDensity,
        (kind, weighting): (GroupKind, Weighting),
        settings: BTreeMap<String, String>,
        groups: Vec<Group>,
    ) -> Run {
        let description = density.describe();
        Run {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            model: description.name,
            fingerprint: format!("{:016x}", density.quantities().fingerprint()),
            engine: self.engine.to_owned(),
            kernel: self.engine.to_owned(),
            settings,
            seed: self.seed,
            arithmetic: description.arithmetic,
            gradient_fault: None,
            kind,
            weighting,
            layout: description.layout,
            statements: description.statements,
            part_of: None,
            groups,
        }
    }
}

/// Settings by name, as they are stored with a run.
pub(super) fn named_texts<const N: usize>(
    settings: [(&str, String); N],
) -> BTreeMap<String, String> {
    settings.map(|(name, text)| (name.to_owned(), text)).into()
}

/// The setters of [`Common`], inside the `impl` of a builder with a field `common`.
macro_rules! common_setters {
    () => {
        /// How gradients are computed; reverse mode by default.
        pub fn gradient(mut self, gradient: crate::density::GradientMode) -> Self {
            self.common.arithmetic.gradient = gradient;
            self
        }

        /// The instruction set; by default the fastest of the processor. Results may differ in the last bits between
        /// instruction sets.
        pub fn instruction_set(mut self, level: bayes_autodiff::simd::InstructionSet) -> Self {
            self.common.arithmetic.instruction_set = Some(level);
            self
        }

        /// The seed of all random numbers. The same seed gives the same bits for any number of threads.
        pub fn seed(mut self, seed: u64) -> Self {
            self.common.seed = seed;
            self
        }

        /// Adds an observer, which is called during the run.
        pub fn observer(mut self, observer: std::sync::Arc<dyn crate::observe::Observer>) -> Self {
            self.common.observers.push(observer);
            self
        }

        /// Whether to show progress on stderr (only if that is a terminal).
        pub fn progress(mut self, show: bool) -> Self {
            self.common.progress = show;
            self
        }
    };
}
pub(super) use common_setters;

/// The setter of [`Common::shard`], inside the `impl` of a builder whose groups can be spread over processes.
macro_rules! shard_setter {
    () => {
        /// Only part `index` of `of` parts, from 0, of a run that is spread over several processes.
        ///
        /// [`Run::merge`](crate::run::Run::merge) makes of all parts, in any order, the bytes of the whole run. Islands are dealt
        /// one by one; chains in the groups that are tuned together, 16 of them, or 8 with parallel tempering.
        pub fn shard(mut self, index: usize, of: usize) -> Self {
            self.common.shard = Some(crate::engine::Shard { index, of });
            self
        }
    };
}
pub(super) use shard_setter;

/// Makes a builder with a kernel, a field `common` and a method `run_on` an [`Engine`](super::Engine).
macro_rules! engine {
    ($builder:ident) => {
        impl<K: crate::kernel::Kernel> crate::engine::Engine for $builder<K> {
            fn common(&self) -> &Common {
                &self.common
            }

            fn common_mut(&mut self) -> &mut Common {
                &mut self.common
            }

            fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
                Self::run_on(self, density)
            }
        }
    };
}
pub(super) use engine;
