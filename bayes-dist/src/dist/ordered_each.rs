//! Elements in increasing order, each with a prior of its own: `.ordered()` of a distribution with a parameter for each element.

use super::{
    Continuous, Data, DataError, Distribution, Family, Iid, ParameterError, Parameters, Shape,
    Univariate, VectorForm,
};
use crate::order;
use crate::rng::Stream;
use crate::transform::{Support, ordered};
use bayes_autodiff::fault::refuse;
use bayes_autodiff::{Mode, Real, Vector};

/// The most tries for one exact draw: some milliseconds.
const TRIES: usize = 100_000;

/// Independent elements with the priors of the family `F` and the parameters `P`, in increasing order.
///
/// ```text
/// ln p(x) = Σ_k ln f_k(x_k),    x_1 ≤ x_2 ≤ ... ≤ x_n
/// ```
///
/// The probability of this order has no closed form where the priors differ, so the density is not normalised. It counts as improper: only
/// chains can use it, and there is no evidence. Copies of one prior in order, `.iid(n).ordered()`, are normalised.
#[derive(Clone, Copy, Debug)]
pub struct OrderedEach<F, P, const K: usize> {
    each: Univariate<F, P, K>,
}

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// The elements in increasing order, each with its own prior: `Normal::new(&[3.0, 10.0], 1.0).ordered()`. For families on the whole
    /// line.
    pub fn ordered(self) -> OrderedEach<F, P, K>
    where
        F: Family<K, Domain = Continuous>,
    {
        OrderedEach { each: self }
    }
}

impl<F, P, const K: usize> OrderedEach<F, P, K> {
    /// Independent copies of the ordered vector: the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
    }

    /// Stops the model if the family is not on the whole line: then ordered coordinates need not give ordered values.
    #[inline(always)]
    fn require_line<M: Mode>(&self)
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        if !matches!(F::support(self.each.parameters().at(0)), Support::Real) {
            refuse(
                "ordered",
                "the distribution of an element",
                F::NAME,
                "a family on the whole line, or copies of one distribution, `.iid(n).ordered()`",
            );
        }
    }
}

impl<M, F, P, const K: usize> Distribution<M> for OrderedEach<F, P, K>
where
    M: Mode,
    F: Family<K, Domain = Continuous>,
    P: Parameters<M, K, Form = VectorForm>,
{
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        F::NAME
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Distribution::<M>::shape(&self.each)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        Distribution::<M>::dim(&self.each)
    }

    fn check(&self) -> Result<(), ParameterError> {
        Distribution::<M>::check(&self.each)
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut sum = Real::constant(0.0);
        for own in elements.chunks_exact(Distribution::<M>::dim(self).max(1)) {
            let mut log_density = self.each.log_density_of(own);
            for i in 1..own.len() {
                let increasing = own[i - 1].le(own[i]);
                log_density = Real::select(increasing, log_density, f64::NEG_INFINITY);
            }
            sum += log_density;
        }
        sum
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        self.require_line::<M>();
        ordered::constrain(coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        ordered::unconstrain(elements)
    }

    fn is_proper(&self) -> bool {
        false
    }

    fn unnormalised(&self) -> Option<&'static str> {
        Some("give all elements one distribution, `.iid(n).ordered()`")
    }

    /// A starting point: sorted draws of the elements, which are draws of this distribution only if the elements have one prior.
    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        let mut elements = Distribution::<M>::draw(&self.each, stream);
        order::sort(&mut elements);
        elements
    }

    /// By rejection: the first draw of the elements that is in order, among `TRIES`.
    fn draw_exactly(&self, stream: &mut Stream) -> Option<Vec<f64>> {
        let mut tries = (0..TRIES).map(|_| Distribution::<M>::draw(&self.each, stream));
        tries.find(|elements| elements.is_sorted())
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        Distribution::<M>::check_data(&self.each, data)
    }
}
