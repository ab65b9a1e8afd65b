//! Censored observations of a scalar distribution: `.censored(low, high)`.

use super::bounds::{Bounded, clamped};
use super::cumulative::{log_cdf, log_from};
use super::{
    Broadcast, Cumulative, Data, DataError, Distribution, Form, Iid, ParameterError, Parameters,
    Quantity, Shape, Univariate,
};
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue, Real};

/// The family `F` with parameters `P`, censored at the limits `B`.
///
/// ```text
/// ln p(y) = ln P(X ≤ low)     at y = low
///           ln f(y)           between
///           ln P(X ≥ high)    at y = high
/// ```
///
/// Only data can be censored: a model that samples from it is rejected.
#[derive(Clone, Copy, Debug)]
pub struct Censored<F, P, B, const K: usize> {
    inner: Bounded<F, P, B, K>,
}

const NAME: &str = "Censored";

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// The distribution of a value that is recorded as `low` if it is smaller, and as `high` if it is
    /// larger, for example at a detection limit or the end of a study. The limits are data, one pair for all
    /// observations or one pair each; an infinite limit censors nothing.
    ///
    /// A limit is the value at which censoring would begin, whether the observation was censored or not. For data that were observed in
    /// full the limit does not change the likelihood, but predicted data are censored at it. With infinite limits for observed values,
    /// predictions run beyond the end of the study and cannot be compared with the data; `Limits` reports this.
    ///
    /// An observation at `high` contributes `ln P(X ≥ high)`, one at `low` `ln P(X ≤ low)`.
    #[inline(always)]
    pub fn censored<L, H>(self, low: L, high: H) -> Censored<F, P, (L, H), K>
    where
        F: Cumulative<K>,
    {
        let bounds = (low, high);
        let inner = Bounded { base: self, bounds };
        Censored { inner }
    }
}

impl<F, P, B, const K: usize> Censored<F, P, B, K> {
    /// Independent copies: `.iid(n)` is a vector, `.iid((rows, columns))` a matrix.
    #[inline(always)]
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }
}

/// The uncensored observations in some data.
struct Exact<'a, T: ?Sized> {
    data: &'a T,
    places: &'a [usize],
}

impl<D: super::Domain, T: Data<D> + ?Sized> Data<D> for Exact<'_, T> {
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.places.len())
    }
    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        self.data.at(self.places[i])
    }
}

/// The kind of an observation: exact, or at a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Seen {
    Exactly,
    AtMost,
    AtLeast,
}

impl<F: Cumulative<K>, P, B, const K: usize> Censored<F, P, B, K> {
    /// The kind of the observation `y` of element `i`. The limits are data and the same for all particles.
    #[inline(always)]
    fn seen<M: Mode>(&self, i: usize, y: f64) -> Seen
    where
        B: Parameters<M, 2>,
    {
        match self.inner.at::<M>(i) {
            [_, Some(high)] if y >= high.plain_value() => Seen::AtLeast,
            [Some(low), _] if y <= low.plain_value() => Seen::AtMost,
            _ => Seen::Exactly,
        }
    }

    /// The log probability of a censored observation `y` of element `i`.
    #[inline(always)]
    fn log_tail<M: Mode>(&self, i: usize, y: f64, seen: Seen) -> Real<M>
    where
        P: Parameters<M, K>,
    {
        let parameters = self.inner.base.parameters().at(i);
        if seen == Seen::AtLeast {
            log_from::<M, F, K>(Real::constant(y), parameters)
        } else {
            log_cdf::<M, F, K>(Real::constant(y), parameters)
        }
    }
}

