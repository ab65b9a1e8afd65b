//! Every run: the log density of a statement was NaN.

use super::Message;
use super::panics::place;
use crate::density::Occurrence;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use crate::text::percent;
use serde::{Deserialize, Serialize};

/// Below this share of evaluations, NaN most likely came from a few trial steps that were too long.
const RARE: f64 = 1e-4;
/// From this share on, NaN most likely takes a part of the posterior or of the prior.
const FREQUENT: f64 = 1e-2;

/// A statement's log density was NaN; an evaluation with several NaN terms counts once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NanDensity {
    /// The statement's text.
    pub text: String,
    /// Its line in the model's source.
    pub line: u32,
    /// Number of such evaluations.
    pub times: u64,
    /// Number of evaluations of the density, with or without gradient.
    pub evaluations: u64,
    /// The parameter that was out of range there, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cause: Option<String>,
    /// Where it was NaN first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<Occurrence>,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Vec<NanDensity> {
    let counts = run.counts();
    let evaluations = counts
        .density_evaluations
        .saturating_add(counts.gradient_evaluations);
    let statement = |index: &usize| {
        let known = run.statements.get(*index);
        known.map_or((format!("statement {index}"), 0), |s| {
            (s.text.clone(), s.line)
        })
    };
    let nan = counts.non_finite.iter().filter(|(_, count)| count.nan > 0);
    nan.map(|(index, count)| {
        let (text, line) = statement(index);
        NanDensity {
            text,
            line,
            times: count.nan,
            evaluations,
            cause: count.cause.clone(),
            first: count.first_nan.clone(),
        }
    })
    .collect()
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
        } = self;
        let share = rate(*times, *evaluations);
        let cause = cause
            .as_ref()
            .map_or(String::new(), |cause| format!("; {cause}"));
        let first = first.as_ref().map_or(String::new(), |first| {
            let (lambda, place) = (first.lambda, place(&first.position));
            format!("; first at the unconstrained position {place} (`model.explain(..)`), at power {lambda:.2e} of the likelihood")
        });
        format!(
            "the log density was NaN at {times} of {evaluations} evaluations ({share}), in `{text}` (line \
             {line}){cause}{first}"
        )
    }

    fn remedy(&self) -> &'static str {
        if is_rare(self.times, self.evaluations) {
            "The density counts as zero there. Such points are too rare to change the result much."
        } else if !self.is_frequent() {
            "The density counts as zero there. Most such points are trial steps that went too far, which does no harm. If the \
             posterior reaches them, part of it is missing."
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
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::NonFinite;
    use crate::run::example::islands;

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

    #[test]
    fn a_nan_in_a_million_is_no_alarm() {
        let mut run = islands(&[-3.0; 4], 64);
        run.groups[2].counts.gradient_evaluations = 1_000_000 - 3400;
        run.groups[0].counts.non_finite.insert(
            0,
            NonFinite {
                nan: 2,
                infinite: 0,
                ..NonFinite::default()
            },
        );
        assert_warned(
            &run,
            "the log density was NaN at 2 of 1000000 evaluations (2.0 in a million), in `observe(y[i], \
         Normal::new(mu, 1.0))` (line 12). The density counts as zero there. Such points are too rare to change the result \
         much.",
        );
    }
}
