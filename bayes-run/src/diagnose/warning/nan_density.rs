//! Every run: the log density of a statement was NaN, often enough or near enough to matter.
//!
//! A step of a trajectory that goes too far gives NaN without any fault: the step is rejected, as Stan and PyMC do in silence.
//! Trajectories pass through the posterior in proportion to its mass, so a region of posterior mass `m` with NaN densities is met by about
//! a share `m` of the evaluations. If that share is below 1e-4 ([`RARE`]), a probability is wrong by about 1e-4 at most: a fiftieth of the
//! Monte Carlo error of p = 1/2 from 10⁴ independent draws (0.005), a third of that error for p = 1e-3 (0.0003). Such NaN are counted and
//! printed among the facts of the run, and `run.failures()` has them.
//!
//! Rare NaN still cause a warning in two cases. The first NaN of the run (by power, then by position) was at a draw of the prior, whose
//! weight is zero whatever its likelihood. Or the first NaN of an island, or of chains that move together, was among its draws. Later NaN
//! are not kept. Whether it was among the draws is decided when the island ends ([`NonFinite::nan_among_draws`]), so the rule holds for a
//! run without positions too.
//!
//! If draws follow a burn-in, the number of its NaN does not count: chains come from far away, with steps that are not tuned yet.

use super::Message;
use super::panics::place;
use crate::density::Occurrence;
use crate::density::UNSOLVED;
use crate::density::occurrence::target_in_words;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{GroupKind, NonFinite, Run, StatementInfo};
use crate::text::percent;
use serde::{Deserialize, Serialize};

/// Below this share of evaluations, NaN do not change the result, unless they were at draws of the prior or among draws of the posterior.
const RARE: f64 = 1e-4;
/// From this share on, NaN most likely remove a part of the posterior or of the prior.
const FREQUENT: f64 = 1e-2;

/// A statement's log density was NaN; an evaluation with several NaN terms counts once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NanDensity {
    /// The statement's text.
    pub text: String,
    /// Its line in the model's source.
    pub line: u32,
    /// What the model calls it in place of these ([`Model::in_words`](crate::model::Model::in_words)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub words: Option<String>,
    /// Number of such evaluations. For chains, only evaluations after the burn-in count, if there are any.
    pub times: u64,
    /// Number of evaluations of the density, with or without gradient.
    pub evaluations: u64,
    /// The parameter that was out of range at the first NaN, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// The first NaN.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Occurrence>,
    /// Number of other statements with the same cause and the same first NaN, which have no warning of their own.
    #[serde(default)]
    pub others: usize,
}

/// Whether the NaN of a statement are too rare to change the result of this run, so that there is no warning.
pub(crate) fn is_harmless(run: &Run, evaluations: u64, count: &NonFinite) -> bool {
    let mut first = count.first_nan.iter();
    let matters = count.nan_among_draws || first.any(|first| is_prior_draw(run, first));
    is_rare(count.nan_after_burn_in(), evaluations) && !matters
}

