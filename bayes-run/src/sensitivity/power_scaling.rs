//! Power scaling by importance weights.

use super::{Sensitivity, SensitivityRow, at_draws, cjs_distance};
use crate::diagnose::{Estimator, Psis, ess, psis};
use crate::error::Error;
use crate::graph;
use crate::model::{Model, StatementKind, validate};
use crate::parallel;
use crate::run::{Run, RunError};

/// The powers: near 1, so that the ratio is a slope and the weights are even.
const POWERS: [f64; 2] = [0.99, 1.01];

/// Terms of the log density at the draws of a run, group by group.
pub(super) struct Terms {
    /// Sum of the scaled priors, in the model's own coordinates: without Jacobians.
    pub(super) prior: Vec<Vec<f64>>,
    pub(super) likelihood: Vec<Vec<f64>>,
}

/// The weights of the draws with a term of the density raised to each power.
struct Scaled {
    weights: [Vec<f64>; 2],
    pareto_k: f64,
}

impl Run {
    /// Sensitivity of every element to the prior and to the likelihood, by power scaling (Kallioinen et al. 2024): how far the
    /// posterior moves if either is raised to the powers 0.99 and 1.01. The draws of this run are reweighted by Pareto smoothed
    /// importance sampling; no other run is needed. `model` is the model of the run with its data, and is evaluated once for each draw.
    ///
    /// Sensitivity to both means that prior and data may be in conflict. Sensitivity to the prior alone means that the prior is strong,
    /// or the likelihood weak. Whether that is intended only you know.
    ///
    /// Only priors that depend on no other random quantity are scaled, because priors within a hierarchy are part of what is learnt.
    /// The standard normal variables of a non-centred hierarchy look like other priors. In a formula they are known and not scaled. Elsewhere
    /// name the priors by [`sensitivity_to`](Self::sensitivity_to).
    ///
    /// # Errors
    /// [`Error::Values`] if the random quantities of the model differ from the run's; [`Error::Model`] if the model does not fit its
    /// data; the errors of [`Prediction::check_data`](crate::predict::Prediction::check_data), because the run must have used these data.
    pub fn sensitivity<Mo: Model>(&self, model: &Mo) -> Result<Sensitivity, Error> {
        let (mut top, mut within) = levels(model)?;
        if let Some(recipe) = model.recipe() {
            let is_latent = |name: &String| recipe.latent.contains(name);
            within.extend(top.iter().filter(|name| is_latent(name)).cloned());
            top.retain(|name| !is_latent(name));
        }
        let scaled = self.power_scaled(model, &top)?;
        Ok(Sensitivity {
            left_out: within,
            ..scaled
        })
    }

    /// [`sensitivity`](Self::sensitivity) to the priors of these random quantities together.
    ///
    /// ```text
    /// run.sensitivity_to(&model, ["tau"])?;
    /// ```
    ///
    /// # Errors
    /// The errors of [`sensitivity`](Self::sensitivity); [`RunError::UnknownName`] for a name that no random quantity has.
    pub fn sensitivity_to<Mo: Model, S: AsRef<str>>(
        &self,
        model: &Mo,
        priors: impl IntoIterator<Item = S>,
    ) -> Result<Sensitivity, Error> {
        let (mut names, within) = levels(model)?;
        names.extend(within);
        let wanted = priors.into_iter().map(|name| match name.as_ref() {
            name if names.iter().any(|known| known == name) => Ok(name.to_owned()),
            name => Err(RunError::unknown_name(name, names.clone())),
        });
        let wanted: Vec<String> = wanted.collect::<Result<_, _>>()?;
        self.power_scaled(model, &wanted)
    }

    fn power_scaled<Mo: Model>(&self, model: &Mo, priors: &[String]) -> Result<Sensitivity, Error> {
        let terms = self.terms(model, priors)?;
        self.predict(model)?.check_data()?;
        Ok(Sensitivity {
            priors: priors.to_vec(),
            ..of_terms(self, &terms)
        })
    }

