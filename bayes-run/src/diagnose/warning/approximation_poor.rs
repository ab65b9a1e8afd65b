//! Gaussian approximations: the approximation is not close to the posterior.

use super::{Message, heavy_tails, mass_beyond, other_maxima};
use crate::diagnose::rhat::variance;
use crate::diagnose::{ColumnDiagnostics, Psis};
use crate::number;
use crate::run::Run;
use crate::text::short;
use serde::{Deserialize, Serialize};

/// The approximation is not close to the posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ApproximationPoor {
    /// The engine that made the approximation.
    pub engine: String,
    /// The shape k-hat of its importance weights.
    pub pareto_k: f64,
    /// The limit of k-hat for this number of draws.
    pub limit: f64,
    /// Number of coordinates: a single one has no correlations.
    #[serde(default = "several")]
    pub coordinates: usize,
    /// The error of k-hat, from the finite number of draws; NaN where a saved warning lacks it.
    #[serde(default = "unknown", with = "number::one")]
    pub error: f64,
    /// How much the ELBO is below the log evidence by the weights: the divergence of the approximation, in nats. NaN where it is unknown.
    #[serde(default = "unknown", with = "number::one")]
    pub divergence: f64,
    /// The standard error of the divergence; NaN where it is unknown.
    #[serde(default = "unknown", with = "number::one")]
    pub divergence_error: f64,
    /// Whether another warning tells which part of the posterior is missed.
    #[serde(default)]
    pub misses: bool,
}

/// A smaller divergence, in nats, is close where the draws are: of Gaussians, means are off by less than a third of a standard deviation,
/// and standard deviations by less than a quarter.
const CLOSE: f64 = 0.05;
/// The divergence is that small if it is by this many of its errors.
const ERRORS: f64 = 2.0;
/// From this k-hat on, weights do not tell the divergence (Vehtari, Simpson, Gelman, Yao and Gabry 2024).
const USELESS: f64 = 0.7;

fn unknown() -> f64 {
    f64::NAN
}

