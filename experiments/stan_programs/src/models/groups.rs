//! Groups that share a distribution.

use bayes::prelude::*;

#[model]
pub fn eight_schools_centered(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let theta = sample(Normal::new(mu, tau).iid(y.len()));
    observe(y, Normal::new(theta, sigma));
}

#[model]
pub fn eight_schools_noncentered(y: &[f64], sigma: &[f64]) {
    let mu = sample(Normal::new(0.0, 5.0));
    let tau = sample(HalfCauchy::new(5.0));
    let theta = sample(Normal::new(mu, tau).iid(y.len()).non_centred());
    observe(y, Normal::new(theta, sigma));
}

/// Recovery of pilots by scenario and kind of training.
#[model]
pub fn pilots(y: &[f64], group: &[usize], scenario: &[usize], groups: usize, scenarios: usize) {
    let mu_a = sample(Normal::new(0.0, 1.0));
    let mu_b = sample(Normal::new(0.0, 1.0));
    let sigma_a = sample(Uniform::new(0.0, 100.0));
    let sigma_b = sample(Uniform::new(0.0, 100.0));
    let sigma_y = sample(Uniform::new(0.0, 100.0));
    let a = sample(Normal::new(10.0 * mu_a, sigma_a).iid(groups));
    let b = sample(Normal::new(10.0 * mu_b, sigma_b).iid(scenarios));
    observe(y, Normal::new(a.at(group) + b.at(scenario), sigma_y));
}

/// Weights of young rats: a line for each.
#[model]
pub fn rats(y: &[f64], days: &[f64], rat: &[usize], rats: usize) {
    let mu_alpha = sample(Normal::new(0.0, 100.0));
    let mu_beta = sample(Normal::new(0.0, 100.0));
    let sigma_y = sample(Flat::above(0.0));
    let sigma_alpha = sample(Flat::above(0.0));
    let sigma_beta = sample(Flat::above(0.0));
    let alpha = sample(Normal::new(mu_alpha, sigma_alpha).iid(rats));
    let beta = sample(Normal::new(mu_beta, sigma_beta).iid(rats));
    for i in 0..y.len() {
        let mean = alpha[rat[i]] + beta[rat[i]] * days[i];
        observe(y[i], Normal::new(mean, sigma_y));
    }
}

/// Votes for president in 1988.
#[model]
pub fn election88(x: &DMatrix<f64>, y: &[bool], of: &Voters) {
    let beta = sample(Normal::new(0.0, 100.0).iid(5));
    let sigma_a = sample(Uniform::new(0.0, 100.0));
    let sigma_b = sample(Uniform::new(0.0, 100.0));
    let sigma_c = sample(Uniform::new(0.0, 100.0));
    let sigma_d = sample(Uniform::new(0.0, 100.0));
    let sigma_e = sample(Uniform::new(0.0, 100.0));
    let [ages, educations, both, states, regions] = of.sizes;
    let a = sample(Normal::new(0.0, sigma_a).iid(ages));
    let b = sample(Normal::new(0.0, sigma_b).iid(educations));
    let c = sample(Normal::new(0.0, sigma_c).iid(both));
    let d = sample(Normal::new(0.0, sigma_d).iid(states));
    let e = sample(Normal::new(0.0, sigma_e).iid(regions));
    let eta = x * &beta
        + a.at(&of.age)
        + b.at(&of.education)
        + c.at(&of.both)
        + d.at(&of.state)
        + e.at(&of.region);
    observe(y, BernoulliLogit::new(eta));
}

/// The groups of each voter, and how many there are.
#[allow(missing_docs)]
pub struct Voters {
    pub age: Vec<usize>,
    pub education: Vec<usize>,
    pub both: Vec<usize>,
    pub state: Vec<usize>,
    pub region: Vec<usize>,
    pub sizes: [usize; 5],
}

