//! Products of small blocks in registers, shared by dense layers and convolutions.

use super::element::{Element, Operand};
use crate::simd::{LANES, Simd, Work, dispatch};

/// The position in memory of the factor for row `i` at depth `k`.
///
/// # Safety
/// Where `fits(rows, depth, len)` is true, `at(i, k)` is below `len` for every `i < rows` and `k < depth`.
pub(super) unsafe trait Place: Copy {
    /// Its index.
    ///
    /// # Safety
    /// `fits` is true for more rows than `i` and more depth than `k`.
    unsafe fn at(&self, i: usize, k: usize) -> usize;
    /// Whether every index with `i < rows` and `k < depth` is below `len`.
    fn fits(&self, rows: usize, depth: usize, len: usize) -> bool;
}

/// Equal steps: `i * row + k * depth`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Steps {
    /// Step from one row to the next.
    pub(super) row: usize,
    /// Step from one depth to the next.
    pub(super) depth: usize,
}

// SAFETY: the index grows with `i` and with `k`, and the largest is compared without overflow, so that none overflows.
unsafe impl Place for Steps {
    #[inline(always)]
    unsafe fn at(&self, i: usize, k: usize) -> usize {
        i * self.row + k * self.depth
    }
    #[inline(always)]
    fn fits(&self, rows: usize, depth: usize, len: usize) -> bool {
        let (Some(row), Some(depth)) = (rows.checked_sub(1), depth.checked_sub(1)) else {
            return true;
        };
        let last = row
            .checked_mul(self.row)
            .zip(depth.checked_mul(self.depth))
            .and_then(|(row, depth)| row.checked_add(depth));
        last.is_some_and(|last| last < len)
    }
}

/// Listed offsets: `row[i] + depth[k]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Offsets<'a> {
    /// One offset for each row.
    pub(super) row: &'a [usize],
    /// One offset for each depth.
    pub(super) depth: &'a [usize],
}

// SAFETY: the sum of the largest offsets of the rows and of the depths is below `len`, so the sum of any two is.
unsafe impl Place for Offsets<'_> {
    #[inline(always)]
    unsafe fn at(&self, i: usize, k: usize) -> usize {
        // SAFETY: the caller has checked `fits`, which is true only if both lists are long enough.
        unsafe { self.row.get_unchecked(i) + self.depth.get_unchecked(k) }
    }
    #[inline(always)]
    fn fits(&self, rows: usize, depth: usize, len: usize) -> bool {
        let largest = |offsets: &[usize]| offsets.iter().copied().max();
        let (Some(row), Some(column)) = (self.row.get(..rows), self.depth.get(..depth)) else {
            return false;
        };
        match (largest(row), largest(column)) {
            (Some(row), Some(column)) => row.checked_add(column).is_some_and(|last| last < len),
            _ => true,
        }
    }
}

/// Factors and their places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Factors<'a, T, P> {
    /// The memory.
    pub(super) elements: &'a [T],
    /// The places of the factors in it.
    pub(super) place: P,
}

impl<T, P: Place> Factors<'_, T, P> {
    /// Panics unless every factor of `rows` rows up to `depth` is within the memory.
    #[inline(always)]
    pub(super) fn check(&self, rows: usize, depth: usize) {
        assert!(
            self.place.fits(rows, depth, self.elements.len()),
            "factors lie within their memory"
        );
    }

    /// The factor for row `i` at depth `k`.
    ///
    /// # Safety
    /// [`Factors::check`] has passed for more rows than `i` and more depth than `k`.
    #[inline(always)]
    unsafe fn get(&self, i: usize, k: usize) -> &T {
        // SAFETY: the caller's promise, and the promise of `Place` for an index that fits.
        unsafe { self.elements.get_unchecked(self.place.at(i, k)) }
    }
}