/// Where a saved warning lacks the number.
fn several() -> usize {
    2
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<ApproximationPoor> {
    let pareto_k = run.importance()?.pareto_k;
    // A Gaussian may lie within a part of the posterior. On bananas and funnels, weighted moments were up to 190 of their errors off where
    // k-hat was 0.5 to 0.7, and at most 3 below: variational inference and Laplace in experiments/reports.md, Pathfinder likewise.
    let limit = Psis::finite_k(run.total_draws());
    // a NaN does not show that the approximation is close
    let is_close = pareto_k <= limit;
    // draws that lack tails do not tell how far these are off
    let divergence = divergence(run).filter(|_| heavy_tails::heavier(run).is_none());
    let [divergence, divergence_error] = divergence.unwrap_or([f64::NAN; 2]);
    (!is_close).then(|| ApproximationPoor {
        engine: run.engine.clone(),
        pareto_k,
        limit,
        coordinates: run.layout.dim,
        error: Psis::error_of_k(pareto_k, run.total_draws()),
        divergence,
        divergence_error,
        misses: other_maxima::find(run, elements).is_some()
            || mass_beyond::find(run, elements).is_some(),
    })
}

/// The difference of the log evidence by the weights and of the ELBO, and its standard error by the terms of both, `wₛ − ln wₛ`.
fn divergence(run: &Run) -> Option<[f64; 2]> {
    let (ratios, log_mass) = (
        run.log_importance_ratios()?,
        run.log_mass_of_approximation()?,
    );
    let terms = ratios.iter().map(|ratio| ratio - log_mass);
    let terms: Vec<f64> = terms.map(|log| log.exp() - log).collect();
    let error = (variance(&terms) / terms.len() as f64).sqrt();
    Some([log_mass - run.elbo()?.mean, error])
}

impl ApproximationPoor {
    /// Whether the draws are close to the posterior where they are, although their weights have no variance.
    fn is_close(&self) -> bool {
        let most = self.divergence + ERRORS * self.divergence_error;
        !self.misses && self.pareto_k <= USELESS && most < CLOSE
    }

    /// k-hat, its error and its limit, with digits that tell them apart.
    fn k_hat(&self) -> String {
        let Self {
            pareto_k,
            limit,
            error,
            ..
        } = self;
        let texts = |digits: usize| [pareto_k, limit].map(|number| format!("{number:.digits$}"));
        let differ = |texts: &[String; 2]| texts[0] != texts[1];
        let texts = (2..7).map(texts).find(differ).unwrap_or_else(|| texts(7));
        let [pareto_k, limit] = texts;
        let error = match error.is_finite() {
            true => format!(" ± {error:.2}"),
            false => String::new(),
        };
        format!("k-hat of its importance weights is {pareto_k}{error}; it should be below {limit}")
    }
}

impl Message for ApproximationPoor {
    fn problem(&self) -> String {
        let k_hat = self.k_hat();
        match self.is_close() {
            true => format!(
                "the weights of the approximation have no variance: {k_hat}. By these weights the ELBO is {} ± {} below the log evidence, so that \
                 the approximation is close to the posterior where its draws are, and its tails may not be",
                short(self.divergence.max(0.0)),
                short(self.divergence_error)
            ),
            false => format!("the approximation is not close to the posterior: {k_hat}"),
        }
    }

    fn remedy(&self) -> &'static str {
        if self.misses {
            return "It misses a part of the posterior, of which another warning tells.";
        }
        if self.is_close() {
            return "Where the draws are, means are off by less than a third of a standard deviation. Tails that the draws lack may add to standard \
                    deviations. For these, for corrections by the weights and for the evidence use an engine \
                    that samples, such as `Inference::nuts()` or `Inference::psmc()`.";
        }
        match self.engine.as_str() {
            "mean_field" if self.coordinates > 1 => {
                "Mean field has no correlations, so its standard deviations are too small where values are correlated. Use \
                 `.full_rank()`, more epochs, or an engine that samples, such as `Inference::nuts()`."
            }
            "mean_field" | "full_rank" => {
                "Use more epochs; if that does not help, the posterior is not Gaussian in the unconstrained coordinates, and an engine \
                 that samples is needed, such as `Inference::nuts()`."
            }
            "pathfinder" => {
                "From 0.5 on the variance of the weights is infinite, so that standard errors are too small, and the Gaussians along the paths \
                 may miss a part of the posterior: do not use these draws, but an engine that samples, such as `Inference::nuts()`."
            }
            "swag" => {
                "The covariance of SWAG is that of the iterates of an optimiser, not of the posterior: judge it by the scores of its \
                 predictions of new data."
            }
            _ => {
                "The posterior is not Gaussian in the unconstrained coordinates. Use an engine that samples, such as \
                 `Inference::nuts()`."
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{approximation, of_draws};

    #[test]
    fn an_approximation_that_is_far_too_narrow() {
        let run = approximation(1000, 0.3);
        let pareto_k = run.importance().expect("it is one").pareto_k;
        let error = Psis::error_of_k(pareto_k, 1000);
        // exact value of k: 1 − 0.3² = 0.91
        assert!((0.7..1.1).contains(&pareto_k), "{pareto_k}");
        assert_warned(
            &run,
            &format!(
                "the approximation is not close to the posterior: k-hat of its importance weights is {pareto_k:.2} ± {error:.2}; it should be \
                 below 0.50. Mean field has no correlations, so its standard deviations are too small where values are \
                 correlated. Use `.full_rank()`, more epochs, or an engine that samples, such as `Inference::nuts()`."
            ),
        );
    }

    /// Would detect advice to use the other Gaussian, which is the same one.
    #[test]
    fn a_single_coordinate_has_no_correlations() {
        let mut run = approximation(1000, 0.3);
        run.layout.dim = 1;
        let text = run.warnings()[0].to_string();
        assert!(
            text.contains("Use more epochs; if that does not help"),
            "{text}"
        );
        assert!(
            !text.contains("full_rank") && !text.contains("correlat"),
            "{text}"
        );
    }

    /// The program and Python have no way to follow an advice with a setting that they lack.
    #[test]
    fn the_weights_of_every_approximation_need_a_variance() {
        let mut run = approximation(4000, 0.65);
        let pareto_k = run.importance().expect("it is one").pareto_k;
        let error = Psis::error_of_k(pareto_k, 4000);
        // exact value of k: 1 − 0.65² = 0.58
        assert!((0.5..0.7).contains(&pareto_k), "{pareto_k}");
        for engine in ["mean_field", "full_rank", "laplace", "swag"] {
            run.engine = engine.to_owned();
            let text = run.to_string();
            assert!(text.contains("it should be below 0.50"), "{text}");
            assert!(!text.contains("by these weights"), "{text}");
        }
        run.engine = "pathfinder".to_owned();
        assert_warned(
            &run,
            &format!(
                "the approximation is not close to the posterior: k-hat of its importance weights is {pareto_k:.2} ± {error:.2}; it should be \
                 below 0.50. From 0.5 on the variance of the weights is infinite, so that standard errors are too small, and the \
                 Gaussians along the paths may miss a part of the posterior: do not use these draws, but an engine that samples, \
                 such as `Inference::nuts()`."
            ),
        );
    }

    fn found(pareto_k: f64, divergence: f64) -> ApproximationPoor {
        ApproximationPoor {
            engine: "full_rank".to_owned(),
            pareto_k,
            limit: 0.5,
            coordinates: 3,
            error: 0.12,
            divergence,
            divergence_error: 0.01,
            misses: false,
        }
    }

    /// Would detect "0.50; it should be below 0.50", and words of a wrong approximation where it is known to be close.
    #[test]
    fn what_is_known_of_the_approximation_is_said() {
        let text = found(0.5004, 0.3).problem();
        assert!(
            text.contains("not close")
                && text.contains("is 0.5004 ± 0.12; it should be below 0.5000"),
            "{text}"
        );
        let close = found(0.62, 0.0145);
        let text = format!("{}. {}", close.problem(), close.remedy());
        assert!(
            text.contains("the ELBO is 0.01450 ± 0.01000 below the log evidence"),
            "{text}"
        );
        assert!(
            !text.contains("not close") && !text.contains("more epochs"),
            "{text}"
        );
        // a part that no draw reaches has no weight in the divergence
        let missing = ApproximationPoor {
            misses: true,
            ..close
        };
        assert!(missing.problem().contains("not close"));
        // weights of a higher k-hat do not tell the divergence, nor does an estimate whose error reaches the limit
        assert!(found(0.71, 0.0145).problem().contains("not close"));
        assert!(found(0.62, 0.031).problem().contains("not close"));
        let text = found(0.62, f64::NAN).problem();
        assert!(text.contains("not close"), "{text}");
    }

    /// Would detect an advice to use a full covariance beside another to use an engine that finds several modes.
    #[test]
    fn advice_for_a_missed_part_is_given_once() {
        let mut run = approximation(1000, 0.3);
        of_draws(&mut run.groups[0]).excursions = Some(crate::run::Excursions {
            number: 128,
            rise: 2.0,
            se: 0.1,
            beyond: 25,
        });
        let [poor, beyond] = &run.warnings()[..] else {
            panic!("{:?}", run.warnings());
        };
        assert!(poor.remedy().contains("another warning"), "{poor}");
        assert!(
            beyond.remedy().contains("an engine that samples"),
            "{beyond}"
        );
    }
}
