//! Deep ensembles: the ends of several optimisations from different starting points, as a run.

use super::approximation::independent;
use super::map::{
    AllRows, Optimisation, Settings, SomeRows, TrainsOn, require_finite, require_mode,
};
use crate::density::{LogDensity, Particles};
use crate::engine::builder::{Algorithm, Builder, ChoosesRows, Runner};
use crate::engine::fit::training::Training;
use crate::engine::save::outcome::Made;
use crate::error::Error;
use crate::model::{Differentiable, Model};
use crate::run::{Fit, Independent, Objective, Run, Spool};

/// Builder of a deep ensemble (Lakshminarayanan, Pritzel and Blundell 2017); `run` makes a [`Run`] whose draws are the members.
///
/// The members are the ends of optimisations of the posterior density that differ in their starting points, each a prior draw. All
/// members have equal weight. Eight advance together in SIMD lanes and see the same minibatches.
///
/// Members are modes, not draws from the posterior: their spread shows where optimisations end. The spread is small where all find the
/// same mode, however wide the posterior is. The standard errors of the run are standard errors of a mean over members.
///
/// ```
/// use bayes_core::density::{Block, LogDensity};
/// use bayes_core::engine::Inference;
///
/// /// Two modes, at -1 and 1.
/// struct Wells;
///
/// impl LogDensity for Wells {
///     fn dim(&self) -> usize {
///         1
///     }
///     fn evaluate(&self, block: &mut Block<'_>) {
///         block.fill(|x| [0.0, -8.0 * (x[0] * x[0] - 1.0).powi(2)]);
///     }
/// }
///
/// let run = Inference::ensemble(10).seed(1).run_on(&Wells)?;
/// let members = run.draws("x")?.values;
/// assert!(members.iter().all(|x| (x.abs() - 1.0).abs() < 1e-3));
/// assert!(members.iter().any(|x| *x < 0.0) && members.iter().any(|x| *x > 0.0));
/// # Ok::<(), bayes_core::Error>(())
/// ```
pub type DeepEnsemble<R = AllRows> = Builder<Ensemble<R>>;

/// The settings of the optimisations, one for each member.
#[derive(Clone, Debug)]
pub struct Ensemble<R> {
    map: Optimisation<R>,
}

impl Ensemble<AllRows> {
    pub(in crate::engine) fn new(members: usize) -> Self {
        let mut map = Optimisation::point(Objective::Values);
        map.settings.restarts = members;
        // the likeliest of several prior draws would be near the same mode for all members
        map.settings.candidates = 1;
        Self { map }
    }
}

impl<R: Into<SomeRows>> ChoosesRows for Ensemble<R> {
    type OnSome = Ensemble<SomeRows>;

    fn on_some(self, change: impl FnOnce(&mut SomeRows)) -> Self::OnSome {
        Ensemble {
            map: self.map.on_some(change),
        }
    }
}

impl<R> AsMut<Training> for Ensemble<R> {
    fn as_mut(&mut self) -> &mut Training {
        &mut self.map.settings.training
    }
}

impl<R> AsMut<Settings> for Ensemble<R> {
    fn as_mut(&mut self) -> &mut Settings {
        &mut self.map.settings
    }
}

/// On a density, whose values are maximised as by [`DeepEnsemble::run`].
impl Algorithm for Ensemble<AllRows> {
    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        _: Option<Spool>,
    ) -> Result<Made, Error> {
        runner.check()?;
        let map = &runner.own.map;
        let values = match map.settings.objective {
            Objective::Coordinates => None,
            _ => density.of_values(),
        };
        let fit = map.fit_on(&runner.common, values.as_deref().unwrap_or(density))?;
        Ok(Made::of(runner.collect(density, &fit)?))
    }
}

impl<R> DeepEnsemble<R> {
    /// Optimises all members.
    ///
    /// # Errors
    /// As [`Map::run`](crate::engine::Map::run); [`Error::Setting`] for no members; [`Error::Approximation`] with the first member whose loss
    /// became NaN, or that ran to the edge of the space, where there is no mode.
    pub fn run<Mo: Model + Differentiable>(&self, model: &Mo) -> Result<Run, Error>
    where
        R: TrainsOn<Mo>,
    {
        self.runner.run(model, None)
    }

    /// As [`DeepEnsemble::run`], but members stop by the loss on the data of another model of the same function.
    ///
    /// # Errors
    /// As [`DeepEnsemble::run`] and [`Map::run_validated`](crate::engine::Map::run_validated).
    pub fn run_validated<Mo: Model + Differentiable>(
        &self,
        model: &Mo,
        validation: &Mo,
    ) -> Result<Run, Error>
    where
        R: TrainsOn<Mo>,
    {
        self.runner.run(model, Some(validation))
    }
}

impl<R> Runner<Ensemble<R>> {
    fn run<Mo: Model + Differentiable>(
        &self,
        model: &Mo,
        validation: Option<&Mo>,
    ) -> Result<Run, Error>
    where
        R: TrainsOn<Mo>,
    {
        self.check()?;
        let fit = self.own.map.fit(&self.common, model, validation)?;
        self.collect(&self.common.posterior(model)?, &fit)
    }

    fn check(&self) -> Result<(), Error> {
        self.common.refuse_parts()?;
        let members = self.own.map.settings.restarts;
        let holds = (1..=1_000_000).contains(&members);
        Error::setting("members", members, holds, "from 1 to 1000000")
    }

    /// The members as draws, evaluated on all rows.
    fn collect(&self, density: &dyn LogDensity, fit: &Fit) -> Result<Run, Error> {
        let dim = density.dim();
        let mut particles = Particles::new(fit.restarts.len(), dim);
        let rows = particles.positions.chunks_exact_mut(dim);
        for (number, (row, member)) in rows.zip(&fit.restarts).enumerate() {
            let what = || format!("member {number} of the ensemble");
            require_finite(member, &fit.model, what)?;
            require_mode(member, &fit.model, what)?;
            row.copy_from_slice(&member.position);
        }
        let mut group = independent(density, particles, Independent::default());
        group.counts.merge(&fit.counts);
        let mut settings = fit.settings.clone();
        settings.remove("restarts");
        settings.insert("members".to_owned(), fit.restarts.len().to_string());
        Ok(self.common.run_of_draws(density, settings, group))
    }
}
