//! Data, literals and random quantities mix freely inside generic code.

use bayes_autodiff::{Dual, Matrix, Mode, Real, Value, Vector, dot, log_sum_exp};
use nalgebra::{DMatrix, DVector, dmatrix, dvector};

/// Plain products of floats must go on working beside products with random quantities.
fn scalars<M: Mode>(a: Real<M>, x: &[f64]) -> Real<M> {
    let plain = x[0] * x[1] + 2.0 * 3.0 + x[0] / 4.0;
    let mut sum = a * plain + 1.0 - x[0] * a / 2.0;
    for v in x {
        sum += v * a;
        sum -= a / v;
        sum *= 1.0;
        sum /= *v;
    }
    let r = &a;
    sum + r * r - 2.0 * r + r / 3.0 - (1.0 - r) + x.iter().map(|v| v - a).sum::<Real<M>>() + -r
}

#[test]
fn scalars_mix() {
    let (a, x) = (0.7, [1.5, -2.0]);
    let mut expected = a * (x[0] * x[1] + 6.0 + x[0] / 4.0) + 1.0 - x[0] * a / 2.0;
    for v in x {
        expected = (expected + v * a - a / v) / v;
    }
    expected += a * a - 2.0 * a + a / 3.0 - (1.0 - a) + (x[0] + x[1] - 2.0 * a) - a;
    assert!((scalars::<Value>(Real::constant(a), &x).primal() - expected).abs() < 1e-14);
    assert!((scalars::<Dual<2>>(Real::constant(a), &x).primal() - expected).abs() < 1e-14);
}

fn vectors<M: Mode>(v: &Vector<M>, data: &DVector<f64>, x: &DMatrix<f64>) -> Vec<Real<M>> {
    let s = v[0];
    let affine = 2.0 * v + 1.0 - s * v / 2.0 + data - v.component_mul(v);
    let product: Vector<M> = x * &(x * v + data.as_slice());
    let total: Real<M> = v.iter().sum();
    let m = Matrix::from_rows(&[v.clone(), affine.clone()]);
    let square = &m * &m.transpose();
    vec![
        affine.sum(),
        product[1],
        total,
        v.dot(data),
        v.dot(v),
        dot(data.as_slice(), v),
        log_sum_exp(v),
        v.softmax()[1],
        v.cumulative_sum()[1],
        v.norm_squared(),
        v.mean(),
        square[(0, 1)],
        (x * &m)[(1, 0)],
        (&m * v)[1],
        (1.0 / v)[0],
        (s / v)[1],
        (-v)[1],
        (s * data)[1],
        (data / s)[0],
        (data.as_slice() - s)[1],
        (s - data)[0],
        (-v).logistic().ln()[1],
        v.square().sqrt().exp()[0],
        Real::select(s.lt(3_usize), 1_u64, 0),
    ]
}

#[test]
fn vectors_mix() {
    let x = dmatrix![1.0, 2.0; 3.0, 4.0];
    let data = dvector![10.0, 20.0];
    let v: Vector<Value> = Vector::constant(&[2.0, 3.0]);
    // affine = 2v + 1 - v + data - v² = [9, 15]; x v + data = [18, 38]
    let log_sum = (2.0_f64.exp() + 3.0_f64.exp()).ln();
    let expected = [
        24.0,
        3.0 * 18.0 + 4.0 * 38.0,
        5.0,
        80.0,
        13.0,
        80.0,
        log_sum,
        (3.0 - log_sum).exp(),
        5.0,
        13.0,
        2.5,
        2.0 * 9.0 + 3.0 * 15.0,
        3.0 * 2.0 + 4.0 * 9.0,
        9.0 * 2.0 + 15.0 * 3.0,
        0.5,
        2.0 / 3.0,
        -3.0,
        40.0,
        5.0,
        18.0,
        -8.0,
        -(3.0_f64.exp().ln_1p()),
        2.0_f64.exp(),
        1.0,
    ];
    for (k, (got, expected)) in vectors(&v, &data, &x).iter().zip(expected).enumerate() {
        assert!(
            (got.primal() - expected).abs() < 1e-13,
            "entry {k}: {got:?} against {expected}"
        );
    }
}

/// Checks `left op right` for both ways of borrowing each side, at the element with index 1.
macro_rules! all_ways {
    ($op:tt, $left:expr, $right:expr, $expected:expr) => {{
        let (left, right, expected): (_, _, f64) = ($left, $right, $expected);
        let found = [
            (&left $op &right).elements()[1],
            (left.clone() $op &right).elements()[1],
            (&left $op right.clone()).elements()[1],
            (left.clone() $op right.clone()).elements()[1],
        ];
        for found in found {
            assert!((found.primal() - expected).abs() < 1e-14, "{} {}: {found:?}, not {expected}", stringify!($op), line!());
        }
    }};
}

