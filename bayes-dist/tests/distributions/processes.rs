//! Gaussian processes, random walks, autoregressive series, the horseshoe and the sphere. Each is compared with the
//! multivariate normal, scalar or geometric distribution to which it is equal.

use crate::battery::stream;
use crate::reference::agrees;
use crate::vector_errors::{data_error, parameter_error};
use crate::vectors::{assert_expectations, assert_gradient, compare};
use bayes_autodiff::{Dual, Mode, Real, Value, Vector};
use bayes_model::dist::*;
use nalgebra::DMatrix;

/// The log density of a multivariate normal vector.
fn normal(mean: &[f64], covariance: &DMatrix<f64>, x: &[f64]) -> f64 {
    let distribution = MultivariateNormal::new(mean, covariance);
    Distribution::<Value>::log_likelihood(&distribution, x).primal()
}

/// Like [`compare`], for covariances whose cancellation leaves fewer digits.
fn compare_loosely<D: Distribution<Value>>(distribution: D, x: &[f64], wanted: f64) {
    assert_eq!(distribution.check(), Ok(()));
    let elements: Vec<Real<Value>> = x.iter().map(|x| Real::constant(*x)).collect();
    let got = distribution.log_density_of(&elements).primal();
    assert!(
        (got - wanted).abs() <= 1e-10 * wanted.abs(),
        "{got}, not {wanted}"
    );
}

const INPUTS: [f64; 4] = [0.0, 0.7, 1.0, 2.5];
const VALUES: [f64; 4] = [0.3, -0.4, 0.1, 1.2];

fn covariance(k: impl Fn(f64) -> f64, noise: f64) -> DMatrix<f64> {
    DMatrix::from_fn(4, 4, |i, j| {
        let own = if i == j { noise * noise } else { 0.0 };
        k((INPUTS[i] - INPUTS[j]).abs()) + own
    })
}

#[test]
fn gaussian_processes_are_multivariate_normal() {
    let mean = [0.1, 0.2, 0.3, 0.4];
    let r = |distance: f64| distance / 0.8;
    let (root3, root5) = (3.0_f64.sqrt(), 5.0_f64.sqrt());
    let squared = covariance(|d| 2.25 * (-0.5 * r(d).powi(2)).exp(), 0.3);
    let m12 = covariance(|d| 2.25 * (-r(d)).exp(), 0.3);
    let m32 = covariance(|d| 2.25 * (1.0 + root3 * r(d)) * (-root3 * r(d)).exp(), 0.3);
    let quintic = |s: f64| (1.0 + s + s * s / 3.0) * (-s).exp();
    let m52 = covariance(|d| 2.25 * quintic(root5 * r(d)), 0.3);

    macro_rules! check {
        ($kernel:ident, $covariance:expr) => {
            let wanted = normal(&mean, &$covariance, &VALUES);
            let distribution = GaussianProcess::new(mean, $kernel::new(1.5, 0.8), INPUTS);
            compare(distribution.noise(0.3).jitter(0.0), &VALUES, wanted);
            let random = |x| Real::<Value>::constant(x);
            let kernel = $kernel::new(random(1.5), random(0.8));
            let distribution = GaussianProcess::new(mean, kernel, INPUTS);
            compare(distribution.noise(random(0.3)).jitter(0.0), &VALUES, wanted);
        };
    }
    check!(SquaredExponential, squared);
    check!(Matern12, m12);
    check!(Matern32, m32);
    check!(Matern52, m52);

    // the sum of two functions
    let pair = (SquaredExponential::new(1.5, 0.8), Matern12::new(1.5, 0.8));
    let distribution = GaussianProcess::new(mean, pair, INPUTS).jitter(0.0);
    let sum = covariance(
        |d| 2.25 * ((-0.5 * r(d).powi(2)).exp() + (-r(d)).exp()),
        0.0,
    );
    compare(distribution, &VALUES, normal(&mean, &sum, &VALUES));
}

