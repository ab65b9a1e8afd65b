//! `ln B(x, y)` and binomial coefficients.

use super::{LARGE, ln_gamma, ln_gamma_delta, stirling_error};
use crate::special::HALF_LN_TAU;

/// `ln B(x, y) = ln Γ(x) + ln Γ(y) - ln Γ(x + y)` for positive arguments of any size.
///
/// The three cases of Didonato and Morris (1992), TOMS algorithm 708.
#[must_use]
pub fn ln_beta(x: f64, y: f64) -> f64 {
    let (small, large) = if x < y { (x, y) } else { (y, x) };
    if small >= LARGE {
        let ratio = small / large;
        let share = ratio / (1.0 + ratio);
        let remainder =
            stirling_error(small) + stirling_error(large) - stirling_error(small + large);
        return HALF_LN_TAU - 0.5 * large.ln() + remainder + (small - 0.5) * share.ln()
            - large * ratio.ln_1p();
    }
    if large >= LARGE {
        return ln_gamma(small) - ln_gamma_delta(large, small);
    }
    ln_gamma(small) - (ln_gamma(small + large) - ln_gamma(large))
}

/// `ln C(n, k)` for `0 ≤ k ≤ n`.
#[must_use]
pub fn ln_choose(n: f64, k: f64) -> f64 {
    if k == 0.0 || k == n {
        return 0.0;
    }
    -n.ln_1p() - ln_beta(n - k + 1.0, k + 1.0)
}
