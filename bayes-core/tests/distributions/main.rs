//! Every scalar distribution goes through one battery: adding one is one line in the list below.

#![allow(
    clippy::unwrap_used,
    reason = "clippy knows tests by their attribute, not the helpers they share"
)]

mod battery;
mod bounded;
mod cumulative;
mod derivatives;
mod errors;
mod integration;
mod reference;
mod sampling;
mod vectorised;
mod vectors;

use bayes_core::dist::*;

battery::subjects! {
    normal: Normal, "Normal", |mean, sd| Normal::new(mean, sd);
    log_normal: LogNormal, "LogNormal", |mu, sigma| LogNormal::new(mu, sigma);
    half_normal: HalfNormal, "HalfNormal", |scale| HalfNormal::new(scale);
    cauchy: Cauchy, "Cauchy", |location, scale| Cauchy::new(location, scale);
    half_cauchy: HalfCauchy, "HalfCauchy", |scale| HalfCauchy::new(scale);
    student_t: StudentT, "StudentT", |nu, location, scale| StudentT::new(nu, location, scale);
    laplace: Laplace, "Laplace", |location, scale| Laplace::new(location, scale);
    exponential: Exponential, "Exponential", |rate| Exponential::new(rate);
    gamma: Gamma, "Gamma", |shape, rate| Gamma::new(shape, rate);
    inverse_gamma: InverseGamma, "InverseGamma", |shape, scale| InverseGamma::new(shape, scale);
    beta: Beta, "Beta", |a, b| Beta::new(a, b);
    uniform: Uniform, "Uniform", |low, high| Uniform::new(low, high);
    bernoulli: Bernoulli, "Bernoulli", |p| Bernoulli::new(p);
    bernoulli_logit: BernoulliLogit, "BernoulliLogit", |logit| BernoulliLogit::new(logit);
    binomial: Binomial, "Binomial", |n, p| Binomial::new(n, p);
    binomial_logit: BinomialLogit, "BinomialLogit", |n, logit| BinomialLogit::new(n, logit);
    poisson: Poisson, "Poisson", |rate| Poisson::new(rate);
    poisson_log: PoissonLog, "PoissonLog", |log_rate| PoissonLog::new(log_rate);
    negative_binomial: NegativeBinomial, "NegativeBinomialMean", |mu, phi| NegativeBinomial::mean_dispersion(mu, phi);
}
