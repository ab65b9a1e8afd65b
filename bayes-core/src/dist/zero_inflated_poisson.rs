//! The zero-inflated Poisson distribution.

use super::elementary::rest;
use super::sampler::poisson_draw;
use super::zero_mass::zero_mass;
use super::{Allowed, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand::RngExt;

/// Zero-inflated Poisson distribution (Lambert 1992): 0 with probability `pi`, otherwise a Poisson count.
///
/// ```text
/// ln p(0) = ln(π + (1-π) e^-rate)
/// ln p(k) = ln(1-π) + k ln rate - rate - ln k!,    k = 1, 2, ...
/// ```
#[derive(Clone, Copy, Debug)]
pub struct ZeroInflatedPoisson;

impl ZeroInflatedPoisson {
    /// `pi`: the probability of an extra zero, from 0 to 1; `rate`: finite, at least 0.
    #[allow(clippy::new_ret_no_self)]
    pub fn new<A, B>(pi: A, rate: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((pi, rate))
    }
}

impl Family<2> for ZeroInflatedPoisson {
    const NAME: &'static str = "ZeroInflatedPoisson";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("pi", Allowed::Probability),
        ParameterInfo::new("rate", Allowed::NonNegative),
    ];
    const NORMALISED_BY: [bool; 2] = [false; 2];
    type Domain = Discrete;

    #[inline(always)]
    fn log_normaliser<M: Mode>(_: [Real<M>; 2]) -> Real<M> {
        Real::constant(0.0)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [pi, rate]: [Real<M>; 2]) -> Real<M> {
        let count = (-pi).ln_1p() - x.deviance(rate);
        Real::select(x.lt(0.5), zero_mass(pi, -rate), count)
    }

    #[inline(always)]
    fn log_base<M: Mode>(x: Real<M>) -> Real<M> {
        -rest(x)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::counts()
    }

    fn draw([pi, rate]: [f64; 2], stream: &mut Stream) -> f64 {
        if stream.random::<f64>() < pi {
            0.0
        } else {
            poisson_draw(rate, stream)
        }
    }
}
