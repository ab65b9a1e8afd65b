//! The plain value of a number.

use super::Real;
use crate::dual::{Dual, Dual2};
use crate::mode::Mode;
use crate::value::Value;

/// A mode that runs the program again for each particle, so that the program may read a plain value: [`Value`], [`Dual`], [`Dual2`].
///
/// A model and the functions that it calls are also recorded as a [trace](crate::trace), for all particles at once. So this trait is no
/// bound of their type parameters, and [`Real::primal`] does not compile in them.
#[diagnostic::on_unimplemented(
    message = "`primal` cannot be used in a function that is generic over the mode",
    label = "what it computes may be recorded once for all particles, and this would be the value of one",
    note = "compute with the random value itself, choose with `Real::select(a.lt(b), yes, no)`, or keep it in the output of the \
            model with `let name = deterministic(value);`"
)]
pub trait SingleParticle: Mode + sealed::Sealed {}

mod sealed {
    pub trait Sealed {}
}

impl sealed::Sealed for Value {}
impl SingleParticle for Value {}
impl<const N: usize> sealed::Sealed for Dual<N> {}
impl<const N: usize> SingleParticle for Dual<N> {}
impl<const N: usize> sealed::Sealed for Dual2<N> {}
impl<const N: usize> SingleParticle for Dual2<N> {}

/// The value without derivatives, in any mode.
///
/// A program that reads the plain value of a random quantity has no [trace](crate::trace) and is evaluated in forward mode. Use it for
/// numbers that are data, and where there is no other way.
pub trait PlainValue {
    /// The value without derivatives.
    #[must_use]
    fn plain_value(self) -> f64;
}

impl<M: Mode> PlainValue for Real<M> {
    #[inline(always)]
    fn plain_value(self) -> f64 {
        M::plain_value(self.0)
    }
}
