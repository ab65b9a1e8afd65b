//! Gaussian approximations: the approximation is not close to the posterior.

use super::Message;
use crate::diagnose::{ColumnDiagnostics, Psis};
use crate::run::Run;
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
}

/// Where a saved warning lacks the number.
fn several() -> usize {
    2
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<ApproximationPoor> {
    let pareto_k = run.importance()?.pareto_k;
    // A Gaussian may lie within a part of the posterior. On bananas and funnels, weighted moments were up to 190 of their errors off where
    // k-hat was 0.5 to 0.7, and at most 3 below: variational inference and Laplace in experiments/reports.md, Pathfinder likewise.
    let limit = Psis::finite_k(run.total_draws());
    // a NaN does not show that the approximation is close
    let is_close = pareto_k <= limit;
    (!is_close).then(|| ApproximationPoor {
        engine: run.engine.clone(),
        pareto_k,
        limit,
        coordinates: run.layout.dim,
    })
}

impl Message for ApproximationPoor {
    fn problem(&self) -> String {
        let Self {
            pareto_k, limit, ..
        } = self;
        format!(
            "the approximation is not close to the posterior: k-hat of its importance weights is {pareto_k:.2}; it should be below \
             {limit:.2}"
        )
    }

    fn remedy(&self) -> &'static str {
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
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::approximation;

    #[test]
    fn an_approximation_that_is_far_too_narrow() {
        let run = approximation(1000, 0.3);
        let pareto_k = run.importance().expect("it is one").pareto_k;
        // exact value of k: 1 − 0.3² = 0.91
        assert!((0.7..1.1).contains(&pareto_k), "{pareto_k}");
        assert_warned(
            &run,
            &format!(
                "the approximation is not close to the posterior: k-hat of its importance weights is {pareto_k:.2}; it should be \
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
                "the approximation is not close to the posterior: k-hat of its importance weights is {pareto_k:.2}; it should be \
                 below 0.50. From 0.5 on the variance of the weights is infinite, so that standard errors are too small, and the \
                 Gaussians along the paths may miss a part of the posterior: do not use these draws, but an engine that samples, \
                 such as `Inference::nuts()`."
            ),
        );
    }
}