/// A different length scale for each column: inputs divided by them have length scale 1. Two inputs are equal.
#[test]
fn length_scales_of_their_own() {
    let scales = [0.8, 2.0];
    let x = DMatrix::from_row_slice(4, 2, &[0.0, 1.0, 0.7, -1.0, 0.7, -1.0, 2.5, 0.3]);
    let scaled = DMatrix::from_fn(4, 2, |i, k| x[(i, k)] / scales[k]);
    let own = GaussianProcess::new(0.0, Matern32::new(1.5, scales), &x).noise(0.3);
    let one = GaussianProcess::new(0.0, Matern32::new(1.5, 1.0), &scaled).noise(0.3);
    let wanted = Distribution::<Value>::log_likelihood(&one, &VALUES).primal();
    compare(own, &VALUES, wanted);
}

/// Places in another unit have the same density, and the same slopes in logarithms of the length scales.
///
/// Mutation meant to be detected: one over a squared length scale, whose slope leaves the doubles from lengths of 1e77 on.
#[test]
fn slopes_of_length_scales_are_the_same_in_all_units() {
    let at = |unit: f64| {
        let lengths = [0, 1].map(|k| Dual::<2>::variable(0.3 * k as f64 - 0.2, k).exp() * unit);
        let places = DMatrix::from_fn(4, 2, |i, k| unit * (INPUTS[i] + 0.4 * (i * k) as f64));
        let kernel = Matern32::new(1.5, Vector::from(lengths.to_vec()));
        let process = GaussianProcess::new(0.1, kernel, &places).noise(0.3);
        let density = process.log_likelihood(&VALUES);
        (density.primal(), Dual::gradient(density))
    };
    let (density, slopes) = at(1.0);
    assert!(slopes.iter().all(|slope| slope.abs() > 1e-3), "{slopes:?}");
    for unit in [1e-140, 1e-90, 1e90, 1e140] {
        let (found, found_slopes) = at(unit);
        assert!(
            (found - density).abs() < 1e-12,
            "{unit:e}: {found}, not {density}"
        );
        for (found, wanted) in found_slopes.iter().zip(&slopes) {
            assert!(
                (found - wanted).abs() < 1e-12,
                "{unit:e}: {found}, not {wanted}"
            );
        }
    }
}

/// Many close inputs of a smooth function: the default jitter keeps the covariance positive definite.
#[test]
fn jitter_is_enough_for_smooth_functions() {
    let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 100.0).collect();
    let distribution = GaussianProcess::new(0.0, SquaredExponential::new(3.0, 1.0), &x);
    assert_eq!(Distribution::<Value>::check(&distribution), Ok(()));
    let f = Distribution::<Value>::draw(&distribution, &mut stream(21));
    assert!(
        Distribution::<Value>::log_likelihood(&distribution, &f)
            .primal()
            .is_finite()
    );
    let none = GaussianProcess::new(0.0, SquaredExponential::new(3.0, 1.0), &x).jitter(0.0);
    let error = Distribution::<Value>::check(&none).unwrap_err().to_string();
    assert!(
        error.starts_with("GaussianProcess: parameter `jitter`"),
        "{error}"
    );
}

