//! Observed data: the usual types, continuous or discrete.

use super::{Continuous, DataError, Discrete, Domain, Shape};
use bayes_autodiff::{Mode, Task};
use nalgebra::{Dim, Matrix, RawStorage};

/// A single observation of a distribution over `D`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be observed under a `{D}` distribution",
    label = "this is observed under a `{D}` distribution",
    note = "`Continuous` distributions (Normal, Gamma, ...) take `f64`: convert a count with `as f64`; \
            for a slice: `let y: Vec<f64> = y.iter().map(|k| *k as f64).collect();`",
    note = "`Discrete` distributions (Poisson, Binomial, Bernoulli, ...) take counts, which are whole numbers: \
            give `u64`, `usize` or `bool`, converted with `as u64`",
    note = "only data can be observed: give a random value a distribution with `sample`, or add a log density with `factor`"
)]
pub trait Datum<D: Domain>: Copy {
    /// The datum as a number; `true` is 1.
    fn value(self) -> f64;
}

/// Observations: a number, a slice, a vector or a matrix of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be observed under a `{D}` distribution",
    label = "this is observed under a `{D}` distribution",
    note = "`Continuous` distributions (Normal, Gamma, ...) take `f64`: convert a count with `as f64`; \
            for a slice: `let y: Vec<f64> = y.iter().map(|k| *k as f64).collect();`",
    note = "`Discrete` distributions (Poisson, Binomial, Bernoulli, ...) take counts, which are whole numbers: \
            give `u64`, `usize` or `bool`, converted with `as u64`",
    note = "only data can be observed: give a random value a distribution with `sample`, or add a log density with `factor`"
)]
pub trait Data<D: Domain> {
    /// Runs the task that computes their log density in a separate function. For a single observation, which is
    /// common in loops, the task runs inline.
    #[inline(always)]
    fn run<M: Mode, T: Task>(task: T) -> T::Output
    where
        Self: Sized,
    {
        M::call(task)
    }
    /// The shape; a matrix of one row or one column counts as a vector.
    fn shape(&self) -> Shape;
    /// Element `i` in row-major order.
    fn at(&self, i: usize) -> f64;
}

macro_rules! datum {
    ($domain:ty: $($scalar:ty => $convert:expr),* $(,)?) => {$(
        impl Datum<$domain> for $scalar {
            #[inline(always)]
            fn value(self) -> f64 {
                let convert: fn($scalar) -> f64 = $convert;
                convert(self)
            }
        }
        impl Data<$domain> for $scalar {
            #[inline(always)]
            fn run<M: Mode, T: Task>(task: T) -> T::Output {
                task.run()
            }
            #[inline(always)]
                        fn shape(&self) -> Shape {
                Shape::Scalar
            }
            #[inline(always)]
            fn at(&self, _: usize) -> f64 {
                self.value()
            }
        }
    )*};
}

datum!(Continuous: f64 => |x| x, f32 => f64::from);
datum!(Discrete: bool => f64::from, u8 => f64::from, u16 => f64::from, u32 => f64::from, u64 => |x| x as f64,
    usize => |x| x as f64, i8 => f64::from, i16 => f64::from, i32 => f64::from, i64 => |x| x as f64);

/// A datum that may be missing; `None` is NaN, which distributions refuse unless they pass over missing data.
impl<D: Domain, T: Datum<D>> Datum<D> for Option<T> {
    #[inline(always)]
    fn value(self) -> f64 {
        self.map_or(f64::NAN, T::value)
    }
}

impl<D: Domain, T: Data<D> + ?Sized> Data<D> for &T {
    #[inline(always)]
    fn shape(&self) -> Shape {
        (**self).shape()
    }
    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        (**self).at(i)
    }
}

macro_rules! sequence {
    ($([$($generic:tt)*] $container:ty),* $(,)?) => {$(
        impl<D: Domain, T: Datum<D>, $($generic)*> Data<D> for $container {
            #[inline(always)]
                        fn shape(&self) -> Shape {
                Shape::Vector(self.len())
            }
            #[inline(always)]
            fn at(&self, i: usize) -> f64 {
                self[i].value()
            }
        }
    )*};
}

sequence!([] [T], [] Vec<T>, [const N: usize] [T; N]);

impl<D: Domain, T: Datum<D>, R: Dim, C: Dim, S: RawStorage<T, R, C>> Data<D>
    for Matrix<T, R, C, S>
{
    #[inline(always)]
    fn shape(&self) -> Shape {
        match nalgebra::Matrix::shape(self) {
            (n, 1) | (1, n) => Shape::Vector(n),
            (rows, columns) => Shape::Matrix(rows, columns),
        }
    }
    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        let columns = self.ncols();
        self[(i / columns, i % columns)].value()
    }
}

/// An error about a part of some data; where a datum is missing it names the distribution of all, which may pass over it.
pub(super) fn of_whole(error: DataError, name: &'static str) -> DataError {
    match error {
        DataError::Value {
            index,
            value,
            allowed,
            ..
        } if value.is_nan() => DataError::Value {
            distribution: name,
            index,
            value,
            allowed,
        },
        other => other,
    }
}

/// A range of consecutive elements of some data.
pub(super) struct Window<'a, T: ?Sized> {
    data: &'a T,
    start: usize,
    len: usize,
}

impl<'a, T: ?Sized> Window<'a, T> {
    pub(super) fn new(data: &'a T, start: usize, len: usize) -> Self {
        Self { data, start, len }
    }
}

impl<D: Domain, T: Data<D> + ?Sized> Data<D> for Window<'_, T> {
    #[inline(always)]
    fn shape(&self) -> Shape {
        Shape::Vector(self.len)
    }
    #[inline(always)]
    fn at(&self, i: usize) -> f64 {
        self.data.at(self.start + i)
    }
}
