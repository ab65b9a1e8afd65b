//! The first passage of a Wiener process: drift diffusion.

use super::first_passage::LogFirstPassage;
use super::lifted::{of_three, of_two};
use super::passage_probability::{LogAfter, LogBefore, LogEnd};
use super::{
    Constraint, Continuous, Cumulative, DataError, Family, InverseGaussian, ParameterInfo,
    Univariate,
};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;
use std::f64::consts::{LN_2, PI};

/// Drift diffusion: when and at which end a Wiener process with unit variance leaves an interval. It is the distribution of reaction times
/// and choices between two answers (Ratcliff 1978).
///
/// A value is the time `t + non_decision`, positive if the process ends at the upper end, negative at the lower one. With `t = |x| -
/// non_decision`, `u = t/boundary²`, and at the upper end `1 - start` for `start` and `-drift` for `drift`:
///
/// ```text
/// p(x) = exp(-drift boundary start - drift² t/2) / boundary² · Σ_k (start + 2k) exp(-(start + 2k)²/2u) / √(2π u³)
/// ```
///
/// By one of two series, each with all digits where it is used (Navarro and Fuss 2009). Draws are exact to rounding.
///
/// In the order of the values the late times at the lower end come first, and the late times at the upper end last. So `.truncated(-limit,
/// limit)` is for data of which only answers up to a time limit are kept. `.censored(-limit, limit)` is for late answers of which the choice is
/// known, recorded as `-limit` or `limit`. Where the choice is not known either, the probability of no answer until the limit is a `factor`:
///
/// ```text
/// let process = Wiener::new(boundary, non_decision, start, drift);
/// factor(process.log_cdf_at(-limit).log_add_exp(process.log_sf_at(limit)));
/// ```
///
/// Elsewhere: `wiener` (Stan, of times at the upper end), `HDDM`.
#[derive(Clone, Copy, Debug)]
pub struct Wiener;

impl Wiener {
    /// `boundary`: the length of the interval, above zero; `non_decision`: the time before and after the process, at least zero, in the
    /// unit of the data; `start`: where the process starts, as a share of the interval, above 0 and below 1; `drift`: the drift per unit of
    /// time, towards the upper end if positive.
    pub fn new<A, B, C, D>(
        boundary: A,
        non_decision: B,
        start: C,
        drift: D,
    ) -> Univariate<Self, (A, B, C, D), 4> {
        Univariate::from_parameters((boundary, non_decision, start, drift))
    }

    /// Times with a sign for the choice: as they are where `upper` holds, else negative. This is how data are observed:
    ///
    /// ```text
    /// let x = Wiener::signed(&time, &correct)?;       // before the model
    /// observe(x, Wiener::new(boundary, non_decision, 0.5, drift));
    /// ```
    ///
    /// # Errors
    /// If there are not as many times as choices, or a time is not finite and above 0.
    pub fn signed(times: &[f64], upper: &[bool]) -> Result<Vec<f64>, DataError> {
        if times.len() != upper.len() {
            return Err(DataError::Length {
                distribution: Self::NAME,
                length: times.len(),
                allowed: format!("{}, the number of choices", upper.len()),
            });
        }
        let pairs = times.iter().zip(upper).enumerate();
        let signed = pairs.map(|(i, (time, upper))| {
            if !Constraint::Positive.holds(*time) {
                return Err(DataError::Value {
                    distribution: Self::NAME,
                    index: Some(i),
                    value: *time,
                    allowed: Constraint::Positive.words().to_owned(),
                });
            }
            Ok(if *upper { *time } else { -time })
        });
        signed.collect()
    }
}

impl Family<4> for Wiener {
    const NAME: &'static str = "Wiener";
    const PARAMETERS: [ParameterInfo; 4] = [
        ParameterInfo::new("boundary", Constraint::Positive),
        ParameterInfo::new("non_decision", Constraint::NonNegative),
        ParameterInfo::new("start", Constraint::Probability),
        ParameterInfo::new("drift", Constraint::Finite),
    ];
    const NORMALISED_BY: [bool; 4] = [true, true, true, false];
    type Domain = Continuous;

    fn check([_, _, start, _]: [f64; 4]) -> Result<(), (usize, &'static str)> {
        match start > 0.0 && start < 1.0 {
            true => Ok(()),
            false => Err((2, "above 0 and below 1")),
        }
    }

    #[inline(always)]
    fn log_normaliser<M: Mode>([boundary, non_decision, start, _]: [Real<M>; 4]) -> Real<M> {
        if_allowed(boundary.ln() * -2.0, [boundary, non_decision, start])
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(
        x: Real<M>,
        [boundary, non_decision, start, drift]: [Real<M>; 4],
    ) -> Real<M> {
        let is_upper = x.gt(0.0);
        let start = Real::select(is_upper, 1.0 - start, start);
        let drift = Real::select(is_upper, -drift, drift);
        let time = x.abs() - non_decision;
        let passage = of_two::<M, LogFirstPassage>([time / boundary.square(), start]);
        // what drift and start say about the way to the end, as one square
        let rest = start * boundary + drift * time;
        let log_density = passage - rest * (rest / time) * 0.5;
        // at infinity the quotient is NaN
        let log_density = Real::select(time.lt(f64::INFINITY), log_density, f64::NEG_INFINITY);
        Real::select(time.gt(0.0), log_density, f64::NEG_INFINITY)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 4]) -> Support<M> {
        Support::Real
    }

