//! The Poisson distribution on the log scale.

use super::elementary::{LogDeviance, RateLessLog, Rest, SMALL, log_deviance, rest};
use super::sampler::poisson_draw;
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::function::Function;
use bayes_autodiff::special::ln_factorial;
use bayes_autodiff::{Mode, Real};

/// Poisson distribution with mean rate `e^log_rate`.
///
/// ```text
/// ln p(k) = k log_rate - e^log_rate - ln k!,    k = 0, 1, ...
/// ```
///
/// The density is minus infinity if the rate overflows, above a `log_rate` of 709, and NaN if `log_rate` itself is infinite. Both
/// count as zero in a run, which reports how often (`Run::failures`).
#[derive(Clone, Copy, Debug)]
pub struct PoissonLog;

impl PoissonLog {
    /// `log_rate`: finite; a scalar, or a vector with one for each observation.
    pub fn new<A>(log_rate: A) -> Univariate<Self, (A,), 1> {
        Univariate::from_parameters((log_rate,))
    }
}

impl Family<1> for PoissonLog {
    const NAME: &'static str = "PoissonLog";
    const PARAMETERS: [ParameterInfo; 1] = [ParameterInfo::new("log_rate", Constraint::Finite)];
    const NORMALISED_BY: [bool; 1] = [false];
    type Domain = Discrete;

    #[inline(always)]
    fn log_normaliser<M: Mode>(_: [Real<M>; 1]) -> Real<M> {
        Real::constant(0.0)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [log_rate]: [Real<M>; 1]) -> Real<M> {
        -log_deviance(x, log_rate)
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
        let log_rate = |i| parameters(i)[0];
        if (0..len).all(|i| datum(i) <= SMALL) {
            let base = |i| -ln_factorial(datum(i));
            M::add_function_terms::<RateLessLog>(total, len, -1.0, &datum, log_rate, base);
        } else {
            let base = |i| -Rest::value(datum(i));
            M::add_function_terms::<LogDeviance>(total, len, -1.0, &datum, log_rate, base);
        }
        true
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 1]) -> Support<M> {
        Support::counts()
    }

    fn draw([log_rate]: [f64; 1], stream: &mut Stream) -> f64 {
        poisson_draw(log_rate.exp(), stream)
    }
}

impl Cumulative<1> for PoissonLog {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [log_rate]: [Real<M>; 1]) -> Real<M> {
        (x + 1.0).ln_gamma_sf(log_rate.exp())
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [log_rate]: [Real<M>; 1]) -> Real<M> {
        (x + 1.0).ln_gamma_cdf(log_rate.exp())
    }
}
