//! A scalar family with its parameters: a distribution of scalars, vectors or matrices.

use super::drawn::constrained;
use super::element_density::ElementDensity;
use super::form::{Form, ScalarForm};
use super::parameter::{common_shape, constants, numbers};
use super::{
    Data, DataError, Distribution, Drawn, Family, Gaussian, Iid, LocationScale, NonCentred,
    ParameterError, Parameters, Quantity, Shape, untyped,
};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, Value};
use std::marker::PhantomData;

/// The family `F` with parameters `P`, a tuple of `K` parameters.
///
/// With scalar parameters it is a distribution of scalars. With vector or matrix parameters it is the product of independent
/// distributions, one per element; scalar parameters are shared.
#[derive(Clone, Copy, Debug)]
pub struct Univariate<F, P, const K: usize> {
    pub(super) parameters: P,
    family: PhantomData<F>,
}

impl<F, P, const K: usize> Univariate<F, P, K>
where
    F: Family<K>,
    P: Parameters<Value, K, Form = ScalarForm>,
{
    /// One draw, to simulate data; [`stream`](crate::rng::stream) makes the `stream`. Counts are whole numbers in an `f64`, because
    /// parameters of any distribution may be computed from them: write `as u64` for data.
    ///
    /// ```
    /// use bayes_dist::dist::{Normal, Poisson};
    /// use bayes_base::rng::stream;
    ///
    /// let mut stream = stream(1);
    /// let y: Vec<f64> = (0..100).map(|i| Normal::new(2.0 * i as f64, 0.5).draw_one(&mut stream)).collect();
    /// let k: Vec<u64> = y.iter().map(|y| Poisson::new(y.abs()).draw_one(&mut stream) as u64).collect();
    /// assert_eq!(k.len(), 100);
    /// ```
    pub fn draw_one(&self, stream: &mut Stream) -> f64 {
        Distribution::<Value>::draw(self, stream)[0]
    }
}

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// The distribution with these parameters.
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

    /// The parameters of element `i` as numbers.
    fn numbers<M: Mode>(&self, i: usize) -> [f64; K]
    where
        P: Parameters<M, K>,
    {
        numbers(self.parameters.at(i))
    }

    /// The support of element `i` at the present parameters.
    fn plain_support<M: Mode>(&self, i: usize) -> Support<Value>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        F::support(constants(self.numbers::<M>(i)))
    }

    /// The same distribution with a standard `z` as its coordinates; the values are `location + scale z`. For families with a location and
    /// a scale.
    #[inline(always)]
    pub fn non_centred(self) -> NonCentred<Self>
    where
        F: LocationScale<K>,
    {
        NonCentred::new(self)
    }

    /// Independent copies: `.iid(n)` is a vector, `.iid((rows, columns))` a matrix. If a parameter is a vector, the distribution is of a vector
    /// already, with an element for each of its elements, and the copies are the rows of a matrix.
    #[inline(always)]
    pub fn iid<E>(self, extent: E) -> Iid<Self, E> {
        Iid::new(self, extent)
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
        common_shape(&self.parameters.shapes())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        Distribution::<M>::shape(self).elements()
    }

    fn check(&self) -> Result<(), ParameterError> {
        untyped::check_parameters(
            F::NAME,
            &F::PARAMETERS,
            &self.parameters.shapes(),
            &|i, to| to.copy_from_slice(&self.numbers::<M>(i)),
            &|i| F::check(self.numbers::<M>(i)),
        )
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let kernel = ElementDensity::<F, K>::new(false, true);
        let (common, period) = (self.common_normaliser(), self.period());
        let mut sum = Real::constant(0.0);
        for (i, x) in elements.iter().enumerate() {
            let i = period.element(i);
            sum += kernel.at(self.parameters.at(i), *x) + self.normaliser_or(i, common);
        }
        sum
    }

    #[inline(always)]
    fn add_density(&self, elements: &[Real<M>], total: &mut Real<M>) {
        self.add_elements(elements, total);
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Self::Domain> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        self.add_data(data, total);
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
        untyped::unconstrain(elements, &|i| self.plain_support::<M>(i))
    }

    fn is_proper(&self) -> bool {
        F::PROPER
    }

    fn is_angle(&self) -> bool {
        F::ANGLE
    }

    fn random_support(&self, element: usize) -> Option<[f64; 2]> {
        self.has_random_support::<M>()
            .then(|| self.support_at::<M>(element))
    }

    fn categories(&self) -> Option<usize> {
        F::CATEGORIES
    }

    fn whole_numbers(&self) -> Option<[f64; 2]> {
        let is_one = <F::Domain as super::Domain>::DISCRETE
            && Distribution::<M>::shape(self) == Shape::Scalar;
        let ends = is_one.then(|| self.known_support_at::<M>(0))??;
        (ends[0].is_finite() && ends[1].is_finite()).then_some(ends)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        // the elements of `draw_with_coordinates`, without the memory of their coordinates
        untyped::number_each(Distribution::<M>::dim(self), &mut |i| {
            let (parameters, support) = (self.numbers::<M>(i), self.plain_support::<M>(i));
            let x = match F::draw_coordinate(parameters, stream) {
                Some(u) => constrained(support, u),
                None => F::draw(parameters, stream),
            };
            support.interior(x)
        })
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        untyped::draw_each(Distribution::<M>::dim(self), &mut |i| {
            let (parameters, support) = (self.numbers::<M>(i), self.plain_support::<M>(i));
            match F::draw_coordinate(parameters, stream) {
                Some(u) => Drawn::of_coordinate(support, u),
                None => Drawn::of_value(support, F::draw(parameters, stream)),
            }
        })
    }

    fn gaussian(&self) -> Option<Gaussian> {
        untyped::gaussian(Distribution::<M>::dim(self), &|i| {
            F::gaussian(self.numbers::<M>(i))
        })
    }

    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let shapes = [Distribution::<M>::shape(self), data.shape()];
        // A bound that depends on a random parameter is NaN here; the density then decides whether a datum is inside.
        untyped::check_data(F::NAME, shapes, &|i| data.at(i), &|i| {
            F::covers(constants(self.known::<M>(i)))
        })
    }

    #[inline(always)]
    fn for_each_term<T: Data<Self::Domain> + ?Sized>(
        &self,
        data: &T,
        mut visit: impl FnMut(Real<M>),
    ) {
        let kernel = ElementDensity::<F, K>::new(false, true);
        let (common, period) = (self.common_normaliser(), self.period());
        for k in 0..data.shape().elements() {
            let i = period.element(k);
            let term = kernel.at_datum(self.parameters.at(i), data.at(k));
            visit(term + self.normaliser_or(i, common));
        }
    }
}