/// Checks an assigning operator with this right side, by value and by reference, at the element with index 1.
macro_rules! both_ways {
    ($op:tt, $left:expr, $right:expr, $expected:expr) => {{
        let (mut by_value, mut by_reference, right) = ($left, $left, $right);
        by_reference $op &right;
        by_value $op right;
        for found in [by_value, by_reference] {
            let found = found.elements()[1].primal();
            assert!((found - $expected).abs() < 1e-14, "{} {}: {found}", stringify!($op), line!());
        }
    }};
}

/// The mutations that it detects: an exchange of the sides of a difference or a quotient, an operator in place of another.
#[test]
fn vectors_calculate_with_vectors_data_rows_and_numbers() {
    let v = Vector::<Value>::constant(&[5.0, 7.0]);
    let s = Real::<Value>::constant(2.0);
    let m = Matrix::from_rows(&[Vector::<Value>::constant(&[1.0, 3.0])]);
    for right in [vec![0.5, 1.5]] {
        all_ways!(+, v.clone(), right.clone(), 8.5);
        all_ways!(-, v.clone(), right.clone(), 5.5);
        all_ways!(-, right.clone(), v.clone(), -5.5);
        all_ways!(-, v.clone(), DVector::from_vec(right.clone()), 5.5);
        all_ways!(+, DVector::from_vec(right.clone()), v.clone(), 8.5);
        all_ways!(/, right.clone(), s, 0.75);
        all_ways!(-, s, DVector::from_vec(right.clone()), 0.5);
        both_ways!(+=, v.clone(), right.clone(), 8.5);
        both_ways!(-=, v.clone(), right.clone(), 5.5);
        both_ways!(-=, v.clone(), DVector::from_vec(right), 5.5);
    }
    let rows = [
        (&v + m.row(0), 10.0),
        (v.clone() - m.row(0), 4.0),
        (m.row(0) - &v, -4.0),
        (m.row(0) + v.clone(), 10.0),
        (m.row(0) / s, 1.5),
        (s / m.row(0), 2.0 / 3.0),
        (s * m.row(0), 6.0),
    ];
    for (found, expected) in rows {
        assert!((found[1].primal() - expected).abs() < 1e-14, "{found:?}");
    }
    let mut sum = v.clone();
    sum += m.row(0);
    sum -= &[0.0, 0.25][..];
    assert_eq!(sum[1].primal(), 9.75);
    both_ways!(+=, v.clone(), v.clone(), 14.0);
    both_ways!(-=, v.clone(), v.map(|x| 2.0 * x), -7.0);
    both_ways!(+=, v.clone(), s, 9.0);
    both_ways!(-=, v.clone(), s, 5.0);
    both_ways!(*=, v.clone(), s, 14.0);
    both_ways!(/=, v.clone(), s, 3.5);
    both_ways!(+=, v.clone(), 4.0, 11.0);
    both_ways!(-=, v.clone(), 4.0, 3.0);
    both_ways!(*=, v.clone(), 4.0, 28.0);
    both_ways!(/=, v.clone(), 4.0, 1.75);
}

/// The mutations that it detects: an exchange of the sides, of rows and columns.
#[test]
fn matrices_calculate_with_matrices_data_and_numbers() {
    let m = Matrix::<Value>::from_fn(2, 2, |i, k| Real::constant((1 + 2 * i + k) as f64));
    let (x, s) = (
        dmatrix![10.0, 20.0; 30.0, 40.0],
        Real::<Value>::constant(4.0),
    );
    all_ways!(+, m.clone(), x.clone(), 22.0);
    all_ways!(-, m.clone(), x.clone(), -18.0);
    all_ways!(-, x.clone(), m.clone(), 18.0);
    all_ways!(*, m.clone(), x.clone(), 1.0 * 20.0 + 2.0 * 40.0);
    all_ways!(*, m.clone(), dvector![0.5, 1.5], 3.0 * 0.5 + 4.0 * 1.5);
    all_ways!(/, m.clone(), s, 0.5);
    all_ways!(/, s, m.clone(), 2.0);
    all_ways!(-, m.clone(), 0.5, 1.5);
    all_ways!(-, 0.5, m.clone(), -1.5);
    all_ways!(*, x.clone(), s, 80.0);
    all_ways!(/, s, x.clone(), 0.2);
    assert_eq!((&m * &[0.5, 1.5][..])[1].primal(), 7.5);
    assert_eq!((m.clone() * &vec![0.5, 1.5])[1].primal(), 7.5);
    both_ways!(+=, m.clone(), m.clone(), 4.0);
    both_ways!(-=, m.clone(), x.clone(), -18.0);
    both_ways!(+=, m.clone(), s, 6.0);
    both_ways!(-=, m.clone(), s, -2.0);
    both_ways!(*=, m.clone(), s, 8.0);
    both_ways!(/=, m.clone(), 4.0, 0.5);
}
