//! Consensus Monte Carlo: weighted averages of draws.

use super::gaussian::Gaussian;
use super::{Combine, Parts, Sample};
use bayes_core::Error;
use nalgebra::{Cholesky, DMatrix, DVector};

/// Averages of one draw of each part, weighted by the inverses of the covariance matrices (Scott et al. 2016, equation 6 and section
/// 3.2).
///
/// ```text
/// x^(t) = (Σ_k W_k)⁻¹ Σ_k W_k x_k^(t),    W_k = Cov(x_k)⁻¹
/// ```
///
/// Draws are paired by their index, and there are as many as the shortest run has. Exact if all parts are Gaussian.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Consensus;

impl Consensus {
    /// It has no settings.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Combine for Consensus {
    fn name(&self) -> &'static str {
        "consensus"
    }

    /// It draws no random numbers.
    fn seed(&self) -> u64 {
        0
    }

    fn sample(&self, parts: &Parts<'_>) -> Result<Sample, Error> {
        let precisions: Vec<DMatrix<f64>> = Gaussian::of_parts(parts.draws())?
            .iter()
            .map(Gaussian::precision)
            .collect();
        let total = Cholesky::new(precisions.iter().sum::<DMatrix<f64>>())
            .ok_or(super::CombineError::Degenerate { part: 0 })?;
        let shares: Vec<DMatrix<f64>> = precisions.iter().map(|w| total.solve(w)).collect();
        let draws = parts.draws().iter().map(|draws| draws.len()).min();
        let average = |t: usize| {
            let mut sum = DVector::zeros(parts.dim());
            for (share, draws) in shares.iter().zip(parts.draws()) {
                sum += share * DVector::from_column_slice(draws.row(t));
            }
            sum.as_slice().to_vec()
        };
        let positions = (0..draws.unwrap_or(0)).flat_map(average).collect();
        Ok(Sample::equal(positions, Vec::new()))
    }
}
