//! The log evidences of islands by control variates, beside those by their weights alone.

use super::estimate::Estimate;
use super::gains;
use super::islands::pooled;
use super::rhat::{mean, variance};
use crate::run::{Group, Run};

/// The two may differ by this many standard errors of their difference. Of runs whose control variates are right one in 400 has more, and
/// then does without them.
const MOST_ERRORS: f64 = 3.0;

/// The log evidence of an island by control variates, with its standard error; `None` if it has none.
pub(super) fn log_evidence(group: &Group) -> Option<Estimate> {
    let controlled = group.controlled.as_ref()?;
    Some(gains::estimate(controlled.log_evidence, &controlled.gains))
}

/// Whether all islands that have an evidence have one by control variates, and that agrees with the weights.
pub(super) fn holds(run: &Run) -> bool {
    // false also for an error that is NaN
    difference(run).is_some_and(|difference| difference.mean.abs() <= MOST_ERRORS * difference.se)
}

/// The log evidence by control variates less that by the weights, the mean over the islands, with its standard error; `None` if an
/// island has an evidence but no control variates.
///
/// The error of an island's difference comes from the differences of its gains, that of several islands from these and from the spread of
/// the differences, as that of the evidence does. The log of the noisier evidence is too small by half of the variance, and by what it is off by
/// because the states decided over the temperatures.
pub(super) fn difference(run: &Run) -> Option<Estimate> {
    let alive = |group: &&Group| {
        group
            .log_evidence
            .is_some_and(|log| log > f64::NEG_INFINITY)
    };
    let differences: Option<Vec<Estimate>> =
        run.groups.iter().filter(alive).map(of_island).collect();
    let differences = differences.filter(|differences| !differences.is_empty())?;
    let islands = differences.len() as f64;
    let means: Vec<f64> = differences
        .iter()
        .map(|difference| difference.mean)
        .collect();
    let variances = differences.iter().map(|difference| difference.se.powi(2));
    let within = variances.sum::<f64>() / islands;
    let degrees: f64 = differences
        .iter()
        .map(|difference| difference.degrees_of_freedom)
        .sum();
    let (variance, degrees_of_freedom) = match means.as_slice() {
        [_] => (within, degrees),
        means => {
            let between = (variance(means), islands - 1.0);
            pooled(between, (within, degrees)).unwrap_or(between)
        }
    };
    Some(Estimate {
        mean: mean(&means),
        se: (variance / islands).sqrt(),
        degrees_of_freedom,
    })
}

/// The difference of an island's log evidences with its standard error.
fn of_island(group: &Group) -> Option<Estimate> {
    let (controlled, plain) = (group.controlled.as_ref()?, group.log_evidence?);
    let pairs = controlled.gains.iter().zip(&group.gains);
    let gains: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
    let variance: f64 = gains.iter().map(|gain| gain * gain).sum();
    let difference = controlled.log_evidence + controlled.plain_bias - plain - 0.5 * variance;
    Some(Estimate {
        se: variance.sqrt(),
        ..gains::estimate(difference, &gains)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::run::Controlled;
    use crate::run::example::{islands, normals};

    /// Islands whose log evidences have a standard deviation of 0.1 by their weights, and one of 0.01 and an offset by control variates.
    fn controlled(seed: u64, offset: f64) -> Run {
        const FAMILIES: usize = 100;
        let noise = normals(seed, 8);
        let log_evidence: Vec<f64> = noise.iter().map(|z| -3.0 + 0.1 * z).collect();
        let mut run = islands(&log_evidence, FAMILIES);
        for (group, z) in run.groups.iter_mut().zip(&noise) {
            let gain = |family: usize| {
                if family.is_multiple_of(2) {
                    0.01
                } else {
                    -0.01
                }
            };
            group.gains = (0..FAMILIES).map(gain).collect();
            group.controlled = Some(Controlled {
                log_evidence: -3.0 + offset + 0.01 * z,
                gains: group.gains.iter().map(|gain| 0.1 * gain).collect(),
                ..Controlled::new(FAMILIES)
            });
        }
        run
    }

    #[test]
    fn control_variates_that_agree_give_the_evidence() {
        let run = controlled(3, 0.0);
        let found = run.log_evidence_estimate().expect("islands have evidence");
        assert!((found.mean + 3.0).abs() < 0.015, "{found}");
        // 0.01 / √8
        assert!((0.003..0.004).contains(&found.se), "{found}");
        let (low, high) = run.log_evidence_interval(0.95).expect("it has an error");
        assert!(low < found.mean && found.mean < high && high - low < 0.02);
        let plain = run.log_evidence_without_controls();
        let plain = plain.expect("there are both");
        assert!((0.03..0.04).contains(&plain.se), "{plain}");
        assert_eq!(run.warnings(), []);
        let mut single = run;
        single.groups.truncate(1);
        let found = single.log_evidence_estimate().expect("an evidence");
        assert!((found.se - 0.01).abs() < 1e-4, "{found}");
    }

    #[test]
    fn control_variates_that_disagree_do_not_count() {
        // the difference has an error of 0.09 / √8 = 0.032
        let run = controlled(3, 0.15);
        assert_eq!(run.log_evidence_without_controls(), None);
        let found = run.log_evidence_estimate().expect("islands have evidence");
        assert!((found.mean + 3.0).abs() < 0.1 && found.se > 0.03, "{found}");
        let [warning @ Warning::ControlsDisagree(_)] = &run.warnings()[..] else {
            panic!("{:?}", run.warnings());
        };
        let text = warning.to_string();
        assert!(
            text.contains("where their difference has a standard error of 0.02"),
            "{text}"
        );
    }

    // One expected, with a standard error of 1, and some of offsets of 3 errors.
    #[test]
    fn one_healthy_run_in_four_hundred_does_without_them() {
        let refused = |offset| {
            (0..400)
                .filter(|seed| !holds(&controlled(*seed, offset)))
                .count()
        };
        let (healthy, off) = (refused(0.0), refused(0.095));
        assert!(healthy <= 6, "{healthy} of 400");
        assert!((120..=280).contains(&off), "{off} of 400");
    }

    #[test]
    fn islands_without_control_variates_or_errors_are_told_of_by_others() {
        let mut run = controlled(3, 0.15);
        run.groups[5].controlled = None;
        assert_eq!(difference(&run), None);
        assert_eq!(run.log_evidence_without_controls(), None);
        let mut single = controlled(3, 0.15);
        single.groups.truncate(1);
        single.groups[0].gains.fill(f64::NAN);
        assert!(!holds(&single));
        let is_told = |warning: &Warning| matches!(warning, Warning::ControlsDisagree(_));
        assert!(!single.warnings().iter().any(is_told));
    }
}
