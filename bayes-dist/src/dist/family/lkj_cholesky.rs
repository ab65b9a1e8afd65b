//! The Lewandowski-Kurowicka-Joe distribution of Cholesky factors of correlation matrices.

use super::rows::check_number;
use super::sampler::log_gamma_draw;
use super::square::{Kind, UNIT_TOLERANCE, check_matrices, for_each_value};
use super::{
    Constraint, Continuous, Data, DataError, Distribution, Parameter, ParameterError, Shape,
};
use crate::rng::Stream;
use crate::transform::correlation_cholesky;
use bayes_autodiff::{Mask, Matrix, Mode, PlainValue, Real, Value, Vector};
use std::f64::consts::PI;

/// Lewandowski-Kurowicka-Joe distribution of the Cholesky factor `L` of a correlation matrix `[d, d]`.
///
/// ```text
/// ln p(L) = Σ_{k=2..d} (d - k + 2η - 2) ln L_kk - ln Z
/// ln Z = Σ_{k=1..d-1} (d - k) (½ ln π + ln Γ(b_k) - ln Γ(b_k + ½)),    b_k = η + (d - 1 - k)/2
/// ```
///
/// The density is in the strictly lower entries; `L Lᵀ` has the distribution [`LKJ`](super::LKJ). With `η = 1` all
/// correlation matrices are equally probable; larger `η` concentrates them around the identity. Lewandowski, Kurowicka
/// and Joe (2009); Stan Functions Reference, "Cholesky LKJ correlation distribution".
#[derive(Clone, Copy, Debug)]
pub struct LKJCholesky<E> {
    d: usize,
    eta: E,
}

const NAME: &str = "LKJCholesky";

impl<E> LKJCholesky<E> {
    /// `d`: the number of rows, at least 2; `eta`: a number, finite and above zero.
    pub fn new(d: usize, eta: E) -> Self {
        Self { d, eta }
    }

    #[inline(always)]
    fn log_density_of_one<M: Mode>(&self, lower: &[Real<M>], log_normaliser: Real<M>) -> Real<M>
    where
        E: Parameter<M>,
    {
        let d = self.d;
        let mut logarithms = Vector::zeros(d);
        let mut powers = vec![0.0; d];
        let mut inside = Real::<M>::constant(0.0).le(0.0);
        for i in 0..d {
            let row = &lower[i * d..][..d];
            logarithms[i] = row[i].ln();
            powers[i] = (d - 1 - i) as f64;
            let length = M::dot_random(&row[..=i], &row[..=i]);
            inside = inside.and((length - 1.0).abs().le(UNIT_TOLERANCE));
            inside = inside.and(row[i].gt(0.0));
            for above in &row[i + 1..] {
                inside = inside.and(above.abs().le(0.0));
            }
        }
        // the first row is always 1
        powers[0] = 0.0;
        let power = (self.eta.at(0) - 1.0) * 2.0;
        let log_kernel = M::dot(&powers, &logarithms) + power * M::sum(&logarithms);
        Real::select(inside, log_kernel - log_normaliser, f64::NEG_INFINITY)
    }
}

/// Checks the parameters of both distributions.
pub(super) fn check<M: Mode, E: Parameter<M>>(
    distribution: &'static str,
    d: usize,
    eta: &E,
) -> Result<(), ParameterError> {
    if d < 2 {
        return Err(ParameterError::Value {
            distribution,
            parameter: "d",
            index: None,
            value: d as f64,
            allowed: "a whole number, at least 2",
        });
    }
    check_number(distribution, "eta", eta, Constraint::Positive)
}

/// `b_k`: the `d - k` partial correlations in column `k = 1..d-1` are distributed as `2 Beta(b_k, b_k) - 1`.
#[inline(always)]
fn beta_shape<M: Mode>(d: usize, k: usize, eta: Real<M>) -> Real<M> {
    eta + 0.5 * (d - 1 - k) as f64
}

/// `ln Z(d, η)`.
#[inline(always)]
pub(super) fn log_normaliser<M: Mode>(d: usize, eta: Real<M>) -> Real<M> {
    let mut sum = Real::constant(0.0);
    for k in 1..d {
        let gammas = beta_shape(d, k, eta).ln_gamma_delta(Real::constant(0.5));
        sum += (0.5 * PI.ln() - gammas) * (d - k) as f64;
    }
    sum
}

/// The coordinates of a draw: `atanh` of the partial correlations. They are computed from the logarithms of gamma
/// variables, so that correlations near 1 keep their digits.
pub(super) fn draw_coordinates(d: usize, eta: f64, stream: &mut Stream) -> Vec<Real<Value>> {
    let mut one = |column: usize| {
        let shape = beta_shape(d, column + 1, Real::<Value>::constant(eta)).primal();
        let difference = log_gamma_draw(shape, stream) - log_gamma_draw(shape, stream);
        Real::constant(0.5 * difference)
    };
    (1..d).flat_map(|i| 0..i).map(&mut one).collect()
}

impl<M: Mode, E: Parameter<M>> Distribution<M> for LKJCholesky<E> {
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
        check(NAME, self.d, &self.eta)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let log_normaliser = log_normaliser(self.d, self.eta.at(0));
        let mut sum = Real::constant(0.0);
        for lower in elements.chunks_exact((self.d * self.d).max(1)) {
            sum += self.log_density_of_one(lower, log_normaliser);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Matrix<M>, Real<M>) {
        correlation_cholesky::constrain(self.d, coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        correlation_cholesky::unconstrain(self.d, elements)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let coordinates = draw_coordinates(self.d, self.eta.at(0).plain_value(), stream);
        let (lower, _) = correlation_cholesky::constrain(self.d, &coordinates);
        lower.elements().iter().map(|x| x.primal()).collect()
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        check_matrices(NAME, self.d, Kind::CorrelationCholesky, data)
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let log_normaliser = log_normaliser(self.d, self.eta.at(0));
        for_each_value(
            self.d * self.d,
            data,
            #[inline(always)]
            |lower| visit(self.log_density_of_one(lower, log_normaliser)),
        );
    }
}
