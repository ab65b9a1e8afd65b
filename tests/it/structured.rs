//! Runs of models with random covariances and functions, against exact evidences, and their gradients.

use crate::battery::{agree, design, numbers};
use bayes::autodiff::special::ln_gamma;
use bayes::prelude::*;
use std::f64::consts::PI;

/// A covariance with a conjugate prior.
#[model]
fn covariance(y: &DMatrix<f64>, psi: &DMatrix<f64>) {
    let sigma = sample(InverseWishart::new(5.0, psi));
    observe(y, MultivariateNormal::new(0.0, &sigma).iid(y.nrows()));
}

/// A function at given inputs, observed with noise.
#[model]
fn function(x: &[f64], y: &[f64]) {
    let f = sample(GaussianProcess::new(0.5, Matern32::new(1.2, 0.8), x));
    observe(y, Normal::new(&f, 0.5));
}

/// The same function, made of independent normals.
#[model]
fn whitened(x: &[f64], y: &[f64]) {
    let z = sample(Normal::new(0.0, 1.0).iid(x.len()));
    let f = deterministic(GaussianProcess::new(0.5, Matern32::new(1.2, 0.8), x).at(&z));
    observe(y, Normal::new(&f, 0.5));
}

fn assert_evidence(model: &(impl Model + AllSampled + Differentiable), exact: f64) -> Run {
    let run = Inference::psmc()
        .islands(8)
        .particles(256)
        .seed(5)
        .run(model);
    let run = run.expect("the model fits its data");
    let evidence = run.log_evidence().expect("islands have an evidence");
    let error = run.log_evidence_se().expect("islands have an error");
    assert!(error < 0.15, "the error {error} shows nothing");
    assert!(
        (evidence - exact).abs() < 4.0 * error,
        "log evidence {evidence} ± {error}, exactly {exact}"
    );
    run
}

/// `ln Γ_2(a)`.
fn ln_gamma_2(a: f64) -> f64 {
    0.5 * PI.ln() + ln_gamma(a) + ln_gamma(a - 0.5)
}

/// ```text
/// ln p(y) = -n ln π + ½ν ln |Ψ| - ½(ν+n) ln |Ψ + yᵀy| + ln Γ_2(½(ν+n)) - ln Γ_2(½ν)
/// ```
#[test]
fn a_random_covariance_has_its_evidence() {
    let n = 6;
    let y = DMatrix::from_fn(n, 2, |i, k| {
        (1.7 * i as f64 + 0.9 * k as f64).sin() * (k + 1) as f64
    });
    let psi = DMatrix::from_row_slice(2, 2, &[2.0, 0.4, 0.4, 3.0]);
    let posterior = &psi + y.transpose() * &y;
    let (nu, last) = (5.0, 5.0 + n as f64);
    let exact = -(n as f64) * PI.ln() + 0.5 * nu * psi.determinant().ln()
        - 0.5 * last * posterior.determinant().ln()
        + ln_gamma_2(0.5 * last)
        - ln_gamma_2(0.5 * nu);
    let run = assert_evidence(&covariance(&y, &psi), exact);
    // the posterior is InverseWishart(ν + n, Ψ + yᵀy)
    for i in 0..2 {
        for k in 0..2 {
            let found = run.estimate(|draw| draw.vector("sigma")[2 * i + k]);
            let mean = posterior[(i, k)] / (last - 3.0);
            assert!(
                (found.mean - mean).abs() < 4.5 * found.se,
                "sigma[{i}, {k}]: {} ± {}, exactly {mean}",
                found.mean,
                found.se
            );
        }
    }
}

#[test]
fn a_random_function_has_its_evidence() {
    let x = [0.0, 0.4, 1.0, 1.1, 2.0, 3.5];
    let y = [0.3, 0.9, 1.4, 1.1, -0.2, 0.8];
    // with the function integrated out
    let process = GaussianProcess::new(0.5, Matern32::new(1.2, 0.8), x).noise(0.5);
    let exact = Distribution::<bayes::autodiff::Value>::log_likelihood(&process, &y).primal();
    assert_evidence(&function(&x, &y), exact);
    assert_evidence(&whitened(&x, &y), exact);
}

/// Matrices of correlations and covariances, sampled and observed.
#[model]
fn matrices(y: &DMatrix<f64>, s: &DMatrix<f64>) {
    let eta = sample(Gamma::new(3.0, 1.0));
    let sd = sample(HalfNormal::new(1.0).iid(3));
    let correlation = sample(LKJCholesky::new(3, eta));
    let lower = Matrix::from_fn(3, 3, |i, k| sd[i] * correlation[(i, k)]);
    observe(
        y,
        MultivariateNormal::from_cholesky(0.0, &lower).iid(y.nrows()),
    );
    let whole = sample(LKJ::new(3, eta + 0.5));
    observe(
        y,
        MultivariateStudentT::new(eta + 1.0, &sd, &whole).iid(y.nrows()),
    );
    let nu = sample(Gamma::new(3.0, 1.0));
    let scale = sample(InverseWishart::new(5.0, s));
    let scatter = sample(Wishart::new(4.0 + nu, &scale));
    observe(s, Wishart::new(3.0 + nu, &scatter));
    observe(s, InverseWishart::new(3.0 + nu, &scatter));
    let direction = sample(UniformSphere::new(3));
    let contrast = sample(ZeroSumNormal::new(eta, 3));
    let other = sample(ZeroSumNormal::new(eta, 3).iid(2).non_centred());
    let place = sample(MultivariateNormal::new(&direction, &scale).non_centred());
    observe(
        y,
        MultivariateNormal::new(&contrast + place + Vector::from(other.row(1)), &scale)
            .iid(y.nrows()),
    );
}

