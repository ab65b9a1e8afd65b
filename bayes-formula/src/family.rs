//! Families of responses.

use crate::class::Class;
use crate::link::Link;
use crate::suggest::{FAMILIES, suggestion};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The distribution of a response, given its linear predictor `eta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Family {
    /// `Normal(eta, sigma)`.
    Gaussian,
    /// `StudentT(nu, eta, sigma)`.
    StudentT,
    /// `LogNormal(eta, sigma)`.
    LogNormal,
    /// Gamma with the mean `exp(eta)` and this `shape`.
    Gamma,
    /// Exponential with the mean `exp(eta)`.
    Exponential,
    /// Weibull with the mean `exp(eta)` and this `shape`.
    Weibull,
    /// Inverse Gaussian with the mean `exp(eta)` and this `shape`.
    InverseGaussian,
    /// Beta with the mean `logistic(eta)` and the precision `phi`.
    Beta,
    /// 0 or 1, with the probability `logistic(eta)`.
    Bernoulli,
    /// Successes among `trials(n)`, with the probability `logistic(eta)`.
    Binomial,
    /// Successes among `trials(n)`, with a beta-distributed probability, with the mean `logistic(eta)` and the precision `phi`.
    BetaBinomial,
    /// Counts with the mean `exp(eta)`.
    Poisson,
    /// Counts with the mean `exp(eta)` and the variance `mean + mean² / shape`.
    NegativeBinomial,
    /// Counts before a first success, with the mean `exp(eta)`.
    Geometric,
    /// Poisson, or 0 with the probability `zi`.
    ZeroInflatedPoisson,
    /// Negative binomial, or 0 with the probability `zi`.
    ZeroInflatedNegativeBinomial,
    /// 0 with the probability `hu`, and otherwise Poisson above 0.
    HurdlePoisson,
    /// 0 with the probability `hu`, and otherwise negative binomial above 0.
    HurdleNegativeBinomial,
    /// Ordered grades from 1, by cutpoints of `eta` plus a logistic error.
    Cumulative,
}

/// The kind of a response's values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Response {
    Real,
    Positive,
    /// Between 0 and 1.
    Share,
    /// 0 and 1.
    Binary,
    Counts,
    /// Counts up to a number of trials.
    Trials,
    /// Whole numbers from 1.
    Grades,
}

impl Response {
    /// Whether the values are real numbers instead of whole numbers.
    pub(crate) fn is_real(self) -> bool {
        matches!(self, Self::Real | Self::Positive | Self::Share)
    }

    /// The kind in words.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Real => "numbers",
            Self::Positive => "numbers above 0",
            Self::Share => "numbers between 0 and 1, both excluded",
            Self::Binary => "0 and 1, or two labels of which the second is the success",
            Self::Counts => "whole numbers from 0",
            Self::Trials => "whole numbers from 0 to the number of trials",
            Self::Grades => "whole numbers from 1, or labels in their order",
        }
    }
}

impl Family {
    /// All families with their names.
    pub const ALL: [(&'static str, Self); 19] = [
        ("gaussian", Self::Gaussian),
        ("student", Self::StudentT),
        ("lognormal", Self::LogNormal),
        ("gamma", Self::Gamma),
        ("exponential", Self::Exponential),
        ("weibull", Self::Weibull),
        ("inverse-gaussian", Self::InverseGaussian),
        ("beta", Self::Beta),
        ("bernoulli", Self::Bernoulli),
        ("binomial", Self::Binomial),
        ("beta-binomial", Self::BetaBinomial),
        ("poisson", Self::Poisson),
        ("negative-binomial", Self::NegativeBinomial),
        ("geometric", Self::Geometric),
        ("zero-inflated-poisson", Self::ZeroInflatedPoisson),
        (
            "zero-inflated-negative-binomial",
            Self::ZeroInflatedNegativeBinomial,
        ),
        ("hurdle-poisson", Self::HurdlePoisson),
        ("hurdle-negative-binomial", Self::HurdleNegativeBinomial),
        ("cumulative", Self::Cumulative),
    ];

    pub(crate) fn response(self) -> Response {
        match self {
            Self::Gaussian | Self::StudentT => Response::Real,
            Self::LogNormal
            | Self::Gamma
            | Self::Exponential
            | Self::Weibull
            | Self::InverseGaussian => Response::Positive,
            Self::Beta => Response::Share,
            Self::Bernoulli => Response::Binary,
            Self::Binomial | Self::BetaBinomial => Response::Trials,
            Self::Cumulative => Response::Grades,
            _ => Response::Counts,
        }
    }

    /// The allowed links; the first is the default. They are as in brms, except for links that only the library has, and the logarithm
    /// for `inverse-gaussian`.
    #[must_use]
    pub fn links(self) -> &'static [Link] {
        match self {
            Self::Gaussian | Self::StudentT => {
                &[Link::Identity, Link::Log, Link::Inverse, Link::Softplus]
            }
            Self::LogNormal => &[Link::Identity, Link::Inverse],
            Self::Gamma | Self::Exponential | Self::Weibull | Self::InverseGaussian => {
                &[Link::Log, Link::Identity, Link::Inverse, Link::Softplus]
            }
            Self::Beta | Self::Bernoulli | Self::Binomial | Self::BetaBinomial => &[
                Link::Logit,
                Link::Probit,
                Link::CLogLog,
                Link::Cauchit,
                Link::Identity,
                Link::Log,
            ],
            Self::Cumulative => &[Link::Logit, Link::Probit],
            Self::Poisson
            | Self::NegativeBinomial
            | Self::Geometric
            | Self::ZeroInflatedPoisson
            | Self::ZeroInflatedNegativeBinomial
            | Self::HurdlePoisson
            | Self::HurdleNegativeBinomial => {
                &[Link::Log, Link::Identity, Link::Sqrt, Link::Softplus]
            }
        }
    }

    /// The open interval of the family's means, or probabilities.
    pub(crate) fn means(self) -> [f64; 2] {
        match self.response() {
            Response::Share | Response::Binary | Response::Trials => [0.0, 1.0],
            Response::Positive | Response::Counts if self != Self::LogNormal => {
                [0.0, f64::INFINITY]
            }
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Whether the probabilities of intervals are known, which censored and truncated responses need.
    pub(crate) fn has_intervals(self) -> bool {
        let has_zeros = self
            .auxiliaries()
            .iter()
            .any(|class| matches!(class, Class::ZeroInflation | Class::Hurdle));
        !has_zeros && !matches!(self, Self::Bernoulli | Self::Cumulative)
    }

    /// Whether cutpoints replace the intercept.
    pub(crate) fn has_cutpoints(self) -> bool {
        self == Self::Cumulative
    }

    /// The parameters besides the linear predictor.
    pub(crate) fn auxiliaries(self) -> &'static [Class] {
        match self {
            Self::Gaussian | Self::LogNormal => &[Class::Sigma],
            Self::StudentT => &[Class::Sigma, Class::Nu],
            Self::Gamma | Self::Weibull | Self::InverseGaussian | Self::NegativeBinomial => {
                &[Class::Shape]
            }
            Self::Beta | Self::BetaBinomial => &[Class::Phi],
            Self::ZeroInflatedPoisson => &[Class::ZeroInflation],
            Self::ZeroInflatedNegativeBinomial => &[Class::Shape, Class::ZeroInflation],
            Self::HurdlePoisson => &[Class::Hurdle],
            Self::HurdleNegativeBinomial => &[Class::Shape, Class::Hurdle],
            _ => &[],
        }
    }
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::ALL.iter().find(|(_, family)| family == self);
        f.write_str(found.map_or("", |(name, _)| name))
    }
}

impl FromStr for Family {
    type Err = String;

    /// Parses a name; `_` and capitals are read as `-` and small letters, and the names of brms are known too.
    fn from_str(name: &str) -> Result<Self, String> {
        let plain = name.to_lowercase().replace(['_', ' '], "-");
        let plain = match plain.as_str() {
            "normal" => "gaussian",
            "student-t" => "student",
            "negbinomial" | "negative-binomial-2" => "negative-binomial",
            "zero-inflated-negbinomial" => "zero-inflated-negative-binomial",
            "hurdle-negbinomial" => "hurdle-negative-binomial",
            "inverse.gaussian" => "inverse-gaussian",
            "logit" | "logistic" => "bernoulli",
            "ordinal" => "cumulative",
            other => other,
        };
        let found = Self::ALL.iter().find(|(known, _)| *known == plain);
        found.map(|(_, family)| *family).ok_or_else(|| {
            let known = Self::ALL.map(|(name, _)| name);
            let meant = suggestion(plain, FAMILIES, &known);
            format!(
                "there is no family `{name}`; known are {}{meant}",
                known.join(", ")
            )
        })
    }
}
