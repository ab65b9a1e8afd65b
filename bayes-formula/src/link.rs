//! Links: the functions that map the mean of a response to the linear predictor.

use crate::family::Family;
use crate::suggest::suggestion;
use bayes::autodiff::Value;
use bayes::prelude::*;
use serde::{Deserialize, Serialize};
use std::f64::consts::{FRAC_1_PI, PI};
use std::fmt;
use std::str::FromStr;

/// The function that maps the mean of a response, or its probability, to the linear predictor `eta`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Link {
    /// The mean is `eta`.
    Identity,
    /// The mean is `exp(eta)`.
    Log,
    /// The probability is `1 / (1 + exp(-eta))`.
    Logit,
    /// The probability is the standard normal distribution function at `eta`.
    Probit,
    /// The probability is `1 - exp(-exp(eta))`.
    CLogLog,
    /// The probability is the standard Cauchy distribution function at `eta`.
    Cauchit,
    /// The mean is `1 / eta`.
    Inverse,
    /// The mean is `ln(1 + exp(eta))`.
    Softplus,
    /// The mean is `eta²`.
    Sqrt,
    /// The direction is `2 atan(eta)`.
    TanHalf,
}

impl Link {
    /// All links with their names.
    pub const ALL: [(&'static str, Self); 10] = [
        ("identity", Self::Identity),
        ("log", Self::Log),
        ("logit", Self::Logit),
        ("probit", Self::Probit),
        ("cloglog", Self::CLogLog),
        ("cauchit", Self::Cauchit),
        ("inverse", Self::Inverse),
        ("softplus", Self::Softplus),
        ("sqrt", Self::Sqrt),
        ("tan-half", Self::TanHalf),
    ];

    /// Whether the link maps a probability.
    pub(crate) fn is_of_probability(self) -> bool {
        matches!(
            self,
            Self::Logit | Self::Probit | Self::CLogLog | Self::Cauchit
        )
    }

    /// Whether every linear predictor gives an allowed mean of the family, up to rounding.
    pub(crate) fn is_within(self, family: Family) -> bool {
        let is_half = family.means() == [0.0, f64::INFINITY];
        match self {
            Self::Identity => family.means() == [f64::NEG_INFINITY, f64::INFINITY],
            Self::Inverse => family.means()[0] < 0.0,
            Self::Log => is_half || family.means()[0] < 0.0,
            _ => true,
        }
    }

    /// The mean, or the probability, of a linear predictor.
    pub(crate) fn mean_at(self, eta: f64) -> f64 {
        let eta = Vector::<Value>::constant(&[eta]);
        self.mean(&eta)[0].primal()
    }

    /// The linear predictor of a mean.
    pub(crate) fn of(self, mean: f64) -> f64 {
        match self {
            Self::Identity => mean,
            Self::Log => mean.ln(),
            Self::Logit => (mean / (1.0 - mean)).ln(),
            Self::Probit => Normal::new(0.0, 1.0).quantile(mean),
            Self::CLogLog => (-(-mean).ln_1p()).ln(),
            Self::Cauchit => (PI * (mean - 0.5)).tan(),
            Self::Inverse => mean.recip(),
            Self::Softplus => mean.exp_m1().ln(),
            Self::Sqrt => mean.sqrt(),
            Self::TanHalf => (0.5 * mean).tan(),
        }
    }

    /// The mean, or the probability, of each linear predictor.
    #[inline(always)]
    pub(crate) fn mean<M: Mode>(self, eta: &Vector<M>) -> Vector<M> {
        match self {
            Self::Identity => eta.clone(),
            Self::Log => eta.exp(),
            Self::Logit => eta.logistic(),
            Self::Probit => eta.map(Real::norm_cdf),
            Self::CLogLog => eta.map(|eta| -(-eta.exp()).exp_m1()),
            Self::Cauchit => eta.map(|eta| 0.5 + eta.atan() * FRAC_1_PI),
            Self::Inverse => eta.recip(),
            Self::Softplus => eta.map(Real::log1p_exp),
            Self::Sqrt => eta.square(),
            Self::TanHalf => eta.map(|eta| 2.0 * eta.atan()),
        }
    }

    /// The logarithms of the probability at a linear predictor and of one less it, in both tails, for the links of grades.
    pub(crate) fn log_shares<M: Mode>(self, eta: Real<M>) -> [Real<M>; 2] {
        match self {
            Self::Probit => [eta.ln_norm_cdf(), (-eta).ln_norm_cdf()],
            Self::CLogLog => [log_cloglog(eta), -eta.exp()],
            _ => [eta.ln_logistic(), (-eta).ln_logistic()],
        }
    }

    /// The log odds of the probability at a linear predictor, for the links of grades. They are finite for every finite linear predictor, so that
    /// sums of them are.
    pub(crate) fn log_odds_of_grade<M: Mode>(self, eta: Real<M>) -> Real<M> {
        match self {
            Self::Probit => eta.ln_norm_cdf() - (-eta).ln_norm_cdf(),
            Self::CLogLog => {
                let bounded = Real::select(eta.lt(LARGEST_LOG), eta, LARGEST_LOG);
                let [up, down] = self.log_shares(bounded);
                up - down
            }
            _ => eta,
        }
    }

    /// One less the probability, without cancellation.
    #[inline(always)]
    pub(crate) fn complement<M: Mode>(self, eta: &Vector<M>) -> Vector<M> {
        match self {
            Self::Logit | Self::Probit | Self::Cauchit => self.mean(&-eta),
            Self::CLogLog => eta.map(|eta| (-eta.exp()).exp()),
            Self::Log => eta.map(|eta| -eta.exp_m1()),
            _ => eta.map(|eta| 1.0 - eta),
        }
    }

    /// The inverse of the mean.
    #[inline(always)]
    pub(crate) fn reciprocal<M: Mode>(self, eta: &Vector<M>) -> Vector<M> {
        match self {
            Self::Log => (-eta).exp(),
            Self::Inverse => eta.clone(),
            _ => self.mean(eta).recip(),
        }
    }

    /// The logarithm of the mean.
    #[inline(always)]
    pub(crate) fn log_mean<M: Mode>(self, eta: &Vector<M>) -> Vector<M> {
        match self {
            Self::Log => eta.clone(),
            Self::Sqrt => eta.map(|eta| 2.0 * eta.abs().ln()),
            _ => self.mean(eta).ln(),
        }
    }

    /// The log odds of the probability, in the tails too.
    #[inline(always)]
    pub(crate) fn log_odds<M: Mode>(self, eta: &Vector<M>) -> Vector<M> {
        match self {
            Self::Logit => eta.clone(),
            Self::Probit => eta.map(|eta| eta.ln_norm_cdf() - (-eta).ln_norm_cdf()),
            Self::CLogLog => eta.map(|eta| (-eta.exp()).log1m_exp() + eta.exp()),
            Self::Log => eta.map(|eta| eta - eta.log1m_exp()),
            _ => self.mean(eta).logit(),
        }
    }
}

/// The largest linear predictor of `cloglog` whose log odds, its exponential, are counted: even sums of a thousand of them are finite, and the odds
/// of e^(10^300) are no different from larger ones.
const LARGEST_LOG: f64 = 690.0;
/// Below this linear predictor `1 - exp(-exp(eta))` is `exp(eta)` in all digits, and its exponential may be 0.
const SMALLEST_LOG: f64 = -40.0;

/// `ln(1 - exp(-exp(eta)))`, in both tails.
fn log_cloglog<M: Mode>(eta: Real<M>) -> Real<M> {
    let is_small = eta.lt(SMALLEST_LOG);
    // where one branch is taken the other one must be finite too, for its slope
    let inner = Real::select(is_small, Real::constant(SMALLEST_LOG), eta);
    Real::select(is_small, eta, (-inner.exp()).log1m_exp())
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = Self::ALL.iter().find(|(_, link)| link == self);
        f.write_str(found.map_or("", |(name, _)| name))
    }
}

impl FromStr for Link {
    type Err = String;

    /// Parses a name.
    fn from_str(name: &str) -> Result<Self, String> {
        let plain = name.to_lowercase().replace('_', "-");
        let found = Self::ALL.iter().find(|(known, _)| *known == plain);
        found.map(|(_, link)| *link).ok_or_else(|| {
            let known = Self::ALL.map(|(name, _)| name);
            let meant = suggestion(name, &[], &known);
            format!(
                "there is no link `{name}`; known are {}{meant}",
                known.join(", ")
            )
        })
    }
}
