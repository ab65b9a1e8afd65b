//! How far the solutions of a program's differential equations are off, at plain numbers.

use super::Problem;
use super::reference::Reference;
use super::steps::{Method, Span};
use bayes_autodiff::Mode;
use bayes_autodiff::Real;
use std::cell::RefCell;
use std::panic::Location;

/// The tolerance of a step of the solution that others are compared with, as a share of theirs.
const FINER: f64 = 1e-2;
/// The smallest: below it steps are as wrong by rounding.
const FINEST: f64 = 1e-12;

/// With these multiples of the steps a solution is compared again, to see whether more steps help. With one of them alone a step might
/// end by chance where the rates jump.
const MORE_STEPS: [usize; 2] = [2, 3];

/// What a program goes on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Watch {
    /// The solution by fixed steps, as always.
    Fixed,
    /// The solution by steps that fit its error; the one by fixed steps where there is none.
    Fitting,
}

/// Why nobody knows how far a solution is off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unknown {
    /// The start is not finite.
    Start,
    /// The rates at the start are not finite.
    Rates,
    /// The fixed steps give states that are not finite.
    Steps,
    /// Other steps were given up.
    Other,
}

/// A dose or a stop after the last time, which no state sees.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unseen {
    /// `dose` or `stop`.
    pub what: &'static str,
    /// Which of them, from 0.
    pub index: usize,
    /// Its time.
    pub time: f64,
    /// The last time of a state.
    pub last: f64,
}

/// A solution by fixed steps beside one by steps that fit its error.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Solution {
    /// The source file of the call of [`ode`](super::ode).
    pub file: &'static str,
    /// Its line in that file.
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
    /// Why the error is infinite, if it is.
    pub unknown: Option<Unknown>,
    /// Whether stability, and not accuracy, limited the steps of the other solution.
    pub is_stiff: bool,
    /// Whether more steps are hardly more exact, as where rates jump between stops.
    pub is_rough: bool,
    /// The first dose or stop that no state sees.
    pub unseen: Option<Unseen>,
}

/// What a solution is compared by, and for whom.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) place: &'static Location<'static>,
    pub(super) tolerance: f64,
    pub(super) unseen: Option<Unseen>,
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
    asked: Asked,
) -> Vec<Real<M>> {
    let watching = WATCHING.with_borrow(|watching| watching.as_ref().map(|own| own.watch));
    match watching {
        Some(watch) => compared(problem, states, watch, asked),
        None => states,
    }
}

#[cold]
#[inline(never)]
fn compared<M: Mode>(
    problem: &Problem<'_, M>,
    states: Vec<Real<M>>,
    watch: Watch,
    asked: Asked,
) -> Vec<Real<M>> {
    // the rates may hold equations of their own, which have to be as exact
    let before = WATCHING.replace(None);
    let (solution, reference) = problem.solution(&states, asked);
    WATCHING.set(before);
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

impl<M: Mode> Problem<'_, M> {
    /// How far the states by fixed steps are off, and the solution that shows it.
    fn solution(&self, states: &[Real<M>], asked: Asked) -> (Solution, Reference) {
        let finer = (asked.tolerance * FINER).max(FINEST);
        let mut reference = self.reference(self.method, finer);
        if !reference.is_complete && self.method != Method::Stiff {
            let is_stiff = reference.is_stiff;
            reference = Reference {
                is_stiff,
                ..self.reference(Method::Stiff, finer)
            };
        }
        let (states, start) = (plain(states), plain(self.start));
        let error = match reference.is_complete {
            true => difference(&states, &reference.states, &start),
            false => f64::INFINITY,
        };
        let error_by = |steps: usize| {
            let states = plain(&self.by_steps(steps));
            difference(&states, &reference.states, &start)
        };
        let is_rough = error.is_finite()
            && error > finer
            && MORE_STEPS
                .iter()
                .any(|more| error_by(more * self.steps) > self.smooth_share(*more) * error);
        let solution = Solution {
            file: asked.place.file(),
            line: asked.place.line(),
            steps: self.steps,
            order: self.method.order(),
            tolerance: asked.tolerance,
            error,
            unknown: error
                .is_infinite()
                .then(|| self.unknown(&states, reference.is_complete)),
            is_stiff: reference.is_stiff,
            is_rough,
            unseen: asked.unseen,
        };
        (solution, reference)
    }

    /// The largest share of the error that so many times the steps leave where rates are smooth: by half the order of the method. Across a jump
    /// the error is in proportion to a step.
    fn smooth_share(&self, more: usize) -> f64 {
        (more as f64).powf(-0.5 * f64::from(self.method.order()))
    }

    /// Why the error of these states is not known.
    fn unknown(&self, states: &[f64], is_complete: bool) -> Unknown {
        let are_finite = |numbers: &[f64]| numbers.iter().all(|x| x.is_finite());
        if !are_finite(&plain(self.start)) {
            return Unknown::Start;
        }
        let end = self.stops.last().map_or(self.from, |stop| stop.time);
        let first = Span::new([self.from, end]).inside(self.from);
        if !are_finite(&plain(&(self.rates)(first, self.start))) {
            return Unknown::Rates;
        }
        match is_complete || !are_finite(states) {
            true => Unknown::Steps,
            false => Unknown::Other,
        }
    }
}

fn plain<M: Mode>(numbers: &[Real<M>]) -> Vec<f64> {
    numbers.iter().map(|x| M::plain_value(x.0)).collect()
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
