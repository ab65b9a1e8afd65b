//! The multivariate Student t distribution.

use super::rows::{check_location, check_number, real_vectors};
use super::sampler::log_gamma_draw;
use super::square::{Kind, Square};
use super::{
    Constraint, Continuous, Data, DataError, Distribution, Iid, Parameter, ParameterError, Shape,
};
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue, Real};
use rand_distr::{Distribution as _, StandardNormal};
use std::f64::consts::PI;

/// Multivariate Student t distribution with degrees of freedom `ν`, a location and a scale matrix `Σ = L Lᵀ`.
///
/// ```text
/// ln p(x) = ln Γ((ν+d)/2) - ln Γ(ν/2) - d/2 ln νπ - Σ_i ln L_ii - (ν+d)/2 ln(1 + |L⁻¹(x - location)|²/ν)
/// ```
///
/// `Σ` is not the covariance, which is `ν/(ν-2) Σ` and exists for `ν > 2` only. Kotz and Nadarajah (2004).
#[derive(Clone, Copy, Debug)]
pub struct MultivariateStudentT<N, A, B> {
    nu: N,
    location: A,
    matrix: Square<B>,
    /// The name of the matrix in the constructor.
    matrix_name: &'static str,
}

const NAME: &str = "MultivariateStudentT";

impl<N, A, B> MultivariateStudentT<N, A, B> {
    /// `nu`: a number, finite and above zero; `location`: a vector, or one number for all; `scale`: a symmetric positive
    /// definite matrix.
    pub fn new(nu: N, location: A, scale: B) -> Self {
        Self {
            nu,
            location,
            matrix: Square::new(scale, Kind::Covariance),
            matrix_name: "scale",
        }
    }

    /// As [`MultivariateStudentT::new`]; `lower`: the lower Cholesky factor of the scale matrix, with a positive diagonal.
    pub fn from_cholesky(nu: N, location: A, lower: B) -> Self {
        Self {
            nu,
            location,
            matrix: Square::new(lower, Kind::Cholesky),
            matrix_name: "lower",
        }
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    /// Visits the log density of each row `x(row)`, where `fill` writes `x` into its argument.
    #[inline(always)]
    fn for_each_row<M: Mode>(
        &self,
        rows: usize,
        fill: impl FnMut(usize, &mut [Real<M>]),
        mut visit: impl FnMut(Real<M>),
    ) where
        N: Parameter<M>,
        A: Parameter<M>,
        B: Parameter<M>,
    {
        let lower = self.matrix.lower();
        let (nu, half_dim) = (self.nu.at(0), 0.5 * lower.dim() as f64);
        let gammas = (nu * 0.5).ln_gamma_delta(Real::constant(half_dim));
        let log_normaliser = gammas - (nu * PI).ln() * half_dim - lower.log_determinant();
        let power = nu * -0.5 - half_dim;
        lower.for_each_square(
            &self.location,
            rows,
            fill,
            #[inline(always)]
            |square| visit(power * (square / nu).ln_1p() + log_normaliser),
        );
    }
}

impl<M, N, A, B> Distribution<M> for MultivariateStudentT<N, A, B>
where
    M: Mode,
    N: Parameter<M>,
    A: Parameter<M>,
    B: Parameter<M>,
{
    real_vectors!(self, self.matrix.size());

    fn check(&self) -> Result<(), ParameterError> {
        check_number(NAME, "nu", &self.nu, Constraint::Positive)?;
        self.matrix.check(NAME, self.matrix_name)?;
        check_location(
            NAME,
            "location",
            &self.location,
            self.dim(),
            self.matrix_name,
        )
    }

    /// A Gaussian vector divided by the square root of a chi-square variable per degree of freedom.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let half = 0.5 * self.nu.at(0).plain_value();
        let z: Vec<f64> = (0..self.dim())
            .map(|_| StandardNormal.sample(stream))
            .collect();
        let stretch = (0.5 * (half.ln() - log_gamma_draw(half, stream))).exp();
        let steps = self.matrix.lower().times(&z);
        let element = |(i, step): (usize, &f64)| self.location.at(i).plain_value() + step * stretch;
        steps.iter().enumerate().map(element).collect()
    }
}
