//! Complex numbers, vectors and matrices of random quantities.
//!
//! A complex number is a pair of [`Real`]s, so it works in every mode, and the trace records the arithmetic of its parts. Complex
//! data are [`Complex64`].

mod functions;
mod linear;
mod matrix;
mod operators;
mod vector;

pub use matrix::ComplexMatrix;
pub use vector::ComplexVector;

use crate::mode::Mode;
use crate::real::Real;

/// A complex number in data.
pub type Complex64 = nalgebra::Complex<f64>;

/// A complex number that may depend on random values: mixes freely with `f64`, [`Real`] and [`Complex64`] on both sides of `+ - * /`.
///
/// Inside a model it is written `Complex`; a function outside is generic over the mode,
/// `fn h<M: Mode>(a: Complex<M>) -> Complex<M>`. Like [`Real`] it cannot be compared; choose with [`Complex::select`].
///
/// ```
/// use bayes_autodiff::{Complex, Mode, Real, Value};
///
/// /// The response of a damped oscillator at an angular frequency.
/// fn response<M: Mode>(damping: Real<M>, frequency: f64) -> Complex<M> {
///     1.0 / (1.0 - frequency * frequency + Complex::i() * damping * frequency)
/// }
/// let z = response::<Value>(Real::constant(0.5), 1.0);
/// assert_eq!((z.re.primal(), z.im.primal()), (0.0, -2.0));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Complex<M: Mode> {
    /// Real part.
    pub re: Real<M>,
    /// Imaginary part.
    pub im: Real<M>,
}

impl<M: Mode> Complex<M> {
    /// `re + i im`; each part is random or a number.
    #[inline]
    #[must_use]
    pub fn new(re: impl Into<Real<M>>, im: impl Into<Real<M>>) -> Self {
        Self {
            re: re.into(),
            im: im.into(),
        }
    }
    /// `radius eⁱᵃ` with an angle `a` in radians.
    #[inline]
    #[must_use]
    pub fn from_polar(radius: impl Into<Real<M>>, angle: impl Into<Real<M>>) -> Self {
        let (radius, angle) = (radius.into(), angle.into());
        Self::new(radius * angle.cos(), radius * angle.sin())
    }
    /// A number that does not depend on any random value.
    #[inline]
    #[must_use]
    pub fn constant(z: Complex64) -> Self {
        Self::new(z.re, z.im)
    }
    /// `yes` where `mask` holds, else `no`; the other side has no effect on the result.
    #[inline]
    #[must_use]
    pub fn select(mask: M::Mask, yes: impl Into<Self>, no: impl Into<Self>) -> Self {
        let (yes, no) = (yes.into(), no.into());
        Self {
            re: Real::select(mask, yes.re, no.re),
            im: Real::select(mask, yes.im, no.im),
        }
    }
    /// The imaginary unit.
    #[inline]
    #[must_use]
    pub fn i() -> Self {
        Self::new(0.0, 1.0)
    }
}

impl<M: Mode> Default for Complex<M> {
    /// Zero.
    #[inline]
    fn default() -> Self {
        Self::new(0.0, 0.0)
    }
}

/// Numbers without an imaginary part.
macro_rules! from_real {
    ($($real:ty),*) => {$(
        impl<M: Mode> From<$real> for Complex<M> {
            #[inline]
            fn from(re: $real) -> Self {
                Self::new(re, 0.0)
            }
        }
    )*};
}
from_real!(Real<M>, &Real<M>, f64, &f64);

impl<M: Mode> From<Complex64> for Complex<M> {
    #[inline]
    fn from(z: Complex64) -> Self {
        Self::constant(z)
    }
}

impl<M: Mode> From<&Complex64> for Complex<M> {
    #[inline]
    fn from(z: &Complex64) -> Self {
        Self::constant(*z)
    }
}

impl<M: Mode> From<&Self> for Complex<M> {
    #[inline]
    fn from(z: &Self) -> Self {
        *z
    }
}
