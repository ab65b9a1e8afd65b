//! The beta distribution by its mean.

use super::gamma_kernel_apart::gamma_kernel_apart;
use super::{Beta, Constraint, Continuous, Cumulative, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::{Mode, Real};

/// Beta distribution given its mean `mu` and its precision `kappa`: [`Beta`] at `(mu kappa, (1-mu) kappa)`.
///
/// ```text
/// ln p(x) = (μκ - 1) ln x + ((1-μ)κ - 1) ln(1-x) - ln B(μκ, (1-μ)κ),    0 ≤ x ≤ 1
/// ```
///
/// The variance is `μ(1-μ)/(κ+1)`. Elsewhere: `beta_proportion` in Stan, `Beta(mu=, nu=)` in PyMC, `BetaProportion` in
/// NumPyro.
#[derive(Clone, Copy, Debug)]
pub struct BetaProportion;

impl BetaProportion {
    /// `mu`: above 0 and below 1; `kappa`: finite and above zero.
    pub fn new<A, B>(mu: A, kappa: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((mu, kappa))
    }
}

/// The parameters of the beta distribution.
#[inline(always)]
fn shapes<M: Mode>([mu, kappa]: [Real<M>; 2]) -> [Real<M>; 2] {
    [mu * kappa, (1.0 - mu) * kappa]
}

impl Family<2> for BetaProportion {
    const NAME: &'static str = "BetaProportion";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("mu", Constraint::Probability),
        ParameterInfo::new("kappa", Constraint::Positive),
    ];
    type Domain = Continuous;

    fn check([mu, _]: [f64; 2]) -> Result<(), (usize, &'static str)> {
        if mu > 0.0 && mu < 1.0 {
            Ok(())
        } else {
            Err((0, "above 0 and below 1"))
        }
    }

    #[inline(always)]
    fn log_normaliser<M: Mode>(parameters: [Real<M>; 2]) -> Real<M> {
        Beta::log_normaliser(shapes(parameters))
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        let ([mu, kappa], [a, b]) = (parameters, shapes(parameters));
        // κx - μκ, a difference that a large κ would swallow
        let apart = kappa * (x - mu);
        gamma_kernel_apart(a, kappa * x, apart) + gamma_kernel_apart(b, kappa * (1.0 - x), -apart)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::unit()
    }

    fn draw([mu, kappa]: [f64; 2], stream: &mut Stream) -> f64 {
        Beta::draw([mu * kappa, (1.0 - mu) * kappa], stream)
    }

    fn draw_coordinate([mu, kappa]: [f64; 2], stream: &mut Stream) -> Option<f64> {
        Beta::draw_coordinate([mu * kappa, (1.0 - mu) * kappa], stream)
    }
}

impl Cumulative<2> for BetaProportion {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        Beta::log_cdf(x, shapes(parameters))
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, parameters: [Real<M>; 2]) -> Real<M> {
        Beta::log_sf(x, shapes(parameters))
    }
}
