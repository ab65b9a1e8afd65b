//! The Kumaraswamy distribution.

use super::cloglog::{cloglog_exp, ln_inv_cloglog};
use super::sampler::FLAT_SHAPE;
use super::{Constraint, Continuous, Cumulative, Family, ParameterInfo, Tail, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real, Value};
use rand_distr::{Distribution as _, Exp1};

/// Kumaraswamy distribution on the unit interval: like the beta distribution, with a closed distribution function.
///
/// ```text
/// ln p(x) = ln a + ln b + (a-1) ln x + (b-1) ln(1 - x^a),    P(X ≤ x) = 1 - (1 - x^a)^b,    0 ≤ x ≤ 1
/// ```
///
/// Kumaraswamy (1980). Elsewhere: `Kumaraswamy` in PyMC and NumPyro; Stan has none.
#[derive(Clone, Copy, Debug)]
pub struct Kumaraswamy;

impl Kumaraswamy {
    /// `a` and `b`: finite and above zero.
    pub fn new<A, B>(a: A, b: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((a, b))
    }
}

impl Family<2> for Kumaraswamy {
    const NAME: &'static str = "Kumaraswamy";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("a", Constraint::Positive),
        ParameterInfo::new("b", Constraint::Positive),
    ];
    type Domain = Continuous;

    #[inline(always)]
    fn log_normaliser<M: Mode>([a, b]: [Real<M>; 2]) -> Real<M> {
        a.ln() + b.ln()
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [a, b]: [Real<M>; 2]) -> Real<M> {
        let power = a * x.ln();
        // ln(1 - x^a): far from 1 by its own function, near 1 so that `b = 1` gives 0 there
        let (far, near) = (power.log1m_exp(), -power.exp_m1());
        let other = Real::select(power.lt(-1.0), (b - 1.0) * far, (b - 1.0).x_ln_y(near));
        (a - 1.0).x_ln_y(x) + other
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::unit()
    }

    fn draw([a, b]: [f64; 2], stream: &mut Stream) -> f64 {
        let exponential: f64 = Exp1.sample(stream);
        Self::quantile(Tail::Upper(-exponential), [a, b])
    }

    fn draw_coordinate([a, b]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        (a < FLAT_SHAPE || b < 1.0).then(|| {
            let exponential: f64 = Exp1.sample(stream);
            // ln(1 - x^a); where it is far below 0, 1 - x is (x^-a - 1)/a
            let log_rest = -exponential / b;
            if log_rest < -30.0 {
                return a.ln() - log_rest;
            }
            let log_x = Real::<Value>::constant(log_rest).log1m_exp() / a;
            (log_x - log_x.log1m_exp()).primal()
        })
    }
}

impl Cumulative<2> for Kumaraswamy {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [a, b]: [Real<M>; 2]) -> Real<M> {
        // the cumulative hazard is -b ln(1 - x^a)
        ln_inv_cloglog(b.ln() + cloglog_exp(a * x.ln()))
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [a, b]: [Real<M>; 2]) -> Real<M> {
        b * (a * x.ln()).log1m_exp()
    }

    fn quantile(tail: Tail, [a, b]: [f64; 2]) -> f64 {
        let rest = Real::<Value>::constant(tail.log_upper() / b).log1m_exp();
        (rest.primal() / a).exp()
    }
}
