//! The inverse Wishart distribution of covariance matrices.

use super::wishart::{Scatter, ScatterDistribution};
use nalgebra::DMatrix;

/// Inverse Wishart distribution of symmetric positive definite matrices `[d, d]`: the inverse is `Wishart(ν, Ψ⁻¹)`.
///
/// ```text
/// ln p(X) = ½ν ln det Ψ - ½(ν+d+1) ln det X - ½ tr Ψ X⁻¹ - ½νd ln 2 - ln Γ_d(½ν)
/// ```
///
/// The density is in the lower triangle of `X`; the mean is `Ψ/(ν-d-1)` and exists for `ν > d + 1` only.
#[derive(Clone, Copy, Debug)]
pub struct InverseWishart;

impl InverseWishart {
    /// `nu`: a number above `d - 1`; `psi`: a symmetric positive definite matrix.
    pub fn new<N, V>(nu: N, psi: V) -> Scatter<Self, N, V> {
        Scatter::of(nu, psi)
    }
}

impl ScatterDistribution for InverseWishart {
    const NAME: &'static str = "InverseWishart";
    const PARAMETER: &'static str = "psi";
    const DIRECT: bool = false;
    /// `(L⁻ᵀ A Aᵀ L⁻¹)⁻¹ = (L A⁻ᵀ)(L A⁻ᵀ)ᵀ`.
    fn root(factor: DMatrix<f64>, bartlett: DMatrix<f64>) -> DMatrix<f64> {
        let dim = bartlett.nrows();
        let inverse = bartlett.solve_lower_triangular(&DMatrix::identity(dim, dim));
        // no inverse if a chi-square variable underflowed; the density counts and rejects NaN
        let inverse = inverse.unwrap_or_else(|| DMatrix::repeat(dim, dim, f64::NAN));
        factor * inverse.transpose()
    }
}
