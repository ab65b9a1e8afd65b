//! Posterior expectations with their Monte Carlo errors.

use super::estimate::Estimate;
use super::estimator::{Estimator, constant};
use super::probability::Unseen;
use crate::run::{DrawView, Run};

impl Run {
    /// The posterior expectation of any function of a draw, with its Monte Carlo standard error.
    ///
    /// - Islands (P ≥ 2): the evidence-weighted ratio estimate. The error comes from the spread across
    ///   islands, which are independent, and from the ancestry of the particles within them; if the two
    ///   contradict each other, only from the spread.
    /// - A single island: the error comes from the ancestry of its particles; NaN if all of them
    ///   descend from one.
    /// - Chains: the plain mean; the error is sd/√ESS (Vehtari et al. 2021), or, for several chains of
    ///   fewer than 20 draws, the spread of the chains' means.
    ///
    /// A number that is the same at all draws is exact, with an error of 0. Only 0 and 1 may be the share of an event that no draw, or every draw, has: their
    /// error is 1 over the number of effective draws. [`probability`](Run::probability) has the bound for such an event.
    #[must_use]
    pub fn estimate(&self, function: impl Fn(DrawView<'_>) -> f64) -> Estimate {
        let column = self.map_draws(function);
        match constant(column.iter().flatten().copied()) {
            Some(share) if share == 0.0 || share == 1.0 => Unseen::of(self).estimate(share),
            Some(value) if value.is_finite() => Estimate::exact(value),
            _ => Estimator::of(self).mean(&column),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::ess;
    use crate::diagnose::rhat::{mean, variance};
    use crate::run::Weighting;
    use crate::run::example::{chains, islands, normals};

    #[test]
    fn islands_are_weighted_by_their_evidence() {
        let run = islands(&[0.0, 3f64.ln()], 100);
        let means = run
            .column(0)
            .iter()
            .map(|island| mean(island))
            .collect::<Vec<_>>();
        let estimate = run.estimate(|draw| draw.scalar("mu"));
        assert!((estimate.mean - (0.25 * means[0] + 0.75 * means[1])).abs() < 1e-12);
        let equal = run
            .reweighted(Weighting::Equal)
            .estimate(|draw| draw.scalar("mu"));
        assert!((equal.mean - 0.5 * (means[0] + means[1])).abs() < 1e-12);
    }

    #[test]
    fn single_draws_of_many_chains_are_independent_draws() {
        let run = chains(400, 1);
        let estimate = run.estimate(|draw| draw.vector("beta")[1]);
        let draws = run.column(2).concat();
        assert!((estimate.se - (variance(&draws) / 400.0).sqrt()).abs() < 1e-12);
        assert_eq!(estimate.degrees_of_freedom, 399.0);
    }

    #[test]
    fn long_chains_have_stans_error() {
        let run = chains(4, 500);
        let estimate = run.estimate(|draw| draw.scalar("mu").powi(2));
        let squares = run.map_draws(|draw| draw.scalar("mu").powi(2));
        let expected = (variance(&squares.concat()) / ess::of_mean(&squares)).sqrt();
        assert!((estimate.se - expected).abs() < 1e-12);
        // The mean of x² has variance 2/2000 for independent draws.
        assert!((estimate.se / 0.001f64.sqrt() - 1.0).abs() < 0.2);
    }

    #[test]
    fn one_short_chain_knows_no_error() {
        assert!(chains(1, 5).estimate(|draw| draw.scalar("mu")).se.is_nan());
        assert!(chains(1, 50).estimate(|draw| draw.scalar("mu")).se > 0.0);
    }

    // An error from sd/√S, which ignores autocorrelation, would cover in about 74%.
    #[test]
    fn errors_of_correlated_chains_cover_as_they_say() {
        for (count, draws) in [(4, 200), (20, 10), (1, 800)] {
            let run = chains(count, draws);
            let covered = (0..400).filter(|seed| {
                let chain = |c: u64| autoregression(1000 * seed + c, draws);
                let columns: Vec<Vec<f64>> = (0..count as u64).map(chain).collect();
                let (low, high) = Estimator::of(&run).mean(&columns).interval(0.95);
                low < 0.0 && 0.0 < high
            });
            let share = covered.count() as f64 / 400.0;
            assert!(
                (0.91..=0.98).contains(&share),
                "{count} chains of {draws}: {share}"
            );
        }
    }

    /// A stationary first-order autoregression with correlation 0.5: τ = 3.
    fn autoregression(item: u64, draws: usize) -> Vec<f64> {
        let mut chain = normals(item, draws);
        for i in 1..draws {
            chain[i] = 0.5 * chain[i - 1] + 0.75f64.sqrt() * chain[i];
        }
        chain
    }
}
