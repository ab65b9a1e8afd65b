//! A kernel chosen at run time.

use super::{Adjustable, ChainBlock, Kernel, Population, Target, Tuning, Visit, Workspace};
use crate::density::{Block, LogDensity};
use crate::error::Error;
use crate::rng::Stream;
use std::sync::Arc;

/// Forwards every method to the kernel, including methods with a default.
macro_rules! forwarded {
    ($pointer:ty, |$kernel:ident| $inner:expr) => {
        impl Kernel for $pointer {
            fn name(&self) -> &'static str {
                (**self).name()
            }
            fn needs_gradient(&self) -> bool {
                (**self).needs_gradient()
            }
            fn needs_proper_prior(&self) -> Option<&'static str> {
                (**self).needs_proper_prior()
            }
            fn target_acceptance(&self) -> Option<f64> {
                (**self).target_acceptance()
            }
            fn max_step_size(&self, tuning: &Tuning) -> f64 {
                (**self).max_step_size(tuning)
            }
            fn pilot(&self) -> Option<Box<dyn Kernel>> {
                (**self).pilot()
            }
            fn for_chains(&self) -> Option<Box<dyn Kernel>> {
                (**self).for_chains()
            }
            fn walk(&self) -> Option<Box<dyn Kernel>> {
                (**self).walk()
            }
            fn trajectory_steps(&self, tuning: &Tuning) -> usize {
                (**self).trajectory_steps(tuning)
            }
            fn max_depth(&self) -> Option<u32> {
                (**self).max_depth()
            }
            fn fits_gradients(&self) -> bool {
                (**self).fits_gradients()
            }
            fn moves_together(&self) -> bool {
                (**self).moves_together()
            }
            fn adjustable(&mut self) -> Adjustable<'_> {
                let $kernel = self;
                $inner
            }
            fn validate(&self, density: &dyn LogDensity) -> Result<(), Error> {
                (**self).validate(density)
            }
            fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
                (**self).init(density)
            }
            fn fit(&self, tuning: &mut Tuning, population: Population<'_>) {
                (**self).fit(tuning, population);
            }
            fn restore(&self, tuning: &mut Tuning) -> Result<(), Error> {
                (**self).restore(tuning)
            }
            fn step(
                &self,
                tuning: &Tuning,
                target: Target<'_>,
                block: &mut Block<'_>,
                streams: &mut [Stream],
                workspace: &mut Workspace,
            ) {
                (**self).step(tuning, target, block, streams, workspace);
            }
            fn transitions(
                &self,
                tuning: &Tuning,
                target: Target<'_>,
                chains: ChainBlock<'_, '_>,
                count: usize,
                visit: &mut dyn FnMut(Visit<'_>) -> f64,
            ) {
                (**self).transitions(tuning, target, chains, count, visit);
            }
        }
    };
}

forwarded!(Box<dyn Kernel>, |kernel| (**kernel).adjustable());
// for engines that can be cloned; a kernel with several owners keeps its settings
forwarded!(Arc<dyn Kernel>, |kernel| Arc::get_mut(kernel)
    .map_or_else(Adjustable::default, |kernel| kernel.adjustable()));
