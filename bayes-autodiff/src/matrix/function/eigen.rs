//! Eigenvalues and eigenvectors of a symmetric matrix, by rotations that take one element after the other to 0 (Jacobi 1846; Golub and Van
//! Loan 2013, section 8.5).

use super::{Arithmetic, product, transposed};

/// The rotations of all elements are repeated this number of times. They converge quadratically, after six to nine for matrices of up to
/// 50 rows; the rest is for the derivatives, which converge behind the values.
const SWEEPS: usize = 14;
/// The largest element that may be left beside the diagonal, relative to the largest of the matrix; otherwise all results are NaN.
const LEFT_OVER: f64 = 1e-13;
/// The smallest distance of two eigenvalues, relative to the largest, at which their eigenvectors are known to about 1e-4.
const DISTINCT: f64 = 2e-12;
/// The largest relative difference of the adjoints of two eigenvalues that are not distinct, for a function that treats them alike.
const ALIKE: f64 = 1e-4;

/// The eigenvalues in increasing order, and the eigenvectors, the columns of a matrix.
#[inline(always)]
pub(super) fn eigen<A: Arithmetic>(dim: usize, of: &[A::X]) -> Vec<A::X> {
    let (zero, one) = (A::constant(0.0), A::constant(1.0));
    let mut largest = zero;
    for i in 0..dim {
        for k in 0..=i {
            largest = A::max(largest, A::abs(of[i * dim + k]));
        }
    }
    let scale = A::where_less(zero, largest, largest, one);
    let mut matrix = of.to_vec();
    let mut vectors = vec![zero; dim * dim];
    for i in 0..dim {
        vectors[i * dim + i] = one;
        for k in 0..=i {
            let x = A::div(of[i * dim + k], scale);
            matrix[i * dim + k] = x;
            matrix[k * dim + i] = x;
        }
    }
    for _ in 0..SWEEPS {
        for p in 0..dim {
            for q in p + 1..dim {
                rotate::<A>(dim, [p, q], &mut matrix, &mut vectors);
            }
        }
    }
    let mut values: Vec<A::X> = Vec::with_capacity(dim * dim + dim);
    for i in 0..dim {
        values.push(A::mul(matrix[i * dim + i], scale));
    }
    order::<A>(dim, &mut values, &mut vectors);
    let faults = A::add(left_over::<A>(dim, &matrix), without_slopes::<A>(&values));
    values.extend_from_slice(&vectors);
    for x in &mut values {
        *x = A::add(*x, faults);
    }
    values
}

/// The rotation of two coordinates that takes the element between them to 0.
#[inline(always)]
fn rotate<A: Arithmetic>(
    dim: usize,
    [p, q]: [usize; 2],
    matrix: &mut [A::X],
    vectors: &mut [A::X],
) {
    let (zero, one) = (A::constant(0.0), A::constant(1.0));
    let between = matrix[p * dim + q];
    let gap = A::sub(matrix[q * dim + q], matrix[p * dim + p]);
    let half = A::mul(gap, A::constant(0.5));
    let root = A::sqrt(A::add(A::mul(half, half), A::mul(between, between)));
    let signed = A::where_less(half, zero, A::sub(half, root), A::add(half, root));
    // without anything to rotate the tangent is the root, 0, whose slope is not a number: repeated eigenvalues have no vectors of their own
    let tangent = A::where_less(zero, root, A::div(between, signed), root);
    let cosine = A::div(one, A::sqrt(A::add(one, A::mul(tangent, tangent))));
    let sine = A::mul(tangent, cosine);
    for i in 0..dim {
        turn::<A>(matrix, [i * dim + p, i * dim + q], [cosine, sine]);
    }
    for k in 0..dim {
        turn::<A>(matrix, [p * dim + k, q * dim + k], [cosine, sine]);
        turn::<A>(vectors, [k * dim + p, k * dim + q], [cosine, sine]);
    }
}

/// Turns two elements.
#[inline(always)]
fn turn<A: Arithmetic>(
    elements: &mut [A::X],
    [first, second]: [usize; 2],
    [cosine, sine]: [A::X; 2],
) {
    let (x, y) = (elements[first], elements[second]);
    elements[first] = A::sub(A::mul(cosine, x), A::mul(sine, y));
    elements[second] = A::add(A::mul(sine, x), A::mul(cosine, y));
}

