//! The tables of the distributions and of the elementary functions of `bayes`.
//!
//! Of distributions: the modules of `bayes-dist`, the names, parameters and domains that `#[model]` knows, the prelude and the tests are
//! generated from it. It is a separate crate because a procedural macro cannot read the types of a library.
//!
//! A line reads
//!
//! ```text
//! file: Name { constructor(parameter, ...), ... } domain tests;
//! ```
//!
//! - `file`: the module `bayes-dist/src/dist/family/<file>.rs` that holds the type `Name`;
//! - the constructors that models call, with the names of their parameters;
//! - `domain`: `continuous`, or `discrete` if values are whole numbers;
//! - `tests`: `cumulative` for a scalar family with a distribution function, `scalar` for one without, and `structured`
//!   for everything else, which has its own tests (`Wiener` those of its distribution function too). Scalar families go through the battery of
//!   `bayes-dist/tests/distributions` at the points of `bayes-dist/tests/data/distributions/<file>.json`, or
//!   `<file>.<constructor>.json` if the constructor is not `new`.
//!
//! A test of `bayes-macros` checks that the lines agree with the sources.

#![forbid(unsafe_code)]

mod functions;

/// Hands the table to the macro `$then`: `distributions!(print)` is `print! { autoregressive: Autoregressive ... }`.
#[macro_export]
macro_rules! distributions {
    ($then:ident) => {
        $then! {
            asymmetric_laplace: AsymmetricLaplace { new(location, scale, asymmetry) } continuous cumulative;
            autoregressive: Autoregressive { stationary(coefficients, sd, length), conditional(coefficients, sd, past, length) } continuous structured;
            bernoulli: Bernoulli { new(p) } discrete cumulative;
            bernoulli_logit: BernoulliLogit { new(logit) } discrete cumulative;
            beta: Beta { new(a, b) } continuous cumulative;
            beta_binomial: BetaBinomial { new(n, a, b) } discrete cumulative;
            beta_proportion: BetaProportion { new(mu, kappa) } continuous cumulative;
            binomial: Binomial { new(n, p) } discrete cumulative;
            binomial_logit: BinomialLogit { new(n, logit) } discrete cumulative;
            categorical: Categorical { new(p) } discrete structured;
            categorical_logit: CategoricalLogit { new(logits) } discrete structured;
            cauchy: Cauchy { new(location, scale) } continuous cumulative;
            chi_squared: ChiSquared { new(nu) } continuous cumulative;
            dagum: Dagum { new(scale, shape, power) } continuous cumulative;
            dirichlet: Dirichlet { new(alpha) } continuous structured;
            discrete_uniform: DiscreteUniform { new(low, high) } discrete cumulative;
            discrete_weibull: DiscreteWeibull { new(q, beta) } discrete cumulative;
            exponential: Exponential { new(rate) } continuous cumulative;
            exponentially_modified_normal: ExponentiallyModifiedNormal { new(mean, sd, rate) } continuous cumulative;
            flat: Flat { new(), above(low), below(high), between(low, high) } continuous structured;
            frechet: Frechet { new(shape, scale) } continuous cumulative;
            gamma: Gamma { new(shape, rate) } continuous cumulative;
            gaussian_field: GaussianField { new(mean, precision) } continuous structured;
            gaussian_process: GaussianProcess { new(mean, kernel, x) } continuous structured;
            gaussian_random_walk: GaussianRandomWalk { new(start, sd, length) } continuous structured;
            geometric: Geometric { new(p) } discrete cumulative;
            gompertz: Gompertz { new(concentration, rate) } continuous cumulative;
            gumbel: Gumbel { new(location, scale) } continuous cumulative;
            half_cauchy: HalfCauchy { new(scale) } continuous cumulative;
            half_normal: HalfNormal { new(scale) } continuous cumulative;
            half_student_t: HalfStudentT { new(nu, scale) } continuous cumulative;
            hidden_markov: HiddenMarkov { new(start, moves, emissions, length) } continuous structured;
            horseshoe: Horseshoe { new(tau) } continuous structured;
            hurdle: Hurdle { new(pi, counts) } discrete structured;
            hypergeometric: Hypergeometric { new(population, successes, draws) } discrete cumulative;
            icar: Icar { new(neighbours, sd) } continuous structured;
            intrinsic_random_walk: IntrinsicRandomWalk { new(order, sd, length) } continuous structured;
            inverse_gamma: InverseGamma { new(shape, scale) } continuous cumulative;
            inverse_gaussian: InverseGaussian { new(mean, shape) } continuous cumulative;
            inverse_wishart: InverseWishart { new(nu, psi) } continuous structured;
            kumaraswamy: Kumaraswamy { new(a, b) } continuous cumulative;
            laplace: Laplace { new(location, scale) } continuous cumulative;
            lkj: LKJ { new(d, eta) } continuous structured;
            lkj_cholesky: LKJCholesky { new(d, eta) } continuous structured;
            log_logistic: LogLogistic { new(scale, shape) } continuous cumulative;
            log_normal: LogNormal { new(mu, sigma) } continuous cumulative;
            log_uniform: LogUniform { new(low, high) } continuous cumulative;
            logistic: Logistic { new(location, scale) } continuous cumulative;
            logit_normal: LogitNormal { new(mu, sigma) } continuous cumulative;
            lomax: Lomax { new(scale, shape) } continuous cumulative;
            matrix_normal: MatrixNormal { new(mean, row_covariance, column_covariance), from_cholesky(mean, row_lower, column_lower) } continuous structured;
            mixture: Mixture { new(weights, components) } continuous structured;
            moyal: Moyal { new(location, scale) } continuous cumulative;
            multinomial: Multinomial { new(n, p) } discrete structured;
            multivariate_normal: MultivariateNormal { new(mean, covariance), from_cholesky(mean, lower), from_precision(mean, precision) } continuous structured;
            multivariate_student_t: MultivariateStudentT { new(nu, location, scale), from_cholesky(nu, location, lower) } continuous structured;
            negative_binomial: NegativeBinomial { mean_dispersion(mu, phi), successes_probability(r, p) } discrete cumulative;
            normal: Normal { new(mean, sd) } continuous cumulative;
            ordered_logistic: OrderedLogistic { new(eta, cutpoints) } discrete structured;
            ordered_probit: OrderedProbit { new(eta, cutpoints) } discrete structured;
            pareto: Pareto { new(scale, shape) } continuous cumulative;
            poisson: Poisson { new(rate) } discrete cumulative;
            poisson_log: PoissonLog { new(log_rate) } discrete cumulative;
            product: Product { new(factors) } continuous structured;
            rayleigh: Rayleigh { new(scale) } continuous cumulative;
            rice: Rice { new(nu, sigma) } continuous scalar;
            scaled_inverse_chi_squared: ScaledInverseChiSquared { new(nu, scale) } continuous cumulative;
            skew_normal: SkewNormal { new(location, scale, shape) } continuous cumulative;
            state_space: StateSpace { new(parts, sd, length) } continuous structured;
            student_t: StudentT { new(nu, location, scale) } continuous cumulative;
            uniform: Uniform { new(low, high) } continuous cumulative;
            uniform_sphere: UniformSphere { new(d) } continuous structured;
            von_mises: VonMises { new(mu, kappa) } continuous cumulative;
            weibull: Weibull { new(shape, scale) } continuous cumulative;
            wiener: Wiener { new(boundary, non_decision, start, drift) } continuous structured;
            wishart: Wishart { new(nu, v) } continuous structured;
            zero_inflated: ZeroInflated { new(pi, counts) } discrete structured;
            zero_inflated_poisson: ZeroInflatedPoisson { new(pi, rate) } discrete scalar;
            zero_sum_normal: ZeroSumNormal { new(sd, n) } continuous structured;
            zipf: Zipf { new(s) } discrete cumulative;
        }
    };
}