/// `out[r][c] = start[r][c] + Σ_k a(row + r, k) b(column + c, k)` for `k < depth`, entirely in registers.
///
/// # Safety
/// [`Factors::check`] has passed for `row + R` rows of `a` and `column + C` rows of `b`, up to `depth`.
#[inline(always)]
pub(super) unsafe fn tile<S, E, A, B, const R: usize, const C: usize>(
    mut sum: [[E::Lanes<S>; C]; R],
    depth: usize,
    (row, a): (usize, &Factors<'_, A, impl Place>),
    (column, b): (usize, &Factors<'_, B, impl Place>),
) -> [[E::Lanes<S>; C]; R]
where
    S: Simd,
    E: Element,
    A: Operand<E>,
    B: Operand<E>,
{
    for k in 0..depth {
        let mut right = [E::splat::<S>(E::default()); C];
        for (c, right) in right.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            *right = unsafe { b.get(column + c, k) }.lanes::<S>();
        }
        for (r, sums) in sum.iter_mut().enumerate() {
            // SAFETY: as above.
            let left = unsafe { a.get(row + r, k) }.lanes::<S>();
            for (sum, right) in sums.iter_mut().zip(right) {
                *sum = E::mul_add::<S>(left, right, *sum);
            }
        }
    }
    sum
}

/// The extent of a product.
#[derive(Clone, Copy, Debug)]
pub(super) struct Extent {
    /// Rows of the result, each `stride` lane vectors after the one before.
    pub(super) rows: usize,
    /// Columns of the result.
    pub(super) columns: usize,
    /// Terms of each sum.
    pub(super) depth: usize,
    /// Step from one row of the result to the next.
    pub(super) stride: usize,
}

/// `out[i * stride + j] += Σ_k a(i, k) b(j, k)` for every row `i` and column `j`.
///
/// # Panics
/// If a factor or a place of the result lies outside its memory.
#[inline(always)]
pub(super) fn add_product<S, E, A, B>(
    out: &mut [[E; LANES]],
    extent: Extent,
    a: Factors<'_, A, impl Place>,
    b: Factors<'_, B, impl Place>,
) where
    S: Simd,
    E: Element,
    A: Operand<E>,
    B: Operand<E>,
{
    if extent.rows == 0 || extent.columns == 0 {
        return;
    }
    a.check(extent.rows, extent.depth);
    b.check(extent.columns, extent.depth);
    assert!(
        extent.columns <= extent.stride || extent.rows == 1,
        "rows of a product do not overlap"
    );
    assert!(
        (extent.rows - 1) * extent.stride + extent.columns <= out.len(),
        "a product lies within its memory"
    );
    let mut row = 0;
    if E::registers::<S>() >= 32 {
        while row + 4 <= extent.rows {
            columns::<S, E, A, B, 4>(out, extent, (row, &a), &b);
            row += 4;
        }
    } else {
        while row + 2 <= extent.rows {
            columns::<S, E, A, B, 2>(out, extent, (row, &a), &b);
            row += 2;
        }
    }
    while row < extent.rows {
        columns::<S, E, A, B, 1>(out, extent, (row, &a), &b);
        row += 1;
    }
}

/// [`add_product`] for `R` rows from `row` on.
#[inline(always)]
fn columns<S, E, A, B, const R: usize>(
    out: &mut [[E; LANES]],
    extent: Extent,
    (row, a): (usize, &Factors<'_, A, impl Place>),
    b: &Factors<'_, B, impl Place>,
) where
    S: Simd,
    E: Element,
    A: Operand<E>,
    B: Operand<E>,
{
    let mut column = 0;
    if E::registers::<S>() >= 16 {
        while column + 4 <= extent.columns {
            block::<S, E, A, B, R, 4>(out, extent, (row, a), (column, b));
            column += 4;
        }
    } else {
        while column + 2 <= extent.columns {
            block::<S, E, A, B, R, 2>(out, extent, (row, a), (column, b));
            column += 2;
        }
    }
    while column < extent.columns {
        block::<S, E, A, B, R, 1>(out, extent, (row, a), (column, b));
        column += 1;
    }
}

/// [`add_product`] for `R` rows and `C` columns.
#[inline(always)]
fn block<S, E, A, B, const R: usize, const C: usize>(
    out: &mut [[E; LANES]],
    extent: Extent,
    (row, a): (usize, &Factors<'_, A, impl Place>),
    (column, b): (usize, &Factors<'_, B, impl Place>),
) where
    S: Simd,
    E: Element,
    A: Operand<E>,
    B: Operand<E>,
{
    let mut sum = [[E::splat::<S>(E::default()); C]; R];
    for r in 0..R {
        for c in 0..C {
            sum[r][c] = E::load::<S>(&out[(row + r) * extent.stride + column + c]);
        }
    }
    // SAFETY: `add_product` has checked all rows and columns; these are among them.
    let sum = unsafe { tile::<S, E, A, B, R, C>(sum, extent.depth, (row, a), (column, b)) };
    for r in 0..R {
        for c in 0..C {
            E::store::<S>(sum[r][c], &mut out[(row + r) * extent.stride + column + c]);
        }
    }
}

/// [`add_product`] with equal steps, as a separate function whose code the dense layers share.
pub(super) struct StepProduct<'a, E, A, B> {
    pub(super) out: &'a mut [[E; LANES]],
    pub(super) extent: Extent,
    pub(super) a: Factors<'a, A, Steps>,
    pub(super) b: Factors<'a, B, Steps>,
}

impl<E: Element, A: Operand<E>, B: Operand<E>> Work for StepProduct<'_, E, A, B> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        add_product::<S, E, _, _>(self.out, self.extent, self.a, self.b);
    }
}

impl<E: Element, A: Operand<E>, B: Operand<E>> StepProduct<'_, E, A, B> {
    /// Computes it with the instructions of `S`.
    pub(super) fn compute<S: Simd>(self) {
        dispatch(S::INSTRUCTION_SET, self);
    }
}
