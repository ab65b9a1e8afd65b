//! The distribution of some elements of independent ones: of known values, and of missing ones.

use super::bounds::{self, Bounded};
use super::elements::AtPlaces;
use super::parameter::{check_shapes, common_shape};
use super::truncated;
use super::{
    Broadcast, Continuous, Cumulative, Data, DataError, Distribution, Drawn, Family, Gaussian, Iid,
    ParameterError, Parameters, Quantity, Shape, Truncated, Univariate, VectorForm,
};
use crate::rng::Stream;
use bayes_autodiff::{Buffer, Mode, Real, Vector};

/// A distribution of continuous numbers that are independent of each other: of one number, with the same parameters for every value, or
/// of a vector, with parameters for each.
#[diagnostic::on_unimplemented(
    message = "missing values cannot be imputed under `{Self}`",
    label = "expected a distribution of single real numbers, such as `Normal::new(mu, tau)`",
    note = "its parameters are numbers, or vectors with an element for each value: `Normal::new(alpha + beta * &other, tau)`; bounds by `.truncated(low, high)` \
            are allowed, `.censored(..)`, `.non_centred()` and mixtures are not",
    note = "values that depend on each other are imputed column by column, each given those before it; a series with gaps is a `StateSpace` with \
            `.skip_missing()`, or a latent series that `sample` draws as a whole",
    note = "missing counts, flags and categories are whole numbers: sum them out, `let k = sum_out(..);`, or observe the known ones alone and draw the others \
            after the run with `generate`"
)]
pub trait Separate<M: Mode>: Distribution<M, Domain = Continuous> {
    /// The distribution of some elements: of a number if the parameters are numbers, else of a vector.
    type Part<'a>: Distribution<M, Domain = Continuous>
    where
        Self: 'a;

    /// The number of elements; `None` for a distribution of one number, of which there may be any number of copies.
    ///
    /// # Errors
    /// If parameters have different lengths.
    fn length(&self) -> Result<Option<usize>, ParameterError>;

    /// The distribution of the elements at `places`.
    fn part<'a>(&'a self, places: &'a [usize]) -> Self::Part<'a>;
}

/// The common length of parameters.
fn common_length(shapes: &[Shape]) -> Option<usize> {
    match common_shape(shapes) {
        Shape::Scalar => None,
        shape => Some(shape.elements()),
    }
}

impl<M, F, P, const K: usize> Separate<M> for Univariate<F, P, K>
where
    M: Mode,
    F: Family<K, Domain = Continuous>,
    P: Parameters<M, K>,
    P::Form: Broadcast<VectorForm, Output = VectorForm>,
{
    type Part<'a>
        = Univariate<F, AtPlaces<'a, P>, K>
    where
        Self: 'a;

    #[inline(always)]
    fn length(&self) -> Result<Option<usize>, ParameterError> {
        let shapes = self.parameters().shapes();
        check_shapes(F::NAME, &F::PARAMETERS.map(|p| p.name), &shapes)?;
        Ok(common_length(&shapes))
    }

    #[inline(always)]
    fn part<'a>(&'a self, places: &'a [usize]) -> Self::Part<'a> {
        let period = common_shape(&self.parameters().shapes()).elements();
        self.at_places(places, period)
    }
}

impl<M, F, P, B, const K: usize> Separate<M> for Truncated<F, P, B, K>
where
    M: Mode,
    F: Cumulative<K, Domain = Continuous>,
    P: Parameters<M, K>,
    B: Parameters<M, 2>,
    P::Form: Broadcast<B::Form>,
    <P::Form as Broadcast<B::Form>>::Output: Broadcast<VectorForm, Output = VectorForm>,
{
    type Part<'a>
        = Truncated<F, AtPlaces<'a, P>, AtPlaces<'a, B>, K>
    where
        Self: 'a;

    #[inline(always)]
    fn length(&self) -> Result<Option<usize>, ParameterError> {
        let Bounded { base, bounds } = &self.inner;
        let shapes = bounds.shapes();
        check_shapes(truncated::NAME, &bounds::NAMES, &shapes)?;
        let of_base = common_length(&base.parameters().shapes());
        match (of_base, common_length(&shapes)) {
            (Some(elements), Some(length)) if length != elements => Err(ParameterError::Length {
                distribution: truncated::NAME,
                parameter: bounds::NAMES[usize::from(shapes[0] == Shape::Scalar)],
                length,
                allowed: format!("{elements}, the length of the parameters"),
            }),
            (of_base, of_bounds) => Ok(of_base.or(of_bounds)),
        }
    }

    #[inline(always)]
    fn part<'a>(&'a self, places: &'a [usize]) -> Self::Part<'a> {
        let Bounded { base, bounds } = &self.inner;
        let period = |length: Option<usize>| length.unwrap_or(1);
        let base = base.at_places(places, period(common_length(&base.parameters().shapes())));
        let bounds = AtPlaces::new(bounds, places, period(common_length(&bounds.shapes())));
        Truncated {
            inner: Bounded { base, bounds },
        }
    }
}

