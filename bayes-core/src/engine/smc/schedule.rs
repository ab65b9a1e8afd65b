//! The temperature ladder: the next power of the likelihood.

use crate::error::Error;
use crate::numeric::log_sum_exp;

/// The powers of the likelihood, `0 = λ_0 < ... < λ_J = 1`.
#[derive(Clone, Debug, PartialEq)]
pub enum Schedule {
    /// Each increment is the root of `ESS(h) = fraction * states`.
    Adaptive {
        /// The effective sample size to keep, as a fraction of the states of an island, in (0, 1].
        ess_target: f64,
    },
    /// Fixed increasing powers, the last one 1; with fixed kernel settings the evidence is then unbiased.
    Fixed(Vec<f64>),
}

impl Schedule {
    /// Adaptive tempering ("SMC Is All You Need", Example 2.1); the papers take one half.
    #[must_use]
    pub fn adaptive(ess_target: f64) -> Self {
        Self::Adaptive { ess_target }
    }

    /// A fixed ladder; the initial 0 may be left out.
    #[must_use]
    pub fn fixed(lambdas: impl IntoIterator<Item = f64>) -> Self {
        let mut lambdas: Vec<f64> = lambdas.into_iter().collect();
        if lambdas.first() == Some(&0.0) {
            lambdas.remove(0);
        }
        Self::Fixed(lambdas)
    }

    pub(in crate::engine) fn validate(&self) -> Result<(), Error> {
        match self {
            Self::Adaptive { ess_target } => {
                let holds = *ess_target > 0.0 && *ess_target <= 1.0;
                Error::setting("ess_target", ess_target, holds, "above 0 and at most 1")
            }
            Self::Fixed(lambdas) => {
                let increasing = lambdas.first().is_some_and(|l| *l > 0.0)
                    && lambdas.windows(2).all(|w| w[0] < w[1])
                    && lambdas.last() == Some(&1.0);
                let given = format!("{lambdas:?}");
                Error::setting(
                    "schedule",
                    given,
                    increasing,
                    "strictly increasing powers that end at 1, the first 0 or above",
                )
            }
        }
    }

    /// The power after `lambda` at stage `stage` (from 0); 1 exactly at the end.
    pub(in crate::engine) fn next(&self, stage: usize, lambda: f64, log_likelihood: &[f64]) -> f64 {
        match self {
            Self::Adaptive { .. } if stage + 1 >= MAX_STAGES => 1.0,
            Self::Adaptive { ess_target } => next_lambda(lambda, log_likelihood, *ess_target),
            // the same ladder on every leg of the path
            Self::Fixed(lambdas) => lambdas[stage % lambdas.len()],
        }
    }
}

/// Maximum number of stages of an adaptive ladder; the last one jumps to 1, visible in its effective sample size.
const MAX_STAGES: usize = 10_000;

/// Halvings of the remaining ladder: down to the smallest double, because the log likelihood of the prior's draws may be of any size.
const HALVINGS: usize = 1074;
/// After `FINE` halvings a coarser increment is enough; `COARSENESS` is the relative accuracy before and afterwards.
const FINE: usize = 60;
const COARSENESS: [f64; 2] = [1e-10, 1e-6];

/// `λ + h` with `ESS(h) = fraction * N`, by bisection; ESS never increases in h.
///
/// With `fraction = 1` only ties keep the ESS at N, so the target is set just below N.
fn next_lambda(lambda: f64, log_likelihood: &[f64], fraction: f64) -> f64 {
    let remaining = 1.0 - lambda;
    // A particle with weight zero has weight zero for every h, so the target refers to the other particles.
    let alive = log_likelihood
        .iter()
        .filter(|l| **l > f64::NEG_INFINITY)
        .count() as f64;
    let target = (fraction.min(1.0 - 1e-6) * alive).ln();
    if log_ess(log_likelihood, remaining) >= target {
        return 1.0;
    }
    let (mut low, mut high) = (0.0, remaining);
    for halving in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if log_ess(log_likelihood, middle) >= target {
            low = middle
        } else {
            high = middle
        }
        if high - low <= COARSENESS[usize::from(halving + 1 >= FINE)] * high {
            break;
        }
    }
    // at least to the next double, so that the ladder ends
    (lambda + low).max(lambda.next_up()).min(1.0)
}

