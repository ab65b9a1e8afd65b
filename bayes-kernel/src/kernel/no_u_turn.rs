//! What the kernels have in common whose trajectories end when they turn back: NUTS, and WALNUTS, which divides its steps.

use super::hmc::Hmc;
use super::lockstep::Lockstep;
use super::macro_step::Halving;
use super::metric::{Mass, Metric, validate_mass};
use super::{
    Adjustable, ChainBlock, Kernel, Population, Target, Tuning, Visit, Workspace,
    require_continuous, validate_step_size, validate_target_acceptance,
};
use crate::density::{Block, LogDensity};
use crate::error::Error;
use crate::rng::Stream;
use std::fmt::Debug;

/// The largest allowed maximum depth: a million steps.
const DEEPEST: u32 = 20;

/// The settings of every such kernel.
#[derive(Debug)]
pub struct Settings<'a> {
    pub step_size: Option<f64>,
    pub target_acceptance: f64,
    pub max_depth: u32,
    pub mass: &'a Mass,
}

/// A kernel of trajectories that end when they turn back; [`Kernel`] follows from it.
pub trait NoUTurn: Debug + Send + Sync + 'static {
    /// The name of the kernel's file.
    const NAME: &'static str;

    /// The settings.
    fn settings(&self) -> Settings<'_>;

    /// As [`Kernel::adjustable`].
    fn adjustable(&mut self) -> Adjustable<'_>;

    /// How its steps are divided.
    fn halving(&self) -> Halving;

    /// The kernel of one step that finds the initial step size, with the target acceptance 0.8.
    fn single_step(&self) -> Hmc;

    /// Checks how its steps are divided.
    ///
    /// # Errors
    /// As [`Kernel::validate`].
    fn validate_halving(&self) -> Result<(), Error>;
}

impl<K: NoUTurn> Kernel for K {
    fn name(&self) -> &'static str {
        K::NAME
    }

    fn needs_gradient(&self) -> bool {
        true
    }

    fn moves_together(&self) -> bool {
        false
    }

    fn max_depth(&self) -> Option<u32> {
        Some(self.settings().max_depth)
    }

    fn target_acceptance(&self) -> Option<f64> {
        let settings = self.settings();
        let is_tuned = settings.step_size.is_none();
        is_tuned.then_some(settings.target_acceptance)
    }

    fn adjustable(&mut self) -> Adjustable<'_> {
        NoUTurn::adjustable(self)
    }

    fn pilot(&self) -> Option<Box<dyn Kernel>> {
        let target = self.settings().target_acceptance;
        Some(Box::new(self.single_step().target_acceptance(target)))
    }

    fn validate(&self, density: &dyn LogDensity) -> Result<(), Error> {
        let settings = self.settings();
        require_continuous(self.name(), density)?;
        validate_step_size(settings.step_size)?;
        validate_target_acceptance(settings.target_acceptance)?;
        let depth = settings.max_depth;
        let holds = (1..=DEEPEST).contains(&depth);
        Error::setting("max_depth", depth, holds, "from 1 to 20")?;
        self.validate_halving()?;
        validate_mass(settings.mass, density.dim())
    }

    fn init(&self, density: &dyn LogDensity) -> Result<Tuning, Error> {
        let settings = self.settings();
        let mut tuning = Hmc::new().mass(settings.mass.clone()).init(density)?;
        if let Some(step_size) = settings.step_size {
            tuning.step_size = step_size;
        }
        Ok(tuning)
    }

    fn fits_gradients(&self) -> bool {
        self.settings().mass.fits_gradients()
    }

    fn fit(&self, tuning: &mut Tuning, population: Population<'_>) {
        let metric = tuning.shape_mut::<Metric>();
        metric.fit_chains(self.settings().mass, population);
    }

    fn restore(&self, tuning: &mut Tuning) -> Result<(), Error> {
        tuning.restore::<Metric>()
    }

    fn step(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        block: &mut Block<'_>,
        streams: &mut [Stream],
        workspace: &mut Workspace,
    ) {
        let step_size = tuning.step_size;
        let chains = ChainBlock {
            block,
            streams,
            workspace,
        };
        self.transitions(tuning, target, chains, 1, &mut |_| step_size);
    }

    fn transitions(
        &self,
        tuning: &Tuning,
        target: Target<'_>,
        chains: ChainBlock<'_, '_>,
        count: usize,
        visit: &mut dyn FnMut(Visit<'_>) -> f64,
    ) {
        if count == 0 {
            return;
        }
        let trajectories = (self.settings().max_depth, self.halving());
        Lockstep::new(tuning, target, chains, trajectories).run(count, visit);
    }
}
