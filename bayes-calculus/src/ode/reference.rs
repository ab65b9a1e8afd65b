//! A solution that keeps a tolerance, at plain numbers: what the solution by the user's steps is compared with. Explicit steps fit their
//! error; implicit ones are doubled until the solution stays.

use super::Problem;
use super::doses::{Action, Stop};
use super::explicit::{self, Fitted};
use super::steps::{Method, Span};
use super::watch::difference;
use bayes_autodiff::Mode;
use bayes_autodiff::Real;
use bayes_autodiff::Value;

/// The steps, refused ones included, after which a solution is given up.
const MOST_STEPS: usize = 5000;
/// The explicit steps that are still taken when equations have turned out stiff: implicit ones take less time.
const STIFF_STEPS: usize = 300;
/// Implicit steps are doubled up to this number of times.
const DOUBLINGS: u32 = 6;
/// A step is shorter or longer than the one before by these factors at most.
const CHANGE: [f64; 2] = [0.2, 5.0];
/// Of the step that would just keep the tolerance.
const SAFETY: f64 = 0.9;
/// The product of a step and the fastest rate of decay beyond which the method is unstable (Hairer and Wanner 1996, section IV.2).
const STABLE: f64 = 3.25;
/// The number of such steps, with fewer than [`FAST`] others between them, from which on equations are stiff.
const STIFF: usize = 15;
const FAST: usize = 6;

/// A solution that keeps a tolerance.
pub(super) struct Reference {
    /// The states, row after row; not those of the whole if it was given up.
    pub(super) states: Vec<f64>,
    pub(super) is_complete: bool,
    /// Whether stability, and not accuracy, limited the steps.
    pub(super) is_stiff: bool,
}

impl<M: Mode> Problem<'_, M> {
    /// The solution at plain numbers, with errors of about `tolerance` of the largest size of each element.
    pub(super) fn reference(&self, method: Method, tolerance: f64) -> Reference {
        let plain = |x: &Real<M>| Real::constant(M::plain_value(x.0));
        let rates = |t: f64, state: &[Real<Value>]| {
            let state: Vec<Real<M>> = state.iter().map(|x| Real::constant(x.0)).collect();
            (self.rates)(t, &state).iter().map(plain).collect()
        };
        let start: Vec<Real<Value>> = self.start.iter().map(plain).collect();
        let stops = self.stops.iter().map(|stop| Stop {
            time: stop.time,
            action: match &stop.action {
                Action::Keep => Action::Keep,
                Action::Pass => Action::Pass,
                Action::Dose(place, amount) => Action::Dose(*place, plain(amount)),
            },
        });
        let stops: Vec<Stop<Value>> = stops.collect();
        let problem = Problem {
            rates: &rates,
            start: &start,
            stops: &stops,
            from: self.from,
            steps: self.steps,
            method,
        };
        match method {
            Method::Explicit => problem.fitting(tolerance),
            Method::Stiff => problem.doubled(tolerance),
        }
    }
}

impl Problem<'_, Value> {
    /// By explicit steps that fit their error.
    fn fitting(&self, tolerance: f64) -> Reference {
        let mut control = Control::new(self.start, tolerance);
        let states = self.walk(|state, ends| control.advance(self, state, ends));
        Reference {
            states: states.iter().map(|x| x.0).collect(),
            is_complete: control.left > 0,
            is_stiff: control.is_stiff,
        }
    }

    /// By implicit steps, twice as many each time, until twice as many change it by less than the tolerance.
    fn doubled(&self, tolerance: f64) -> Reference {
        let plain = |states: &[Real<Value>]| states.iter().map(|x| x.0).collect::<Vec<f64>>();
        let start = plain(self.start);
        let mut states = plain(&self.by_steps(self.steps));
        let mut is_complete = false;
        for doubling in 1..=DOUBLINGS {
            let finer = plain(&self.by_steps(self.steps << doubling));
            is_complete = difference(&states, &finer, &start) < tolerance;
            states = finer;
            if is_complete {
                break;
            }
        }
        Reference {
            states,
            is_complete,
            is_stiff: false,
        }
    }
}

/// How steps fit their error.
struct Control {
    tolerance: f64,
    /// The largest size of each element of the state so far.
    largest: Vec<f64>,
    /// The number of steps until the solution is given up.
    left: usize,
    /// Steps at the edge of stability, and others since the last of these.
    unstable: usize,
    stable: usize,
    is_stiff: bool,
}

impl Control {
    fn new(start: &[Real<Value>], tolerance: f64) -> Self {
        Self {
            tolerance,
            largest: start.iter().map(|x| x.0.abs()).collect(),
            left: MOST_STEPS,
            unstable: 0,
            stable: 0,
            is_stiff: false,
        }
    }

    /// Takes the state from one stop to the next.
    fn advance(
        &mut self,
        problem: &Problem<'_, Value>,
        state: &mut Vec<Real<Value>>,
        ends: [f64; 2],
    ) {
        let ([mut time, to], span) = (ends, Span::new(ends));
        let mut size = (to - time) / problem.steps as f64;
        while time < to && self.left > 0 {
            self.left -= 1;
            let is_last = time + size * (1.0 + 1e-10) >= to;
            size = if is_last { to - time } else { size };
            let step = explicit::fitted(problem.rates, span, [time, size], state);
            let error = self.error(&step);
            if error <= 1.0 {
                time = if is_last { to } else { time + size };
                self.note(&step);
                *state = step.end;
            }
            // a step that is not finite is as wrong as can be
            let factor = match error.is_finite() {
                true => SAFETY * error.powf(-1.0 / f64::from(explicit::ORDER)),
                false => CHANGE[0],
            };
            size *= factor.clamp(CHANGE[0], CHANGE[1]);
            if time + size == time && time < to {
                self.left = 0;
            }
        }
    }

    /// The error of a step in units of the tolerance, the largest of any element.
    fn error(&self, step: &Fitted) -> f64 {
        let mut worst: f64 = 0.0;
        for (i, (end, error)) in step.end.iter().zip(&step.error).enumerate() {
            let scale = self.largest[i].max(end.0.abs()) * self.tolerance;
            let relative = match scale > 0.0 {
                true => error.abs() / scale,
                false => 0.0,
            };
            if !end.0.is_finite() || relative.is_nan() {
                return f64::INFINITY;
            }
            worst = worst.max(relative);
        }
        worst
    }

    /// Notes a step that was taken.
    fn note(&mut self, step: &Fitted) {
        for (largest, end) in self.largest.iter_mut().zip(&step.end) {
            *largest = largest.max(end.0.abs());
        }
        if step.fastest > STABLE {
            self.stable = 0;
            self.unstable += 1;
            if self.unstable >= STIFF && !self.is_stiff {
                self.is_stiff = true;
                self.left = self.left.min(STIFF_STEPS);
            }
        } else {
            self.stable += 1;
            if self.stable == FAST {
                self.unstable = 0;
            }
        }
    }
}
