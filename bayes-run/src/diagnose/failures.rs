//! A table of the failures in evaluations of a run's density.

use crate::density::{Counts, NonFinite, Occurrence};
use crate::run::{Run, StatementInfo};
use crate::text::grouped;
use crate::text::table::{self, Line};
use serde::Serialize;
use std::fmt;

/// The kind of a failure in an evaluation of a density.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureKind {
    /// The model panicked.
    Panic,
    /// A term was NaN.
    Nan,
    /// A term was infinite and none was NaN: for example, outside the support of a distribution.
    Infinite,
    /// The density was finite, but its gradient was not.
    Gradient,
}

impl fmt::Display for FailureKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Panic => "panic",
            Self::Nan => "NaN",
            Self::Infinite => "infinite",
            Self::Gradient => "gradient not finite",
        })
    }
}

/// The failures of one kind in one statement.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failure {
    /// The kind of failure.
    pub kind: FailureKind,
    /// The index of the statement; `None` for gradients, and where it is not known.
    pub statement: Option<usize>,
    /// The statement's line and text, or what is known in their place.
    pub place: String,
    /// Number of evaluations with this failure, each counted as zero density.
    pub times: u64,
    /// The islands, or groups of chains, with this failure, by their index.
    pub groups: Vec<u64>,
    /// The message of the first panic, or the parameter that was out of range, in words.
    pub cause: Option<String>,
    /// The first occurrence.
    pub first: Option<Occurrence>,
}

/// Every NaN, infinity and panic of a run's density: a row for each statement and kind. Printing it shows a table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Failures {
    /// Panics, then the statements in their order; empty without failures.
    pub rows: Vec<Failure>,
    /// Number of evaluations, with or without a gradient.
    pub evaluations: u64,
    /// Rejected proposals outside the support of a random quantity, such as beyond the bounds of a discrete one. They are not failures.
    pub outside: u64,
    /// Evaluations of trial moves that were not finite. Trial moves look for a step size and are discarded, so these are not failures.
    pub in_trials: u64,
    /// The kind of the groups, such as `island`.
    kind: String,
    /// Number of groups.
    of: usize,
}

impl Run {
    /// The failures in evaluations of the density: how often, in which statement and in which islands, and where first. Such an evaluation
    /// counts as zero density; the run goes on.
    ///
    /// ```text
    /// for failure in &run.failures().rows {
    ///     if let Some(first) = &failure.first {
    ///         println!("{failure:?}\n{}", model.explain(&first.position)?);
    ///     }
    /// }
    /// ```
    #[must_use]
    pub fn failures(&self) -> Failures {
        let all = self.counts();
        let mut rows: Vec<Failure> = self.panics(&all).into_iter().collect();
        for (index, count) in &all.non_finite {
            rows.extend(self.not_finite(*index, count, FailureKind::Nan));
            rows.extend(self.not_finite(*index, count, FailureKind::Infinite));
        }
        if all.non_finite_gradients > 0 {
            rows.push(Failure {
                kind: FailureKind::Gradient,
                statement: None,
                place: "the whole density".to_owned(),
                times: all.non_finite_gradients,
                groups: self.groups_with(|counts| counts.non_finite_gradients > 0),
                cause: None,
                first: all.first_non_finite_gradient.clone(),
            });
        }
        let apart = |times: fn(&NonFinite) -> u64| {
            let all = all.non_finite.values().map(times);
            all.fold(0, u64::saturating_add)
        };
        Failures {
            rows,
            outside: apart(|count| count.outside),
            in_trials: apart(|count| count.in_trials),
            evaluations: all
                .density_evaluations
                .saturating_add(all.gradient_evaluations),
            kind: self.kind.name().to_owned(),
            of: self.groups.len(),
        }
    }

    fn panics(&self, all: &Counts) -> Option<Failure> {
        let panics = all.panics.as_ref()?;
        Some(Failure {
            kind: FailureKind::Panic,
            statement: panics.statement,
            place: panics
                .statement
                .map_or_else(|| "not known".to_owned(), |index| self.place(index)),
            times: panics.times,
            groups: self.groups_with(|counts| counts.panics.is_some()),
            cause: Some(panics.message.clone()),
            first: Some(panics.first.clone()),
        })
    }

    fn not_finite(&self, index: usize, count: &NonFinite, kind: FailureKind) -> Option<Failure> {
        let is_nan = kind == FailureKind::Nan;
        let times = move |count: &NonFinite| if is_nan { count.nan } else { count.infinite };
        let happened =
            |counts: &Counts| counts.non_finite.get(&index).is_some_and(|c| times(c) > 0);
        (times(count) > 0).then(|| Failure {
            kind,
            statement: Some(index),
            place: self.place(index),
            times: times(count),
            groups: self.groups_with(happened),
            cause: count.cause.clone().filter(|_| is_nan),
            first: match is_nan {
                true => count.any_first_nan().cloned(),
                false => count.first_infinite.clone(),
            },
        })
    }

    fn place(&self, statement: usize) -> String {
        let known = self.statements.get(statement);
        known.map_or_else(|| format!("statement {statement}"), StatementInfo::listed)
    }

