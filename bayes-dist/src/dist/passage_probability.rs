//! The probabilities that a Wiener process leaves an interval at one end, at any time, before a time or after it.

use super::first_passage::{SMALL, images};
use super::lifted::{LiftedFunction, lifted_operation, part};
use bayes_autodiff::{Real, SingleParticle};
use std::f64::consts::{PI, TAU};

/// `ln P + drift w`, where `P` is the probability that a Wiener process with this drift that starts at `w`, between 0 and 1, leaves the unit
/// interval at 0:
///
/// ```text
/// ln (sinh((1 - w) drift) / sinh(drift))
/// ```
///
/// (Feller 1968, section XIV.5.) The factor `exp(-drift w)` is left to the caller.
pub(super) struct LogEnd;

impl LiftedFunction<2> for LogEnd {
    const NAME: &'static str = "log probability of an end";
    lifted_operation!(binary LogEnd);

    fn evaluate<M: SingleParticle>([w, drift]: [Real<M>; 2]) -> Real<M> {
        let (speed, rest) = (drift.abs(), 1.0 - w);
        if speed.primal() < 1.0 {
            let square = drift * drift;
            return rest.ln() + log_sinh_ratio(square * rest * rest) - log_sinh_ratio(square);
        }
        let decay = |x: Real<M>| (-(x * -2.0).exp_m1()).ln();
        decay(speed * rest) - decay(speed) - speed * w
    }
}

/// `ln (sinh(x)/x)` for the square of an `x` up to 1.
fn log_sinh_ratio<M: SingleParticle>(square: Real<M>) -> Real<M> {
    let series = (2..9).rev().fold(Real::constant(1.0), |sum, k| {
        let k = f64::from(k);
        square * sum / (2.0 * k * (2.0 * k + 1.0)) + 1.0
    });
    (square * series / 6.0).ln_1p()
}

/// The logarithm of the probability of leaving at 0 until `time`, plus `drift w`, as in [`LogEnd`].
pub(super) struct LogBefore;

impl LiftedFunction<3> for LogBefore {
    const NAME: &'static str = "log probability of a first passage";
    lifted_operation!(ternary LogBefore);

    fn evaluate<M: SingleParticle>(at: [Real<M>; 3]) -> Real<M> {
        // written so that NaN is no time either
        let is_time = at[0].primal() > 0.0;
        if !is_time {
            return Real::constant(f64::NEG_INFINITY);
        }
        if is_early(at) {
            return log_peak(at) + log_beside(at, -1.0, None);
        }
        rest_of_all(at, log_late(at))
    }
}

/// The logarithm of the probability of leaving at 0 after `time`, plus `drift w`.
pub(super) struct LogAfter;

impl LiftedFunction<3> for LogAfter {
    const NAME: &'static str = "log probability of a later first passage";
    lifted_operation!(ternary LogAfter);

    fn evaluate<M: SingleParticle>(at: [Real<M>; 3]) -> Real<M> {
        let is_time = at[0].primal() > 0.0;
        if !is_time {
            return LogEnd::evaluate([at[1], at[2]]);
        }
        match is_early(at) {
            true => rest_of_all(at, log_peak(at) + log_beside(at, -1.0, None)),
            false => log_late(at),
        }
    }
}

/// What is left of the probability of the end.
fn rest_of_all<M: SingleParticle>([_, w, drift]: [Real<M>; 3], log_part: Real<M>) -> Real<M> {
    let all = LogEnd::evaluate([w, drift]);
    all + (log_part - all).log1m_exp()
}

/// Whether the time is before the bulk of the passages, so that the probability until then is computed and that after it is the rest. Where
/// it is not, the probability after it is computed. Neither rest is a small difference.
fn is_early<M: SingleParticle>(at: [Real<M>; 3]) -> bool {
    let [far, fast] = exponents(at).map(Real::primal);
    at[0].primal() <= SMALL && far >= fast.max(0.2)
}

