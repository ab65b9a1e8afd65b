//! Independent copies of a distribution: `.iid(n)`.

use super::data::Window;
use super::{
    Data, DataError, Distribution, Drawn, Gaussian, NonCentred, Ordered, ParameterError, Quantity,
    Shape, Term, untyped,
};
use crate::rng::Stream;
use bayes_autodiff::{Buffer, Matrix, Mode, Real, Vector};

/// Independent copies of `D`; `E` is `usize` (a vector, or rows of a matrix) or `(usize, usize)` (a matrix).
#[derive(Clone, Copy, Debug)]
pub struct Iid<D, E> {
    base: D,
    extent: E,
}

impl<D, E> Iid<D, E> {
    pub(super) fn new(base: D, extent: E) -> Self {
        Self { base, extent }
    }

    #[inline(always)]
    pub(super) fn into_parts(self) -> (D, E) {
        (self.base, self.extent)
    }

    #[inline(always)]
    pub(super) fn base(&self) -> &D {
        &self.base
    }

    #[inline(always)]
    pub(super) fn extent(&self) -> E
    where
        E: Copy,
    {
        self.extent
    }

    /// The same distribution with a standard `z` as its coordinates; the values are `location + scale z`.
    pub fn non_centred(self) -> NonCentred<Self> {
        NonCentred::new(self)
    }

    /// Independent copies of the whole: the rows of a matrix.
    pub fn iid<N>(self, extent: N) -> Iid<Self, N> {
        Iid::new(self, extent)
    }
}

impl<D> Iid<D, usize> {
    /// The copies in increasing order: the order statistics of the sample.
    pub fn ordered(self) -> Ordered<D> {
        Ordered::new(self)
    }

    #[inline(always)]
    pub(super) fn count(&self) -> usize {
        self.extent
    }
}

impl<D, E> Iid<D, E> {
    #[inline(always)]
    fn copies<M: Mode>(&self) -> usize
    where
        D: Distribution<M>,
        D::Value: Repeat<M, E>,
    {
        let each = self.base.shape().elements().max(1);
        self.shape().elements() / each
    }
}

/// How copies of a value are combined: `E` copies form an `Output`.
#[diagnostic::on_unimplemented(
    message = "independent copies of `{Self}` cannot be laid out as `{E}`",
    label = "expected `.iid(n)` with `n: usize`, or `.iid((rows, columns))` for copies of a scalar",
    note = "copies of a scalar make a vector or a matrix, copies of a vector make the rows of a matrix"
)]
pub trait Repeat<M: Mode, E>: Quantity<M> {
    /// The type of the copies together.
    type Output: Quantity<M>;
    /// The shape of `extent` copies of a value of shape `each`.
    fn shape(each: Shape, extent: &E) -> Shape;
}

impl<M: Mode> Repeat<M, usize> for Real<M> {
    type Output = Vector<M>;
    #[inline(always)]
    fn shape(_: Shape, extent: &usize) -> Shape {
        Shape::Vector(*extent)
    }
}

impl<M: Mode> Repeat<M, (usize, usize)> for Real<M> {
    type Output = Matrix<M>;
    #[inline(always)]
    fn shape(_: Shape, extent: &(usize, usize)) -> Shape {
        Shape::Matrix(extent.0, extent.1)
    }
}

impl<M: Mode> Repeat<M, usize> for Vector<M> {
    type Output = Matrix<M>;
    #[inline(always)]
    fn shape(each: Shape, extent: &usize) -> Shape {
        Shape::Matrix(*extent, each.elements())
    }
}

