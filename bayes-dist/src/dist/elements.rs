//! Sums over the elements of a scalar family: the normaliser once, the rest by element.

use super::cumulative::extremes;
use super::element_density::ElementDensity;
use super::parameter::{common_shape, constants, numbers};
use super::{Data, Family, Form, Parameters, Shape, Univariate};
use bayes_autodiff::{Mode, PlainValue, Real, Value};

/// The number of elements after which the parameters repeat.
#[derive(Clone, Copy, Debug)]
pub(super) struct Period(usize);

impl Period {
    /// The element of the parameters for element `i`.
    #[inline(always)]
    pub(super) fn element(self, i: usize) -> usize {
        if i < self.0 { i } else { i % self.0.max(1) }
    }
}

/// Whether all relevant parameters are data.
const fn are_data<const K: usize>(is_data: &[bool; K], matters: &[bool; K]) -> bool {
    let (mut k, mut all) = (0, true);
    while k < K {
        all &= is_data[k] || !matters[k];
        k += 1;
    }
    all
}

/// Whether all elements have the same normaliser, and there is an element.
fn share_normaliser(shapes: &[Shape], normalised_by: &[bool]) -> bool {
    let mut pairs = shapes.iter().zip(normalised_by);
    let common = pairs.all(|(shape, matters)| *shape == Shape::Scalar || !matters);
    common && common_shape(shapes).elements() > 0
}

/// Some elements of parameters; scalar parameters stay scalars.
#[derive(Clone, Copy, Debug)]
pub struct AtPlaces<'a, P> {
    parameters: &'a P,
    places: &'a [usize],
    period: usize,
}

impl<'a, P> AtPlaces<'a, P> {
    /// The elements at `places` of parameters that repeat after `period` elements.
    #[inline(always)]
    pub(super) fn new(parameters: &'a P, places: &'a [usize], period: usize) -> Self {
        Self {
            parameters,
            places,
            period,
        }
    }
}

impl<M: Mode, P: Parameters<M, K>, const K: usize> Parameters<M, K> for AtPlaces<'_, P> {
    type Form = P::Form;
    const DATA: [bool; K] = P::DATA;
    #[inline(always)]
    fn shapes(&self) -> [Shape; K] {
        let mut shapes = self.parameters.shapes();
        for shape in &mut shapes {
            if *shape != Shape::Scalar {
                *shape = Shape::Vector(self.places.len());
            }
        }
        shapes
    }
    #[inline(always)]
    fn at(&self, i: usize) -> [Real<M>; K] {
        // scalar parameters are requested for any element, even without places
        let place = self.places.get(i).copied().unwrap_or(0);
        self.parameters.at(place % self.period.max(1))
    }
}

/// The common part of the elements of a vectorised density.
struct Common {
    /// The number of elements after which the parameters repeat.
    period: Period,
    /// Whether their normalisers have been added.
    normalised: bool,
}

