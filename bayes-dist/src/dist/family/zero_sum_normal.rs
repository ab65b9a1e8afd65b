//! Normal effects that sum to zero.

use super::elementary::HALF_LN_TAU;
use super::rows::{check_measure, check_number};
use super::{
    Constraint, Continuous, CovarianceRoot, Data, DataError, Distribution, Drawn, Gaussian, Iid,
    NonCentred, Normal, Parameter, ParameterError, Shape, Standardised,
};
use crate::rng::Stream;
use crate::transform::zero_sum;
use bayes_autodiff::{Buffer, Mode, PlainValue, Real, Value, Vector};
use rand_distr::{Distribution as _, StandardNormal};

/// Normal distribution of `n` effects that sum to zero, such as the effects of groups beside a common intercept.
///
/// ```text
/// ln p(x) = -½ Σ_i x_i²/sd² - (n - 1) (ln sd + ½ ln 2π),    Σ_i x_i = 0
/// ```
///
/// The density is with respect to the plane, so it is proper and evidences are right. The covariance is `sd² (I - 1/n)`, so the standard
/// deviation of one effect is `sd √(1 - 1/n)`.
#[derive(Clone, Copy, Debug)]
pub struct ZeroSumNormal<S> {
    sd: S,
    n: usize,
}

const NAME: &str = "ZeroSumNormal";

/// The largest sum of elements that counts as rounding, per sum of their absolute values.
const TOLERANCE: f64 = 1e-8;

impl<S> ZeroSumNormal<S> {
    /// `sd`: a number, finite and above zero; `n`: the number of effects, at least 2.
    pub fn new(sd: S, n: usize) -> Self {
        Self { sd, n }
    }

    /// The same distribution with a standard normal `z` as its coordinates, whatever `sd` is.
    pub fn non_centred(self) -> NonCentred<Self> {
        NonCentred::new(self)
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    /// The number of coordinates.
    fn free(&self) -> usize {
        self.n.saturating_sub(1)
    }

    /// The part of the log density that all values share.
    #[inline(always)]
    fn log_normaliser<M: Mode>(&self) -> Real<M>
    where
        S: Parameter<M>,
    {
        -(self.sd.at(0).ln() + HALF_LN_TAU) * self.free() as f64
    }
}

impl<M: Mode, S: Parameter<M>> Distribution<M> for ZeroSumNormal<S> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.n)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.free()
    }

    fn check(&self) -> Result<(), ParameterError> {
        if self.n < 2 {
            return Err(ParameterError::Value {
                distribution: NAME,
                parameter: "n",
                index: None,
                value: self.n as f64,
                allowed: "a whole number, at least 2",
            });
        }
        check_number(NAME, "sd", &self.sd, Constraint::Positive)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let (log_normaliser, sd) = (self.log_normaliser(), self.sd.at(0));
        let mut sum = Real::constant(0.0);
        for x in elements.chunks_exact(self.n.max(1)) {
            let (mut total, mut size) = (Real::constant(0.0), Real::constant(0.0));
            for x in x {
                total += *x;
                size += x.abs();
            }
            let log_density = log_normaliser - M::dot_random(x, x) / sd / sd * 0.5;
            let inside = total.abs().le(size * TOLERANCE);
            sum += Real::select(inside, log_density, f64::NEG_INFINITY);
        }
        sum
    }

    #[inline(always)]
    fn add_sample(&self, coordinates: &[Real<M>], _: bool, total: &mut Real<M>) -> Vector<M> {
        // the transform keeps lengths, and its values sum to 0
        Normal::new(0.0, self.sd.at(0)).add_density(coordinates, total);
        zero_sum::constrain(coordinates)
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        (zero_sum::constrain(coordinates), Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        zero_sum::unconstrain(elements)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw_with_coordinates(self, stream).elements
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let sd = self.sd.at(0).plain_value();
        let mut step = || -> f64 { StandardNormal.sample(stream) };
        let coordinates: Vec<f64> = (0..self.free()).map(|_| sd * step()).collect();
        let z: Vec<Real<Value>> = coordinates.iter().map(|z| Real::constant(*z)).collect();
        Drawn {
            elements: zero_sum::constrain(&z).iter().map(|x| x.primal()).collect(),
            coordinates,
            rounding: 0.0,
            lost: false,
        }
    }

    fn gaussian(&self) -> Option<Gaussian> {
        Some(Gaussian {
            mean: vec![0.0; self.free()],
            factor: CovarianceRoot::Diagonal(vec![self.sd.at(0).plain_value(); self.free()]),
        })
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let sum = |x: &[f64]| {
            let (sum, size) = (
                x.iter().sum::<f64>(),
                x.iter().map(|x| x.abs()).sum::<f64>(),
            );
            (sum, sum.abs() <= TOLERANCE * size)
        };
        let allowed = "a vector that sums to 0 (the value shown is the sum)";
        check_measure(NAME, self.n, data, sum, allowed)
    }
}

impl<M: Mode, S: Parameter<M>> Standardised<M> for ZeroSumNormal<S> {
    type Standard<'a>
        = ZeroSumNormal<f64>
    where
        Self: 'a;

    #[inline(always)]
    fn standard(&self) -> ZeroSumNormal<f64> {
        ZeroSumNormal::new(1.0, self.n)
    }

    #[inline(always)]
    fn place(&self, z: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let sd = self.sd.at(0);
        let mut elements = Buffer::new();
        for own in z.chunks_exact(self.free().max(1)) {
            for x in &zero_sum::constrain(own) {
                elements.push(*x * sd);
            }
        }
        (Vector::from(elements), sd.ln() * z.len() as f64)
    }

    fn standardise(&self, elements: &[f64]) -> Vec<f64> {
        let sd = self.sd.at(0).plain_value();
        let values = elements.chunks_exact(self.n.max(1));
        let coordinates = values.flat_map(zero_sum::unconstrain);
        coordinates.map(|z| z / sd).collect()
    }
}
