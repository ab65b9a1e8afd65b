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
mod intervals;
mod matrices;
mod ordered_logistic;
mod processes;
mod properties;
mod reference;
mod sampling;
mod tails;
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
    half_student_t: HalfStudentT, "HalfStudentT", |nu, scale| HalfStudentT::new(nu, scale);
    logistic: Logistic, "Logistic", |location, scale| Logistic::new(location, scale);
    gumbel: Gumbel, "Gumbel", |location, scale| Gumbel::new(location, scale);
    skew_normal: SkewNormal, "SkewNormal", |location, scale, shape| SkewNormal::new(location, scale, shape);
    von_mises: VonMises, "VonMises", |mu, kappa| VonMises::new(mu, kappa);
    chi_squared: ChiSquared, "ChiSquared", |nu| ChiSquared::new(nu);
    weibull: Weibull, "Weibull", |shape, scale| Weibull::new(shape, scale);
    pareto: Pareto, "Pareto", |scale, shape| Pareto::new(scale, shape);
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
    negative_binomial_failures: NegativeBinomialFailures, "NegativeBinomialCount", |r, p| NegativeBinomial::successes_probability(r, p);
    geometric: Geometric, "Geometric", |p| Geometric::new(p);
    beta_binomial: BetaBinomial, "BetaBinomial", |n, a, b| BetaBinomial::new(n, a, b);
    hypergeometric: Hypergeometric, "Hypergeometric", |population, successes, draws| Hypergeometric::new(population, successes, draws);
    zero_inflated_poisson: WithZeros<ZeroInflated, Poisson>, "ZeroInflatedPoisson", |pi, rate| ZeroInflatedPoisson::new(pi, rate);
    zero_inflated_negative_binomial: WithZeros<ZeroInflated, NegativeBinomial>, "ZeroInflatedNegativeBinomial", |pi, mu, phi| ZeroInflated::new(pi, NegativeBinomial::mean_dispersion(mu, phi));
    hurdle_poisson: WithZeros<Hurdle, Poisson>, "HurdlePoisson", |pi, rate| Hurdle::new(pi, Poisson::new(rate));
    hurdle_negative_binomial: WithZeros<Hurdle, NegativeBinomialFailures>, "HurdleNegativeBinomialCount", |pi, r, p| Hurdle::new(pi, NegativeBinomial::successes_probability(r, p));
    hurdle_binomial: WithZeros<Hurdle, Binomial>, "HurdleBinomial", |pi, n, p| Hurdle::new(pi, Binomial::new(n, p));
}
