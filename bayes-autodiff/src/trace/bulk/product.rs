//! Some rows of the product of a matrix of data and a vector.

use super::Places;
use crate::lanes::sums_of_rows;
use crate::simd::Simd;
use crate::trace::numbers::{Numbers, Source};

/// The number of rows of one instruction: their values and adjoints for 32 particles stay in the first-level cache. A multiple of the
/// number of rows that are summed side by side.
pub(in crate::trace) const TILE: usize = 32;

/// `out[i] = Σ_k matrix[(first + i, k)] v_k` for `rows` rows, perhaps plus a shift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::trace) struct Product {
    /// `[stride, columns]`, column by column.
    pub(in crate::trace) matrix: Numbers,
    /// The number of rows of the matrix.
    pub(in crate::trace) stride: usize,
    pub(in crate::trace) first: usize,
    pub(in crate::trace) rows: usize,
    /// Whether a last operand, after the vector, is added to all rows.
    pub(in crate::trace) is_shifted: bool,
}

impl Product {
    #[inline(always)]
    fn columns(&self, places: &Places<'_>) -> usize {
        places.of.len() - usize::from(self.is_shifted)
    }

    #[inline(always)]
    pub(super) fn forward<S: Simd>(&self, source: Source<'_>, places: &mut Places<'_>) {
        let matrix = source.numbers(self.matrix);
        let mut start = 0;
        // rows that are summed side by side, in registers
        if const { S::SUMS == 8 } {
            while start + 16 <= self.rows {
                self.rows_from::<S, 16>(matrix, start, places);
                start += 16;
            }
        }
        if const { S::SUMS > 1 } {
            while start + 6 <= self.rows {
                self.rows_from::<S, 6>(matrix, start, places);
                start += 6;
            }
            while start + 2 <= self.rows {
                self.rows_from::<S, 2>(matrix, start, places);
                start += 2;
            }
        }
        while start < self.rows {
            self.rows_from::<S, 1>(matrix, start, places);
            start += 1;
        }
    }

    #[inline(always)]
    fn rows_from<S: Simd, const N: usize>(
        &self,
        matrix: &[f64],
        start: usize,
        places: &mut Places<'_>,
    ) {
        let columns = self.columns(places);
        let shape = [self.stride, columns];
        let at = |k| places.operand::<S>(k);
        let sums = sums_of_rows::<S, N>(matrix, shape, self.first + start, &at);
        for (i, mut sum) in sums.into_iter().enumerate() {
            if self.is_shifted {
                sum = S::add(sum, places.operand::<S>(columns));
            }
            places.set::<S>(start + i, sum);
        }
    }

    /// Passes the adjoints of the outputs on to the operands, for `G` groups of lanes starting with the present one.
    #[inline(always)]
    pub(super) fn reverse<S: Simd, const G: usize>(
        &self,
        source: Source<'_>,
        places: &mut Places<'_>,
    ) {
        let matrix = source.numbers(self.matrix);
        let columns = self.columns(places);
        if self.is_shifted {
            let mut sums = [S::splat(0.0); G];
            for i in 0..self.rows {
                let adjoints = places.adjoints::<S, G>(i);
                for g in 0..G {
                    sums[g] = S::add(sums[g], adjoints[g]);
                }
            }
            places.pass_on_groups::<S, G>(columns, sums);
        }
        let mut start = 0;
        while start + S::SUMS <= columns {
            if const { S::SUMS == 1 } {
                self.columns_from::<S, 1, G>(matrix, start, places);
            } else if const { S::SUMS == 6 } {
                self.columns_from::<S, 6, G>(matrix, start, places);
            } else {
                self.columns_from::<S, 8, G>(matrix, start, places);
            }
            start += S::SUMS;
        }
        if const { S::SUMS == 1 } {
            return;
        }
        // one pass over the adjoints for all remaining columns
        match columns - start {
            1 => self.columns_from::<S, 1, G>(matrix, start, places),
            2 => self.columns_from::<S, 2, G>(matrix, start, places),
            3 => self.columns_from::<S, 3, G>(matrix, start, places),
            4 => self.columns_from::<S, 4, G>(matrix, start, places),
            5 => self.columns_from::<S, 5, G>(matrix, start, places),
            6 => self.columns_from::<S, 6, G>(matrix, start, places),
            7 => self.columns_from::<S, 7, G>(matrix, start, places),
            _ => {}
        }
    }

    /// Passes the adjoints on to the `N` operands from `start` on.
    #[inline(always)]
    fn columns_from<S: Simd, const N: usize, const G: usize>(
        &self,
        matrix: &[f64],
        start: usize,
        places: &mut Places<'_>,
    ) {
        let mut sums = [[S::splat(0.0); G]; N];
        let mut columns: [&[f64]; N] = [&[]; N];
        for (j, column) in columns.iter_mut().enumerate() {
            *column = &matrix[(start + j) * self.stride + self.first..][..self.rows];
        }
        #[allow(
            clippy::needless_range_loop,
            reason = "an index into each of several columns, which stay in registers"
        )]
        for i in 0..self.rows {
            let adjoints = places.adjoints::<S, G>(i);
            for j in 0..N {
                let number = S::splat(columns[j][i]);
                for g in 0..G {
                    sums[j][g] = S::mul_add(number, adjoints[g], sums[j][g]);
                }
            }
        }
        for (j, sums) in sums.into_iter().enumerate() {
            places.pass_on_groups::<S, G>(start + j, sums);
        }
    }
}
