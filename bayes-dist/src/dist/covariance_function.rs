//! Covariance functions of Gaussian processes.

use super::rows::check_number;
use super::{Constraint, Continuous, Data, Parameter, ParameterError, Shape};
use bayes_autodiff::{Mode, PlainValue, Real, Vector};
use std::f64::consts::TAU;
use std::fmt::Debug;
use std::marker::PhantomData;

/// The inputs of a Gaussian process, `[count, columns]`.
#[derive(Clone, Debug)]
pub struct Points {
    coordinates: Vec<f64>,
    columns: usize,
}

impl Points {
    pub(super) fn of<X: Data<Continuous> + ?Sized>(x: &X) -> Self {
        let columns = match x.shape() {
            Shape::Matrix(_, columns) => columns,
            _ => 1,
        };
        Self {
            coordinates: (0..x.shape().elements()).map(|i| x.at(i)).collect(),
            columns,
        }
    }

    /// The number of points.
    #[must_use]
    pub fn count(&self) -> usize {
        self.coordinates.len() / self.columns.max(1)
    }

    /// The number of coordinates of a point.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The coordinates of point `i`.
    ///
    /// # Panics
    /// If there is no such point.
    #[inline(always)]
    #[must_use]
    pub fn point(&self, i: usize) -> &[f64] {
        &self.coordinates[i * self.columns..(i + 1) * self.columns]
    }

    pub(super) fn first_not_finite(&self) -> Option<(usize, f64)> {
        let mut coordinates = self.coordinates.iter().copied().enumerate();
        coordinates.find(|(_, x)| !x.is_finite())
    }

    /// The lower triangle of a matrix `[count, count]` of `entry(i, k)`, with zeros above.
    #[inline(always)]
    fn lower_triangle<M: Mode>(&self, mut entry: impl FnMut(usize, usize) -> Real<M>) -> Vector<M> {
        let n = self.count();
        let mut entries = Vector::zeros(n * n);
        for i in 0..n {
            for k in 0..=i {
                entries[i * n + k] = entry(i, k);
            }
        }
        entries
    }
}

/// The covariance of a random function's values at any two points.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a covariance function",
    label = "expected, for example, `SquaredExponential::new(amplitude, lengthscale)`",
    note = "a pair of covariance functions is their sum"
)]
pub trait CovarianceFunction<M: Mode> {
    /// Whether the function is independent of random values.
    const DATA: bool;

    /// Checks the parameters for points with this number of coordinates.
    ///
    /// # Errors
    /// The first parameter that is not allowed, with its index and value.
    fn check(&self, columns: usize) -> Result<(), ParameterError>;

    /// The covariances of all pairs of points, `[count, count]` row-major; only the lower triangle is read.
    fn covariance(&self, points: &Points) -> Vector<M>;
}

impl<M: Mode, K: CovarianceFunction<M> + ?Sized> CovarianceFunction<M> for &K {
    const DATA: bool = K::DATA;
    fn check(&self, columns: usize) -> Result<(), ParameterError> {
        (**self).check(columns)
    }
    #[inline(always)]
    fn covariance(&self, points: &Points) -> Vector<M> {
        (**self).covariance(points)
    }
}

/// The covariance function of the sum of two independent processes.
impl<M: Mode, A: CovarianceFunction<M>, B: CovarianceFunction<M>> CovarianceFunction<M> for (A, B) {
    const DATA: bool = A::DATA && B::DATA;
    fn check(&self, columns: usize) -> Result<(), ParameterError> {
        self.0.check(columns)?;
        self.1.check(columns)
    }
    #[inline(always)]
    fn covariance(&self, points: &Points) -> Vector<M> {
        let (first, second) = (self.0.covariance(points), self.1.covariance(points));
        let n = points.count();
        points.lower_triangle(
            #[inline(always)]
            |i, k| first[i * n + k] + second[i * n + k],
        )
    }
}

/// The correlation of two values as a function of their distance over the length scale.
pub trait Correlation: Copy + Debug + Send + Sync + 'static {
    /// The name that users write.
    const NAME: &'static str;
    /// The correlation at distance `r`, at least 0.
    fn at<M: Mode>(r: Real<M>) -> Real<M>;
    /// The logarithm of its spectral density `∫ at(|r|) cos(ω r) dr` in one dimension, at frequency `ω`.
    fn log_spectrum<M: Mode>(frequency: Real<M>) -> Real<M>;
}

macro_rules! correlations {
    ($($(#[$doc:meta])* $name:ident: |$r:ident| $value:expr, |$f:ident| $spectrum:expr;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        impl $name {
            /// `amplitude`: the standard deviation of the function, finite and above zero; `lengthscale`: a number above
            /// zero, or a vector with one for each coordinate of the inputs.
            pub fn new<A, L>(amplitude: A, lengthscale: L) -> Stationary<Self, A, L> {
                Stationary {
                    amplitude,
                    lengthscale,
                    correlation: PhantomData,
                }
            }
        }

        impl Correlation for $name {
            const NAME: &'static str = stringify!($name);
            #[inline(always)]
            fn at<M: Mode>($r: Real<M>) -> Real<M> {
                $value
            }
            fn log_spectrum<M: Mode>($f: Real<M>) -> Real<M> {
                $spectrum
            }
        }
    )*};
}

