//! The Poisson distribution.

use super::elementary::{known_logs, none_at_infinity, rest};
use super::sampler::poisson_draw;
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, PoissonLog, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};

/// Poisson distribution with a mean rate; at rate 0 it is a point mass at 0.
///
/// ```text
/// ln p(k) = k ln rate - rate - ln k!,    k = 0, 1, ...
/// ```
///
/// Computed as a deviance and a Stirling remainder (Loader 2000).
#[derive(Clone, Copy, Debug)]
pub struct Poisson;

impl Poisson {
    /// `rate`: finite, at least 0.
    pub fn new<A>(rate: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((rate,))
    }
}

impl Family<1> for Poisson {
    const NAME: &'static str = "Poisson";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("rate", Constraint::NonNegative)];
    const NORMALISED_BY: [bool; 1] = [false];
    type Domain = Discrete;

    #[inline(always)]
    fn log_normaliser<M: Mode>(_: [Real<M>; 1]) -> Real<M> {
        Real::constant(0.0)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [rate]: [Real<M>; 1]) -> Real<M> {
        none_at_infinity(rate, -x.deviance(rate))
    }

    #[inline(always)]
    fn log_base<M: Mode>(x: Real<M>) -> Real<M> {
        -rest(x)
    }

    #[inline(always)]
    fn add_data<M: Mode>(
        len: usize,
        datum: impl Fn(usize) -> f64,
        parameters: impl Fn(usize) -> [Real<M>; 1],
        total: &mut Real<M>,
    ) -> bool {
        let Some(log_rates) = known_logs(len, |i| parameters(i)[0]) else {
            return false;
        };
        PoissonLog::add_data(len, datum, |i| [log_rates[i]], total)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::counts()
    }

    fn draw([rate]: [f64; 1], stream: &mut Stream) -> f64 {
        poisson_draw(rate, stream)
    }
}

impl Cumulative<1> for Poisson {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [rate]: [Real<M>; 1]) -> Real<M> {
        (x + 1.0).ln_gamma_sf(rate)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [rate]: [Real<M>; 1]) -> Real<M> {
        (x + 1.0).ln_gamma_cdf(rate)
    }
}
