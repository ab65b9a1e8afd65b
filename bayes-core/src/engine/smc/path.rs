//! The path of targets of SMC, from the first to the last.

use crate::density::{Particles, weighted};
use crate::error::Error;

/// A geometric path of targets: the powers of prior and likelihood are linear in λ, from 0 to 1.
///
/// ```text
/// log π_λ = w₀(λ) log prior + w₁(λ) log likelihood,    w(λ) = (1 − λ) from + λ to
/// ```
///
/// The log weight of a step from λ to λ + h is h times the [potential](Path::potential), which does not depend on λ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Path {
    /// Weights `[prior, likelihood]` at λ = 0.
    pub from: [f64; 2],
    /// Weights `[prior, likelihood]` at λ = 1.
    pub to: [f64; 2],
}

impl Path {
    /// From the prior to the posterior by powers of the likelihood.
    #[must_use]
    pub fn tempering() -> Self {
        Self {
            from: [1.0, 0.0],
            to: [1.0, 1.0],
        }
    }

    /// From the prior to `prior^power * likelihood`: a subposterior of K parts of the data has power 1/K (Scott et al.
    /// 2016).
    #[must_use]
    pub fn to_prior_power(power: f64) -> Self {
        Self {
            from: [1.0, 0.0],
            to: [power, 1.0],
        }
    }

    /// Weights `[prior, likelihood]` at λ.
    #[must_use]
    pub fn weights(&self, lambda: f64) -> [f64; 2] {
        if lambda >= 1.0 {
            return self.to;
        }
        let at = |k: usize| self.from[k] + lambda * (self.to[k] - self.from[k]);
        [at(0), at(1)]
    }

    /// The derivative of each particle's log target along the path, `[particles]`; minus infinity if the prior or the
    /// likelihood is zero.
    #[must_use]
    pub fn potential(&self, particles: &Particles) -> Vec<f64> {
        let slopes = [self.to[0] - self.from[0], self.to[1] - self.from[1]];
        let densities = particles.log_prior.iter().zip(&particles.log_likelihood);
        let potential = |(log_prior, log_likelihood): (&f64, &f64)| {
            // a particle outside the support of the prior has density zero on the whole path
            if *log_prior == f64::NEG_INFINITY {
                f64::NEG_INFINITY
            } else {
                weighted(*log_prior, *log_likelihood, slopes)
            }
        };
        densities.map(potential).collect()
    }

    pub(in crate::engine) fn validate(&self) -> Result<(), Error> {
        let weights = [self.from, self.to].concat();
        let finite = weights.iter().all(|w| *w >= 0.0 && w.is_finite());
        let given = format!("{weights:?}");
        // without the prior at the end, the support would change in the last step
        let holds = finite && self.to[0] > 0.0;
        let allowed = "of finite weights, at least 0, with a last weight of the prior above 0";
        Error::setting("path", given, holds, allowed)?;
        let starts = self.from == [1.0, 0.0];
        let given = format!("from {:?}", self.from);
        Error::setting(
            "path",
            given,
            starts,
            "from [1, 0], the prior, because particles are drawn from it",
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tempering_raises_the_power_of_the_likelihood_alone() {
        let path = Path::tempering();
        assert_eq!(path.weights(0.3), [1.0, 0.3]);
        let mut particles = Particles::new(3, 1);
        particles.log_prior = vec![-1.0, f64::NEG_INFINITY, -2.0];
        particles.log_likelihood = vec![-3.0, -4.0, f64::NEG_INFINITY];
        let minus = f64::NEG_INFINITY;
        assert_eq!(path.potential(&particles), [-3.0, minus, minus]);
    }

    #[test]
    fn a_subposterior_lowers_the_power_of_the_prior() {
        let path = Path::to_prior_power(0.25);
        assert_eq!(path.weights(0.0), [1.0, 0.0]);
        assert_eq!(path.weights(1.0), [0.25, 1.0]);
        let mut particles = Particles::new(1, 1);
        (particles.log_prior, particles.log_likelihood) = (vec![-2.0], vec![-3.0]);
        assert_eq!(path.potential(&particles), [0.75 * 2.0 - 3.0]);
    }
}
