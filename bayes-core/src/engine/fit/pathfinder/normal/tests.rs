//! Mutations meant to be detected: R from the lower triangle, γ without E, a diagonal that is not updated, L in place of L⁻¹ in the
//! density, and a mean without Newton's step.

use super::*;
use crate::rng::{Key, Purpose};

fn random(stream: &mut Stream, rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |_, _| stream.sample(StandardNormal))
}

/// A positive definite matrix with eigenvalues from about 0.5 to some dozens.
fn precision(stream: &mut Stream, dim: usize) -> DMatrix<f64> {
    let own = random(stream, dim, dim);
    &own * own.transpose() + 0.5 * DMatrix::identity(dim, dim)
}

/// Steps on a quadratic, whose slopes change a little otherwise too.
fn changes(stream: &mut Stream, dim: usize, count: usize) -> Vec<[DVector<f64>; 2]> {
    let precision = precision(stream, dim);
    let change = |_| {
        let step = random(stream, dim, 1).column(0).into_owned();
        let other = random(stream, dim, 1).column(0).into_owned();
        let change = &precision * &step + 0.05 * other;
        [step, change]
    };
    (0..count).map(change).collect()
}

/// `(I − s zᵀ/b) H (I − z sᵀ/b) + s sᵀ/b` (Nocedal and Wright 2006, equation 6.17).
fn dense(inverse: DMatrix<f64>, changes: &VecDeque<[DVector<f64>; 2]>) -> DMatrix<f64> {
    let dim = inverse.nrows();
    changes.iter().fold(inverse, |inverse, [s, z]| {
        let b = s.dot(z);
        let left = DMatrix::identity(dim, dim) - s * z.transpose() / b;
        &left * inverse * left.transpose() + s * s.transpose() / b
    })
}

fn covariance(normal: &Normal) -> DMatrix<f64> {
    let dim = normal.mean.len();
    let lower = &normal.lower;
    let rank = lower.nrows();
    let inner = lower * lower.transpose() - DMatrix::identity(rank, rank);
    let inner = DMatrix::identity(dim, dim) + &normal.basis * inner * normal.basis.transpose();
    let root = DMatrix::from_diagonal(&normal.root);
    &root * inner * &root
}

fn assert_close(found: &DMatrix<f64>, wanted: &DMatrix<f64>, tolerance: f64) {
    let error = (found - wanted).amax() / wanted.amax();
    assert!(error < tolerance, "{error:e}: {found} for {wanted}");
}

#[test]
fn the_factors_are_the_recursion_of_bfgs() {
    let mut stream = Key::new(1, Purpose::Validation).stream();
    for (dim, memory, count) in [(1, 3, 2), (4, 6, 9), (7, 3, 3), (7, 3, 12), (12, 6, 30)] {
        let mut curvature = Curvature::new(dim, memory);
        for [step, change] in changes(&mut stream, dim, count) {
            curvature.learn(step, change);
        }
        let kept = curvature.changes.len();
        assert!((1..=memory).contains(&kept), "{kept} of {memory}");
        let wanted = dense(
            DMatrix::from_diagonal(&curvature.diagonal),
            &curvature.changes,
        );
        let [beta, gamma] = curvature.factors().expect("there are steps");
        let diagonal = DMatrix::from_diagonal(&curvature.diagonal);
        assert_close(
            &(diagonal + &beta * gamma * beta.transpose()),
            &wanted,
            1e-10,
        );
        let zero = DVector::zeros(dim);
        let normal = curvature.normal(&zero, &zero).expect("it is regular");
        assert_close(&covariance(&normal), &wanted, 1e-10);
    }
}

/// The diagonal is the diagonal of the updated Hessian `(a/b) diag(1/α)` (Nocedal and Wright 2006, equation 6.19).
#[test]
fn the_diagonal_is_that_of_an_update_of_the_hessian() {
    let mut stream = Key::new(2, Purpose::Validation).stream();
    let mut curvature = Curvature::new(5, 2);
    for [s, z] in changes(&mut stream, 5, 8) {
        let alpha = DMatrix::from_diagonal(&curvature.diagonal);
        let b = s.dot(&z);
        let a = z.dot(&(&alpha * &z));
        let hessian = alpha.try_inverse().expect("it is positive") * (a / b);
        let along = &hessian * &s;
        let updated =
            &hessian - &along * along.transpose() / s.dot(&along) + &z * z.transpose() / b;
        curvature.learn(s, z);
        let wanted = updated.diagonal().map(|x| 1.0 / x);
        let error = (&curvature.diagonal - &wanted)
            .component_div(&wanted)
            .amax();
        assert!(error < 1e-12, "{error:e}");
    }
}

