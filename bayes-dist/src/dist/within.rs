//! A scalar prior between bounds whose density is not divided by the mass there: `.within(low, high)`.

use super::{
    Broadcast, Continuous, Cumulative, Data, DataError, Distribution, Drawn, Iid, ParameterError,
    Parameters, Shape, Truncated, Univariate,
};
use crate::rng::Stream;
use bayes_autodiff::{Mode, Real};

/// The density of the family `F` with parameters `P` between the bounds `B`, not normalised: what Stan means by a bound in a declaration.
///
/// ```text
/// ln p(x) = ln f(x),    low ≤ x ≤ high
/// ```
///
/// Where parameters or bounds are random it is another prior than [`Truncated`]: it multiplies the prior of the parameters by the mass
/// between the bounds. It counts as improper, because draws of the parameters from their own priors do not belong to it: only chains can use
/// it, and there is no evidence.
#[derive(Clone, Copy, Debug)]
pub struct Within<F, P, B, const K: usize> {
    truncated: Truncated<F, P, B, K>,
}

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// A prior between `low` and `high` that is not normalised, as a bound in Stan: for programs that are carried over. A model of one's own
    /// is clearer with [`truncated`](Self::truncated), which is a distribution. The bounds are data or random, one for all elements or one
    /// for each; an infinite bound in the data means no bound.
    ///
    /// ```
    /// use bayes_dist::dist::{Distribution, Normal};
    /// use bayes_autodiff::{Real, Value};
    ///
    /// let positive = Normal::new(0.0, 1.0).within(0.0, f64::INFINITY);
    /// let log_density = positive.log_density_at(&Real::<Value>::constant(1.0)).primal();
    /// assert!((log_density - -1.418_938_533_204_672_7).abs() < 1e-14);
    /// ```
    #[inline(always)]
    pub fn within<L, H>(self, low: L, high: H) -> Within<F, P, (L, H), K>
    where
        F: Cumulative<K, Domain = Continuous>,
    {
        Within {
            truncated: self.truncated(low, high),
        }
    }
}

impl<F, P, B, const K: usize> Within<F, P, B, K> {
    /// Independent copies: `.iid(n)` is a vector, `.iid((rows, columns))` a matrix.
    #[inline(always)]
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }
}

impl<M, F, P, B, const K: usize> Distribution<M> for Within<F, P, B, K>
where
    M: Mode,
    F: Cumulative<K, Domain = Continuous>,
    P: Parameters<M, K>,
    B: Parameters<M, 2>,
    P::Form: Broadcast<B::Form>,
{
    type Value = <Truncated<F, P, B, K> as Distribution<M>>::Value;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        F::NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Distribution::<M>::shape(&self.truncated)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        Distribution::<M>::dim(&self.truncated)
    }

    fn check(&self) -> Result<(), ParameterError> {
        Distribution::<M>::check(&self.truncated)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = self.truncated.inner.base.log_density_of(elements);
        self.truncated.restrict(elements, &mut sum);
        sum
    }

    #[inline(always)]
    fn add_density(&self, elements: &[Real<M>], total: &mut Real<M>) {
        self.truncated.inner.base.add_density(elements, total);
        self.truncated.restrict(elements, total);
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        self.truncated.constrain(coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        Distribution::<M>::unconstrain(&self.truncated, elements)
    }

    fn is_proper(&self) -> bool {
        false
    }

    fn unnormalised(&self) -> Option<&'static str> {
        Some("write `.truncated(low, high)` instead of `.within(low, high)`")
    }

    fn random_support(&self, element: usize) -> Option<[f64; 2]> {
        Distribution::<M>::random_support(&self.truncated, element)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        Distribution::<M>::draw(&self.truncated, stream)
    }

    fn draw_exactly(&self, stream: &mut Stream) -> Option<Vec<f64>> {
        // without a normaliser it is another prior of its parameters, but the same distribution given them
        Some(Distribution::<M>::draw(&self.truncated, stream))
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        Distribution::<M>::draw_with_coordinates(&self.truncated, stream)
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        Distribution::<M>::check_data(&self.truncated, data)
    }
}
