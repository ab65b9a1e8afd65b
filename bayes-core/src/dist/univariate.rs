//! A scalar family with its parameters: a distribution of scalars, vectors or matrices.

use super::form::Form;
use super::parameter::{check_shapes, common_shape};
use super::{
    Data, DataError, Distribution, Factor, Family, Gaussian, Iid, ParameterError, Parameters,
    Quantity, Shape, Terms,
};
use crate::rng::Stream;
use bayes_autodiff::{ARGUMENTS, Local, Mode, Real, Value};
use std::marker::PhantomData;

/// The family `F` at the parameters `P`, a tuple of `K` of them.
///
/// With scalar parameters it is a distribution of scalars. With vector or matrix parameters it is
/// the product of independent distributions, one for each element; scalars among them are shared.
#[derive(Clone, Copy, Debug)]
pub struct Univariate<F, P, const K: usize> {
    parameters: P,
    family: PhantomData<F>,
}

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// The distribution at these parameters.
    #[inline(always)]
    pub(super) fn from_parameters(parameters: P) -> Self {
        Self {
            parameters,
            family: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn parameters(&self) -> &P {
        &self.parameters
    }

    /// Independent copies: `.iid(n)` is a vector, `.iid((rows, columns))` a matrix.
    #[inline(always)]
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }
}

/// The log density at `x` without the normaliser, as a function of the parameters and `x`, in this order.
struct Kernel<F, const K: usize> {
    family: PhantomData<F>,
    /// `x` and its log base measure, where `x` is data.
    datum: Option<[f64; 2]>,
    /// Whether the normaliser is part of it: where it changes from element to element.
    normalised: bool,
    /// Whether the support is part of it: where a random value may move it.
    restricted: bool,
}

impl<F: Family<K>, const K: usize> Kernel<F, K> {
    /// At a datum, with its support and without the normaliser. What involves the datum alone needs no derivatives.
    #[inline(always)]
    fn of_datum(x: f64) -> Self {
        Self {
            family: PhantomData,
            datum: Some([x, F::log_base(Real::<Value>::constant(x)).primal()]),
            normalised: false,
            restricted: true,
        }
    }
}

/// Which arguments of a [`Kernel`] at a datum may depend on random values.
#[inline(always)]
fn random_parameters<M: Mode, P: Parameters<M, K>, const K: usize>() -> [bool; ARGUMENTS] {
    const { assert!(K < ARGUMENTS, "a family has at most three parameters") };
    let data = P::data();
    let mut random = [false; ARGUMENTS];
    for k in 0..K {
        random[k] = !data[k];
    }
    random
}

impl<F: Family<K>, const K: usize> Local for Kernel<F, K> {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, arguments: [Real<M>; ARGUMENTS]) -> Real<M> {
        let mut parameters = [arguments[0]; K];
        parameters.copy_from_slice(&arguments[..K]);
        let (x, log_base) = match self.datum {
            Some([x, log_base]) => (Real::constant(x), Real::constant(log_base)),
            None => (arguments[K], F::log_base(arguments[K])),
        };
        let mut log_density = F::log_kernel(x, parameters);
        if self.normalised {
            log_density += F::log_normaliser(parameters);
        }
        if self.restricted {
            F::covers(parameters).restrict(x, log_density + log_base)
        } else {
            log_density + log_base
        }
    }
}

/// What the elements of a vectorised density have in common.
struct Common {
    /// How many elements there are before the parameters repeat.
    period: usize,
    /// Whether their normalisers are added already.
    normalised: bool,
    /// Which arguments of a [`Kernel`] may depend on random values.
    random: [bool; ARGUMENTS],
}

