//! A scalar distribution restricted to an interval: `.truncated(low, high)`.

use super::bounds::{Bounded, clamped, within};
use super::cumulative::{log_cdf, log_mass, log_sf};
use super::{
    Broadcast, Cumulative, Data, DataError, Distribution, Drawn, Form, Iid, ParameterError,
    Parameters, Quantity, Shape, Tail, Univariate,
};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, PlainValue, Real, Value};
use rand::RngExt;
use std::f64::consts::LN_2;

/// The family `F` with parameters `P`, truncated to the bounds `B`.
///
/// ```text
/// ln p(x) = ln f(x) - ln P(low ≤ X ≤ high),    low ≤ x ≤ high
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Truncated<F, P, B, const K: usize> {
    pub(super) inner: Bounded<F, P, B, K>,
}

pub(super) const NAME: &str = "Truncated";

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// The distribution given that the value is between `low` and `high` (inclusive). The bounds are data or
    /// random, one for all elements or one for each; an infinite bound in the data means no bound.
    ///
    /// ```
    /// use bayes_dist::dist::{Distribution, Normal};
    /// use bayes_autodiff::{Real, Value};
    ///
    /// let positive = Normal::new(0.0, 1.0).truncated(0.0, f64::INFINITY);
    /// let log_density = positive.log_density_at(&Real::<Value>::constant(1.0)).primal();
    /// assert!((log_density - (2.0f64.ln() - 1.418_938_533_204_672_7)).abs() < 1e-14);
    /// ```
    #[inline(always)]
    pub fn truncated<L, H>(self, low: L, high: H) -> Truncated<F, P, (L, H), K>
    where
        F: Cumulative<K>,
    {
        let bounds = (low, high);
        let inner = Bounded { base: self, bounds };
        Truncated { inner }
    }
}

impl<F, P, B, const K: usize> Truncated<F, P, B, K> {
    /// Independent copies: `.iid(n)` is a vector, `.iid((rows, columns))` a matrix.
    #[inline(always)]
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }
}

impl<F: Cumulative<K>, P, B, const K: usize> Truncated<F, P, B, K> {
    /// The support of element `i`.
    #[inline(always)]
    fn support<M: Mode>(&self, i: usize) -> Support<M>
    where
        P: Parameters<M, K>,
        B: Parameters<M, 2>,
    {
        let support = F::support(self.inner.base.parameters().at(i));
        within(support, self.inner.at(i))
    }

    /// The present bounds of element `i`, whose family has this support.
    fn bounds_at<M: Mode>(&self, i: usize, [first, last]: [f64; 2]) -> [f64; 2]
    where
        P: Parameters<M, K>,
        B: Parameters<M, 2>,
    {
        let bounds = self.inner.at(i);
        let [low, high] = bounds.map(|bound: Option<Real<M>>| bound.map(PlainValue::plain_value));
        [
            low.map_or(first, |low| low.max(first)),
            high.map_or(last, |high| high.min(last)),
        ]
    }

    /// `-ln P(low ≤ X ≤ high)` of element `i`. For data parameters it is one number for all particles.
    #[inline(always)]
    fn log_normaliser<M: Mode>(&self, i: usize) -> Real<M>
    where
        P: Parameters<M, K>,
        B: Parameters<M, 2>,
    {
        let (bounds, parameters) = (self.inner.at(i), self.inner.base.parameters().at(i));
        if P::DATA == [true; K] && B::DATA == [true; 2] {
            let plain = |x: Real<M>| Real::<Value>::constant(x.plain_value());
            let bounds = bounds.map(|bound| bound.map(plain));
            return Real::constant(-log_mass::<_, F, K>(bounds, parameters.map(plain)).primal());
        }
        -log_mass::<M, F, K>(bounds, parameters)
    }

    /// 0 for `x` within the bounds of element `i`, else minus infinity.
    #[inline(always)]
    fn restriction<M: Mode>(&self, i: usize, x: Real<M>) -> Real<M>
    where
        B: Parameters<M, 2>,
    {
        let (inside, outside) = (Real::constant(0.0), Real::constant(f64::NEG_INFINITY));
        match self.inner.at(i) {
            [None, None] => inside,
            [Some(low), None] => Real::select(low.le(x), inside, outside),
            [None, Some(high)] => Real::select(x.le(high), inside, outside),
            [Some(low), Some(high)] => {
                let below_high = Real::select(x.le(high), inside, outside);
                Real::select(low.le(x), below_high, outside)
            }
        }
    }

