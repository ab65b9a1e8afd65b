//! Special functions of a random scalar.

use super::Real;
use crate::function;
use crate::mode::Mode;

/// Special functions.
impl<M: Mode> Real<M> {
    /// `ln Γ(x)` for `x > 0`.
    #[inline(always)]
    #[must_use]
    pub fn ln_gamma(self) -> Self {
        Self(M::unary::<function::LnGamma>(self.0))
    }
    /// `ψ(x) = d/dx ln Γ(x)`.
    #[inline(always)]
    #[must_use]
    pub fn digamma(self) -> Self {
        Self(M::unary::<function::Digamma>(self.0))
    }
    /// `ψ'(x)`.
    #[inline(always)]
    #[must_use]
    pub fn trigamma(self) -> Self {
        Self(M::unary::<function::Trigamma>(self.0))
    }
    /// `ln x!`, exact to rounding at whole numbers.
    #[inline(always)]
    #[must_use]
    pub fn ln_factorial(self) -> Self {
        Self(M::unary::<function::LnFactorial>(self.0))
    }
    /// `ln x! - ((x + ½) ln x - x + ½ ln 2π)`, the error of Stirling's formula.
    #[inline(always)]
    #[must_use]
    pub fn stirling_error(self) -> Self {
        Self(M::unary::<function::StirlingError>(self.0))
    }
    /// `ln(e⁻ˣ I₀(x))` for `x ≥ 0`, with the modified Bessel function of order 0.
    #[inline(always)]
    #[must_use]
    pub fn ln_bessel_i0_scaled(self) -> Self {
        Self(M::unary::<function::LnBesselI0Scaled>(self.0))
    }
    /// Error function.
    #[inline(always)]
    #[must_use]
    pub fn erf(self) -> Self {
        Self(M::unary::<function::Erf>(self.0))
    }
    /// Complementary error function.
    #[inline(always)]
    #[must_use]
    pub fn erfc(self) -> Self {
        Self(M::unary::<function::Erfc>(self.0))
    }
    /// Standard normal distribution function `Φ(x)`.
    #[inline(always)]
    #[must_use]
    pub fn norm_cdf(self) -> Self {
        Self(M::unary::<function::NormCdf>(self.0))
    }
    /// `ln Φ(x)`, accurate in both tails.
    #[inline(always)]
    #[must_use]
    pub fn ln_norm_cdf(self) -> Self {
        Self(M::unary::<function::LnNormCdf>(self.0))
    }
    /// Standard normal quantile `Φ⁻¹(p)`.
    #[inline(always)]
    #[must_use]
    pub fn norm_quantile(self) -> Self {
        Self(M::unary::<function::NormQuantile>(self.0))
    }
    /// `ln(1 + eˣ)`, also called softplus.
    #[inline(always)]
    #[must_use]
    pub fn log1p_exp(self) -> Self {
        Self(M::unary::<function::Log1pExp>(self.0))
    }
    /// `ln(1 - eˣ)` for `x < 0`.
    #[inline(always)]
    #[must_use]
    pub fn log1m_exp(self) -> Self {
        Self(M::unary::<function::Log1mExp>(self.0))
    }
    /// `1 / (1 + e⁻ˣ)`.
    #[inline(always)]
    #[must_use]
    pub fn logistic(self) -> Self {
        Self(M::unary::<function::Logistic>(self.0))
    }
    /// `ln(1 / (1 + e⁻ˣ))`.
    #[inline(always)]
    #[must_use]
    pub fn ln_logistic(self) -> Self {
        Self(M::unary::<function::LnLogistic>(self.0))
    }
    /// `ln(p / (1 - p))`.
    #[inline(always)]
    #[must_use]
    pub fn logit(self) -> Self {
        Self(M::unary::<function::Logit>(self.0))
    }
    /// `ln(eˣ + eʸ)`.
    #[inline(always)]
    #[must_use]
    pub fn log_add_exp(self, y: impl Into<Self>) -> Self {
        Self(M::binary::<function::LogAddExp>(self.0, y.into().0))
    }
    /// `ln(eˣ - eʸ)` for `x > y`.
    #[inline(always)]
    #[must_use]
    pub fn log_diff_exp(self, y: impl Into<Self>) -> Self {
        Self(M::binary::<function::LogDiffExp>(self.0, y.into().0))
    }
    /// `y x - ln(1 + eˣ)` without cancellation: the log mass of a Bernoulli variable `y` with log odds `x = self`.
    #[inline(always)]
    #[must_use]
    pub fn ln_bernoulli_logit(self, y: impl Into<Self>) -> Self {
        Self(M::binary::<function::LnBernoulliLogit>(self.0, y.into().0))
    }
    /// `ln B(x, y)`, accurate for small and large arguments.
    #[inline(always)]
    #[must_use]
    pub fn ln_beta(self, y: impl Into<Self>) -> Self {
        Self(M::binary::<function::LnBeta>(self.0, y.into().0))
    }
    /// `ln C(n, k)` for `0 ≤ k ≤ n = self`.
    #[inline(always)]
    #[must_use]
    pub fn ln_choose(self, k: impl Into<Self>) -> Self {
        Self(M::binary::<function::LnChoose>(self.0, k.into().0))
    }
    /// `ln Γ(x + a) - ln Γ(x)` without cancellation.
    #[inline(always)]
    #[must_use]
    pub fn ln_gamma_delta(self, a: impl Into<Self>) -> Self {
        Self(M::binary::<function::LnGammaDelta>(self.0, a.into().0))
    }
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
    /// `x ln(x/m) + m - x ≥ 0`: Loader's deviance of `x = self` from a mean `m`.
    #[inline(always)]
    #[must_use]
    pub fn deviance(self, mean: impl Into<Self>) -> Self {
        Self(M::binary::<function::Deviance>(self.0, mean.into().0))
    }
}