/// Islands and tempered chains begin with draws of the prior, at power 0 of the likelihood.
fn is_prior_draw(run: &Run, first: &Occurrence) -> bool {
    first.lambda == 0.0 && (run.kind == GroupKind::Islands || run.exchanges().next().is_some())
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Vec<NanDensity> {
    let counts = run.counts();
    let evaluations = counts
        .density_evaluations
        .saturating_add(counts.gradient_evaluations);
    let statement = |index: &usize| {
        let unknown = || StatementInfo {
            text: format!("statement {index}"),
            line: 0,
            improper: false,
            words: None,
        };
        run.statements.get(*index).cloned().unwrap_or_else(unknown)
    };
    let nan = counts
        .non_finite
        .iter()
        .filter(|(_, count)| count.nan > 0 && !is_harmless(run, evaluations, count));
    let each = nan.map(|(index, count)| {
        let StatementInfo {
            text, line, words, ..
        } = statement(index);
        NanDensity {
            text,
            line,
            words,
            times: match count.nan_after_burn_in() {
                0 => count.nan,
                after => after,
            },
            evaluations,
            cause: count.cause.clone().map(|cause| beside_draws(run, cause)),
            first: count.any_first_nan().cloned(),
            others: 0,
        }
    });
    each.fold(Vec::new(), together)
}

/// Adds a statement to those before; what they have in common is one cause.
fn together(mut all: Vec<NanDensity>, next: NanDensity) -> Vec<NanDensity> {
    let is_same = |before: &&mut NanDensity| {
        next.cause.is_some() && before.cause == next.cause && before.first == next.first
    };
    match all.iter_mut().find(is_same) {
        Some(before) => {
            before.others += 1;
            before.times = before.times.max(next.times);
        }
        None => all.push(next),
    }
    all
}

/// A cause, and that equations which it blames are solved well at the draws, if they are.
fn beside_draws(run: &Run, cause: String) -> String {
    let are_exact = run.equations.iter().all(|found| found.inexact == 0);
    match are_exact && !run.equations.is_empty() && cause.contains(UNSOLVED) {
        true => format!(
            "{cause}, if the posterior reaches such places; at the draws they are solved within their tolerance"
        ),
        false => cause,
    }
}

impl Message for NanDensity {
    fn problem(&self) -> String {
        let Self {
            text,
            line,
            times,
            evaluations,
            cause,
            first,
            others,
            words,
        } = self;
        let share = rate(*times, *evaluations);
        let cause = cause
            .as_ref()
            .map_or(String::new(), |cause| format!("; {cause}"));
        let first = first.as_ref().map_or(String::new(), |first| {
            let (place, target) = (place(&first.position), target_in_words(first.lambda));
            format!("; first at {place}, {target}")
        });
        let in_source = || format!("`{text}` (line {line})");
        let place = words.clone().unwrap_or_else(in_source);
        let others = match others {
            0 => String::new(),
            1 => " and in 1 other statement".to_owned(),
            more => format!(" and in {more} other statements"),
        };
        format!(
            "the log density was NaN at {times} of {evaluations} evaluations ({share}), in {place}{others}{cause}{first}"
        )
    }

    fn remedy(&self) -> &'static str {
        if is_rare(self.times, self.evaluations) {
            "The density counts as zero there. Such points are rare, but one was a draw of the prior or lies among the draws, so that a \
             little of the posterior may be missing."
        } else if !self.is_frequent() {
            "The density counts as zero there. Most such points are trial steps that went too far, which does no harm. If the \
             posterior reaches them, part of it is missing."
        } else if self.words.is_some() {
            "The density counts as zero there: draws of the prior get weight zero and moves are rejected, so part of the \
             posterior may be missing. Tighter priors keep parameters from such values, and so do links within the range of the family."
        } else if self.cause.is_some() {
            "The density counts as zero there: draws of the prior get weight zero and moves are rejected, so part of the \
             posterior may be missing."
        } else {
            "The density counts as zero there: draws of the prior get weight zero and moves are rejected, so part of the \
             posterior may be missing. Guard the expression against overflow, 0/0 and roots or logarithms of negative numbers."
        }
    }
}

impl NanDensity {
    fn is_frequent(&self) -> bool {
        self.times as f64 >= FREQUENT * self.evaluations as f64
    }
}

fn is_rare(times: u64, evaluations: u64) -> bool {
    (times as f64) < RARE * evaluations as f64
}

/// `0.4%`; a share below a hundredth of a percent is written as `3.0 in a million`.
fn rate(times: u64, evaluations: u64) -> String {
    let share = times as f64 / evaluations as f64;
    if is_rare(times, evaluations) {
        format!("{:.1} in a million", 1e6 * share)
    } else if share < 0.001 {
        format!("{:.2}%", 100.0 * share)
    } else {
        percent(share)
    }
}

#[cfg(test)]
mod tests {
    use crate::density::Occurrence;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{chains, islands};
    use crate::run::{Group, NonFinite, Run};