#[test]
fn a_step_without_curvature_is_not_learnt() {
    let mut curvature = Curvature::new(2, 6);
    let vector = |x, y| DVector::from_vec(vec![x, y]);
    curvature.learn(vector(1.0, 0.0), vector(-1.0, 0.5));
    curvature.learn(vector(1.0, 0.0), vector(f64::NAN, 0.5));
    curvature.learn(vector(1.0, 0.0), vector(0.0, 0.5));
    assert!(curvature.is_empty() && curvature.diagonal == vector(1.0, 1.0));
    assert!(
        curvature
            .normal(&vector(0.0, 0.0), &vector(0.0, 0.0))
            .is_none()
    );
}

/// As many conjugate steps as there are coordinates determine a quadratic. The error comes from rounding in conjugate gradients, which
/// grows with the condition number.
#[test]
fn on_a_gaussian_target_mean_and_covariance_are_exact() {
    let mut stream = Key::new(3, Purpose::Validation).stream();
    for dim in [1, 2, 6, 10] {
        let precision = precision(&mut stream, dim);
        let mode = random(&mut stream, dim, 1).column(0).into_owned();
        let slope = |x: &DVector<f64>| &precision * (&mode - x);
        let mut curvature = Curvature::new(dim, dim);
        let mut x = DVector::from_element(dim, 3.0);
        let mut direction = slope(&x);
        for _ in 0..dim {
            let before = slope(&x);
            let along = &precision * &direction;
            let step = &direction * (before.dot(&direction) / direction.dot(&along));
            x += &step;
            let after = slope(&x);
            let back = after.dot(&along) / direction.dot(&along);
            direction = &after - back * &direction;
            curvature.learn(step, before - after);
        }
        assert_eq!(curvature.changes.len(), dim);
        let wanted = precision.clone().try_inverse().expect("it is regular");
        // from any position the mean is the mode
        let far = DVector::from_element(dim, -7.0);
        let normal = curvature.normal(&far, &slope(&far)).expect("it is regular");
        assert_close(&covariance(&normal), &wanted, 1e-10);
        let error = (&normal.mean - &mode).amax();
        assert!(error < 1e-9, "{error:e}");
    }
}

#[test]
fn the_log_density_is_that_of_the_covariance() {
    let mut stream = Key::new(4, Purpose::Validation).stream();
    for (dim, memory) in [(3, 6), (9, 2)] {
        let mut curvature = Curvature::new(dim, memory);
        for [step, change] in changes(&mut stream, dim, 5) {
            curvature.learn(step, change);
        }
        let slope = DVector::from_element(dim, 0.3);
        let centre = DVector::from_element(dim, 1.0);
        let normal = curvature.normal(&centre, &slope).expect("it is regular");
        let covariance = covariance(&normal);
        let error = (&centre + &covariance * &slope - &normal.mean).amax();
        assert!(error < 1e-12, "{error:e}");
        let cholesky = Cholesky::new(covariance).expect("it is positive definite");
        let log_scale: f64 = cholesky.l().diagonal().iter().map(|x| x.ln()).sum();
        for _ in 0..5 {
            let x = 3.0 * random(&mut stream, dim, 1).column(0);
            let rest = &x - &normal.mean;
            let square = rest.dot(&cholesky.solve(&rest));
            let wanted = -0.5 * (square + dim as f64 * std::f64::consts::TAU.ln()) - log_scale;
            let found = normal.log_density(x.as_slice());
            assert!(
                (found - wanted).abs() < 1e-10 * (1.0 + wanted.abs()),
                "{found}, want {wanted}"
            );
        }
    }
}

// The standard error of a covariance entry over n draws is sqrt((S_ii S_jj + S_ij²) / n).
#[test]
fn draws_have_the_mean_and_the_covariance() {
    let mut stream = Key::new(5, Purpose::Validation).stream();
    let mut curvature = Curvature::new(4, 2);
    for [step, change] in changes(&mut stream, 4, 4) {
        curvature.learn(step, change);
    }
    let centre = DVector::from_vec(vec![1.0, -2.0, 0.5, 4.0]);
    let normal = curvature
        .normal(&centre, &(0.1 * &centre))
        .expect("it is regular");
    let n = 20_000;
    let (mut sum, mut squares) = (DVector::zeros(4), DMatrix::zeros(4, 4));
    for _ in 0..n {
        let mut x = [0.0; 4];
        normal.draw(&mut stream, &mut x);
        let rest = DVector::from_column_slice(&x) - &normal.mean;
        squares += &rest * rest.transpose();
        sum += rest;
    }
    let wanted = covariance(&normal);
    for i in 0..4 {
        let se = (wanted[(i, i)] / f64::from(n)).sqrt();
        assert!((sum[i] / f64::from(n)).abs() < 4.5 * se);
        for j in 0..4 {
            let variance = wanted[(i, i)] * wanted[(j, j)] + wanted[(i, j)].powi(2);
            let se = (variance / f64::from(n)).sqrt();
            let error = squares[(i, j)] / f64::from(n) - wanted[(i, j)];
            assert!(error.abs() < 4.5 * se, "{i} {j}: {error}, se {se}");
        }
    }
}
