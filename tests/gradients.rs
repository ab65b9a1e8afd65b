//! One battery over all kinds of models: values and gradients agree between forward mode, reverse mode over lanes and
//! every instruction set of this processor, to 1e-10 relative.

#[allow(dead_code, reason = "the model of whole numbers has no gradient")]
#[path = "../examples/evidence/models.rs"]
mod models;

use bayes::autodiff::simd::Level;
use bayes::density::{ArithmeticSettings, Density, Gradient, Particles, Posterior};
use bayes::prelude::*;
use bayes::rng::{Key, Purpose};
use bayes::run::Counts;
use models::*;
#[cfg(target_arch = "x86_64")]
use std::collections::BTreeSet;

/// Relative to the larger of the numbers and of the largest entry of the gradient.
const TOLERANCE: f64 = 1e-10;

/// Eleven particles: a full group of lanes and one of three.
const PARTICLES: usize = 11;

/// The power of the likelihood.
const LAMBDA: f64 = 0.7;

/// Densities and gradient at draws of the prior, drawn in towards the origin so that no density is infinite.
fn evaluate<Mo: Model>(model: &Mo, gradient: Gradient, level: Level) -> Particles {
    let settings = ArithmeticSettings {
        gradient,
        instruction_set: Some(level),
    };
    let posterior = Posterior::with(model, 1, settings).expect("the model fits its data");
    let mut particles = Particles::new(PARTICLES, posterior.layout().dim);
    for (item, position) in particles
        .positions
        .chunks_mut(posterior.layout().dim)
        .enumerate()
    {
        let key = Key {
            seed: 1,
            group: 0,
            item: item as u64,
            stage: 0,
            purpose: Purpose::Initial,
        };
        posterior.draw_prior(&mut key.stream(), position);
        position.iter_mut().for_each(|x| *x = x.tanh());
    }
    let mut counts = Counts::default();
    posterior.evaluate_gradient(LAMBDA, &mut particles.block(), &mut counts);
    assert_eq!(
        counts.non_finite_gradients, 0,
        "a gradient that is not finite"
    );
    assert!(particles.log_likelihood.iter().all(|x| x.is_finite()));
    let mut values = particles.clone();
    posterior.evaluate(&mut values.block(), &mut counts);
    close(
        "log prior by value",
        &values.log_prior,
        &particles.log_prior,
    );
    let (value, with) = (&values.log_likelihood, &particles.log_likelihood);
    close("log likelihood by value", value, with);
    particles
}

fn close(what: &str, found: &[f64], want: &[f64]) {
    let largest = want.iter().fold(1e-300, |m: f64, x| m.max(x.abs()));
    for (i, (found, want)) in found.iter().zip(want).enumerate() {
        let error = (found - want).abs() / largest;
        assert!(
            error <= TOLERANCE,
            "{what} [{i}]: {found:e}, want {want:e}, off by {error:.1e} of the largest"
        );
    }
}

/// A vector operation of the standard library that is a function of its own in the compiled program was not compiled
/// into the model that it serves: every use of it is a slow call.
#[test]
#[cfg(target_arch = "x86_64")]
fn no_vector_operation_is_a_call() {
    let program = std::env::current_exe().and_then(std::fs::read);
    let program = program.expect("a program can read itself");
    // in a symbol the name follows its length
    let names = |prefix: &[u8]| -> BTreeSet<String> {
        let starts = program.windows(prefix.len() + 1).enumerate();
        let starts = starts.filter(|(_, w)| w[0].is_ascii_digit() && &w[1..] == prefix);
        starts
            .map(|(start, _)| program[start + 1..].iter())
            .map(|name| name.take_while(|c| c.is_ascii_alphanumeric() || **c == b'_'))
            .map(|name| name.map(|c| char::from(*c)).collect())
            .collect()
    };
    assert!(
        !names(b"with_avx512").is_empty(),
        "the names were stripped off"
    );
    let calls: Vec<String> = [b"_mm256_".as_slice(), b"_mm512_"]
        .iter()
        .flat_map(|prefix| names(prefix))
        .collect();
    assert_eq!(calls, Vec::<String>::new());
}

/// All modes and levels against forward mode.
fn agree<Mo: Model>(model: &Mo) {
    let forward = evaluate(model, Gradient::Forward, Level::Portable);
    let dim = forward.dim;
    for level in Level::ALL.into_iter().filter(|level| level.is_available()) {
        let reverse = evaluate(model, Gradient::Reverse, level);
        let name = |what| format!("{} of {} at {level}", what, model.name());
        close(&name("log prior"), &reverse.log_prior, &forward.log_prior);
        let (found, want) = (&reverse.log_likelihood, &forward.log_likelihood);
        close(&name("log likelihood"), found, want);
        let rows = reverse
            .gradient
            .chunks(dim)
            .zip(forward.gradient.chunks(dim));
        for (found, want) in rows {
            close(&name("gradient"), found, want);
        }
    }
}