impl Common {
    /// The parameters' element for element `i`.
    #[inline(always)]
    fn element(&self, i: usize) -> usize {
        if i < self.period { i } else { i % self.period }
    }
}

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// Adds the log density of random elements to `total`.
    #[inline(always)]
    fn add_elements<M: Mode, T: Terms<M>>(&self, elements: &[Real<M>], total: &mut T)
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let Some(common) = self.add_common(elements.len(), total) else {
            return;
        };
        let mut random = common.random;
        random[K] = true;
        let kernel = Kernel::<F, K> {
            family: PhantomData,
            datum: None,
            normalised: !common.normalised,
            restricted: true,
        };
        for (i, x) in elements.iter().enumerate() {
            let mut arguments = self.arguments(common.element(i));
            arguments[K] = *x;
            total.add_local(arguments, random, &kernel);
        }
    }

    /// Adds the log density of data to `total`.
    ///
    /// Data were checked against a support that no random value moves before the first evaluation.
    #[inline(always)]
    fn add_data<M: Mode, T: Terms<M>>(
        &self,
        len: usize,
        datum: impl Fn(usize) -> f64,
        total: &mut T,
    ) where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let data = P::data();
        let restricted = (0..K).any(|k| F::BOUNDED_BY[k] && !data[k]);
        let period = common_shape(self.parameters.shapes()).elements();
        let at = |i: usize| self.parameters.at(if i < period { i } else { i % period });
        if !restricted && period > 0 && F::add_many(len, &datum, at, total) {
            return;
        }
        let Some(common) = self.add_common(len, total) else {
            return;
        };
        for i in 0..len {
            let x = datum(i);
            let kernel = Kernel::<F, K> {
                normalised: !common.normalised,
                restricted,
                ..Kernel::of_datum(x)
            };
            let arguments = self.arguments(common.element(i));
            total.add_local(arguments, common.random, &kernel);
        }
    }

    /// Adds what `len` elements have in common: a normaliser of scalar parameters is computed once and added `len`
    /// times. Nothing where there are no elements.
    #[inline(always)]
    fn add_common<M: Mode, T: Terms<M>>(&self, len: usize, total: &mut T) -> Option<Common>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let shapes = self.parameters.shapes();
        let period = common_shape(shapes).elements();
        if len == 0 || period == 0 {
            return None;
        }
        let normalised = (0..K).all(|k| shapes[k] == Shape::Scalar || !F::NORMALISED_BY[k]);
        if normalised {
            total.add(self.normaliser(0) * len as f64);
        }
        Some(Common {
            period,
            normalised,
            random: random_parameters::<M, P, K>(),
        })
    }

    /// The parameters of element `i` as the first arguments of a [`Kernel`].
    #[inline(always)]
    fn arguments<M: Mode>(&self, i: usize) -> [Real<M>; ARGUMENTS]
    where
        P: Parameters<M, K>,
    {
        let parameters = self.parameters.at(i);
        let mut arguments = [Real::constant(0.0); ARGUMENTS];
        arguments[..K].copy_from_slice(&parameters);
        arguments
    }

    /// The normaliser, where all elements have it in common.
    #[inline(always)]
    fn common_normaliser<M: Mode>(&self) -> Option<Real<M>>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let shapes = self.parameters.shapes();
        let common = (0..K).all(|k| shapes[k] == Shape::Scalar || !F::NORMALISED_BY[k]);
        let any = common_shape(shapes).elements() > 0;
        if common && any {
            Some(self.normaliser(0))
        } else {
            None
        }
    }

    /// The normaliser of element `i`; from data it is one number for all particles.
    #[inline(always)]
    fn normaliser<M: Mode>(&self, i: usize) -> Real<M>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let (parameters, data) = (self.parameters.at(i), P::data());
        let mut plain = [Real::<Value>::constant(0.0); K];
        let mut known = true;
        for k in 0..K {
            known &= data[k] || !F::NORMALISED_BY[k];
            plain[k] = Real::constant(parameters[k].primal());
        }
        if known {
            Real::constant(F::log_normaliser(plain).primal())
        } else {
            F::log_normaliser(parameters)
        }
    }

    /// The log density of `kernel` with the parameters of element `i`, and with `x` where that is random.
    #[inline(always)]
    fn term<M: Mode>(
        &self,
        i: usize,
        x: Option<Real<M>>,
        kernel: &Kernel<F, K>,
        common: Option<Real<M>>,
    ) -> Real<M>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let mut arguments = self.arguments(i);
        let mut random = random_parameters::<M, P, K>();
        if let Some(x) = x {
            arguments[K] = x;
            random[K] = true;
        }
        let normaliser = match common {
            Some(common) => common,
            None => self.normaliser(i),
        };
        M::local(arguments, random, kernel) + normaliser
    }

    /// The parameters of element `i`, with NaN in place of random ones.
    fn known<M: Mode>(&self, i: usize) -> [Real<M>; K]
    where
        P: Parameters<M, K>,
    {
        let data = P::data();
        let mut parameters = self.parameters.at(i);
        for (parameter, is_data) in parameters.iter_mut().zip(data) {
            if !is_data {
                *parameter = Real::constant(f64::NAN);
            }
        }
        parameters
    }
}

