//! The incomplete beta function, as a function of the logit.

use super::{beta_large, continued_fraction, everything, least_levels, nothing, series};
use crate::SingleParticle;
use crate::function::deviance_apart;
use crate::real::Real;
use crate::special::HALF_LN_TAU;
use std::f64::consts::LN_2;

/// Below this logit `logistic(z)` is too near the smallest numbers for the continued fraction.
const FAR: f64 = -650.0;

/// `ln I_x(a, b)` at `x = logistic(z)`; the other tail is `ln_lower(-z, b, a)`.
///
/// The logit keeps all digits of `x` near 0 and of `1 - x` near 1.
pub(crate) fn ln_lower<M: SingleParticle>(z: Real<M>, a: Real<M>, b: Real<M>) -> Real<M> {
    tails(z, a, b)[0]
}

/// `[ln I_x(a, b), ln(1 - I_x(a, b))]` for `a, b ≥ 0`, not both 0; `a = 0` is a point mass at 0, `b = 0` a point mass at 1.
#[inline(never)]
fn tails<M: SingleParticle>(z: Real<M>, a: Real<M>, b: Real<M>) -> [Real<M>; 2] {
    let [at, left, right] = [z, a, b].map(Real::primal);
    let allowed = |x: f64| (0.0..f64::INFINITY).contains(&x);
    if at.is_nan() || !allowed(left) || !allowed(right) || left + right == 0.0 {
        return [Real::constant(f64::NAN); 2];
    }
    if left == 0.0 || at == f64::INFINITY {
        return everything();
    }
    if right == 0.0 || at == f64::NEG_INFINITY {
        return nothing();
    }
    let (x, y) = (z.logistic(), (-z).logistic());
    // below the mean (a+1)/(a+b+2), written without the sum, which may lose the smaller parameter
    if x.primal() * (right + 1.0) <= y.primal() * (left + 1.0) {
        below_the_mean([z, x, y], a, b)
    } else {
        let [upper, lower] = below_the_mean([-z, y, x], b, a);
        [lower, upper]
    }
}

/// Both tails where `x ≤ (a+1)/(a+b+2)`; `[z, x, y]` with `y = 1 - x`.
///
/// For `a ≥ 1` the continued fraction of Didonato and Morris (1992), TOMS algorithm 708, equation 9.
fn below_the_mean<M: SingleParticle>(point: [Real<M>; 3], a: Real<M>, b: Real<M>) -> [Real<M>; 2] {
    let [z, x, y] = point;
    let apart = a * y - b * x;
    if beta_large::applies(a.primal(), b.primal(), apart.primal().max(0.0)) {
        let lower = beta_large::ln_lower(a, b, apart);
        return [lower, lower.log1m_exp()];
    }
    if a.primal() < 1.0 || z.primal() < FAR {
        return power_series(z, x, a, b);
    }
    let excess = apart + 1.0;
    let level = |n: f64| {
        let odd = a + (2.0 * n - 1.0);
        let step = (b - n) * x * n / odd;
        let above = (a + (n - 1.0)) * (a + b + (n - 1.0)) * x / odd * step;
        let below = step + n + (a + n) * (excess + (y + 1.0) * n) / (odd + 2.0);
        [above, below]
    };
    // n levels leave about e^{-4n√y}, or e^{-4√(n a y)} as long as n is below a, as in the gamma limit. The first bound alone would ask
    // for millions of levels where y is tiny, and their roundings add up
    let levels = (10.0 / y.primal().sqrt()).min(100.0 / (a.primal() * y.primal()));
    let least = least_levels(b.primal(), levels + 5.0);
    let fraction = continued_fraction(a * excess / (a + 1.0), level, least);
    let lower = log_term(x, y, a, b) - fraction.ln();
    [lower, lower.log1m_exp()]
}

/// `ln(xᵃ yᵇ/B(a, b))` in Loader's form, which subtracts no large numbers.
fn log_term<M: SingleParticle>(x: Real<M>, y: Real<M>, a: Real<M>, b: Real<M>) -> Real<M> {
    let total = a + b;
    let apart = b * x - a * y;
    let deviances = deviance_apart(a, total * x, apart) + deviance_apart(b, total * y, -apart);
    let stirling = total.stirling_error() - a.stirling_error() - b.stirling_error();
    stirling + (a.ln() + (b / total).ln()) * 0.5 - HALF_LN_TAU - deviances
}

/// Both tails for `b x ≤ 2` and a small `a` (or `x`), where the upper tail may be small because `a` is.
///
/// ```text
/// I = u (1 + a S),    1 - I = (1 - u) - u a S,    u = xᵃ/(a B(a, b)),    S = Σ (1-b)...(n-b) xⁿ/(n! (a+n))
/// ```
fn power_series<M: SingleParticle>(z: Real<M>, x: Real<M>, a: Real<M>, b: Real<M>) -> [Real<M>; 2] {
    let log_beta = Real::constant(1.0).ln_gamma_delta(a) - b.ln_gamma_delta(a);
    let log_u = a * z.ln_logistic() - log_beta;
    let (zero, one) = (Real::constant(0.0), Real::constant(1.0));
    let sum = series([zero, one], |n| (n - b) * x / n, |n| (a + n).recip());
    let lower = log_u + (a * sum).ln_1p();
    if lower.primal() < -LN_2 {
        return [lower, lower.log1m_exp()];
    }
    let upper = -log_u.exp_m1() - log_u.exp() * a * sum;
    [lower, upper.ln()]
}