#[model]
fn eight_schools(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
    for j in 0..y.len() {
        let theta = mu + tau * z[j];
        observe(y[j], Normal::new(theta, sigma[j]));
    }
}

#[model]
fn credit(x: &DMatrix<f64>, y: &[bool]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, BernoulliLogit::new(x * &beta));
}

#[model]
fn softmax(x: &DMatrix<f64>, y: &[usize]) {
    let beta = sample(Normal::new(0.0, 1.0).iid((x.ncols(), 3)));
    observe(y, CategoricalLogit::new(x * &beta));
}

/// A state carried from one iteration to the next: its tape must not be cut.
#[model]
fn garch(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let omega = sample(Gamma::new(2.0, 1.0));
    let alpha = sample(Uniform::new(0.0, 1.0));
    let beta = sample(Uniform::new(0.0, 1.0 - alpha));
    let mut variance: Real = Real::from(0.5);
    for t in 1..y.len() {
        variance = omega + alpha * (y[t - 1] - mu).square() + beta * variance;
        observe(y[t], Normal::new(mu, variance.sqrt()));
    }
}

/// Quantities made in a loop and used after it, in nested loops, and in every second iteration.
#[model]
fn loops(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let sd = sample(HalfNormal::new(1.0));
    let mut total: Real = Real::from(0.0);
    let mut seen: Vec<Real> = Vec::new();
    for i in 0..y.len() {
        let mut eta: Real = Real::from(0.0);
        for j in 0..x.ncols() {
            eta += x[(i, j)] * beta[j];
        }
        total += eta.tanh();
        seen.push(eta);
    }
    for i in 0..y.len() {
        if i % 2 == 0 {
            continue;
        }
        let scale = sd.exp() * (1.0 + seen[i].square());
        observe(y[i], Normal::new(seen[i], scale));
        for j in 0..x.ncols() {
            let pull = (beta[j] - seen[i]).abs();
            factor(-pull / (i as f64 + scale));
        }
    }
    factor(-total.square());
}

/// Continuous families with random parameters: scalars, vectors and both.
#[model]
fn continuous(y: &[f64]) {
    let a = sample(Gamma::new(2.0, 1.5));
    let b = sample(InverseGamma::new(3.0, 2.0));
    let m = sample(StudentT::new(4.0, 0.0, b));
    let s = sample(LogNormal::new(m, 0.5));
    let e = sample(Exponential::new(a).iid(y.len()));
    let c = sample(Cauchy::new(m, s));
    let h = sample(HalfCauchy::new(1.0));
    observe(y, Normal::new(&e, s));
    observe(y, StudentT::new(a + 1.0, c, &e));
    observe(y, Gamma::new(&e, s));
    observe(y, InverseGamma::new(a, b));
    observe(y, LogNormal::new(m, s));
    observe(y, Exponential::new(h));
}

/// Truncation, with bounds of data and random ones.
#[model]
fn truncated(y: &[f64], k: &[u64], limits: &[f64]) {
    let a = sample(Gamma::new(2.0, 1.5).truncated(0.1, 4.0));
    let m = sample(Normal::new(0.0, 1.0).truncated(-3.0, 3.0));
    let s = sample(StudentT::new(3.0, 0.0, a).truncated(0.0, f64::INFINITY));
    let high = sample(HalfNormal::new(1.0).truncated(0.0, 5.0).iid(2));
    observe(y, Normal::new(m, s).truncated(-1.0, 1.5 + high[0]));
    observe(y, Cauchy::new(m, s).truncated(f64::NEG_INFINITY, limits));
    observe(k, Poisson::new(a).truncated(0, 40));
    factor(Laplace::new(m, s).log_sf_at(high[1]));
}

/// Censoring.
#[model]
fn censored(y: &[f64], k: &[u64], limits: &[f64]) {
    let a = sample(Gamma::new(2.0, 1.5));
    let m = sample(Normal::new(0.0, 1.0));
    let e = sample(Exponential::new(a).iid(y.len()));
    observe(y, Gamma::new(a, 2.0).censored(0.0, limits));
    observe(y, LogNormal::new(m, &e).censored(0.3, limits));
    observe(k, Binomial::new(20, m.logistic()).censored(1, 12));
}

