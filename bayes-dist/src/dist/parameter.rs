//! Parameters of distributions: data or random, scalar, vector or matrix.

use super::form::{Broadcast, Form, MatrixForm, ScalarForm, VectorForm};
use super::{Data, Discrete, ParameterError, Shape};
use bayes_autodiff::{Matrix, Mode, PlainValue, Real, Vector};
use nalgebra::{Const, Dim, Dyn, RawStorage, U1};

/// One number of a parameter: data or random.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a distribution's parameter",
    label = "expected a number, a random scalar, or a vector or matrix of either",
    note = "data of other types must be converted first, for example with `as f64`"
)]
pub trait Entry<M: Mode>: Copy {
    /// Whether it is data, so that it does not depend on random values.
    const DATA: bool;
    /// The number.
    fn real(self) -> Real<M>;
}

/// A parameter of a distribution: one value, or one value per element of a vectorised distribution.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a distribution's parameter",
    label = "expected a number, a random scalar, or a vector or matrix of either",
    note = "data of other types must be converted first, for example with `as f64`"
)]
pub trait Parameter<M: Mode> {
    /// One value, a vector or a matrix.
    type Form: Form;
    /// Whether it is data, so that it does not depend on random values.
    const DATA: bool;
    /// The shape; a scalar is shared by all elements.
    fn shape(&self) -> Shape;
    /// The value for element `i` in row-major order; any `i` for a scalar.
    fn at(&self, i: usize) -> Real<M>;
    /// Adds the log probabilities of the choices in `data`, with these logits (one row per choice); returns whether it did
    /// so. Otherwise there is no faster way, or the logits are known already, and the caller reads them one by one.
    #[inline(always)]
    fn add_choices<T: Data<Discrete> + ?Sized>(&self, _data: &T, _total: &mut Real<M>) -> bool {
        false
    }
}

macro_rules! entry {
    ([$($generic:tt)*] $scalar:ty, $data:expr, $convert:expr) => {
        impl<M: Mode> Entry<M> for $scalar {
            const DATA: bool = $data;
            #[inline(always)]
            fn real(self) -> Real<M> {
                let convert: fn($scalar) -> Real<M> = $convert;
                convert(self)
            }
        }
        impl<M: Mode> Parameter<M> for $scalar {
            type Form = ScalarForm;
            const DATA: bool = $data;
            #[inline(always)]
            fn shape(&self) -> Shape {
                Shape::Scalar
            }
            #[inline(always)]
            fn at(&self, _: usize) -> Real<M> {
                self.real()
            }
        }
    };
}

macro_rules! whole_numbers {
    ($($scalar:ty),*) => {$( entry!([] $scalar, true, |x| Real::constant(x as f64)); )*};
}

entry!([] Real<M>, false, |x| x);
entry!([] f64, true, Real::constant);
whole_numbers!(u8, u16, u32, u64, usize, i8, i16, i32, i64);

impl<M: Mode, T: Parameter<M> + ?Sized> Parameter<M> for &T {
    type Form = T::Form;
    const DATA: bool = T::DATA;
    #[inline(always)]
    fn shape(&self) -> Shape {
        (**self).shape()
    }
    #[inline(always)]
    fn at(&self, i: usize) -> Real<M> {
        (**self).at(i)
    }
    #[inline(always)]
    fn add_choices<D: Data<Discrete> + ?Sized>(&self, data: &D, total: &mut Real<M>) -> bool {
        (**self).add_choices(data, total)
    }
}

macro_rules! sequence {
    ($([$($generic:tt)*] $container:ty, $data:expr, |$this:ident, $i:ident| $at:expr;)*) => {$(
        impl<M: Mode, $($generic)*> Parameter<M> for $container {
            type Form = VectorForm;
            const DATA: bool = $data;
            #[inline(always)]
                        fn shape(&self) -> Shape {
                Shape::Vector(self.len())
            }
            #[inline(always)]
            fn at(&self, $i: usize) -> Real<M> {
                let $this = self;
                $at
            }
        }
    )*};
}

