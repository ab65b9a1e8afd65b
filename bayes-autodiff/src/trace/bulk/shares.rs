//! Totals of exponentials, and the shares in them.

use super::Places;
use crate::function::{Exp, Function};
use crate::lanes;
use crate::simd::Simd;

/// `e^(x - total)`, the share of a term in a total; 0 if the total is minus infinity.
#[inline(always)]
fn share<S: Simd>(x: S::Float, total: S::Float) -> S::Float {
    let nothing = S::eq(total, S::splat(f64::NEG_INFINITY));
    let share = Exp::lanes::<S>(S::sub(x, total));
    S::select(nothing, S::splat(0.0), share)
}

/// `ln Σ eˣ`; the partial derivatives are the shares.
#[inline(always)]
pub(super) fn log_sum_exp<S: Simd, const SLOPES: bool>(places: &mut Places<'_>) {
    let len = places.of.len();
    let total = lanes::log_sum_exp::<S>(len, |k| places.operand::<S>(k));
    places.set::<S>(0, total);
    if SLOPES {
        for k in 0..len {
            let share = share::<S>(places.operand::<S>(k), total);
            places.set_slope::<S>(k, share);
        }
    }
}

/// The shares `p`.
#[inline(always)]
pub(super) fn shares<S: Simd>(places: &mut Places<'_>) {
    let len = places.of.len();
    let total = lanes::log_sum_exp::<S>(len, |k| places.operand::<S>(k));
    for k in 0..len {
        let share = share::<S>(places.operand::<S>(k), total);
        places.set::<S>(k, share);
    }
}

/// `x̄_k += p_k (p̄_k - Σ_j p̄_j p_j)`.
#[inline(always)]
pub(super) fn reverse_shares<S: Simd>(places: &mut Places<'_>) {
    let len = places.of.len();
    let mut mean = S::splat(0.0);
    for k in 0..len {
        mean = S::mul_add(places.adjoint::<S>(k), places.output::<S>(k), mean);
    }
    for k in 0..len {
        let slope = S::sub(places.adjoint::<S>(k), mean);
        places.pass_on::<S>(k, S::mul(places.output::<S>(k), slope));
    }
}