/// More of them: heavy tails, extremes, times and angles.
#[model]
fn further(y: &[f64]) {
    let k = sample(ChiSquared::new(3.0));
    let s = sample(HalfStudentT::new(k, 1.5));
    let low = sample(Weibull::new(s, 0.1));
    let g = sample(Gumbel::new(low, s));
    let m = sample(Logistic::new(g, s).iid(y.len()));
    let angle = sample(VonMises::new(g, k));
    let tail = sample(Pareto::new(s, k));
    observe(y, VonMises::new(angle, s));
    observe(y, SkewNormal::new(&m, s, g));
    observe(y, Weibull::new(s, tail));
    observe(y, Pareto::new(low * 0.01, s));
    observe(y, Logistic::new(g, &Vector::from_fn(y.len(), |i| s * y[i])));
    observe(y, Gumbel::new(&m, tail));
    observe(y, HalfStudentT::new(k, s));
    observe(y, ChiSquared::new(tail));
}

/// Families on intervals and of counts.
#[model]
fn counts(k: &[u64], flags: &[bool]) {
    let a = sample(Gamma::new(2.0, 1.5));
    let p = sample(Beta::new(a, 2.0));
    let u = sample(Uniform::new(-1.0, a));
    let e = sample(Gamma::new(3.0, 1.0).iid(k.len()));
    observe(k, Poisson::new(&e));
    observe(k, PoissonLog::new(u));
    observe(k, NegativeBinomial::mean_dispersion(a, p));
    observe(k, NegativeBinomial::successes_probability(a, p));
    observe(k, Geometric::new(p));
    observe(k, BetaBinomial::new(20, a, &e));
    observe(k, ZeroInflatedPoisson::new(p, &e));
    observe(
        k,
        ZeroInflated::new(p, NegativeBinomial::mean_dispersion(&e, a)),
    );
    observe(k, Hurdle::new(p, Poisson::new(&e)));
    observe(k, Binomial::new(20, p));
    observe(k, BinomialLogit::new(20, u));
    observe(flags, Bernoulli::new(p));
    observe(flags, BernoulliLogit::new(u));
}

/// Distributions of vectors, and mixtures.
#[model]
fn vectors(y: &[f64]) {
    let s = sample(HalfNormal::new(1.0));
    let w = sample(Dirichlet::new([1.0, 2.0, 3.0]));
    let cuts = sample(Normal::new(0.0, 2.0).iid(3).ordered());
    observe(&[3_u64, 1, 2], Multinomial::new(6, &w));
    let components = [
        Normal::new(cuts[0], s),
        Normal::new(cuts[1], 1.0 + s),
        Normal::new(cuts[2], s),
    ];
    observe(y, Mixture::new(&w, components));
    observe(y, Laplace::new(cuts[1], s));
}

/// The functions and the vector and matrix operations of the language.
#[model]
fn language(x: &DMatrix<f64>, y: &[f64]) {
    let v = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let g = sample(Normal::new(0.0, 1.0).iid((2, 3)));
    let s = sample(HalfNormal::new(1.0));
    let eta = x * &v;
    let bent = eta.map(|e| e.sin() + e.tanh() * 0.5 - (1.0 + e * e).ln());
    observe(y, Normal::new(&bent + s, 1.0));
    let shares = v.softmax();
    factor(shares.dot(&v) + v.log_sum_exp() + v.cumulative_sum().norm_squared().sqrt());
    factor((&v * 2.0 - &v / s).sum() + v.mean().exp().ln_1p() + v.log_softmax()[1]);
    factor(g.transpose().sum() + g.component_mul(&g).sum() + (s + 1.0).ln_gamma() + s.digamma());
    factor(s.powf(1.7) + s.powi(3) + s.pow(s) + s.norm_cdf().ln() + s.erf() + v[0].logistic());
    factor(v[0].max(v[1]) + v[1].min(0.3) + v[0].hypot(s) + v[1].atan2(s) + s.x_ln_y(s));
    factor(dot(&y[..x.ncols()], &v).square() * -0.1);
}

#[model]
fn gaussian_process(x: &[f64], y: &[f64]) {
    let length = sample(Gamma::new(3.0, 2.0));
    let height = sample(HalfNormal::new(1.0));
    let covariance = Matrix::from_fn(x.len(), x.len(), |i, j| {
        let distance = (x[i] - x[j]) / length;
        let noise = if i == j { 0.1 } else { 0.0 };
        height.square() * (-0.5 * distance.square()).exp() + noise
    });
    observe(y, MultivariateNormal::new(0.0, covariance));
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
    observe(y, MvStudentT::new(eta + 1.0, &sd, &whole).iid(y.nrows()));
    let nu = sample(Gamma::new(3.0, 1.0));
    let scale = sample(InverseWishart::new(5.0, s));
    let scatter = sample(Wishart::new(4.0 + nu, &scale));
    observe(s, Wishart::new(3.0 + nu, &scatter));
    observe(s, InverseWishart::new(3.0 + nu, &scatter));
    let direction = sample(UniformSphere::new(3));
    observe(
        y,
        MultivariateNormal::new(&direction, &scale).iid(y.nrows()),
    );
}