/// Losses of insurers by the year of the premium and the time since then.
#[model]
pub fn losscurve(
    loss: &[f64],
    cohort: &[usize],
    time: &[usize],
    value: &[f64],
    premium: &[f64],
    is_weibull: bool,
) {
    let mu_LR = sample(Normal::new(0.0, 0.5));
    let sd_LR = sample(LogNormal::new(0.0, 0.5));
    let LR = sample(LogNormal::new(mu_LR, sd_LR).iid(premium.len()));
    let loss_sd = sample(LogNormal::new(0.0, 0.7));
    let omega = sample(LogNormal::new(0.0, 0.5));
    let theta = sample(LogNormal::new(0.0, 0.5));
    for i in 0..loss.len() {
        let t = value[time[i]];
        let growth = if is_weibull {
            1.0 - (-(t / theta).powf(omega)).exp()
        } else {
            let power = Real::from(t).powf(omega);
            power / (power + theta.powf(omega))
        };
        let paid = premium[cohort[i]];
        observe(
            loss[i],
            Normal::new(LR[cohort[i]] * paid * growth, loss_sd * paid),
        );
    }
}

/// Germination of seeds (Crowder 1978).
#[model]
pub fn seeds(n: &[u64], of: &[u64], x1: &[f64], x2: &[f64]) {
    let alpha0 = sample(Normal::new(0.0, 1000.0));
    let alpha1 = sample(Normal::new(0.0, 1000.0));
    let alpha2 = sample(Normal::new(0.0, 1000.0));
    let alpha12 = sample(Normal::new(0.0, 1000.0));
    let tau = sample(Gamma::new(0.001, 0.001));
    let sigma = deterministic(1.0 / tau.sqrt());
    let b = sample(Normal::new(0.0, sigma).iid(n.len()));
    for i in 0..n.len() {
        let eta = alpha0 + alpha1 * x1[i] + alpha2 * x2[i] + alpha12 * (x1[i] * x2[i]) + b[i];
        observe(n[i], BinomialLogit::new(of[i], eta));
    }
}

#[model]
pub fn seeds_stanified(n: &[u64], of: &[u64], x1: &[f64], x2: &[f64]) {
    let alpha0 = sample(Normal::new(0.0, 1.0));
    let alpha1 = sample(Normal::new(0.0, 1.0));
    let alpha2 = sample(Normal::new(0.0, 1.0));
    let alpha12 = sample(Normal::new(0.0, 1.0));
    let sigma = sample(HalfCauchy::new(1.0));
    let b = sample(Normal::new(0.0, sigma).iid(n.len()));
    for i in 0..n.len() {
        let eta = alpha0 + alpha1 * x1[i] + alpha2 * x2[i] + alpha12 * (x1[i] * x2[i]) + b[i];
        observe(n[i], BinomialLogit::new(of[i], eta));
    }
}

/// The effects less their mean.
#[model]
pub fn seeds_centered(n: &[u64], of: &[u64], x1: &[f64], x2: &[f64]) {
    let alpha0 = sample(Normal::new(0.0, 1.0));
    let alpha1 = sample(Normal::new(0.0, 1.0));
    let alpha2 = sample(Normal::new(0.0, 1.0));
    let alpha12 = sample(Normal::new(0.0, 1.0));
    let sigma = sample(HalfCauchy::new(1.0));
    let c = sample(Normal::new(0.0, sigma).iid(n.len()));
    let b = &c - c.mean();
    for i in 0..n.len() {
        let eta = alpha0 + alpha1 * x1[i] + alpha2 * x2[i] + alpha12 * (x1[i] * x2[i]) + b[i];
        observe(n[i], BinomialLogit::new(of[i], eta));
    }
}

/// Deaths after heart surgery in twelve hospitals.
#[model]
pub fn surgical(r: &[u64], n: &[u64]) {
    let mu = sample(Normal::new(0.0, 1000.0));
    let sigmasq = sample(InverseGamma::new(0.001, 0.001));
    let b = sample(Normal::new(mu, sigmasq.sqrt()).iid(r.len()));
    for i in 0..r.len() {
        observe(r[i], BinomialLogit::new(n[i], b[i]));
    }
}