/// `log ESS(h) = 2 LSE(h ℓ) - LSE(2 h ℓ)` for weights proportional to `exp(h ℓ)`.
/// The largest ℓ cancels, and is subtracted first. Otherwise the two terms would differ by the rounding of h ℓ, which exceeds the
/// logarithm of any number of particles where ℓ is near 10¹⁶.
/// the logarithm of any number of particles where ℓ is near 10¹⁶.
pub(in crate::engine) fn log_ess(log_likelihood: &[f64], h: f64) -> f64 {
    let largest = log_likelihood
        .iter()
        .copied()
        .fold(f64::NEG_INFINITY, f64::max);
    let scaled = |factor: f64| -> Vec<f64> {
        let below = |l: &f64| {
            if *l == largest {
                0.0
            } else {
                factor * (l - largest)
            }
        };
        log_likelihood.iter().map(below).collect()
    };
    2.0 * log_sum_exp(&scaled(h)) - log_sum_exp(&scaled(2.0 * h))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(n: usize, scale: f64) -> Vec<f64> {
        (0..n)
            .map(|i| -scale * (i as f64 / n as f64).powi(2))
            .collect()
    }

    #[test]
    fn the_increment_meets_the_target() {
        let log_likelihood = spread(500, 1e4);
        for fraction in [0.1, 0.5, 0.9] {
            let lambda = next_lambda(0.0, &log_likelihood, fraction);
            let ess = log_ess(&log_likelihood, lambda).exp();
            assert!(
                (ess / 500.0 - fraction).abs() < 1e-6,
                "ESS {ess} for {fraction}"
            );
        }
    }

    #[test]
    fn the_increment_is_as_small_as_the_likelihood_asks() {
        for scale in [1e15, 1e40, 1e200] {
            let log_likelihood = spread(500, scale);
            let lambda = next_lambda(0.0, &log_likelihood, 0.9);
            let ess = log_ess(&log_likelihood, lambda).exp();
            assert!((ess / 500.0 - 0.9).abs() < 1e-5, "ESS {ess} for {scale}");
        }
    }

    #[test]
    fn a_ladder_moves_by_a_double_at_least() {
        let lambda = next_lambda(0.25, &spread(500, 1e200), 0.9);
        assert_eq!(lambda, 0.25f64.next_up());
    }

    #[test]
    fn equal_likelihoods_jump_to_one() {
        assert_eq!(next_lambda(0.25, &[-1e5; 20], 0.5), 1.0);
    }

    #[test]
    fn the_ladder_ends_at_exactly_one() {
        let log_likelihood = spread(100, 50.0);
        let mut lambda = 0.0;
        for _ in 0..1000 {
            lambda = next_lambda(lambda, &log_likelihood, 0.5);
            assert!(lambda <= 1.0);
        }
        assert_eq!(lambda, 1.0);
    }

    #[test]
    fn impossible_particles_do_not_stop_the_ladder() {
        let mut log_likelihood = vec![f64::NEG_INFINITY; 90];
        log_likelihood.extend(spread(10, 100.0));
        let lambda = next_lambda(0.0, &log_likelihood, 0.5);
        assert!((log_ess(&log_likelihood, lambda).exp() - 5.0).abs() < 1e-6);
    }

    #[test]
    fn extreme_log_likelihoods_stay_finite() {
        let log_likelihood = [-1e300, -1e299, -1e250];
        let lambda = next_lambda(0.0, &log_likelihood, 0.5);
        assert!(lambda > 0.0 && lambda <= 1.0);
    }

    #[test]
    fn settings_are_checked() {
        for ess_target in [0.0, 1.5, f64::NAN] {
            let text = Schedule::adaptive(ess_target)
                .validate()
                .unwrap_err()
                .to_string();
            assert!(
                text.contains("`ess_target`") && text.contains("above 0 and at most 1"),
                "{text}"
            );
        }
        for ladder in [vec![], vec![0.5], vec![0.5, 0.5, 1.0], vec![-0.1, 1.0]] {
            assert!(
                Schedule::fixed(ladder)
                    .validate()
                    .unwrap_err()
                    .to_string()
                    .contains("end at 1")
            );
        }
        assert!(Schedule::fixed([0.0, 0.1, 1.0]).validate().is_ok());
    }
}