    /// The log prior of these quantities and the log likelihood at every draw.
    fn terms<Mo: Model>(&self, model: &Mo, priors: &[String]) -> Result<Terms, Error> {
        let statements = model.statements();
        let groups = at_draws(self, model, |terms| {
            let (mut prior, mut likelihood) = (0.0, 0.0);
            for (term, statement) in terms.iter().zip(statements) {
                match statement.kind {
                    StatementKind::Sample if priors.iter().any(|p| p == statement.name) => {
                        prior += term;
                    }
                    kind if kind.is_likelihood() => likelihood += term,
                    _ => {}
                }
            }
            (prior, likelihood)
        })?;
        let (prior, likelihood) = groups
            .into_iter()
            .map(|group| group.into_iter().unzip())
            .unzip();
        Ok(Terms { prior, likelihood })
    }
}

/// The sensitivities of all elements to these terms.
pub(super) fn of_terms(run: &Run, terms: &Terms) -> Sensitivity {
    let (estimator, weights) = (Estimator::of(run), run.draw_weights());
    let [prior, likelihood] =
        [&terms.prior, &terms.likelihood].map(|term| scaled(&estimator, &weights, term));
    let names = run.layout.element_names().into_iter().enumerate();
    let row = |(element, name)| {
        let values = run.column(element).concat();
        let slope = |scaled: &Scaled| {
            let slopes = POWERS.iter().zip(&scaled.weights).map(|(power, scaled)| {
                cjs_distance(&values, &weights, scaled) / power.log2().abs()
            });
            slopes.sum::<f64>() / POWERS.len() as f64
        };
        SensitivityRow {
            name,
            prior: slope(&prior),
            likelihood: slope(&likelihood),
        }
    };
    Sensitivity {
        rows: parallel::map(names, row),
        priors: Vec::new(),
        left_out: Vec::new(),
        prior_k: prior.pareto_k,
        likelihood_k: likelihood.pareto_k,
        good_k: Psis::good_k(weights.iter().filter(|w| **w > 0.0).count()),
    }
}

/// The names of the random quantities whose priors depend on no other random quantity, and the names of the rest.
fn levels<Mo: Model>(model: &Mo) -> Result<(Vec<String>, Vec<String>), Error> {
    validate(model)?;
    let graph = graph::record(model)?;
    let mut depends = vec![false; graph.nodes.len()];
    let mut levels = (Vec::new(), Vec::new());
    for (place, node) in graph.nodes.iter().enumerate() {
        let is_random =
            |parent: &usize| depends[*parent] || graph.nodes[*parent].kind == StatementKind::Sample;
        depends[place] = node.parents.iter().any(is_random);
        if node.kind == StatementKind::Sample {
            let level = if depends[place] {
                &mut levels.1
            } else {
                &mut levels.0
            };
            level.push(node.name.clone());
        }
    }
    Ok(levels)
}

/// The weights of the draws with `term` raised to each power, smoothed.
fn scaled(estimator: &Estimator<'_>, weights: &[f64], term: &[Vec<f64>]) -> Scaled {
    let values = term.concat();
    if values.iter().all(|value| *value == values[0]) {
        // there is nothing to scale or to smooth
        return Scaled {
            weights: [weights.to_vec(), weights.to_vec()],
            pareto_k: f64::NAN,
        };
    }
    // as in ArviZ: the effective size of the tails of the term
    let [low, high] = ess::tail_indicators(term).map(|tail| estimator.effective_size(&tail));
    let efficiency = ess::lesser(low, high) / values.len() as f64;
    let efficiency = if efficiency.is_finite() {
        efficiency
    } else {
        1.0
    };
    let smoothed = POWERS.map(|power| {
        let ratio = |(value, weight): (&f64, &f64)| match weight {
            w if *w > 0.0 => w.ln() + (power - 1.0) * value,
            _ => f64::NEG_INFINITY,
        };
        psis(
            &values.iter().zip(weights).map(ratio).collect::<Vec<_>>(),
            efficiency,
        )
    });
    Scaled {
        pareto_k: smoothed[0].pareto_k.max(smoothed[1].pareto_k),
        weights: smoothed.map(|one| one.log_weights.iter().map(|log| log.exp()).collect()),
    }
}
