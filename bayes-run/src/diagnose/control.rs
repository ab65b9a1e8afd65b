//! The log evidences of islands by control variates, compared with the log evidences by weights alone.

use super::estimate::Estimate;
use super::gains;
use super::islands::pooled;
use super::rhat::{mean, variance};
use super::student;
use crate::run::{Group, Run};

/// The prior probability that control variates are wrong: the density jumps, or an island has too few particles for them.
const WRONG: f64 = 0.01;
/// The scale of the difference from the weights if control variates are wrong, in standard errors, with Cauchy's tails.
const FAR: f64 = 10.0;
/// From this probability on, one of the two estimates is used alone.
const SURE: f64 = 0.95;

/// Which of the two log evidences of a run counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Choice {
    /// The log evidence by control variates.
    Controlled,
    /// The log evidence by the weights alone, because control variates are wrong.
    Plain,
    /// The log evidence by the weights alone, because control variates have no smaller error.
    Imprecise,
    /// Both: control variates with this probability.
    Both(f64),
}

/// The log evidence of an island by control variates, with its standard error; `None` if it has none.
pub(super) fn log_evidence(group: &Group) -> Option<Estimate> {
    let controlled = group.island()?.controlled.as_ref()?;
    Some(gains::estimate(controlled.log_evidence, &controlled.gains))
}

/// Which log evidence counts, by the distance between the two.
///
/// A test that rejects control variates at some distance would choose the worse estimate where it rejects by chance: there the weights are
/// far off. So the choice uses the probability that control variates are right, given the difference d with its standard error, `z = d /
/// se`:
///
/// ```text
/// P(right | z) = 1 / (1 + w c(z) / ((1 − w) t(z))),    t Student's density, c Cauchy's of scale 10, w = 0.01
/// ```
///
/// With many degrees of freedom the probability is 0.94 at z = 3, 0.57 at 3.7 and 0.06 at 4.5. With few degrees, because few islands show
/// the scatter, the weights say little against control variates. With 7 (8 islands) the probability is 0.86 at 4.5 and 0.5 at 6; with 1 (2
/// islands) it is always above 0.9.
pub(super) fn choice(run: &Run) -> Choice {
    let Some(difference) = difference(run).filter(|difference| difference.se.is_finite()) else {
        return Choice::Plain;
    };
    if difference.mean == 0.0 {
        return Choice::Controlled;
    }
    if !is_more_precise(run) {
        return Choice::Imprecise;
    }
    let z = difference.mean / difference.se;
    let wrong = WRONG / (std::f64::consts::PI * FAR * (1.0 + (z / FAR).powi(2)));
    let right = (1.0 - WRONG) * student::density(z, difference.degrees_of_freedom);
    match right / (right + wrong) {
        // also for an infinite z
        p if p.is_nan() || p <= 1.0 - SURE => Choice::Plain,
        p if p >= SURE => Choice::Controlled,
        p => Choice::Both(p),
    }
}

/// Whether the estimate by control variates has the smaller error. The functions of a funnel have heavy tails: in a few states they add more
/// variance than they take from the others.
fn is_more_precise(run: &Run) -> bool {
    let [controlled, plain] = [true, false].map(|is_controlled| run.evidence(is_controlled));
    match (controlled, plain) {
        (Some(controlled), Some(plain)) => {
            let errors_are_known = !controlled.se.is_nan() && !plain.se.is_nan();
            !errors_are_known || controlled.se < plain.se
        }
        _ => true,
    }
}