#[test]
fn draws_of_processes_have_the_right_moments() {
    let second = |x: &[f64]| vec![x[0], x[3], x[0] * x[0], x[0] * x[1], x[1] * x[3]];
    let distribution = GaussianProcess::new(0.0, Matern12::new(1.5, 0.8), INPUTS).noise(0.5);
    let k = |d: f64| 2.25 * (-d / 0.8_f64).exp();
    assert_expectations(distribution, second, &[0.0, 0.0, 2.5, k(0.7), k(1.8)]);

    let walk = GaussianRandomWalk::new(Normal::new(1.0, 2.0), 0.5, 4).drift(0.25);
    let second = |x: &[f64]| {
        let c: Vec<f64> = (0..4).map(|t| x[t] - 1.0 - 0.25 * t as f64).collect();
        vec![
            c[0],
            c[3],
            c[0] * c[0],
            c[0] * c[3],
            c[3] * c[3],
            c[1] * c[2],
        ]
    };
    assert_expectations(walk, second, &[0.0, 0.0, 4.0, 4.0, 4.75, 4.25]);

    // order 1 in closed form: variance sd²/(1 - φ²), correlation φ^lag
    let series = Autoregressive::stationary(0.8, 0.6, 5).mean(2.0);
    let second = |x: &[f64]| {
        vec![
            x[0],
            x[4],
            (x[0] - 2.0).powi(2),
            (x[1] - 2.0) * (x[4] - 2.0),
        ]
    };
    assert_expectations(series, second, &[2.0, 2.0, 1.0, 0.512]);
    let series = Autoregressive::conditional([0.5, 0.2], 0.6, [1.0, 3.0], 2).mean(2.0);
    // 2 + 0.5 * 1 - 0.2 * 1 = 2.3; then 2 + 0.5 * 0.3 + 0.2 * 1 = 2.35
    assert_expectations(series, <[f64]>::to_vec, &[2.3, 2.35]);

    let products = |x: &[f64]| vec![x[0], x[2], x[0] * x[0], x[2] * x[2], x[0] * x[1]];
    let third = 1.0 / 3.0;
    assert_expectations(
        UniformSphere::new(3),
        products,
        &[0.0, 0.0, third, third, 0.0],
    );
}

#[test]
fn independent_normals_stand_for_a_function() {
    let distribution = GaussianProcess::new(0.5, Matern52::new(1.5, 0.8), INPUTS);
    let gaussian = Distribution::<Value>::gaussian(&distribution).unwrap();
    let CovarianceRoot::Lower(lower) = gaussian.factor else {
        panic!("the factor is lower triangular")
    };
    let f = distribution.at(&Vector::<Value>::constant(&VALUES));
    for i in 0..4 {
        let wanted: f64 = 0.5 + (0..=i).map(|k| lower[i * 4 + k] * VALUES[k]).sum::<f64>();
        assert!(agrees(f[i].primal(), wanted));
    }
}

#[test]
fn random_walks_are_multivariate_normal() {
    let covariance = DMatrix::from_fn(4, 4, |i, k| 4.0 + 0.25 * i.min(k) as f64);
    let mean = [1.0, 1.25, 1.5, 1.75];
    let walk = || GaussianRandomWalk::new(Normal::new(1.0, 2.0), 0.5, 4).drift(0.25);
    compare(walk(), &VALUES, normal(&mean, &covariance, &VALUES));
    let vector = GaussianRandomWalk::new(Normal::new(1.0, 2.0), [0.5; 3], 4).drift([0.25; 3]);
    compare(vector, &VALUES, normal(&mean, &covariance, &VALUES));
    let distribution = Distribution::<Value>::gaussian(&walk()).unwrap();
    assert_eq!(distribution.mean, mean);
    let CovarianceRoot::Lower(lower) = distribution.factor else {
        panic!("the factor is lower triangular")
    };
    let lower = DMatrix::from_row_slice(4, 4, &lower);
    assert!((&lower * lower.transpose() - covariance).amax() < 1e-15);
    // the coordinate of a positive start is its logarithm, in which the path is not Gaussian
    let positive = GaussianRandomWalk::new(LogNormal::new(0.0, 1.0), 0.5, 3);
    assert_eq!(Distribution::<Value>::gaussian(&positive), None);
    let (path, log_jacobian) = positive.constrain(&[-1.0, 0.2, 0.3].map(Real::<Value>::constant));
    assert_eq!(path[0].primal(), (-1.0_f64).exp());
    assert_eq!(log_jacobian.primal(), -1.0);
    assert_eq!(
        Distribution::<Value>::unconstrain(&positive, &[(-1.0_f64).exp(), 0.2, 0.3]),
        [-1.0, 0.2, 0.3]
    );
}

