//! The functions on eight numbers with a chosen instruction set, for tests that compare instruction sets.

use super::{Binary, Function};
use crate::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use std::marker::PhantomData;

/// Eight arguments of a [`Function`].
struct One<F>([f64; LANES], PhantomData<F>);

impl<F: Function> Work for One<F> {
    type Output = [[f64; LANES]; 3];
    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let x = S::load(&self.0);
        let (value, slope) = F::lanes_first::<S>(x);
        [F::lanes::<S>(x), value, slope].map(S::array)
    }
}

/// [`Function::lanes`] and the two results of [`Function::lanes_first`].
///
/// # Panics
/// If the processor does not support `level`.
#[must_use]
pub fn lanes<F: Function>(level: InstructionSet, x: [f64; LANES]) -> [[f64; LANES]; 3] {
    dispatch(level, One::<F>(x, PhantomData))
}

/// Eight pairs of arguments of a [`Binary`].
struct Two<F>([[f64; LANES]; 2], PhantomData<F>);

impl<F: Binary> Work for Two<F> {
    type Output = [[f64; LANES]; 4];
    #[inline(always)]
    fn run<S: Simd>(self) -> Self::Output {
        let (x, y) = (S::load(&self.0[0]), S::load(&self.0[1]));
        let (value, slopes) = F::lanes_first::<S>(x, y);
        [F::lanes::<S>(x, y), value, slopes[0], slopes[1]].map(S::array)
    }
}

/// [`Binary::lanes`] and the three results of [`Binary::lanes_first`].
///
/// # Panics
/// If the processor does not support `level`.
#[must_use]
pub fn lanes_of_two<F: Binary>(level: InstructionSet, x: [[f64; LANES]; 2]) -> [[f64; LANES]; 4] {
    dispatch(level, Two::<F>(x, PhantomData))
}
