//! Prediction for the data of a run or for new data: data drawn from the posterior predictive distribution, predictive p-values, log
//! likelihoods of single observations, and class probabilities. Other quantities that are random given the parameters are drawn here too.

mod available;
mod by_observation;
mod by_position;
mod fitting;
mod generated;
mod named;
mod new_groups;
mod notes;
mod own_data;
mod p_value;
mod pointwise;
mod predictive_draw;
mod prior;
mod probabilities;
mod source;
mod summary;
mod sums;
#[cfg(test)]
mod tests;
mod within_memory;

pub use crate::error::PredictionError;
pub use crate::model::{Generated, Limits, Observed};
pub(crate) use by_observation::{AtDraws, UsedDraws};
pub use new_groups::NewGroups;
#[doc(hidden)]
pub use notes::ahead;
pub use p_value::PredictiveP;
pub use pointwise::Pointwise;
pub(crate) use pointwise::log_predictive_density;
pub use predictive_draw::PredictiveDraw;
pub use prior::{prior_predictive, prior_predictive_at};
pub use summary::{PredictiveRow, PredictiveSummary};

use self::source::Source;
use crate::error::{Error, Problem};
use crate::model::{
    Matched, Model, Observations, Signature, Start, Statement, StatementKind, Wanted, fingerprint,
    observations_by_terms, of_observed, signature,
};
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Draws, Group, Run};
use std::fmt;
use std::sync::Arc;

/// Evaluates a model's observations, with its random quantities at a position or drawn. The terms of sums over discrete quantities may be
/// known.
type Forward<'a> = dyn Fn(Start<'_>, Wanted, &[f64], &mut Stream) -> Vec<Observations> + Sync + 'a;

impl Run {
    /// Prediction of the observed variables of `model` by the draws of this run.
    ///
    /// `model` is the model of the run, on the same data or on other data: the same function called with new rows, or a
    /// [`subset`](Model::subset). Pass a reference to it, or the model itself, which the prediction then keeps. The numbers that the model
    /// observes matter only for [`Prediction::log_likelihood`]. To predict before there are data, pass NaN, or any numbers of the right
    /// length and call [`Prediction::without_data`].
    ///
    /// The model's random quantities must equal the quantities of the run. If the run and the model name the same dimensions of a quantity
    /// by `#[dims(..)]`, its elements are found by the names of their places: the model may have fewer groups, in another order.
    /// [`predict_with`](Self::predict_with) allows new groups. Quantities without elements, as of `.iid(0)`, are possible here.
    ///
    /// Nothing is computed before one of the methods of [`Prediction`] is called. Each method evaluates the model once per draw.
    ///
    /// # Errors
    /// [`Error::Prediction`] with the first random quantity whose name, shape or kind differs, or with the places that the run lacks; also
    /// if the model observes nothing, or has no rows. [`Error::Model`] if shapes do not fit or an index is out of range. [`Error::Rows`]
    /// if data marked `#[rows]` have different numbers of rows.
    pub fn predict<'a, Mo: Model + 'a>(&'a self, model: Mo) -> Result<Prediction<'a>, Error> {
        Prediction::of_run(self, model, NewGroups::default()).map_err(fitting::without_new_groups)
    }
}

/// Predictions of the data of a model, made by [`Run::predict`] and [`prior_predictive`].
///
/// ```no_run
/// # fn example<Mo: bayes_model::model::Model>(run: &bayes_run::run::Run, mean: impl Fn(&[f64]) -> Mo) -> Result<(), bayes_run::Error> {
/// // fn mean(y: &[f64]) { let mu = sample(Normal::new(0.0, 5.0)); observe(y, Normal::new(mu, 1.0)); }
/// // let run = Inference::nuts().draws(200).run(&mean(&[1.2, 0.7, 2.1]))?;
/// let new = mean(&[1.0, 9.0]);
/// let prediction = run.predict(&new)?.seed(1);
///
/// let y = prediction.draws("y")?;                       // [draws, 2], with the weights of the run's draws
/// assert_eq!((y.elements, y.rows().count()), (2, 800));
/// println!("{}", prediction.summary()?);                // mean, spread and quantiles beside the data
/// let terms = prediction.log_likelihood()?;             // [draws, 2]
/// assert!(terms.log_predictive_densities()[1] < -10.0); // 9 is not expected
/// # Ok(())
/// # }
/// ```
// This crate has no engine that could run the example; the same lines are a test in tests/it/predict.rs.
pub struct Prediction<'a> {
    source: Source<'a>,
    model: &'static str,
    /// [`Model::rereads`].
    rereads: &'static [&'static str],
    /// [`Model::rereads_in_words`].
    rereads_in_words: Option<String>,
    statements: &'static [Statement],
    forward: Box<Forward<'a>>,
    sum_terms: Box<sums::WithSumTerms<'a>>,
    observed: Vec<Observed>,
    generated: Vec<Generated>,
    computed: Vec<Generated>,
    impossible: Vec<Problem>,
    /// Where the random quantities are in a draw of the run; `None` if the model is evaluated at the run's positions.
    matched: Option<Vec<Matched>>,
    /// Given values of random quantities, which are not drawn from the prior.
    given: Vec<(String, Vec<f64>)>,
    seed: u64,
    /// False after [`without_data`](Self::without_data).
    has_data: bool,
    /// Whether the log likelihood has terms that are not observations.
    has_factor: bool,
    /// A hash of exactly the observed values of the model; `None` if it is unknown.
    observed_data: Option<u64>,
    /// Bytes of log likelihoods in memory at once, when they are computed observation by observation.
    room: usize,
    /// The fingerprint of the model with its data.
    fingerprint: Box<dyn Fn() -> u64 + Sync + 'a>,
}

