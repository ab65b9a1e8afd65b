//! The inputs of a network, and the use of its outputs.

use crate::mode::Mode;
use crate::real::Real;
use crate::simd::{LANES, Simd};
use nalgebra::DMatrix;

/// The precision of the arithmetic inside the layers; sums over rows are always in double precision.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Precision {
    /// `f64`.
    #[default]
    Double,
    /// `f32`: half the memory, about twice the speed, about seven digits.
    Single,
}

/// One example in every row, `[rows, columns]`.
#[derive(Clone, Copy, Debug)]
pub struct Inputs<'a> {
    /// The numbers, column by column.
    pub entries: &'a [f64],
    /// Number of examples.
    pub rows: usize,
    /// Numbers of one example.
    pub columns: usize,
}

impl<'a> From<&'a DMatrix<f64>> for Inputs<'a> {
    fn from(matrix: &'a DMatrix<f64>) -> Self {
        Self {
            entries: matrix.as_slice(),
            rows: matrix.nrows(),
            columns: matrix.ncols(),
        }
    }
}

/// The terms of a log likelihood, computed row by row from a network's outputs.
pub trait Rows {
    /// The term of `row` given its outputs, `[outputs]`, in any arithmetic.
    fn value<M: Mode>(&mut self, row: usize, outputs: &[Real<M>]) -> Real<M>;

    /// The term of `row` for eight particles, `outputs` `[outputs]`. With `slopes`, `[outputs]`, writes its derivatives there.
    fn term<S: Simd>(
        &mut self,
        row: usize,
        outputs: &[[f64; LANES]],
        slopes: Option<&mut [[f64; LANES]]>,
    ) -> S::Float;
}

/// Sums of the slopes of the inputs over eight particles.
#[derive(Debug)]
pub(crate) struct InputSlopes<'a> {
    /// The weight of each particle; the slopes of a particle without weight are left out.
    pub(crate) shares: [f64; LANES],
    /// `[rows, columns]`, column by column.
    #[cfg_attr(
        not(feature = "networks"),
        expect(dead_code, reason = "only networks add to it")
    )]
    pub(crate) sums: &'a mut [f64],
}
