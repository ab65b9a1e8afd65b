//! The log density of one element of a scalar family.

use super::Family;
use bayes_autodiff::{Mode, Real, Value};
use std::marker::PhantomData;

/// The parts of the log density of an element, besides the part that involves its value.
pub(super) struct ElementDensity<F, const K: usize> {
    family: PhantomData<F>,
    /// Whether to include the normaliser, because it changes from element to element.
    normalised: bool,
    /// Whether to include the support, because it may depend on random values.
    restricted: bool,
}

impl<F: Family<K>, const K: usize> ElementDensity<F, K> {
    /// A density with the normaliser if `normalised`, and with the support if `restricted`.
    #[inline(always)]
    pub(super) fn new(normalised: bool, restricted: bool) -> Self {
        Self {
            family: PhantomData,
            normalised,
            restricted,
        }
    }

    /// The log density at a random value.
    #[inline(always)]
    pub(super) fn at<M: Mode>(&self, parameters: [Real<M>; K], x: Real<M>) -> Real<M> {
        self.with_base(parameters, x, F::log_base(x))
    }

    /// The log density at a datum. Parts that involve only the datum are computed on plain
    /// numbers.
    #[inline(always)]
    pub(super) fn at_datum<M: Mode>(&self, parameters: [Real<M>; K], y: f64) -> Real<M> {
        let log_base = F::log_base(Real::<Value>::constant(y)).primal();
        self.with_base(parameters, Real::constant(y), Real::constant(log_base))
    }

    #[inline(always)]
    fn with_base<M: Mode>(
        &self,
        parameters: [Real<M>; K],
        x: Real<M>,
        log_base: Real<M>,
    ) -> Real<M> {
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
