//! Interval-censored observations of a scalar distribution: `.interval_censored()`.

use super::cumulative::{extremes, log_mass};
use super::parameter::constants;
use super::{
    Cumulative, Data, DataError, Distribution, Domain, ParameterError, Parameters, Quantity, Shape,
    Univariate,
};
use crate::rng::Stream;
use bayes_autodiff::fault::{Fault, raise};
use bayes_autodiff::{Matrix, Mode, PlainValue, Real};

/// The family `F` with parameters `P`, observed as intervals that contain its values.
///
/// ```text
/// ln p([a, b]) = ln P(a ≤ X ≤ b)    for a < b
///                ln f(a)            for a = b, where the value is known
/// ```
///
/// The ends may be infinite, so one statement can hold values known from below, from above, between limits and exactly.
/// Only data can be interval-censored. They are pairs: `(lower, upper)`, or a matrix with two columns.
#[derive(Clone, Copy, Debug)]
pub struct IntervalCensored<F, P, const K: usize> {
    base: Univariate<F, P, K>,
}

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// The distribution of intervals that each contain a value, for example from inspections, rounding or binning.
    ///
    /// The interval must be fixed in advance, or carry no information about the value except that it contains the value.
    /// Both ends belong to the interval, which matters only for discrete families. There the ends are whole numbers, and
    /// the interval of a count that is known only from below ends at `u64::MAX`.
    ///
    /// The probability is a difference of tails on the side where they are small. Its relative error is the error of the
    /// tail, about 1e-15, divided by the share of the tail that the interval contains.
    ///
    /// ```
    /// use bayes_autodiff::{Real, Value};
    /// use bayes_dist::dist::{Distribution, Normal};
    ///
    /// let (lower, upper) = ([-1.0, 1.0], [1.0, f64::INFINITY]);
    /// let distribution = Normal::new(0.0, 1.0).interval_censored();
    /// let log_likelihood: Real<Value> = distribution.log_likelihood(&(lower, upper));
    /// assert!((log_likelihood.primal() - (0.682_689_492_f64 * 0.158_655_254).ln()).abs() < 1e-8);
    /// ```
    #[inline(always)]
    pub fn interval_censored(self) -> IntervalCensored<F, P, K>
    where
        F: Cumulative<K>,
    {
        IntervalCensored { base: self }
    }
}

/// Pairs of data, row by row: the lower and the upper ends of intervals.
impl<D: Domain, A: Data<D>, B: Data<D>> Data<D> for (A, B) {
    /// # Panics
    /// With a [`Fault::Shape`] if the lengths differ.
    #[inline(always)]
    fn shape(&self) -> Shape {
        let (lower, upper) = (self.0.shape().elements(), self.1.shape().elements());
        if lower != upper {
            raise(Fault::Shape {
                operation: format!("{lower} lower and {upper} upper ends of intervals"),
            });
        }
        Shape::Matrix(lower, 2)
    }
    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        if i.is_multiple_of(2) {
            self.0.at(i / 2)
        } else {
            self.1.at(i / 2)
        }
    }
}

impl<F: Cumulative<K>, P, const K: usize> IntervalCensored<F, P, K> {
    /// The log probability of the interval of element `i`.
    #[inline(always)]
    fn log_probability<M: Mode>(&self, i: usize, ends: [f64; 2]) -> Real<M>
    where
        P: Parameters<M, K>,
    {
        let parameters = self.base.parameters().at(i);
        if ends[0] == ends[1] {
            return self.base.log_density_of_datum(i, ends[0]);
        }
        // an end beyond the support is like an infinite end: its tail has no slope
        let [first, last] = self.known_ends::<M>(i);
        let inside = [
            ends[0] > f64::NEG_INFINITY && (first.is_nan() || ends[0] > first),
            ends[1] < f64::INFINITY && (last.is_nan() || ends[1] < last),
        ];
        let end = |k: usize| inside[k].then(|| Real::constant(ends[k]));
        log_mass::<M, F, K>([end(0), end(1)], parameters)
    }

