//! The log density of one element of a scalar family, as one function of its parameters and its value.

use super::{Family, Parameters};
use bayes_autodiff::{MAX_ARGUMENTS, Mode, Real, ScalarFunction, Value};
use std::marker::PhantomData;

/// The log density at `x` without the normaliser, as a function of the parameters and `x`, in this order.
pub(super) struct ElementDensity<F, const K: usize> {
    pub(super) family: PhantomData<F>,
    /// `x` and its log base measure, if `x` is data.
    pub(super) datum: Option<[f64; 2]>,
    /// Whether the normaliser is included, because it changes from element to element.
    pub(super) normalised: bool,
    /// Whether the support is included, because it may depend on random values.
    pub(super) restricted: bool,
}

impl<F: Family<K>, const K: usize> ElementDensity<F, K> {
    /// At a random value, with its support and without the normaliser.
    #[inline(always)]
    pub(super) fn of_random() -> Self {
        Self {
            family: PhantomData,
            datum: None,
            normalised: false,
            restricted: true,
        }
    }

    /// At a datum, with its support and without the normaliser. Parts that involve only the datum need no derivatives.
    #[inline(always)]
    pub(super) fn of_datum(x: f64) -> Self {
        Self {
            family: PhantomData,
            datum: Some([x, F::log_base(Real::<Value>::constant(x)).primal()]),
            normalised: false,
            restricted: true,
        }
    }
}

/// Which arguments of an [`ElementDensity`] at a datum may depend on random values.
#[inline(always)]
pub(super) fn random_parameters<M: Mode, P: Parameters<M, K>, const K: usize>()
-> [bool; MAX_ARGUMENTS] {
    const { assert!(K < MAX_ARGUMENTS, "a family has at most three parameters") };
    let data = P::DATA;
    let mut random = [false; MAX_ARGUMENTS];
    for k in 0..K {
        random[k] = !data[k];
    }
    random
}

impl<F: Family<K>, const K: usize> ScalarFunction for ElementDensity<F, K> {
    #[inline(always)]
    fn evaluate<M: Mode>(&self, arguments: [Real<M>; MAX_ARGUMENTS]) -> Real<M> {
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
