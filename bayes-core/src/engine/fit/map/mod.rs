//! Point estimates: the mode of a posterior, or the maximum of a likelihood.

mod data;
mod edge;
mod maxima;
mod refusals;
mod training;

pub use data::{AllRows, SomeRows, TrainsOn};
pub(in crate::engine) use data::{Batches, ByRow, Data, Reader, Rowwise, hold_out};
pub(in crate::engine) use refusals::{require_finite, require_mode, same_quantities};

use crate::density::LogDensity;
use crate::engine::builder::{Builder, ChoosesRows, Runner};
use crate::engine::chains::start::{CANDIDATES, likeliest};
use crate::engine::common::{Common, named_texts};
use crate::engine::fit::training::Training;
use crate::error::Error;
use crate::model::{Differentiable, Model};
use crate::optimise::{EarlyStopping, Lbfgs, Optimiser};
use crate::parallel;
use crate::rng::{Key, Purpose};
use crate::run::{Counts, FIT_FORMAT, Fit, Objective, Restart};
use data::{Request, Validation};
use std::collections::BTreeMap;
use std::sync::Arc;
use training::{GROUP, Trainer, Visit};

/// Maximum number of restarts.
const MAX_RESTARTS: usize = 1_000_000;
/// Builder of point estimates; `run` makes a [`Fit`].
///
/// By default eight restarts begin at prior draws (each at the likeliest of ten) and advance together in SIMD lanes by L-BFGS, for at
/// most 1000 epochs. The fit is the restart of highest density. An epoch is a pass over all rows: one evaluation of the gradient, or all
/// minibatches in a random order.
///
/// # The scale of the mode
///
/// `Inference::map()` maximises the posterior density of the model's values, as `model.log_density_at(..)` computes it, without the
/// Jacobians of the transforms to unconstrained coordinates (the default of Stan's `optimize` and PyMC's `find_MAP`). This mode does not
/// depend on the transforms. With `.jacobian(true)` it maximises the density of the unconstrained coordinates, which the engines sample:
/// the Laplace approximation needs this mode. For values on the whole real line both modes are the same. Some densities of values have no
/// mode, for example a hierarchical model whose scale goes to 0. [`Fit::ended`] then says so, and `.jacobian(true)` usually has a mode.
///
/// `Inference::mle()` maximises the likelihood, which has no Jacobians.
///
/// # Minibatches
///
/// For a minibatch of M of the N training rows the gradient is `(N / M · ∇ log likelihood of its rows + ∇ log prior) / N`: learning rates
/// do not depend on N. All restarts of a group of eight see the same minibatches.
///
/// ```
/// use bayes_core::density::{Block, LogDensity};
/// use bayes_core::engine::Inference;
///
/// /// A density with its mode at (1, 2).
/// struct Hill;
///
/// impl LogDensity for Hill {
///     fn dim(&self) -> usize {
///         2
///     }
///     fn evaluate(&self, block: &mut Block<'_>) {
///         block.fill(|x| [0.0, -(x[0] - 1.0).powi(2) - (x[1] - 2.0 * x[0]).powi(4) - (x[1] - 2.0).powi(2)]);
///     }
/// }
///
/// let fit = Inference::map().run_on(&Hill)?;
/// assert!(fit.ended().is_converged());
/// assert!((fit.value("x")?[1] - 2.0).abs() < 1e-5);
/// # Ok::<(), bayes_core::Error>(())
/// ```
pub type Map<R = AllRows> = Builder<Optimisation<R>>;

/// The settings of an optimisation, and its choice of rows.
#[derive(Clone, Debug)]
pub struct Optimisation<R> {
    pub(in crate::engine) settings: Settings,
    rows: R,
}

/// Settings that do not depend on the choice of rows.
#[derive(Clone, Debug)]
pub struct Settings {
    pub(in crate::engine) objective: Objective,
    pub(in crate::engine) training: Training,
    pub(in crate::engine) restarts: usize,
    /// The number of prior draws; the likeliest is a starting point.
    pub(in crate::engine) candidates: usize,
    pub(in crate::engine) stopping: Option<EarlyStopping>,
    /// The fit where it starts, and the positions of the restarts.
    start: Option<Arc<Fit>>,
    pub(in crate::engine) starts: Option<Vec<Vec<f64>>>,
}

