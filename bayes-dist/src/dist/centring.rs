//! Forms of a prior between the centred and the non-centred one: `.centred(share)`.

use super::{
    Continuous, Data, DataError, Distribution, Gaussian, Iid, LocationScale, NonCentred,
    ParameterError, Parameters, Shape, Standardised, Univariate,
};
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue, Real, Vector};
use std::marker::PhantomData;

/// A distribution `D` whose coordinates have a share of its location and of its scale.
///
/// ```text
/// z ~ D(share location, scale^share),    x = location + scale^(1 - share) (z - share location)
/// ```
///
/// A share of 1 is the centred form, 0 the non-centred one (Papaspiliopoulos, Roberts & Sköld 2007). Values and evidence are the same for every share.
#[derive(Clone, Copy, Debug)]
pub struct Centring<D> {
    base: D,
    share: f64,
}

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// The same distribution with coordinates between the centred form (`share` 1) and the non-centred one (0, as
    /// [`non_centred`](Self::non_centred)): the fewer data for each element, the smaller the share that samples best. For families with a
    /// location and a scale.
    #[inline(always)]
    pub fn centred(self, share: f64) -> NonCentred<Centring<Self>>
    where
        F: LocationScale<K>,
    {
        NonCentred::new(Centring { base: self, share })
    }
}

impl<F, P, E, const K: usize> Iid<Univariate<F, P, K>, E> {
    /// The same distribution with coordinates between the centred form (`share` 1) and the non-centred one (0).
    #[inline(always)]
    pub fn centred(self, share: f64) -> NonCentred<Iid<Centring<Univariate<F, P, K>>, E>>
    where
        F: LocationScale<K>,
    {
        let (base, extent) = self.into_parts();
        NonCentred::new(Iid::new(Centring { base, share }, extent))
    }
}

/// Parameters with a share of the location, and the scale to the power of the share.
#[derive(Clone, Copy, Debug)]
pub struct CentredParameters<'a, F, P> {
    parameters: &'a P,
    share: f64,
    family: PhantomData<F>,
}

impl<M, F, P, const K: usize> Parameters<M, K> for CentredParameters<'_, F, P>
where
    M: Mode,
    F: LocationScale<K>,
    P: Parameters<M, K>,
{
    type Form = P::Form;
    const DATA: [bool; K] = P::DATA;

    #[inline(always)]
    fn shapes(&self) -> [Shape; K] {
        self.parameters.shapes()
    }

    #[inline(always)]
    fn at(&self, i: usize) -> [Real<M>; K] {
        let mut parameters = self.parameters.at(i);
        parameters[F::LOCATION] *= self.share;
        parameters[F::SCALE] = (parameters[F::SCALE].ln() * self.share).exp();
        parameters
    }
}

impl<M, F, P, const K: usize> Standardised<M> for Centring<Univariate<F, P, K>>
where
    M: Mode,
    F: LocationScale<K, Domain = Continuous>,
    P: Parameters<M, K>,
{
    type Standard<'a>
        = Univariate<F, CentredParameters<'a, F, P>, K>
    where
        Self: 'a;

    #[inline(always)]
    fn standard(&self) -> Self::Standard<'_> {
        Univariate::from_parameters(CentredParameters {
            parameters: self.base.parameters(),
            share: self.share,
            family: PhantomData,
        })
    }

    #[inline(always)]
    fn place(&self, z: &[Real<M>]) -> (Vector<M>, Real<M>) {
        let (share, period) = (self.share, self.base.period());
        let mut log_scale = Real::constant(0.0);
        let elements = Vector::from_fn(
            z.len(),
            #[inline(always)]
            |i| {
                let parameters = self.base.parameters().at(period.element(i));
                let location = parameters[F::LOCATION];
                let rest = parameters[F::SCALE].ln() * (1.0 - share);
                log_scale += rest;
                location + rest.exp() * (z[i] - location * share)
            },
        );
        (elements, log_scale)
    }

    fn standardise(&self, elements: &[f64]) -> Vec<f64> {
        let period = self.base.period();
        let coordinate = |(i, x): (usize, &f64)| {
            let parameters = self.base.parameters().at(period.element(i));
            let [location, scale] =
                [F::LOCATION, F::SCALE].map(|place| parameters[place].plain_value());
            self.share * location + (x - location) / scale.powf(1.0 - self.share)
        };
        elements.iter().enumerate().map(coordinate).collect()
    }
}

impl<M: Mode, D: Distribution<M, Domain = Continuous>> Distribution<M> for Centring<D> {
    type Value = D::Value;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        self.base.name()
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        self.base.shape()
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.base.dim()
    }

    fn check(&self) -> Result<(), ParameterError> {
        if !(0.0..=1.0).contains(&self.share) {
            return Err(ParameterError::Value {
                distribution: self.base.name(),
                parameter: "centred",
                index: None,
                value: self.share,
                allowed: "from 0 to 1",
            });
        }
        self.base.check()
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        self.base.log_density_of(elements)
    }

    #[inline(always)]
    fn add_density(&self, elements: &[Real<M>], total: &mut Real<M>) {
        self.base.add_density(elements, total);
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        self.base.constrain(coordinates)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        self.base.unconstrain(elements)
    }

    fn is_proper(&self) -> bool {
        self.base.is_proper()
    }

    fn unnormalised(&self) -> Option<&'static str> {
        self.base.unnormalised()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        self.base.draw(stream)
    }

    fn gaussian(&self) -> Option<Gaussian> {
        self.base.gaussian()
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        self.base.check_data(data)
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        self.base.for_each_term(data, visit);
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Continuous> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        self.base.add_likelihood(data, total);
    }
}
