//! The density of the time at which a Wiener process leaves an interval.

use super::lifted::{LiftedFunction, lifted_operation};
use bayes_autodiff::{Real, SingleParticle};
use std::f64::consts::{PI, TAU};

/// Up to this time the density is a sum over images of the start, from it on a sum over frequencies. Both have all digits on both sides.
pub(super) const SMALL: f64 = 0.4;

/// `ln f(u, w) + w²/2u`, where `f` is the density of the time `u` at which a Wiener process without drift that starts at `w`, between 0 and
/// 1, leaves the unit interval at 0.
///
/// The term `w²/2u` is left to the caller, who adds it to the terms of the drift, of which it is part of a square. Of the two series (Feller
/// 1968, section XIV.6; Navarro and Fuss 2009) a fixed number of terms is below the rounding of the first. Images are added in pairs
/// whose difference is small near the ends, so no digits are lost there.
pub(super) struct LogFirstPassage;

impl LiftedFunction<2> for LogFirstPassage {
    const NAME: &'static str = "log density of a first passage";
    lifted_operation!(binary LogFirstPassage);

    fn evaluate<M: SingleParticle>([u, w]: [Real<M>; 2]) -> Real<M> {
        // written so that NaN is no time either
        let is_time = u.primal() > 0.0;
        if !is_time {
            return Real::constant(f64::NEG_INFINITY);
        }
        if u.primal() > SMALL {
            return by_frequencies(u, w);
        }
        images(u, w).ln() - u.ln() * 1.5 - 0.5 * TAU.ln()
    }
}

/// `Σ_k (w + 2k) exp((w² - (w + 2k)²)/2u)`, for times up to [`SMALL`].
pub(super) fn images<M: SingleParticle>(u: Real<M>, w: Real<M>) -> Real<M> {
    match w.primal() > 0.5 {
        true => images_of_far_start(u, 1.0 - w),
        false => images_of_near_start(u, w),
    }
}

/// [`images`] for `w` up to ½: the start, and pairs of images around the other end.
fn images_of_near_start<M: SingleParticle>(u: Real<M>, w: Real<M>) -> Real<M> {
    let mut sum = w;
    for k in [1.0, 2.0, 3.0, 4.0] {
        let ratio = -4.0 * k * w / u;
        let (image, less) = (ratio.exp(), ratio.exp_m1());
        let pair = w * (1.0 + image) + 2.0 * k * less;
        sum += pair * (-2.0 * k * (k - w) / u).exp();
    }
    sum
}

/// The same for `w = 1 - e` above ½, in pairs of images around 1.
fn images_of_far_start<M: SingleParticle>(u: Real<M>, e: Real<M>) -> Real<M> {
    let mut sum = Real::constant(0.0);
    for m in [1.0, 3.0, 5.0, 7.0] {
        let ratio = -2.0 * m * e / u;
        let (image, less) = (ratio.exp(), ratio.exp_m1());
        let pair = -m * less - e * (1.0 + image);
        let log_size = (e * (2.0 * (m - 1.0)) - (m * m - 1.0)) * 0.5 / u;
        sum += pair * log_size.exp();
    }
    sum
}

/// `ln (π Σ_k k exp(-k²π²u/2) sin kπw) + w²/2u`, with `sin kπw / sin πw` by the recursion of Chebyshev.
fn by_frequencies<M: SingleParticle>(u: Real<M>, w: Real<M>) -> Real<M> {
    let nearest = if w.primal() > 0.5 { 1.0 - w } else { w };
    let (sine, cosine) = ((nearest * PI).sin(), (w * PI).cos());
    let (mut before, mut ratio) = (Real::constant(1.0), cosine * 2.0);
    let mut sum = Real::constant(1.0);
    for k in [2.0, 3.0, 4.0, 5.0, 6.0] {
        sum += ratio * k * (u * (-0.5 * PI * PI * (k * k - 1.0))).exp();
        (before, ratio) = (ratio, cosine * ratio * 2.0 - before);
    }
    sine.ln() + sum.ln() + PI.ln() - u * (0.5 * PI * PI) + w * w * 0.5 / u
}