impl Optimisation<AllRows> {
    /// By L-BFGS, for at most 1000 epochs.
    pub(in crate::engine) fn point(objective: Objective) -> Self {
        Self::new(objective, Training::new(Lbfgs::new(), 1000))
    }

    pub(in crate::engine) fn new(objective: Objective, training: Training) -> Self {
        Self {
            settings: Settings {
                objective,
                training,
                restarts: GROUP,
                candidates: CANDIDATES,
                stopping: None,
                start: None,
                starts: None,
            },
            rows: AllRows,
        }
    }
}

impl<R: Into<SomeRows>> ChoosesRows for Optimisation<R> {
    type OnSome = Optimisation<SomeRows>;

    fn on_some(self, change: impl FnOnce(&mut SomeRows)) -> Self::OnSome {
        let mut rows = self.rows.into();
        change(&mut rows);
        Optimisation {
            settings: self.settings,
            rows,
        }
    }
}

impl<R> AsMut<Training> for Optimisation<R> {
    fn as_mut(&mut self) -> &mut Training {
        &mut self.settings.training
    }
}

impl<R> AsMut<Settings> for Optimisation<R> {
    fn as_mut(&mut self) -> &mut Settings {
        &mut self.settings
    }
}

impl<R> Map<R> {
    /// Number of starting points, at least 1. Eight take little more time than one.
    pub fn restarts(self, restarts: usize) -> Self {
        self.set(|map| map.settings.restarts = restarts)
    }

    /// Starts where another fit ended: with as many restarts, one from each of its positions.
    pub fn start(self, fit: &Fit) -> Self {
        self.set(|map| map.settings.start_at(fit))
    }

    /// Maximises the density of `model`.
    ///
    /// # Errors
    /// Before the first step: a setting out of range, data that do not fit the model, or no starting point with finite density in 100
    /// prior draws. A loss that becomes NaN later is no error: the last finite point is kept, and [`Fit::ended`] says so.
    pub fn run<Mo: Model + Differentiable>(&self, model: &Mo) -> Result<Fit, Error>
    where
        R: TrainsOn<Mo>,
    {
        let Runner { common, own } = &self.runner;
        own.fit(common, model, None)
    }

    /// As [`Map::run`], but stops by the loss on the data of another model of the same function.
    ///
    /// # Errors
    /// As [`Map::run`]; [`Error::Fit`] if the random values of the two models differ.
    pub fn run_validated<Mo: Model + Differentiable>(
        &self,
        model: &Mo,
        validation: &Mo,
    ) -> Result<Fit, Error>
    where
        R: TrainsOn<Mo>,
    {
        let Runner { common, own } = &self.runner;
        own.fit(common, model, Some(validation))
    }
}

impl Map<AllRows> {
    /// Maximises a density of unconstrained coordinates as it is, with or without Jacobians.
    ///
    /// # Errors
    /// As [`Map::run`].
    pub fn run_on(&self, density: &dyn LogDensity) -> Result<Fit, Error> {
        self.runner.own.fit_on(&self.runner.common, density)
    }
}

impl Optimisation<AllRows> {
    /// The fit of a density of unconstrained coordinates.
    pub(in crate::engine) fn fit_on(
        &self,
        common: &Common,
        density: &dyn LogDensity,
    ) -> Result<Fit, Error> {
        density.validate()?;
        let mut map = self.clone();
        // the density is already one of its coordinates
        map.settings.set_jacobian(true);
        map.train(common, density, &Data::of(density))
    }
}

impl<R> Optimisation<R> {
    /// The fit of a model, stopped by the loss on the data of another one if there is one.
    pub(in crate::engine) fn fit<Mo: Model + Differentiable>(
        &self,
        common: &Common,
        model: &Mo,
        validation: Option<&Mo>,
    ) -> Result<Fit, Error>
    where
        R: TrainsOn<Mo>,
    {
        let held_out = validation
            .map(|other| common.posterior(other))
            .transpose()?;
        let held_out = held_out
            .as_ref()
            .map(|posterior| posterior as &dyn LogDensity);
        let held_out = held_out.map(|density| (density, density.rows()));
        self.with_data(common, model, held_out, |density, data| {
            self.train(common, density, data)
        })
    }