/// The autocovariances of a stationary series with innovations of variance 1, from its moving average of infinite order.
fn autocovariances(phi: &[f64], lags: usize) -> Vec<f64> {
    let mut weights = vec![1.0];
    for t in 1..4000 {
        let past = phi.iter().enumerate().filter(|(k, _)| *k < t);
        weights.push(past.map(|(k, phi)| phi * weights[t - 1 - k]).sum());
    }
    (0..lags)
        .map(|lag| {
            weights
                .iter()
                .zip(&weights[lag..])
                .map(|(a, b)| a * b)
                .sum()
        })
        .collect()
}

#[test]
fn autoregressive_series_are_multivariate_normal() {
    let x = [0.3, -0.4, 0.1, 1.2, 0.9, 0.4];
    for phi in [
        vec![0.7],
        vec![0.5, 0.3],
        vec![1.2, -0.5, 0.1],
        vec![-0.3, 0.2, 0.1, -0.4],
    ] {
        let gamma = autocovariances(&phi, 6);
        let covariance = DMatrix::from_fn(6, 6, |i, k| 0.64 * gamma[i.abs_diff(k)]);
        let series = Autoregressive::stationary(&phi, 0.8, 6).mean(0.2);
        let wanted = normal(&[0.2; 6], &covariance, &x);
        compare_loosely(series, &x, wanted);

        // the values after the first p, given the first p
        let p = phi.len();
        let given = DMatrix::from_fn(p, p, |i, k| covariance[(i, k)]);
        let rest = wanted - normal(&vec![0.2; p], &given, &x[..p]);
        let series = Autoregressive::conditional(&phi, 0.8, &x[..p], 6 - p).mean(0.2);
        compare_loosely(series, &x[p..], rest);
    }
    // a series shorter than its order
    let phi = [-0.3, 0.2, 0.1, -0.4];
    let gamma = autocovariances(&phi, 2);
    let covariance = DMatrix::from_fn(2, 2, |i, k| gamma[i.abs_diff(k)]);
    let series = Autoregressive::stationary(phi, 1.0, 2);
    compare_loosely(series, &x[..2], normal(&[0.0; 2], &covariance, &x[..2]));
}

#[test]
fn coefficients_without_a_stationary_distribution_have_no_density() {
    let at = |phi: [f64; 2]| {
        let phi = Vector::<Value>::constant(&phi);
        let series = Autoregressive::stationary(&phi, 1.0, 4);
        assert_eq!(series.check(), Ok(()), "another draw may be stationary");
        series.log_likelihood(&VALUES).primal()
    };
    assert!(at([0.5, 0.3]).is_finite());
    assert_eq!(at([0.8, 0.3]), f64::NEG_INFINITY);
    assert_eq!(at([0.0, 1.0]), f64::NEG_INFINITY);
    let explosive = Autoregressive::conditional([0.8, 0.3], 1.0, [0.0, 0.0], 4);
    assert!(
        Distribution::<Value>::log_likelihood(&explosive, &VALUES)
            .primal()
            .is_finite()
    );
}

/// In the coordinates, the uniform distribution of the circle is standard Cauchy, and the uniform distribution of the sphere
/// is Student with 2 degrees of freedom. Tests density, transform and Jacobian together.
#[test]
fn coordinates_of_the_sphere_are_student() {
    for u in [[0.3, -1.2], [0.0, 0.0], [30.0, -4.0]] {
        let at = |distribution: &UniformSphere, u: &[f64]| {
            let u: Vec<Real<Value>> = u.iter().map(|u| Real::constant(*u)).collect();
            let (x, log_jacobian) = distribution.constrain(&u);
            (distribution.log_density_at(&x) + log_jacobian).primal()
        };
        let cauchy: f64 =
            Distribution::<Value>::log_likelihood(&Cauchy::new(0.0, 1.0), &[u[0]]).primal();
        assert!((at(&UniformSphere::new(2), &u[..1]) - cauchy).abs() < 1e-13);
        let student = MultivariateStudentT::new(2.0, 0.0, DMatrix::<f64>::identity(2, 2));
        let student: f64 = Distribution::<Value>::log_likelihood(&student, &u).primal();
        assert!((at(&UniformSphere::new(3), &u) - student).abs() < 1e-13);
    }
    let off = UniformSphere::new(2).log_density_of(&[0.6, 0.7].map(Real::<Value>::constant));
    assert_eq!(off.primal(), f64::NEG_INFINITY);
}

