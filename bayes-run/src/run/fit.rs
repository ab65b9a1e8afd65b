//! The result of an optimisation as plain data: a point by name, and how it was reached.

use super::validate::values_of;
use super::{Counts, RunError};
use crate::density::Arithmetic;
use crate::model::{Layout, StatementInfo, Variable, VariableKind};
use crate::number;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// The format of saved fits that this version writes and reads.
pub const FIT_FORMAT: u32 = 1;

/// A point estimate, with every restart of the optimisation that found it.
///
/// A fit stores what later steps need: a Laplace approximation (`fit.laplace()`), an anchored posterior
/// (`Inference::psmc().anchor(&fit, 0.1)`), or another optimisation that starts here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fit {
    /// The model function's name.
    pub model: String,
    /// The format of the saved fit: [`FIT_FORMAT`].
    pub format: u32,
    /// The version of the library that made it.
    pub version: String,
    /// A hash of the model's text and data, 16 hexadecimal digits.
    pub fingerprint: String,
    /// What was maximised.
    pub objective: Objective,
    /// The optimiser, by the name of its file.
    pub optimiser: String,
    /// The settings by name, as text.
    pub settings: BTreeMap<String, String>,
    /// The user's seed.
    pub seed: u64,
    /// How the model was evaluated.
    pub arithmetic: Arithmetic,
    /// Names and shapes of the values.
    pub layout: Layout,
    /// The model's statements; counts refer to their indices.
    pub statements: Vec<StatementInfo>,
    /// Index of the best restart: the one of lowest validation loss if there is one, otherwise of highest density.
    pub best: usize,
    /// All restarts, in the order of their numbers.
    pub restarts: Vec<Restart>,
    /// Numbers of evaluations and non-finite densities.
    pub counts: Counts,
}

/// What an optimisation maximises.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Objective {
    /// The posterior density of the model's values: without the Jacobians of the transforms.
    Values,
    /// The posterior density of the unconstrained coordinates: with the Jacobians.
    Coordinates,
    /// The likelihood.
    Likelihood,
    /// The marginal likelihood of the params: the random values are integrated out.
    MarginalLikelihood,
}

impl fmt::Display for Objective {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Values => "the posterior density of the values (without Jacobians)",
            Self::Coordinates => {
                "the posterior density of the unconstrained coordinates (with Jacobians)"
            }
            Self::Likelihood => "the likelihood",
            Self::MarginalLikelihood => "the marginal likelihood",
        })
    }
}

/// One optimisation from one starting point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Restart {
    /// Unconstrained position at the end, `[layout.dim]`.
    #[serde(with = "number::many")]
    pub position: Vec<f64>,
    /// The constrained values at `position`, `[layout.elements()]`.
    #[serde(with = "number::many")]
    pub values: Vec<f64>,
    /// Log prior at `position`; with the log Jacobian for [`Objective::Coordinates`].
    #[serde(with = "number::one")]
    pub log_prior: f64,
    /// Log likelihood of the training rows.
    #[serde(with = "number::one")]
    pub log_likelihood: f64,
    /// The log density that was maximised, of the training rows.
    #[serde(with = "number::one")]
    pub log_density: f64,
    /// Euclidean norm of the gradient of `log_density` in the unconstrained coordinates.
    #[serde(with = "number::one")]
    pub gradient_norm: f64,
    /// Minus the log density per row, epoch by epoch; a model without `#[rows]` counts as one row. With minibatches, the mean
    /// over the minibatches of the epoch. Infinite where the loss is not a number.
    #[serde(with = "number::many")]
    pub losses: Vec<f64>,
    /// Minus the log likelihood per row of the validation rows, after each epoch; empty without validation.
    #[serde(with = "number::many")]
    pub validation_losses: Vec<f64>,
    /// Why the optimisation ended.
    pub ended: Ended,
    /// The number of the maximum where it ended, from 0, the highest; `None` if it ended at none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maximum: Option<usize>,
}

impl Restart {
    /// The validation loss of the weights that were kept; NaN without validation.
    #[must_use]
    pub fn validation_loss(&self) -> f64 {
        let kept = match self.ended {
            Ended::Stopped { kept } => kept,
            _ => self.validation_losses.len(),
        };
        let loss = self.validation_losses.get(kept.wrapping_sub(1));
        loss.copied().unwrap_or(f64::NAN)
    }
}

/// Why an optimisation ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// At a mode: the next step promises no gain.
    Converged,
    /// After all epochs that were allowed.
    AllEpochs,
    /// By early stopping, or after all epochs with the weights of the best one.
    Stopped {
        /// The epoch of the weights that are returned, from 1.
        kept: usize,
    },
    /// The density still rises towards the edge of the space: there is no mode inside.
    NoMode,
    /// No higher point was found, although the gradient is not small.
    Stalled,
    /// The loss was not a number. The last position with a finite loss is returned.
    NotFinite {
        /// The epoch, from 1.
        epoch: usize,
        /// The statement that was not finite, in words.
        statement: String,
    },
}

impl Ended {
    /// Whether the point is a mode.
    #[must_use]
    pub fn is_converged(&self) -> bool {
        *self == Self::Converged
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Converged => f.write_str("converged"),
            Self::AllEpochs => f.write_str("ended after all epochs"),
            Self::Stopped { kept } => {
                write!(
                    f,
                    "ended by the validation loss, with the weights of epoch {kept}"
                )
            }
            Self::NoMode => {
                f.write_str("found no mode: the density still rises towards the edge of the space")
            }
            Self::Stalled => f.write_str(
                "stalled: no higher point was found, although the gradient is not small",
            ),
            Self::NotFinite { epoch, statement } => write!(
                f,
                "ended in epoch {epoch}, where the loss was not a number: {statement}; the last finite point is kept"
            ),
        }
    }
}