impl<M, F, P, const K: usize> Distribution<M> for Univariate<F, P, K>
where
    M: Mode,
    F: Family<K>,
    P: Parameters<M, K>,
{
    type Value = <P::Form as Form>::Value<M>;
    type Domain = F::Domain;

    fn name(&self) -> &'static str {
        F::NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        common_shape(self.parameters.shapes())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        Distribution::<M>::shape(self).elements()
    }

    fn check(&self) -> Result<(), ParameterError> {
        let shapes = self.parameters.shapes();
        check_shapes(F::NAME, F::PARAMETERS.map(|p| p.name), shapes)?;
        for i in 0..common_shape(shapes).elements() {
            let values = self.parameters.at(i).map(Real::primal);
            let wrong = |k: usize, allowed| ParameterError::Value {
                distribution: F::NAME,
                parameter: F::PARAMETERS[k].name,
                index: (shapes[k] != Shape::Scalar).then_some(i),
                value: values[k],
                allowed,
            };
            for (k, info) in F::PARAMETERS.iter().enumerate() {
                if !info.allowed.holds(values[k]) {
                    return Err(wrong(k, info.allowed.words()));
                }
            }
            F::check(values).map_err(|(k, allowed)| wrong(k, allowed))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let kernel = Kernel::<F, K> {
            family: PhantomData,
            datum: None,
            normalised: false,
            restricted: true,
        };
        let common = self.common_normaliser();
        let period = common_shape(self.parameters.shapes()).elements().max(1);
        let mut sum = Real::constant(0.0);
        for (i, x) in elements.iter().enumerate() {
            let element = if i < period { i } else { i % period };
            sum += self.term(element, Some(*x), &kernel, common);
        }
        sum
    }

    #[inline(always)]
    fn add_density<T: Terms<M>>(&self, elements: &[Real<M>], total: &mut T) {
        self.add_elements(elements, total);
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Self::Domain> + ?Sized, S: Terms<M>>(&self, data: &T, total: &mut S) {
        self.add_data(
            data.shape().elements(),
            #[inline(always)]
            |i| data.at(i),
            total,
        );
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let mut log_jacobian = Real::constant(0.0);
        let value = Self::Value::from_fn(
            Distribution::<M>::shape(self),
            #[inline(always)]
            |i| {
                let (x, log_slope) = F::support(self.parameters.at(i)).constrain(coordinates[i]);
                log_jacobian += log_slope;
                x
            },
        );
        (value, log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let coordinate =
            |(i, x): (usize, &f64)| F::support::<M>(self.parameters.at(i)).unconstrain(*x);
        elements.iter().enumerate().map(coordinate).collect()
    }

    fn is_proper(&self) -> bool {
        F::PROPER
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let one = |i| {
            let parameters = self.parameters.at(i);
            F::support(parameters).interior(F::draw(parameters.map(Real::primal), stream))
        };
        (0..Distribution::<M>::dim(self)).map(one).collect()
    }

    fn gaussian(&self) -> Option<Gaussian> {
        let each = (0..Distribution::<M>::dim(self))
            .map(|i| F::gaussian(self.parameters.at(i).map(Real::primal)));
        let (mean, sd): (Vec<f64>, Vec<f64>) =
            each.collect::<Option<Vec<_>>>()?.into_iter().unzip();
        Some(Gaussian {
            mean,
            factor: Factor::Diagonal(sd),
        })
    }

    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let len = data.shape().elements();
        let shape = Distribution::<M>::shape(self);
        let wrong_length = |allowed| DataError::Length {
            distribution: F::NAME,
            length: len,
            allowed,
        };
        if shape != Shape::Scalar && len != shape.elements() {
            return Err(wrong_length(format!(
                "{}, like the parameters",
                shape.elements()
            )));
        }
        if len == 0 {
            return Err(wrong_length("at least 1".to_owned()));
        }
        for i in 0..len {
            let x = data.at(i);
            // A bound that a random parameter moves is NaN here: whether `x` lies within is for the density to say.
            let support = F::covers::<M>(self.known(if shape == Shape::Scalar { 0 } else { i }));
            if !support.contains(x) {
                let index = (data.shape() != Shape::Scalar).then_some(i);
                return Err(DataError::Value {
                    distribution: F::NAME,
                    index,
                    value: x,
                    allowed: support.words(),
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
        let common = self.common_normaliser();
        let period = common_shape(self.parameters.shapes()).elements().max(1);
        for i in 0..data.shape().elements() {
            let element = if i < period { i } else { i % period };
            let kernel = Kernel::<F, K>::of_datum(data.at(i));
            visit(self.term(element, None, &kernel, common));
        }
    }
}