impl<M, F, P, B, const K: usize> Distribution<M> for Censored<F, P, B, K>
where
    M: Mode,
    F: Cumulative<K>,
    P: Parameters<M, K>,
    B: Parameters<M, 2>,
    P::Form: Broadcast<B::Form>,
{
    type Value = <<P::Form as Broadcast<B::Form>>::Output as Form>::Value<M>;
    type Domain = F::Domain;

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
        let is_data = B::DATA;
        if let Some(k) = is_data.iter().position(|data| !data) {
            let values: [Real<M>; 2] = self.inner.bounds.at(0);
            return Err(ParameterError::Value {
                distribution: NAME,
                parameter: ["low", "high"][k],
                index: None,
                value: values[k].plain_value(),
                allowed: "data: a random limit cannot say which observations are censored",
            });
        }
        self.inner.check::<M>(NAME)
    }

    fn is_of_data(&self) -> bool {
        true
    }

    fn censoring_limits(&self, element: usize) -> Option<[f64; 2]> {
        let bounds: [Real<M>; 2] = self.inner.bounds.at(element);
        Some(bounds.map(PlainValue::plain_value))
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let period = self.inner.shape::<M>().elements().max(1);
        let mut sum = Real::constant(0.0);
        for (i, x) in elements.iter().enumerate() {
            let parameters = self.inner.base.parameters().at(i % period);
            let mut term =
                F::log_kernel(*x, parameters) + F::log_normaliser(parameters) + F::log_base(*x);
            term = F::support(parameters).restrict(*x, term);
            let [low, high] = self.inner.at(i % period);
            if let Some(low) = low {
                let tail = log_cdf::<M, F, K>(low, parameters);
                let beyond = Real::select(x.lt(low), f64::NEG_INFINITY, tail);
                term = Real::select(x.le(low), beyond, term);
            }
            if let Some(high) = high {
                let tail = log_from::<M, F, K>(high, parameters);
                let beyond = Real::select(high.lt(*x), f64::NEG_INFINITY, tail);
                term = Real::select(high.le(*x), beyond, term);
            }
            sum += term;
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let mut log_jacobian = Real::constant(0.0);
        let value = Self::Value::from_fn(
            self.inner.shape::<M>(),
            #[inline(always)]
            |i| {
                let support = F::support(self.inner.base.parameters().at(i));
                let (x, log_slope) = support.constrain(coordinates[i]);
                log_jacobian += log_slope;
                x
            },
        );
        (value, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let coordinate = |(i, x): (usize, &f64)| {
            F::support::<M>(self.inner.base.parameters().at(i)).unconstrain(*x)
        };
        elements.iter().enumerate().map(coordinate).collect()
    }

    /// A simulated observation: a draw of the family, replaced by the limit that it exceeds.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let one = |i| {
            let x = F::draw(
                self.inner
                    .base
                    .parameters()
                    .at(i)
                    .map(PlainValue::plain_value),
                stream,
            );
            let [low, high] = self
                .inner
                .at::<M>(i)
                .map(|bound| bound.map(PlainValue::plain_value));
            clamped(x, [low, high])
        };
        (0..self.inner.shape::<M>().elements()).map(one).collect()
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
        let period = self.inner.shape::<M>().elements().max(1);
        for i in 0..data.shape().elements() {
            let (element, y) = (i % period, data.at(i));
            visit(match self.seen::<M>(element, y) {
                Seen::Exactly => self.inner.base.log_density_of_datum(element, y),
                seen => self.log_tail(element, y, seen),
            });
        }
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Self::Domain> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        let period = self.inner.shape::<M>().elements().max(1);
        if data.shape() == Shape::Scalar {
            // a single row from a loop
            return match self.seen::<M>(0, data.at(0)) {
                Seen::Exactly => self.inner.base.add_likelihood(data, total),
                seen => *total += self.log_tail(0, data.at(0), seen),
            };
        }
        let shared = Distribution::<M>::shape(&self.inner.base) == Shape::Scalar;
        let mut places = Vec::new();
        // the last censored observation, its log probability and the number of equal ones
        let mut run: Option<(Seen, f64, Real<M>, f64)> = None;
        for i in 0..data.shape().elements() {
            let y = data.at(i);
            let seen = self.seen::<M>(i % period, y);
            if seen == Seen::Exactly {
                places.push(i);
                continue;
            }
            if !shared {
                *total += self.log_tail(i % period, y, seen);
                continue;
            }
            run = match run {
                Some((last, limit, log_p, count)) if (last, limit) == (seen, y) => {
                    Some((last, limit, log_p, count + 1.0))
                }
                other => {
                    if let Some((.., log_p, count)) = other {
                        *total += log_p * count;
                    }
                    Some((seen, y, self.log_tail(0, y, seen), 1.0))
                }
            };
        }
        if let Some((.., log_p, count)) = run {
            *total += log_p * count;
        }
        let places = &places;
        self.inner
            .base
            .at_places(places, period)
            .add_likelihood(&Exact { data, places }, total);
    }
}

#[cfg(test)]
mod tests {
    use crate::dist::{Distribution, Normal, Poisson};
    use crate::rng::{Key, Purpose};
    use bayes_autodiff::Value;

    const DRAWS: usize = 4000;

    /// The shares of draws below, at and above a limit.
    fn shares<D: Distribution<Value>>(distribution: &D, limit: f64) -> [f64; 3] {
        let mut stream = Key::new(80, Purpose::Validation).stream();
        let draws: Vec<f64> = (0..DRAWS)
            .map(|_| distribution.draw(&mut stream)[0])
            .collect();
        let share = |is: &dyn Fn(f64) -> bool| {
            draws.iter().filter(|x| is(**x)).count() as f64 / DRAWS as f64
        };
        [
            share(&|x| x < limit),
            share(&|x| x == limit),
            share(&|x| x > limit),
        ]
    }

    /// Checks a share of the draws against its probability, within 4.5 standard errors.
    fn near(share: f64, wanted: f64) {
        let sd = (wanted * (1.0 - wanted) / DRAWS as f64).sqrt();
        assert!((share - wanted).abs() < 4.5 * sd, "{share}, {wanted}");
    }

    // Seen to detect: a lower limit that is lost where there is no upper one.
    #[test]
    fn censored_draws_are_at_their_limit_where_the_other_one_is_infinite() {
        const BELOW: f64 = 0.617_911_422_188_952_8; // P(Z <= 0.3)
        let [under, at, _] = shares(&Normal::new(0.0, 1.0).censored(0.3, f64::INFINITY), 0.3);
        assert_eq!(under, 0.0);
        near(at, BELOW);
        let [_, at, over] = shares(&Normal::new(0.0, 1.0).censored(f64::NEG_INFINITY, 0.3), 0.3);
        assert_eq!(over, 0.0);
        near(at, 1.0 - BELOW);
        let [under, at, _] = shares(&Poisson::new(3.0).censored(2.0, f64::INFINITY), 2.0);
        assert_eq!(under, 0.0);
        near(at, 8.5 * (-3.0_f64).exp());
    }
}
