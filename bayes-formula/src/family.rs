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
    /// Binomial, or 0 with the probability `zi`.
    ZeroInflatedBinomial,
    /// Beta-binomial, or 0 with the probability `zi`.
    ZeroInflatedBetaBinomial,
    /// Skew normal with the mean `eta`, the standard deviation `sigma` and the skewness parameter `alpha`.
    SkewNormal,
    /// The sum of a normal and an exponential variable, with the mean `eta`, the normal standard deviation `sigma` and the exponential mean
    /// `beta`.
    ExGaussian,
    /// Von Mises with the direction `2 atan(eta)` and the concentration `kappa`.
    VonMises,
    /// Gamma, or 0 with the probability `hu`.
    HurdleGamma,
    /// Log-normal, or 0 with the probability `hu`.
    HurdleLogNormal,
    /// Beta, or 0 with the probability `zi`.
    ZeroInflatedBeta,
    /// Beta, or with the probability `zoi` one of the ends: then 1 with the probability `coi`, and 0 otherwise.
    ZeroOneInflatedBeta,
    /// Ordered grades from 1, by cutpoints of `eta` plus a logistic error.
    Cumulative,
    /// Ordered grades that are reached one after another: a grade is the last one with the probability `logistic(cutpoint - eta)`.
    SequentialRatio,
    /// Ordered grades that are passed one after another: a grade is passed with the probability `logistic(eta - cutpoint)`.
    ContinuationRatio,
    /// Ordered grades of which each has the log odds `eta - cutpoint` against the one below.
    AdjacentCategory,
    /// Labels without an order, each with a linear predictor of its own; that of the first label is 0.
    Categorical,
    /// Fréchet with the mean `exp(eta)` and the shape `nu` above 1.
    Frechet,
    /// Counts of several outcomes among `trials(n)`, in the columns of `cbind(a, b, c)`, with probabilities as in `Categorical`.
    Multinomial,
    /// Shares that sum to 1, in the columns of `cbind(a, b, c)`: Dirichlet with means as in `Categorical` and the precision `phi`.
    Dirichlet,
    /// Times of an event with the hazard `exp(eta)` times a baseline hazard, a monotone combination of splines.
    Cox,
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
    /// Numbers from 0, with 0 itself.
    NonNegative,
    /// From 0 to 1, with 0 itself.
    ShareFromZero,
    /// From 0 to 1, with both ends.
    ClosedShare,
    /// Angles in radians.
    Angle,
    /// Labels without an order.
    Labels,
    /// Several columns of counts.
    ColumnsOfCounts,
    /// Several columns of numbers that sum to 1.
    ColumnsOfShares,
}

impl Response {
    /// Whether the values are single real numbers, and no whole numbers.
    pub(crate) fn is_real(self) -> bool {
        !matches!(
            self,
            Self::Binary
                | Self::Counts
                | Self::Trials
                | Self::Grades
                | Self::Labels
                | Self::ColumnsOfCounts
                | Self::ColumnsOfShares
        )
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
            Self::Grades => "whole numbers from 1",
            Self::NonNegative => "numbers from 0",
            Self::ShareFromZero => "numbers from 0 to 1, without 1",
            Self::ClosedShare => "numbers from 0 to 1",
            Self::Angle => "angles in radians, from -pi to pi",
            Self::Labels => "at least two labels",
            Self::ColumnsOfCounts => {
                "columns of whole numbers from 0 that sum to the number of trials"
            }
            Self::ColumnsOfShares => "columns of numbers above 0 that sum to 1",
        }
    }
}

