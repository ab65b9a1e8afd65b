//! How far the solutions of a program's differential equations are off, at plain numbers.

use super::Problem;
use super::reference::Reference;
use super::steps::Method;
use crate::mode::Mode;
use crate::real::Real;
use std::cell::RefCell;

/// The tolerance of a step of the solution that others are compared with, as a share of theirs.
const FINER: f64 = 1e-2;
/// The smallest: below it steps are as wrong by rounding.
const FINEST: f64 = 1e-12;

/// What a program goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// The solution by fixed steps, as always.
    Fixed,
    /// The solution by steps that fit its error; the one by fixed steps where there is none.
    Fitting,
}

/// A solution by fixed steps beside one by steps that fit its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// The line of the call of [`ode`](super::ode) in its source file.
    pub line: u32,
    /// The steps from one stop to the next.
    pub steps: usize,
    /// By this power of the number of steps the error falls.
    pub order: u32,
    /// The error from which on it is worth a warning.
    pub tolerance: f64,
    /// The largest difference of a state, relative to the largest size of the same element at any of the times; infinite if the other
    /// solution was given up, or the fixed steps do not give numbers.
    pub error: f64,
    /// Whether stability, and not accuracy, limited the steps of the other solution.
    pub is_stiff: bool,
}

struct Watching {
    watch: Watch,
    found: Vec<Solution>,
}

thread_local! {
    static WATCHING: RefCell<Option<Watching>> = const { RefCell::new(None) };
}

/// Runs `body`, a program at plain numbers, and compares each solution in it.
pub fn watch<T>(watch: Watch, body: impl FnOnce() -> T) -> (T, Vec<Solution>) {
    let found = Vec::new();
    let before = WATCHING.replace(Some(Watching { watch, found }));
    let out = body();
    let watching = WATCHING.replace(before);
    (out, watching.map_or_else(Vec::new, |own| own.found))
}

/// The states with which the program goes on.
pub(super) fn compare<M: Mode>(
    problem: &Problem<'_, M>,
    states: Vec<Real<M>>,
    line: u32,
    tolerance: f64,
) -> Vec<Real<M>> {
    let watching = WATCHING.with_borrow(|watching| watching.as_ref().map(|own| own.watch));
    match watching {
        Some(watch) => compared(problem, states, watch, (line, tolerance)),
        None => states,
    }
}

#[cold]
#[inline(never)]
fn compared<M: Mode>(
    problem: &Problem<'_, M>,
    states: Vec<Real<M>>,
    watch: Watch,
    (line, tolerance): (u32, f64),
) -> Vec<Real<M>> {
    // the rates may hold equations of their own, which have to be as exact
    let before = WATCHING.replace(None);
    let finer = (tolerance * FINER).max(FINEST);
    let mut reference = problem.reference(problem.method, finer);
    if !reference.is_complete && problem.method != Method::Stiff {
        let is_stiff = reference.is_stiff;
        reference = Reference {
            is_stiff,
            ..problem.reference(Method::Stiff, finer)
        };
    }
    WATCHING.set(before);
    let plain = states.iter().map(|x| M::plain_value(x.0));
    let start = problem.start.iter().map(|x| M::plain_value(x.0));
    let error = match reference.is_complete {
        true => difference(
            &plain.collect::<Vec<_>>(),
            &reference.states,
            &start.collect::<Vec<_>>(),
        ),
        false => f64::INFINITY,
    };
    let solution = Solution {
        line,
        steps: problem.steps,
        order: problem.method.order(),
        tolerance,
        error,
        is_stiff: reference.is_stiff,
    };
    WATCHING.with_borrow_mut(|watching| {
        if let Some(own) = watching {
            own.found.push(solution);
        }
    });
    match watch == Watch::Fitting && reference.is_complete {
        true => reference
            .states
            .iter()
            .map(|x| Real::constant(*x))
            .collect(),
        false => states,
    }
}

/// The largest difference of two solutions, relative to the largest size of the element in the other or at the start.
pub(super) fn difference(one: &[f64], other: &[f64], start: &[f64]) -> f64 {
    let dim = start.len().max(1);
    let mut worst: f64 = 0.0;
    for (element, start) in start.iter().enumerate() {
        let of = |states: &'_ [f64]| -> Vec<f64> {
            states.iter().skip(element).step_by(dim).copied().collect()
        };
        let (one, other) = (of(one), of(other));
        let sizes = other.iter().map(|x| x.abs());
        let size = sizes.fold(start.abs(), f64::max);
        for (a, b) in one.iter().zip(&other) {
            let error = match a == b {
                true => 0.0,
                false => (a - b).abs() / size,
            };
            worst = if error.is_nan() {
                f64::INFINITY
            } else {
                worst.max(error)
            };
        }
    }
    worst
}
