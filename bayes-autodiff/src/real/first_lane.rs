//! The plain value of a number: of one particle, or of the first of several.

use super::Real;
use crate::dual::{Dual, Dual2};
use crate::mode::Mode;
use crate::value::Value;

/// A mode that holds one particle, so that a number has one plain value: [`Value`], [`Dual`], [`Dual2`].
///
/// A model and the functions that it calls are evaluated in every mode, also in those that hold several particles. So it is
/// no bound of their type parameters, and [`Real::primal`] does not compile in them.
#[diagnostic::on_unimplemented(
    message = "`primal` cannot be used in a function that is generic over the mode",
    label = "this may hold several particles, and would give the value of the first alone",
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

/// The value in the first lane, without derivatives, in any mode.
///
/// It depends on the other particles of the same evaluation which lane a particle has. Use it for numbers that are data, where
/// all lanes agree, and where the value chooses among formulas that all give the same result.
pub trait FirstLane {
    /// The value without derivatives; of several particles, that of the first.
    #[must_use]
    fn first_lane(self) -> f64;
}

impl<M: Mode> FirstLane for Real<M> {
    #[inline(always)]
    fn first_lane(self) -> f64 {
        M::first_lane(self.0)
    }
}
