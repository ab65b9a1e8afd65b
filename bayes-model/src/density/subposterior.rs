//! A subposterior: the density of one of K parts of the data. The product over the parts is the posterior.

use super::{Block, LogDensity, Posterior, Prior, Quantities};
use crate::error::Error;
use crate::model::fingerprint::Fingerprint;
use crate::model::rows::{Rows, Subset, check_cover};

/// The posterior of one of K parts of the data, with the prior to the power 1/K (Scott et al. 2016, equation 1; Neiswanger et al.
/// 2014, equation 1).
///
/// ```text
/// p_k(x) ∝ p(x)^(1/K) L_k(x)        Π_k p_k(x) ∝ p(x) Π_k L_k(x)
/// ```
///
/// x are the unconstrained coordinates, and p(x) includes the Jacobian of the transforms. So the product of the K parts over x is the
/// posterior, with the Jacobian counted once, and back-transformed values have the posterior on the constrained scale. The *values* of a
/// single part do not have the density that a prior `p(θ)^(1/K)` on the constrained scale would give. For example, the part of a
/// Dirichlet(α) prior is Dirichlet(α/K), not Dirichlet(1 + (α - 1)/K). Parts are multiplied in the coordinates, where both give the same
/// product.
///
/// Every engine runs on it. `log_prior` is the log prior of the whole, which can be sampled, and `log_likelihood` is
/// `ln L_k + (1/K - 1) ln p`: their sum is the density above, and the evidence of SMC is `∫ p^(1/K) L_k dx`.
///
/// ```
/// use bayes_model::density::{Block, LogDensity, Particles, Subposterior};
///
/// /// The mean of some numbers, with a standard normal prior.
/// struct Mean(Vec<f64>);
///
/// impl LogDensity for Mean {
///     fn dim(&self) -> usize {
///         1
///     }
///     fn evaluate(&self, block: &mut Block<'_>) {
///         block.fill(|x| {
///             let squares: f64 = self.0.iter().map(|y| (y - x[0]).powi(2)).sum();
///             [-0.5 * x[0] * x[0], -0.5 * squares]
///         });
///     }
/// }
///
/// let part = Subposterior::new(Mean(vec![1.2, 0.4]), 5)?; // two numbers, one of five such parts
/// let mut particle = Particles::new(1, 1);
/// particle.positions[0] = 1.0;
/// part.evaluate(&mut particle.block());
/// let sum = particle.log_prior[0] + particle.log_likelihood[0];
/// assert!((sum - (-0.2 - 0.5 / 5.0)).abs() < 1e-12);
/// // and `Inference::nuts().run_on(&part)?` samples it
/// # Ok::<(), bayes_model::Error>(())
/// ```
#[derive(Debug)]
pub struct Subposterior<D> {
    inner: D,
    parts: usize,
}

impl<D: LogDensity> Subposterior<D> {
    /// One of `parts` parts. `inner` has the prior of the whole, and the likelihood of this part's data.
    ///
    /// # Errors
    /// [`Error::Setting`] without parts.
    pub fn new(inner: D, parts: usize) -> Result<Self, Error> {
        Error::setting("parts", parts, parts >= 1, "at least 1")?;
        Ok(Self { inner, parts })
    }

    /// The power of the prior minus 1: the multiple of the log prior that is added to the log likelihood.
    fn excess(&self) -> f64 {
        1.0 / self.parts as f64 - 1.0
    }

    /// Moves all but the power 1/K of the prior to the likelihood.
    fn divide(&self, block: &mut Block<'_>) {
        let excess = self.excess();
        for (prior, likelihood) in block.log_prior.iter().zip(block.log_likelihood.iter_mut()) {
            // outside the support of the prior the part is zero as well, not 0/0
            *likelihood = match *prior == f64::NEG_INFINITY {
                true => f64::NEG_INFINITY,
                false => *likelihood + excess * prior,
            };
        }
    }
}

impl<'p> Subposterior<Posterior<'p>> {
    /// One of `parts` parts of a model, for a process that leaves the other parts to other processes.
    ///
    /// # Errors
    /// [`Error::Setting`] without parts, [`Error::Model`] if the model does not fit its data.
    pub fn of_part<Mo: Rows>(part: &'p Subset<'_, Mo>, parts: usize) -> Result<Self, Error> {
        Self::new(Posterior::new(part, 0)?, parts)
    }