correlations! {
    /// Squared exponential covariance, of smooth functions: `a² e^(-r²/2)`, where `r = |x - x'| / lengthscale`.
    SquaredExponential: |r| (r.square() * -0.5).exp(), |f| 0.5 * TAU.ln() - 0.5 * f.square();
    /// Matérn covariance of order 1/2, of continuous functions without slopes: `a² e^-r`.
    Matern12: |r| (-r).exp(), |f| 2.0_f64.ln() - f.square().ln_1p();
    /// Matérn covariance of order 3/2, of functions with slopes: `a² (1 + √3 r) e^(-√3 r)`.
    Matern32: |r| {
        let s = r * 3.0_f64.sqrt();
        (s + 1.0) * (-s).exp()
    }, |f| (12.0 * 3.0_f64.sqrt()).ln() - 2.0 * (f.square() + 3.0).ln();
    /// Matérn covariance of order 5/2, of functions with curvatures: `a² (1 + √5 r + 5r²/3) e^(-√5 r)`.
    Matern52: |r| {
        let s = r * 5.0_f64.sqrt();
        (s.square() / 3.0 + s + 1.0) * (-s).exp()
    }, |f| (400.0 * 5.0_f64.sqrt() / 3.0).ln() - 3.0 * (f.square() + 5.0).ln();
}

/// A covariance that depends on the distance alone: amplitude squared times a [`Correlation`].
#[derive(Clone, Copy, Debug)]
pub struct Stationary<F, A, L> {
    amplitude: A,
    lengthscale: L,
    correlation: PhantomData<F>,
}

/// The square of the distance of two points.
#[inline(always)]
fn square_distance(a: &[f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += (a - b) * (a - b);
    }
    sum
}

impl<F: Correlation, A, L> Stationary<F, A, L> {
    /// The logarithm of the spectral density in one dimension, `∫ a² at(|r|/lengthscale) cos(ω r) dr`, at frequency `ω`. A length scale for each
    /// coordinate is not for one dimension: the first is taken.
    pub fn log_spectrum<M: Mode>(&self, frequency: f64) -> Real<M>
    where
        A: Parameter<M>,
        L: Parameter<M>,
    {
        let (amplitude, lengthscale) = (self.amplitude.at(0), self.lengthscale.at(0));
        2.0 * amplitude.ln() + lengthscale.ln() + F::log_spectrum(lengthscale * frequency)
    }

    /// One length scale for all coordinates.
    #[inline(always)]
    fn isotropic<M: Mode>(&self, points: &Points) -> Vector<M>
    where
        A: Parameter<M>,
        L: Parameter<M>,
    {
        let (variance, lengthscale) = (self.amplitude.at(0).square(), self.lengthscale.at(0));
        points.lower_triangle(
            #[inline(always)]
            |i, k| {
                let distance = square_distance(points.point(i), points.point(k)).sqrt();
                variance * F::at(distance / lengthscale)
            },
        )
    }

    /// A length scale for each coordinate.
    #[inline(always)]
    fn anisotropic<M: Mode>(&self, points: &Points) -> Vector<M>
    where
        A: Parameter<M>,
        L: Parameter<M>,
    {
        let variance = self.amplitude.at(0).square();
        let mut weights = Vector::zeros(points.columns());
        for (k, weight) in weights.iter_mut().enumerate() {
            // in this order: the slope of one over a square is the square of a square
            *weight = self.lengthscale.at(k).recip().square();
        }
        let mut squares = vec![0.0; points.columns()];
        points.lower_triangle(
            #[inline(always)]
            |i, k| {
                let (a, b) = (points.point(i), points.point(k));
                for (column, square) in squares.iter_mut().enumerate() {
                    *square = (a[column] - b[column]) * (a[column] - b[column]);
                }
                // the root has no slope at 0, but there the covariance is the variance for any length scale
                if a == b {
                    return variance;
                }
                variance * F::at(M::dot(&squares, &weights).sqrt())
            },
        )
    }
}

impl<M, F, A, L> CovarianceFunction<M> for Stationary<F, A, L>
where
    M: Mode,
    F: Correlation,
    A: Parameter<M>,
    L: Parameter<M>,
{
    const DATA: bool = A::DATA && L::DATA;

    fn check(&self, columns: usize) -> Result<(), ParameterError> {
        check_number(F::NAME, "amplitude", &self.amplitude, Constraint::Positive)?;
        if self.lengthscale.shape() == Shape::Scalar {
            return check_number(
                F::NAME,
                "lengthscale",
                &self.lengthscale,
                Constraint::Positive,
            );
        }
        let length = self.lengthscale.shape().elements();
        if length != columns {
            return Err(ParameterError::Length {
                distribution: F::NAME,
                parameter: "lengthscale",
                length,
                allowed: format!("{columns}, the number of columns of `x`"),
            });
        }
        let values = (0..length).map(|k| self.lengthscale.at(k).plain_value());
        let wrong = values
            .enumerate()
            .find(|(_, x)| !Constraint::Positive.holds(*x));
        wrong.map_or(Ok(()), |(k, value)| {
            Err(ParameterError::Value {
                distribution: F::NAME,
                parameter: "lengthscale",
                index: Some(k),
                value,
                allowed: Constraint::Positive.words(),
            })
        })
    }

    #[inline(always)]
    fn covariance(&self, points: &Points) -> Vector<M> {
        if self.lengthscale.shape() == Shape::Scalar {
            self.isotropic(points)
        } else {
            self.anisotropic(points)
        }
    }
}
