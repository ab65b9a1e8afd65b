//! Sparse matrices against dense ones.

use super::{SparseFactor, SparsePattern, SparsePencil};
use crate::dual::Dual2;
use crate::{Real, Value};
use nalgebra::{DMatrix, DVector};

/// A grid of `side` x `side` places, with its diagonals and three long pairs.
fn grid(side: usize) -> SparsePattern {
    let mut pairs = vec![
        (0, side * side - 1),
        (side, side * side - 2),
        (1, side * side - 1),
    ];
    for i in 0..side {
        for j in 0..side {
            let place = i * side + j;
            if j + 1 < side {
                pairs.push((place, place + 1));
            }
            if i + 1 < side {
                pairs.push((place + side, place));
            }
            if i + 1 < side && j + 1 < side {
                pairs.push((place, place + side + 1));
            }
        }
    }
    SparsePattern::new(side * side, &pairs)
}

/// Entries of a positive definite matrix.
fn entries(pattern: &SparsePattern) -> Vec<f64> {
    let entry = |(k, [i, j]): (usize, &[u32; 2])| {
        let wave = (k as f64 * 0.7).sin();
        if i == j { 9.0 + wave } else { wave }
    };
    pattern.entries().iter().enumerate().map(entry).collect()
}

fn dense(pattern: &SparsePattern, values: &[f64]) -> DMatrix<f64> {
    let mut matrix = DMatrix::zeros(pattern.len(), pattern.len());
    for ([i, j], x) in pattern.entries().iter().zip(values) {
        let (i, j) = (*i as usize, *j as usize);
        (matrix[(i, j)], matrix[(j, i)]) = (*x, *x);
    }
    matrix
}

/// Mutations meant to be detected: a column without the rows of an earlier one, an entry that is stored at another place.
#[test]
fn systems_determinants_and_variances_are_those_of_the_dense_matrix() {
    let pattern = grid(7);
    let values = entries(&pattern);
    let matrix = dense(&pattern, &values);
    let factor = SparseFactor::new(&pattern, &values).expect("it is positive definite");
    let other = matrix.clone().cholesky().expect("it is positive definite");
    let wanted = 2.0 * other.l().diagonal().map(f64::ln).sum();
    assert!((factor.log_determinant() - wanted).abs() < 1e-11);
    let b = DVector::from_fn(pattern.len(), |i, _| (i as f64).cos());
    let mut x = b.as_slice().to_vec();
    factor.solve(&mut x);
    let rest = matrix.clone() * DVector::from_vec(x) - b;
    assert!(rest.amax() < 1e-13, "{}", rest.amax());
    let inverse = other.inverse();
    for (i, variance) in factor.variances().iter().enumerate() {
        assert!((variance - inverse[(i, i)]).abs() < 1e-14, "place {i}");
    }
}

/// The draws of unit vectors are the columns of a square root of the inverse.
#[test]
fn draws_have_the_inverse_as_their_covariance() {
    let pattern = grid(4);
    let values = entries(&pattern);
    let factor = SparseFactor::new(&pattern, &values).expect("it is positive definite");
    let n = pattern.len();
    let mut root = DMatrix::zeros(n, n);
    for k in 0..n {
        let mut z = vec![0.0; n];
        z[k] = 1.0;
        factor.draw(&mut z);
        root.column_mut(k).copy_from_slice(&z);
    }
    let identity = &root * root.transpose() * dense(&pattern, &values);
    let error = (identity - DMatrix::identity(n, n)).amax();
    assert!(error < 1e-13, "{error}");
}

#[test]
fn matrices_that_are_not_positive_definite_have_no_factor() {
    let pattern = SparsePattern::new(2, &[(0, 1)]);
    let wrong = |values: [f64; 3]| SparseFactor::new(&pattern, &values).err();
    let second = wrong([1.0, 2.0, 1.0]).expect("its determinant is -3");
    assert_eq!((second.place, second.pivot), (1, -3.0));
    // two negative pivots: their product is positive
    assert!(wrong([-1.0, 0.0, -1.0]).is_some());
    assert!(wrong([f64::NAN, 0.0, 1.0]).is_some());
    assert_eq!(wrong([1.0, 0.0, 1.0]), None);
}

/// The rounding errors of a singular matrix leave a last pivot of either sign. Multiples of a Laplacian on graphs of degree 2, 3 and 4.
#[test]
fn a_singular_matrix_whose_last_pivot_is_rounding_has_no_factor() {
    for n in [8, 50, 400] {
        for jumps in [vec![1], vec![1, n / 2], vec![1, 7 % n]] {
            let ahead = |i: usize| jumps.iter().map(move |jump| (i, (i + jump) % n));
            let pairs: Vec<(usize, usize)> = (0..n).flat_map(ahead).collect();
            let pattern = SparsePattern::new(n, &pairs);
            let mut degrees = vec![0.0; n];
            for [i, j] in pattern.entries().iter().filter(|[i, j]| i != j) {
                degrees[*i as usize] += 1.0;
                degrees[*j as usize] += 1.0;
            }
            for tau in [0.1, 1.0, 1.7, 3.3e5] {
                let of = |rho: f64| {
                    let entry = |[i, j]: &[u32; 2]| match i == j {
                        true => tau * degrees[*i as usize],
                        false => -tau * rho,
                    };
                    let values: Vec<f64> = pattern.entries().iter().map(entry).collect();
                    SparseFactor::new(&pattern, &values)
                };
                let pivot = of(1.0).expect_err("its rows sum to 0").pivot;
                assert!(pivot.abs() < 1e-10 * tau, "{n} {jumps:?} {tau}: {pivot}");
                assert!(of(1.0 - 1e-9).is_ok(), "{n} {jumps:?} {tau}");
            }
        }
    }
}

