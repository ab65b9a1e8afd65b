//! The solution by steps that fit its error, at plain numbers: what the solution by fixed steps is compared with.

use super::doses::{Action, Stop};
use super::steps::{ERROR, NODES, Span, Step};
use super::{Problem, Rates};
use crate::mode::Mode;
use crate::real::Real;
use crate::value::Value;

/// The steps, refused ones included, after which a solution is given up.
const MOST_STEPS: usize = 20_000;
/// A step is shorter or longer than the one before by these factors at most.
const CHANGE: [f64; 2] = [0.2, 5.0];
/// Of the step that would just keep the tolerance.
const SAFETY: f64 = 0.9;
/// The product of a step and the fastest rate of decay beyond which the method is unstable (Hairer and Wanner 1996, section IV.2).
const STABLE: f64 = 3.25;
/// The number of such steps, with fewer than [`FAST`] others between them, from which on equations are stiff.
const STIFF: usize = 15;
const FAST: usize = 6;

/// A solution by steps that fit its error.
pub(super) struct Reference {
    /// The states, row after row; not those of the whole if it was given up.
    pub(super) states: Vec<f64>,
    pub(super) is_complete: bool,
    /// Whether stability, and not accuracy, limited the steps.
    pub(super) is_stiff: bool,
}

impl<M: Mode> Problem<'_, M> {
    /// The solution at plain numbers, with errors in a step of up to `tolerance` of the largest size so far.
    pub(super) fn reference(&self, tolerance: f64) -> Reference {
        let plain = |x: &Real<M>| Real::constant(M::plain_value(x.0));
        let rates = |t: f64, state: &[Real<Value>], out: &mut [Real<Value>]| {
            let state: Vec<Real<M>> = state.iter().map(|x| Real::constant(x.0)).collect();
            let mut rates = state.clone();
            (self.rates)(t, &state, &mut rates);
            for (out, rate) in out.iter_mut().zip(&rates) {
                *out = plain(rate);
            }
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
        };
        let mut control = Control::new(&start, tolerance);
        let states = problem.walk(|state, ends| control.advance(&rates, self.steps, state, ends));
        Reference {
            states: states.iter().map(|x| x.0).collect(),
            is_complete: control.left > 0,
            is_stiff: control.is_stiff,
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
        rates: &Rates<'_, Value>,
        steps: usize,
        state: &mut Vec<Real<Value>>,
        ends: [f64; 2],
    ) {
        let ([mut time, to], span) = (ends, Span::new(ends));
        let mut size = (to - time) / steps as f64;
        let at = |time: f64, state: &[Real<Value>]| {
            let mut out = vec![Real::constant(0.0); state.len()];
            rates(span.inside(time), state, &mut out);
            out
        };
        let mut first = at(time, state);
        while time < to && self.left > 0 {
            self.left -= 1;
            let is_last = time + size * (1.0 + 1e-10) >= to;
            size = if is_last { to - time } else { size };
            let mut step = Step::new(rates, span, [time, size], state, first.clone());
            step.rates[6] = at(time + size * NODES[6], &step.end);
            let error = self.error(&step, size);
            if error <= 1.0 {
                time = if is_last { to } else { time + size };
                self.note(&step, size);
                state.clone_from(&step.end);
                first.clone_from(&step.rates[6]);
            }
            // a step that is not finite is as wrong as can be
            let factor = match error.is_finite() {
                true => SAFETY * error.powf(-0.2),
                false => CHANGE[0],
            };
            size *= factor.clamp(CHANGE[0], CHANGE[1]);
            if time + size == time && time < to {
                self.left = 0;
            }
        }
    }

    /// The error of a step in units of the tolerance, the largest of any element.
    fn error(&self, step: &Step<Value>, size: f64) -> f64 {
        let mut worst: f64 = 0.0;
        for (i, end) in step.end.iter().enumerate() {
            let rates = ERROR.iter().zip(&step.rates);
            let error: f64 = rates.map(|(weight, rates)| weight * rates[i].0).sum();
            let scale = self.largest[i].max(end.0.abs()) * self.tolerance;
            let relative = match scale > 0.0 {
                true => (size * error).abs() / scale,
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
    fn note(&mut self, step: &Step<Value>, size: f64) {
        for (largest, end) in self.largest.iter_mut().zip(&step.end) {
            *largest = largest.max(end.0.abs());
        }
        let distance = |a: &[Real<Value>], b: &[Real<Value>]| {
            let squares = a.iter().zip(b).map(|(a, b)| (a.0 - b.0).powi(2));
            squares.sum::<f64>().sqrt()
        };
        let decay = distance(&step.rates[6], &step.rates[5]) / distance(&step.end, &step.sixth);
        if size * decay > STABLE {
            self.stable = 0;
            self.unstable += 1;
            self.is_stiff |= self.unstable >= STIFF;
        } else {
            self.stable += 1;
            if self.stable == FAST {
                self.unstable = 0;
            }
        }
    }
}
