//! The von Mises distribution.

use super::lifted::{LiftedFunction, integral, lifted_operation, of_two};
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, SingleParticle};
use rand::RngExt;
use rand_distr::{Distribution as _, Open01};
use std::f64::consts::PI;

/// Von Mises distribution of an angle in radians, the analogue of the normal distribution on the circle.
///
/// ```text
/// ln p(x) = κ cos(x - μ) - ln 2π I₀(κ)
/// ```
///
/// Angles that differ by 2π are equivalent, so any real number may be observed. A random angle is within π of `mu`, and
/// the density integrates to one over this range. Chains do not cross the cut of the circle opposite `mu`; runs warn of a
/// posterior that lies there. Computed as `-2κ sin²((x-μ)/2) - ln 2π e⁻ᵏ I₀(κ)`, so it is accurate
/// for large `κ` too.
#[derive(Clone, Copy, Debug)]
pub struct VonMises;

impl VonMises {
    /// `mu`: the mean direction, finite; `kappa`: the concentration, finite, at least 0 (at 0 the distribution is
    /// uniform).
    pub fn new<A, B>(mu: A, kappa: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((mu, kappa))
    }
}

/// `π` minus its nearest double.
const PI_REST: f64 = 1.224_646_799_147_353_2e-16;

/// `ln 2π`.
const LN_TAU: f64 = 1.837_877_066_409_345_5;

impl Family<2> for VonMises {
    const NAME: &'static str = "VonMises";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("mu", Constraint::Finite),
        ParameterInfo::new("kappa", Constraint::NonNegative),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    const ANGLE: bool = true;
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, kappa]: [Real<M>; 2]) -> Real<M> {
        -kappa.ln_bessel_i0_scaled() - LN_TAU
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [mu, kappa]: [Real<M>; 2]) -> Real<M> {
        let half = (x - mu) * 0.5;
        kappa * half.sin().square() * -2.0
    }

    #[inline(always)]
    fn support<M: Mode>([mu, _]: [Real<M>; 2]) -> Support<M> {
        Support::Interval(mu - PI, mu + PI)
    }

    #[inline(always)]
    fn covers<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::Real
    }

    /// Rejection from a wrapped Cauchy distribution (Best and Fisher 1979).
    ///
    /// The paper's `s = (1 + ρ²)/2ρ` is `(1 + √(1 + 4κ²))/2κ` here, and `w = cos(x - μ)`. Both `s - 1` and `1 - w` are
    /// computed without subtraction, so any `κ` from 0 up works.
    fn draw([mu, kappa]: [f64; 2], stream: &mut Stream) -> f64 {
        if !kappa.is_finite() {
            return f64::NAN;
        }
        let root = (1.0 + 4.0 * kappa * kappa).sqrt();
        // κ (s - 1)
        let excess = 0.5 + 0.5 / (root + 2.0 * kappa);
        loop {
            let (sin, cos) = (0.5 * PI * stream.random::<f64>()).sin_cos();
            let one_minus_w = 2.0 * sin * sin / (1.0 + kappa / excess * 2.0 * cos * cos);
            let y = excess + kappa * one_minus_w;
            let u: f64 = Open01.sample(stream);
            if (y / u).ln() + 1.0 - y >= 0.0 {
                let angle = 2.0 * (0.5 * one_minus_w).sqrt().min(1.0).asin();
                let sign = if stream.random::<bool>() { 1.0 } else { -1.0 };
                return mu + sign * angle;
            }
        }
    }
}

impl Cumulative<2> for VonMises {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [mu, kappa]: [Real<M>; 2]) -> Real<M> {
        of_two::<M, LogBelow>([x - mu, kappa])
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [mu, kappa]: [Real<M>; 2]) -> Real<M> {
        of_two::<M, LogBelow>([mu - x, kappa])
    }
}

/// The log probability of angles from `-π` to `angle` at a concentration, with `mu = 0`.
///
/// Below the mean it is an integral from `angle` downwards, along which the density decreases:
///
/// ```text
/// ln F(θ) = ln f(θ) + ln ∫ exp(2κ sin(θ - s/2) sin(s/2)) ds,    s from 0 to π + θ
/// ```
struct LogBelow;

impl LiftedFunction<2> for LogBelow {
    const NAME: &'static str = "ln F of von Mises";
    lifted_operation!(binary LogBelow);
    fn evaluate<M: SingleParticle>([angle, kappa]: [Real<M>; 2]) -> Real<M> {
        if angle.primal() > 0.0 {
            return Self::evaluate([-angle, kappa]).log1m_exp();
        }
        let log_density = VonMises::log_kernel(angle, [Real::constant(0.0), kappa])
            + VonMises::log_normaliser([Real::constant(0.0), kappa]);
        let (at, k) = (angle.primal(), kappa.primal());
        // close to -π the digits of π beyond the constant PI matter
        let span = (angle + PI + PI_REST).max(0.0);
        let scale = 1.0 / (k * at.sin().abs() + k.sqrt() + 0.5);
        let mass = integral(scale, span, |s| {
            let half = s * 0.5;
            ((angle - half).sin() * half.sin() * kappa * 2.0).exp()
        });
        log_density + mass.ln()
    }
}
