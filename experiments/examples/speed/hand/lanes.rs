//! Logistic regression by hand with eight particles in a vector: as fast as we can make it, for comparison.
//!
//! Three passes over a block of rows that stays in the first-level cache: linear predictors of four rows at a time, the
//! coefficients in registers; the link; the gradient, its sums in registers. `Σ ln(1 + eᵢ)` is the logarithm of a
//! product of factors between 1 and 2, so that all rows need one logarithm.

use super::simd::{Eight, Halves, LANES, exp};
use std::arch::x86_64::__m512d;
use std::f64::consts::{LN_2, TAU};

/// Columns.
pub const COLUMNS: usize = 15;

/// Rows of a block.
const ROWS: usize = 64;

/// Data laid out for the passes.
pub struct Credit {
    /// `[rows, columns]`, padded with zeros to a multiple of four rows.
    x: Vec<[f64; COLUMNS]>,
    /// 1 for a good risk, -1 for a bad one.
    sign: Vec<f64>,
    /// Number of padding rows: each contributes ln ½ at every position.
    padding: usize,
}

/// The instruction sets with a separate version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// AVX-512F.
    Avx512,
    /// AVX2 with FMA.
    Avx2,
}

impl Set {
    /// The instruction sets of this processor.
    pub fn available() -> Vec<Self> {
        let mut sets = Vec::new();
        if is_x86_feature_detected!("avx512f") {
            sets.push(Self::Avx512);
        }
        if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
            sets.push(Self::Avx2);
        }
        sets
    }
}

impl Credit {
    /// Stores the rows; at most 1000, so that the product of their factors stays in range.
    pub fn new(rows: &[[f64; COLUMNS]], y: &[bool]) -> Self {
        assert!(
            rows.len() <= 1000,
            "the product of the factors would overflow"
        );
        let padding = rows.len().next_multiple_of(4) - rows.len();
        let mut x = rows.to_vec();
        x.resize(rows.len() + padding, [0.0; COLUMNS]);
        let mut sign: Vec<f64> = y.iter().map(|y| if *y { 1.0 } else { -1.0 }).collect();
        sign.resize(x.len(), 1.0);
        Self { x, sign, padding }
    }

    /// Log densities `[particles]` and gradients `[particles, columns]` at positions `[particles, columns]`; the
    /// number of particles is a multiple of eight.
    pub fn evaluate(
        &self,
        set: Set,
        positions: &[f64],
        log_density: &mut [f64],
        gradient: &mut [f64],
    ) {
        assert!(Set::available().contains(&set) && log_density.len().is_multiple_of(LANES));
        let size = LANES * COLUMNS;
        let blocks = positions
            .chunks_exact(size)
            .zip(gradient.chunks_exact_mut(size));
        for ((positions, gradient), log_density) in blocks.zip(log_density.chunks_exact_mut(LANES))
        {
            // SAFETY: the processor has the instruction set.
            let found = unsafe {
                match set {
                    Set::Avx512 => avx512(self, positions, gradient),
                    Set::Avx2 => avx2(self, positions, gradient),
                }
            };
            log_density.copy_from_slice(&found);
        }
    }
}

/// # Safety
/// AVX-512F.
#[target_feature(enable = "avx512f,avx512dq,avx512vl,avx2,fma")]
unsafe fn avx512(data: &Credit, positions: &[f64], gradient: &mut [f64]) -> [f64; LANES] {
    // SAFETY: by the caller.
    unsafe { block::<__m512d, COLUMNS>(data, positions, gradient) }
}

/// # Safety
/// AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
unsafe fn avx2(data: &Credit, positions: &[f64], gradient: &mut [f64]) -> [f64; LANES] {
    // SAFETY: by the caller.
    unsafe { block::<Halves, 5>(data, positions, gradient) }
}

