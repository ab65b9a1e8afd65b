//! The Lewandowski-Kurowicka-Joe distribution of correlation matrices.

use super::cholesky::Lower;
use super::lkj_cholesky;
use super::square::{Kind, UNIT_TOLERANCE, check_matrices, for_each_value};
use super::{Continuous, Data, DataError, Distribution, Parameter, ParameterError, Shape};
use crate::rng::Stream;
use crate::transform::correlation;
use bayes_autodiff::{Mask, Matrix, Mode, PlainValue, Real, Vector};

/// Lewandowski-Kurowicka-Joe distribution of correlation matrices `[d, d]`.
///
/// ```text
/// ln p(R) = (η - 1) ln det R - ln Z(d, η)
/// ```
///
/// The density is in the strictly lower entries; `Z` is defined at [`LKJCholesky`](super::LKJCholesky), which is
/// preferable in models. It gives the factor that [`MultivariateNormal::from_cholesky`] takes, and keeps the digits
/// of a nearly singular matrix. Lewandowski, Kurowicka and Joe (2009).
///
/// [`MultivariateNormal::from_cholesky`]: super::MultivariateNormal::from_cholesky
#[derive(Clone, Copy, Debug)]
pub struct LKJ<E> {
    d: usize,
    eta: E,
}

const NAME: &str = "LKJ";

impl<E> LKJ<E> {
    /// `d`: the number of rows, at least 2; `eta`: a number, finite and above zero.
    pub fn new(d: usize, eta: E) -> Self {
        Self { d, eta }
    }

    #[inline(always)]
    fn log_density_of_one<M: Mode>(
        &self,
        correlation: &[Real<M>],
        log_normaliser: Real<M>,
    ) -> Real<M>
    where
        E: Parameter<M>,
    {
        let lower = Lower::of(self.d, Vector::from(correlation));
        let log_determinant = lower.log_determinant_of_correlation();
        let log_density = (self.eta.at(0) - 1.0) * log_determinant - log_normaliser;
        // NaN where the matrix is not positive definite
        let mut inside = log_determinant.gt(f64::NEG_INFINITY);
        for i in 0..self.d {
            let off = correlation[i * self.d + i] - 1.0;
            inside = inside.and(off.abs().le(UNIT_TOLERANCE));
        }
        Real::select(inside, log_density, f64::NEG_INFINITY)
    }
}

impl<M: Mode, E: Parameter<M>> Distribution<M> for LKJ<E> {
    type Value = Matrix<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Matrix(self.d, self.d)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.d * self.d.saturating_sub(1) / 2
    }

    fn check(&self) -> Result<(), ParameterError> {
        lkj_cholesky::check(NAME, self.d, &self.eta)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let log_normaliser = lkj_cholesky::log_normaliser(self.d, self.eta.at(0));
        let mut sum = Real::constant(0.0);
        for correlation in elements.chunks_exact((self.d * self.d).max(1)) {
            sum += self.log_density_of_one(correlation, log_normaliser);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
        correlation::constrain(self.d, coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        correlation::unconstrain(self.d, elements)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let coordinates =
            lkj_cholesky::draw_coordinates(self.d, self.eta.at(0).plain_value(), stream);
        let (correlation, _) = correlation::constrain(self.d, &coordinates);
        correlation.elements().iter().map(|x| x.primal()).collect()
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        check_matrices(NAME, self.d, Kind::Correlation, data)
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let log_normaliser = lkj_cholesky::log_normaliser(self.d, self.eta.at(0));
        for_each_value(
            self.d * self.d,
            data,
            #[inline(always)]
            |correlation| visit(self.log_density_of_one(correlation, log_normaliser)),
        );
    }
}
