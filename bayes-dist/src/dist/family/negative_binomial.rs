//! The negative binomial distribution.

use super::elementary::{SMALL, known_logs, none_at_infinity, rest};
use super::sampler::poisson_draw;
use super::sampler::sample;
use super::{Constraint, Cumulative, Discrete, Family, ParameterInfo, Univariate};
use crate::rng::Stream;
use crate::transform::Support;
use bayes_autodiff::function::deviance_apart;
use bayes_autodiff::special::ln_factorial;
use bayes_autodiff::{Mode, Real};
use rand_distr::Gamma;

/// Negative binomial distribution: a Poisson count whose rate has a gamma distribution.
///
/// With mean `mu` and dispersion `phi` its variance is `mu + mu²/phi`; it tends to a Poisson as `phi` grows.
///
/// ```text
/// ln p(k) = ln C(k+φ-1, k) + k ln μ/(μ+φ) + φ ln φ/(μ+φ),    k = 0, 1, ...
/// ```
///
/// Computed as two deviances and Stirling remainders (Loader 2000), so it is accurate for large `phi` too.
#[derive(Clone, Copy, Debug)]
pub struct NegativeBinomial;

/// [`NegativeBinomial`], parametrised by the number of successes `r` and the success probability `p`.
///
/// ```text
/// ln p(k) = ln C(k+r-1, k) + r ln p + k ln(1-p),    k = 0, 1, ...
/// ```
#[derive(Clone, Copy, Debug)]
pub struct NegativeBinomialFailures;

impl NegativeBinomial {
    /// Failures before the `r`-th success. `r`: finite and above zero, not necessarily a whole number; `p`: the probability of
    /// success, above 0 and at most 1.
    pub fn successes_probability<A, B>(
        r: A,
        p: B,
    ) -> Univariate<NegativeBinomialFailures, (A, B), 2> {
        Univariate::from_parameters((r, p))
    }

    /// `mu`: the mean, finite, at least 0; `phi`: the dispersion, finite and above zero.
    pub fn mean_dispersion<A, B>(mu: A, phi: B) -> Univariate<Self, (A, B), 2> {
        Univariate::from_parameters((mu, phi))
    }
}

impl Family<2> for NegativeBinomial {
    const NAME: &'static str = "NegativeBinomial";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("mu", Constraint::NonNegative),
        ParameterInfo::new("phi", Constraint::Positive),
    ];
    const NORMALISED_BY: [bool; 2] = [false, true];
    type Domain = Discrete;

    #[inline(always)]
    fn log_normaliser<M: Mode>([_, phi]: [Real<M>; 2]) -> Real<M> {
        phi.ln() - rest(phi)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [mu, phi]: [Real<M>; 2]) -> Real<M> {
        let (total, sum) = (x + phi, mu + phi);
        let share = total / sum;
        // φ share - φ, a difference that a large φ would swallow
        let apart = (x - mu) * (phi / sum);
        let deviances = deviance_apart(phi, phi * share, apart) + x.deviance(mu * share);
        let log_density = rest(total) - total.ln() - deviances;
        none_at_infinity(mu, log_density)
    }

    #[inline(always)]
    fn log_base<M: Mode>(x: Real<M>) -> Real<M> {
        -rest(x)
    }

    /// Adds small counts with means `e^η`: `k η - (k+φ) ln(1 + μ/φ)`, and a term in the count and φ alone, which most rows
    /// share.
    #[inline(always)]
    fn add_data<M: Mode>(
        len: usize,
        datum: impl Fn(usize) -> f64,
        parameters: impl Fn(usize) -> [Real<M>; 2],
        total: &mut Real<M>,
    ) -> bool {
        if (0..len).any(|i| datum(i) > SMALL) {
            return false;
        }
        let Some(log_means) = known_logs(len, |i| parameters(i)[0]) else {
            return false;
        };
        for (i, log_mean) in log_means.into_iter().enumerate() {
            let [mu, phi] = parameters(i);
            let excess = (mu / phi).ln_1p();
            *total += (log_mean - excess) * datum(i) - phi * excess;
        }
        for i in 0..len {
            let (k, [_, phi]) = (datum(i), parameters(i));
            let sum = phi + k;
            *total += rest(sum) - sum.ln() + sum * (k / phi).ln_1p() - (ln_factorial(k) + k);
        }
        true
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::counts()
    }

    fn draw([mu, phi]: [f64; 2], stream: &mut Stream) -> f64 {
        poisson_draw(sample(Gamma::new(phi, 1.0), stream) * (mu / phi), stream)
    }
}

impl Cumulative<2> for NegativeBinomial {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [mu, phi]: [Real<M>; 2]) -> Real<M> {
        (phi.ln() - mu.ln()).ln_beta_cdf(phi, x + 1.0)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [mu, phi]: [Real<M>; 2]) -> Real<M> {
        (mu.ln() - phi.ln()).ln_beta_cdf(x + 1.0, phi)
    }
}

impl Family<2> for NegativeBinomialFailures {
    const NAME: &'static str = "NegativeBinomial";
    const PARAMETERS: [ParameterInfo; 2] = [
        ParameterInfo::new("r", Constraint::Positive),
        ParameterInfo::new("p", Constraint::Probability),
    ];
    const NORMALISED_BY: [bool; 2] = [true, false];
    type Domain = Discrete;

    fn check([_, p]: [f64; 2]) -> Result<(), (usize, &'static str)> {
        if p > 0.0 { Ok(()) } else { Err((1, "above 0")) }
    }

    #[inline(always)]
    fn log_normaliser<M: Mode>([r, _]: [Real<M>; 2]) -> Real<M> {
        r.ln() - rest(r)
    }

    #[inline(always)]
    fn log_kernel<M: Mode>(x: Real<M>, [r, p]: [Real<M>; 2]) -> Real<M> {
        let total = x + r;
        rest(total) - total.ln() - r.deviance(total * p) - x.deviance(total * (1.0 - p))
    }

    #[inline(always)]
    fn log_base<M: Mode>(x: Real<M>) -> Real<M> {
        -rest(x)
    }

    #[inline(always)]
    fn support<M: Mode>(_: [Real<M>; 2]) -> Support<M> {
        Support::counts()
    }

    fn draw([r, p]: [f64; 2], stream: &mut Stream) -> f64 {
        poisson_draw(sample(Gamma::new(r, 1.0), stream) * ((1.0 - p) / p), stream)
    }
}

impl Cumulative<2> for NegativeBinomialFailures {
    #[inline(always)]
    fn log_cdf<M: Mode>(x: Real<M>, [r, p]: [Real<M>; 2]) -> Real<M> {
        p.logit().ln_beta_cdf(r, x + 1.0)
    }

    #[inline(always)]
    fn log_sf<M: Mode>(x: Real<M>, [r, p]: [Real<M>; 2]) -> Real<M> {
        (-p.logit()).ln_beta_cdf(x + 1.0, r)
    }
}
