//! Intrinsic random walks against the normal distribution on their plane, by the matrix of differences.

use crate::battery::stream;
use crate::reference::agrees;
use crate::vector_errors::{data_error, parameter_error};
use crate::vectors::{assert_gradient, compare};
use bayes_autodiff::fault::catch;
use bayes_autodiff::{Dual, Real, Value, Vector};
use bayes_model::dist::*;
use nalgebra::{DMatrix, DVector};

/// The matrix of differences.
fn differences(order: usize, n: usize) -> DMatrix<f64> {
    let first = |n: usize| {
        DMatrix::from_fn(n - 1, n, |i, j| match j {
            j if j == i => -1.0,
            j if j == i + 1 => 1.0,
            _ => 0.0,
        })
    };
    (1..order).fold(first(n), |all, k| first(n - k) * all)
}

/// The pseudo-inverse of the precision.
fn pseudo_inverse(order: usize, n: usize) -> DMatrix<f64> {
    let d = differences(order, n);
    let inverse = (&d * d.transpose()).try_inverse().unwrap();
    let root = d.transpose() * inverse;
    &root * root.transpose()
}

/// The product of the eigenvalues of the precision that are not 0, a whole number: the determinant of `D Dᵀ` by exact elimination.
fn determinant(order: usize, n: usize) -> f64 {
    let d = differences(order, n);
    let product = &d * d.transpose();
    let mut whole: Vec<Vec<i128>> = (0..n - order)
        .map(|i| product.row(i).iter().map(|x| *x as i128).collect())
        .collect();
    let mut before = 1;
    for k in 0..whole.len() - 1 {
        for i in k + 1..whole.len() {
            for j in k + 1..whole.len() {
                whole[i][j] = (whole[i][j] * whole[k][k] - whole[i][k] * whole[k][j]) / before;
            }
        }
        before = whole[k][k];
    }
    whole[n - order - 1][n - order - 1] as f64
}

/// A series on the plane: the pseudo-inverse of the precision times any vector.
fn on_the_plane(order: usize, n: usize) -> Vec<f64> {
    let any = DVector::from_fn(n, |t, _| (1.7 * t as f64 + 0.4).sin());
    (pseudo_inverse(order, n) * any).iter().copied().collect()
}

/// Mutations meant to be detected: a determinant of another minor, a Jacobian that is left out, a polynomial that stays.
#[test]
fn the_density_is_that_of_the_normal_distribution_on_the_plane() {
    for (order, n) in [(1, 2), (1, 7), (2, 3), (2, 9), (3, 8), (4, 11)] {
        let (x, log_determinant) = (on_the_plane(order, n), determinant(order, n).ln());
        let steps = differences(order, n) * DVector::from_column_slice(&x);
        let (sd, free) = (0.7_f64, (n - order) as f64);
        let wanted = -0.5 * steps.norm_squared() / (sd * sd)
            - free * (sd.ln() + 0.5 * std::f64::consts::TAU.ln())
            + 0.5 * log_determinant;
        let walk = IntrinsicRandomWalk::new(order, sd, n);
        compare(walk, &x, wanted);
        let lift = |x: Vec<f64>| {
            x.into_iter()
                .map(Real::<Value>::constant)
                .collect::<Vec<_>>()
        };
        let coordinates = lift(Distribution::<Value>::unconstrain(&walk, &x));
        let (value, log_jacobian) = Distribution::<Value>::constrain(&walk, &coordinates);
        for (got, wanted) in value.iter().zip(&x) {
            assert!((got.primal() - wanted).abs() < 1e-12, "order {order}");
        }
        for (jacobian, wanted) in [(false, wanted), (true, wanted + log_jacobian.primal())] {
            let mut total = Real::constant(0.0);
            let _: Vector<Value> = walk.add_sample(&coordinates, jacobian, &mut total);
            let got = total.primal();
            assert!(
                agrees(got, wanted),
                "order {order}, {n}: {got}, not {wanted}"
            );
            let z: Vec<Real<Value>> = coordinates.iter().map(|x| *x / sd).collect();
            let mut total = Real::constant(0.0);
            let _: Vector<Value> = walk.non_centred().add_sample(&z, jacobian, &mut total);
            let scale = if jacobian { free * sd.ln() } else { 0.0 };
            let got = total.primal() - scale;
            assert!(
                agrees(got, wanted),
                "order {order}, {n}, non-centred: {got}, not {wanted}"
            );
        }
    }
}

