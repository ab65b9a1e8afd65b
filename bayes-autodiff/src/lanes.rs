//! Eight numbers in memory, and sums over vectors of them.

use crate::function::Function;
use crate::simd::{LANES, Simd};
use crate::special::FAR;

/// Eight numbers in memory, the same for every instruction set.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(crate) struct Lane(pub [f64; LANES]);

impl Lane {
    pub(crate) const ZERO: Self = Self([0.0; LANES]);
}

/// Number of factors with a common logarithm, the logarithm of their product, which is at most 2^64.
pub(crate) const LOGITS: usize = 64;

/// `Σ ln σ(signed(i))`; passes every slope `1 - σ(signed(i))` to `slope`.
///
/// `ln σ(s) = min(s, 0) - ln(1 + e^-|s|)`. The sum of the logarithms of [`LOGITS`] factors between 1 and 2 is the logarithm of their
/// product. A term may lose digits below the last digit of 1, but the sum would lose them anyway.
#[inline(always)]
pub(crate) fn log_logistic_sum<S: Simd>(
    len: usize,
    signed: impl Fn(usize) -> S::Float,
    mut slope: impl FnMut(usize, S::Float),
) -> S::Float {
    let (zero, one) = (S::splat(0.0), S::splat(1.0));
    let mut sum = zero;
    let mut start = 0;
    while start < len {
        let end = (start + LOGITS).min(len);
        let mut product = one;
        for i in start..end {
            let s = signed(i);
            let e = crate::function::Exp::lanes::<S>(S::neg(S::abs(s)));
            let total = S::add(one, e);
            product = S::mul(product, total);
            let negative = S::lt(s, zero);
            sum = S::add(sum, S::select(negative, s, zero));
            slope(i, S::div(S::select(negative, one, e), total));
        }
        sum = S::sub(sum, crate::function::Ln::lanes::<S>(product));
        start = end;
    }
    sum
}

/// A total of exponentials.
pub(crate) struct Total<S: Simd> {
    /// `ln Σ eˣ`: minus infinity if all terms are, and for no terms.
    pub(crate) log: S::Float,
    /// What is subtracted from a term to find its share.
    from: S::Float,
    /// What the exponential of the rest is multiplied by.
    factor: S::Float,
}

impl<S: Simd> Total<S> {
    /// Of `len` terms.
    #[inline(always)]
    pub(crate) fn of(len: usize, at: impl Fn(usize) -> S::Float) -> Self {
        let [log, shift, sum] = parts::<S>(len, at);
        let size = S::abs(log);
        let (zero, one) = (S::splat(0.0), S::splat(1.0));
        // 1 for a total that is far from 0 and finite
        let far = S::select(S::lt(S::splat(FAR), size), one, zero);
        let far = S::select(S::lt(size, S::splat(f64::INFINITY)), far, zero);
        let is_far = S::eq(far, one);
        Self {
            log,
            from: S::select(is_far, shift, log),
            factor: S::select(is_far, S::div(one, sum), one),
        }
    }

    /// The share of the term `x` in the total; 0 if the total is minus infinity.
    #[inline(always)]
    pub(crate) fn share(&self, x: S::Float) -> S::Float {
        let nothing = S::eq(self.log, S::splat(f64::NEG_INFINITY));
        let share = crate::function::Exp::lanes::<S>(S::sub(x, self.from));
        S::select(nothing, S::splat(0.0), S::mul(share, self.factor))
    }
}

/// `ln Σ e^at(k)`, the shift `s` of the terms, and `Σ e^(at(k) - s)`.
#[inline(always)]
fn parts<S: Simd>(len: usize, at: impl Fn(usize) -> S::Float) -> [S::Float; 3] {
    let mut largest = S::splat(f64::NEG_INFINITY);
    for k in 0..len {
        let x = at(k);
        // the comparison is false for NaN; the sum below restores it
        largest = S::select(S::lt(largest, x), x, largest);
    }
    // no `∞ - ∞`: an infinite maximum is the result itself
    let infinite = S::eq(S::abs(largest), S::splat(f64::INFINITY));
    let shift = S::select(infinite, S::splat(0.0), largest);
    let mut sum = S::splat(0.0);
    for k in 0..len {
        sum = S::add(sum, crate::function::Exp::lanes::<S>(S::sub(at(k), shift)));
    }
    let log = S::add(shift, crate::function::Ln::lanes::<S>(sum));
    [log, shift, sum]
}

/// `Σ_k matrix[(i, k)] at(k)` for the `N` rows from `start` on, of a matrix `[rows, columns]` stored column by column.
#[inline(always)]
pub(crate) fn sums_of_rows<S: Simd, const N: usize>(
    matrix: &[f64],
    [rows, columns]: [usize; 2],
    start: usize,
    at: &impl Fn(usize) -> S::Float,
) -> [S::Float; N] {
    let mut sums = [S::splat(0.0); N];
    for k in 0..columns {
        let v = at(k);
        let column = &matrix[k * rows + start..k * rows + start + N];
        for i in 0..N {
            sums[i] = S::mul_add(S::splat(column[i]), v, sums[i]);
        }
    }
    sums
}
