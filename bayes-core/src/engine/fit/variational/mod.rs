//! Variational inference: the Gaussian nearest to the posterior.

mod elbo;
mod family;

use crate::density::{Counts, LogDensity, Reference};
use crate::engine::builder::{Algorithm, Builder, ChoosesRows, MakesDraws, Runner};
use crate::engine::fit::approximation::{self, check_draws, refuse_improper};
use crate::engine::fit::map::{
    AllRows, Data, Optimisation, Settings, SomeRows, TrainsOn, require_finite, require_noisy,
};
use crate::engine::fit::searches::search_setters;
use crate::engine::fit::training::Training;
use crate::engine::save::outcome::Made;
use crate::error::Error;
use crate::model::{AllSampled, Differentiable, Model};
use crate::optimise::{Adam, LearningRate, Optimiser};
use crate::rng::{Key, Purpose};
use crate::run::{Fit, Objective, Run, Spool};
use elbo::{Elbo, Noisy};
use family::Family;
use std::sync::Arc;

/// Maximum number of coordinates of a full covariance, a square matrix of this size.
const MAX_DIM: usize = 2000;
/// The length of the first step of all means together, in units of the coordinates.
const FIRST_STEP: f64 = 0.1;

/// Builder of variational inference (automatic differentiation variational inference, Kucukelbir et al. 2017); `run` makes a [`Run`] of
/// independent draws of the Gaussian that maximises the evidence lower bound (ELBO).
///
/// ```text
/// ELBO(q) = E_q[ln p(x, y) − ln q(x)] = ln p(y) − KL(q ‖ p(x | y))
/// ```
///
/// in the unconstrained coordinates x, so that draws of constrained values are in their support. By default the Gaussian has independent
/// coordinates (mean field). In many dimensions this is the only choice, but its standard deviations are too small where values are
/// correlated (for a Gaussian posterior of precision A they are `1 / √Aᵢᵢ`). With [`Variational::full_rank`] it has a full covariance.
///
/// The run shows the quality of the approximation: [`Run::elbo`], and k-hat of the importance weights, with a warning from 0.5 on, where
/// weighted moments can be many of their errors off (Yao et al. 2018). [`Run::importance_weighted`] corrects an approximation that is nearly
/// right, and has the evidence; a run whose draws are off by more than a tenth of a standard deviation says so. K-hat does not see what
/// the Gaussian does not reach; climbs and short trajectories look for it, and the run warns. With an improper prior there is no evidence, and an improper posterior is refused.
///
/// # The optimisation
///
/// Gradients are reparameterised, without the score of q (Roeder, Wu and Duvenaud 2017), from eight draws, which fill the SIMD lanes. By
/// default Adam takes 5000 epochs. For d coordinates its rate falls along a cosine from 0.1/√d, or 0.1/d for a full covariance, to 0. An
/// epoch is a step with all rows, or all minibatches. The means start at the likeliest of ten prior draws, or at a fit (faster in many
/// dimensions). The standard deviations start at a tenth of the prior's, which are also the units of learning rates; without a prior, at
/// a tenth of 1.
///
/// ```
/// use bayes_core::density::{Block, LogDensity};
/// use bayes_core::engine::Inference;
///
/// /// A Gaussian with a correlation of 0.9.
/// struct Ellipse;
///
/// impl LogDensity for Ellipse {
///     fn dim(&self) -> usize {
///         2
///     }
///     fn evaluate(&self, block: &mut Block<'_>) {
///         block.fill(|x| [0.0, -(x[0] * x[0] - 1.8 * x[0] * x[1] + x[1] * x[1]) / 0.38]);
///     }
/// }
///
/// let run = Inference::vi().full_rank().run_on(&Ellipse)?;
/// let log_evidence = (std::f64::consts::TAU * 0.19f64.sqrt()).ln();
/// assert!((run.elbo().expect("it is an approximation").mean - log_evidence).abs() < 1e-3);
/// assert!(run.warnings().is_empty());
/// // mean field cannot have the correlation, and the run warns of it
/// let run = Inference::vi().run_on(&Ellipse)?;
/// assert!((run.sd("x")?[0] - 0.19f64.sqrt()).abs() < 0.05); // the exact standard deviation is 1
/// assert!(!run.warnings().is_empty());
/// # Ok::<(), bayes_core::Error>(())
/// ```
pub type Variational<R = AllRows> = Builder<VariationalInference<R>>;

