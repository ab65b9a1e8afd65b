//! Elementary functions on eight lanes: branch-free, each lane separately. Errors in ulps are stated in their tests
//! (`tests/it/lanes.rs` of bayes-autodiff).
//!
//! A function gives its value and slope together, as they share most of their work; where only one is used the compiler drops the other.
//! Polynomials are minimax (`tests/data/polynomials.py` makes them).

/// A function of lanes, `#[inline(always)]` as all of them. Where an operation is a call it is a function of its own, compiled once: inlined
/// calls would take most of the time that all instruction sets together take to compile.
macro_rules! apart {
    ($(#[$doc:meta])* $vis:vis fn $name:ident<S: Simd>($($x:ident: $type:ty),+ $(,)?) -> $out:ty $body:block) => {
        $(#[$doc])*
        #[inline(always)]
        $vis fn $name<S: Simd>($($x: $type),+) -> $out {
            #[inline(never)]
            fn called<S: Simd>($($x: $type),+) -> $out $body
            // a branch that the instruction set excludes is not compiled
            if const { S::IS_CALLED } {
                return called::<S>($($x),+);
            }
            $body
        }
    };
}

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

pub use delta::{ln_beta, ln_choose, ln_gamma_delta, stirling_error};
pub use erf::{erf, erfc, ln_norm_cdf, norm_cdf};
pub use exponential::{exp, exp_m1};
pub use gamma::{digamma, ln_gamma, trigamma};
pub use hyperbolic::{cosh, sinh, tanh};
pub use link::{
    ln_bernoulli_logit, ln_logistic, log_add_exp, log_diff_exp, log1m_exp, log1p_exp, logistic,
    logit,
};
pub use logarithm::{ln, ln_1p};
pub use pack::Pack;
pub use power::{deviance, deviance_apart, pow, x_ln_y};
pub use trigonometric::{cos, sin, tan};

/// `ln 2` in 33 bits, so that its product with an exponent is exact, and the remainder.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