#[test]
fn horseshoe_scales_shrink_and_are_bounded() {
    let lambda = Vector::<Value>::constant(&[0.1, 3.0, 1e200]);
    let z = Vector::<Value>::constant(&[1.0, -2.0, 0.5]);
    let beta = Horseshoe::new(0.5).coefficients(&lambda, &z);
    let values = |v: &Vector<Value>| v.iter().map(|x| x.primal()).collect::<Vec<_>>();
    assert_eq!(values(&beta), [0.05, -3.0, 0.25e200]);
    let scales = values(&Horseshoe::new(0.5).regularised(4.0).scales(&lambda));
    let wanted = |s: f64| (s * s * 4.0 / (4.0 + s * s)).sqrt();
    assert!(agrees(scales[0], wanted(0.05)) && agrees(scales[1], wanted(1.5)));
    assert_eq!(scales[2], 2.0);
    assert!(agrees(Horseshoe::global_scale(5.0, 105, 2.0, 16), 0.025));
}

#[test]
fn gradients_of_processes_agree_with_differences() {
    type D = Dual<6>;
    fn vector<M: Mode>(x: &[Real<M>]) -> Vector<M> {
        Vector::from(x.to_vec())
    }
    let x = DMatrix::from_row_slice(4, 2, &[0.0, 1.0, 0.7, -1.0, 0.7, -1.0, 2.5, 0.3]);
    let process = |v: &[Real<D>; 6]| {
        let kernel = Matern52::new(v[0].exp(), vector(&[v[1].exp(), v[2].exp()]));
        let smooth = SquaredExponential::new(v[3].exp(), v[4].exp());
        let distribution = GaussianProcess::new(v[5], (kernel, smooth), &x).noise(0.4);
        let z = vector(&[v[0], v[1], v[2], v[3]]);
        distribution.log_likelihood(&VALUES)
            + distribution.at(&z).norm_squared()
            + distribution.log_density_at(&(&z * 0.3))
    };
    assert_gradient(process, [0.3, -0.2, 0.5, 0.1, -0.7, 0.4]);
    let walk = |v: &[Real<D>; 6]| {
        let walk = GaussianRandomWalk::new(Normal::new(v[0], 1.0), v[1].exp(), 3).drift(v[2]);
        walk.log_likelihood(&VALUES[..3]) + walk.log_density_at(&vector(&v[3..]))
    };
    assert_gradient(walk, [0.3, -0.2, 0.5, 0.1, -0.7, 0.4]);
    let series = |v: &[Real<D>; 6]| {
        let past = vector(&v[2..4]);
        let distribution =
            Autoregressive::conditional(vector(&v[..2]), v[4].exp(), past, 4).mean(v[5]);
        let stationary = Autoregressive::stationary(vector(&v[..2]), v[4].exp(), 4).mean(v[5]);
        distribution.log_likelihood(&VALUES)
            + stationary.log_likelihood(&VALUES)
            + stationary.log_density_at(&vector(&v[1..5]))
    };
    assert_gradient(series, [0.4, -0.2, 0.5, 0.1, -0.7, 0.4]);
    let horseshoe = |v: &[Real<D>; 6]| {
        let lambda = vector(&v[1..3]).exp();
        let horseshoe = Horseshoe::new(v[0].exp()).regularised(v[5].exp());
        horseshoe
            .coefficients(&lambda, &vector(&v[3..5]))
            .norm_squared()
    };
    assert_gradient(horseshoe, [0.3, -0.2, 0.5, 0.1, -0.7, 0.4]);
    let sphere = |v: &[Real<D>; 6]| {
        let (x, log_jacobian) = UniformSphere::new(4).constrain(&v[..3]);
        log_jacobian + x[0] * v[3] + x[1] * v[4] + x[3] * v[5]
    };
    assert_gradient(sphere, [0.3, -0.2, 0.5, 0.1, -0.7, 0.4]);
}