/// The known determinants of orders 1 and 2, also for long series, where eigenvalues round.
#[test]
fn long_series_have_the_determinant_of_the_books() {
    let n = 5000.0_f64;
    for (order, log_determinant) in [(1, n.ln()), (2, (n * n * (n * n - 1.0) / 12.0).ln())] {
        let walk = IntrinsicRandomWalk::new(order, 1.0, 5000);
        let steps = vec![Real::<Value>::constant(0.0); 5000 - order];
        let (_, log_jacobian) = Distribution::<Value>::constrain(&walk, &steps);
        assert!(
            agrees(log_jacobian.primal(), -0.5 * log_determinant),
            "order {order}"
        );
    }
}

/// Mutations meant to be detected: draws that keep a line, and variances of the wrong factor.
#[test]
fn draws_have_the_pseudo_inverse_as_covariance() {
    let inverse = pseudo_inverse(2, 6);
    let (walk, count) = (IntrinsicRandomWalk::new(2, 0.7, 6), 40_000);
    let mut stream = stream(2);
    let draws: Vec<Vec<f64>> = (0..count)
        .map(|_| Distribution::<Value>::draw(&walk, &mut stream))
        .collect();
    for i in 0..6 {
        for k in 0..=i {
            let found = draws.iter().map(|x| x[i] * x[k]).sum::<f64>() / f64::from(count);
            let wanted = 0.49 * inverse[(i, k)];
            let square = inverse[(i, i)] * inverse[(k, k)] + inverse[(i, k)].powi(2);
            let error = 0.49 * (square / f64::from(count)).sqrt();
            assert!(
                (found - wanted).abs() < 4.5 * error,
                "{i}, {k}: {found}, not {wanted}"
            );
        }
    }
}

#[test]
fn gradients_agree_with_differences() {
    let density = |v: &[Real<Dual<5>>; 5]| {
        let mut total = Real::constant(0.0);
        let walk = IntrinsicRandomWalk::new(2, v[4].exp(), 6);
        let x: Vector<Dual<5>> = walk.add_sample(&v[..4], true, &mut total);
        let z: Vector<Dual<5>> = walk.non_centred().add_sample(&v[..4], true, &mut total);
        total + (x[0] * 0.3 + z[2]).sin()
    };
    assert_gradient(density, [0.3, -0.4, 0.9, 0.2, -0.3]);
}

#[test]
fn errors_name_the_argument() {
    let walk = IntrinsicRandomWalk::new(2, 0.0, 4);
    assert_eq!(
        parameter_error(walk),
        "IntrinsicRandomWalk: parameter `sd` is 0, must be a finite number above 0"
    );
    let line = [1.0, 2.0, 3.0, 4.0];
    let text = data_error(IntrinsicRandomWalk::new(2, 1.0, 4), &line);
    assert!(
        text.contains("must be a series without a polynomial of lower degree"),
        "{text}"
    );
    let refused = |order, length| {
        let fault = catch(|| IntrinsicRandomWalk::new(order, 1.0, length));
        fault.expect_err("it is not allowed").to_string()
    };
    assert_eq!(
        refused(5, 9),
        "IntrinsicRandomWalk::new: argument `order` is 5, must be 1 to 4"
    );
    assert_eq!(
        refused(2, 2),
        "IntrinsicRandomWalk::new: argument `length` is 2, must be above the order"
    );
}