/// Puts the values in increasing order, their vectors with them, and gives each vector a sign: its product with `√1, √2, √3, ...` is above 0.
#[inline(always)]
fn order<A: Arithmetic>(dim: usize, values: &mut [A::X], vectors: &mut [A::X]) {
    for last in (1..dim).rev() {
        for k in 0..last {
            let sizes = [values[k + 1], values[k]];
            [values[k], values[k + 1]] = A::swap_where_less(sizes, [values[k], values[k + 1]]);
            for row in vectors.chunks_exact_mut(dim) {
                [row[k], row[k + 1]] = A::swap_where_less(sizes, [row[k], row[k + 1]]);
            }
        }
    }
    let zero = A::constant(0.0);
    for k in 0..dim {
        let mut sum = zero;
        for i in 0..dim {
            let weight = A::constant((i as f64 + 1.0).sqrt());
            sum = A::add(sum, A::mul(weight, vectors[i * dim + k]));
        }
        for i in 0..dim {
            let x = vectors[i * dim + k];
            vectors[i * dim + k] = A::where_less(sum, zero, A::sub(zero, x), x);
        }
    }
}

/// NaN if something is left beside the diagonal of the rotated matrix, else 0.
#[inline(always)]
fn left_over<A: Arithmetic>(dim: usize, matrix: &[A::X]) -> A::X {
    let mut most = A::constant(0.0);
    for i in 0..dim {
        for k in 0..i {
            most = A::max(most, A::abs(matrix[i * dim + k]));
        }
    }
    let [limit, zero, nan] = [LEFT_OVER, 0.0, f64::NAN].map(A::constant);
    A::where_less(limit, most, nan, zero)
}

/// 0, with derivatives that are not numbers if two values are not distinct: they are sums over dual numbers, which would not know.
#[inline(always)]
fn without_slopes<A: Arithmetic>(values: &[A::X]) -> A::X {
    let limit = distance::<A>(values);
    let mut sum = A::constant(0.0);
    for pair in values.windows(2) {
        let gap = A::sub(pair[1], pair[0]);
        let fault = A::sqrt(A::sub(gap, gap));
        sum = A::add(sum, A::where_less(limit, gap, A::constant(0.0), fault));
    }
    sum
}

/// The distance above which values are distinct.
#[inline(always)]
fn distance<A: Arithmetic>(values: &[A::X]) -> A::X {
    let mut largest = A::constant(0.0);
    for x in values {
        largest = A::max(largest, A::abs(*x));
    }
    A::mul(largest, A::constant(DISTINCT))
}

/// `V (diag(λ̄) + ½ (G - Gᵀ)/(λ_k - λ_i)) Vᵀ` for `G = Vᵀ V̄` (Giles 2008, section 3), on and below the diagonal, which is all that is read.
///
/// NaN where two eigenvalues are not distinct, unless nothing depends on their vectors and the function treats the two alike, as a sum does.
#[inline(always)]
pub(super) fn adjoint<A: Arithmetic>(dim: usize, results: &[A::X], adjoints: &[A::X]) -> Vec<A::X> {
    let zero = A::constant(0.0);
    let (values, vectors) = results.split_at(dim);
    let (slopes, of_vectors) = adjoints.split_at(dim);
    let limit = distance::<A>(values);
    let across = transposed(dim, vectors);
    let turns = product::<A>(dim, &across, of_vectors);
    let mut inner = vec![zero; dim * dim];
    for i in 0..dim {
        inner[i * dim + i] = slopes[i];
        for k in 0..i {
            let gap = A::sub(values[i], values[k]);
            let turn = A::sub(turns[k * dim + i], turns[i * dim + k]);
            let apart = A::div(A::mul(turn, A::constant(0.5)), gap);
            let size = A::add(A::abs(slopes[i]), A::abs(slopes[k]));
            let unlike = A::sub(
                A::abs(A::sub(slopes[i], slopes[k])),
                A::mul(size, A::constant(ALIKE)),
            );
            let worst = A::max(unlike, A::abs(turn));
            // a product, so that NaN stays NaN
            let together = A::where_less(zero, worst, A::constant(f64::NAN), A::mul(zero, worst));
            let entry = A::where_less(limit, gap, apart, together);
            inner[i * dim + k] = entry;
            inner[k * dim + i] = entry;
        }
    }
    let mut all = product::<A>(dim, &product::<A>(dim, vectors, &inner), &across);
    for i in 0..dim {
        for k in 0..dim {
            let factor = if k < i {
                2.0
            } else {
                f64::from(u8::from(i == k))
            };
            all[i * dim + k] = A::mul(all[i * dim + k], A::constant(factor));
        }
    }
    all
}
