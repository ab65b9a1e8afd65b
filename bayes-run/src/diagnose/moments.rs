//! Posterior means, standard deviations and quantiles by name.

use super::Estimate;
use super::estimator::{Estimator, constant};
use super::rank::weighted_quantiles;
use crate::parallel;
use crate::run::{Draws, GroupKind, Run, RunError};

impl Run {
    /// Posterior means of the elements of a quantity.
    ///
    /// # Errors
    /// [`RunError::UnknownName`] if the model has no such quantity.
    pub fn mean(&self, name: &str) -> Result<Vec<f64>, RunError> {
        Ok(self
            .mean_estimates(name)?
            .iter()
            .map(|estimate| estimate.mean)
            .collect())
    }

    /// Posterior standard deviations of the elements of a quantity.
    ///
    /// # Errors
    /// [`RunError::UnknownName`] if the model has no such quantity.
    pub fn sd(&self, name: &str) -> Result<Vec<f64>, RunError> {
        Ok(self
            .sd_estimates(name)?
            .iter()
            .map(|estimate| estimate.mean)
            .collect())
    }

    /// Posterior quantiles of the elements of a quantity.
    ///
    /// # Errors
    /// [`RunError::UnknownName`] if the model has no such quantity, [`RunError::Probability`] unless
    /// `0 ≤ probability ≤ 1`.
    pub fn quantile(&self, name: &str, probability: f64) -> Result<Vec<f64>, RunError> {
        if !(0.0..=1.0).contains(&probability) {
            return Err(RunError::Probability { value: probability });
        }
        let range = self.variable(name)?.range();
        let estimator = Estimator::of(self);
        let quantile = |element| estimator.quantiles(&self.column(element), [probability])[0];
        Ok(range.map(quantile).collect())
    }

    /// Posterior means with their Monte Carlo errors.
    ///
    /// # Errors
    /// [`RunError::UnknownName`] if the model has no such quantity.
    pub fn mean_estimates(&self, name: &str) -> Result<Vec<Estimate>, RunError> {
        let range = self.variable(name)?.range();
        let estimator = Estimator::of(self);
        Ok(range
            .map(|element| estimator.mean(&self.column(element)))
            .collect())
    }

    /// Posterior standard deviations with their Monte Carlo errors.
    ///
    /// # Errors
    /// [`RunError::UnknownName`] if the model has no such quantity.
    pub fn sd_estimates(&self, name: &str) -> Result<Vec<Estimate>, RunError> {
        let range = self.variable(name)?.range();
        let estimator = Estimator::of(self);
        Ok(range
            .map(|element| estimator.sd(&self.column(element)))
            .collect())
    }

    /// The mean with its Monte Carlo error, and the standard deviation, of each element of `draws`. They must be made from the draws of
    /// this run, one from each in the same order, as [`generate`](Self::generate) and [`predict`](Self::predict) do.
    ///
    /// # Errors
    /// [`RunError::OtherDraws`] if an island or chain has another number of draws than in the run.
    pub fn moments_of(&self, draws: &Draws) -> Result<Vec<(Estimate, f64)>, RunError> {
        if draws.groups != self.group_sizes() {
            return Err(RunError::OtherDraws {
                found: draws.weights.len(),
                wanted: self.total_draws(),
            });
        }
        let estimator = Estimator::of(self);
        let one = |element| {
            let mut rows = draws.rows().map(|row: &[f64]| row[element]);
            let group = |length: &usize| rows.by_ref().take(*length).collect();
            let column: Vec<Vec<f64>> = draws.groups.iter().map(group).collect();
            (estimator.mean(&column), estimator.spread(&column))
        };
        Ok(parallel::map(0..draws.elements, one))
    }

    /// Whether the groups are chains.
    pub(crate) fn is_chains(&self) -> bool {
        self.kind == GroupKind::Chains
    }
}

impl Draws {
    /// The weighted mean of each element.
    #[must_use]
    pub fn mean(&self) -> Vec<f64> {
        // the value of a draw without weight does not count, even if it is not finite
        let counted = self.rows().zip(&self.weights).filter(|(_, w)| **w > 0.0);
        let counted: Vec<(&[f64], &f64)> = counted.collect();
        let mut means = vec![0.0; self.elements];
        for (row, weight) in &counted {
            for (mean, value) in means.iter_mut().zip(*row) {
                *mean += *weight * value;
            }
        }
        // rounded weights do not sum to 1
        let exact = |(element, mean)| {
            let values = counted.iter().map(|(row, _)| row[element]);
            constant(values).unwrap_or(mean)
        };
        means.into_iter().enumerate().map(exact).collect()
    }