    /// The result of `then` with the density of a model and the data for its optimisation.
    pub(in crate::engine) fn with_data<Mo: Model, T>(
        &self,
        common: &Common,
        model: &Mo,
        validation: Option<Validation<'_>>,
        then: impl FnOnce(&dyn LogDensity, &Data<'_>) -> Result<T, Error>,
    ) -> Result<T, Error>
    where
        R: TrainsOn<Mo>,
    {
        let posterior = common.posterior(model)?;
        let posterior = posterior.jacobian(self.settings.objective == Objective::Coordinates);
        if let Some((density, _)) = validation {
            let held_out = density.describe();
            let own = (&posterior as &dyn LogDensity).describe();
            same_quantities((&own.name, &own.layout), (&held_out.name, &held_out.layout))?;
        }
        let request = Request {
            model,
            posterior: &posterior,
            validation,
            seed: common.seed,
        };
        self.rows.with_data(&request, |data| then(&posterior, data))
    }

    /// Trains all restarts on the data, which are part of the data of `density`.
    fn train(
        &self,
        common: &Common,
        density: &dyn LogDensity,
        data: &Data<'_>,
    ) -> Result<Fit, Error> {
        let settings = self.checked(density, data)?;
        let (mut restarts, mut counts) = settings.train(common, data, &|_, _, _| ())?;
        maxima::number(data.all, settings.weights(), &mut restarts, &mut counts);
        Ok(self.collect(common, density, data, (restarts, counts)))
    }

    /// The settings, if they are valid for this density.
    pub(in crate::engine) fn checked(
        &self,
        density: &dyn LogDensity,
        data: &Data<'_>,
    ) -> Result<Settings, Error> {
        let mut settings = self.settings.clone();
        settings.validate()?;
        let optimiser = &settings.training.optimiser;
        let holds = data.batches.is_none() || optimiser.takes_minibatches();
        let allowed = "one that takes minibatches: `Adam`, `AdamW` or `Sgd`";
        Error::setting("optimiser", optimiser.name(), holds, allowed)?;
        if let Some(rule) = settings.stopping {
            let holds = data.validation.is_some();
            let allowed = "left out without `.validation(share)` or a validation model";
            Error::setting("early_stopping", "set", holds, allowed)?;
            rule.validate()?;
        }
        let description = density.describe();
        let continuous = !description.discrete.contains(&true);
        let allowed = "of a model without discrete random values";
        Error::setting("optimiser", optimiser.name(), continuous, allowed)?;
        if let Some(fit) = &settings.start {
            let own = (description.name.as_str(), &description.layout);
            same_quantities(own, (&fit.model, &fit.layout))?;
            let (restarts, most) = (settings.restarts, fit.restarts.len());
            let allowed = format!("at most {most}, as many as the fit has where they start");
            Error::setting("restarts", restarts, restarts <= most, &allowed)?;
            let positions = fit.restarts.iter().map(|r| r.position.clone());
            settings.starts = Some(positions.collect());
        }
        Ok(settings)
    }

    fn collect(
        &self,
        common: &Common,
        density: &dyn LogDensity,
        data: &Data<'_>,
        (restarts, counts): (Vec<Restart>, Counts),
    ) -> Fit {
        let description = density.describe();
        Fit {
            model: description.name,
            format: FIT_FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            fingerprint: format!("{:016x}", density.quantities().fingerprint()),
            objective: self.settings.objective,
            optimiser: self.settings.training.optimiser.name().to_owned(),
            settings: self.settings_as_text(data),
            seed: common.seed,
            arithmetic: description.arithmetic,
            layout: description.layout,
            statements: description.statements,
            best: best(&restarts),
            restarts,
            counts,
        }
    }

    pub(in crate::engine) fn settings_as_text(&self, data: &Data<'_>) -> BTreeMap<String, String> {
        let settings = &self.settings;
        let none = || "none".to_owned();
        let number = |n: usize| n.to_string();
        named_texts([
            ("optimiser", format!("{:?}", settings.training.optimiser)),
            ("epochs", settings.training.epochs.to_string()),
            ("restarts", settings.restarts.to_string()),
            ("training_rows", data.rows.to_string()),
            (
                "validation_rows",
                data.validation.map_or_else(none, |v| number(v.1)),
            ),
            ("minibatch", data.batches.map_or_else(none, |b| number(b.0))),
        ])
    }
}

impl Settings {
    /// Starts where a fit ended: with as many restarts, one from each of its positions.
    pub(in crate::engine) fn start_at(&mut self, fit: &Fit) {
        self.restarts = fit.restarts.len();
        self.start = Some(Arc::new(fit.clone()));
    }