    /// Makes `total` minus infinity if an element is beyond its bounds.
    #[inline(always)]
    pub(super) fn restrict<M: Mode>(&self, elements: &[Real<M>], total: &mut Real<M>)
    where
        P: Parameters<M, K>,
        B: Parameters<M, 2>,
    {
        let period = self.inner.shape::<M>().elements().max(1);
        for (i, x) in elements.iter().enumerate() {
            *total += self.restriction(i % period, *x);
        }
    }

    /// Visits the terms that truncation adds to the log density of each of `len` values. Uses `value(i)` only if a
    /// bound may exclude it.
    #[inline(always)]
    fn for_each_addition<M: Mode>(
        &self,
        len: usize,
        value: Option<impl Fn(usize) -> Real<M>>,
        mut visit: impl FnMut(Real<M>),
    ) where
        P: Parameters<M, K>,
        B: Parameters<M, 2>,
    {
        let shape = self.inner.shape::<M>();
        let period = shape.elements();
        if len == 0 || period == 0 {
            return;
        }
        let is_common = shape == Shape::Scalar;
        let mut addition = self.log_normaliser(0);
        for i in 0..len {
            let element = i % period;
            if i > 0 && !is_common {
                addition = self.log_normaliser(element);
            }
            visit(match &value {
                Some(value) => addition + self.restriction(element, value(i)),
                None => addition,
            });
        }
    }

    /// The values of data, if a random bound may exclude them; other data were checked before the first evaluation.
    #[inline(always)]
    fn excludable<'a, M: Mode, T>(&self, data: &'a T) -> Option<impl Fn(usize) -> Real<M> + 'a>
    where
        B: Parameters<M, 2>,
        T: Data<F::Domain> + ?Sized,
    {
        (B::DATA != [true; 2]).then_some(
            #[inline(always)]
            move |i| Real::constant(data.at(i)),
        )
    }
}

/// One draw between bounds by inversion in the smaller tail.
fn draw<F: Cumulative<K>, const K: usize>(
    [low, high]: [Option<f64>; 2],
    parameters: [f64; K],
    u: f64,
) -> f64 {
    let known = parameters.map(Real::<Value>::constant);
    let lower = |x: f64| log_cdf::<_, F, K>(Real::constant(x), known).primal();
    let upper = |x: f64| log_sf::<_, F, K>(Real::constant(x), known).primal();
    // for a discrete value the mass at `low` is included
    let before = |x: f64| {
        if is_whole::<F, K>() {
            x.ceil() - 1.0
        } else {
            x
        }
    };
    let ends = [
        low.map_or([f64::NEG_INFINITY, 0.0], |x| {
            [lower(before(x)), upper(before(x))]
        }),
        high.map_or([0.0, f64::NEG_INFINITY], |x| [lower(x), upper(x)]),
    ];
    let [[under_low, over_low], [under_high, over_high]] = ends;
    // ln(from + u (to - from))
    let between = |from: f64, to: f64, u: f64| to + ((from - to).exp() * (1.0 - u) + u).ln();
    let tail = if over_low < -LN_2 {
        Tail::Upper(between(over_high, over_low, 1.0 - u))
    } else {
        let log_p = between(under_low, under_high, u);
        if log_p < -LN_2 {
            Tail::Lower(log_p)
        } else {
            Tail::Upper(between(over_high, over_low, 1.0 - u))
        }
    };
    let x = F::quantile(tail, parameters);
    clamped(x, [low, high])
}

fn is_whole<F: Cumulative<K>, const K: usize>() -> bool {
    <F::Domain as super::Domain>::DISCRETE
}

