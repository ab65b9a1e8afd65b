//! The non-centred form of a prior: `.non_centred()`.

use super::family::families::{
    AsymmetricLaplace, Cauchy, Gumbel, Laplace, Logistic, Moyal, Normal, SkewNormal, StudentT,
};
use super::{
    Continuous, Data, DataError, Distribution, Drawn, Family, Gaussian, Iid, ParameterError,
    Parameters, Quantity, Repeat, Shape, Univariate,
};
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue, Real, Vector};
use std::marker::PhantomData;

/// A distribution in its non-centred form: the sampler moves a standard `z`, and the value is `location + scale z`.
///
/// The non-centred form is the same distribution, with the same values and the same evidence. Only the coordinates differ: the centred
/// form uses the values themselves. With little data for each element and a random scale, the values crowd at small scales (a funnel), but
/// `z` does not (Papaspiliopoulos, Roberts & Sköld 2007, *A general framework for the parametrization of hierarchical models*). With much
/// data the centred form is better.
#[derive(Clone, Copy, Debug)]
pub struct NonCentred<D>(D);

impl<D> NonCentred<D> {
    pub(super) fn new(centred: D) -> Self {
        Self(centred)
    }

    /// Independent copies: `.iid(n)` is a vector, or the rows of a matrix.
    pub fn iid<E>(self, extent: E) -> NonCentred<Iid<D, E>> {
        NonCentred(Iid::new(self.0, extent))
    }
}

/// A distribution of `location + scale z`, where the distribution of `z` has neither location nor scale. For several coordinates the scale
/// may be a triangular matrix.
pub trait Standardised<M: Mode>: Distribution<M, Domain = Continuous> {
    /// The distribution of `z`, of the same shape.
    type Standard<'a>: Distribution<M, Value = Self::Value>
    where
        Self: 'a;

    /// The distribution of `z`.
    fn standard(&self) -> Self::Standard<'_>;

    /// The elements of independent values, one after another, at the coordinates of `z`, and the log determinant of all scales. The
    /// determinant is NaN if a scale is below 0.
    fn place(&self, z: &[Real<M>]) -> (Vector<M>, Real<M>);

    /// The inverse of [`Standardised::place`].
    fn standardise(&self, elements: &[f64]) -> Vec<f64>;
}

/// A scalar family of `location + scale z` on the whole line, with the indices of both among its parameters.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no location and no scale, and so no non-centred form",
    label = "`.non_centred()` of a distribution without them",
    note = "it is for `Normal`, `StudentT`, `Cauchy`, `Laplace`, `Logistic`, `Gumbel`, `SkewNormal`, `AsymmetricLaplace`, `Moyal`, `MultivariateNormal`, `ZeroSumNormal`, `Icar`, `IntrinsicRandomWalk` \
            and their copies by `.iid(n)`; for others multiply by hand, as in `(mu + tau * &z).exp()`"
)]
pub trait LocationScale<const K: usize>: Family<K> {
    /// The index of the location.
    const LOCATION: usize;
    /// The index of the scale.
    const SCALE: usize;
}

macro_rules! location_scale {
    ($($family:ident<$k:literal> $location:literal $scale:literal),* $(,)?) => {$(
        impl LocationScale<$k> for $family {
            const LOCATION: usize = $location;
            const SCALE: usize = $scale;
        }
    )*};
}

location_scale! {
    Normal<2> 0 1,
    StudentT<3> 1 2,
    Cauchy<2> 0 1,
    Laplace<2> 0 1,
    Logistic<2> 0 1,
    Gumbel<2> 0 1,
    SkewNormal<3> 0 1,
    AsymmetricLaplace<3> 0 1,
    Moyal<2> 0 1,
}

/// Parameters with 0 for the location and 1 for the scale.
#[derive(Clone, Copy, Debug)]
pub struct StandardParameters<'a, F, P> {
    parameters: &'a P,
    family: PhantomData<F>,
}

impl<M, F, P, const K: usize> Parameters<M, K> for StandardParameters<'_, F, P>
where
    M: Mode,
    F: LocationScale<K>,
    P: Parameters<M, K>,
{
    type Form = P::Form;
    const DATA: [bool; K] = {
        let mut data = P::DATA;
        data[F::LOCATION] = true;
        data[F::SCALE] = true;
        data
    };

    #[inline(always)]
    fn shapes(&self) -> [Shape; K] {
        self.parameters.shapes()
    }

    #[inline(always)]
    fn at(&self, i: usize) -> [Real<M>; K] {
        let mut parameters = self.parameters.at(i);
        parameters[F::LOCATION] = Real::constant(0.0);
        parameters[F::SCALE] = Real::constant(1.0);
        parameters
    }
}

