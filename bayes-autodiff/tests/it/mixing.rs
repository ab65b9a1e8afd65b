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