sequence! {
    [T: Entry<M>] [T], T::DATA, |v, i| v[i].real();
    [T: Entry<M>] Vec<T>, T::DATA, |v, i| v[i].real();
    [T: Entry<M>, const N: usize] [T; N], T::DATA, |v, i| v[i].real();
    [] Vector<M>, false, |v, i| v.elements()[i];
    [T: Entry<M>, R: Dim, S: RawStorage<T, R, U1>] nalgebra::Matrix<T, R, U1, S>, T::DATA, |v, i| v[i].real();
    [T: Entry<M>, S: RawStorage<T, Const<1>, Dyn>] nalgebra::Matrix<T, Const<1>, Dyn, S>, T::DATA, |v, i| v[i].real();
}

impl<M: Mode> Parameter<M> for Matrix<M> {
    type Form = MatrixForm;
    const DATA: bool = false;
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Matrix(self.nrows(), self.ncols())
    }
    #[inline(always)]
    fn at(&self, i: usize) -> Real<M> {
        self.elements()[i]
    }
}

impl<M: Mode, T: Entry<M>, S: RawStorage<T, Dyn, Dyn>> Parameter<M>
    for nalgebra::Matrix<T, Dyn, Dyn, S>
{
    type Form = MatrixForm;
    const DATA: bool = T::DATA;
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Matrix(self.nrows(), self.ncols())
    }
    #[inline(always)]
    fn at(&self, i: usize) -> Real<M> {
        let columns = self.ncols();
        self[(i / columns, i % columns)].real()
    }
}

/// The parameters of a scalar family, as a tuple in the order of its constructor.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a tuple of {K} parameters",
    label = "expected a tuple of numbers, random scalars, or vectors or matrices of either",
    note = "write `Own::at((mu, sigma))`, and for one parameter `Own::at((mu,))`, with a comma"
)]
pub trait Parameters<M: Mode, const K: usize> {
    /// The largest form among the parameters.
    type Form: Form;
    /// Whether each parameter is data.
    const DATA: [bool; K];
    /// The shapes of the parameters.
    fn shapes(&self) -> [Shape; K];
    /// The values of the parameters for element `i` in row-major order.
    fn at(&self, i: usize) -> [Real<M>; K];
}

impl<M: Mode> Parameters<M, 0> for () {
    type Form = ScalarForm;
    const DATA: [bool; 0] = [];
    #[inline(always)]
    fn shapes(&self) -> [Shape; 0] {
        []
    }
    #[inline(always)]
    fn at(&self, _: usize) -> [Real<M>; 0] {
        []
    }
}

impl<M: Mode, A: Parameter<M>> Parameters<M, 1> for (A,) {
    type Form = A::Form;
    const DATA: [bool; 1] = [A::DATA];
    #[inline(always)]
    fn shapes(&self) -> [Shape; 1] {
        [self.0.shape()]
    }
    #[inline(always)]
    fn at(&self, i: usize) -> [Real<M>; 1] {
        [self.0.at(i)]
    }
}

impl<M: Mode, A: Parameter<M>, B: Parameter<M>> Parameters<M, 2> for (A, B)
where
    A::Form: Broadcast<B::Form>,
{
    type Form = <A::Form as Broadcast<B::Form>>::Output;
    const DATA: [bool; 2] = [A::DATA, B::DATA];
    #[inline(always)]
    fn shapes(&self) -> [Shape; 2] {
        [self.0.shape(), self.1.shape()]
    }
    #[inline(always)]
    fn at(&self, i: usize) -> [Real<M>; 2] {
        [self.0.at(i), self.1.at(i)]
    }
}