    /// Passage by passage through intervals about the present place, until one ends at an end. They are so short that the drift decides
    /// little in each. Far enough from the end against the drift, the rest of the time is that to the other end alone, an inverse Gaussian.
    ///
    /// NaN where a parameter is not allowed.
    fn draw(parameters: [f64; 4], stream: &mut Stream) -> f64 {
        if !is_allowed(parameters) {
            return f64::NAN;
        }
        let [boundary, non_decision, start, drift] = parameters;
        let speed = drift.abs();
        let (mut below, mut above) = (boundary * start, boundary * (1.0 - start));
        let mut time = non_decision;
        loop {
            let (behind, ahead) = match drift > 0.0 {
                true => (below, above),
                false => (above, below),
            };
            if behind * speed > NO_RETURN {
                time += InverseGaussian::draw([ahead / speed, ahead * ahead], stream);
                return if drift > 0.0 { time } else { -time };
            }
            let nearest = below.min(above);
            let half = nearest.min(LARGEST_DRIFT / speed);
            let (relative, is_up) = passage(half * drift, stream);
            time += half * half * relative;
            match is_up {
                true if half >= above => return time,
                false if half >= below => return -time,
                true => (below, above) = (below + half, above - half),
                false => (below, above) = (below - half, above + half),
            }
        }
    }
}

impl Cumulative<4> for Wiener {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; 4]) -> Real<M> {
        let (later, others) = log_sides(x, parameters);
        Real::select(x.gt(0.0), others, later)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, parameters: [Real<M>; 4]) -> Real<M> {
        let (later, others) = log_sides(x, parameters);
        Real::select(x.gt(0.0), later, others)
    }
}

/// The log probability of times later than `|x|` at the end of `x`, and that of all other values.
#[inline(always)]
fn log_sides<M: Mode>(
    x: Real<M>,
    [boundary, non_decision, start, drift]: [Real<M>; 4],
) -> (Real<M>, Real<M>) {
    let is_upper = x.gt(0.0);
    let place = Real::select(is_upper, 1.0 - start, start);
    let drift = Real::select(is_upper, -drift, drift) * boundary;
    let time = (x.abs() - non_decision).max(0.0) / boundary.square();
    let tilt = drift * place;
    let later = of_three::<M, LogAfter>([time, place, drift]) - tilt;
    let earlier = of_three::<M, LogBefore>([time, place, drift]) - tilt;
    let other_end = of_two::<M, LogEnd>([1.0 - place, -drift]) + drift * (1.0 - place);
    let sum = other_end.log_add_exp(earlier);
    // each by the smaller of both
    let is_small = later.lt(-LN_2);
    let others = Real::select(is_small, later.log1m_exp(), sum);
    let later = Real::select(is_small, later, sum.log1m_exp());
    let known = [boundary, non_decision, start];
    (if_allowed(later, known), if_allowed(others, known))
}

/// `value`, or NaN where a parameter is not allowed: the series are finite there too.
#[inline(always)]
fn if_allowed<M: Mode>(value: Real<M>, [boundary, non_decision, start]: [Real<M>; 3]) -> Real<M> {
    let is_inside = start.min(1.0 - start).gt(0.0);
    let allowed = Real::select(is_inside, value, f64::NAN);
    let allowed = Real::select(boundary.gt(0.0), allowed, f64::NAN);
    Real::select(non_decision.ge(0.0), allowed, f64::NAN)
}

fn is_allowed(parameters: [f64; 4]) -> bool {
    let mut pairs = Wiener::PARAMETERS.iter().zip(parameters);
    pairs.all(|(parameter, x)| parameter.allowed.holds(x)) && Wiener::check(parameters).is_ok()
}

/// The product of drift and distance from which on the process does not come back against the drift: the probability that it ever does is
/// `exp(-2 · 20)`, 4e-18.
const NO_RETURN: f64 = 20.0;

/// The largest product of drift and half-length of an interval in a draw.
const LARGEST_DRIFT: f64 = 1.0;

/// The time at which a Wiener process with this drift leaves (-1, 1), and whether at 1. Both are independent (Drugowitsch 2016); the time
/// is found by inversion.
fn passage(drift: f64, stream: &mut Stream) -> (f64, bool) {
    let is_up = stream.random::<f64>() < 1.0 / (1.0 + (-2.0 * drift).exp());
    let wanted = stream.random::<f64>();
    // no time below 0.01 has a probability of 1e-21, none above 64 one of 1e-34
    let (mut low, mut high) = (0.01_f64.ln(), 64.0_f64.ln());
    loop {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            return (middle.exp(), is_up);
        }
        match survival(middle.exp(), drift) > wanted {
            true => low = middle,
            false => high = middle,
        }
    }
}

/// The probability that the process is in (-1, 1) up to `time`:
///
/// ```text
/// π cosh(drift) Σ_k (-1)^((k-1)/2) k exp(-(drift² + k²π²/4) time/2) / (drift² + k²π²/4),    k = 1, 3, 5, ...
/// ```
fn survival(time: f64, drift: f64) -> f64 {
    let (mut sum, mut k, mut sign) = (0.0, 1.0, 1.0);
    loop {
        let rate = drift * drift + (k * PI / 2.0).powi(2);
        let term = k * (-rate * time / 2.0).exp() / rate;
        sum += sign * term;
        if term < 1e-18 {
            return PI * drift.cosh() * sum;
        }
        (k, sign) = (k + 2.0, -sign);
    }
}
