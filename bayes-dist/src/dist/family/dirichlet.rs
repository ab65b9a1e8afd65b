//! The Dirichlet distribution.

use super::drawn::rounding;
use super::elementary::{gamma_kernel, known_ln, rest};
use super::rows::count_rows;
use super::sampler::log_gamma_draw;
use super::{
    Constraint, Continuous, Data, DataError, Distribution, Drawn, Iid, Parameter, ParameterError,
    Shape,
};
use crate::rng::Stream;
use crate::transform::simplex;
use bayes_autodiff::{Buffer, Mask, Mode, PlainValue, Real, Vector};

/// Dirichlet distribution on vectors of probabilities; the density is in the first `K - 1` coordinates.
///
/// ```text
/// ln p(x) = ln Γ(n) + Σ_k (α_k - 1) ln x_k - ln Γ(α_k),    n = Σ_k α_k,  Σ_k x_k = 1
/// ```
///
/// Computed as a product of gamma kernels at `n x_k`, like the beta density.
#[derive(Clone, Copy, Debug)]
pub struct Dirichlet<A> {
    alpha: A,
}

impl<A> Dirichlet<A> {
    /// `alpha`: a vector of at least two numbers, finite and above zero.
    pub fn new(alpha: A) -> Self {
        Self { alpha }
    }

    /// Independent copies: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    fn alphas<M: Mode>(&self) -> impl Iterator<Item = Real<M>>
    where
        A: Parameter<M>,
    {
        (0..self.alpha.shape().elements()).map(|k| self.alpha.at(k))
    }

    /// `n = Σ α` and the part of the log density that does not involve the value.
    #[inline(always)]
    fn normaliser<M: Mode>(&self) -> (Real<M>, Real<M>)
    where
        A: Parameter<M>,
    {
        let count = self.alpha.shape().elements();
        let (mut n, mut each) = (Real::constant(0.0), Real::constant(0.0));
        for k in 0..count {
            let a = self.alpha.at(k);
            n += a;
            each -= rest(a);
        }
        (n, rest(n) + n.ln() * (count as f64 - 1.0) + each)
    }

    #[inline(always)]
    fn log_density_of_one<M: Mode>(
        &self,
        x: &[Real<M>],
        (n, log_normaliser): (Real<M>, Real<M>),
    ) -> Real<M>
    where
        A: Parameter<M>,
    {
        let mut log_density = log_normaliser;
        let mut sum = Real::constant(0.0);
        for (k, x) in x.iter().enumerate() {
            // a negative element, possible only in data, would make the kernel NaN; it is clamped here and excluded below
            let x_or_0 = if known_ln(*x).is_some() {
                *x
            } else {
                x.max(0.0)
            };
            log_density += gamma_kernel(self.alpha.at(k), n * x_or_0);
            sum += *x;
        }
        let mut inside = (sum - 1.0).abs().le(SUM_TOLERANCE);
        for x in x {
            inside = inside.and(Real::constant(0.0).le(*x));
        }
        Real::select(inside, log_density, f64::NEG_INFINITY)
    }
}

/// The largest deviation from 1 of the sum of a value.
const SUM_TOLERANCE: f64 = 1e-8;

impl<M: Mode, A: Parameter<M>> Distribution<M> for Dirichlet<A> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "Dirichlet"
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.alpha.shape().elements())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.alpha.shape().elements().saturating_sub(1)
    }

    fn check(&self) -> Result<(), ParameterError> {
        let (distribution, parameter) = ("Dirichlet", "alpha");
        let length = self.alpha.shape().elements();
        if length < 2 {
            return Err(ParameterError::Length {
                distribution,
                parameter,
                length,
                allowed: "at least 2".to_owned(),
            });
        }
        let allowed = Constraint::Positive;
        self.alphas()
            .map(PlainValue::plain_value)
            .enumerate()
            .find(|(_, a)| !allowed.holds(*a))
            .map_or(Ok(()), |(k, value)| {
                Err(ParameterError::Value {
                    distribution,
                    parameter,
                    index: Some(k),
                    value,
                    allowed: allowed.words(),
                })
            })
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let normaliser = self.normaliser();
        let mut sum = Real::constant(0.0);
        for x in elements.chunks_exact(self.alpha.shape().elements().max(1)) {
            sum += self.log_density_of_one(x, normaliser);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        simplex::constrain(coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        simplex::unconstrain(elements)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw_with_coordinates(self, stream).elements
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let logs: Vec<f64> = self
            .alphas()
            .map(|a| log_gamma_draw(a.plain_value(), stream))
            .collect();
        let total = crate::numeric::log_sum_exp(&logs);
        // an element that underflows becomes one rounding above 0; its coordinate is not rounded
        let elements = logs.iter().map(|log| (log - total).exp().max(1e-300));
        let elements: Vec<f64> = elements.collect();
        let coordinates = simplex::coordinates_of_logs(&logs);
        Drawn {
            rounding: rounding(&coordinates, &simplex::unconstrain(&elements)),
            elements,
            coordinates,
            lost: false,
        }
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let each = self.alpha.shape().elements();
        for row in 0..count_rows("Dirichlet", each, data)? {
            let mut sum = 0.0;
            let wrong = |index, value, allowed: &str| {
                Err(DataError::Value {
                    distribution: "Dirichlet",
                    index,
                    value,
                    allowed: allowed.to_owned(),
                })
            };
            for i in row * each..(row + 1) * each {
                let x = data.at(i);
                if !(0.0..=1.0).contains(&x) {
                    return wrong(Some(i), x, "a number from 0 to 1");
                }
                sum += x;
            }
            if (sum - 1.0).abs() > SUM_TOLERANCE {
                return wrong(
                    Some(row * each),
                    sum,
                    "a vector that sums to 1 (the value shown is its sum)",
                );
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let each = self.alpha.shape().elements().max(1);
        let normaliser = self.normaliser();
        let mut x = Buffer::with_capacity(each);
        for row in 0..data.shape().elements() / each {
            x.clear();
            x.extend((0..each).map(|k| Real::constant(data.at(row * each + k))));
            visit(self.log_density_of_one(&x, normaliser));
        }
    }
}
