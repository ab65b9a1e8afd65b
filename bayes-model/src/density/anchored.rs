//! An anchored posterior: a Gaussian around a fitted point replaces the prior.

use super::{Block, LogDensity, Prior, Quantities, Reference};
use crate::error::{Error, ValuesError};
use crate::model::fingerprint::Fingerprint;
use crate::rng::Stream;
use rand::RngExt;
use rand_distr::StandardNormal;

/// A density whose prior `N(m, V)` is replaced by `N(point, factor² V)`; the likelihood does not change.
///
/// ```text
/// log p(x) = log L(x) - ½ (x - point)ᵀ (factor² V)⁻¹ (x - point) + const        Scalable Bayesian Monte Carlo
/// ```
///
/// in the unconstrained coordinates. Every engine runs on it; `Smc::anchor` makes it from a fit.
pub struct Anchored<'a> {
    inner: &'a dyn LogDensity,
    prior: Reference,
    fingerprint: u64,
}

impl<'a> Anchored<'a> {
    /// The density `inner` with its Gaussian prior moved to `point`, `[dim]`, and its standard deviations multiplied by `factor`.
    ///
    /// # Errors
    /// [`Error::NoPrior`] if `inner` has no prior, [`Error::Fit`] with the first quantity whose prior is not Gaussian or depends on
    /// other random values, [`Error::Setting`] for a factor that is not a finite number above 0.
    ///
    /// # Panics
    /// If `point` does not have the dimension of `inner`.
    pub fn new(inner: &'a dyn LogDensity, point: &[f64], factor: f64) -> Result<Self, Error> {
        assert_eq!(point.len(), inner.dim(), "a point has all coordinates");
        let holds = factor > 0.0 && factor.is_finite();
        Error::setting("anchor", factor, holds, "a finite number above 0")?;
        let prior = inner.gaussian_prior()?.moved(point, factor);
        let words = [inner.quantities().fingerprint(), factor.to_bits()];
        let point = point.iter().map(|x| x.to_bits());
        Ok(Self {
            inner,
            prior,
            fingerprint: Fingerprint::of(words.into_iter().chain(point)),
        })
    }

    /// Sets the fingerprint, for one of several densities of a run.
    #[must_use]
    pub fn with_fingerprint(self, fingerprint: u64) -> Self {
        Self {
            fingerprint,
            ..self
        }
    }

    /// Replaces the log priors, and adds their gradients times `weight`.
    fn replace_prior(&self, weight: f64, block: &mut Block<'_>) {
        for i in 0..block.len() {
            let row = block.row(i);
            let (position, slopes) = (&block.positions[row.clone()], &mut block.gradient[row]);
            block.log_prior[i] = self.prior.add_log_density(position, weight, slopes);
        }
    }
}

impl LogDensity for Anchored<'_> {
    fn dim(&self) -> usize {
        self.inner.dim()
    }

    fn evaluate(&self, block: &mut Block<'_>) {
        self.inner.evaluate(block);
        // the weight 0 does not change the gradient
        self.replace_prior(0.0, block);
    }

    fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
        self.inner.evaluate_gradient([0.0, likelihood], block);
        self.replace_prior(prior, block);
    }

    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }

    fn quantities(&self) -> &dyn Quantities {
        self
    }

    fn block_size(&self) -> usize {
        self.inner.block_size()
    }
}

impl Prior for Anchored<'_> {
    fn is_normalised(&self) -> bool {
        true
    }

    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        let z: Vec<f64> = (0..position.len())
            .map(|_| stream.sample(StandardNormal))
            .collect();
        self.prior.unwhiten(&z, position);
    }

    /// The other quantities are drawn from the original prior.
    fn draw_at(
        &self,
        stream: &mut Stream,
        values: &[(String, Vec<f64>)],
        position: &mut [f64],
    ) -> Result<(), ValuesError> {
        let prior = self.inner.prior().ok_or(ValuesError::NotByName)?;
        prior.draw_at(stream, values, position)
    }

    fn reference(&self) -> Option<&Reference> {
        Some(&self.prior)
    }
}

impl Quantities for Anchored<'_> {
    fn inner(&self) -> Option<&dyn Quantities> {
        Some(self.inner.quantities())
    }

    fn outputs(&self, positions: &[f64], dim: usize) -> Vec<f64> {
        self.inner.quantities().outputs(positions, dim)
    }

    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