    /// The ends of the restarts of the fit where it starts.
    pub(in crate::engine) fn known_ends(&self) -> Vec<Vec<f64>> {
        self.start.as_ref().map_or_else(Vec::new, |fit| fit.ends())
    }

    /// Whether the Jacobians count; a likelihood has none.
    pub(in crate::engine) fn set_jacobian(&mut self, jacobian: bool) {
        self.objective = match (self.objective, jacobian) {
            (Objective::Likelihood, _) => Objective::Likelihood,
            (_, true) => Objective::Coordinates,
            (_, false) => Objective::Values,
        };
    }

    /// The starting point of a single restart: the fit's, or the likeliest of some prior draws.
    pub(in crate::engine) fn first_start(
        &self,
        density: &dyn LogDensity,
        seed: u64,
        counts: &mut Counts,
    ) -> Result<Vec<f64>, Error> {
        if let Some(fit) = &self.start {
            return Ok(fit.position().to_vec());
        }
        let key = Key::new(seed, Purpose::Initial);
        Ok(likeliest(density, key, self.candidates, counts)?.positions)
    }

    /// Advances all restarts to their ends. After every epoch, shows the number, the epoch (from 0) and the position of each.
    pub(in crate::engine) fn train(
        &self,
        common: &Common,
        data: &Data<'_>,
        visit: Visit<'_>,
    ) -> Result<(Vec<Restart>, Counts), Error> {
        let groups = self.restarts.div_ceil(GROUP);
        let observers = common.observers(groups);
        let trainer = Trainer {
            settings: self,
            data,
            common,
            stopping: data.validation.map(|_| self.stopping.unwrap_or_default()),
            observer: &observers,
            visit,
        };
        let results: Vec<Result<(Vec<Restart>, Counts), Error>> = parallel::map(0..groups, |g| {
            trainer.run(g * GROUP..((g + 1) * GROUP).min(self.restarts))
        });
        let (mut all, mut counts) = (Vec::with_capacity(self.restarts), Counts::default());
        // in the order of the groups, so that the reported error does not depend on threads
        for result in results {
            let (group, of_group) = result?;
            all.extend(group);
            counts.merge(&of_group);
        }
        Ok((all, counts))
    }

    /// The weights of the log prior and the log likelihood.
    fn weights(&self) -> [f64; 2] {
        match self.objective {
            Objective::Likelihood => [0.0, 1.0],
            _ => [1.0, 1.0],
        }
    }

    fn validate(&self) -> Result<(), Error> {
        self.training.validate_epochs()?;
        let restarts = self.restarts;
        let holds = (1..=MAX_RESTARTS).contains(&restarts);
        Error::setting("restarts", restarts, holds, "from 1 to 1000000")?;
        self.training.optimiser.validate()
    }
}

/// Refuses an optimiser that needs exact gradients, such as L-BFGS.
///
/// # Errors
/// [`Error::Setting`].
pub(in crate::engine) fn require_noisy(optimiser: &dyn Optimiser) -> Result<(), Error> {
    let allowed = "one that takes noisy gradients: `Adam`, `AdamW` or `Sgd`";
    let holds = optimiser.takes_minibatches();
    Error::setting("optimiser", optimiser.name(), holds, allowed)
}

/// The restart of lowest validation loss or of highest density.
fn best(restarts: &[Restart]) -> usize {
    let score = |restart: &Restart| match restart.validation_losses.last() {
        Some(_) => -restart.validation_loss(),
        None => restart.log_density,
    };
    let scores = restarts.iter().map(score).enumerate();
    // the first of equal ones
    let best = scores.reduce(|best, next| if next.1 > best.1 { next } else { best });
    best.map_or(0, |(i, _)| i)
}