    /// A quantile of each element.
    ///
    /// # Errors
    /// [`RunError::Probability`] unless `0 ≤ probability ≤ 1`.
    pub fn quantile(&self, probability: f64) -> Result<Vec<f64>, RunError> {
        if !(0.0..=1.0).contains(&probability) {
            return Err(RunError::Probability { value: probability });
        }
        let one = |element| {
            let column: Vec<f64> = self.rows().map(|row| row[element]).collect();
            weighted_quantiles(&column, &self.weights, [probability])[0]
        };
        Ok((0..self.elements).map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    use crate::run::example::{chains, islands};
    use crate::run::{Run, RunError};

    /// Repeats the second of two equally long islands three times, for weights of 1 to 3.
    fn repeated(run: &Run, element: usize) -> Vec<f64> {
        let columns = run.column(element);
        [&columns[0], &columns[1], &columns[1], &columns[1]]
            .into_iter()
            .flatten()
            .copied()
            .collect()
    }

    #[test]
    fn weighted_moments_are_those_of_repeated_draws() {
        let run = islands(&[0.0, 3f64.ln()], 500);
        let values = repeated(&run, 2);
        let mean = values.iter().sum::<f64>() / 2000.0;
        let square = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / 2000.0;
        assert!((run.mean("beta").expect("beta")[1] - mean).abs() < 1e-12);
        // Σ w² = 500 (0.25/500)² + 500 (0.75/500)² over the draws.
        let factor = 1.0 / (1.0 - (0.0625 + 0.5625) / 500.0);
        assert!((run.sd("beta").expect("beta")[1] - (square * factor).sqrt()).abs() < 1e-12);
        let median = run.quantile("beta", 0.5).expect("beta")[1];
        let below = values.iter().filter(|v| **v < median).count();
        assert!((998..=1002).contains(&below), "{below}");
    }

    #[test]
    fn the_error_of_an_sd_is_that_of_normal_theory() {
        // Standard normal draws: se(sd) = 1/√(2n).
        for run in [islands(&[0.0; 64], 100), chains(4, 1600)] {
            let estimate = run.sd_estimates("mu").expect("mu")[0];
            assert!((estimate.mean - 1.0).abs() < 4.0 * estimate.se);
            let ratio = estimate.se * (2.0f64 * 6400.0).sqrt();
            assert!((0.75..1.3).contains(&ratio), "{ratio}");
        }
    }

    #[test]
    fn draws_of_a_quantity_have_its_moments() {
        for run in [islands(&[0.0, 3f64.ln()], 50), chains(4, 100)] {
            let draws = run.draws("beta").expect("beta");
            let found = run.moments_of(&draws).expect("they are its own");
            let means = run.mean_estimates("beta").expect("beta");
            let sds = run.sd("beta").expect("beta");
            for ((mean, sd), (wanted, wanted_sd)) in found.iter().zip(means.iter().zip(&sds)) {
                assert_eq!((mean, sd), (wanted, wanted_sd));
            }
        }
        let other = chains(2, 5).draws("mu").expect("mu");
        let error = chains(4, 100).moments_of(&other).expect_err("another run");
        assert_eq!(
            error.to_string(),
            "10 draws do not belong to this run, which has 400 draws"
        );
    }

    #[test]
    fn the_extreme_quantiles_are_the_extreme_draws() {
        let run = chains(2, 50);
        let mut mu = run.column(0).concat();
        mu.sort_by(f64::total_cmp);
        assert_eq!(run.quantile("mu", 0.0), Ok(vec![mu[0]]));
        assert_eq!(run.quantile("mu", 1.0), Ok(vec![mu[99]]));
    }

    #[test]
    fn questions_without_an_answer_are_typed_errors() {
        let run = chains(2, 5);
        assert_eq!(
            run.quantile("mu", 1.5),
            Err(RunError::Probability { value: 1.5 })
        );
        let Err(RunError::UnknownName {
            suggestion, names, ..
        }) = run.mean("mo")
        else {
            panic!("there is no `mo`");
        };
        assert_eq!((suggestion.as_deref(), names.len()), (Some("mu"), 2));
        assert!(run.sd("x").is_err() && run.draws("x").is_err());
    }
}