/// Processes in time and space, with ordered categories and shrunken coefficients.
#[model]
fn processes(x: &DMatrix<f64>, y: &[f64], k: &[usize]) {
    let length = sample(InverseGamma::new(5.0, 5.0).iid(x.ncols()));
    let height = sample(HalfNormal::new(1.0));
    let own = Matern52::new(height, &length);
    let one = (
        SquaredExponential::new(height, length[0]),
        Matern32::new(0.5, length[1]),
    );
    observe(
        y,
        GaussianProcess::new(0.0, (&own, &one), x).noise(height + 0.1),
    );
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    let f = GaussianProcess::new(height, Matern12::new(height, length[0]), x).at(&z);
    let g = sample(GaussianProcess::new(0.0, own, x).jitter(0.1));
    let walk = sample(GaussianRandomWalk::new(Normal::new(0.0, 1.0), height, y.len()).drift(0.1));
    let phi = sample(Uniform::new(-0.4, 0.4).iid(2));
    let series = sample(Autoregressive::stationary(&phi, height, y.len()).mean(0.5));
    observe(y, Autoregressive::stationary(&phi, height, y.len()));
    observe(
        y,
        Autoregressive::conditional(&phi, height, [0.1, 0.2], y.len()).mean(length[0]),
    );
    observe(y, Normal::new(&f + &g + &walk + &series, 1.0));
    let lambda = sample(HalfCauchy::new(1.0).iid(y.len()));
    let beta = Horseshoe::new(height)
        .regularised(length[0])
        .coefficients(&lambda, &z);
    let cutpoints = sample(Normal::new(0.0, 3.0).iid(2).ordered());
    observe(k, OrderedLogistic::new(&beta, &cutpoints));
    observe(k, OrderedLogistic::new(height, &cutpoints));
}

#[test]
fn structured_vectors_and_matrices() {
    let s = DMatrix::from_row_slice(3, 3, &[2.0, 0.3, 0.1, 0.3, 1.0, -0.2, 0.1, -0.2, 1.5]);
    agree(&matrices(&design(6, 3), &s));
    agree(&processes(&design(5, 2), &numbers(5), &[0, 2, 1, 1, 0]));
}

#[model]
fn process(x: &[f64], y: &[f64], new: &[f64]) {
    let length = sample(LogNormal::new(0.0, 0.5));
    let kernel = |a: f64, b: f64| (-0.5 * ((a - b) / length).square()).exp();
    let covariance: Matrix = Matrix::from_fn(x.len(), x.len(), |i, j| {
        kernel(x[i], x[j]) + if i == j { 0.25 } else { 0.0 }
    });
    let lower = covariance.cholesky();
    observe(y, MultivariateNormal::from_cholesky(0.0, &lower));
    let scaled = lower.solve_lower(&Vector::constant(y));
    for place in new {
        let cross = lower.solve_lower(&Vector::from_fn(x.len(), |i| kernel(*place, x[i])));
        let mean = deterministic(cross.dot(&scaled));
        let sd = deterministic((1.25 - cross.norm_squared()).sqrt());
        let y_new = generate(Normal::new(mean, sd));
    }
}

/// Mean and variance at new inputs agree with the textbook formulas, solved by another library.
#[test]
fn the_factor_of_a_random_matrix_conditions_a_gaussian_process() {
    let (x, y, new) = ([0.0, 0.7, 2.0, 3.1], [0.1, 0.9, 1.0, -0.2], [1.5, 4.0]);
    let model = process(&x, &y, &new);
    let run = Inference::nuts()
        .draws(50)
        .seed(1)
        .progress(false)
        .run(&model);
    let run = run.expect("the model is sound");
    for group in &run.groups {
        for draw in group.rows(run.layout.elements()).take(5) {
            let length = draw[0];
            let kernel = |a: f64, b: f64| (-0.5 * ((a - b) / length).powi(2)).exp();
            let noise = |i: usize, j: usize| if i == j { 0.25 } else { 0.0 };
            let covariance = DMatrix::from_fn(4, 4, |i, j| kernel(x[i], x[j]) + noise(i, j));
            let inverse = covariance.try_inverse().expect("it is positive definite");
            for (k, place) in new.iter().enumerate() {
                let cross = DVector::from_fn(4, |i, _| kernel(*place, x[i]));
                let mean = (cross.transpose() * &inverse * DVector::from_row_slice(&y))[0];
                let variance = 1.25 - (cross.transpose() * &inverse * &cross)[0];
                assert!(
                    (draw[1 + k] - mean).abs() < 1e-10,
                    "{} and {mean}",
                    draw[1 + k]
                );
                assert!((draw[3 + k] - variance.sqrt()).abs() < 1e-10);
            }
        }
    }
    let check = model.check(Check::new()).expect("the model is sound");
    assert!(check.to_string().contains("no problems found"), "{check}");
}
