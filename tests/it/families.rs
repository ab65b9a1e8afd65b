//! Gradients of every scalar family in one model or another, in every mode.

use crate::battery::{agree, numbers};
use bayes::prelude::*;

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

/// Truncation, with bounds that are data and random bounds.
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

/// More continuous families: heavy tails, extremes, times and angles.
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

/// Families on intervals and for counts.
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
}
