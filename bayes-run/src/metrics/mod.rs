//! Scores of predictions: their quality, their calibration, and the parts of their uncertainty.
//!
//! Classification takes the labels and [`ClassProbabilities`]: the probabilities that each member (a draw of a posterior,
//! a network of an ensemble) gives to each class of each observation. Regression takes [`Draws`](crate::run::Draws) of
//! the predicted data. Both come from [`Run::predict`](crate::run::Run::predict), or from plain numbers.
//!
//! A [`Score`] has two standard errors: over data (other observations of the same kind) and over draws (another run).
//!
//! ```
//! use bayes_run::metrics::{self, Bins, ClassProbabilities};
//!
//! // two members, three observations, two classes
//! let values = vec![0.9, 0.1, 0.4, 0.6, 0.2, 0.8, /* second member */ 0.7, 0.3, 0.2, 0.8, 0.4, 0.6];
//! let p = ClassProbabilities::weighted(values, 2, vec![0.5, 0.5])?;
//! let labels = [0, 1, 0];
//! assert!((metrics::accuracy(&p, &labels)?.value - 2.0 / 3.0).abs() < 1e-12);
//! let nll = metrics::nll(&p, &labels)?; // of the mean probabilities 0.8, 0.7 and 0.3
//! assert!((nll.value + (0.8f64 * 0.7 * 0.3).ln() / 3.0).abs() < 1e-12);
//! println!("{}", metrics::classification(&p, &labels, Bins::equal_width(10))?);
//! # Ok::<(), metrics::MetricsError>(())
//! ```

mod blocks;
mod calibration;
mod classification;
mod distance;
mod entropy;
mod probabilities;
mod proper;
mod ranking;
mod regression;
mod score;
mod share_inside;
#[cfg(test)]
mod tests;
mod threshold;
mod transport;

pub use crate::error::MetricsError;
pub use calibration::{Bins, Reliability, ReliabilityBin, calibration_error, reliability};
pub use classification::{Classification, classification};
pub use distance::{Distances, distances, floor};
pub use entropy::{Entropies, entropies};
pub use probabilities::{ClassProbabilities, MeanProbabilities};
pub use proper::{accuracy, brier, nll};
pub use ranking::{pr_auc, roc_auc, roc_curve};
pub use regression::{Regression, coverage, crps, regression, rmse};
pub use score::Score;
pub use threshold::{Confusion, at_threshold, threshold_sweep};
