//! The multivariate normal distribution.

use super::elementary::HALF_LN_TAU;
use super::rows::{check_location, real_vectors};
use super::square::{Kind, Square};
use super::{
    Continuous, CovarianceRoot, Data, DataError, Distribution, Gaussian, Iid, NonCentred, Normal,
    Parameter, ParameterError, Shape, Standardised, Univariate,
};
use crate::rng::Stream;
use bayes_autodiff::{Buffer, Mode, PlainValue, Real, Vector};
use rand_distr::{Distribution as _, StandardNormal};

/// Multivariate normal distribution with a mean and a covariance `Σ = L Lᵀ`.
///
/// ```text
/// ln p(x) = -½ |L⁻¹(x - mean)|² - Σ_i ln L_ii - d/2 ln 2π
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MultivariateNormal<A, B> {
    mean: A,
    matrix: Square<B>,
    /// The name of the matrix in the constructor.
    matrix_name: &'static str,
}

const NAME: &str = "MultivariateNormal";

impl<A, B> MultivariateNormal<A, B> {
    /// `mean`: a vector, or one number for all; `covariance`: a symmetric positive definite matrix.
    pub fn new(mean: A, covariance: B) -> Self {
        Self {
            mean,
            matrix: Square::new(covariance, Kind::Covariance),
            matrix_name: "covariance",
        }
    }

    /// `mean`: a vector, or one number for all; `lower`: the lower Cholesky factor of the covariance, with a
    /// positive diagonal.
    pub fn from_cholesky(mean: A, lower: B) -> Self {
        Self {
            mean,
            matrix: Square::new(lower, Kind::Cholesky),
            matrix_name: "lower",
        }
    }

    /// `mean`: a vector, or one number for all; `precision`: the inverse of the covariance, a symmetric positive definite matrix. It is
    /// factored as it is, without an inverse: `ln p(x) = -½ (x - mean)ᵀ Q (x - mean) + ½ ln det Q - d/2 ln 2π`.
    pub fn from_precision(mean: A, precision: B) -> Self {
        Self {
            mean,
            matrix: Square::new(precision, Kind::Precision),
            matrix_name: "precision",
        }
    }

    /// The same distribution with a standard normal `z` as its coordinates; the values are `mean + L z`.
    pub fn non_centred(self) -> NonCentred<Self> {
        NonCentred::new(self)
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
        A: Parameter<M>,
        B: Parameter<M>,
    {
        let lower = self.matrix.lower();
        let log_normaliser = -lower.log_determinant() - HALF_LN_TAU * lower.dim() as f64;
        lower.for_each_square(
            &self.mean,
            rows,
            fill,
            #[inline(always)]
            |square| visit(square * -0.5 + log_normaliser),
        );
    }
}

impl<M: Mode, A: Parameter<M>, B: Parameter<M>> Distribution<M> for MultivariateNormal<A, B> {
    real_vectors!(self, self.matrix.size());

    fn check(&self) -> Result<(), ParameterError> {
        self.matrix.check(NAME, self.matrix_name)?;
        check_location(
            NAME,
            "mean",
            &self.mean,
            self.matrix.size(),
            self.matrix_name,
        )
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let dim = self.matrix.size();
        let z: Vec<f64> = (0..dim).map(|_| StandardNormal.sample(stream)).collect();
        let steps = self.matrix.lower().times(&z);
        steps
            .iter()
            .enumerate()
            .map(|(i, step)| self.mean.at(i).plain_value() + step)
            .collect()
    }

    fn gaussian(&self) -> Option<Gaussian> {
        let mean = (0..self.matrix.size())
            .map(|i| self.mean.at(i).plain_value())
            .collect();
        Some(Gaussian {
            mean,
            factor: CovarianceRoot::Lower(self.matrix.lower().values()),
        })
    }
}
impl<M: Mode, A: Parameter<M>, B: Parameter<M>> Standardised<M> for MultivariateNormal<A, B> {
    type Standard<'a>
        = Iid<Univariate<Normal, (f64, f64), 2>, usize>
    where
        Self: 'a;

    #[inline(always)]
    fn standard(&self) -> Self::Standard<'_> {
        Normal::new(0.0, 1.0).iid(self.matrix.size())
    }

    #[inline(always)]
    fn place(&self, z: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let lower = self.matrix.lower();
        let rows = z.chunks_exact(lower.dim().max(1));
        let log_scale = lower.log_determinant() * rows.len() as f64;
        let mut elements = Buffer::with_capacity(z.len());
        for row in rows {
            let steps = lower.product(row);
            for (i, step) in steps.iter().enumerate() {
                elements.push(self.mean.at(i) + *step);
            }
        }
        (Vector::from(elements), log_scale)
    }

    fn standardise(&self, elements: &[f64]) -> Vec<f64> {
        let lower = self.matrix.lower();
        let (dim, values) = (lower.dim().max(1), lower.values());
        let mut z = elements.to_vec();
        for row in z.chunks_exact_mut(dim) {
            for i in 0..dim {
                let before: f64 = (0..i).map(|k| values[i * dim + k] * row[k]).sum();
                let step = row[i] - self.mean.at(i).plain_value() - before;
                row[i] = step / values[i * dim + i];
            }
        }
        z
    }
}