/// `w²/2u` and `drift² u/2`: the density of the time is about `exp` of minus their sum.
fn exponents<M: SingleParticle>([time, w, drift]: [Real<M>; 3]) -> [Real<M>; 2] {
    [w * (w / time) * 0.5, drift * (drift * time) * 0.5]
}

/// `ln (u f(u))` for a time `u` up to [`SMALL`], where `f` is the density.
fn log_peak<M: SingleParticle>(at: [Real<M>; 3]) -> Real<M> {
    let [far, fast] = exponents(at);
    images(at[0], at[1]).ln() - at[0].ln() * 0.5 - 0.5 * TAU.ln() - far - fast
}

/// `ln ∫ f(s) ds / (u f(u))` over the times `s = u exp(±x)` on one side of `u`, for `x` up to `span`. No two of its terms cancel.
fn log_beside<M: SingleParticle>(at: [Real<M>; 3], side: f64, span: Option<Real<M>>) -> Real<M> {
    let [time, w, _] = at;
    let [far, fast] = exponents(at);
    let own = images(time, w);
    let ratio = |x: Real<M>| {
        let tilt = x * (-0.5 * side) - far * (x * -side).exp_m1() - fast * (x * side).exp_m1();
        images(time * (x * side).exp(), w) / own * tilt.exp()
    };
    let (a, b) = (far.primal(), fast.primal());
    let scale = 1.0 / (1.0 + (a - b).abs() + (a + b).sqrt());
    let (mut sum, mut low, mut high) = (Real::constant(0.0), 0.0, scale);
    for _ in 0..PARTS {
        let last = span.filter(|span| high >= span.primal());
        let width = last.unwrap_or(Real::constant(high)) - low;
        let term = part(low, width, ratio);
        sum += term;
        // written so that NaN ends the loop too
        let goes_on = term.primal() > NEGLIGIBLE * sum.primal();
        if last.is_some() || !goes_on {
            break;
        }
        (low, high) = (high, high + high.min(1.0));
    }
    sum.ln()
}

/// An integral ends when a part adds less than this share.
const NEGLIGIBLE: f64 = 1e-18;

/// The largest number of parts; from 1 on they do not get longer, and beyond `exp(±400)` there is no time.
const PARTS: usize = 400;

/// The logarithm of the probability of leaving after `time`, plus `drift w`: from [`SMALL`] on by frequencies, before it with the integral
/// up to there.
fn log_late<M: SingleParticle>([time, w, drift]: [Real<M>; 3]) -> Real<M> {
    if time.primal() >= SMALL {
        return log_late_by_frequencies([time, w, drift]);
    }
    let at = [time, w, drift];
    let span = (SMALL / time).ln();
    let until = log_peak(at) + log_beside(at, 1.0, Some(span));
    until.log_add_exp(log_late_by_frequencies([Real::constant(SMALL), w, drift]))
}

/// `ln (2π Σ_k k sin(kπw) exp(-(k²π² + drift²) u/2) / (k²π² + drift²))`, the integral of the density by frequencies (Blurton, Kesselmeier and
/// Gondan 2012), with `sin kπw / sin πw` by the recursion of Chebyshev.
fn log_late_by_frequencies<M: SingleParticle>([time, w, drift]: [Real<M>; 3]) -> Real<M> {
    let nearest = if w.primal() > 0.5 { 1.0 - w } else { w };
    let (sine, cosine) = ((nearest * PI).sin(), (w * PI).cos());
    let rate = drift * drift + PI * PI;
    let (mut before, mut ratio) = (Real::constant(1.0), cosine * 2.0);
    let mut sum = Real::constant(1.0);
    for k in [2.0_f64, 3.0, 4.0, 5.0, 6.0] {
        let faster = PI * PI * (k * k - 1.0);
        sum += ratio * k * (time * (-0.5 * faster)).exp() / (faster / rate + 1.0);
        (before, ratio) = (ratio, cosine * ratio * 2.0 - before);
    }
    sine.ln() + sum.ln() + TAU.ln() - rate.ln() - rate * time * 0.5
}