/// The log evidence by control variates minus the log evidence by the weights, the mean over the islands, with its standard error. `None`
/// if an island has an evidence but no control variates.
///
/// The error of one island's difference comes from the differences of its gains. The error of several islands comes from these and from
/// the spread of the differences, as for the evidence. The log of the noisier evidence is too small by half of the variance, and by the
/// bias that arises because the states decided over the temperatures.
pub(super) fn difference(run: &Run) -> Option<Estimate> {
    let alive = |group: &&Group| {
        let log_evidence = group.log_evidence();
        log_evidence.is_some_and(|log| log > f64::NEG_INFINITY)
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
    let island = group.island()?;
    let (controlled, plain) = (island.controlled.as_ref()?, island.log_evidence?);
    let pairs = controlled.gains.iter().zip(&island.gains);
    let gains: Vec<f64> = pairs.map(|(a, b)| a - b).collect();
    let variance: f64 = gains.iter().map(|gain| gain * gain).sum();
    let difference = controlled.log_evidence + island.adaptation_bias - plain - 0.5 * variance;
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
    use crate::run::example::{islands, normals, of_island};

    /// Islands whose log evidences have a standard deviation of 0.1 by their weights, and a standard deviation of 0.01 and an offset by
    /// control variates.
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
            let island = of_island(group);
            island.gains = (0..FAMILIES).map(gain).collect();
            island.controlled = Some(Controlled {
                log_evidence: -3.0 + offset + 0.01 * z,
                gains: island.gains.iter().map(|gain| 0.1 * gain).collect(),
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
        let run = controlled(3, 0.3);
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

    #[test]
    fn control_variates_that_are_less_precise_do_not_count() {
        let mut run = controlled(3, 0.0);
        for group in &mut run.groups {
            let island = of_island(group);
            let controlled = island.controlled.as_mut().expect("they have some");
            controlled.gains = island.gains.iter().map(|gain| 3.0 * gain).collect();
        }
        assert_eq!(choice(&run), Choice::Imprecise);
        assert_eq!(run.log_evidence_estimate(), run.evidence(false));
        assert_eq!(run.log_evidence_without_controls(), None);
        assert_eq!(run.warnings(), []);
    }

    /// The share of 400 runs whose interval contains -3, and the number of runs without control variates.
    fn coverage(offset: f64) -> (f64, usize) {
        let (mut holds, mut refused) = (0.0, 0);
        for run in (0..400).map(|seed| controlled(seed, offset)) {
            let (low, high) = run.log_evidence_interval(0.95).expect("it has an error");
            holds += f64::from(u8::from(low < -3.0 && -3.0 < high)) / 400.0;
            refused += usize::from(choice(&run) == Choice::Plain);
        }
        (holds, refused)
    }

    // The coverage has a standard error of 0.011. Detects control variates that are refused beyond 3 errors: 1 refusal is expected among
    // the healthy runs.
    #[test]
    fn healthy_control_variates_are_believed_and_wrong_ones_are_not() {
        let (holds, refused) = coverage(0.0);
        assert!(holds > 0.92 && refused == 0, "{holds}, {refused}");
        // 5 errors: both estimates count, or the weights alone
        let (holds, _) = coverage(0.16);
        assert!(holds > 0.9, "{holds}");
        // 10 errors
        let (holds, refused) = coverage(0.32);
        assert!(holds > 0.9 && refused > 380, "{holds}, {refused}");
    }

    #[test]
    fn between_the_two_the_estimate_covers_both() {
        let is_both = |run: &Run| matches!(choice(run), Choice::Both(_));
        let mut runs = (0..400).map(|seed| controlled(seed, 0.1));
        let run = runs.find(is_both).expect("of 3 errors some are between");
        let both = run.log_evidence_of_both().expect("it has both");
        let found = run.log_evidence_estimate().expect("it has an evidence");
        let (low, high) = run.log_evidence_interval(0.95).expect("it has an error");
        let [controlled, plain] = both;
        assert!(plain.mean < found.mean && found.mean < controlled.mean);
        assert!(found.se > controlled.se);
        assert!(
            low < plain.mean && controlled.mean < high,
            "{low} to {high}"
        );
        assert_eq!(run.log_evidence_without_controls(), None);
        assert_eq!(run.warnings(), []);
        let text = run.to_string();
        assert!(text.contains("(between -2.9"), "{text}");
    }

    #[test]
    fn islands_without_control_variates_or_errors_have_other_warnings() {
        let mut run = controlled(3, 0.15);
        of_island(&mut run.groups[5]).controlled = None;
        assert_eq!(difference(&run), None);
        assert_eq!(run.log_evidence_without_controls(), None);
        let mut single = controlled(3, 0.15);
        single.groups.truncate(1);
        of_island(&mut single.groups[0]).gains.fill(f64::NAN);
        assert_eq!(choice(&single), Choice::Plain);
        let is_told = |warning: &Warning| matches!(warning, Warning::ControlsDisagree(_));
        assert!(!single.warnings().iter().any(is_told));
    }
}