/// The settings of the optimiser and of the Gaussian.
#[derive(Clone, Debug)]
pub struct VariationalInference<R> {
    map: Optimisation<R>,
    /// The optimiser unless the user chooses another; its rate then depends on the number of coordinates.
    default: Arc<dyn Optimiser>,
    is_full: bool,
    draws: usize,
    gradient_draws: usize,
}

impl VariationalInference<AllRows> {
    pub(in crate::engine) fn new() -> Self {
        let training = Training::new(Adam::new(FIRST_STEP), 5000);
        Self {
            default: Arc::clone(&training.optimiser),
            map: Optimisation::new(Objective::Coordinates, training),
            is_full: false,
            draws: 1000,
            gradient_draws: 8,
        }
    }
}

impl<R: Into<SomeRows>> ChoosesRows for VariationalInference<R> {
    type OnSome = VariationalInference<SomeRows>;

    fn on_some(self, change: impl FnOnce(&mut SomeRows)) -> Self::OnSome {
        VariationalInference {
            map: self.map.on_some(change),
            default: self.default,
            is_full: self.is_full,
            draws: self.draws,
            gradient_draws: self.gradient_draws,
        }
    }
}

impl<R> AsMut<Training> for VariationalInference<R> {
    fn as_mut(&mut self) -> &mut Training {
        &mut self.map.settings.training
    }
}

impl<R> MakesDraws for VariationalInference<R> {
    fn draws(&mut self) -> &mut usize {
        &mut self.draws
    }
}

impl Algorithm for VariationalInference<AllRows> {
    fn made(
        runner: &Runner<Self>,
        density: &dyn LogDensity,
        _: Option<Spool>,
    ) -> Result<Made, Error> {
        density.validate_for_sampling()?;
        let run = runner.approximate(density, &Data::of(density))?;
        Ok(Made::of(run))
    }
}

impl<R> Variational<R> {
    /// A full covariance instead of a diagonal one. It has d²/2 parameters for d coordinates, at most 2000.
    pub fn full_rank(mut self) -> Self {
        self.runner.common.engine = "full_rank";
        self.set(|vi| vi.is_full = true)
    }

    /// Number of draws for the estimate of each gradient, a power of 2 and at least 2; 8 by default. With mean field and a Gaussian
    /// posterior of at most half as many coordinates, gradients have no noise at the optimum.
    pub fn gradient_draws(self, draws: usize) -> Self {
        self.set(|vi| vi.gradient_draws = draws)
    }

    /// The means start at this fit.
    pub fn start(self, fit: &Fit) -> Self {
        self.set(|vi| vi.map.settings.start_at(fit))
    }

    search_setters!(" of all rows");

    /// Approximates the posterior of `model`.
    ///
    /// # Errors
    /// A setting out of range, data that do not fit the model, [`Error::Improper`], or no starting point with finite density in 100 prior
    /// draws, before the first step; [`Error::Approximation`] with epoch and statement if the ELBO becomes NaN.
    pub fn run<Mo: Model + Differentiable + AllSampled>(&self, model: &Mo) -> Result<Run, Error>
    where
        R: TrainsOn<Mo>,
    {
        let Runner { common, own } = &self.runner;
        let run =
            |density: &dyn LogDensity, data: &Data<'_>| self.runner.approximate(density, data);
        own.map.with_data(common, model, None, run)
    }
}

