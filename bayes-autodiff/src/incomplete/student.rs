//! The distribution function of Student's t.

use super::{beta, series};
use crate::SingleParticle;
use crate::real::Real;
use std::f64::consts::LN_2;

/// `ln P(T ≤ t)` for Student's t with `nu > 0` degrees of freedom, location 0 and scale 1.
///
/// In the tails it is an incomplete beta function (NIST DLMF 8.17.20). Near 0 the power series of this function in `t/√(ν+t²)` is used,
/// which is smooth in `t`, unlike the function.
#[inline(never)]
pub(crate) fn ln_cdf<M: SingleParticle>(nu: Real<M>, t: Real<M>) -> Real<M> {
    let (freedom, at) = (nu.primal(), t.primal());
    if !(freedom > 0.0 && freedom < f64::INFINITY) || at.is_nan() {
        return Real::constant(f64::NAN);
    }
    if at.is_infinite() {
        return Real::constant(if at > 0.0 { 0.0 } else { f64::NEG_INFINITY });
    }
    if at * at * (freedom + 2.0) <= 3.0 * freedom {
        return near_zero(nu, t);
    }
    let half = Real::constant(0.5);
    let size = if at < 0.0 { -t } else { t };
    let tail = beta::ln_lower(nu.ln() - size.ln() * 2.0, nu * 0.5, half) - LN_2;
    if at < 0.0 { tail } else { tail.log1m_exp() }
}

/// `ln(½ + r (1-r²)^{ν/2}/B(½, ν/2) Σ cₙ r²ⁿ)` with `r = t/√(ν+t²)`, `cₙ/cₙ₋₁ = (ν+2n-1)/(2n+1)`.
fn near_zero<M: SingleParticle>(nu: Real<M>, t: Real<M>) -> Real<M> {
    let square = t.square() / nu;
    let share = square / (square + 1.0);
    let one = Real::constant(1.0);
    let sum = series(
        [one, one],
        |n| (nu + (2.0 * n - 1.0)) * share / (2.0 * n + 1.0),
        |_| one,
    );
    let log_scale = -nu * 0.5 * square.ln_1p() - (nu * 0.5).ln_beta(0.5);
    let r = t / (nu + t.square()).sqrt();
    (r * sum * log_scale.exp() + 0.5).ln()
}
