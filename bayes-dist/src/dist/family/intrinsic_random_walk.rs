//! Intrinsic random walks of first, second and higher order.

use super::elementary::HALF_LN_TAU;
use super::rows::{check_number, check_rows};
use super::{
    Constraint, Continuous, CovarianceRoot, Data, DataError, Distribution, Gaussian, Iid,
    NonCentred, Parameter, ParameterError, Shape, Standardised,
};
use crate::rng::Stream;
use bayes_autodiff::fault::refuse;
use bayes_autodiff::special::ln_factorial;
use bayes_autodiff::{Buffer, Mode, PlainValue, Real, Value, Vector, dot};
use rand_distr::{Distribution as _, StandardNormal};

/// A smooth series: its differences of some order are independent normal numbers, and it has no part that these differences do not see
/// (Rue and Held 2005, chapter 3).
///
/// ```text
/// ln p(x) = -½ Σ_t (Δᵈ x_t)²/sd² - (n - d) (ln sd + ½ ln 2π) + ½ ln |D Dᵀ|,    Σ_t tᵏ x_t = 0,    k = 0..d
/// ```
///
/// `d` is the order, `D` the matrix of the differences. A walk of order 1 has no mean, one of order 2 no line: give the model an intercept
/// and a slope beside it. The density is that on the plane of such series, so it is proper and an evidence is right. The coordinates are the
/// differences, which are independent. Elsewhere: `rw1`, `rw2` (R-INLA), `RW2` (mgcv, as a penalty).
#[derive(Clone, Copy, Debug)]
pub struct IntrinsicRandomWalk<S> {
    order: usize,
    sd: S,
    length: usize,
}

const NAME: &str = "IntrinsicRandomWalk";

/// The largest order: sums of higher order round.
const HIGHEST: usize = 4;

/// The largest part of a series along a polynomial that is rounding, per sum of the absolute values.
const TOLERANCE: f64 = 1e-8;

impl<S> IntrinsicRandomWalk<S> {
    /// `order`: 1 for steps, 2 for changes of the slope, at most 4; `sd`: a number, finite and above zero, the standard deviation of the
    /// differences of this order; `length`: the number of values, above the order.
    ///
    /// # Panics
    /// With a [`Fault::Argument`](bayes_autodiff::fault::Fault::Argument) if the order or the length is not allowed; before a run this is a typed error.
    pub fn new(order: usize, sd: S, length: usize) -> Self {
        const FUNCTION: &str = "IntrinsicRandomWalk::new";
        if !(1..=HIGHEST).contains(&order) {
            refuse(FUNCTION, "order", order, "1 to 4");
        }
        if length <= order {
            refuse(FUNCTION, "length", length, "above the order");
        }
        Self { order, sd, length }
    }

