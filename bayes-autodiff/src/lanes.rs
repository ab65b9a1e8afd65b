//! Sums over vectors of eight particles at once, which the tape and the replays of traces share.

use crate::function::Function;
use crate::simd::Simd;

/// Number of terms whose logarithms are taken together, as that of their product, which is at most 2^64.
pub(crate) const LOGITS: usize = 64;

/// `Σ ln σ(signed(i))`; shows every slope `1 - σ(signed(i))` to `slope`.
///
/// `ln σ(s) = min(s, 0) - ln(1 + e^-|s|)`. The sum of the logarithms of [`LOGITS`] factors between 1 and 2 is the
/// logarithm of their product. A term may lose digits below the last digit of 1, which the sum would lose anyway.
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

/// `Σ data[k] at(k)`.
#[inline(always)]
pub(crate) fn dot<S: Simd>(data: &[f64], at: impl Fn(usize) -> S::Float) -> S::Float {
    let mut sum = S::splat(0.0);
    for (k, x) in data.iter().enumerate() {
        sum = S::mul_add(S::splat(*x), at(k), sum);
    }
    sum
}

/// `Σ left(k) right(k)` of `len` terms.
#[inline(always)]
pub(crate) fn dot_random<S: Simd>(
    len: usize,
    left: impl Fn(usize) -> S::Float,
    right: impl Fn(usize) -> S::Float,
) -> S::Float {
    let mut sum = S::splat(0.0);
    for k in 0..len {
        sum = S::mul_add(left(k), right(k), sum);
    }
    sum
}

/// `ln Σ e^at(k)` of `len` terms: minus infinity where all are, and for none.
#[inline(always)]
pub(crate) fn log_sum_exp<S: Simd>(len: usize, at: impl Fn(usize) -> S::Float) -> S::Float {
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
    S::add(shift, crate::function::Ln::lanes::<S>(sum))
}

/// `set(i, Σ_k matrix[(i, k)] at(k))` for a matrix `[rows, columns]` stored column by column; the rows in order.
#[inline(always)]
pub(crate) fn matrix_vector<S: Simd>(
    matrix: &[f64],
    rows: usize,
    columns: usize,
    at: impl Fn(usize) -> S::Float,
    mut set: impl FnMut(usize, S::Float),
) {
    assert_eq!(
        matrix.len(),
        rows * columns,
        "a matrix has rows times columns entries"
    );
    let mut start = 0;
    while start + S::SUMS <= rows {
        // rows that are summed side by side, in registers
        if const { S::SUMS == 6 } {
            rows_from::<S, 6>(matrix, [rows, columns], start, &at, &mut set);
        } else {
            rows_from::<S, 8>(matrix, [rows, columns], start, &at, &mut set);
        }
        start += S::SUMS;
    }
    for i in start..rows {
        rows_from::<S, 1>(matrix, [rows, columns], i, &at, &mut set);
    }
}

/// [`matrix_vector`] for the `N` rows from `start` on.
#[inline(always)]
fn rows_from<S: Simd, const N: usize>(
    matrix: &[f64],
    shape: [usize; 2],
    start: usize,
    at: &impl Fn(usize) -> S::Float,
    set: &mut impl FnMut(usize, S::Float),
) {
    let sums = sums_of_rows::<S, N>(matrix, shape, start, at);
    for (i, sum) in sums.into_iter().enumerate() {
        set(start + i, sum);
    }
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
