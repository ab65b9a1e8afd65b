//! The mean and the variance of a response, given its linear predictor.

use crate::family::Family;
use crate::link::Link;
use bayes::autodiff::{Real, Value};

/// The parameters of a response's distribution at a draw.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    pub(crate) link: Link,
    pub(crate) eta: f64,
    /// The mean by the link, or the probability.
    pub(crate) mu: f64,
    /// One less the probability; NaN for other families.
    pub(crate) complement: f64,
    pub(crate) auxiliaries: Auxiliaries,
    /// The number of trials; 1 for families without them.
    pub(crate) trials: f64,
    /// Cutpoints between the grades of an ordered response, on the scale of `eta`.
    pub(crate) cutpoints: &'a [f64],
    /// The linear predictors of all labels but the first one; empty for other responses.
    pub(crate) levels: &'a [f64],
}

/// The parameters besides the linear predictor; a family reads only its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Auxiliaries {
    pub(crate) sigma: f64,
    pub(crate) nu: f64,
    /// `shape`, `alpha` or `beta`.
    pub(crate) shape: f64,
    /// `phi`, `kappa` or `disc`.
    pub(crate) phi: f64,
    /// `zi`, `hu` or `zoi`.
    pub(crate) zeros: f64,
    /// `coi`.
    pub(crate) ones: f64,
}

impl Family {
    /// The mean of a response; for a Student's t with `nu` of at most 1, which has no mean, the median; for angles the direction. `None` for grades
    /// and labels, which are not numbers.
    pub(crate) fn mean(self, at: &At<'_>) -> Option<f64> {
        let At { mu, trials, .. } = *at;
        let Auxiliaries { sigma, zeros, .. } = at.auxiliaries;
        Some(match self {
            Self::LogNormal => (mu + 0.5 * sigma * sigma).exp(),
            Self::Gaussian
            | Self::StudentT
            | Self::Gamma
            | Self::Exponential
            | Self::Weibull
            | Self::InverseGaussian
            | Self::Poisson
            | Self::NegativeBinomial
            | Self::Geometric
            | Self::SkewNormal
            | Self::ExGaussian
            | Self::VonMises
            | Self::Beta
            | Self::Bernoulli => mu,
            Self::Binomial | Self::BetaBinomial => trials * mu,
            Self::ZeroInflatedPoisson | Self::ZeroInflatedNegativeBinomial => (1.0 - zeros) * mu,
            Self::HurdlePoisson | Self::HurdleNegativeBinomial => {
                (1.0 - zeros) * self.above_zero(at)
            }
            Self::HurdleGamma
            | Self::HurdleLogNormal
            | Self::ZeroInflatedBinomial
            | Self::ZeroInflatedBetaBinomial
            | Self::ZeroInflatedBeta
            | Self::ZeroOneInflatedBeta => return self.mixed(at).map(|[mean, _]| mean),
            Self::Cumulative
            | Self::SequentialRatio
            | Self::ContinuationRatio
            | Self::AdjacentCategory
            | Self::Categorical => return None,
        })
    }

    /// The mean and the mean square of a response that is 0, or one of the ends of the unit interval, with a probability of its own; `None` for
    /// other families.
    fn mixed(self, at: &At<'_>) -> Option<[f64; 2]> {
        let At { mu, trials, .. } = *at;
        let Auxiliaries {
            sigma,
            shape,
            phi,
            zeros,
            ones,
            ..
        } = at.auxiliaries;
        let odd = mu * at.complement;
        let (mean, variance) = match self {
            Self::HurdleGamma => (mu, mu * mu / shape),
            Self::HurdleLogNormal => {
                let mean = (mu + 0.5 * sigma * sigma).exp();
                (mean, mean * mean * (sigma * sigma).exp_m1())
            }
            Self::ZeroInflatedBinomial => (trials * mu, trials * odd),
            Self::ZeroInflatedBetaBinomial => {
                let spread = 1.0 + (trials - 1.0) / (phi + 1.0);
                (trials * mu, trials * odd * spread)
            }
            Self::ZeroInflatedBeta | Self::ZeroOneInflatedBeta => (mu, odd / (1.0 + phi)),
            Self::Gaussian
            | Self::StudentT
            | Self::LogNormal
            | Self::Gamma
            | Self::Exponential
            | Self::Weibull
            | Self::InverseGaussian
            | Self::Beta
            | Self::Bernoulli
            | Self::Binomial
            | Self::BetaBinomial
            | Self::Poisson
            | Self::NegativeBinomial
            | Self::Geometric
            | Self::ZeroInflatedPoisson
            | Self::ZeroInflatedNegativeBinomial
            | Self::HurdlePoisson
            | Self::HurdleNegativeBinomial
            | Self::SkewNormal
            | Self::ExGaussian
            | Self::VonMises
            | Self::Cumulative
            | Self::SequentialRatio
            | Self::ContinuationRatio
            | Self::AdjacentCategory
            | Self::Categorical => return None,
        };
        // the square of an end is the end
        let end = if self == Self::ZeroOneInflatedBeta {
            zeros * ones
        } else {
            0.0
        };
        let rest = 1.0 - zeros;
        Some([mean, variance + mean * mean].map(|moment| end + rest * moment))
    }