/// Processes in time and space, with categories in order and shrunken coefficients.
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

fn design(rows: usize, columns: usize) -> DMatrix<f64> {
    DMatrix::from_fn(rows, columns, |i, j| {
        (1.3 * i as f64 + 2.7 * j as f64).sin()
    })
}

fn numbers(n: usize) -> Vec<f64> {
    (0..n).map(|i| 0.2 + (0.9 * i as f64).cos().abs()).collect()
}

#[test]
fn hierarchies_and_regressions() {
    let sigma: Vec<f64> = (0..8).map(|i| 9.0 + i as f64).collect();
    agree(&eight_schools(
        &[28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0],
        &sigma,
    ));
    let flags: Vec<bool> = (0..53).map(|i| i % 3 == 0).collect();
    agree(&credit(&design(53, 19), &flags));
    let labels: Vec<usize> = (0..30).map(|i| i % 3).collect();
    agree(&softmax(&design(30, 4), &labels));
    agree(&regression(&design(40, 6), &numbers(40), 1.0, 0.7));
}

#[test]
fn loops_that_carry_values() {
    agree(&garch(&numbers(40)));
    agree(&loops(&design(12, 3), &numbers(12)));
    agree(&local_level(&numbers(20), 0.9, 1.1, 0.4, 0.3, 1.0));
    let eye = DMatrix::identity(2, 2);
    agree(&tracking(
        &numbers(7),
        &design(2, 2),
        &design(1, 2),
        &eye,
        0.5,
        &eye,
    ));
}

#[test]
fn every_family() {
    let counts = [0_u64, 3, 7, 1, 12];
    agree(&continuous(&numbers(5)));
    agree(&further(&numbers(5)));
    agree(&self::counts(&counts, &[true, false, true, true, false]));
    let limits: Vec<f64> = numbers(5).iter().map(|y| y.max(1.0)).collect();
    let y = [0.4, 0.9, 1.0, 0.3, 0.7];
    agree(&truncated(&y, &counts, &limits));
    agree(&censored(&y, &[1, 3, 7, 1, 12], &limits));
    agree(&vectors(&numbers(5)));
    agree(&beta_binomial(20, 7, 1.5, 2.5));
    agree(&gamma_poisson(&counts, 2.0, 1.0));
    agree(&dirichlet_multinomial(&counts, &[1.0, 0.5, 2.0, 1.0, 3.0]));
    agree(&mixture(3, &[0.2, 0.8], &[1.0, -1.0], 1.0));
    agree(&student_prior(&numbers(5), 3.0, 1.0, 0.5));
    agree(&student_likelihood(&numbers(5), 3.0, 1.0, 2.0));
    agree(&student_location_scale(&numbers(5), 4.0, 1.0));
    agree(&normal_mean(&numbers(5), 0.0, 1.0, 2.0));
    agree(&banana(0.3, 1.0, 2.0));
}

#[test]
fn structured_vectors_and_matrices() {
    let s = DMatrix::from_row_slice(3, 3, &[2.0, 0.3, 0.1, 0.3, 1.0, -0.2, 0.1, -0.2, 1.5]);
    agree(&matrices(&design(6, 3), &s));
    agree(&processes(&design(5, 2), &numbers(5), &[0, 2, 1, 1, 0]));
}

#[test]
fn functions_vectors_and_matrices() {
    agree(&language(&design(9, 4), &numbers(9)));
    agree(&gaussian_process(&[0.0, 0.4, 1.1, 1.9, 3.0], &numbers(5)));
}

#[test]
fn a_particle_has_the_same_bits_in_any_lane_and_any_company() {
    let (x, y) = (design(53, 19), vec![true; 53]);
    let model = credit(&x, &y);
    let posterior = Posterior::new(&model, 1).unwrap();
    let mut counts = Counts::default();
    let mut all = Particles::new(PARTICLES, 19);
    for (i, x) in all.positions.iter_mut().enumerate() {
        *x = (0.7 * i as f64).sin();
    }
    posterior.evaluate_gradient(LAMBDA, &mut all.block(), &mut counts);
    for i in 0..PARTICLES {
        let mut alone = all.select(&[i as u32]);
        posterior.evaluate_gradient(LAMBDA, &mut alone.block(), &mut counts);
        assert_eq!(alone.log_likelihood[0], all.log_likelihood[i]);
        assert_eq!(alone.log_prior[0], all.log_prior[i]);
        assert_eq!(alone.gradient, all.gradient[i * 19..(i + 1) * 19]);
    }
}