    /// The ends of the support of element `i`; NaN if they depend on random values.
    #[inline(always)]
    fn known_ends<M: Mode>(&self, i: usize) -> [f64; 2]
    where
        P: Parameters<M, K>,
    {
        extremes(F::support(constants(self.base.known::<M>(i))))
    }
}

/// The wrong end of an interval, and what it must be.
fn wrong<D: Domain>([lower, upper]: [f64; 2], [first, last]: [f64; 2]) -> Option<(f64, String)> {
    let whole = |x: f64| x.is_infinite() || x.fract() == 0.0;
    if lower.is_nan() || lower == f64::INFINITY {
        Some((lower, "a number, or minus infinity".to_owned()))
    } else if upper.is_nan() || upper == f64::NEG_INFINITY {
        Some((upper, "a number, or infinity".to_owned()))
    } else if D::DISCRETE && !(whole(lower) && whole(upper)) {
        let end = if whole(lower) { upper } else { lower };
        Some((end, "whole numbers, or infinite".to_owned()))
    } else if upper < lower {
        Some((upper, format!("at least its lower end {lower}")))
    } else if upper < first {
        Some((
            upper,
            format!("at least {first}, the smallest value of the distribution"),
        ))
    } else if lower > last {
        Some((
            lower,
            format!("at most {last}, the largest value of the distribution"),
        ))
    } else {
        None
    }
}

impl<M, F, P, const K: usize> Distribution<M> for IntervalCensored<F, P, K>
where
    M: Mode,
    F: Cumulative<K>,
    P: Parameters<M, K>,
{
    type Value = Matrix<M>;
    type Domain = F::Domain;

    fn name(&self) -> &'static str {
        F::NAME
    }

    /// A row `[lower, upper]` for each element of the parameters.
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Matrix(Distribution::<M>::shape(&self.base).elements(), 2)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        Distribution::<M>::shape(self).elements()
    }

    fn check(&self) -> Result<(), ParameterError> {
        Distribution::<M>::check(&self.base)
    }

    fn is_of_data(&self) -> bool {
        true
    }

    /// The ends must be data: a random interval has no density.
    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let rows = Distribution::<M>::shape(&self.base).elements().max(1);
        let mut sum = Real::constant(0.0);
        for (i, ends) in elements.chunks_exact(2).enumerate() {
            sum += self.log_probability(i % rows, [ends[0].plain_value(), ends[1].plain_value()]);
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let shape = Distribution::<M>::shape(self);
        let value = <Self::Value as Quantity<M>>::from_fn(
            shape,
            #[inline(always)]
            |i| coordinates[i],
        );
        (value, Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    /// Simulated values are exact (intervals of width zero), because the model does not describe how intervals arise.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let values = Distribution::<M>::draw(&self.base, stream);
        values.into_iter().flat_map(|x| [x, x]).collect()
    }

    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let (length, shape) = (
            data.shape().elements(),
            Distribution::<M>::shape(&self.base),
        );
        let rows = shape.elements();
        let allowed = if !length.is_multiple_of(2) || length == 0 {
            "pairs of a lower and an upper end".to_owned()
        } else if shape != Shape::Scalar && length != 2 * rows {
            format!("{}, two for each of the parameters", 2 * rows)
        } else {
            String::new()
        };
        if !allowed.is_empty() {
            let distribution = F::NAME;
            return Err(DataError::Length {
                distribution,
                length,
                allowed,
            });
        }
        for i in 0..length / 2 {
            let known = self.known_ends::<M>(i % rows);
            let ends = [data.at(2 * i), data.at(2 * i + 1)];
            if let Some((value, allowed)) = wrong::<F::Domain>(ends, known) {
                return Err(DataError::Value {
                    distribution: F::NAME,
                    index: (length > 2).then_some(i),
                    value,
                    allowed,
                });
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn for_each_term<T: Data<Self::Domain> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let rows = Distribution::<M>::shape(&self.base).elements().max(1);
        for i in 0..data.shape().elements() / 2 {
            visit(self.log_probability(i % rows, [data.at(2 * i), data.at(2 * i + 1)]));
        }
    }
}
