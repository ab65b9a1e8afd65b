//! The mean and the variance of a response, given its linear predictor.

use crate::class::Class;
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
    pub(crate) auxiliaries: Auxiliaries<'a>,
    /// The number of trials; 1 for families without them.
    pub(crate) trials: f64,
    /// Cutpoints between the grades of an ordered response, on the scale of `eta`.
    pub(crate) cutpoints: &'a [f64],
    /// The linear predictors of all labels but the first one; empty for other responses.
    pub(crate) levels: &'a [f64],
    /// The times between which a baseline hazard is known, and the rule for integrals between them; empty without one.
    pub(crate) survival: (f64, &'a [[f64; 2]]),
}

/// The parameters of a row besides the linear predictor.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Auxiliaries<'a> {
    pub(crate) family: Family,
    /// All rows of one parameter after all rows of another, in the order of the family's list.
    pub(crate) values: &'a [f64],
    pub(crate) rows: usize,
    pub(crate) row: usize,
}

impl Auxiliaries<'_> {
    /// The parameter of a class; NaN if the family has none.
    pub(crate) fn of(&self, class: Class) -> f64 {
        let mut all = self.family.auxiliaries().iter();
        let place = all.position(|own| *own == class);
        place.map_or(f64::NAN, |k| self.values[k * self.rows + self.row])
    }

    /// The parameters in the order of the family's list.
    pub(crate) fn all(&self) -> impl Iterator<Item = f64> {
        let classes = 0..self.family.auxiliaries().len();
        classes.map(|k| self.values[k * self.rows + self.row])
    }

    /// The probability of zeros, or of an end.
    fn zeros(&self) -> f64 {
        let classes = [Class::ZeroInflation, Class::Hurdle, Class::Ends];
        let found = classes.map(|class| self.of(class)).into_iter();
        found.fold(f64::NAN, f64::max)
    }
}

impl At<'_> {
    /// The mean time of events by the end of the baseline hazard, where those that survive it count with the end.
    fn restricted_mean(&self) -> f64 {
        let (start, rule) = self.survival;
        let survived = |[weight, integral]: &[f64; 2]| weight * (-integral * self.mu).exp();
        start + rule.iter().map(survived).sum::<f64>()
    }
}

impl Family {
    /// The mean of a response; for a Student's t with `nu` of at most 1, which has no mean, the median; for angles the direction. `None` for grades
    /// and labels, which are not numbers.
    pub(crate) fn mean(self, at: &At<'_>) -> Option<f64> {
        let At { mu, trials, .. } = *at;
        let (sigma, zeros) = (at.auxiliaries.of(Class::Sigma), at.auxiliaries.zeros());
        Some(match self {
            Self::LogNormal => (mu + 0.5 * sigma * sigma).exp(),
            Self::Gaussian
            | Self::StudentT
            | Self::Gamma
            | Self::Exponential
            | Self::Weibull
            | Self::InverseGaussian
            | Self::Frechet
            | Self::Poisson
            | Self::NegativeBinomial
            | Self::Geometric
            | Self::SkewNormal
            | Self::ExGaussian
            | Self::VonMises
            | Self::Beta
            | Self::Bernoulli => mu,
            Self::Binomial | Self::BetaBinomial => trials * mu,
            Self::Cox => at.restricted_mean(),
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
            | Self::Categorical
            | Self::Multinomial
            | Self::Dirichlet => return None,
        })
    }

    /// The mean and the mean square of a response that is 0, or one of the ends of the unit interval, with a probability of its own; `None` for
    /// other families.
    fn mixed(self, at: &At<'_>) -> Option<[f64; 2]> {
        let At { mu, trials, .. } = *at;
        let of = |class| at.auxiliaries.of(class);
        let (sigma, shape, phi) = (of(Class::Sigma), of(Class::Shape), of(Class::Phi));
        let (zeros, ones) = (at.auxiliaries.zeros(), of(Class::Ones));
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
            | Self::Categorical
            | Self::Frechet
            | Self::Multinomial
            | Self::Dirichlet
            | Self::Cox => return None,
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
        let of = |class| at.auxiliaries.of(class);
        let (sigma, nu) = (of(Class::Sigma), of(Class::Nu));
        let (shape, phi) = (of(Class::Shape), of(Class::Phi));
        let zeros = at.auxiliaries.zeros();
        let odd = mu * at.complement;
        Some(match self {
            Self::Gaussian | Self::SkewNormal => sigma * sigma,
            Self::ExGaussian => sigma * sigma + of(Class::Beta).powi(2),
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
            Self::Frechet if nu > 2.0 => {
                let log_square = ln_gamma(1.0 - 2.0 / nu) - 2.0 * ln_gamma(1.0 - 1.0 / nu);
                mu * mu * log_square.exp_m1()
            }
            Self::Frechet => f64::INFINITY,
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
            | Self::Multinomial
            | Self::Dirichlet
            | Self::Cox
            | Self::VonMises => return None,
        })
    }

    /// The variance of a hurdle family whose counts have this variance without the hurdle.
    fn variance_above_zero(self, at: &At<'_>, variance: f64) -> f64 {
        let (mu, above) = (at.mu, self.above_zero(at));
        let share = 1.0 - at.auxiliaries.zeros();
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
        let (mu, shape) = (at.mu, at.auxiliaries.of(Class::Shape));
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