impl Family {
    /// All families with their names.
    pub const ALL: [(&'static str, Self); 36] = [
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
        ("zero-inflated-binomial", Self::ZeroInflatedBinomial),
        (
            "zero-inflated-beta-binomial",
            Self::ZeroInflatedBetaBinomial,
        ),
        ("skew-normal", Self::SkewNormal),
        ("ex-gaussian", Self::ExGaussian),
        ("von-mises", Self::VonMises),
        ("hurdle-gamma", Self::HurdleGamma),
        ("hurdle-lognormal", Self::HurdleLogNormal),
        ("zero-inflated-beta", Self::ZeroInflatedBeta),
        ("zero-one-inflated-beta", Self::ZeroOneInflatedBeta),
        ("cumulative", Self::Cumulative),
        ("sratio", Self::SequentialRatio),
        ("cratio", Self::ContinuationRatio),
        ("acat", Self::AdjacentCategory),
        ("categorical", Self::Categorical),
        ("frechet", Self::Frechet),
        ("multinomial", Self::Multinomial),
        ("dirichlet", Self::Dirichlet),
        ("cox", Self::Cox),
    ];

    pub(crate) fn response(self) -> Response {
        match self {
            Self::Gaussian | Self::StudentT | Self::SkewNormal | Self::ExGaussian => Response::Real,
            Self::VonMises => Response::Angle,
            Self::HurdleGamma | Self::HurdleLogNormal => Response::NonNegative,
            Self::ZeroInflatedBeta => Response::ShareFromZero,
            Self::ZeroOneInflatedBeta => Response::ClosedShare,
            Self::LogNormal
            | Self::Gamma
            | Self::Exponential
            | Self::Weibull
            | Self::InverseGaussian
            | Self::Frechet
            | Self::Cox => Response::Positive,
            Self::Multinomial => Response::ColumnsOfCounts,
            Self::Dirichlet => Response::ColumnsOfShares,
            Self::Beta => Response::Share,
            Self::Bernoulli => Response::Binary,
            Self::Binomial
            | Self::BetaBinomial
            | Self::ZeroInflatedBinomial
            | Self::ZeroInflatedBetaBinomial => Response::Trials,
            Self::Cumulative
            | Self::SequentialRatio
            | Self::ContinuationRatio
            | Self::AdjacentCategory => Response::Grades,
            Self::Categorical => Response::Labels,
            _ => Response::Counts,
        }
    }

    /// The allowed links; the first is the default. They are as in brms, except for links that only the library has, and the logarithm
    /// for `inverse-gaussian`.
    #[must_use]
    pub fn links(self) -> &'static [Link] {
        match self {
            Self::Gaussian | Self::StudentT | Self::SkewNormal | Self::ExGaussian => {
                &[Link::Identity, Link::Log, Link::Inverse, Link::Softplus]
            }
            Self::LogNormal | Self::HurdleLogNormal => &[Link::Identity, Link::Inverse],
            Self::Gamma
            | Self::Exponential
            | Self::Weibull
            | Self::InverseGaussian
            | Self::Frechet
            | Self::HurdleGamma => &[Link::Log, Link::Identity, Link::Inverse, Link::Softplus],
            Self::VonMises => &[Link::TanHalf, Link::Identity],
            Self::Beta | Self::Bernoulli | Self::Binomial | Self::BetaBinomial => &[
                Link::Logit,
                Link::Probit,
                Link::CLogLog,
                Link::Cauchit,
                Link::Identity,
                Link::Log,
            ],
            Self::ZeroInflatedBeta
            | Self::ZeroOneInflatedBeta
            | Self::ZeroInflatedBinomial
            | Self::ZeroInflatedBetaBinomial => {
                &[Link::Logit, Link::Probit, Link::CLogLog, Link::Cauchit]
            }
            Self::Cumulative
            | Self::SequentialRatio
            | Self::ContinuationRatio
            | Self::AdjacentCategory => &[Link::Logit, Link::Probit, Link::CLogLog],
            Self::Categorical | Self::Multinomial | Self::Dirichlet => &[Link::Logit],
            Self::Cox => &[Link::Log],
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
            Response::Share
            | Response::ShareFromZero
            | Response::ClosedShare
            | Response::Binary
            | Response::Trials => [0.0, 1.0],
            Response::Positive | Response::NonNegative | Response::Counts
                if !self.is_of_logarithm() =>
            {
                [0.0, f64::INFINITY]
            }
            _ => [f64::NEG_INFINITY, f64::INFINITY],
        }
    }

