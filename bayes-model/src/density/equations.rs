//! How well the differential equations of a model are solved at draws.

use super::Quantities;
use crate::model::equations::{place, words};
use crate::parallel;
use crate::text::{count, percent};
use bayes_calculus::ode::{Solution, Unseen};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The change of the log density that is worth a warning, whatever the states are: some hundredths are nothing beside the Monte Carlo
/// error of a run.
const CHANGE: f64 = 0.1;
/// Steps beyond those that the error asks for.
const MARGIN: f64 = 1.2;
/// The most steps that are recommended.
const MOST_STEPS: f64 = 2000.0;

/// The solutions at a position, beside those by steps that fit their error.
#[derive(Clone, Debug, Default)]
pub struct Solutions {
    /// In the order of execution.
    pub solutions: Vec<Solution>,
    /// By how much the log density is larger with the other solutions; NaN if it is not finite.
    pub change: f64,
}

/// How well the differential equations of one line of the source are solved at draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Equations {
    /// The source file of `ode`; empty if it is unknown, in runs of an earlier version.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line of `ode` in its source file.
    pub line: u32,
    /// The most steps from one stop to the next.
    pub steps: usize,
    /// By this power of the number of steps the error falls.
    pub order: u32,
    /// The smallest tolerance.
    pub tolerance: f64,
    /// Number of draws.
    pub draws: u64,
    /// Those at which the states are off by more than the tolerance, or the log density by more than 0.1.
    pub inexact: u64,
    /// Those of them at which the fixed steps give no numbers, or the equations could not be solved by other steps either.
    pub unsolved: u64,
    /// Why they could not be solved at the first of these, in words; empty if they could at all draws.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unknown: String,
    /// Those of them at which stability, and not accuracy, limits the steps.
    pub stiff: u64,
    /// Those of them at which more steps are hardly more exact, as where rates jump between stops.
    #[serde(default)]
    pub rough: u64,
    /// A dose or a stop after the last time, in words; empty if there is none.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unseen: String,
    /// The largest error of a state where it is known, relative to the largest size of the same element.
    pub error: f64,
    /// The largest change of the log density where it is known.
    pub change: f64,
}

impl Equations {
    /// The equations of a line before any draw.
    fn new(found: &Solution) -> Self {
        Self {
            file: found.file.to_owned(),
            line: found.line,
            steps: found.steps,
            order: found.order,
            tolerance: found.tolerance,
            draws: 0,
            inexact: 0,
            unsolved: 0,
            unknown: String::new(),
            stiff: 0,
            rough: 0,
            unseen: String::new(),
            error: 0.0,
            change: 0.0,
        }
    }

    /// Adds the solutions of the line at a draw.
    fn add(&mut self, solutions: &[&Solution], change: f64) {
        let errors = solutions.iter().map(|found| found.error);
        let error = errors.fold(0.0, f64::max);
        let exceeds = solutions.iter().any(|found| found.error > found.tolerance);
        let is_inexact = exceeds || change.abs() > CHANGE;
        let is_stiff = solutions.iter().any(|found| found.is_stiff);
        self.draws += 1;
        self.inexact += u64::from(is_inexact);
        self.unsolved += u64::from(error.is_infinite());
        self.stiff += u64::from(is_inexact && is_stiff);
        let is_rough = solutions.iter().any(|found| found.is_rough);
        self.rough += u64::from(is_inexact && is_rough);
        let unknown = solutions.iter().find_map(|found| found.unknown);
        set(&mut self.unknown, || unknown.map(words));
        let unseen = solutions.iter().find_map(|found| found.unseen);
        set(&mut self.unseen, || unseen.map(unseen_in_words));
        if error.is_finite() {
            self.error = self.error.max(error);
            if change.is_finite() {
                self.change = self.change.max(change.abs());
            }
        }
        for found in solutions {
            self.steps = self.steps.max(found.steps);
            self.tolerance = self.tolerance.min(found.tolerance);
        }
    }

    /// The same equations at other draws.
    #[doc(hidden)]
    pub fn merge(&mut self, other: &Self) {
        self.draws += other.draws;
        self.inexact += other.inexact;
        self.unsolved += other.unsolved;
        self.stiff += other.stiff;
        self.rough += other.rough;
        set(&mut self.unknown, || Some(other.unknown.clone()));
        set(&mut self.unseen, || Some(other.unseen.clone()));
        self.steps = self.steps.max(other.steps);
        self.tolerance = self.tolerance.min(other.tolerance);
        self.error = self.error.max(other.error);
        self.change = self.change.max(other.change);
    }

    /// The share of draws at which they are inexact.
    #[doc(hidden)]
    #[must_use]
    pub fn share(&self) -> f64 {
        self.inexact as f64 / self.draws.max(1) as f64
    }

    /// Whether most draws at which they are inexact are stiff.
    fn is_stiff(&self) -> bool {
        2 * self.stiff >= self.inexact && self.stiff > 0
    }

    /// Whether more steps are hardly more exact at most draws at which that is known.
    fn is_rough(&self) -> bool {
        2 * self.rough >= self.inexact - self.unsolved && self.rough > 0
    }

    /// `differential equations in model.rs:12`.
    fn place(&self) -> String {
        place(&self.file, self.line)
    }

    /// The steps with which the worst of the known errors would be within the tolerance.
    fn recommended(&self) -> Option<usize> {
        let excess = (self.error / self.tolerance).max(self.change / CHANGE);
        let steps = self.steps as f64 * MARGIN * excess.powf(1.0 / f64::from(self.order));
        let steps = steps.max(self.steps as f64 + 1.0).ceil();
        (excess > 1.0 && steps <= MOST_STEPS).then_some(steps as usize)
    }

