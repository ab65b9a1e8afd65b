//! Gaussian fields with a sparse precision matrix.

use super::elementary::HALF_LN_TAU;
use super::rows::{check_location, real_vectors};
use super::{Continuous, Data, DataError, Distribution, Iid, Parameter, ParameterError, Shape};
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue, Real, SparseMatrix, Vector};
use rand_distr::{Distribution as _, StandardNormal};
use std::borrow::Borrow;

/// A Gaussian field (a Gaussian Markov random field): normal values with a mean and a sparse precision matrix `Q`, such as effects on a map
/// or on a grid.
///
/// ```text
/// ln p(x) = -½ (x - mean)ᵀ Q (x - mean) + ½ ln det Q - n/2 ln 2π
/// ```
///
/// The determinant is exact to rounding. For [`Neighbours::car`](super::Neighbours::car), [`Neighbours::leroux`](super::Neighbours::leroux) and
/// [`MaternGrid::precision`](super::MaternGrid::precision) it is a function of one number, by polynomials that are found with the first
/// densities, by some 32 to 100 factorisations; from then on a density takes as many operations as `Q` has entries. Where the `rho` of `car` is 0
/// or below, each density takes a factorisation.
///
/// For any other precision, by [`SparsePattern`](super::SparsePattern), each density takes a sparse Cholesky factorisation in an order that is
/// found once for the pattern of `Q`; derivatives of the determinant are entries of the inverse of `Q`, which are computed only where `Q` has
/// entries (Takahashi, Fagan and Chin 1973; Rue and Held 2005). On a grid of `n` cells this takes about `n^1.5` operations:
///
/// ```text
/// let pattern = SparsePattern::new(n, &[(0, 1), (1, 2)]);            // before the model: data
/// let precision = pattern.matrix(|i, j| if i == j { tau } else { -rho * tau });
/// let field = sample(GaussianField::new(0.0, &precision));
/// ```
///
/// The kernels `Pcn` and `EllipticalSlice` do not take it: they need a dense factor of the covariance, of `n²` numbers. For few places give
/// them [`MultivariateNormal::from_precision`](super::MultivariateNormal::from_precision).
///
/// Elsewhere: `CAR` (PyMC and NumPyro); by hand in Stan.
#[derive(Clone, Copy, Debug)]
pub struct GaussianField<A, Q> {
    mean: A,
    precision: Q,
}

const NAME: &str = "GaussianField";

impl<A, Q> GaussianField<A, Q> {
    /// `mean`: a vector, or one number for all; `precision`: a [`SparseMatrix`], by value or by reference, positive definite.
    pub fn new(mean: A, precision: Q) -> Self {
        Self { mean, precision }
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    #[inline(always)]
    fn size<M: Mode>(&self) -> usize
    where
        Q: Borrow<SparseMatrix<M>>,
    {
        self.precision.borrow().nrows()
    }

    /// Visits the log density of each row `x(row)`, where `fill` writes `x` into its argument.
    #[inline(always)]
    fn for_each_row<M: Mode>(
        &self,
        rows: usize,
        mut fill: impl FnMut(usize, &mut [Real<M>]),
        mut visit: impl FnMut(Real<M>),
    ) where
        A: Parameter<M>,
        Q: Borrow<SparseMatrix<M>>,
    {
        let precision = self.precision.borrow();
        let mut x = Vector::zeros(precision.nrows());
        let constant = HALF_LN_TAU * precision.nrows() as f64;
        let log_normaliser = precision.log_determinant() * 0.5 - constant;
        for row in 0..rows {
            fill(row, &mut x);
            for (i, x) in x.iter_mut().enumerate() {
                *x -= self.mean.at(i);
            }
            visit(precision.quadratic_form(&x) * -0.5 + log_normaliser);
        }
    }
}

impl<M: Mode, A: Parameter<M>, Q: Borrow<SparseMatrix<M>>> Distribution<M> for GaussianField<A, Q> {
    real_vectors!(self, self.size::<M>());

    fn check(&self) -> Result<(), ParameterError> {
        let precision = self.precision.borrow();
        let pattern = precision.pattern();
        let wrong = |index, value, allowed| ParameterError::Value {
            distribution: NAME,
            parameter: "precision",
            index: Some(index),
            value,
            allowed,
        };
        if pattern.is_empty() {
            return Err(ParameterError::Length {
                distribution: NAME,
                parameter: "precision",
                length: 0,
                allowed: "at least 1".to_owned(),
            });
        }
        let entries = precision.values();
        if let Some(k) = entries.iter().position(|x| !x.plain_value().is_finite()) {
            let (row, entry) = (pattern.entries()[k][0] as usize, entries[k].plain_value());
            return Err(wrong(row, entry, "finite in every entry of this row"));
        }
        if let Err(at) = precision.factor() {
            let allowed = "above 0 by more than rounding for a positive definite matrix (the value shown is the pivot of this row)";
            return Err(wrong(at.place, at.pivot, allowed));
        }
        check_location(NAME, "mean", &self.mean, pattern.len(), "precision")
    }

    /// NaN where the precision has no factor: the density of NaN is NaN, which is counted and rejected. A Matérn field has none where its range is
    /// more than some thousand cells, which makes its precision singular to rounding, although its log determinant by the pencil is finite.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let precision = self.precision.borrow();
        let mut x: Vec<f64> = (0..precision.nrows())
            .map(|_| StandardNormal.sample(stream))
            .collect();
        match precision.factor() {
            Ok(factor) => factor.draw(&mut x),
            Err(_) => x.fill(f64::NAN),
        }
        for (i, x) in x.iter_mut().enumerate() {
            *x += self.mean.at(i).plain_value();
        }
        x
    }
}
