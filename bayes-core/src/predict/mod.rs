//! Prediction: data drawn from the posterior predictive distribution, predictive p-values, log likelihoods of single observations, and
//! class probabilities, of the data of a run or of new data; and other quantities that are random given the parameters.

mod by_observation;
mod fitting;
mod generated;
mod notes;
mod own_data;
mod p_value;
mod pointwise;
mod prior;
mod summary;
#[cfg(test)]
mod tests;

pub use crate::error::PredictionError;
pub use crate::model::{Generated, Limits, Observed};
pub(crate) use by_observation::{AtDraws, UsedDraws};
pub(crate) use notes::ahead;
pub use p_value::PredictiveP;
pub use pointwise::Pointwise;
pub(crate) use pointwise::log_predictive_density;
pub use prior::{prior_predictive, prior_predictive_at};
pub use summary::{PredictiveRow, PredictiveSummary};

use crate::error::{Error, Problem};
use crate::metrics::ClassProbabilities;
use crate::model::{
    Model, Observations, Signature, Start, Wanted, fingerprint, has_factor, observations, signature,
};
use crate::rng::{Key, Purpose, Stream};
use crate::run::{Draws, Group, Run};
use rayon::prelude::*;
use std::fmt;

/// A model's observations, its random quantities at a position or drawn.
type Forward<'a> = dyn Fn(Start<'_>, Wanted, &mut Stream) -> Vec<Observations> + Sync + 'a;

/// Where the parameters of a prediction come from.
#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    /// The draws of a run.
    Run(&'a Run),
    /// So many draws of the prior, all of the same weight.
    Prior(usize),
}

impl Source<'_> {
    fn weights(self) -> Vec<f64> {
        match self {
            Self::Run(run) => run.draw_weights(),
            Self::Prior(draws) => vec![1.0 / draws as f64; draws],
        }
    }

    /// Number of draws of each island or chain; draws of the prior are independent.
    fn groups(self) -> Vec<usize> {
        match self {
            Self::Run(run) => run.group_sizes(),
            Self::Prior(draws) => vec![1; draws],
        }
    }
}

impl Run {
    /// Prediction of the observed variables of `model` by the draws of this run.
    ///
    /// `model` is the model of the run, on the same data or on others: the same function called with new rows, or a
    /// [`subset`](Model::subset). Its random quantities must be those of the run. The numbers that it observes only
    /// matter for [`Prediction::log_likelihood`]; to predict before there are data, pass NaN, or any numbers of the right length and call
    /// [`Prediction::without_data`].
    ///
    /// Nothing is computed before one of the methods of [`Prediction`] is called; each evaluates the model once per draw.
    ///
    /// # Errors
    /// [`Error::Prediction`] with the first random quantity whose name, shape or kind differs, or if the model observes
    /// nothing; [`Error::Model`] if shapes do not fit or an index is out of range; [`Error::Rows`] if data marked `#[rows]`
    /// have different numbers of rows.
    pub fn predict<'a, Mo: Model>(&'a self, model: &'a Mo) -> Result<Prediction<'a>, Error> {
        let found = signature(model)?;
        fitting::same_quantities(self, &found.random).map_err(|source| Error::Prediction {
            model: model.name().to_owned(),
            source,
        })?;
        let source = Source::Run(self);
        Prediction::new(model, source, self.seed, found)
    }
}

