//! The product of Gaussians, corrected by kernel density estimates.

use super::gaussian::Gaussian;
use super::index_walk::{Component, IndexWalk};
use super::{Combine, CombineError, PartDraws, Parts, Sample, setters};
use bayes_core::Error;
use nalgebra::{Cholesky, DMatrix, DVector, Dyn};

/// Draws of the product of estimates that are a Gaussian times a kernel estimate of what it misses (Neiswanger et al. 2014, section
/// 3.3).
///
/// ```text
/// W_t = w_t N(x̄_t | μ_M, Σ_M + h²/K I) / Π_k N(x_(t_k) | μ_k, Σ_k)
/// component: covariance (K/h² I + Σ_M⁻¹)⁻¹, mean that times (K/h² x̄_t + Σ_M⁻¹ μ_M)
/// ```
///
/// with `w_t` and h of [`Nonparametric`](super::Nonparametric), and (μ_M, Σ_M) of [`Parametric`](super::Parametric).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Semiparametric {
    seed: u64,
    draws: usize,
}

setters!(Semiparametric);

impl Combine for Semiparametric {
    fn name(&self) -> &'static str {
        "semiparametric"
    }

    fn seed(&self) -> u64 {
        self.seed
    }

    fn sample(&self, parts: &Parts<'_>) -> Result<Sample, Error> {
        self.validate_draws()?;
        let walk = IndexWalk::new(parts);
        let mut component = Corrected::new(&walk.draws)?;
        walk.sample(self, self.draws, &mut component)
    }
}

/// A component: the product of Gaussians times a kernel.
struct Corrected {
    product: Gaussian,
    precision: DMatrix<f64>,
    /// Minus the log density of each draw under the Gaussian of its part.
    log_corrections: Vec<Vec<f64>>,
    parts: f64,
    /// The Gaussian of the mean of the chosen draws.
    of_mean: Gaussian,
    /// The precision of a component.
    component: Cholesky<f64, Dyn>,
    /// `K/h²`.
    pull: f64,
}

impl Corrected {
    fn new(draws: &[PartDraws]) -> Result<Self, CombineError> {
        let gaussians = Gaussian::of_parts(draws)?;
        let singular = CombineError::Degenerate { part: 0 };
        let product = Gaussian::product(&gaussians).ok_or(singular)?;
        let correct = |(gaussian, draws): (&Gaussian, &PartDraws)| {
            draws.rows().map(|x| -gaussian.log_density(x)).collect()
        };
        Ok(Self {
            precision: product.precision(),
            log_corrections: gaussians.iter().zip(draws).map(correct).collect(),
            parts: draws.len() as f64,
            of_mean: product.clone(),
            component: product.covariance.clone(),
            pull: 1.0,
            product,
        })
    }
}

impl Component for Corrected {
    fn begin(&mut self, bandwidth: f64) {
        let dim = self.product.mean.len();
        let identity = DMatrix::<f64>::identity(dim, dim);
        self.pull = self.parts / (bandwidth * bandwidth);
        let l = self.product.covariance.l();
        let wide = &l * l.transpose() + &identity / self.pull;
        // a positive definite matrix and a positive diagonal, so that both factors exist
        if let (Some(of_mean), Some(component)) = (
            Gaussian::new(self.product.mean.clone(), wide),
            Cholesky::new(&self.precision + identity * self.pull),
        ) {
            (self.of_mean, self.component) = (of_mean, component);
        }
    }

    fn log_weight(&self, mean: &DVector<f64>) -> f64 {
        self.of_mean.log_density(mean.as_slice())
    }

    fn log_weight_of(&self, part: usize, draw: usize) -> f64 {
        self.log_corrections[part][draw]
    }

    fn draw(&self, mean: &DVector<f64>, mut z: DVector<f64>) -> DVector<f64> {
        let pulled = mean * self.pull + &self.precision * &self.product.mean;
        // the precision is L Lᵀ, so L⁻ᵀ z has the covariance
        self.component
            .l_dirty()
            .tr_solve_lower_triangular_mut(&mut z);
        self.component.solve(&pulled) + z
    }
}