impl<M, D> Separate<M> for Iid<D, usize>
where
    M: Mode,
    D: Separate<M, Value = Real<M>>,
{
    type Part<'a>
        = D::Part<'a>
    where
        Self: 'a;

    #[inline(always)]
    fn length(&self) -> Result<Option<usize>, ParameterError> {
        self.base().length()?;
        Ok(Some(self.count()))
    }

    #[inline(always)]
    fn part<'a>(&'a self, places: &'a [usize]) -> Self::Part<'a> {
        self.base().part(places)
    }
}

/// The elements of a vector at some places: a vector, however many they are.
#[derive(Clone, Copy, Debug)]
pub struct Elements<'a, D> {
    /// Of one number if all elements have its parameters, else of the elements at the places.
    part: D,
    places: &'a [usize],
}

impl<'a, D> Elements<'a, D> {
    /// The elements of `distribution` at `places`.
    #[inline(always)]
    pub fn of<M: Mode, W: Separate<M, Part<'a> = D>>(
        distribution: &'a W,
        places: &'a [usize],
    ) -> Self {
        let part = distribution.part(places);
        Self { part, places }
    }

    /// The index among all elements of an element at index `i` here.
    fn index(&self, i: usize) -> usize {
        self.places.get(i).copied().unwrap_or(i)
    }

    #[inline(always)]
    fn is_common<M: Mode>(&self) -> bool
    where
        D: Distribution<M>,
    {
        self.part.shape() == Shape::Scalar
    }
}

impl<M: Mode, D: Distribution<M, Domain = Continuous>> Distribution<M> for Elements<'_, D> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        self.part.name()
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.places.len())
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.places.len()
    }

    fn check(&self) -> Result<(), ParameterError> {
        self.part.check().map_err(|error| match error {
            ParameterError::Value {
                distribution,
                parameter,
                index,
                value,
                allowed,
            } => ParameterError::Value {
                distribution,
                parameter,
                index: index.map(|i| self.index(i)),
                value,
                allowed,
            },
            other => other,
        })
    }

    #[inline(always)]
    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        self.part.log_density_of(elements)
    }

    #[inline(always)]
    fn add_density(&self, elements: &[Real<M>], total: &mut Real<M>) {
        self.part.add_density(elements, total);
    }

    #[inline(always)]
    fn constrain(&self, coordinates: &[Real<M>]) -> (Self::Value, Real<M>) {
        let mut elements = Buffer::with_capacity(coordinates.len());
        let mut log_jacobian = Real::constant(0.0);
        let each = if self.is_common() {
            1
        } else {
            coordinates.len().max(1)
        };
        for own in coordinates.chunks_exact(each) {
            let (value, log_slope) = self.part.constrain(own);
            elements.extend_from_slice(value.elements());
            log_jacobian += log_slope;
        }
        (Vector::from(elements), log_jacobian)
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let each = if self.is_common() {
            1
        } else {
            elements.len().max(1)
        };
        let parts = elements.chunks_exact(each);
        parts.flat_map(|own| self.part.unconstrain(own)).collect()
    }

    fn is_proper(&self) -> bool {
        self.part.is_proper()
    }

    fn is_angle(&self) -> bool {
        self.part.is_angle()
    }

    fn rows(&self) -> Option<&[usize]> {
        Some(self.places)
    }

    fn unnormalised(&self) -> Option<&'static str> {
        self.part.unnormalised()
    }

    fn random_support(&self, element: usize) -> Option<[f64; 2]> {
        self.part.random_support(element)
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        self.draw_with_coordinates(stream).elements
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        let times = if self.is_common() {
            self.places.len()
        } else {
            1
        };
        let mut all = Drawn::default();
        for _ in 0..times {
            all.extend(self.part.draw_with_coordinates(stream));
        }
        all
    }

    fn gaussian(&self) -> Option<Gaussian> {
        let one = self.part.gaussian()?;
        Some(match self.is_common() {
            true => one.repeated(self.places.len()),
            false => one,
        })
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let checked = self.part.check_data(data);
        checked.map_err(|error| error.placed(|i| self.index(i)))
    }

    #[inline(always)]
    fn for_each_term<T: Data<Continuous> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        self.part.for_each_term(data, visit);
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Continuous> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        self.part.add_likelihood(data, total);
    }
}