impl<M, F, P, B, const K: usize> Distribution<M> for Truncated<F, P, B, K>
where
    M: Mode,
    F: Cumulative<K>,
    P: Parameters<M, K>,
    B: Parameters<M, 2>,
    P::Form: Broadcast<B::Form>,
{
    type Value = <<P::Form as Broadcast<B::Form>>::Output as Form>::Value<M>;
    type Domain = F::Domain;

    fn random_support(&self, element: usize) -> Option<[f64; 2]> {
        let is_random = B::DATA != [true; 2] || self.inner.base.has_random_support::<M>();
        let support = self.inner.base.support_at::<M>(element);
        is_random.then(|| self.bounds_at::<M>(element, support))
    }

    fn whole_numbers(&self) -> Option<[f64; 2]> {
        let is_one =
            is_whole::<F, K>() && self.inner.shape::<M>() == Shape::Scalar && B::DATA == [true; 2];
        let support = is_one.then(|| self.inner.base.known_support_at::<M>(0))??;
        let [low, high] = self.bounds_at::<M>(0, support);
        let ends = [low.ceil(), high.floor()];
        ends.iter().all(|end| end.is_finite()).then_some(ends)
    }

    fn name(&self) -> &'static str {
        F::NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        self.inner.shape::<M>()
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.inner.shape::<M>().elements()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.inner.check::<M>(NAME)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Distribution::<M>::log_density_of(&self.inner.base, elements);
        self.for_each_addition(
            elements.len(),
            Some(
                #[inline(always)]
                |i: usize| elements[i],
            ),
            #[inline(always)]
            |addition| sum += addition,
        );
        sum
    }

    #[inline(always)]
    fn add_density(&self, elements: &[Real<M>], total: &mut Real<M>) {
        self.inner.base.add_density(elements, total);
        self.for_each_addition(
            elements.len(),
            Some(
                #[inline(always)]
                |i: usize| elements[i],
            ),
            #[inline(always)]
            |addition| *total += addition,
        );
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let mut log_jacobian = Real::constant(0.0);
        let value = Self::Value::from_fn(
            self.inner.shape::<M>(),
            #[inline(always)]
            |i| {
                let (x, log_slope) = self.support(i).constrain(coordinates[i]);
                log_jacobian += log_slope;
                x
            },
        );
        (value, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let coordinate = |(i, x): (usize, &f64)| self.support::<M>(i).unconstrain(*x);
        elements.iter().enumerate().map(coordinate).collect()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw_with_coordinates(self, stream).elements
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let mut all = Drawn::default();
        for i in 0..self.inner.shape::<M>().elements() {
            let parameters = self
                .inner
                .base
                .parameters()
                .at(i)
                .map(PlainValue::plain_value);
            let bounds = self
                .inner
                .at(i)
                .map(|bound| bound.map(PlainValue::plain_value));
            let known = parameters.map(Real::<Value>::constant);
            let support = within(F::support(known), bounds.map(|x| x.map(Real::constant)));
            let x = draw::<F, K>(bounds, parameters, stream.random::<f64>());
            all.extend(Drawn::of_value(support, x));
        }
        all
    }

    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        self.inner.check_data::<M, T>(data)
    }

    #[inline(always)]
    fn for_each_term<T: Data<Self::Domain> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let shape = self.inner.shape::<M>();
        let (period, excludable) = (shape.elements().max(1), self.excludable(data));
        let mut addition = self.log_normaliser(0);
        let mut i = 0;
        self.inner.base.for_each_term(
            data,
            #[inline(always)]
            |term| {
                let element = i % period;
                if i > 0 && shape != Shape::Scalar {
                    addition = self.log_normaliser(element);
                }
                visit(match &excludable {
                    Some(value) => term + addition + self.restriction(element, value(i)),
                    None => term + addition,
                });
                i += 1;
            },
        );
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Self::Domain> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        let len = data.shape().elements();
        self.inner.base.add_likelihood(data, total);
        let excludable = self.excludable(data);
        if excludable.is_none() && self.inner.shape::<M>() == Shape::Scalar {
            // one normaliser for all elements
            *total += self.log_normaliser(0) * len as f64;
            return;
        }
        self.for_each_addition(
            len,
            excludable,
            #[inline(always)]
            |addition| *total += addition,
        );
    }
}