    fn groups_with(&self, happened: impl Fn(&Counts) -> bool) -> Vec<u64> {
        let groups = self.groups.iter();
        let groups = groups.filter(|group| happened(&group.counts));
        groups.map(|group| group.index).collect()
    }
}

impl Failures {
    /// Writes the evaluations that are not failures of the run.
    fn write_apart(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let apart = [
            (
                self.outside,
                "proposals outside the support of a random quantity, which were rejected",
            ),
            (
                self.in_trials,
                "evaluations of trial moves that look for a step size and are discarded",
            ),
        ];
        for (times, what) in apart.iter().filter(|(times, _)| *times > 0) {
            writeln!(f, "apart from these {} {what}", grouped(*times))?;
        }
        Ok(())
    }
}

/// The power of the likelihood at an occurrence.
fn power_of(first: &Occurrence) -> String {
    match first.lambda.is_nan() {
        true => "above a level".to_owned(),
        false => format!("{:.2e}", first.lambda),
    }
}

impl fmt::Display for Failures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let evaluations = grouped(self.evaluations);
        if self.rows.is_empty() {
            writeln!(f, "nothing failed in {evaluations} evaluations")?;
            return self.write_apart(f);
        }
        let line = |row: &Failure| {
            let power = row.first.as_ref();
            Line::Cells(vec![
                row.place.clone(),
                row.kind.to_string(),
                grouped(row.times),
                format!("{} of {}", row.groups.len(), self.of),
                power.map_or_else(|| "-".to_owned(), power_of),
            ])
        };
        let lines: Vec<Line> = self.rows.iter().map(line).collect();
        let groups = format!("{}s", self.kind);
        let header = ["where", "what", "times", &groups, "first at power"];
        table::write(f, &header, &lines)?;
        writeln!(
            f,
            "of {evaluations} evaluations; the power is the likelihood's"
        )?;
        for (number, row) in self.rows.iter().enumerate() {
            if let Some(cause) = &row.cause {
                writeln!(f, "row {}: {cause}", number + 1)?;
            }
        }
        self.write_apart(f)?;
        writeln!(
            f,
            "evaluated there again by `model.explain(&position)`, and by the command `explain FILE` of a model's program"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::Panics;
    use crate::run::example::islands;

    fn at(lambda: f64, x: f64) -> Occurrence {
        Occurrence {
            lambda,
            position: vec![x],
        }
    }

    #[test]
    fn every_failure_has_its_statement_its_islands_and_its_first_position() {
        let mut run = islands(&[-3.0; 4], 64);
        for (group, nan, infinite, lambda) in [(1, 0, 3, 0.5), (2, 2, 1, 0.25)] {
            let count = NonFinite {
                nan,
                infinite,
                cause: Some("`sd` is -1".to_owned()),
                first_nan: (nan > 0).then(|| at(lambda, 1.0)),
                first_infinite: Some(at(lambda, 2.0)),
                ..NonFinite::default()
            };
            run.groups[group].counts.non_finite.insert(0, count);
        }
        run.groups[3].counts.panics = Some(Panics {
            times: 4,
            statement: None,
            message: "singular".to_owned(),
            first: at(0.0, 3.0),
        });
        run.groups[0].counts.non_finite_gradients = 9;
        let failures = run.failures();
        let found = failures.rows.iter().map(|row| {
            let first = row
                .first
                .as_ref()
                .map(|first| (first.lambda, first.position[0]));
            (row.kind, row.times, row.groups.as_slice(), first)
        });
        let wanted: [(_, _, &[u64], _); 4] = [
            (FailureKind::Panic, 4, &[3], Some((0.0, 3.0))),
            (FailureKind::Nan, 2, &[2], Some((0.25, 1.0))),
            (FailureKind::Infinite, 4, &[1, 2], Some((0.25, 2.0))),
            (FailureKind::Gradient, 9, &[0], None),
        ];
        assert_eq!(found.collect::<Vec<_>>(), wanted);
        let text = failures.to_string();
        for wanted in [
            "line 12: observe",
            "2 of 4",
            "row 1: singular",
            "row 2: `sd` is -1",
        ] {
            assert!(text.contains(wanted), "{text}");
        }
        assert!(text.lines().count() == 4 + 1 + 1 + 2 + 1, "{text}");
        assert!(text.contains("the command `explain FILE`"), "{text}");
    }

    #[test]
    fn rejected_proposals_and_discarded_moves_are_no_failures() {
        let mut run = islands(&[-3.0; 4], 64);
        assert!(run.failures().to_string().starts_with("nothing failed in"));
        let count = NonFinite {
            outside: 7,
            in_trials: 1200,
            ..NonFinite::default()
        };
        run.groups[1].counts.non_finite.insert(0, count);
        let failures = run.failures();
        assert_eq!((failures.outside, failures.in_trials), (7, 1200));
        let text = failures.to_string();
        for wanted in [
            "nothing failed in",
            "7 proposals outside",
            "1 200 evaluations of trial moves",
        ] {
            assert!(text.contains(wanted), "{text}");
        }
        assert_eq!(run.warnings(), []);
        assert!(!run.to_string().contains("not finite"), "{run}");
    }
}
