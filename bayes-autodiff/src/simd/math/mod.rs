//! Elementary functions on eight lanes: branch-free, each lane separately. Errors in ulps are stated in their tests
//! (`tests/it/lanes.rs`).
//!
//! A function gives its value and slope together, as they share most of their work; where only one is used the compiler drops the other.
//! Polynomials are minimax (`tests/data/polynomials.py` makes them).

mod delta;
mod double;
mod erf;
mod exponential;
mod gamma;
mod hyperbolic;
mod link;
mod logarithm;
mod pack;
mod power;
mod rare;
mod trigonometric;

pub(crate) use delta::{ln_beta, ln_choose, ln_gamma_delta, stirling_error};
pub(crate) use erf::{erf, erfc, ln_norm_cdf, norm_cdf};
pub(crate) use exponential::{exp, exp_m1};
pub(crate) use gamma::{digamma, ln_gamma, trigamma};
pub(crate) use hyperbolic::{cosh, sinh, tanh};
pub(crate) use link::{
    ln_bernoulli_logit, ln_logistic, log_add_exp, log_diff_exp, log1m_exp, log1p_exp, logistic,
    logit,
};
pub(crate) use logarithm::{ln, ln_1p};
pub(crate) use pack::Pack;
pub(crate) use power::{deviance, deviance_apart, pow, x_ln_y};
pub(crate) use trigonometric::{cos, sin, tan};

/// `ln 2` in 33 bits, so that its product with an exponent is exact, and the remainder.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
