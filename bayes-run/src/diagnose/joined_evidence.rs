//! One log evidence from the path from the prior and from integration around the mode.
//!
//! Warnings that doubt the log evidence read one of two values. About the path alone, whatever is printed: `LadderStalled`, `HeavyWeights`,
//! `DependentLevels`, and `MissedMass`, which compares it with the integral. About the value that is printed: `EvidenceImprecise`,
//! `EvidenceScattered`, to which the path's part in it counts, and `ControlsDisagree`, unless integration replaces the path. The others are about
//! the draws, on which both rest.

use super::Estimate;
use super::local_evidence::{LEAST_RISE, estimate};
use crate::run::Run;

/// The probability of the interval of the difference that must contain 0 if both agree.
const AGREEMENT: f64 = 0.997;
/// A path that is lower by this many standard errors does not agree, though its interval is wide because few degrees of freedom are known, but
/// at least [`LEAST_DEGREES`].
const ERRORS: f64 = 5.0;
const LEAST_DEGREES: f64 = 3.0;

/// How integration changes the log evidence of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct JoinedEvidence {
    /// By the path from the prior.
    pub path: Estimate,
    /// By integration around the mode.
    pub mode: Estimate,
    /// The log evidence of the run.
    pub together: Estimate,
    /// The weight of the path in it, 0 to 1; 0 if integration counts alone.
    pub weight_of_path: f64,
}

/// The joint log evidence of the path and of integration; `None` if the path counts alone.
///
/// A path that is more precise than the integral counts alone. Otherwise their mean counts. If the path is significantly too low, or if its error
/// is unknown, it does not count: the mass of a part of the posterior is below the evidence. If it is significantly higher, it counts alone: the
/// draws may lack a part that the path has seen. An evidence without bias stays as it is.
pub(super) fn joined(run: &Run, path: &Estimate) -> Option<JoinedEvidence> {
    if run.is_evidence_unbiased() {
        return None;
    }
    let mode = estimate(run)?;
    let off = mode.minus(path);
    let (low, high) = off.interval(AGREEMENT);
    let is_many_errors = off.mean > ERRORS * off.se && off.degrees_of_freedom >= LEAST_DEGREES;
    let is_too_low = (low > 0.0 || is_many_errors) && off.mean > LEAST_RISE;
    let is_replaced = is_too_low || path.se.is_nan();
    // false for an interval that is unknown
    let is_sharper = high >= 0.0 && mode.se < path.se;
    if !(is_replaced || is_sharper) {
        return None;
    }
    let (together, weight_of_path) = match is_replaced {
        true => (mode, 0.0),
        false => joint_mean(path, &mode),
    };
    Some(JoinedEvidence {
        path: *path,
        mode,
        together,
        weight_of_path,
    })
}

/// The mean of a path and of an integral with a smaller error, `m < p`, and the weight of the path:
///
/// ```text
/// weight of the path: w = m² / p²,    variance: w² p² + (1 − w)² m² + w (1 − w) max(0, d² − p² − m²)
/// ```
///
/// At m = p this is the path, and at m ≪ p it is the mean by inverse variances. So nothing jumps where the integral begins to count, and the
/// error is at most m if the difference d is as small as errors explain. The last term is the variance of a mixture of the two.
fn joint_mean(path: &Estimate, mode: &Estimate) -> (Estimate, f64) {
    let (of_path, of_mode) = (path.se.powi(2), mode.se.powi(2));
    let weight = of_mode / of_path;
    let parts = [
        weight * weight * of_path,
        (1.0 - weight) * (1.0 - weight) * of_mode,
    ];
    let off = mode.mean - path.mean;
    let excess = (off * off - of_path - of_mode).max(0.0);
    let total = parts[0] + parts[1];
    // Satterthwaite (1946)
    let spread =
        parts[0].powi(2) / path.degrees_of_freedom + parts[1].powi(2) / mode.degrees_of_freedom;
    let mean = Estimate {
        mean: weight * path.mean + (1.0 - weight) * mode.mean,
        se: (total + weight * (1.0 - weight) * excess).sqrt(),
        degrees_of_freedom: match spread > 0.0 {
            true => total * total / spread,
            false => f64::INFINITY,
        },
    };
    (mean, weight)
}

impl JoinedEvidence {
    /// Whether integration counts alone.
    pub(crate) fn is_replaced(&self) -> bool {
        self.weight_of_path == 0.0
    }

    /// Which of the path and of integration counts, and what they say.
    pub(crate) fn in_words(&self, with_error: &dyn Fn(&Estimate) -> String) -> String {
        let Self { path, mode, .. } = self;
        if !self.is_replaced() {
            let [mode, path] = [mode, path].map(with_error);
            return format!(
                "the mean of {mode} by integration around the mode and {path} by the path from the prior"
            );
        }
        if path.se.is_nan() {
            return "by integration around the mode; the error by the path from the prior is unknown"
                .to_owned();
        }
        let off = mode.minus(path);
        format!(
            "by integration around the mode; the path from the prior gives {}, too low by {:.1} errors of the difference",
            with_error(path),
            off.mean / off.se
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mutations meant to be detected: a threshold of the path's error, and the mean by inverse variances, which jumps.
    #[test]
    fn the_mean_begins_at_the_path_and_ends_at_the_mode() {
        let path = Estimate {
            mean: -3.1,
            se: 0.05,
            degrees_of_freedom: 7.0,
        };
        let with = |se: f64| {
            let mode = Estimate {
                mean: -3.0,
                se,
                degrees_of_freedom: 20.0,
            };
            joint_mean(&path, &mode).0
        };
        let near = with(0.049_999);
        assert!((near.mean - path.mean).abs() < 1e-4 && (near.se - path.se).abs() < 1e-4);
        assert!((near.degrees_of_freedom - 7.0).abs() < 0.01);
        let sharp = with(1e-4);
        assert!(
            (sharp.mean + 3.0).abs() < 1e-6 && sharp.se < 3e-4,
            "{sharp}"
        );
        assert!((sharp.degrees_of_freedom - 20.0).abs() < 0.01);
        // a path just below an error of 0.05 that is too low by 2.6 errors
        let (found, _) = joint_mean(
            &Estimate {
                mean: -0.159,
                se: 0.0496,
                degrees_of_freedom: 7.0,
            },
            &Estimate {
                mean: -0.019,
                se: 0.02,
                degrees_of_freedom: 20.0,
            },
        );
        assert!(found.mean.abs() < found.se, "{found}");
    }
}
