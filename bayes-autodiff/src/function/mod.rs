//! Elementary functions, each in one place: value, first and second derivative.
//!
//! A new function is one entry in a file of this folder, its line in the table of `bayes-catalogue`, and reference values in
//! `tests/data/functions.py`. [`UnitLogistic`] and the functions of `incomplete` and `deviance` have their own tests and no line.

use crate::check::{Bivariate, Unary};
use crate::mode::Mode;
use crate::real::Real;
use crate::simd::{LANES, Simd};
use crate::trace::Operation;

mod deviance;
mod incomplete;
mod lanes;
mod unit;

pub use deviance::{DevianceApart, deviance_apart};
pub use incomplete::{LnBetaCdf, LnGammaCdf, LnGammaSf, LnStudentCdf};
pub use lanes::{lanes, lanes_of_two};
pub use unit::UnitLogistic;

/// Declares the module of each file, makes its functions public, and gives random scalars their methods.
macro_rules! declare {
    ($(unary $unary_file:ident {
        $($(#[$unary_doc:meta])+ $unary:ident $method:ident();)+
    })+
    $(binary $binary_file:ident {
        $($(#[$binary_doc:meta])+ $binary:ident $of_two:ident($other:ident);)+
    })+) => {
        $(mod $unary_file;)+
        $(mod $binary_file;)+
        $(pub use $unary_file::{$($unary),+};)+
        $(pub use $binary_file::{$($binary),+};)+

        /// Every function of one variable, for tests of all functions.
        pub const UNARY: &[Unary] = &[$($(Unary::of::<$unary>()),+),+];

        /// Every function of two variables, for tests of all functions.
        pub const BINARY: &[Bivariate] = &[$($(Bivariate::of::<$binary>()),+),+];

        /// Functions of one number, named like the methods of `f64` where these exist.
        impl<M: Mode> Real<M> {
            $($(
                $(#[$unary_doc])+
                #[inline(always)]
                #[must_use]
                pub fn $method(self) -> Self {
                    Self(M::unary::<$unary>(self.0))
                }
            )+)+
        }

        /// Functions of two numbers.
        impl<M: Mode> Real<M> {
            $($(
                $(#[$binary_doc])+
                #[inline(always)]
                #[must_use]
                pub fn $of_two(self, $other: impl Into<Self>) -> Self {
                    Self(M::binary::<$binary>(self.0, $other.into().0))
                }
            )+)+
        }
    };
}
bayes_catalogue::functions!(declare);

/// A function of one variable with its derivatives; every mode applies the chain rule to it.
pub trait Function: 'static {
    /// The usual name, for messages and tests.
    const NAME: &'static str;
    /// The function as a plain value, for traces.
    #[must_use]
    fn operation() -> &'static Operation
    where
        Self: Sized,
    {
        const { &Operation::unary::<Self>() }
    }
    /// `f(x)`.
    fn value(x: f64) -> f64;
    /// `f(x)` and `f'(x)`.
    fn first(x: f64) -> (f64, f64);
    /// `f(x)`, `f'(x)` and `f''(x)`.
    fn second(x: f64) -> (f64, f64, f64);
    /// `f` of eight lanes; computed one by one unless the function has a faster way.
    #[inline(always)]
    fn lanes<S: Simd>(x: S::Float) -> S::Float {
        S::map(x, Self::value)
    }
    /// `f` and `f'` of eight lanes.
    #[inline(always)]
    fn lanes_first<S: Simd>(x: S::Float) -> (S::Float, S::Float) {
        let x = S::array(x);
        let pairs = x.map(Self::first);
        (S::load(&pairs.map(|p| p.0)), S::load(&pairs.map(|p| p.1)))
    }
}

/// A function of two variables with its derivatives.
pub trait Binary: 'static {
    /// The usual name, for messages and tests.
    const NAME: &'static str;
    /// The function as a plain value, for traces.
    #[must_use]
    fn operation() -> &'static Operation
    where
        Self: Sized,
    {
        const { &Operation::binary::<Self>() }
    }
    /// `f(x, y)`.
    fn value(x: f64, y: f64) -> f64;
    /// `f` and its gradient `[f_x, f_y]`.
    fn first(x: f64, y: f64) -> (f64, [f64; 2]);
    /// `f`, its gradient and its second derivatives `[f_xx, f_xy, f_yy]`.
    fn second(x: f64, y: f64) -> (f64, [f64; 2], [f64; 3]);
    /// `f` of eight lanes; computed one by one unless the function has a faster way.
    #[inline(always)]
    fn lanes<S: Simd>(x: S::Float, y: S::Float) -> S::Float {
        let (x, y) = (S::array(x), S::array(y));
        S::load(&std::array::from_fn(|i| Self::value(x[i], y[i])))
    }
    /// `f` and its gradient `[f_x, f_y]` of eight lanes.
    #[inline(always)]
    fn lanes_first<S: Simd>(x: S::Float, y: S::Float) -> (S::Float, [S::Float; 2]) {
        let (x, y) = (S::array(x), S::array(y));
        let all: [_; LANES] = std::array::from_fn(|i| Self::first(x[i], y[i]));
        let slopes = [S::load(&all.map(|f| f.1[0])), S::load(&all.map(|f| f.1[1]))];
        (S::load(&all.map(|f| f.0)), slopes)
    }
}

/// A function of three variables with its derivatives.
pub trait Ternary: 'static {
    /// The usual name, for messages and tests.
    const NAME: &'static str;
    /// The function as a plain value, for traces.
    #[must_use]
    fn operation() -> &'static Operation
    where
        Self: Sized,
    {
        const { &Operation::ternary::<Self>() }
    }
    /// `f(x, y, z)`.
    fn value(x: f64, y: f64, z: f64) -> f64;
    /// `f` and its gradient.
    fn first(x: f64, y: f64, z: f64) -> (f64, [f64; 3]);
    /// `f`, its gradient and its second derivatives, `[3, 3]`.
    fn second(x: f64, y: f64, z: f64) -> (f64, [f64; 3], [[f64; 3]; 3]);
    /// `f` of eight lanes, one by one.
    #[inline(always)]
    fn lanes<S: Simd>(x: S::Float, y: S::Float, z: S::Float) -> S::Float {
        let (x, y, z) = (S::array(x), S::array(y), S::array(z));
        S::load(&std::array::from_fn(|i| Self::value(x[i], y[i], z[i])))
    }
    /// `f` and its gradient of eight lanes, one by one.
    #[inline(always)]
    fn lanes_first<S: Simd>(x: S::Float, y: S::Float, z: S::Float) -> (S::Float, [S::Float; 3]) {
        let (x, y, z) = (S::array(x), S::array(y), S::array(z));
        let all: [_; LANES] = std::array::from_fn(|i| Self::first(x[i], y[i], z[i]));
        let slopes = [0, 1, 2].map(|k| S::load(&all.map(|f| f.1[k])));
        (S::load(&all.map(|f| f.0)), slopes)
    }
}

/// The method `operation` of a [`Function`], a [`Binary`] or a [`Ternary`]: `operation!(unary Exp);` inside its implementation.
///
/// The operation becomes a static of the crate of the function. By the trait's own method it is compiled in every crate that uses the
/// function, for each instruction set.
#[macro_export]
macro_rules! operation {
    ($arity:ident $function:ty) => {
        fn operation() -> &'static $crate::trace::Operation {
            static OPERATION: $crate::trace::Operation =
                $crate::trace::Operation::$arity::<$function>();
            &OPERATION
        }
    };
}

/// Declares a [`Function`]: its name, the constants that are true for it, three expressions in the argument, and optionally a fourth, the
/// value and slope of eight lanes at once.
macro_rules! function {
    ($(#[$doc:meta])* $type:ident, $name:literal, |$x:ident|
        value: $value:expr, first: $first:expr, second: $second:expr
        $(, lanes: $lanes:expr)? $(,)?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $type;
        impl $crate::function::Function for $type {
            const NAME: &'static str = $name;
            $crate::operation!(unary $type);
            #[inline(always)]
            fn value($x: f64) -> f64 {
                $value
            }
            #[inline(always)]
            fn first($x: f64) -> (f64, f64) {
                $first
            }
            #[inline(always)]
            fn second($x: f64) -> (f64, f64, f64) {
                $second
            }
            $(
                #[inline(always)]
                fn lanes<S: $crate::simd::Simd>(x: S::Float) -> S::Float {
                    Self::lanes_first::<S>(x).0
                }
                #[inline(always)]
                fn lanes_first<S: $crate::simd::Simd>(x: S::Float) -> (S::Float, S::Float) {
                    let $x = $crate::simd::math::Pack::<S>(x);
                    let (value, slope) = $lanes;
                    (value.0, slope.0)
                }
            )?
        }
    };
}
use function;