impl<M: Mode, A: Parameter<M>, B: Parameter<M>, C: Parameter<M>> Parameters<M, 3> for (A, B, C)
where
    A::Form: Broadcast<B::Form>,
    <A::Form as Broadcast<B::Form>>::Output: Broadcast<C::Form>,
{
    type Form = <<A::Form as Broadcast<B::Form>>::Output as Broadcast<C::Form>>::Output;
    const DATA: [bool; 3] = [A::DATA, B::DATA, C::DATA];
    #[inline(always)]
    fn shapes(&self) -> [Shape; 3] {
        [self.0.shape(), self.1.shape(), self.2.shape()]
    }
    #[inline(always)]
    fn at(&self, i: usize) -> [Real<M>; 3] {
        [self.0.at(i), self.1.at(i), self.2.at(i)]
    }
}

/// The form of two parameters together.
type Both<A, B> = <A as Broadcast<B>>::Output;

impl<M, A, B, C, D> Parameters<M, 4> for (A, B, C, D)
where
    M: Mode,
    A: Parameter<M>,
    B: Parameter<M>,
    C: Parameter<M>,
    D: Parameter<M>,
    A::Form: Broadcast<B::Form>,
    C::Form: Broadcast<D::Form>,
    Both<A::Form, B::Form>: Broadcast<Both<C::Form, D::Form>>,
{
    type Form = Both<Both<A::Form, B::Form>, Both<C::Form, D::Form>>;
    const DATA: [bool; 4] = [A::DATA, B::DATA, C::DATA, D::DATA];
    #[inline(always)]
    fn shapes(&self) -> [Shape; 4] {
        [
            self.0.shape(),
            self.1.shape(),
            self.2.shape(),
            self.3.shape(),
        ]
    }
    #[inline(always)]
    fn at(&self, i: usize) -> [Real<M>; 4] {
        [self.0.at(i), self.1.at(i), self.2.at(i), self.3.at(i)]
    }
}

/// Parameters as numbers.
pub(super) fn numbers<M: Mode, const K: usize>(parameters: [Real<M>; K]) -> [f64; K] {
    let mut numbers = [0.0; K];
    for (number, parameter) in numbers.iter_mut().zip(&parameters) {
        *number = parameter.plain_value();
    }
    numbers
}

/// Numbers as parameters.
pub(super) fn constants<M: Mode, const K: usize>(numbers: [f64; K]) -> [Real<M>; K] {
    let mut parameters = [Real::constant(0.0); K];
    for (parameter, number) in parameters.iter_mut().zip(numbers) {
        *parameter = Real::constant(number);
    }
    parameters
}

/// The common shape of parameters: the shape of the vectors or matrices among them, otherwise a scalar.
#[inline(always)]
pub(super) fn common_shape(shapes: &[Shape]) -> Shape {
    let mut shapes = shapes.iter().copied();
    shapes
        .find(|shape| *shape != Shape::Scalar)
        .unwrap_or(Shape::Scalar)
}

/// Checks that all vectors and matrices among the parameters have the same shape.
pub(super) fn check_shapes(
    distribution: &'static str,
    names: &[&'static str],
    shapes: &[Shape],
) -> Result<(), ParameterError> {
    let common = common_shape(shapes);
    let first = shapes.iter().position(|s| *s == common).unwrap_or(0);
    for (&parameter, &shape) in names.iter().zip(shapes) {
        let has_matrix = [shape, common].map(|shape| matches!(shape, Shape::Matrix(..)));
        if shape != Shape::Scalar && shape != common && has_matrix.contains(&true) {
            return Err(ParameterError::Shape {
                distribution,
                parameter,
                given: shape.words(),
                allowed: format!("{}, as `{}` is", common.words(), names[first]),
            });
        }
        if shape != Shape::Scalar && shape != common {
            return Err(ParameterError::Length {
                distribution,
                parameter,
                length: shape.elements(),
                allowed: format!("{}, the length of `{}`", common.elements(), names[first]),
            });
        }
    }
    Ok(())
}