    /// Whether the linear predictor is a mean of the logarithm of the response.
    pub(crate) fn is_of_logarithm(self) -> bool {
        matches!(self, Self::LogNormal | Self::HurdleLogNormal)
    }

    /// Whether the probabilities of intervals are known, which censored and truncated responses need.
    pub(crate) fn has_intervals(self) -> bool {
        let is_one_distribution = !matches!(
            self,
            Self::Bernoulli
                | Self::ZeroInflatedPoisson
                | Self::ZeroInflatedNegativeBinomial
                | Self::HurdlePoisson
                | Self::HurdleNegativeBinomial
        );
        let has_own = matches!(self, Self::Frechet | Self::Cox);
        is_one_distribution && (has_own || !self.is_written()) && !self.has_outcomes()
    }

    /// Whether its density is written out in `likelihood/written`, row by row, instead of taken from the library for all rows.
    pub(crate) fn is_written(self) -> bool {
        matches!(
            self,
            Self::ZeroInflatedBinomial
                | Self::ZeroInflatedBetaBinomial
                | Self::SkewNormal
                | Self::ExGaussian
                | Self::VonMises
                | Self::HurdleGamma
                | Self::HurdleLogNormal
                | Self::ZeroInflatedBeta
                | Self::ZeroOneInflatedBeta
                | Self::SequentialRatio
                | Self::ContinuationRatio
                | Self::AdjacentCategory
                | Self::Categorical
                | Self::Frechet
                | Self::Cox
        )
    }

    /// Whether cutpoints replace the intercept: the grades of the response have an order.
    pub(crate) fn has_cutpoints(self) -> bool {
        self.response() == Response::Grades
    }

    /// Whether the expected response is the probability of each outcome: of grades, or of labels.
    pub(crate) fn has_outcomes(self) -> bool {
        self.has_cutpoints() || self == Self::Categorical || self.has_columns()
    }

    /// Whether a response has several columns: `cbind(a, b)`.
    pub(crate) fn has_columns(self) -> bool {
        matches!(self, Self::Multinomial | Self::Dirichlet)
    }

    /// Whether it has trials.
    pub(crate) fn has_trials(self) -> bool {
        matches!(
            self.response(),
            Response::Trials | Response::ColumnsOfCounts
        )
    }

    /// The parameters besides the linear predictor.
    pub(crate) fn auxiliaries(self) -> &'static [Class] {
        match self {
            Self::Gaussian | Self::LogNormal => &[Class::Sigma],
            Self::SkewNormal => &[Class::Sigma, Class::Alpha],
            Self::ExGaussian => &[Class::Sigma, Class::Beta],
            Self::VonMises => &[Class::Kappa],
            Self::HurdleGamma => &[Class::Shape, Class::Hurdle],
            Self::HurdleLogNormal => &[Class::Sigma, Class::Hurdle],
            Self::ZeroInflatedBinomial => &[Class::ZeroInflation],
            Self::ZeroInflatedBeta | Self::ZeroInflatedBetaBinomial => {
                &[Class::Phi, Class::ZeroInflation]
            }
            Self::ZeroOneInflatedBeta => &[Class::Phi, Class::Ends, Class::Ones],
            Self::Cumulative
            | Self::SequentialRatio
            | Self::ContinuationRatio
            | Self::AdjacentCategory => &[Class::Discrimination],
            Self::StudentT => &[Class::Sigma, Class::Nu],
            Self::Frechet => &[Class::Nu],
            Self::Gamma | Self::Weibull | Self::InverseGaussian | Self::NegativeBinomial => {
                &[Class::Shape]
            }
            Self::Beta | Self::BetaBinomial | Self::Dirichlet => &[Class::Phi],
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
            "exgaussian" => "ex-gaussian",
            "skewnormal" => "skew-normal",
            "vonmises" => "von-mises",
            "hurdle-log-normal" => "hurdle-lognormal",
            "sequential" => "sratio",
            "adjacent" => "acat",
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