impl<M, F, P, const K: usize> Standardised<M> for Univariate<F, P, K>
where
    M: Mode,
    F: LocationScale<K, Domain = Continuous>,
    P: Parameters<M, K>,
{
    type Standard<'a>
        = Univariate<F, StandardParameters<'a, F, P>, K>
    where
        Self: 'a;

    #[inline(always)]
    fn standard(&self) -> Self::Standard<'_> {
        Univariate::from_parameters(StandardParameters {
            parameters: self.parameters(),
            family: PhantomData,
        })
    }

    #[inline(always)]
    fn place(&self, z: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let period = self.period();
        let elements = Vector::from_fn(
            z.len(),
            #[inline(always)]
            |i| {
                let parameters = self.parameters().at(period.element(i));
                parameters[F::LOCATION] + parameters[F::SCALE] * z[i]
            },
        );
        let log_scale_at = |i: usize| self.parameters().at(period.element(i))[F::SCALE].ln();
        if self.parameters().shapes()[F::SCALE] == Shape::Scalar && !z.is_empty() {
            // the scale is the same for all elements, so its logarithm is computed once
            return (elements, log_scale_at(0) * z.len() as f64);
        }
        let mut log_scale = Real::constant(0.0);
        for i in 0..z.len() {
            log_scale += log_scale_at(i);
        }
        (elements, log_scale)
    }

    fn standardise(&self, elements: &[f64]) -> Vec<f64> {
        let period = self.period();
        let standard = |(i, x): (usize, &f64)| {
            let parameters = self.parameters().at(period.element(i));
            let [location, scale] =
                [F::LOCATION, F::SCALE].map(|place| parameters[place].plain_value());
            (x - location) / scale
        };
        elements.iter().enumerate().map(standard).collect()
    }
}

impl<M, D, E> Standardised<M> for Iid<D, E>
where
    M: Mode,
    D: Standardised<M>,
    D::Value: Repeat<M, E>,
    E: Copy,
{
    type Standard<'a>
        = Iid<D::Standard<'a>, E>
    where
        Self: 'a;

    #[inline(always)]
    fn standard(&self) -> Self::Standard<'_> {
        Iid::new(self.base().standard(), self.extent())
    }

    #[inline(always)]
    fn place(&self, z: &[Real<M>]) -> (Vector<M>, Real<M>) {
        self.base().place(z)
    }

    fn standardise(&self, elements: &[f64]) -> Vec<f64> {
        self.base().standardise(elements)
    }
}

impl<M: Mode, D: Standardised<M>> Distribution<M> for NonCentred<D> {
    type Value = D::Value;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        self.0.name()
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        self.0.shape()
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn is_proper(&self) -> bool {
        self.0.is_proper()
    }

    fn unnormalised(&self) -> Option<&'static str> {
        self.0.unnormalised()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.0.check()
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        self.0.log_density_of(elements)
    }

    #[inline(always)]
    fn add_density(&self, elements: &[Real<M>], total: &mut Real<M>) {
        self.0.add_density(elements, total);
    }

    #[inline(always)]
    fn add_sample(
        &self,
        coordinates: &[Real<M>],
        jacobian: bool,
        total: &mut Real<M>,
    ) -> Self::Value {
        let (value, log_scale) = self.constrain(coordinates);
        // the density of `z` avoids the rounding of `location + scale z` and scales that cancel
        self.0.standard().add_sample(coordinates, true, total);
        if !jacobian {
            *total -= log_scale;
        }
        // a negative scale has no density, and its logarithm is NaN
        *total = Real::select(log_scale.le(f64::INFINITY), *total, f64::NAN);
        value
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let (elements, log_scale) = self.0.place(coordinates);
        (
            Self::Value::from_elements(self.shape(), elements),
            log_scale,
        )
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        self.0.standardise(elements)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        self.draw_with_coordinates(stream).elements
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let drawn = self.0.standard().draw_with_coordinates(stream);
        let z: Vec<Real<M>> = drawn
            .coordinates
            .iter()
            .map(|z| Real::constant(*z))
            .collect();
        let (elements, _) = self.0.place(&z);
        Drawn {
            elements: elements.iter().map(|x| x.plain_value()).collect(),
            ..drawn
        }
    }

    fn gaussian(&self) -> Option<Gaussian> {
        self.0.standard().gaussian()
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        self.0.check_data(data)
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        self.0.for_each_term(data, visit);
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Continuous> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        self.0.add_likelihood(data, total);
    }
}
