//! Distribution functions of a random scalar, which have no line in the table of functions: their references are in `incomplete.json`.

use super::Real;
use crate::function;
use crate::mode::Mode;

/// Distribution functions.
impl<M: Mode> Real<M> {
    /// `ln P(a, x)` at shape `a = self`: the log of the distribution function of a gamma variable of rate 1.
    #[inline(always)]
    #[must_use]
    pub fn ln_gamma_cdf(self, x: impl Into<Self>) -> Self {
        Self(M::binary::<function::LnGammaCdf>(self.0, x.into().0))
    }
    /// `ln Q(a, x) = ln(1 - P(a, x))` at shape `a = self`.
    #[inline(always)]
    #[must_use]
    pub fn ln_gamma_sf(self, x: impl Into<Self>) -> Self {
        Self(M::binary::<function::LnGammaSf>(self.0, x.into().0))
    }
    /// `ln I_x(a, b)` at `x = logistic(self)`: the log of the distribution function of a beta variable, by the logit.
    /// The upper tail is `(-z).ln_beta_cdf(b, a)`.
    #[inline(always)]
    #[must_use]
    pub fn ln_beta_cdf(self, a: impl Into<Self>, b: impl Into<Self>) -> Self {
        let (a, b) = (a.into(), b.into());
        Self(M::ternary::<function::LnBetaCdf>(self.0, a.0, b.0))
    }
    /// The log of the distribution function at `t` of Student's t with `self` degrees of freedom.
    #[inline(always)]
    #[must_use]
    pub fn ln_student_cdf(self, t: impl Into<Self>) -> Self {
        Self(M::binary::<function::LnStudentCdf>(self.0, t.into().0))
    }
}
