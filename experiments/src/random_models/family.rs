//! Families of distributions that random models use.

use super::Support::{self, Binary, Counts, Positive, Real, Unit};

macro_rules! families {
    ($($name:ident: $support:ident, $parameters:expr, $stan:literal, $shift:literal;)*) => {
        /// A family of distributions.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "they have the names of the distributions")]
        pub enum Family {
            $($name,)*
        }

        impl Family {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// What its parameters may be.
            pub(super) fn parameters(self) -> &'static [Support] {
                match self {
                    $(Self::$name => &$parameters,)*
                }
            }
            /// The values of its draws.
            pub(super) fn support(self) -> Support {
                match self {
                    $(Self::$name => $support,)*
                }
            }
            /// The name in Stan, and arguments before the parameters.
            pub(super) fn stan(self) -> (&'static str, &'static str) {
                match self {
                    $(Self::$name => ($stan, $shift),)*
                }
            }
        }
    };
}

families! {
    Normal: Real, [Real, Positive], "normal_lpdf", "";
    StudentT: Real, [Positive, Real, Positive], "student_t_lpdf", "";
    Cauchy: Real, [Real, Positive], "cauchy_lpdf", "";
    Laplace: Real, [Real, Positive], "double_exponential_lpdf", "";
    Logistic: Real, [Real, Positive], "logistic_lpdf", "";
    Gumbel: Real, [Real, Positive], "gumbel_lpdf", "";
    SkewNormal: Real, [Real, Positive, Real], "skew_normal_lpdf", "";
    ExponentiallyModifiedNormal: Real, [Real, Positive, Positive], "exp_mod_normal_lpdf", "";
    HalfNormal: Positive, [Positive], "normal_lpdf", "0, ";
    HalfCauchy: Positive, [Positive], "cauchy_lpdf", "0, ";
    LogNormal: Positive, [Real, Positive], "lognormal_lpdf", "";
    LogLogistic: Positive, [Positive, Positive], "loglogistic_lpdf", "";
    Exponential: Positive, [Positive], "exponential_lpdf", "";
    Gamma: Positive, [Positive, Positive], "gamma_lpdf", "";
    InverseGamma: Positive, [Positive, Positive], "inv_gamma_lpdf", "";
    ChiSquared: Positive, [Positive], "chi_square_lpdf", "";
    ScaledInverseChiSquared: Positive, [Positive, Positive], "scaled_inv_chi_square_lpdf", "";
    Weibull: Positive, [Positive, Positive], "weibull_lpdf", "";
    Frechet: Positive, [Positive, Positive], "frechet_lpdf", "";
    Rayleigh: Positive, [Positive], "rayleigh_lpdf", "";
    Lomax: Positive, [Positive, Positive], "pareto_type_2_lpdf", "0, ";
    Beta: Unit, [Positive, Positive], "beta_lpdf", "";
    BetaProportion: Unit, [Unit, Positive], "beta_proportion_lpdf", "";
    Bernoulli: Binary, [Unit], "bernoulli_lpmf", "";
    BernoulliLogit: Binary, [Real], "bernoulli_logit_lpmf", "";
    Binomial: Counts, [Unit], "binomial_lpmf", "40, ";
    BinomialLogit: Counts, [Real], "binomial_logit_lpmf", "40, ";
    BetaBinomial: Counts, [Positive, Positive], "beta_binomial_lpmf", "40, ";
    Poisson: Counts, [Positive], "poisson_lpmf", "";
    PoissonLog: Counts, [Real], "poisson_log_lpmf", "";
    NegativeBinomial: Counts, [Positive, Positive], "neg_binomial_2_lpmf", "";
}

impl Family {
    /// The trials of the binomial families; counts of data are at most this.
    pub(super) const TRIALS: u64 = 40;

    /// The half distributions are the whole ones in Stan, without the factor of two.
    pub(super) fn is_half(self) -> bool {
        matches!(self, Self::HalfNormal | Self::HalfCauchy)
    }
    /// Whether its draws are whole numbers.
    pub(super) fn is_discrete(self) -> bool {
        matches!(self.support(), Binary | Counts)
    }
    /// Whether [`Step::ObserveAll`](super::Step::ObserveAll) has it.
    pub(super) fn in_bulk(self) -> bool {
        matches!(
            self,
            Self::Normal
                | Self::Cauchy
                | Self::Logistic
                | Self::LogNormal
                | Self::BernoulliLogit
                | Self::BinomialLogit
                | Self::PoissonLog
        )
    }
}
