//! What the builders of all engines share: a seed, how the model is evaluated, progress, and the run at the end.

use crate::density::{ArithmeticSettings, Density};
use crate::run::{Group, Run, Weighting};

/// The settings of every engine.
#[derive(Clone, Debug)]
pub(super) struct Common {
    pub(super) engine: &'static str,
    pub(super) seed: u64,
    pub(super) arithmetic: ArithmeticSettings,
    pub(super) progress: bool,
}

impl Common {
    /// Seed 0, arithmetic chosen by the library, progress shown.
    pub(super) fn new(engine: &'static str) -> Self {
        Self {
            engine,
            seed: 0,
            arithmetic: ArithmeticSettings::default(),
            progress: true,
        }
    }

    /// The run that these groups make.
    pub(super) fn run(
        &self,
        density: &dyn Density,
        kernel: &str,
        weighting: Weighting,
        groups: Vec<Group>,
    ) -> Run {
        Run {
            model: density.name().to_owned(),
            engine: self.engine.to_owned(),
            kernel: kernel.to_owned(),
            seed: self.seed,
            arithmetic: density.arithmetic().clone(),
            weighting,
            layout: density.layout().clone(),
            statements: density.statements(),
            groups,
        }
    }
}

/// The setters of [`Common`], inside the `impl` of a builder with a field `common`.
macro_rules! common_setters {
    () => {
        /// How gradients are computed; reverse mode unless set.
        pub fn gradient(mut self, gradient: crate::density::Gradient) -> Self {
            self.common.arithmetic.gradient = gradient;
            self
        }

        /// The instruction set; the fastest of the processor unless set. Two of them may differ in the last bits of a
        /// result.
        pub fn instruction_set(mut self, level: bayes_autodiff::simd::Level) -> Self {
            self.common.arithmetic.instruction_set = Some(level);
            self
        }

        /// The seed of every random number: same seed, same bits, for any number of threads.
        pub fn seed(mut self, seed: u64) -> Self {
            self.common.seed = seed;
            self
        }

        /// Whether to show progress on stderr (only where that is a terminal).
        pub fn progress(mut self, show: bool) -> Self {
            self.common.progress = show;
            self
        }
    };
}
pub(super) use common_setters;