    /// What is wrong, and how often at these draws.
    #[doc(hidden)]
    #[must_use]
    pub fn problem(&self, draws: &str) -> String {
        let Self {
            steps,
            tolerance,
            error,
            change,
            ..
        } = self;
        let place = self.place();
        let share = percent(self.share());
        let steps = count(*steps as u64, "step");
        if self.unsolved == 0 && error <= tolerance {
            return format!(
                "the log density changes by up to {change:.1e} if the {place} are solved exactly, and by more than \
                 {CHANGE} at {share} of {draws}: {steps} from one stop to the next give states that are off by up to {error:.1e} of their largest size"
            );
        }
        let mut text = format!(
            "the {place} are not solved within their tolerance of {tolerance:e} at {share} of {draws}, by {steps} \
             from one stop to the next"
        );
        if self.unsolved == self.draws {
            let why = self.because();
            text += &format!("; how far the states are off is not known at any of them{why}");
            return text;
        }
        text += &format!(
            ": a state is off by up to {error:.1e} of its largest size, and the log density by up to {change:.1e}"
        );
        if self.unsolved > 0 {
            let share = percent(self.unsolved as f64 / self.draws as f64);
            let why = self.because();
            text += &format!(", where that is known; at {share} of {draws} it is not{why}");
        }
        text
    }

    /// Why the states are not known at some draws.
    fn because(&self) -> String {
        match self.unknown.as_str() {
            "" => String::new(),
            unknown => format!(", because {unknown}"),
        }
    }

    /// What is not seen by any state, if something is.
    #[doc(hidden)]
    #[must_use]
    pub fn unseen(&self) -> Option<String> {
        let place = self.place();
        (!self.unseen.is_empty()).then(|| format!("in the {place}, {}", self.unseen))
    }

    /// What it means and what to do.
    #[doc(hidden)]
    #[must_use]
    pub fn remedy(&self) -> String {
        if self.is_stiff() {
            return STIFF.to_owned();
        }
        if self.is_rough() {
            return ROUGH.to_owned();
        }
        let steps = match self.recommended() {
            Some(steps) => format!("Write `.steps({steps})`"),
            None => "Write more `.steps(..)`".to_owned(),
        };
        let looser = match self.unsolved == 0 && self.change <= CHANGE {
            true => {
                " If such states are exact enough, since the log density hardly changes, say so by `.tolerance(..)`."
            }
            false => "",
        };
        format!(
            "Results use the inexact states. {steps}, or end a step by `.stop_at(..)` where the solution changes fast.{looser}"
        )
    }
}

/// Writes a text that is not known yet.
fn set(text: &mut String, new: impl FnOnce() -> Option<String>) {
    if text.is_empty() {
        *text = new().unwrap_or_default();
    }
}

/// `the dose with index 1 is at 8.0, after the last time, 6.0`.
fn unseen_in_words(unseen: Unseen) -> String {
    let Unseen {
        what,
        index,
        time,
        last,
    } = unseen;
    format!("the {what} with index {index} is at {time:?}, after the last time, {last:?}")
}

/// What a dose or a stop that no state sees means, and what to do.
#[doc(hidden)]
pub const UNSEEN: &str = "No state sees it. Leave it out, or ask for a state after it; all times have one unit and one origin.";

/// What to do about rates that jump.
const ROUGH: &str = "Results use the inexact states. Twice or three times as many steps are hardly more exact, as where rates jump or bend between two \
     stops: a step across a jump is as wrong as it is long, whatever the order of the method. Write the times of the jumps into \
     `.stop_at(..)`. If the rates are smooth but change fast, write many more `.steps(..)`.";

/// What to do about equations that are stiff.
const STIFF: &str = "The equations are stiff: something in them settles much faster than the solution changes, and explicit steps that are not as short as that are unstable. \
     Write `.stiff()`: its steps are implicit.";

/// The equations at these positions, `[dim]` each, one for every line in the order of the source.
pub fn at_positions<'a>(
    quantities: &dyn Quantities,
    positions: impl IntoIterator<Item = &'a [f64]>,
) -> Vec<Equations> {
    let mut positions = positions.into_iter();
    let Some(first) = positions.next() else {
        return Vec::new();
    };
    let first = quantities.solutions(first);
    if first.solutions.is_empty() {
        return Vec::new();
    }
    let positions: Vec<&[f64]> = positions.collect();
    let mut found = vec![first];
    found.extend(parallel::map(positions, |position| {
        quantities.solutions(position)
    }));
    let mut lines: BTreeMap<(&str, u32), Equations> = BTreeMap::new();
    for Solutions { solutions, change } in &found {
        let mut of_line: BTreeMap<(&str, u32), Vec<&Solution>> = BTreeMap::new();
        for solution in solutions {
            let line = of_line.entry((solution.file, solution.line));
            line.or_default().push(solution);
        }
        for (line, solutions) in of_line {
            let equations = lines.entry(line);
            let equations = equations.or_insert_with(|| Equations::new(solutions[0]));
            equations.add(&solutions, *change);
        }
    }
    lines.into_values().collect()
}

/// The equations of several runs of the same model, one for every line.
pub fn merged<'a>(runs: impl IntoIterator<Item = &'a [Equations]>) -> Vec<Equations> {
    let mut lines: BTreeMap<(&str, u32), Equations> = BTreeMap::new();
    for equations in runs.into_iter().flatten() {
        lines
            .entry((&equations.file, equations.line))
            .and_modify(|known| known.merge(equations))
            .or_insert_with(|| equations.clone());
    }
    lines.into_values().collect()
}
