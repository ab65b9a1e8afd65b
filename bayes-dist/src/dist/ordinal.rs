//! Ordered categories, defined by cutpoints of a latent variable.

use super::parameter::Parameter;
use super::{Data, DataError, Discrete, Distribution, Form, Iid, ParameterError, Quantity, Shape};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, PlainValue, Real};
use std::fmt::Debug;
use std::marker::PhantomData;

/// The interval, out of `K` numbered from 0, that contains a variable about `eta`. The link `L` is the
/// distribution of the variable, such as the one of [`OrderedLogistic`](super::OrderedLogistic).
#[derive(Clone, Copy, Debug)]
pub struct Ordinal<L, A, C> {
    eta: A,
    cutpoints: C,
    link: PhantomData<L>,
}

/// The distribution of the latent variable about 0, which is symmetric.
pub trait OrdinalLink: Copy + Debug + Send + Sync + 'static {
    /// The name that users write.
    const NAME: &'static str;
    /// The log probability of values below `z`.
    fn log_below<M: Mode>(z: Real<M>) -> Real<M>;
    /// The log probability of values between `low - eta` and `high - eta`.
    fn log_between<M: Mode>(eta: Real<M>, low: Real<M>, high: Real<M>) -> Real<M>;
    /// One draw.
    fn draw(stream: &mut Stream) -> f64;
}

impl<L, A, C> Ordinal<L, A, C> {
    pub(super) fn of(eta: A, cutpoints: C) -> Self {
        Self {
            eta,
            cutpoints,
            link: PhantomData,
        }
    }

    /// Independent copies: `.iid(n)` is a vector.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    #[inline(always)]
    fn number_of_categories<M: Mode>(&self) -> usize
    where
        C: Parameter<M>,
    {
        self.cutpoints.shape().elements() + 1
    }

    /// The log mass of category `k` for element `i` of `eta`.
    #[inline(always)]
    fn log_mass<M: Mode>(&self, i: usize, k: usize) -> Real<M>
    where
        L: OrdinalLink,
        A: Parameter<M>,
        C: Parameter<M>,
    {
        let eta = self.eta.at(i);
        match k {
            0 => L::log_below(self.cutpoints.at(0) - eta),
            k if k + 1 == self.number_of_categories() => {
                L::log_below(eta - self.cutpoints.at(k - 1))
            }
            _ => L::log_between(eta, self.cutpoints.at(k - 1), self.cutpoints.at(k)),
        }
    }

    /// The element of `eta` for observation `i`.
    #[inline(always)]
    fn element<M: Mode>(&self, i: usize) -> usize
    where
        A: Parameter<M>,
    {
        i % self.eta.shape().elements().max(1)
    }
}

impl<M, L, A, C> Distribution<M> for Ordinal<L, A, C>
where
    M: Mode,
    L: OrdinalLink,
    A: Parameter<M>,
    C: Parameter<M>,
{
    type Value = <A::Form as Form>::Value<M>;
    type Domain = Discrete;

    fn name(&self) -> &'static str {
        L::NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        self.eta.shape()
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.eta.shape().elements()
    }

    fn check(&self) -> Result<(), ParameterError> {
        let empty = |parameter| ParameterError::Length {
            distribution: L::NAME,
            parameter,
            length: 0,
            allowed: "at least 1".to_owned(),
        };
        let wrong = |parameter, index, value, allowed| ParameterError::Value {
            distribution: L::NAME,
            parameter,
            index,
            value,
            allowed,
        };
        let (count, cuts) = (self.dim(), self.cutpoints.shape().elements());
        if count == 0 {
            return Err(empty("eta"));
        }
        if cuts == 0 {
            return Err(empty("cutpoints"));
        }
        for i in 0..count {
            let eta = self.eta.at(i).plain_value();
            if !eta.is_finite() {
                let index = (self.shape() != Shape::Scalar).then_some(i);
                return Err(wrong("eta", index, eta, "a finite number"));
            }
        }
        let cut = |k: usize| self.cutpoints.at(k).plain_value();
        for k in 0..cuts {
            if !cut(k).is_finite() {
                return Err(wrong("cutpoints", Some(k), cut(k), "a finite number"));
            }
            if k > 0 && cut(k) <= cut(k - 1) {
                let allowed = "above the one before it";
                return Err(wrong("cutpoints", Some(k), cut(k), allowed));
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for (i, x) in elements.iter().enumerate() {
            // The category is random, so every category is computed and the chosen one selected.
            let mut log_mass = Real::constant(f64::NEG_INFINITY);
            for k in 0..self.number_of_categories() {
                let chosen = (*x - k as f64).abs().le(0.0);
                let own = self.log_mass(self.element(i), k);
                log_mass = Real::select(chosen, own, log_mass);
            }
            sum += log_mass;
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let value = Self::Value::from_fn(
            self.shape(),
            #[inline(always)]
            |i| Support::counts().constrain(coordinates[i]).0,
        );
        (value, Real::constant(0.0))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        elements.to_vec()
    }

    /// The number of intervals of the latent variable.
    fn categories(&self) -> Option<usize> {
        Some(self.number_of_categories())
    }

    fn whole_numbers(&self) -> Option<[f64; 2]> {
        let categories = self.number_of_categories() as f64;
        (self.shape() == Shape::Scalar).then_some([0.0, categories - 1.0])
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let cuts = self.cutpoints.shape().elements();
        let mut one = |i: usize| {
            let latent = self.eta.at(i).plain_value() + L::draw(stream);
            let below = (0..cuts).filter(|k| self.cutpoints.at(*k).plain_value() < latent);
            below.count() as f64
        };
        (0..self.dim()).map(&mut one).collect()
    }

    fn check_data<T: Data<Discrete> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let (length, wanted) = (data.shape().elements(), self.dim());
        let wrong_length = |allowed| DataError::Length {
            distribution: L::NAME,
            length,
            allowed,
        };
        if self.shape() != Shape::Scalar && length != wanted {
            return Err(wrong_length(format!("{wanted}, the length of `eta`")));
        }
        if length == 0 {
            return Err(wrong_length("at least 1".to_owned()));
        }
        let support = Support::<M>::counts_to(self.number_of_categories() as f64 - 1.0);
        let wrong = (0..length).find(|i| !support.contains(data.at(*i)));
        wrong.map_or(Ok(()), |i| {
            Err(DataError::Value {
                distribution: L::NAME,
                index: (data.shape() != Shape::Scalar).then_some(i),
                value: data.at(i),
                allowed: support.words(),
            })
        })
    }

    #[inline(always)]
    fn for_each_term<T: Data<Discrete> + ?Sized>(&self, data: &T, mut visit: impl FnMut(Real<M>)) {
        for i in 0..data.shape().elements() {
            let k = data.at(i) as usize;
            if k < self.number_of_categories() {
                visit(self.log_mass(self.element(i), k));
            } else {
                visit(Real::constant(f64::NEG_INFINITY));
            }
        }
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Discrete> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        for i in 0..data.shape().elements() {
            let k = data.at(i) as usize;
            if k < self.number_of_categories() {
                *total += self.log_mass(self.element(i), k);
            } else {
                *total += Real::constant(f64::NEG_INFINITY);
            }
        }
    }
}