/// Predictions of the data of a model; [`Run::predict`] makes it, and [`prior_predictive`].
///
/// ```
/// # use bayes_core as bayes;
/// # // a model written by hand, because this package does not have the macro
/// # use bayes_core::dist::{Distribution, Normal};
/// # use bayes_core::model::{Interpreter, Model, Statement, StatementKind};
/// # use bayes_core::engine::Inference;
/// # use bayes_autodiff::Mode;
/// # struct Mean(Vec<f64>);
/// # const fn statement(kind: StatementKind, name: &'static str) -> Statement {
/// #     Statement { kind, name, text: name, line: 1 }
/// # }
/// # impl Model for Mean {
/// #     fn name(&self) -> &'static str { "mean" }
/// #     fn file(&self) -> &'static str { "mean.rs" }
/// #     fn statements(&self) -> &'static [Statement] {
/// #         const ALL: [Statement; 2] = [statement(StatementKind::Sample, "mu"), statement(StatementKind::Observe, "y")];
/// #         &ALL
/// #     }
/// #     fn program<M: Mode, I: Interpreter<M>>(&self, interpreter: &mut I) {
/// #         let mu = interpreter.at(0).random(Normal::new(0.0, 5.0));
/// #         interpreter.at(1).observe_under(Normal::new(mu, 1.0), &self.0);
/// #     }
/// # }
/// # impl bayes_core::model::AllSampled for Mean {}
/// # impl bayes_core::model::Differentiable for Mean {}
/// # let mean = |y: &[f64]| Mean(y.to_vec());
/// // fn mean(y: &[f64]) { let mu = sample(Normal::new(0.0, 5.0)); observe(y, Normal::new(mu, 1.0)); }
/// let run = Inference::nuts().draws(200).progress(false).run(&mean(&[1.2, 0.7, 2.1]))?;
/// let new = mean(&[1.0, 9.0]);
/// let prediction = run.predict(&new)?.seed(1);
///
/// let y = prediction.draws("y")?;                       // [draws, 2], with the weights of the run's draws
/// assert_eq!((y.elements, y.rows().count()), (2, 800));
/// println!("{}", prediction.summary());                 // mean, spread and quantiles beside the data
/// let terms = prediction.log_likelihood()?;             // [draws, 2]
/// assert!(terms.log_predictive_densities()[1] < -10.0); // 9 is not expected
/// # Ok::<(), bayes::Error>(())
/// ```
pub struct Prediction<'a> {
    source: Source<'a>,
    model: &'static str,
    /// [`Model::rereads`].
    rereads: &'static [&'static str],
    forward: Box<Forward<'a>>,
    observed: Vec<Observed>,
    generated: Vec<Generated>,
    impossible: Vec<Problem>,
    /// Values of random quantities that are not drawn from the prior.
    given: Vec<(String, Vec<f64>)>,
    seed: u64,
    /// False after [`without_data`](Self::without_data).
    has_data: bool,
    /// Whether the log likelihood has terms that are no observations.
    has_factor: bool,
    /// Bytes of the log likelihoods that are in memory at once where they are taken observation by observation.
    room: usize,
    /// That of the model with its data.
    fingerprint: Box<dyn Fn() -> u64 + Sync + 'a>,
}

/// New data given one draw of the posterior.
#[derive(Clone, Copy, Debug)]
pub struct PredictiveDraw<'a> {
    /// The weight of the draw; the weights of all draws sum to 1.
    pub weight: f64,
    prediction: &'a Prediction<'a>,
    values: &'a [Observations],
}

impl<'a> PredictiveDraw<'a> {
    /// The only element of an observed variable, or of a quantity of `generate`.
    ///
    /// # Panics
    /// As [`vector`](Self::vector); if there are several elements.
    #[must_use]
    pub fn scalar(&self, name: &str) -> f64 {
        match self.vector(name) {
            [value] => *value,
            values => panic!(
                "`{name}` has {} elements; `vector` gives them",
                values.len()
            ),
        }
    }

    /// The new data of an observed variable, or a quantity of `generate`, row-major.
    ///
    /// # Panics
    /// If the model neither observes nor generates anything of this name.
    #[must_use]
    pub fn vector(&self, name: &str) -> &'a [f64] {
        match self.prediction.place(name) {
            Some(place) => &self.values[place].draws,
            None => panic!("the model neither observes nor generates `{name}`"),
        }
    }
}

impl<'a> Prediction<'a> {
    fn new<Mo: Model>(
        model: &'a Mo,
        source: Source<'a>,
        seed: u64,
        found: Signature,
    ) -> Result<Self, Error> {
        let has_factor = has_factor(model, &found.random);
        let prediction = Self {
            source,
            model: model.name(),
            rereads: model.rereads(),
            forward: Box::new(|start, wanted, stream| observations(model, start, wanted, stream)),
            observed: found.observed,
            generated: found.generated,
            impossible: found.impossible,
            given: Vec::new(),
            seed,
            has_data: true,
            has_factor,
            room: by_observation::ROOM,
            fingerprint: Box::new(|| fingerprint(model)),
        };
        if prediction.observes_nothing() && prediction.generated.is_empty() {
            return Err(prediction.error(PredictionError::NothingObserved));
        }
        Ok(prediction)
    }

    fn observes_nothing(&self) -> bool {
        self.observed.iter().all(|o| o.observations == 0)
    }

    /// The seed of the new data; that of the run by default. The same seed gives the same data for any number of threads.
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