impl<'a> Prediction<'a> {
    fn of_run<Mo: Model + 'a>(
        run: &'a Run,
        model: Mo,
        new_groups: NewGroups,
    ) -> Result<Self, Error> {
        let found = signature(&model)?;
        let matched = fitting::matched(run, &model, &found.random, new_groups);
        let matched = matched.map_err(|source| Error::Prediction {
            model: run.title_or(model.name()),
            source,
        })?;
        let prediction = Self::new(model, Source::Run(run), run.seed, found)?;
        Ok(Self {
            matched,
            ..prediction
        })
    }

    fn new<Mo: Model + 'a>(
        model: Mo,
        source: Source<'a>,
        seed: u64,
        found: Signature,
    ) -> Result<Self, Error> {
        let mut statements = model.statements().iter();
        let observes = statements.any(|statement| statement.kind == StatementKind::Observe);
        let model = Arc::new(model);
        let (own, summed) = (Arc::clone(&model), Arc::clone(&model));
        let prediction = Self {
            observed_data: of_observed(&found.observed, found.has_factor),
            source,
            model: model.name(),
            rereads: model.rereads(),
            rereads_in_words: model.rereads_in_words(),
            statements: model.statements(),
            observed: found.observed,
            generated: found.generated,
            computed: found.computed,
            impossible: found.impossible,
            matched: None,
            given: Vec::new(),
            seed,
            has_data: true,
            has_factor: found.has_factor,
            room: by_observation::ROOM,
            fingerprint: Box::new(move || fingerprint(&*own)),
            sum_terms: sums::of(summed),
            forward: Box::new(move |start, wanted, sum_terms, stream| {
                observations_by_terms(&*model, start, wanted, sum_terms, stream)
            }),
        };
        let mut generated = prediction.generated.iter();
        if prediction.observes_nothing() && generated.all(|g| g.shape.elements() == 0) {
            return Err(match observes {
                true => prediction.no_observation(),
                false => prediction.error(PredictionError::NothingObserved),
            });
        }
        Ok(prediction)
    }

    /// The requested numbers of the observations at a start. Quantities that are summed out are drawn given the data of the model, if it
    /// has some.
    fn at(&self, start: Start<'_>, wanted: Wanted, stream: &mut Stream) -> Vec<Observations> {
        self.by_terms(start, wanted, &[], stream)
    }

    /// [`at`](Self::at) with the terms of sums over discrete quantities, or none.
    fn by_terms(
        &self,
        start: Start<'_>,
        wanted: Wanted,
        sum_terms: &[f64],
        stream: &mut Stream,
    ) -> Vec<Observations> {
        let wanted = Wanted {
            given_data: self.has_data && !self.is_of_prior(),
            ..wanted
        };
        (self.forward)(start, wanted, sum_terms, stream)
    }

    fn observes_nothing(&self) -> bool {
        self.observed.iter().all(|o| o.observations == 0)
    }

    /// The seed of the new data; by default, the seed of the run. The same seed gives the same data for any number of threads.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Whether the parameters are draws of the prior, not of a posterior.
    #[must_use]
    pub fn is_of_prior(&self) -> bool {
        matches!(self.source, Source::Prior(_))
    }

    /// The same prediction for data that do not exist yet. The observed numbers of the model then only set the length: they appear neither
    /// in [`summary`](Self::summary) nor in pictures, and have no likelihood. Single missing real numbers may be NaN instead. Quantities
    /// that are summed out are then drawn from their own distribution, not given the data.
    ///
    /// ```text
    /// let tomorrow = counts(&new_x, &vec![0; new_x.len()]);
    /// println!("{}", run.predict(&tomorrow)?.without_data());
    /// ```
    #[must_use]
    pub fn without_data(mut self) -> Self {
        for observed in &mut self.observed {
            observed.data.fill(f64::NAN);
            // nothing is compared
            observed.limits = Limits::default();
            observed.terms.clear();
        }
        self.has_data = false;
        self
    }

    /// The observed variables with the data of the model, in the order of its `observe` statements. A `factor` is not an observation, so
    /// no prediction contains it. Missing data are NaN.
    #[must_use]
    pub fn observed(&self) -> &[Observed] {
        &self.observed
    }

    /// The quantities of the model's `generate` statements.
    #[must_use]
    pub fn generated(&self) -> &[Generated] {
        &self.generated
    }

    /// New data of one observed variable, or a quantity of `generate`, one per draw of the run: draws from the posterior predictive
    /// distribution, `[draws, elements]`. A quantity of `deterministic` is computed with the data of this model, such as the states of a new
    /// series.
    ///
    /// An observation whose model depends on earlier observations (an autoregression) is drawn given the model's data: one step ahead of
    /// the data.
    ///
    /// # Errors
    /// [`Error::Prediction`] if the model neither observes, generates nor computes anything of this name, or if there is not enough memory.
    pub fn draws(&self, name: &str) -> Result<Draws, Error> {
        let place = self.place(name).ok_or_else(|| self.unknown(name))?;
        let elements = match self.observed.get(place) {
            Some(observed) => observed.data.len(),
            None => {
                let mut others = self.generated.iter().chain(&self.computed);
                let other = others.nth(place - self.observed.len());
                other.map_or(0, |other| other.shape.elements())
            }
        };
        if elements == 0 {
            let names = vec![name.to_owned()];
            return Err(self.error(PredictionError::NoRows { names }));
        }
        let wanted = Wanted {
            draws: true,
            computed: place >= self.observed.len() + self.generated.len(),
            ..Wanted::default()
        };
        let weights = self.source.weights();
        let mut values = self.numbers(weights.len(), elements)?;
        self.visit(wanted, |_, found| values.extend(&found[place].draws));
        Ok(Draws {
            weights,
            values,
            elements,
            groups: self.source.groups(),
        })
    }

    /// Visits the new data draw by draw, in the order of the run, without keeping them: for quantities that are sums over draws, when all
    /// draws would not fit into memory.
    pub fn for_each_draw(&self, mut visit: impl FnMut(PredictiveDraw<'_>)) {
        let wanted = Wanted {
            draws: true,
            computed: true,
            ..Wanted::default()
        };
        self.visit(wanted, |weight, values| {
            visit(PredictiveDraw {
                weight,
                prediction: self,
                values,
            });
        });
    }

    /// Visits the log likelihoods draw by draw, in the order of the run, without keeping them. `visit` gets the weight of the draw, and
    /// one number for each observation of each variable in [`observed`](Self::observed).
    ///
    /// # Errors
    /// The errors of [`log_likelihood`](Self::log_likelihood).
    pub fn for_each_log_likelihood(&self, mut visit: impl FnMut(f64, &[f64])) -> Result<(), Error> {
        self.require_likelihood()?;
        let wanted = Wanted {
            log_likelihood: true,
            ..Wanted::default()
        };
        let mut terms = Vec::new();
        self.visit(wanted, |weight, found| {
            terms.clear();
            let variables = found.iter();
            variables.for_each(|variable| terms.extend(&variable.log_likelihood));
            visit(weight, &terms);
        });
        Ok(())
    }

    /// Checks that there are observations, all within the support of their distributions.
    pub(crate) fn require_likelihood(&self) -> Result<(), Error> {
        if self.observes_nothing() {
            return Err(self.no_observation());
        }
        if !self.has_data {
            return Err(self.error(PredictionError::WithoutData));
        }
        if !self.impossible.is_empty() {
            return Err(Error::Model {
                model: self.model.to_owned(),
                problems: self.impossible.clone(),
            });
        }
        Ok(())
    }

    /// The log likelihood of every observation at every draw: 8 bytes for each pair.
    ///
    /// # Errors
    /// [`Error::Model`] with the data that are outside the support of their distribution; [`Error::Prediction`] if the model observes
    /// nothing.
    pub fn log_likelihood(&self) -> Result<Pointwise, Error> {
        let variables = self.observed.iter();
        let variables: Vec<(String, usize)> = variables
            .map(|o| (o.name.clone(), o.observations))
            .collect();
        let observations = variables.iter().map(|(_, count)| count).sum();
        let weights = self.source.weights();
        let mut values = self.numbers(weights.len(), observations)?;
        self.for_each_log_likelihood(|_, terms| values.extend_from_slice(terms))?;
        Ok(Pointwise {
            weights,
            values,
            observations,
            variables,
            places: self
                .observed
                .iter()
                .map(Observed::observation_places)
                .collect(),
            groups: self.source.groups(),
        })
    }

    /// Bytes of [`tasks`](Self::tasks).
    fn bytes_of_tasks(&self) -> u64 {
        let draws: usize = self.source.groups().iter().sum();
        (draws * size_of::<(Key, Start<'_>)>()) as u64
    }

    /// The random stream of each draw, and where the model runs for it.
    fn tasks(&self) -> Vec<(Key, Start<'_>)> {
        let key = Key::new(self.seed, Purpose::Prediction);
        match self.source {
            Source::Run(run) => {
                let dim = run.layout.dim.max(1);
                let of_group = |group: &'a Group| {
                    let key = key.group(group.index);
                    let starts =
                        (0..group.positions.len() / dim).map(|i| self.start(run, group, i));
                    let starts: Vec<Start<'_>> = starts.collect();
                    let starts = starts.into_iter().enumerate();
                    starts.map(move |(i, start)| (key.item(i as u64), start))
                };
                run.groups.iter().flat_map(of_group).collect()
            }
            // another stage, so that no draw of a run has the same stream
            Source::Prior(draws) => {
                let item = |i| (key.stage(2).item(i as u64), Start::Prior(&self.given));
                (0..draws).map(item).collect()
            }
        }
    }

    /// Visits the draws in order, with the weight of each and the requested numbers of its observations.
    fn visit(&self, wanted: Wanted, mut visit: impl FnMut(f64, &[Observations])) {
        let tasks = self.tasks();
        self.with_sum_terms(&tasks, wanted, &mut |sum_terms| {
            let mut weights = self.source.weights().into_iter();
            for block in tasks.chunks(self.together()) {
                let found = self.evaluated(block, wanted, sum_terms);
                for (found, weight) in found.iter().zip(&mut weights) {
                    visit(weight, found);
                }
            }
        });
    }

    /// The random quantities of a draw of a group of the run.
    fn start<'b>(&'b self, run: &Run, group: &'b Group, draw: usize) -> Start<'b> {
        let one = |values: &'b [f64], width: usize| &values[draw * width..][..width];
        match &self.matched {
            Some(quantities) => Start::Draw {
                draw: one(&group.draws, run.layout.elements()),
                quantities,
            },
            None => Start::At(one(&group.positions, run.layout.dim)),
        }
    }
}

impl fmt::Debug for Prediction<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Prediction")
            .field("model", &self.model)
            .field("observed", &self.observed)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