#[test]
fn parameters_of_gaussian_processes_are_named() {
    let kernel = || SquaredExponential::new(1.0, 1.0);
    let cases = [
        (
            parameter_error(GaussianProcess::new(0.0, Matern32::new(0.0, 1.0), INPUTS)),
            "Matern32: parameter `amplitude` is 0, must be a finite number above 0",
        ),
        (
            parameter_error(GaussianProcess::new(
                0.0,
                Matern32::new(1.0, [1.0, 2.0]),
                INPUTS,
            )),
            "Matern32: parameter `lengthscale` has length 2, must be 1, the number of columns of `x`",
        ),
        (
            parameter_error(GaussianProcess::new([0.0; 3], kernel(), INPUTS)),
            "GaussianProcess: parameter `mean` has length 3, must be 4, the number of rows of `x`",
        ),
        (
            parameter_error(GaussianProcess::new(0.0, kernel(), INPUTS).noise(-1.0)),
            "GaussianProcess: parameter `noise` is -1, must be a finite number, at least 0",
        ),
        (
            parameter_error(GaussianProcess::new(0.0, kernel(), [0.0, f64::NAN])),
            "GaussianProcess: parameter `x` at index 1 is NaN, must be a finite number",
        ),
        (
            data_error(GaussianProcess::new(0.0, kernel(), INPUTS), &[1.0]),
            "GaussianProcess: got 1 observations, must be a vector of 4, or a matrix with rows of 4",
        ),
    ];
    for (got, wanted) in cases {
        assert_eq!(got, wanted);
    }
}

#[test]
fn parameters_of_series_are_named() {
    let cases = [
        (
            parameter_error(GaussianRandomWalk::new(Normal::new(0.0, 1.0), 0.0, 3)),
            "GaussianRandomWalk: parameter `sd` is 0, must be a finite number above 0",
        ),
        (
            parameter_error(GaussianRandomWalk::new(Normal::new(0.0, 1.0), [1.0; 3], 3)),
            "GaussianRandomWalk: parameter `sd` has length 3, must be 2, the number of steps",
        ),
        (
            parameter_error(GaussianRandomWalk::new(Normal::new(0.0, -1.0), 1.0, 3)),
            "Normal: parameter `sd` is -1, must be a finite number above 0",
        ),
        (
            data_error(
                GaussianRandomWalk::new(Gamma::new(1.0, 1.0), 1.0, 2),
                &[-1.0, 2.0],
            ),
            "Gamma: observation at index 0 is -1, must be a finite number, at least 0",
        ),
        (
            parameter_error(Autoregressive::stationary([0.8, 0.3], 1.0, 3)),
            "Autoregressive: parameter `coefficients` at index 1 is 0.3, must be such that the series is stationary (the value shown is the last coefficient)",
        ),
        (
            parameter_error(Autoregressive::conditional([0.8, 0.3], 1.0, [1.0], 3)),
            "Autoregressive: parameter `past` has length 1, must be 2, the length of `coefficients`",
        ),
        (
            parameter_error(Autoregressive::stationary(0.5, 0.0, 3)),
            "Autoregressive: parameter `sd` is 0, must be a finite number above 0",
        ),
        (
            parameter_error(UniformSphere::new(1)),
            "UniformSphere: parameter `d` is 1, must be a whole number, at least 2",
        ),
        (
            data_error(UniformSphere::new(2), &[0.6, 0.6]),
            "UniformSphere: observation at index 0 is 0.72, must be a vector of length 1 (the value shown is the square of its length)",
        ),
    ];
    for (got, wanted) in cases {
        assert_eq!(got, wanted);
    }
}