    /// The same prediction of data that are not there yet: the numbers that the model observes only have the right length, so that they appear
    /// neither in [`summary`](Self::summary) nor in pictures, and have no likelihood. Real numbers that are not there may be NaN instead,
    /// each for itself.
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
        }
        self.has_data = false;
        self
    }

    /// The observed variables with the data of the model, in the order of its `observe` statements. A `factor` is no
    /// observation, so no prediction contains it. Data that are missing are NaN.
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
    /// distribution, `[draws, elements]`.
    ///
    /// An observation that is modelled given earlier ones (an autoregression) is drawn given those that the model holds: one step
    /// ahead of the data.
    ///
    /// # Errors
    /// [`Error::Prediction`] if the model neither observes nor generates anything of this name, or if there is not memory enough.
    pub fn draws(&self, name: &str) -> Result<Draws, Error> {
        let place = self.place(name).ok_or_else(|| self.unknown(name))?;
        let elements = match self.observed.get(place) {
            Some(observed) => observed.data.len(),
            None => self.generated[place - self.observed.len()].shape.elements(),
        };
        let wanted = Wanted {
            draws: true,
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

    /// Visits the new data draw by draw, in the order of the run, without keeping them: for quantities that are sums over
    /// draws, when all draws would not fit into memory.
    pub fn for_each_draw(&self, mut visit: impl FnMut(PredictiveDraw<'_>)) {
        let wanted = Wanted {
            draws: true,
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

    /// Visits the log likelihoods draw by draw, in the order of the run, without keeping them: the weight of the draw, and one number for each
    /// observation of each of [`observed`](Self::observed).
    ///
    /// # Errors
    /// As [`log_likelihood`](Self::log_likelihood).
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

    /// Whether there are observations, all within the support of their distributions.
    fn require_likelihood(&self) -> Result<(), Error> {
        if self.observes_nothing() {
            return Err(self.error(PredictionError::NothingObserved));
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

    /// The probability of every category of every observation at every draw, `p(y | x)` member by member.
    ///
    /// # Errors
    /// [`Error::Prediction`] if the model observes nothing of this name, or if its observations have no categories.
    pub fn probabilities(&self, name: &str) -> Result<ClassProbabilities, Error> {
        let (place, observed) = self.variable(name)?;
        let Some(classes) = observed.categories else {
            let name = name.to_owned();
            return Err(self.error(PredictionError::NoCategories { name }));
        };
        let wanted = Wanted {
            log_probabilities: true,
            ..Wanted::default()
        };
        let mut values = Vec::new();
        self.visit(wanted, |_, found| {
            let logs = found[place].log_probabilities.iter();
            values.extend(logs.map(|log| log.exp()));
        });
        let weights = self.source.weights();
        Ok(ClassProbabilities::weighted(values, classes, weights)?
            .in_groups(&self.source.groups())?)
    }

    /// The random stream of each draw, and where the model runs for it.
    fn tasks(&self) -> Vec<(Key, Start<'_>)> {
        let key = Key::new(self.seed, Purpose::Prediction);
        match self.source {
            Source::Run(run) => {
                let dim = run.layout.dim.max(1);
                let of_group = |group: &'a Group| {
                    let positions = group.positions.chunks_exact(dim).enumerate();
                    let key = key.group(group.index);
                    positions.map(move |(i, position)| (key.item(i as u64), Start::At(position)))
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

    /// Visits the draws in order, with the weight of each and what is wanted of its observations.
    fn visit(&self, wanted: Wanted, mut visit: impl FnMut(f64, &[Observations])) {
        let tasks = self.tasks();
        let mut weights = self.source.weights().into_iter();
        for block in tasks.chunks(self.together()) {
            let one =
                |(key, start): &(Key, Start<'_>)| (self.forward)(*start, wanted, &mut key.stream());
            let found: Vec<Vec<Observations>> = block.par_iter().map(one).collect();
            for (found, weight) in found.iter().zip(&mut weights) {
                visit(weight, found);
            }
        }
    }

    /// An observed variable.
    ///
    /// # Errors
    /// [`Error::Prediction`] if the model observes nothing of this name.
    pub fn observed_variable(&self, name: &str) -> Result<&Observed, Error> {
        self.variable(name).map(|(_, observed)| observed)
    }

    /// The place of an observed variable.
    fn variable(&self, name: &str) -> Result<(usize, &Observed), Error> {
        let mut variables = self.observed.iter().enumerate();
        variables
            .find(|(_, o)| o.name == name)
            .ok_or_else(|| self.unknown(name))
    }

    /// The place of an observed variable, or of a quantity of `generate`, among those that a visit finds.
    fn place(&self, name: &str) -> Option<usize> {
        let observed = self.observed.iter().map(|observed| &observed.name);
        let generated = self.generated.iter().map(|generated| &generated.name);
        observed.chain(generated).position(|known| known == name)
    }

    fn unknown(&self, name: &str) -> Error {
        let generated = self.generated.iter().map(|generated| &generated.name);
        let is_in_run = match self.source {
            Source::Run(run) => run.layout.find(name).is_some(),
            Source::Prior(_) => false,
        };
        self.error(PredictionError::Unknown {
            name: name.to_owned(),
            is_in_run,
            observed: self.observed.iter().map(|o| o.name.clone()).collect(),
            generated: generated.cloned().collect(),
        })
    }

    fn error(&self, source: PredictionError) -> Error {
        Error::Prediction {
            model: self.model.to_owned(),
            source,
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