    /// The same distribution whose coordinates do not depend on `sd`.
    pub fn non_centred(self) -> NonCentred<Self> {
        NonCentred::new(self)
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    /// The number of differences.
    fn free(&self) -> usize {
        self.length - self.order
    }

    /// `½ ln |D Dᵀ|`, by the norms of the monic polynomials that are orthogonal on `0..n` (discrete Chebyshev polynomials; Abramowitz and
    /// Stegun 1964, 22.17). The inverse of the matrix with these polynomials and `D` as rows has the determinant of their first values.
    ///
    /// ```text
    /// |D Dᵀ| = Π_{k<d} γ_k/k!²,    γ_k = k!⁴/((2k)!² (2k + 1)) Π_{-k≤j≤k} (n + j)
    /// ```
    fn half_log_determinant(&self) -> f64 {
        let n = self.length as f64;
        let each = (0..self.order).map(|k| {
            let whole = k as i32;
            let k = k as f64;
            let products = (-whole..=whole)
                .map(|j| (n + f64::from(j)).ln())
                .sum::<f64>();
            products - (2.0 * k + 1.0).ln() + 2.0 * ln_factorial(k) - 2.0 * ln_factorial(2.0 * k)
        });
        0.5 * each.sum::<f64>()
    }

    /// Orthonormal polynomials of degree 0 to `order - 1`, each `[length]`.
    fn polynomials(&self) -> Vec<Vec<f64>> {
        let half = 0.5 * (self.length - 1) as f64;
        let mut found: Vec<Vec<f64>> = Vec::with_capacity(self.order);
        for degree in 0..self.order {
            let power = |t: usize| ((t as f64 - half) / half.max(0.5)).powi(degree as i32);
            let mut next: Vec<f64> = (0..self.length).map(power).collect();
            // twice is enough (Giraud, Langou and Rozložník 2005)
            for _ in 0..2 {
                for other in &found {
                    let along: f64 = next.iter().zip(other).map(|(a, b)| a * b).sum();
                    next.iter_mut()
                        .zip(other)
                        .for_each(|(a, b)| *a -= along * b);
                }
            }
            let norm = next.iter().map(|a| a * a).sum::<f64>().sqrt();
            next.iter_mut().for_each(|a| *a /= norm);
            found.push(next);
        }
        found
    }

    /// The series with these differences `[n - d]` that has no polynomial of lower degree.
    #[inline(always)]
    fn series<M: Mode>(&self, differences: &[Real<M>]) -> Vector<M> {
        let mut x = Vector::zeros(self.length);
        x[self.order..].copy_from_slice(differences);
        for _ in 0..self.order {
            x = x.cumulative_sum();
        }
        for polynomial in self.polynomials() {
            let along = dot(&polynomial, &x);
            for (x, p) in x.iter_mut().zip(&polynomial) {
                *x -= along * *p;
            }
        }
        x
    }

    /// The differences `[n - d]` of a series.
    #[inline(always)]
    fn differences<M: Mode>(&self, x: &[Real<M>]) -> Buffer<Real<M>> {
        let mut steps: Buffer<Real<M>> = x.iter().copied().collect();
        let mut count = x.len();
        for _ in 0..self.order {
            count -= 1;
            for t in 0..count {
                steps[t] = steps[t + 1] - steps[t];
            }
        }
        steps[..count].iter().copied().collect()
    }

    /// The part along the polynomial of the lowest degree that a series has, if it has one: the degree and the part.
    fn polynomial_part(&self, x: &[f64]) -> Option<(usize, f64)> {
        let size: f64 = x.iter().map(|x| x.abs()).sum();
        let polynomials = self.polynomials();
        let parts = polynomials
            .iter()
            .map(|p| p.iter().zip(x).map(|(p, x)| p * x).sum());
        let mut wrong = parts
            .enumerate()
            .filter(|(_, part): &(usize, f64)| part.abs() > TOLERANCE * size);
        wrong.next()
    }
}

impl<M: Mode, S: Parameter<M>> Distribution<M> for IntrinsicRandomWalk<S> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.length)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.free()
    }

    fn check(&self) -> Result<(), ParameterError> {
        check_number(NAME, "sd", &self.sd, Constraint::Positive)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let (sd, free) = (self.sd.at(0), self.free() as f64);
        let constant = self.half_log_determinant() - HALF_LN_TAU * free;
        let polynomials = self.polynomials();
        let mut sum = Real::constant(0.0);
        for x in elements.chunks_exact(self.length) {
            let steps = self.differences(x);
            let mut density =
                M::dot_random(&steps, &steps) / sd / sd * -0.5 - sd.ln() * free + constant;
            let mut size = Real::constant(0.0);
            for x in x {
                size += x.abs();
            }
            for polynomial in &polynomials {
                let inside = dot(polynomial, x).abs().le(size * TOLERANCE);
                density = Real::select(inside, density, f64::NEG_INFINITY);
            }
            sum += density;
        }
        sum
    }

    #[inline(always)]
    fn add_sample(
        &self,
        coordinates: &[Real<M>],
        jacobian: bool,
        total: &mut Real<M>,
    ) -> Vector<M> {
        let (sd, free) = (self.sd.at(0), self.free() as f64);
        let zero = Real::constant(0.0);
        M::add_normal_terms(
            total,
            coordinates.len(),
            |i| coordinates[i],
            |_| zero,
            |_| sd,
        );
        *total -= sd.ln() * free + HALF_LN_TAU * free;
        if !jacobian {
            *total += self.half_log_determinant();
        }
        self.series(coordinates)
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let log_jacobian = Real::constant(-self.half_log_determinant());
        (self.series(coordinates), log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let elements: Vec<Real<Value>> = elements.iter().map(|x| Real::constant(*x)).collect();
        let steps = self.differences(&elements);
        steps.iter().map(|x| x.primal()).collect()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let sd = self.sd.at(0).plain_value();
        let mut draw = || -> f64 { StandardNormal.sample(stream) };
        let step = |_| Real::<Value>::constant(sd * draw());
        let steps: Vec<Real<Value>> = (0..self.free()).map(step).collect();
        self.series(&steps).iter().map(|x| x.primal()).collect()
    }

    fn gaussian(&self) -> Option<Gaussian> {
        let sd = self.sd.at(0).plain_value();
        Some(Gaussian {
            mean: vec![0.0; self.free()],
            factor: CovarianceRoot::Diagonal(vec![sd; self.free()]),
        })
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        check_rows(NAME, self.length, data)?;
        for start in (0..data.shape().elements()).step_by(self.length) {
            let own: Vec<f64> = (start..start + self.length).map(|i| data.at(i)).collect();
            if let Some((_, part)) = self.polynomial_part(&own) {
                return Err(DataError::Value {
                    distribution: NAME,
                    index: Some(start),
                    value: part,
                    allowed: "a series without a polynomial of lower degree than the order (the value shown is its part along one of norm 1)".to_owned(),
                });
            }
        }
        Ok(())
    }
}

impl<M: Mode, S: Parameter<M>> Standardised<M> for IntrinsicRandomWalk<S> {
    type Standard<'b>
        = IntrinsicRandomWalk<f64>
    where
        Self: 'b;

    #[inline(always)]
    fn standard(&self) -> IntrinsicRandomWalk<f64> {
        let Self { order, length, .. } = *self;
        IntrinsicRandomWalk {
            order,
            sd: 1.0,
            length,
        }
    }

    #[inline(always)]
    fn place(&self, z: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let sd = self.sd.at(0);
        let mut elements = Buffer::new();
        let mut log_scale = sd.ln() * z.len() as f64;
        for own in z.chunks_exact(self.free()) {
            for x in &self.series(own) {
                elements.push(*x * sd);
            }
            log_scale -= self.half_log_determinant();
        }
        (Vector::from(elements), log_scale)
    }

    fn standardise(&self, elements: &[f64]) -> Vec<f64> {
        let sd = self.sd.at(0).plain_value();
        let values = elements.chunks_exact(self.length);
        let coordinates = values.flat_map(|own| Distribution::<M>::unconstrain(self, own));
        coordinates.map(|z| z / sd).collect()
    }
}
