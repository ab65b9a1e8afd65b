//! The Gompertz distribution.

use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};
use rand_distr::{Distribution as _, Exp1};

/// Gompertz distribution: lifetimes whose hazard grows exponentially.
///
/// ```text
/// ln p(x) = ln concentration + ln rate + rate x - concentration (e^(rate x) - 1),    x ≥ 0
/// ```
///
/// Elsewhere: `Gompertz` in NumPyro; Stan and PyMC have none.
#[derive(Clone, Copy, Debug)]
pub struct Gompertz;

impl Gompertz {
    /// `concentration` and `rate`: finite and above zero.
    pub fn new<A, B>(concentration: A, rate: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((concentration, rate))
    }
}

impl Family<2> for Gompertz {
    const NAME: &'static str = "Gompertz";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("concentration", Constraint::Positive),
        ParameterInfo::new("rate", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([concentration, rate]: [Real<M>; 2]) -> Real<M> {
        concentration.ln() + rate.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [concentration, rate]: [Real<M>; 2]) -> Real<M> {
        let time = rate * x;
        let log_density = time - concentration * time.exp_m1();
        // at infinity the two infinite terms would cancel to NaN; the limit is minus infinity
        Real::select(time.le(f64::MAX), log_density, f64::NEG_INFINITY)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::positive()
    }

    fn draw([concentration, rate]: [f64; 2], stream: &mut Stream) -> f64 {
        let exponential: f64 = Exp1.sample(stream);
        (exponential / concentration).ln_1p() / rate
    }
}

impl Cumulative<2> for Gompertz {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        Self::log_sf(x, parameters).log1m_exp()
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [concentration, rate]: [Real<M>; 2]) -> Real<M> {
        -concentration * (rate * x).exp_m1()
    }

    fn quantile(tail: Tail, [concentration, rate]: [f64; 2]) -> f64 {
        (-tail.log_upper() / concentration).ln_1p() / rate
    }
}