/// A grid of 900 places by rows has a factor of 27,000 entries.
#[test]
fn the_order_of_elimination_keeps_the_factor_sparse() {
    let pairs = (0..900_usize).flat_map(|i| {
        let right = (i % 30 < 29).then_some((i, i + 1));
        let below = (i < 870).then_some((i, i + 30));
        right.into_iter().chain(below)
    });
    let pattern = SparsePattern::new(900, &pairs.collect::<Vec<_>>());
    assert!(pattern.factor_len() < 12_000, "{}", pattern.factor_len());
}

/// `A + x B`: a diagonal that differs by place, and the Laplacian of a grid.
fn pencil(side: usize) -> (SparsePattern, Vec<[f64; 2]>) {
    let pattern = grid(side);
    let mut degrees = vec![0.0; pattern.len()];
    for [i, j] in pattern.entries().iter().filter(|[i, j]| i != j) {
        degrees[*i as usize] += 1.0;
        degrees[*j as usize] += 1.0;
    }
    let entry = |[i, j]: &[u32; 2]| match i == j {
        true => [1.0 + 0.3 * f64::from(*i).sin(), degrees[*i as usize]],
        false => [0.0, -1.0],
    };
    let entries = pattern.entries().iter().map(entry).collect();
    (pattern, entries)
}

/// Its values and slopes, over all pieces and beyond them, are those of eigenvalues: `Σ ln (1 + x λ) + ln det A`.
///
/// Mutations meant to be detected: fewer nodes, a piece too far, a slope that is not of `ln x`.
#[test]
fn determinants_of_a_pencil_are_those_of_its_eigenvalues() {
    let (pattern, entries) = pencil(6);
    let part = |k: usize| -> Vec<f64> { entries.iter().map(|entry| entry[k]).collect() };
    let [first, second] = [0, 1].map(|k| dense(&pattern, &part(k)));
    let roots = first.diagonal().map(|x| 1.0 / x.sqrt());
    let scaled = DMatrix::from_fn(pattern.len(), pattern.len(), |i, j| {
        roots[i] * second[(i, j)] * roots[j]
    });
    let eigenvalues = scaled.symmetric_eigenvalues();
    let constant: f64 = first.diagonal().map(f64::ln).sum();
    let pencil = SparsePencil::new(&pattern, entries);
    for k in -260_i32..260 {
        let x = (f64::from(k) * 0.1).exp();
        let wanted = [
            constant + eigenvalues.map(|e| (x * e).ln_1p()).sum(),
            eigenvalues.map(|e| e / (1.0 + x * e)).sum(),
            -eigenvalues.map(|e| (e / (1.0 + x * e)).powi(2)).sum(),
        ];
        let found = pencil.log_determinant(Dual2::<1>::variable(x, 0));
        let (value, slope) = (found.primal(), Dual2::gradient(found)[0]);
        let in_piece = pencil.in_piece(x);
        // the pieces reach to logarithms of 24
        assert!(
            i32::abs(k) == 240 || in_piece.is_some() == (i32::abs(k) < 240),
            "{x}"
        );
        assert!(in_piece.is_none_or(|pair| pair == (value, slope)), "{x}");
        let curvature = Dual2::hessian(found)[0][0];
        // slopes are those in `ln x`, of which the value is a sum of Chebyshev polynomials to degree 31: their first and second derivatives have
        // up to 31³ / 3 = 1e4 and 31⁵ / 15 = 2e6 times the rounding of the value
        for (got, wanted, unit, bound, amplified) in [
            (value, wanted[0], 1.0, 1e-13, 1.0),
            (slope, wanted[1], x, 1e-11, 1e2),
            (curvature, wanted[2], x * x, 3e-9, 1e4),
        ] {
            // from 1e6 on the first matrix is rounding beside the second
            let rounding = f64::max(bound, x * 1e-15 * amplified);
            let off = (got - wanted).abs() * unit;
            let size = (wanted * unit).abs().max(value.abs()) + 1.0;
            assert!(off <= rounding * size, "{x}: {got}, {wanted}");
        }
    }
    let at = |x: f64| pencil.log_determinant(Real::<Value>::constant(x)).primal();
    // the sum is positive definite for some negative numbers too
    assert!((at(0.0) - constant).abs() < 1e-12);
    let wanted = constant + eigenvalues.map(|e| (-0.02 * e).ln_1p()).sum();
    assert!((at(-0.02) - wanted).abs() < 1e-12);
    assert!(at(-1.0).is_nan() && at(f64::NAN).is_nan() && at(f64::INFINITY).is_nan());
}

#[test]
fn a_matrix_is_factorised_once() {
    let pattern = grid(3);
    let values = entries(&pattern);
    let mut k = 0;
    let matrix = pattern.matrix::<Value>(|_, _| {
        k += 1;
        Real::constant(values[k - 1])
    });
    let [first, again] = [matrix.factor(), matrix.factor()].map(|f| f.expect("it has one"));
    assert!(std::ptr::eq(first, again));
    assert_eq!(first.log_determinant(), matrix.log_determinant().primal());
}
