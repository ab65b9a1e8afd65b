//! The Wishart distribution of covariance matrices, and the common part with the inverse Wishart.

use super::cholesky::Lower;
use super::elementary::rest;
use super::rows::check_number;
use super::sampler::log_gamma_draw;
use super::square::{Kind, Square, check_matrices, for_each_value};
use super::{
    Constraint, Continuous, Data, DataError, Distribution, Parameter, ParameterError, Shape,
};
use crate::rng::Stream;
use crate::transform::covariance;
use bayes_autodiff::{Mask, Matrix, Mode, PlainValue, Real, Vector};
use nalgebra::DMatrix;
use rand_distr::{Distribution as _, StandardNormal};
use std::f64::consts::{LN_2, PI};
use std::fmt::Debug;
use std::marker::PhantomData;

/// Wishart distribution of symmetric positive definite matrices `[d, d]`, with degrees of freedom `ν` and scale matrix
/// `V`.
///
/// ```text
/// ln p(X) = ½(ν-d-1) ln det X - ½ tr V⁻¹X - ½νd ln 2 - ½ν ln det V - ln Γ_d(½ν)
/// ln Γ_d(a) = ¼d(d-1) ln π + Σ_{j=0..d-1} ln Γ(a - ½j)
/// ```
///
/// The density is in the lower triangle of `X`; the mean is `ν V`. Wishart (1928).
#[derive(Clone, Copy, Debug)]
pub struct Wishart;

impl Wishart {
    /// `nu`: a number above `d - 1`; `v`: a symmetric positive definite matrix.
    pub fn new<N, V>(nu: N, v: V) -> Scatter<Self, N, V> {
        Scatter::of(nu, v)
    }
}

/// The differences between the distributions of a scatter matrix and of its inverse. All factors are lower Cholesky factors.
pub trait ScatterDistribution: Copy + Debug + Send + Sync + 'static {
    /// The name that users write.
    const NAME: &'static str;
    /// The name of the matrix in the constructor.
    const PARAMETER: &'static str;
    /// Whether the density has the trace of `V⁻¹X`, as opposed to `V X⁻¹`.
    const DIRECT: bool;
    /// A square root `F` of a draw `F Fᵀ`, from the factor of the matrix and Bartlett's triangle `A`.
    fn root(factor: DMatrix<f64>, bartlett: DMatrix<f64>) -> DMatrix<f64>;
}

impl ScatterDistribution for Wishart {
    const NAME: &'static str = "Wishart";
    const PARAMETER: &'static str = "v";
    const DIRECT: bool = true;
    fn root(factor: DMatrix<f64>, bartlett: DMatrix<f64>) -> DMatrix<f64> {
        factor * bartlett
    }
}

/// The distribution of a scatter matrix: [`Wishart`] or [`InverseWishart`](super::InverseWishart).
#[derive(Clone, Copy, Debug)]
pub struct Scatter<F, N, V> {
    nu: N,
    matrix: Square<V>,
    distribution: PhantomData<F>,
}

impl<F: ScatterDistribution, N, V> Scatter<F, N, V> {
    pub(super) fn of(nu: N, matrix: V) -> Self {
        Self {
            nu,
            matrix: Square::new(matrix, Kind::Covariance),
            distribution: PhantomData,
        }
    }

    /// The factor of the matrix and the part of the log density that does not involve the value.
    #[inline(always)]
    fn prepared<M: Mode>(&self) -> (Lower<M>, Real<M>)
    where
        N: Parameter<M>,
        V: Parameter<M>,
    {
        let factor = self.matrix.lower();
        let (half, d) = (self.nu.at(0) * 0.5, factor.dim());
        let pairs = (d * (d - 1)) as f64;
        // ½ν ln ½ν - ½ν - ln Γ(½ν), for each row, and the differences to the gamma functions of the rows
        let mut log_normaliser = (half.ln() - rest(half)) * d as f64 - 0.25 * pairs * PI.ln();
        for j in 1..d {
            let shift = 0.5 * j as f64;
            log_normaliser += (half - shift).ln_gamma_delta(shift);
        }
        (factor, log_normaliser)
    }

    #[inline(always)]
    fn log_density_of_one<M: Mode>(
        &self,
        x: &[Real<M>],
        (factor, log_normaliser): &(Lower<M>, Real<M>),
    ) -> Real<M>
    where
        N: Parameter<M>,
    {
        let d = factor.dim();
        let own = Lower::of(d, Vector::from(x));
        let nu = self.nu.at(0);
        // ½ν ln det M Mᵀ - ½ tr M Mᵀ, of which a large ν would leave no digits, as deviances from ν
        let distance = if F::DIRECT {
            factor.deviance_ratio(&own, nu)
        } else {
            own.deviance_ratio(factor, nu)
        };
        let log_determinant = own.log_determinant() * 2.0;
        let log_density =
            *log_normaliser - distance * 0.5 - log_determinant * (0.5 * (d as f64 + 1.0));
        // NaN if the matrix is not positive definite; the density is 0 if the degrees of freedom are too low
        let enough = self.nu.at(0).gt(d as f64 - 1.0);
        let inside = log_determinant.gt(f64::NEG_INFINITY).and(enough);
        Real::select(inside, log_density, f64::NEG_INFINITY)
    }
}

impl<M, F, N, V> Distribution<M> for Scatter<F, N, V>
where
    M: Mode,
    F: ScatterDistribution,
    N: Parameter<M>,
    V: Parameter<M>,
{
    type Value = Matrix<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        F::NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        let d = self.matrix.size();
        Shape::Matrix(d, d)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        let d = self.matrix.size();
        d * (d + 1) / 2
    }

    fn check(&self) -> Result<(), ParameterError> {
        check_number(F::NAME, "nu", &self.nu, Constraint::Positive)?;
        self.matrix.check(F::NAME, F::PARAMETER)?;
        let value = self.nu.at(0).plain_value();
        if value <= self.matrix.size() as f64 - 1.0 {
            return Err(ParameterError::Value {
                distribution: F::NAME,
                parameter: "nu",
                index: None,
                value,
                allowed: "above d - 1 for matrices of d rows",
            });
        }
        Ok(())
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let prepared = self.prepared();
        let mut sum = Real::constant(0.0);
        for x in elements.chunks_exact(self.shape().elements().max(1)) {
            sum += self.log_density_of_one(x, &prepared);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
        covariance::constrain(self.matrix.size(), coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        covariance::unconstrain(self.matrix.size(), elements)
    }

    /// Bartlett's decomposition: a triangle of chi and normal variables (Odell and Feiveson 1966).
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let d = self.matrix.size();
        let factor = DMatrix::from_row_slice(d, d, &self.matrix.lower().values());
        let nu = self.nu.at(0).plain_value();
        let mut bartlett = DMatrix::zeros(d, d);
        for i in 0..d {
            for k in 0..i {
                bartlett[(i, k)] = StandardNormal.sample(stream);
            }
            let log_gamma = log_gamma_draw(0.5 * (nu - i as f64), stream);
            bartlett[(i, i)] = (0.5 * (log_gamma + LN_2)).exp();
        }
        let root = F::root(factor, bartlett);
        let entry = |i: usize, k: usize| root.row(i).dot(&root.row(k));
        (0..d * d).map(|i| entry(i / d, i % d)).collect()
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        check_matrices(F::NAME, self.matrix.size(), Kind::Covariance, data)
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let prepared = self.prepared();
        for_each_value(
            self.shape().elements(),
            data,
            #[inline(always)]
            |x| visit(self.log_density_of_one(x, &prepared)),
        );
    }
}
