//! The distributions that the macro knows by name: constructors and domain.
//!
//! Knowing them lets the macro count arguments, suggest names, and see which models have a gradient.
//! A distribution that is missing here still works, but mistakes get rustc's own messages.

/// A distribution of `bayes::dist`.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    /// The name that users write.
    pub name: &'static str,
    /// The constructors.
    pub constructors: &'static [Constructor],
    /// Whether its values are whole numbers.
    pub discrete: bool,
}

/// A constructor and its parameters in order.
#[derive(Clone, Copy, Debug)]
pub struct Constructor {
    /// The name after `::`.
    pub name: &'static str,
    /// Names of the parameters.
    pub parameters: &'static [&'static str],
}

const fn continuous(name: &'static str, constructors: &'static [Constructor]) -> Known {
    Known {
        name,
        constructors,
        discrete: false,
    }
}

const fn discrete(name: &'static str, constructors: &'static [Constructor]) -> Known {
    Known {
        name,
        constructors,
        discrete: true,
    }
}

macro_rules! constructors {
    ($($name:ident($($parameter:ident),*)),*) => {
        &[$(Constructor { name: stringify!($name), parameters: &[$(stringify!($parameter)),*] }),*]
    };
}

/// Every distribution of `bayes::dist`, by name.
pub const KNOWN: &[Known] = &[
    continuous(
        "Autoregressive",
        constructors![
            stationary(coefficients, sd, length),
            conditional(coefficients, sd, past, length)
        ],
    ),
    discrete("Bernoulli", constructors![new(p)]),
    discrete("BernoulliLogit", constructors![new(logit)]),
    continuous("Beta", constructors![new(a, b)]),
    discrete("BetaBinomial", constructors![new(trials, a, b)]),
    discrete("Binomial", constructors![new(trials, p)]),
    discrete("BinomialLogit", constructors![new(trials, logit)]),
    discrete("Categorical", constructors![new(p)]),
    discrete("CategoricalLogit", constructors![new(logits)]),
    continuous("Cauchy", constructors![new(location, scale)]),
    continuous("ChiSquared", constructors![new(nu)]),
    continuous("Dirichlet", constructors![new(alpha)]),
    continuous("Exponential", constructors![new(rate)]),
    continuous(
        "Flat",
        constructors![new(), above(low), below(high), between(low, high)],
    ),
    continuous("Gamma", constructors![new(shape, rate)]),
    continuous("GaussianProcess", constructors![new(mean, kernel, x)]),
    continuous("GaussianRandomWalk", constructors![new(start, sd, length)]),
    discrete("Geometric", constructors![new(p)]),
    continuous("Gumbel", constructors![new(location, scale)]),
    continuous("HalfCauchy", constructors![new(scale)]),
    continuous("HalfNormal", constructors![new(sd)]),
    continuous("HalfStudentT", constructors![new(nu, scale)]),
    discrete("Hurdle", constructors![new(pi, counts)]),
    discrete(
        "Hypergeometric",
        constructors![new(population, successes, draws)],
    ),
    continuous("InverseGamma", constructors![new(shape, scale)]),
    continuous("InverseWishart", constructors![new(nu, psi)]),
    continuous("LKJ", constructors![new(d, eta)]),
    continuous("LKJCholesky", constructors![new(d, eta)]),
    continuous("Laplace", constructors![new(location, scale)]),
    continuous("LogNormal", constructors![new(mu, sigma)]),
    continuous("Logistic", constructors![new(location, scale)]),
    continuous("Mixture", constructors![new(weights, components)]),
    discrete("Multinomial", constructors![new(trials, p)]),
    continuous(
        "MultivariateNormal",
        constructors![new(mean, covariance), from_cholesky(mean, factor)],
    ),
    continuous(
        "MvStudentT",
        constructors![new(nu, location, scale), from_cholesky(nu, location, lower)],
    ),
    discrete(
        "NegativeBinomial",
        constructors![mean_dispersion(mu, phi), successes_probability(r, p)],
    ),
    continuous("Normal", constructors![new(mean, sd)]),
    discrete("OrderedLogistic", constructors![new(eta, cutpoints)]),
    continuous("Pareto", constructors![new(scale, shape)]),
    discrete("Poisson", constructors![new(rate)]),
    discrete("PoissonLog", constructors![new(log_rate)]),
    continuous("SkewNormal", constructors![new(location, scale, shape)]),
    continuous("StudentT", constructors![new(df, location, scale)]),
    continuous("Uniform", constructors![new(low, high)]),
    continuous("UniformSphere", constructors![new(d)]),
    continuous("VonMises", constructors![new(mu, kappa)]),
    continuous("Weibull", constructors![new(shape, scale)]),
    continuous("Wishart", constructors![new(nu, v)]),
    discrete("ZeroInflated", constructors![new(pi, counts)]),
    discrete("ZeroInflatedPoisson", constructors![new(pi, rate)]),
];

/// The distribution called `name`.
pub fn find(name: &str) -> Option<&'static Known> {
    KNOWN.iter().find(|known| known.name == name)
}