/// Eight particles; the sums of the gradient are kept in registers `GROUP` columns at a time.
///
/// # Safety
/// The instruction set of `V`.
#[inline(always)]
unsafe fn block<V: Eight, const GROUP: usize>(
    data: &Credit,
    positions: &[f64],
    gradient: &mut [f64],
) -> [f64; LANES] {
    // SAFETY: by the caller.
    unsafe {
        let mut beta = [V::splat(0.0); COLUMNS];
        for (k, b) in beta.iter_mut().enumerate() {
            *b = V::load(&std::array::from_fn(|lane| positions[lane * COLUMNS + k]));
        }
        let (mut slopes, mut squares) = (beta, V::splat(0.0));
        for k in 0..COLUMNS {
            slopes[k] = beta[k].mul(V::splat(-0.01));
            squares = beta[k].mul_add(beta[k], squares);
        }
        let (mut sum, mut products) = (V::splat(0.0), [V::splat(1.0); 4]);
        let mut misses = [V::splat(0.0); ROWS];
        for (x, sign) in data.x.chunks(ROWS).zip(data.sign.chunks(ROWS)) {
            let fours = x.chunks_exact(4).zip(sign.chunks_exact(4));
            for ((x, sign), misses) in fours.zip(misses.chunks_exact_mut(4)) {
                link(predictors(x, &beta), sign, &mut sum, &mut products, misses);
            }
            for first in (0..COLUMNS).step_by(GROUP) {
                gather::<V, GROUP>(x, &misses, first, &mut slopes[first..first + GROUP]);
            }
        }
        for (k, slope) in slopes.iter().enumerate() {
            for (lane, slope) in slope.store().iter().enumerate() {
                gradient[lane * COLUMNS + k] = *slope;
            }
        }
        let product = products[0]
            .mul(products[1])
            .mul(products[2].mul(products[3]));
        let (sum, squares) = (sum.store(), squares.store());
        let constant = data.padding as f64 * LN_2 - COLUMNS as f64 * (10f64.ln() + 0.5 * TAU.ln());
        let product = product.store();
        std::array::from_fn(|i| sum[i] - product[i].ln() - 0.005 * squares[i] + constant)
    }
}

/// Linear predictors of four rows.
///
/// # Safety
/// The instruction set of `V`.
#[inline(always)]
unsafe fn predictors<V: Eight>(x: &[[f64; COLUMNS]], beta: &[V; COLUMNS]) -> [V; 4] {
    // SAFETY: by the caller.
    unsafe {
        let mut eta = [V::splat(0.0); 4];
        for k in 0..COLUMNS {
            for q in 0..4 {
                eta[q] = V::splat(x[q][k]).mul_add(beta[k], eta[q]);
            }
        }
        eta
    }
}

/// The terms of four rows: `Σ min(s, 0)` and the factors `1 + e^(-|s|)` of the value, and the slopes in the predictors.
///
/// # Safety
/// The instruction set of `V`.
#[inline(always)]
unsafe fn link<V: Eight>(
    eta: [V; 4],
    sign: &[f64],
    sum: &mut V,
    products: &mut [V; 4],
    misses: &mut [V],
) {
    // SAFETY: by the caller.
    unsafe {
        let (mut s, mut a) = (eta, eta);
        for q in 0..4 {
            s[q] = eta[q].mul(V::splat(sign[q]));
            a[q] = s[q].abs().mul(V::splat(-1.0));
            *sum = sum.add(s[q].min(V::splat(0.0)));
        }
        let e = exp(a);
        for q in 0..4 {
            let factor = e[q].add(V::splat(1.0));
            products[q] = products[q].mul(factor);
            let right = V::splat(sign[q]).div(factor);
            misses[q] = s[q].positive(right.mul(e[q]), right);
        }
    }
}

/// Adds the rows of a block to the slopes of `GROUP` columns.
///
/// # Safety
/// The instruction set of `V`.
#[inline(always)]
unsafe fn gather<V: Eight, const GROUP: usize>(
    x: &[[f64; COLUMNS]],
    misses: &[V; ROWS],
    first: usize,
    slopes: &mut [V],
) {
    // SAFETY: by the caller.
    unsafe {
        let mut sums = [V::splat(0.0); GROUP];
        sums.copy_from_slice(slopes);
        for (row, miss) in x.iter().zip(misses) {
            for k in 0..GROUP {
                sums[k] = V::splat(row[first + k]).mul_add(*miss, sums[k]);
            }
        }
        slopes.copy_from_slice(&sums);
    }
}