impl<F, P, const K: usize> Univariate<F, P, K> {
    /// Adds the log density of random elements to `total`.
    #[inline(always)]
    pub(super) fn add_elements<M: Mode>(&self, elements: &[Real<M>], total: &mut Real<M>)
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let Some(common) = self.add_common(elements.len(), total) else {
            return;
        };
        if common.normalised
            && F::add_random(
                elements,
                #[inline(always)]
                |i| self.parameters.at(common.period.element(i)),
                total,
            )
        {
            return;
        }
        let kernel = ElementDensity::<F, K>::new(!common.normalised, true);
        let parameters_at = self.parameters_at(common.period);
        for (i, x) in elements.iter().enumerate() {
            *total += kernel.at(parameters_at(i), *x);
        }
    }

    /// Adds the log density of data to `total`.
    ///
    /// Data were checked before the first evaluation, if the support does not depend on random values. A scalar is checked
    /// here too, because it may be a number that the model computes in every evaluation.
    #[inline(always)]
    pub(super) fn add_data<M: Mode, D: Data<F::Domain> + ?Sized>(
        &self,
        data: &D,
        total: &mut Real<M>,
    ) where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let shape = data.shape();
        let moved = const { !are_data(&P::DATA, &F::BOUNDED_BY) };
        let outside = shape == Shape::Scalar
            && !moved
            && !F::covers::<M>(self.parameters.at(0)).contains(data.at(0));
        let (restricted, len, period) = (moved || outside, shape.elements(), self.period());
        let Some(common) = self.add_common(len, total) else {
            return;
        };
        if common.normalised && !restricted && self.add_many(data, period, total) {
            return;
        }
        let parameters_at = self.parameters_at(period);
        let kernel = ElementDensity::<F, K>::new(!common.normalised, restricted);
        for i in 0..len {
            *total += kernel.at_datum(parameters_at(i), data.at(i));
        }
    }

    /// [`Family::add_data`].
    #[inline(always)]
    fn add_many<M: Mode, D: Data<F::Domain> + ?Sized>(
        &self,
        data: &D,
        period: Period,
        total: &mut Real<M>,
    ) -> bool
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        F::add_data(
            data.shape().elements(),
            #[inline(always)]
            |i| data.at(i),
            #[inline(always)]
            |i| self.parameters.at(period.element(i)),
            total,
        )
    }

    /// When the parameters repeat.
    #[inline(always)]
    pub(super) fn period<M: Mode>(&self) -> Period
    where
        P: Parameters<M, K>,
    {
        Period(common_shape(&self.parameters.shapes()).elements())
    }

    /// Adds the common part of `len` elements. A normaliser of scalar parameters is computed once and added `len` times;
    /// normalisers of data are summed as numbers. Adds nothing without elements.
    #[inline(always)]
    fn add_common<M: Mode>(&self, len: usize, total: &mut Real<M>) -> Option<Common>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let period = self.period();
        if len == 0 || period.0 == 0 {
            return None;
        }
        // the normaliser of a single element is differentiated with the rest of its density
        let apart = len > 1 || const { Self::normaliser_is_data::<M>() };
        let normaliser = if apart {
            self.common_normaliser()
        } else {
            None
        };
        let mut normalised = true;
        if let Some(normaliser) = normaliser {
            *total += normaliser * len as f64;
        } else if const { Self::normaliser_is_data::<M>() } {
            let all = (0..len).map(|i| self.normaliser_of_data::<M>(period.element(i)));
            *total += Real::constant(all.sum());
        } else {
            normalised = false;
        }
        Some(Common { period, normalised })
    }

    /// The parameters of each element. Parameters that are the same for all elements are fetched once, before the loop; the
    /// compiler then computes everything that depends only on them once.
    #[inline(always)]
    fn parameters_at<M: Mode>(&self, period: Period) -> impl Fn(usize) -> [Real<M>; K]
    where
        P: Parameters<M, K>,
    {
        let single = if const { <P::Form as Form>::SINGLE } {
            Some(self.parameters.at(0))
        } else {
            None
        };
        #[inline(always)]
        move |i| match single {
            Some(single) => single,
            None => self.parameters.at(period.element(i)),
        }
    }

    /// The normaliser, if all elements share it.
    #[inline(always)]
    pub(super) fn common_normaliser<M: Mode>(&self) -> Option<Real<M>>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let shapes = self.parameters.shapes();
        if share_normaliser(&shapes, &F::NORMALISED_BY) {
            Some(self.normaliser(0))
        } else {
            None
        }
    }

    /// The normaliser of element `i`. For data parameters it is one number for all particles.
    #[inline(always)]
    fn normaliser<M: Mode>(&self, i: usize) -> Real<M>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        if const { Self::normaliser_is_data::<M>() } {
            Real::constant(self.normaliser_of_data::<M>(i))
        } else {
            F::log_normaliser(self.parameters.at(i))
        }
    }

    /// The normaliser of element `i`, which does not depend on random values.
    #[inline(always)]
    fn normaliser_of_data<M: Mode>(&self, i: usize) -> f64
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        // the other parameters do not matter, and must not be read
        F::log_normaliser(constants::<Value, K>(self.known(i))).primal()
    }

    /// Whether the normaliser is independent of random values. Evaluated in a constant, so that unused branches are not
    /// compiled.
    const fn normaliser_is_data<M: Mode>() -> bool
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        are_data(&P::DATA, &F::NORMALISED_BY)
    }

    /// Whether the support depends on random values.
    pub(super) fn has_random_support<M: Mode>(&self) -> bool
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        !are_data(&P::DATA, &F::BOUNDED_BY)
    }

    /// The ends of the support of element `i` at the present parameters.
    pub(super) fn support_at<M: Mode>(&self, i: usize) -> [f64; 2]
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        extremes(F::covers(constants(numbers(self.parameters.at(i)))))
    }

    /// The ends of the support of element `i` if they depend only on data; no random value is read.
    pub(super) fn known_support_at<M: Mode>(&self, i: usize) -> Option<[f64; 2]>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let is_known = !self.has_random_support::<M>();
        is_known.then(|| extremes(F::covers(constants(self.known::<M>(i)))))
    }

    /// `common`, or the normaliser of element `i` if the elements do not share it.
    #[inline(always)]
    pub(super) fn normaliser_or<M: Mode>(&self, i: usize, common: Option<Real<M>>) -> Real<M>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        match common {
            Some(common) => common,
            None => self.normaliser(i),
        }
    }

    /// The log density of a datum `y` under the parameters of element `i`.
    #[inline(always)]
    pub(super) fn log_density_of_datum<M: Mode>(&self, i: usize, y: f64) -> Real<M>
    where
        F: Family<K>,
        P: Parameters<M, K>,
    {
        let (x, parameters) = (Real::constant(y), self.parameters.at(i));
        let log_density = F::log_kernel(x, parameters) + F::log_normaliser(parameters);
        F::covers(parameters).restrict(x, log_density + F::log_base(x))
    }

    /// The distribution of the elements at `places`, given parameters that repeat after `period` elements.
    #[inline(always)]
    pub(super) fn at_places<'a>(
        &'a self,
        places: &'a [usize],
        period: usize,
    ) -> Univariate<F, AtPlaces<'a, P>, K> {
        Univariate::from_parameters(AtPlaces::new(&self.parameters, places, period))
    }

    /// The parameters of element `i` as numbers, with NaN in place of random ones, which are not read.
    pub(super) fn known<M: Mode>(&self, i: usize) -> [f64; K]
    where
        P: Parameters<M, K>,
    {
        known(&P::DATA, self.parameters.at(i))
    }
}

/// Parameters as numbers, with NaN in place of those that are not data.
fn known<M: Mode, const K: usize>(is_data: &[bool; K], parameters: [Real<M>; K]) -> [f64; K] {
    let mut known = [f64::NAN; K];
    for (k, number) in known.iter_mut().enumerate() {
        if is_data[k] {
            *number = parameters[k].plain_value();
        }
    }
    known
}
