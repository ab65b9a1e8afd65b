//! The product of Gaussians fitted to the parts.

use super::gaussian::Gaussian;
use super::{Combine, CombineError, Parts, Sample, setters};
use bayes_core::Error;
use bayes_core::rng::{Key, Purpose};

/// Draws of the product of Gaussians with the means and covariances of the parts (Neiswanger et al. 2014, section 3.1).
///
/// ```text
/// Σ = (Σ_k Σ_k⁻¹)⁻¹,    μ = Σ Σ_k Σ_k⁻¹ μ_k
/// ```
///
/// Exact if all parts are Gaussian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parametric {
    seed: u64,
    draws: usize,
}

setters!(Parametric);

impl Combine for Parametric {
    fn name(&self) -> &'static str {
        "parametric"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn sample(&self, parts: &Parts<'_>) -> Result<Sample, Error> {
        self.validate_draws()?;
        let product = Gaussian::product(&Gaussian::of_parts(parts.draws())?)
            .ok_or(CombineError::Degenerate { part: 0 })?;
        let mut stream = Key::new(self.seed, Purpose::Combine).stream();
        let draws: Vec<Vec<f64>> = (0..self.draws).map(|_| product.draw(&mut stream)).collect();
        let log_density = draws.iter().map(|x| product.log_density(x)).collect();
        Ok(Sample::equal(draws.concat(), log_density))
    }
}