    /// All parts of a model, whose product is its posterior.
    ///
    /// # Errors
    /// [`Error::Rows`] if there are no parts, if a part has no rows or belongs to another model, or if a row is in two parts, twice in
    /// one, or in none; [`Error::Model`] if the model does not fit its data.
    pub fn of_parts<Mo: Rows>(parts: &'p [Subset<'_, Mo>]) -> Result<Vec<Self>, Error> {
        check_cover(parts)?;
        let all = parts.iter().map(|part| Self::of_part(part, parts.len()));
        all.collect()
    }
}

impl<D: LogDensity> LogDensity for Subposterior<D> {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        self.inner.evaluate(block);
        self.divide(block);
    }

    fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
        let weights = [prior + likelihood * self.excess(), likelihood];
        self.inner.evaluate_gradient(weights, block);
        self.divide(block);
    }

    fn prior(&self) -> Option<&dyn Prior> {
        self.inner.prior()
    }

    fn quantities(&self) -> &dyn Quantities {
        self
    }

    fn block_size(&self) -> usize {
        self.inner.block_size()
    }
}

impl<D: LogDensity> Quantities for Subposterior<D> {
    fn inner(&self) -> Option<&dyn Quantities> {
        Some(self.inner.quantities())
    }

    fn outputs(&self, positions: &[f64], dim: usize) -> Vec<f64> {
        self.inner.quantities().outputs(positions, dim)
    }

    fn identity(&self) -> Option<u64> {
        // parts of another number have another prior
        let inner = self.inner.quantities().identity()?;
        Some(Fingerprint::of([inner, self.parts as u64].into_iter()))
    }

    fn fingerprint(&self) -> u64 {
        match self.inner.quantities().fingerprint() {
            0 => 0,
            inner => Fingerprint::of([inner, self.parts as u64].into_iter()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::Particles;

    /// A Gaussian prior with sd 2 that ends at -3, and the likelihood of a number.
    #[derive(Debug)]
    struct Line(f64);

    impl LogDensity for Line {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| {
                let prior = match x[0] < -3.0 {
                    true => f64::NEG_INFINITY,
                    false => -0.125 * x[0] * x[0],
                };
                [prior, -0.5 * (x[0] - self.0).powi(2)]
            });
        }
        fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
            self.evaluate(block);
            for (slope, x) in block.gradient.iter_mut().zip(block.positions.iter()) {
                *slope = -0.25 * prior * *x - likelihood * (*x - self.0);
            }
        }
    }

    fn at(density: &dyn LogDensity, x: f64, weights: [f64; 2]) -> Particles {
        let mut particle = Particles::new(1, 1);
        particle.positions[0] = x;
        density.evaluate_gradient(weights, &mut particle.block());
        particle
    }

    #[test]
    fn the_prior_has_the_power_one_in_k_and_gradients_are_the_slopes() {
        let part = Subposterior::new(Line(1.5), 4).unwrap();
        for weights in [[1.0, 1.0], [1.0, 0.3], [0.0, 1.0]] {
            let found = at(&part, 0.7, weights);
            let sum = found.log_prior[0] + found.log_likelihood[0];
            assert!((sum - (-0.125 * 0.49 / 4.0 - 0.5 * 0.64)).abs() < 1e-14);
            let value = |x| {
                let there = at(&part, x, weights);
                weights[0] * there.log_prior[0] + weights[1] * there.log_likelihood[0]
            };
            let slope = (value(0.7 + 1e-5) - value(0.7 - 1e-5)) / 2e-5;
            assert!((found.gradient[0] - slope).abs() < 1e-9, "{weights:?}");
        }
    }

    #[test]
    fn outside_the_prior_the_part_is_zero() {
        let part = Subposterior::new(Line(1.5), 4).unwrap();
        let found = at(&part, -3.5, [1.0; 2]);
        assert_eq!(found.log_prior[0], f64::NEG_INFINITY);
        assert_eq!(found.log_likelihood[0], f64::NEG_INFINITY);
    }

    #[test]
    fn no_parts_are_refused() {
        let error = Subposterior::new(Line(0.0), 0).unwrap_err();
        assert_eq!(
            error.to_string(),
            "setting `parts` is 0, must be at least 1"
        );
    }
}