#[cfg(test)]
mod tests {
    use super::super::reference::{BlockFactor, ReferenceBlock};
    use super::*;
    use crate::density::Particles;

    /// A prior with a correlated and an independent block, and a likelihood.
    struct Pair(Reference);

    impl LogDensity for Pair {
        fn dim(&self) -> usize {
            3
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            // the prior here must not matter
            block.fill(|x| [f64::NAN, x[0].sin() * x[2] + x[1]]);
        }
        fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
            assert_eq!(weights[0], 0.0);
            block.fill_gradient(|x, slope| {
                let w = weights[1];
                slope.copy_from_slice(&[w * x[0].cos() * x[2], w, w * x[0].sin()]);
                [f64::NAN, x[0].sin() * x[2] + x[1]]
            });
        }
        fn prior(&self) -> Option<&dyn Prior> {
            Some(self)
        }
    }

    impl Prior for Pair {
        fn draw(&self, _: &mut Stream, _: &mut [f64]) {}
        fn reference(&self) -> Option<&Reference> {
            Some(&self.0)
        }
    }

    fn pair() -> Pair {
        let block = |offset, mean: &[f64], factor| ReferenceBlock {
            offset,
            mean: mean.to_vec(),
            factor,
        };
        Pair(Reference {
            blocks: vec![
                block(0, &[5.0, 5.0], BlockFactor::Lower(vec![2.0, 0.0, 0.6, 0.8])),
                block(2, &[5.0], BlockFactor::Diagonal(vec![0.5])),
            ],
            is_gaussian_prior: true,
        })
    }

    #[test]
    fn the_prior_is_the_gaussian_around_the_point_and_gradients_are_its_slopes() {
        let (pair, point, factor) = (pair(), [0.3, -1.0, 2.0], 0.7);
        let anchored = Anchored::new(&pair, &point, factor).unwrap();
        let x = [0.9, -0.2, 1.1];
        // covariance 0.49 * [[4, 1.2], [1.2, 1]] and variance 0.49 * 0.25
        let d = [x[0] - point[0], x[1] - point[1], x[2] - point[2]];
        let determinant: f64 = 4.0 - 1.44;
        let form = (d[0] * d[0] - 2.4 * d[0] * d[1] + 4.0 * d[1] * d[1]) / (0.49 * determinant);
        let logs = (0.49f64 * 0.49 * determinant).ln() + (0.49f64 * 0.25).ln();
        let tau = std::f64::consts::TAU.ln();
        let exact = -0.5 * (form + d[2] * d[2] / (0.49 * 0.25) + logs + 3.0 * tau);
        let at = |x: &[f64], weights: [f64; 2]| {
            let mut particle = Particles::new(1, 3);
            particle.positions.copy_from_slice(x);
            anchored.evaluate_gradient(weights, &mut particle.block());
            particle
        };
        let weights = [0.4, 0.9];
        let found = at(&x, weights);
        assert!((found.log_prior[0] - exact).abs() < 1e-12);
        for k in 0..3 {
            let side = |by: f64| {
                let mut moved = x;
                moved[k] += by;
                let p = at(&moved, weights);
                weights[0] * p.log_prior[0] + weights[1] * p.log_likelihood[0]
            };
            let slope = (side(1e-5) - side(-1e-5)) / 2e-5;
            assert!((found.gradient[k] - slope).abs() < 1e-8, "{k}");
        }
    }

    #[test]
    fn draws_have_the_mean_and_the_covariance() {
        let pair = pair();
        let anchored = Anchored::new(&pair, &[0.3, -1.0, 2.0], 0.7).unwrap();
        let (n, mut stream) = (20_000, crate::rng::stream(3));
        let mut sums = [0.0; 5];
        for _ in 0..n {
            let mut x = [0.0; 3];
            anchored.draw(&mut stream, &mut x);
            let [a, b, c] = [x[0] - 0.3, x[1] + 1.0, x[2] - 2.0];
            for (sum, term) in sums.iter_mut().zip([a, a * a, a * b, b * b, c * c]) {
                *sum += term / f64::from(n);
            }
        }
        // standard errors: sd 1.4 / 141 = 0.01 of the mean, and 1% of the variances
        let exact = [0.0, 1.96, 0.588, 0.49, 0.1225];
        let errors = [0.01, 0.02, 0.012, 0.005, 0.0013];
        for ((found, exact), error) in sums.iter().zip(exact).zip(errors) {
            assert!((found - exact).abs() < 4.0 * error, "{found}, want {exact}");
        }
    }
}
