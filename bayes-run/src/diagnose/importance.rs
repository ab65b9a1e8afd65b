//! How close a Gaussian approximation is to the posterior: the evidence lower bound, and importance weights with k-hat.

use super::rhat::{mean, variance};
use super::{Estimate, Psis, Warning, psis};
use crate::error::RunError;
use crate::numeric::log_mean_exp;
use crate::run::{Group, Run};

/// Log ratios that differ by less have no tail whose shape could be estimated: the approximation is exact up to rounding.
const EQUAL: f64 = 1e-6;

impl Run {
    /// The evidence lower bound (ELBO) of a Gaussian approximation q, with its Monte Carlo error over the draws; `None` for a run
    /// without an approximation.
    ///
    /// ```text
    /// ELBO = E_q[ln p(x, y) − ln q(x)] = ln p(y) − KL(q ‖ p)
    /// ```
    ///
    /// on the log scale, in the unconstrained coordinates x. The bound equals the log evidence if q is the posterior, and is below it
    /// otherwise.
    #[must_use]
    pub fn elbo(&self) -> Option<Estimate> {
        let ratios = self.log_importance_ratios()?;
        let draws = ratios.len() as f64;
        Some(Estimate {
            mean: mean(&ratios),
            se: (variance(&ratios) / draws).sqrt(),
            degrees_of_freedom: (draws - 1.0).max(1.0),
        })
    }

    /// Pareto smoothed importance weights from an approximation to the posterior, with their k-hat; `None` for a run without
    /// an approximation.
    ///
    /// The shape k-hat says how close the approximation is (Yao, Vehtari, Simpson and Gelman 2018). Below 0.5 the weights correct it
    /// ([`Run::importance_weighted`]), and a run whose draws differ by much says so. From 0.5 on their variance is infinite, so that standard
    /// errors are too small, and the run warns; above 0.7 neither the draws nor the weights can be relied on. K-hat judges all coordinates
    /// together, so it is strict in many dimensions, and only where the draws are: it does not see a part of the posterior that the approximation does not reach.
    /// Climbs, short trajectories and draws that are moved apart look for such a part, and the run warns
    /// ([`OtherMaxima`](crate::diagnose::warning::OtherMaxima), [`MassBeyond`](crate::diagnose::warning::MassBeyond),
    /// [`HeavyTails`](crate::diagnose::warning::HeavyTails)).
    #[must_use]
    pub fn importance(&self) -> Option<Psis> {
        let ratios = self.log_importance_ratios()?;
        let largest = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let least = ratios.iter().copied().fold(f64::INFINITY, f64::min);
        if largest == f64::NEG_INFINITY || largest - least <= EQUAL {
            let is_lost = largest == f64::NEG_INFINITY;
            return Some(Psis {
                log_weights: vec![-(ratios.len() as f64).ln(); ratios.len()],
                pareto_k: if is_lost { f64::INFINITY } else { 0.0 },
            });
        }
        Some(psis(&ratios, 1.0))
    }

    /// The log evidence by importance sampling from an approximation q, with its Monte Carlo error; `None` for a run without an
    /// approximation, and with an improper prior, such as [`Flat`](crate::dist::Flat), whose constant is arbitrary.
    ///
    /// ```text
    /// ln (1/S) Σ wₛ,   wₛ = p(xₛ, y) / q(xₛ),    standard error  sd(w) / (mean(w) √S)
    /// ```
    ///
    /// The error can be relied on if k-hat is below 0.5.
    #[must_use]
    pub fn importance_evidence(&self) -> Option<Estimate> {
        let ratios = self.log_importance_ratios()?;
        if self.has_improper_prior() {
            return None;
        }
        let draws = ratios.len() as f64;
        let log_mean = log_mean_exp(&ratios);
        let weights: Vec<f64> = ratios
            .iter()
            .map(|ratio| (ratio - log_mean).exp())
            .collect();
        Some(Estimate {
            mean: log_mean,
            se: (variance(&weights) / draws).sqrt(),
            degrees_of_freedom: (draws - 1.0).max(1.0),
        })
    }

    /// What is wrong with the approximation that made the draws, as a warning of the run says; `None` for other runs.
    pub(crate) fn problem_of_approximation(&self) -> Option<String> {
        self.log_importance_ratios()?;
        let is_of_approximation = |warning: &Warning| {
            matches!(
                warning,
                Warning::ApproximationPoor(_)
                    | Warning::OtherMaxima(_)
                    | Warning::MassBeyond(_)
                    | Warning::HeavyTails(_)
                    | Warning::WeightsCorrect(_)
            )
        };
        let found = self.warnings().into_iter().find(is_of_approximation)?;
        Some(found.problem())
    }

    /// The log mass of the approximation by the importance weights: the log evidence, up to the constant of the prior.
    pub(crate) fn log_mass_of_approximation(&self) -> Option<f64> {
        Some(log_mean_exp(&self.log_importance_ratios()?))
    }

