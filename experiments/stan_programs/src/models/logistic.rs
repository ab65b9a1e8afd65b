//! Logistic and Poisson regressions.

use bayes::prelude::*;

/// `wells_dist`.
#[model]
pub fn wells_dist(dist: &[f64], switched: &[bool]) {
    let beta = sample(Flat::new().iid(2));
    observe(switched, BernoulliLogit::new(beta[0] + beta[1] * dist));
}

/// `wells_...`, `nes_logit_model`.
#[model]
pub fn wells(x: &DMatrix<f64>, y: &[bool]) {
    let alpha = sample(Flat::new());
    let beta = sample(Flat::new().iid(x.ncols()));
    observe(y, BernoulliLogit::new(alpha + x * &beta));
}

#[model]
pub fn glm_binomial(year: &[f64], pairs: &[u64], successes: &[u64]) {
    let alpha = sample(Normal::new(0.0, 100.0));
    let beta1 = sample(Normal::new(0.0, 100.0));
    let beta2 = sample(Normal::new(0.0, 100.0));
    for i in 0..year.len() {
        let eta = alpha + beta1 * year[i] + beta2 * year[i].powi(2);
        observe(successes[i], BinomialLogit::new(pairs[i], eta));
    }
}

#[model]
pub fn glm_poisson(year: &[f64], count: &[u64]) {
    let alpha = sample(Uniform::new(-20.0, 20.0));
    let beta1 = sample(Uniform::new(-10.0, 10.0));
    let beta2 = sample(Uniform::new(-10.0, 10.0));
    let beta3 = sample(Uniform::new(-10.0, 10.0));
    for i in 0..year.len() {
        let t = year[i];
        let eta = alpha + beta1 * t + beta2 * t.powi(2) + beta3 * t.powi(3);
        observe(count[i], PoissonLog::new(eta));
    }
}

/// With an effect of each year.
#[model]
pub fn glmm_poisson(year: &[f64], count: &[u64]) {
    let alpha = sample(Uniform::new(-20.0, 20.0));
    let beta1 = sample(Uniform::new(-10.0, 10.0));
    let beta2 = sample(Uniform::new(-10.0, 20.0));
    let beta3 = sample(Uniform::new(-10.0, 10.0));
    let sigma = sample(Uniform::new(0.0, 5.0));
    let eps = sample(Normal::new(0.0, sigma).iid(year.len()));
    for i in 0..year.len() {
        let t = year[i];
        let eta = alpha + beta1 * t + beta2 * t.powi(2) + beta3 * t.powi(3) + eps[i];
        observe(count[i], PoissonLog::new(eta));
    }
}

/// Counts of birds at sites; missing ones are left out.
#[model]
pub fn glmm1(count: &[u64], site: &[usize], sites: usize) {
    let mu_alpha = sample(Normal::new(0.0, 10.0));
    let sd_alpha = sample(Uniform::new(0.0, 5.0));
    let alpha = sample(Normal::new(mu_alpha, sd_alpha).iid(sites));
    observe(count, PoissonLog::new(alpha.at(site)));
}

/// A regularised horseshoe (Piironen and Vehtari 2017).
#[model]
pub fn logistic_regression_rhs(x: &DMatrix<f64>, y: &[bool], prior: &Slab) {
    let beta0 = sample(Normal::new(0.0, prior.scale_icept));
    let z = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let tau = sample(HalfStudentT::new(prior.nu_global, 2.0 * prior.scale_global));
    let lambda = sample(HalfStudentT::new(prior.nu_local, 1.0).iid(x.ncols()));
    let half = 0.5 * prior.slab_df;
    let caux = sample(InverseGamma::new(half, half));
    let horseshoe = Horseshoe::new(tau).regularised(prior.slab_scale.powi(2) * caux);
    let beta = deterministic(horseshoe.coefficients(&lambda, &z));
    observe(y, BernoulliLogit::new(beta0 + x * &beta));
}

/// The constants of the horseshoe.
#[allow(missing_docs)]
pub struct Slab {
    pub scale_icept: f64,
    pub scale_global: f64,
    pub nu_global: f64,
    pub nu_local: f64,
    pub slab_scale: f64,
    pub slab_df: f64,
}

/// Dogs that learn to avoid a shock; `avoided` and `shocked` count the earlier trials.
#[model]
pub fn dogs(shock: &[bool], avoided: &[f64], shocked: &[f64]) {
    let beta = sample(Normal::new(0.0, 100.0).iid(3));
    let eta = beta[0] + beta[1] * avoided + beta[2] * shocked;
    observe(shock, BernoulliLogit::new(eta));
}

#[model]
pub fn dogs_log(shock: &[bool], avoided: &[f64], shocked: &[f64]) {
    let beta_1 = sample(Uniform::new(-100.0, 0.0));
    let beta_2 = sample(Uniform::new(0.0, 100.0));
    observe(
        shock,
        BernoulliLogit::new(beta_1 * avoided + beta_2 * shocked),
    );
}

#[model]
pub fn dogs_hierarchical(shock: &[bool], avoided: &[f64], shocked: &[f64]) {
    let a = sample(Uniform::new(0.0, 1.0));
    let b = sample(Uniform::new(0.0, 1.0));
    for i in 0..shock.len() {
        observe(
            shock[i],
            Bernoulli::new(a.powf(shocked[i]) * b.powf(avoided[i])),
        );
    }
}

/// Each dog has its own two probabilities, correlated.
#[model]
pub fn dogs_nonhierarchical(shock: &[bool], avoided: &[f64], shocked: &[f64], dogs: usize) {
    let mu_logit_ab = sample(Logistic::new(0.0, 1.0).iid(2));
    let sigma_logit_ab = sample(HalfNormal::new(1.0).iid(2));
    let L_logit_ab = sample(LKJCholesky::new(2, 2.0));
    let z = sample(Normal::new(0.0, 1.0).iid((dogs, 2)));
    // as in the program: the factor is not transposed
    let scaled = Matrix::from_fn(2, 2, |i, j| sigma_logit_ab[i] * L_logit_ab[(i, j)]);
    let deviation = &z * &scaled;
    let trials = shock.len() / dogs;
    for i in 0..shock.len() {
        let [a, b] = [0, 1].map(|k| (mu_logit_ab[k] + deviation[(i / trials, k)]).logistic());
        observe(
            shock[i],
            Bernoulli::new(a.powf(shocked[i]) * b.powf(avoided[i])),
        );
    }
}
