//! What a module does with a model.

use crate::words::spoken;
use bayes_check::inspect::{Check, Inspect};
use bayes_core::Error;
use bayes_core::density::{LogDensity, Particles, Posterior};
use bayes_core::dist::Shape;
use bayes_core::engine::Engine;
use bayes_core::model::Model;
use bayes_core::predict::{NewGroups, Prediction};
use bayes_core::run::Run;
use bayes_plot::Report;
use std::path::PathBuf;

/// Probabilities of the quantiles of predictions.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// A task with a model.
#[derive(Debug)]
pub enum Task<'t> {
    /// Says what the model is called, what its arguments are, and its text.
    Describe,
    /// Checks the data, the prior and the speed of gradients.
    Check(Check),
    /// Runs the engine.
    Run(&'t dyn Engine),
    /// Evaluates the density at positions without constraints, `[positions, dim]`, of this shape, by this seed of its checks.
    Evaluate(&'t [f64], [usize; 2], u64),
    /// Predicts the observed data.
    Predict(&'t Run, NewGroups),
    /// Computes the log likelihood of each observation at each draw.
    LogLikelihood(&'t Run),
    /// Leaves each observation out, and writes the file of the estimate.
    Loo(&'t Run, PathBuf),
    /// Writes a page on the run.
    Report(&'t Run, PathBuf),
}

/// The answer of a task.
#[derive(Debug)]
pub enum Answer {
    /// The work left a file.
    Done,
    /// A text.
    Text(String),
    /// A run.
    Run(Box<Run>),
    /// The number of coordinates of the model, and at positions with so many the log priors, the log likelihoods and the gradients of their sums,
    /// `[positions + positions + positions * dim]`.
    Densities(usize, Vec<f64>),
    /// The name of the model, whether its function has it too, its text, and the names of its arguments.
    Description {
        /// The name.
        name: &'static str,
        /// Whether the function that made it is the one with `#[model]`.
        is_made_by_itself: bool,
        /// The text.
        source: &'static str,
        /// The names.
        arguments: Vec<&'static str>,
    },
    /// Quantities, each with its draws.
    Quantities(Vec<Quantity>),
}

/// A predicted quantity, or the log likelihoods of an observed one.
#[derive(Debug)]
pub struct Quantity {
    pub(crate) name: String,
    pub(crate) shape: Vec<usize>,
    /// The names of its elements.
    pub(crate) elements: Vec<String>,
    /// The data, `[elements]`; empty for a generated quantity.
    pub(crate) data: Vec<f64>,
    /// `[draws, elements]`, or of log likelihoods `[draws, observations]`.
    pub(crate) draws: Vec<f64>,
    /// The mean and quantiles of each element, `[6, elements]`; empty for log likelihoods.
    pub(crate) statistics: Vec<f64>,
}

impl Task<'_> {
    /// Does the work with a model that the function of this name made.
    ///
    /// # Errors
    /// The errors of the engine or of the question.
    pub(crate) fn perform<Mo: Model>(
        &mut self,
        model: &Mo,
        function: &str,
    ) -> Result<Answer, Error> {
        let predicted = |run: &Run, groups| -> Result<Answer, Error> {
            quantities(&run.predict_with(model, groups)?)
        };
        Ok(match self {
            Self::Describe => Answer::Description {
                name: model.name(),
                is_made_by_itself: function.rsplit("::").next() == Some(model.name()),
                source: model.source(),
                arguments: model.data().iter().map(|data| data.name).collect(),
            },
            Self::Check(check) => Answer::Text(model.check(*check)?.to_string()),
            Self::Run(engine) => {
                let common = engine.common();
                let posterior = Posterior::with(model, common.seed, common.arithmetic)?;
                Answer::Run(Box::new(engine.run_on(&posterior)?))
            }
            Self::Evaluate(positions, shape, seed) => {
                let posterior = Posterior::new(model, *seed)?;
                Answer::Densities(posterior.dim(), evaluated(&posterior, positions, *shape))
            }
            Self::Predict(run, groups) => predicted(run, *groups)?,
            Self::LogLikelihood(run) => Answer::Quantities(log_likelihoods(&run.predict(model)?)?),
            Self::Loo(run, out) => {
                run.loo(model)?.save(out)?;
                Answer::Done
            }
            Self::Report(run, out) => {
                Report::new(run).in_words(spoken).model(model)?.save(out)?;
                Answer::Done
            }
        })
    }
}

/// The log priors, the log likelihoods and the gradients of their sums at positions; nothing at those of another number of coordinates.
fn evaluated(density: &dyn LogDensity, positions: &[f64], [count, dim]: [usize; 2]) -> Vec<f64> {
    if dim != density.dim() {
        return Vec::new();
    }
    let mut all = Particles::new(count, dim);
    all.positions = positions.to_vec();
    density.evaluate_gradient([1.0, 1.0], &mut all.block());
    [all.log_prior, all.log_likelihood, all.gradient].concat()
}

/// All predicted quantities with their draws.
fn quantities(prediction: &Prediction<'_>) -> Result<Answer, Error> {
    let observed = prediction.observed().iter();
    let observed = observed.map(|o| (&o.name, o.shape, o.element_names(), o.data.clone()));
    let generated = prediction.generated().iter();
    // a loop that did not run has none
    let generated = generated.filter(|g| g.shape.elements() > 0);
    let generated = generated.map(|g| (&g.name, g.shape, g.element_names(), Vec::new()));
    let all = observed
        .chain(generated)
        .map(|(name, shape, elements, data)| {
            let draws = prediction.draws(name)?;
            let mut statistics = draws.mean();
            for probability in QUANTILES {
                statistics.extend(draws.quantile(probability)?);
            }
            Ok(Quantity {
                name: name.clone(),
                shape: axes(shape),
                elements,
                data,
                draws: draws.values,
                statistics,
            })
        });
    let all = all.collect::<Result<Vec<Quantity>, Error>>()?;
    Ok(Answer::Quantities(all))
}

/// The log likelihoods of each observed quantity, with its data.
fn log_likelihoods(prediction: &Prediction<'_>) -> Result<Vec<Quantity>, Error> {
    let terms = prediction.log_likelihood()?;
    let mut first = 0;
    let all = terms.variables.iter().map(|(name, observations)| {
        let mine = first..first + observations;
        first += observations;
        let observed = prediction.observed_variable(name)?;
        Ok(Quantity {
            name: name.clone(),
            shape: axes(observed.shape),
            elements: observed.element_names(),
            data: observed.data.clone(),
            draws: terms
                .rows()
                .flat_map(|row| row[mine.clone()].to_vec())
                .collect(),
            statistics: Vec::new(),
        })
    });
    all.collect()
}

fn axes(shape: Shape) -> Vec<usize> {
    match shape {
        Shape::Scalar => Vec::new(),
        Shape::Vector(n) => vec![n],
        Shape::Matrix(rows, columns) => vec![rows, columns],
    }
}