    /// The same draws, weighted by [`Run::importance`] from the approximation to the posterior, with the log evidence
    /// `ln (1/S) Σ p(xₛ, y) / q(xₛ)`; with an improper prior there is no evidence.
    ///
    /// ```text
    /// let run = Inference::vi().full_rank().run(&model)?.importance_weighted()?;
    /// ```
    ///
    /// # Errors
    /// [`RunError::NoApproximation`] for a run without an approximation.
    pub fn importance_weighted(&self) -> Result<Self, RunError> {
        let found = self.importance().zip(self.log_importance_ratios());
        let Some((weights, ratios)) = found else {
            return Err(RunError::NoApproximation {
                engine: self.engine.clone(),
            });
        };
        let mut weighted = self.clone();
        let mut rest = weights.log_weights;
        for independent in weighted
            .groups
            .iter_mut()
            .filter_map(Group::independent_mut)
        {
            let others = rest.split_off(independent.log_approximation.len());
            independent.log_weights = std::mem::replace(&mut rest, others);
            let has_evidence = !independent.improper_prior;
            independent.log_evidence = has_evidence.then(|| log_mean_exp(&ratios));
        }
        Ok(weighted)
    }

    /// Whether a prior is improper, such as [`Flat`](crate::dist::Flat), so that there is no evidence: the one of a statement, or, in a run
    /// of an approximation, that of a density without statements.
    #[must_use]
    pub fn has_improper_prior(&self) -> bool {
        let mut origins = self.groups.iter().filter_map(Group::independent);
        let is_of_statement = self.statements.iter().any(|statement| statement.improper);
        is_of_statement || origins.any(|origin| origin.improper_prior)
    }

    /// `ln p(x, y) − ln q(x)` at the draws of an approximation q, `[draws]`.
    pub(super) fn log_importance_ratios(&self) -> Option<Vec<f64>> {
        if self.groups.is_empty() {
            return None;
        }
        let of = |group: &Group| {
            let log_approximation = &group.independent()?.log_approximation;
            let densities = group.log_prior.iter().zip(&group.log_likelihood);
            let pairs = densities.zip(log_approximation);
            let ratios = pairs.map(|((prior, likelihood), own)| prior + likelihood - own);
            (!log_approximation.is_empty()).then(|| ratios.collect::<Vec<f64>>())
        };
        let ratios: Option<Vec<Vec<f64>>> = self.groups.iter().map(of).collect();
        Some(ratios?.concat())
    }
}

#[cfg(test)]
mod tests {
    use crate::run::example::{approximation, chains};

    // The example's posterior is the standard normal in three dimensions times exp(-1), without its constant.
    fn log_evidence() -> f64 {
        1.5 * std::f64::consts::TAU.ln() - 1.0
    }

    #[test]
    fn an_exact_approximation_has_the_evidence_and_no_error() {
        let run = approximation(400, 1.0);
        let elbo = run.elbo().expect("it is an approximation");
        assert!((elbo.mean - log_evidence()).abs() < 1e-12 && elbo.se < 1e-12);
        assert_eq!(run.importance().map(|weights| weights.pareto_k), Some(0.0));
        assert!(run.warnings().is_empty(), "{:?}", run.warnings());
    }

    // KL of N(0, s² I) from N(0, I): 3/2 (s² - 1 - ln s²).
    #[test]
    fn the_elbo_is_below_the_evidence_by_the_divergence() {
        for scale in [0.7, 1.3] {
            let run = approximation(4000, scale);
            let elbo = run.elbo().expect("it is an approximation");
            let divergence = 1.5 * (scale * scale - 1.0 - 2.0 * f64::ln(scale));
            let error = elbo.mean - (log_evidence() - divergence);
            assert!(error.abs() < 4.0 * elbo.se, "{elbo}");
        }
    }

    #[test]
    fn importance_weights_mend_an_approximation_that_is_too_wide() {
        let run = approximation(4000, 1.3);
        assert!((run.sd("mu").unwrap()[0] - 1.3).abs() < 0.06);
        let weighted = run.importance_weighted().unwrap();
        let found = run.importance_evidence().unwrap();
        assert!(
            (found.mean - log_evidence()).abs() < 4.0 * found.se,
            "{found}"
        );
        // the error of a standard deviation with 4000 draws is 0.011; weights make it a little larger
        assert!((weighted.sd("mu").unwrap()[0] - 1.0).abs() < 0.06);
        let evidence = weighted.log_evidence_estimate().unwrap();
        let error = evidence.mean - log_evidence();
        assert!(
            evidence.se > 0.0 && error.abs() < 4.0 * evidence.se,
            "{evidence}"
        );
        assert!((evidence.se / found.se - 1.0).abs() < 0.05, "{found}");
    }

    #[test]
    fn a_run_without_an_approximation_says_so() {
        assert_eq!(chains(2, 10).elbo(), None);
        assert_eq!(
            chains(2, 10).importance_weighted().unwrap_err().to_string(),
            "the draws of `hmc` do not come from a Gaussian approximation, so they have no importance weights"
        );
    }
}