    /// The variance of a response; infinite for a Student's t with `nu` of at most 2. `None` for grades, labels and angles, which are no numbers on a
    /// line.
    pub(crate) fn variance(self, at: &At<'_>) -> Option<f64> {
        let At { mu, trials, .. } = *at;
        let Auxiliaries {
            sigma,
            nu,
            shape,
            phi,
            zeros,
            ..
        } = at.auxiliaries;
        let odd = mu * at.complement;
        Some(match self {
            Self::Gaussian | Self::SkewNormal => sigma * sigma,
            Self::ExGaussian => sigma * sigma + shape * shape,
            Self::StudentT if nu > 2.0 => sigma * sigma * nu / (nu - 2.0),
            Self::StudentT => f64::INFINITY,
            Self::LogNormal => (sigma * sigma).exp_m1() * (2.0 * mu + sigma * sigma).exp(),
            Self::Gamma => mu * mu / shape,
            Self::Exponential => mu * mu,
            Self::Weibull => {
                let log_square = ln_gamma(1.0 + 2.0 / shape) - 2.0 * ln_gamma(1.0 + 1.0 / shape);
                mu * mu * log_square.exp_m1()
            }
            Self::InverseGaussian => mu * mu * mu / shape,
            Self::Beta => odd / (1.0 + phi),
            Self::Bernoulli => odd,
            Self::Binomial => trials * odd,
            Self::BetaBinomial => trials * odd * (1.0 + (trials - 1.0) / (phi + 1.0)),
            Self::Poisson => mu,
            Self::NegativeBinomial => mu + mu * mu / shape,
            Self::Geometric => mu + mu * mu,
            Self::ZeroInflatedPoisson => (1.0 - zeros) * mu * (1.0 + zeros * mu),
            Self::ZeroInflatedNegativeBinomial => {
                (1.0 - zeros) * mu * (1.0 + mu / shape + zeros * mu)
            }
            Self::HurdlePoisson => self.variance_above_zero(at, mu),
            Self::HurdleNegativeBinomial => self.variance_above_zero(at, mu + mu * mu / shape),
            Self::HurdleGamma
            | Self::HurdleLogNormal
            | Self::ZeroInflatedBinomial
            | Self::ZeroInflatedBetaBinomial
            | Self::ZeroInflatedBeta
            | Self::ZeroOneInflatedBeta => {
                return self.mixed(at).map(|[mean, square]| square - mean * mean);
            }
            Self::Cumulative
            | Self::SequentialRatio
            | Self::ContinuationRatio
            | Self::AdjacentCategory
            | Self::Categorical
            | Self::VonMises => return None,
        })
    }

    /// The variance of a hurdle family whose counts have this variance without the hurdle.
    fn variance_above_zero(self, at: &At<'_>, variance: f64) -> f64 {
        let (mu, above) = (at.mu, self.above_zero(at));
        let share = 1.0 - at.auxiliaries.zeros;
        // E[y^2] of the counts above 0; it is 1 if all of them are 1
        let square = if mu > 0.0 {
            above * (variance / mu + mu)
        } else {
            1.0
        };
        share * square - (share * above).powi(2)
    }

    /// The mean of the counts of a hurdle family that are above 0.
    fn above_zero(self, at: &At<'_>) -> f64 {
        let (mu, shape) = (at.mu, at.auxiliaries.shape);
        // ln P(0) of the counts without the hurdle
        let log_zero = match self {
            Self::HurdlePoisson => -mu,
            _ => -shape * (mu / shape).ln_1p(),
        };
        match -log_zero.exp_m1() {
            // the mean is so small that all such counts are 1
            0.0 => 1.0,
            above => mu / above,
        }
    }
}

fn ln_gamma(x: f64) -> f64 {
    Real::<Value>::constant(x).ln_gamma().primal()
}
