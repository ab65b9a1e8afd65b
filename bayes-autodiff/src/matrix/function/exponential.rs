//! The exponential of a matrix, by a Taylor polynomial of degree 16 of a half, a quarter, ... of it, and squares (Moler and Van
//! Loan 2003, method 3).

use super::{Arithmetic, product, transposed};

/// The largest 1-norm of the argument of the polynomial. The rest of the series, at most `‖X‖¹⁷/17!`, is below 1e-19, and that of its derivative
/// below 1e-18.
const LARGEST_NORM: f64 = 0.5;
/// The largest number of squares.
const SQUARES: usize = 64;

/// `e^A`; not finite if the matrix is not.
#[inline(always)]
pub(super) fn exponential<A: Arithmetic>(dim: usize, of: &[A::X]) -> Vec<A::X> {
    by_squares::<A>(dim, of, share::<A>(dim, of))
}

/// The power of 1/2 that takes the matrix to the largest norm or below it.
#[inline(always)]
fn share<A: Arithmetic>(dim: usize, of: &[A::X]) -> A::X {
    let mut norm = A::constant(0.0);
    for k in 0..dim {
        let mut sum = A::constant(0.0);
        for i in 0..dim {
            sum = A::add(sum, A::abs(of[i * dim + k]));
        }
        norm = A::max(norm, sum);
    }
    let mut share = A::constant(1.0);
    for _ in 0..SQUARES {
        let half = A::mul(share, A::constant(0.5));
        let limit = A::constant(LARGEST_NORM);
        share = A::where_less(limit, A::mul(norm, share), half, share);
    }
    share
}

/// The polynomial of `share A`, squared until the share is 1.
#[inline(always)]
fn by_squares<A: Arithmetic>(dim: usize, of: &[A::X], mut share: A::X) -> Vec<A::X> {
    let mut part = of.to_vec();
    for x in &mut part {
        *x = A::mul(*x, share);
    }
    let mut all = polynomial::<A>(dim, part);
    let one = A::constant(1.0);
    while A::any_less(share, one) {
        let square = product::<A>(dim, &all, &all);
        for (x, square) in all.iter_mut().zip(square) {
            *x = A::where_less(share, one, square, *x);
        }
        share = A::where_less(share, one, A::add(share, share), share);
    }
    all
}

/// `Σ Xᵏ/k!` up to 16, in six products (Paterson and Stockmeyer 1973).
#[inline(always)]
fn polynomial<A: Arithmetic>(dim: usize, x: Vec<A::X>) -> Vec<A::X> {
    let mut inverse_factorials = [1.0; 17];
    for k in 1..17 {
        inverse_factorials[k] = inverse_factorials[k - 1] / k as f64;
    }
    let second = product::<A>(dim, &x, &x);
    let third = product::<A>(dim, &second, &x);
    let fourth = product::<A>(dim, &second, &second);
    let powers = [x, second, third];
    let mut all = fourth.clone();
    for x in &mut all {
        *x = A::mul(*x, A::constant(inverse_factorials[16]));
    }
    for first in [12, 8, 4, 0] {
        if first < 12 {
            all = product::<A>(dim, &all, &fourth);
        }
        for (power, coefficient) in powers.iter().zip(&inverse_factorials[first + 1..]) {
            for (sum, x) in all.iter_mut().zip(power) {
                *sum = A::add(*sum, A::mul(*x, A::constant(*coefficient)));
            }
        }
        for i in 0..dim {
            let place = i * dim + i;
            all[place] = A::add(all[place], A::constant(inverse_factorials[first]));
        }
    }
    all
}

/// The derivative of the exponential at `Aᵀ` in the direction of the adjoints: the block above the diagonal of the exponential of
/// `[[Aᵀ, Ē], [0, Aᵀ]]` (Al-Mohy and Higham 2009, equation 1.3). The block is linear in `Ē`, so it needs no more squares than `A`.
#[inline(always)]
pub(super) fn adjoint<A: Arithmetic>(dim: usize, of: &[A::X], adjoints: &[A::X]) -> Vec<A::X> {
    let across = transposed(dim, of);
    let width = 2 * dim;
    let mut blocks = vec![A::constant(0.0); width * width];
    for i in 0..dim {
        let row = i * dim..(i + 1) * dim;
        blocks[i * width..][..dim].copy_from_slice(&across[row.clone()]);
        blocks[i * width + dim..][..dim].copy_from_slice(&adjoints[row.clone()]);
        blocks[(dim + i) * width + dim..][..dim].copy_from_slice(&across[row]);
    }
    let all = by_squares::<A>(width, &blocks, share::<A>(dim, &across));
    let mut derivative = Vec::with_capacity(dim * dim);
    for i in 0..dim {
        derivative.extend_from_slice(&all[i * width + dim..(i + 1) * width]);
    }
    derivative
}