impl<R> Runner<VariationalInference<R>> {
    fn approximate(&self, density: &dyn LogDensity, data: &Data<'_>) -> Result<Run, Error> {
        self.common.refuse_parts()?;
        check_draws(self.own.draws)?;
        let (draws, dim) = (self.own.gradient_draws, density.dim());
        let holds = draws >= 2 && draws.is_power_of_two();
        Error::setting("gradient_draws", draws, holds, "a power of 2, at least 2")?;
        let allowed = "a model of at most 2000 coordinates, because it has their covariance; mean field has no limit";
        Error::setting(
            "full_rank",
            dim,
            !self.own.is_full || dim <= MAX_DIM,
            allowed,
        )?;
        let optimiser = self.chosen(dim);
        optimiser.validate()?;
        require_noisy(&*optimiser)?;
        let checked = self.own.map.checked(density, data)?;
        refuse_improper(density, &self.common)?;
        let (gaussian, counts) = self.optimised(density, data, &optimiser, checked)?;
        let settings = &self.own.map.settings;
        let mut group =
            approximation::optimised(&gaussian, density, &self.common, self.own.draws, settings);
        group.counts.merge(&counts);
        let mut settings = self.own.map.settings_as_text(data);
        settings.remove("restarts");
        settings.insert("optimiser".to_owned(), format!("{optimiser:?}"));
        settings.insert("gradient_draws".to_owned(), draws.to_string());
        Ok(self.common.run_of_draws(density, settings, group))
    }

    /// The optimiser for this number of coordinates.
    fn chosen(&self, dim: usize) -> Arc<dyn Optimiser> {
        let VariationalInference { map, default, .. } = &self.own;
        let optimiser = &map.settings.training.optimiser;
        if !Arc::ptr_eq(optimiser, default) {
            return Arc::clone(optimiser);
        }
        let dim = dim as f64;
        // a step of Adam moves every parameter by the rate: d means, or d numbers in each row of a full factor
        let parts = if self.own.is_full { dim } else { dim.sqrt() };
        Arc::new(Adam::new(LearningRate::cosine(FIRST_STEP / parts, 0.0)))
    }

    /// The Gaussian of highest ELBO, and the evaluations of the search.
    fn optimised(
        &self,
        density: &dyn LogDensity,
        data: &Data<'_>,
        optimiser: &Arc<dyn Optimiser>,
        mut settings: Settings,
    ) -> Result<(Reference, Counts), Error> {
        let mut counts = Counts::default();
        let family = Family {
            is_full: self.own.is_full,
            centre: settings.first_start(density, self.common.seed, &mut counts)?,
            unit: units(density)?,
        };
        let elbo = Elbo {
            density: data.all,
            family: &family,
            draws: self.own.gradient_draws,
            key: Key::new(self.common.seed, Purpose::Elbo),
        };
        let (size, batches) = match data.batches {
            Some((size, batches)) => (size, Some(batches)),
            None => (data.rows, None),
        };
        let noisy = Noisy {
            whole: elbo,
            batches,
        };
        settings.training.optimiser = Arc::clone(optimiser);
        settings.restarts = 1;
        settings.starts = Some(vec![family.first()]);
        let data = Data {
            all: &noisy.whole,
            batches: Some((size, &noisy)),
            ..*data
        };
        let (restarts, of_elbo) = settings.train(&self.common, &data, &|_, _, _| ())?;
        counts.merge(&of_elbo.times(self.own.gradient_draws as u64));
        let what = || "the evidence lower bound".to_owned();
        require_finite(&restarts[0], &density.describe().name, what)?;
        Ok((family.gaussian(&restarts[0].position), counts))
    }
}

/// The standard deviations of the prior; 1 without one.
fn units(density: &dyn LogDensity) -> Result<Vec<f64>, Error> {
    if density.prior().is_none() {
        return Ok(vec![1.0; density.dim()]);
    }
    Ok(density.reference("variational inference")?.sd())
}