impl Fit {
    /// The best restart.
    #[must_use]
    pub fn restart(&self) -> &Restart {
        &self.restarts[self.best]
    }

    /// The quantity called `name`.
    fn variable(&self, name: &str) -> Result<&Variable, RunError> {
        self.layout
            .find(name)
            .ok_or_else(|| RunError::unknown_name(name, self.layout.names()))
    }

    /// The value of a quantity, its elements row by row.
    ///
    /// # Errors
    /// [`RunError::UnknownName`], with the names that exist.
    pub fn value(&self, name: &str) -> Result<&[f64], RunError> {
        let range = self.variable(name)?.range();
        Ok(&self.restart().values[range])
    }

    /// The values of all random quantities by name, as `model.log_density_at(..)` and `model.hessian_at(..)` take them.
    #[must_use]
    pub fn values(&self) -> Vec<(&str, &[f64])> {
        let random = |v: &&Variable| v.kind != VariableKind::Deterministic;
        let variables = self.layout.variables.iter().filter(random);
        let values = &self.restart().values;
        variables
            .map(|v| (v.name.as_str(), &values[v.range()]))
            .collect()
    }

    /// The unconstrained position, `[layout.dim]`.
    #[must_use]
    pub fn position(&self) -> &[f64] {
        &self.restart().position
    }

    /// The log density that was maximised, of the training rows.
    #[must_use]
    pub fn log_density(&self) -> f64 {
        self.restart().log_density
    }

    /// Why the optimisation ended.
    #[must_use]
    pub fn ended(&self) -> &Ended {
        &self.restart().ended
    }

    /// The numbers of the restarts that ended at each maximum, the highest maximum first. Restarts that ended at none, such as those by
    /// minibatches, are left out.
    ///
    /// Several maxima may be several modes of the posterior, or copies of one whose components have changed places. An approximation
    /// around one of them lacks the others. Restarts on a curved ridge of equal height are told apart too, as where data identify only the
    /// product of two quantities: the density half-way between two of them is lower.
    #[must_use]
    pub fn maxima(&self) -> Vec<Vec<usize>> {
        let number = self.restarts.iter().filter_map(|restart| restart.maximum);
        let mut maxima = vec![Vec::new(); number.max().map_or(0, |last| last + 1)];
        for (place, restart) in self.restarts.iter().enumerate() {
            if let Some(maximum) = restart.maximum {
                maxima[maximum].push(place);
            }
        }
        maxima.retain(|restarts| !restarts.is_empty());
        maxima
    }

    /// The unconstrained positions where restarts ended at a maximum.
    #[doc(hidden)]
    #[must_use]
    pub fn ends(&self) -> Vec<Vec<f64>> {
        let at_maxima = self
            .restarts
            .iter()
            .filter(|restart| restart.ended.is_converged());
        at_maxima.map(|restart| restart.position.clone()).collect()
    }

    /// Every restart as a fit of its own: the members of an ensemble.
    #[must_use]
    pub fn split(&self) -> Vec<Self> {
        let alone = |restart: &Restart| Self {
            best: 0,
            restarts: vec![Restart {
                maximum: restart.maximum.map(|_| 0),
                ..restart.clone()
            }],
            ..self.clone()
        };
        self.restarts.iter().map(alone).collect()
    }

    /// Checks the properties on which the other methods rely, for a fit that was read from a file.
    ///
    /// # Errors
    /// [`RunError::Layout`], [`RunError::NoGroups`] without restarts, [`RunError::Length`] for lists that are incomplete,
    /// [`RunError::Value`] for a best restart that does not exist.
    pub(crate) fn validate(&self) -> Result<(), RunError> {
        let elements = values_of(&self.layout)?;
        if self.restarts.is_empty() {
            return Err(RunError::NoGroups);
        }
        if self.best >= self.restarts.len() {
            return Err(RunError::Value {
                group: self.best,
                field: "best",
                found: self.best.to_string(),
                allowed: format!("below {}, the number of restarts", self.restarts.len()),
            });
        }
        for (group, restart) in self.restarts.iter().enumerate() {
            let lists = [
                ("position", restart.position.len(), self.layout.dim),
                ("values", restart.values.len(), elements),
            ];
            if restart
                .maximum
                .is_some_and(|maximum| maximum >= self.restarts.len())
            {
                return Err(RunError::Value {
                    group,
                    field: "maximum",
                    found: restart.maximum.unwrap_or_default().to_string(),
                    allowed: format!("below {}, the number of restarts", self.restarts.len()),
                });
            }
            for (list, found, wanted) in lists {
                if found != wanted {
                    return Err(RunError::Length {
                        group,
                        list,
                        found,
                        wanted,
                    });
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::run::example::fit as example;

    #[test]
    fn values_are_found_by_name() {
        let fit = example();
        assert_eq!(fit.value("beta").unwrap(), [1.5, -2.0]);
        assert_eq!(fit.values(), [("mu", &[0.5][..]), ("beta", &[1.5, -2.0])]);
        let error = fit.value("betta").unwrap_err().to_string();
        assert!(error.contains("did you mean `beta`?"), "{error}");
    }

    #[test]
    fn split_gives_every_restart() {
        let fits = example().split();
        let first: Vec<f64> = fits.iter().map(|fit| fit.value("mu").unwrap()[0]).collect();
        assert_eq!(first, [1.0, 0.5, 0.5 + 1e-9]);
    }
}
