//! The models of the reference problems, line by line like the formulas in the file.

use bayes::prelude::*;

/// mu ~ Normal(prior_mean, prior_sd), y[i] ~ Normal(mu, noise_sd)
#[model]
pub fn normal_mean(y: &[f64], prior_mean: f64, prior_sd: f64, noise_sd: f64) {
    let mu = sample(Normal::new(prior_mean, prior_sd));
    observe(y, Normal::new(mu, noise_sd));
}

/// beta[j] ~ Normal(0, prior_sd), y[i] ~ Normal(x[i]ᵀ beta, noise_sd)
#[model]
pub fn regression(x: &DMatrix<f64>, y: &[f64], prior_sd: f64, noise_sd: f64) {
    let beta = sample(Normal::new(0.0, prior_sd).iid(x.ncols()));
    observe(y, Normal::new(x * &beta, noise_sd));
}

/// p ~ Beta(a, b), k ~ Binomial(n, p)
#[model]
pub fn beta_binomial(n: u64, k: u64, a: f64, b: f64) {
    let p = sample(Beta::new(a, b));
    observe(k, Binomial::new(n, p));
}

/// lambda ~ Gamma(shape, rate), y[i] ~ Poisson(lambda)
#[model]
pub fn gamma_poisson(y: &[u64], shape: f64, rate: f64) {
    let lambda = sample(Gamma::new(shape, rate));
    observe(y, Poisson::new(lambda));
}

/// p ~ Dirichlet(alpha), counts ~ Multinomial(n, p)
#[model]
pub fn dirichlet_multinomial(counts: &[u64], alpha: &[f64]) {
    let p = sample(Dirichlet::new(alpha));
    observe(counts, Multinomial::new(counts.iter().sum::<u64>(), &p));
}

/// x ~ Normal_d(0, prior_sd² I), likelihood Σ_k weights[k] Normal_d(x; centres[k], I)
#[model]
pub fn mixture(d: usize, weights: &[f64], centres: &[f64], prior_sd: f64) {
    let x = sample(Normal::new(0.0, prior_sd).iid(d));
    let components: Vec<_> = centres
        .iter()
        .map(|c| Normal::new(*c, 1.0).iid(d))
        .collect();
    factor(Mixture::new(weights, components).log_density_at(&x));
}

/// mu ~ StudentT(nu, 0, scale), y[i] ~ Normal(mu, noise_sd)
#[model]
pub fn student_prior(y: &[f64], nu: f64, scale: f64, noise_sd: f64) {
    let mu = sample(StudentT::new(nu, 0.0, scale));
    observe(y, Normal::new(mu, noise_sd));
}

/// mu ~ Normal(0, prior_sd), y[i] ~ StudentT(nu, mu, scale)
#[model]
pub fn student_likelihood(y: &[f64], nu: f64, scale: f64, prior_sd: f64) {
    let mu = sample(Normal::new(0.0, prior_sd));
    observe(y, StudentT::new(nu, mu, scale));
}

/// x1, x2 ~ Normal(0, prior_sd), log likelihood -(x2 - x1²)²/(2 sd_ridge²) - (x1 - 1)²/(2 sd_x1²)
#[model]
pub fn banana(sd_ridge: f64, sd_x1: f64, prior_sd: f64) {
    let x1 = sample(Normal::new(0.0, prior_sd));
    let x2 = sample(Normal::new(0.0, prior_sd));
    let ridge = (x2 - x1 * x1) / sd_ridge;
    let along = (x1 - 1.0) / sd_x1;
    factor(-0.5 * (ridge * ridge + along * along));
}

/// mu ~ Normal(0, prior_sd), sigma ~ LogNormal(0, 1), y[i] ~ StudentT(nu, mu, sigma)
#[model]
pub fn student_location_scale(y: &[f64], nu: f64, prior_sd: f64) {
    let mu = sample(Normal::new(0.0, prior_sd));
    let sigma = sample(LogNormal::new(0.0, 1.0));
    observe(y, StudentT::new(nu, mu, sigma));
}

/// z[1] ~ Categorical(initial), z[t] ~ Categorical(transition[z[t-1]]), y[t] ~ Categorical(emission[z[t]])
///
/// The first state is drawn, the later ones are summed out.
#[model]
pub fn hidden_states(
    y: &[usize],
    initial: &[f64],
    transition: &DMatrix<f64>,
    emission: &DMatrix<f64>,
) {
    let z = sample(Categorical::new(initial));
    // for each first state, the log likelihood of all observations
    let seen = log_likelihoods(y, transition, emission);
    // `seen[z]`, as a polynomial through its three values; a proposal outside of 0 to 2 has prior probability 0
    let z = z.max(0.0).min(2.0);
    factor(
        seen[0] * (1.0 - z) * (2.0 - z) / 2.0
            + seen[1] * z * (2.0 - z)
            + seen[2] * z * (z - 1.0) / 2.0,
    );
}

/// The log likelihood given each first state, by the backward recursion (Rabiner 1989, equation 25).
fn log_likelihoods(y: &[usize], transition: &DMatrix<f64>, emission: &DMatrix<f64>) -> [f64; 3] {
    let mut ahead = DVector::from_element(3, 1.0);
    for y in y.iter().skip(1).rev() {
        ahead = transition * emission.column(*y).component_mul(&ahead);
    }
    let seen = emission.column(y[0]).component_mul(&ahead);
    [0, 1, 2].map(|z| seen[z].ln())
}

/// x[1] ~ Normal(0, √p0), x[t] ~ Normal(a x[t-1], √q), y[t] ~ Normal(c x[t], √r)
#[model]
pub fn local_level(y: &[f64], a: f64, c: f64, q: f64, r: f64, p0: f64) {
    let mut previous: Real = Real::from(0.0);
    for t in 0..y.len() {
        let sd = if t == 0 { p0.sqrt() } else { q.sqrt() };
        let x = sample(Normal::new(a * previous, sd));
        observe(y[t], Normal::new(c * x, r.sqrt()));
        previous = x;
    }
}

/// x[1] ~ Normal(0, P0), x[t] ~ Normal(A x[t-1], Q), y[t] ~ Normal(C x[t], R)
#[model]
pub fn tracking(
    y: &[f64],
    a: &DMatrix<f64>,
    c: &DMatrix<f64>,
    q: &DMatrix<f64>,
    r: f64,
    p0: &DMatrix<f64>,
) {
    let first = sample(MultivariateNormal::new(&[0.0, 0.0], p0));
    observe(y[0], Normal::new((c * &first)[0], r.sqrt()));
    let mut previous = first;
    for t in 1..y.len() {
        let x = sample(MultivariateNormal::new(a * &previous, q));
        observe(y[t], Normal::new((c * &x)[0], r.sqrt()));
        previous = x;
    }
}