    /// Would detect a warning for each statement that reads the same equations, and advice for places that the posterior does not reach.
    #[test]
    fn statements_with_one_cause_have_one_warning() {
        let mut run = islands(&[-3.0; 4], 64);
        let cause = "5 steps from one stop to the next do not solve the differential equations in sir.rs:9: they are stiff, so write `.stiff()`";
        let own = |nan, cause: &str| NonFinite {
            nan,
            cause: Some(cause.to_owned()),
            first_nan: Some(Occurrence {
                lambda: 0.5,
                position: vec![1.0],
            }),
            ..NonFinite::default()
        };
        let statement = run.statements[0].clone();
        run.statements = vec![statement; 3];
        let counts = &mut run.groups[0].counts.non_finite;
        counts.insert(0, own(50, cause));
        counts.insert(1, own(53, cause));
        counts.insert(2, own(52, "Normal: parameter `sd` is -1, must be above 0"));
        run.equations = vec![super::super::inexact_equations::example()];
        let found = super::find(&run, &[]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert_eq!((found[0].others, found[0].times), (1, 53));
        let text = super::Message::problem(&found[0]);
        assert!(
            text.contains("and in 1 other statement; 5 steps from one stop"),
            "{text}"
        );
        assert!(
            text.contains("at the draws they are solved within their tolerance"),
            "{text}"
        );
        assert!(!super::Message::problem(&found[1]).contains("tolerance"));
        run.equations[0].inexact = 40;
        let found = super::find(&run, &[]);
        assert!(!super::Message::problem(&found[0]).contains("at the draws"));
    }

    #[test]
    fn densities_that_are_nan() {
        let mut run = islands(&[-3.0; 4], 64);
        run.groups[0].counts.non_finite.insert(
            0,
            NonFinite {
                nan: 52,
                infinite: 50,
                ..NonFinite::default()
            },
        );
        run.groups[3].counts.non_finite.insert(
            0,
            NonFinite {
                nan: 1,
                infinite: 0,
                ..NonFinite::default()
            },
        );
        assert_warned(
            &run,
            "the log density was NaN at 53 of 4400 evaluations (1.2%), in `observe(y[i], Normal::new(mu, \
         1.0))` (line 12). The density counts as zero there: draws of the prior get weight zero and moves are rejected, so part \
         of the posterior may be missing. Guard the expression against overflow, 0/0 and roots or logarithms of \
         negative numbers.",
        );
    }

    #[test]
    fn some_nan_are_trial_steps() {
        let mut run = islands(&[-3.0; 4], 64);
        let count = NonFinite {
            nan: 3,
            ..NonFinite::default()
        };
        run.groups[0].counts.non_finite.insert(0, count);
        assert_warned(
            &run,
            "the log density was NaN at 3 of 4400 evaluations (0.07%), in `observe(y[i], Normal::new(mu, \
         1.0))` (line 12). The density counts as zero there. Most such points are trial steps that went too far, which \
         does no harm. If the posterior reaches them, part of it is missing.",
        );
    }

    /// One or two NaN in a million, first at this power and this coordinate.
    fn rare(lambda: f64, x: f64) -> Run {
        let mut run = islands(&[-3.0; 4], 64);
        run.groups[2].counts.gradient_evaluations = 1_000_000 - 3400;
        let count = NonFinite {
            nan: 2,
            first_nan: Some(Occurrence {
                lambda,
                position: vec![x, 0.0, 0.0],
            }),
            ..NonFinite::default()
        };
        run.groups[0].counts.non_finite.insert(0, count);
        Group::note_nan_among_draws(&mut run.groups);
        run
    }

    #[test]
    fn a_nan_in_a_million_of_trial_steps_is_a_fact_and_no_warning() {
        let run = rare(0.5, -494.7);
        assert_eq!(run.warnings(), []);
        let text = run.to_string();
        let fact = "not finite     2 NaN, 0 infinite in line 12: observe(y[i], Normal::new(mu, 1.0))\n               \
                    too rare to change the result; `run.failures()` tells where\n";
        assert!(text.contains(fact), "{text}");
        assert_eq!(run.failures().rows[0].times, 2);
    }

    #[test]
    fn rare_nan_at_draws_of_the_prior_or_among_the_draws_are_a_warning() {
        for (lambda, x) in [(0.0, -494.7), (0.5, 0.1)] {
            let warnings = rare(lambda, x).warnings();
            let [warning] = warnings.as_slice() else {
                panic!("{warnings:?}");
            };
            let text = warning.to_string();
            assert!(
                text.contains("2 of 1000000 evaluations (2.0 in a million)"),
                "{text}"
            );
            assert!(
                text.contains("a little of the posterior may be missing"),
                "{text}"
            );
        }
        // the first NaN of the other island is far away; and selected quantities come without positions
        let mut run = rare(0.5, 0.1);
        let count = NonFinite {
            nan: 1,
            first_nan: Some(Occurrence {
                lambda: 0.25,
                position: vec![-494.7, 0.0, 0.0],
            }),
            ..NonFinite::default()
        };
        run.groups[1].counts.non_finite.insert(0, count);
        run.groups
            .iter_mut()
            .for_each(|group| group.positions.clear());
        assert_eq!(run.warnings().len(), 1);
        // chains start at draws of the prior, which they leave, with steps that are not tuned yet
        let mut run = chains(4, 500);
        let count = NonFinite {
            nan: 50,
            nan_in_burn_in: 50,
            first_nan: Some(Occurrence {
                lambda: 1.0,
                position: vec![-494.7, 0.0, 0.0],
            }),
            ..NonFinite::default()
        };
        run.groups[0].counts.non_finite.insert(0, count.clone());
        assert_eq!(run.warnings(), []);
        let later = NonFinite {
            nan_in_burn_in: 20,
            ..count
        };
        run.groups[0].counts.non_finite.insert(0, later);
        assert_eq!(run.warnings().len(), 1);
        run.groups[2].counts.gradient_evaluations = 1_000_000;
        let count = NonFinite {
            nan: 2,
            first_nan: Some(Occurrence {
                lambda: 1.0,
                position: vec![-494.7, 0.0, 0.0],
            }),
            ..NonFinite::default()
        };
        run.groups[0].counts.non_finite.insert(0, count);
        assert_eq!(run.warnings(), []);
    }
}