impl<M, D, E> Distribution<M> for Iid<D, E>
where
    M: Mode,
    D: Distribution<M>,
    D::Value: Repeat<M, E>,
{
    type Value = <D::Value as Repeat<M, E>>::Output;
    type Domain = D::Domain;

    fn name(&self) -> &'static str {
        self.base.name()
    }

    #[inline(always)]
    fn shape(&self) -> Shape {
        <D::Value as Repeat<M, E>>::shape(self.base.shape(), &self.extent)
    }

    #[inline(always)]
    fn dim(&self) -> usize {
        self.copies() * self.base.dim()
    }

    fn check(&self) -> Result<(), ParameterError> {
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
        let mut log_jacobian = Real::constant(0.0);
        if self.base.shape() == Shape::Scalar {
            // a vector of fixed size keeps the elements in registers
            let elements = Vector::from_fn(
                coordinates.len(),
                #[inline(always)]
                |i| {
                    let (value, log_slope) = self.base.constrain(&coordinates[i..=i]);
                    log_jacobian += log_slope;
                    value.elements()[0]
                },
            );
            let value = Self::Value::from_elements(self.shape(), elements);
            return (value, log_jacobian);
        }
        let mut elements = Buffer::with_capacity(self.shape().elements());
        for own in coordinates.chunks_exact(self.base.dim().max(1)) {
            let (value, log_slope) = self.base.constrain(own);
            elements.extend_from_slice(value.elements());
            log_jacobian += log_slope;
        }
        (
            Self::Value::from_elements(self.shape(), Vector::from(elements)),
            log_jacobian,
        )
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        let each = self.base.shape().elements().max(1);
        untyped::append_each(elements.len() / each, &mut |i| {
            self.base.unconstrain(&elements[i * each..(i + 1) * each])
        })
    }

    fn is_proper(&self) -> bool {
        self.base.is_proper()
    }

    fn unnormalised(&self) -> Option<&'static str> {
        self.base.unnormalised()
    }

    fn is_of_data(&self) -> bool {
        self.base.is_of_data()
    }

    fn is_angle(&self) -> bool {
        self.base.is_angle()
    }

    fn censoring_limits(&self, element: usize) -> Option<[f64; 2]> {
        self.base
            .censoring_limits(element % self.base.shape().elements().max(1))
    }

    fn term(&self, element: usize, datum: f64) -> Term {
        self.base
            .term(element % self.base.shape().elements().max(1), datum)
    }

    fn random_support(&self, element: usize) -> Option<[f64; 2]> {
        self.base
            .random_support(element % self.base.shape().elements().max(1))
    }

    fn categories(&self) -> Option<usize> {
        self.base.categories()
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        untyped::append_each(self.copies(), &mut |_| self.base.draw(stream))
    }

    fn draw_exactly(&self, stream: &mut Stream) -> Option<Vec<f64>> {
        let copies = (0..self.copies()).map(|_| self.base.draw_exactly(stream));
        let copies: Option<Vec<Vec<f64>>> = copies.collect();
        Some(copies?.concat())
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        untyped::draw_each(self.copies(), &mut |_| {
            self.base.draw_with_coordinates(stream)
        })
    }

    fn gaussian(&self) -> Option<Gaussian> {
        Some(self.base.gaussian()?.repeated(self.copies()))
    }

    fn check_data<T: Data<Self::Domain> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        let len = data.shape().elements();
        let wanted = self.shape().elements();
        if len != wanted || len == 0 {
            let allowed = format!("{}, as `.iid` says", wanted.max(1));
            return Err(DataError::Length {
                distribution: self.name(),
                length: len,
                allowed,
            });
        }
        let each = self.base.shape().elements().max(1);
        for start in (0..len).step_by(each) {
            self.base
                .check_data(&Window::new(data, start, each))
                .map_err(|e| e.shifted(start))?;
        }
        Ok(())
    }

    #[inline(always)]
    fn for_each_term<T: Data<Self::Domain> + ?Sized>(&self, data: &T, visit: impl FnMut(Real<M>)) {
        self.base.for_each_term(data, visit);
    }

    #[inline(always)]
    fn add_likelihood<T: Data<Self::Domain> + ?Sized>(&self, data: &T, total: &mut Real<M>) {
        self.base.add_likelihood(data, total);
    }
}
