//! A multivariate Student t distribution, from which islands start where no prior is known.

use bayes::dist::{ChiSquared, Normal};
use bayes::module::wrong;
use bayes::rng::Stream;
use pyo3::prelude::*;

/// A Student t distribution with `nu` degrees of freedom, a location and a scale matrix `L Lᵀ`.
pub(crate) struct Student {
    nu: f64,
    location: Vec<f64>,
    /// The rows of `L` up to its diagonal, one after the other.
    lower: Vec<f64>,
    /// `ln Γ((ν+d)/2) - ln Γ(ν/2) - d/2 ln νπ - Σ ln L_ii`.
    log_normaliser: f64,
}

impl Student {
    /// `lower`: `[dim, dim]` by rows, with a diagonal above 0; `log_normaliser`: without the diagonal of it.
    ///
    /// # Errors
    /// `BayesInputError` for numbers that are none of such a distribution.
    pub(crate) fn new(
        nu: f64,
        location: Vec<f64>,
        lower: &[f64],
        log_normaliser: f64,
    ) -> PyResult<Self> {
        let dim = location.len();
        let is_square = dim > 0 && lower.len() == dim * dim;
        let diagonal = || lower.iter().step_by(dim + 1);
        let is_finite = location.iter().chain(lower).all(|x| x.is_finite());
        if !(nu > 0.0 && is_square && is_finite && diagonal().all(|x| *x > 0.0)) {
            return Err(wrong(
                "the reference is no Student t distribution: its scale must be positive definite",
            ));
        }
        let log_determinant: f64 = diagonal().map(|x| x.ln()).sum();
        let rows = lower.chunks_exact(dim).enumerate();
        Ok(Self {
            nu,
            location,
            log_normaliser: log_normaliser - log_determinant,
            lower: rows.flat_map(|(i, row)| &row[..=i]).copied().collect(),
        })
    }

    /// The row of `L` up to its diagonal.
    fn row(&self, i: usize) -> &[f64] {
        &self.lower[i * (i + 1) / 2..][..=i]
    }

    /// The log density at `x`, `[dim]`, and its gradient if there is room, `[dim]`.
    pub(crate) fn log_density(&self, x: &[f64], gradient: Option<&mut [f64]>) -> f64 {
        let dim = self.location.len();
        // z = L⁻¹ (x - location)
        let mut z = vec![0.0; dim];
        for i in 0..dim {
            let row = self.row(i);
            let known: f64 = row[..i].iter().zip(&z).map(|(l, z)| l * z).sum();
            z[i] = (x[i] - self.location[i] - known) / row[i];
        }
        let square: f64 = z.iter().map(|z| z * z).sum();
        let power = -0.5 * (self.nu + dim as f64);
        if let Some(gradient) = gradient {
            // L⁻ᵀ z
            for i in (0..dim).rev() {
                let row = self.row(i);
                z[i] /= row[i];
                let solved = z[i];
                z[..i]
                    .iter_mut()
                    .zip(row)
                    .for_each(|(z, l)| *z -= l * solved);
            }
            let factor = 2.0 * power / (self.nu + square);
            let slopes = gradient.iter_mut().zip(&z);
            slopes.for_each(|(slope, z)| *slope = factor * z);
        }
        self.log_normaliser + power * (square / self.nu).ln_1p()
    }

    /// A draw, `[dim]`: a Gaussian vector divided by the square root of a chi-square variable per degree of freedom.
    pub(crate) fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        let normal = Normal::new(0.0, 1.0);
        let z: Vec<f64> = position.iter().map(|_| normal.draw_one(stream)).collect();
        let stretch = (self.nu / ChiSquared::new(self.nu).draw_one(stream)).sqrt();
        for (i, x) in position.iter_mut().enumerate() {
            let step: f64 = self.row(i).iter().zip(&z).map(|(l, z)| l * z).sum();
            *x = self.location[i] + stretch * step;
        }
    }
}
