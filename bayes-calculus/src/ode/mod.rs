//! Ordinary differential equations whose rates, starts and doses may be random: `ode(|t, [s, i]| .., start).at(&times)`.
//!
//! The steps are the same for all particles and in every arithmetic, so that a solution is a smooth function of the random values and
//! its trace is one list of operations. How far it is off is found after a run, at its draws ([`watch`]): another solution of the
//! same equations takes steps that fit its error.

mod doses;
mod explicit;
mod reference;
mod state;
mod steps;
mod stiff;
#[cfg(test)]
mod tests;
mod watch;

pub use state::State;
pub use watch::{Solution, Unknown, Unseen, Watch, watch};

use bayes_autodiff::Matrix;
use bayes_autodiff::Mode;
use bayes_autodiff::Real;
use bayes_autodiff::fault::{Fault, raise};
use doses::{Action, Stop};
use std::marker::PhantomData;
use std::panic::Location;
use steps::Method;
use watch::Asked;

/// The steps from one stop to the next, unless the user sets them.
const STEPS: usize = 4;
/// The tolerance, unless the user sets it.
const TOLERANCE: f64 = 1e-4;

/// The rates at a time and a state.
type Rates<'a, M> = dyn Fn(f64, &[Real<M>]) -> Vec<Real<M>> + 'a;

/// The solution of `dz/dt = rates(t, z)` that is `start` at time 0, or at the time of [`Ode::from`].
///
/// The state is an array, `[Real; 2]`, or a `Vector`; `rates` gives as many rates of change, and may read any data and random values.
/// Times are data. The rates are never evaluated at a stop itself, only before or after it, so that they may jump there.
///
/// The method is by Dormand and Prince (1980), of order five, with [`Ode::steps`] steps from one stop to the next. Stops are the times
/// of [`Ode::at`], of doses and of [`Ode::stop_at`].
///
/// ```
/// use bayes_autodiff::{Real, Value};
/// use bayes_calculus::ode;
///
/// let rate: Real<Value> = Real::constant(0.5);
/// let z = ode(|_, [mass]| [-rate * mass], [Real::constant(8.0)]).at(&[1.0, 2.0]);
/// assert!((z[(1, 0)].primal() - 8.0 * (-1.0_f64).exp()).abs() < 1e-6);
/// ```
#[track_caller]
pub fn ode<M: Mode, S: State<M>, F: Fn(f64, S) -> S>(rates: F, start: S) -> Ode<M, S, F> {
    Ode {
        rates,
        from: 0.0,
        doses: Vec::new(),
        stops: Vec::new(),
        steps: STEPS,
        method: Method::Explicit,
        tolerance: TOLERANCE,
        place: Location::caller(),
        start,
        mode: PhantomData,
    }
}

/// Differential equations with their start; [`Ode::at`] solves them.
#[must_use = "`.at(&times)` gives the states"]
pub struct Ode<M: Mode, S, F> {
    rates: F,
    start: S,
    from: f64,
    doses: Vec<(f64, usize, Real<M>)>,
    stops: Vec<f64>,
    steps: usize,
    method: Method,
    tolerance: f64,
    /// Where the user calls `ode`.
    place: &'static Location<'static>,
    mode: PhantomData<M>,
}

impl<M: Mode, S: State<M>, F: Fn(f64, S) -> S> Ode<M, S, F> {
    /// The time of the start; 0 by default.
    pub fn from(self, time: f64) -> Self {
        Self { from: time, ..self }
    }

    /// At `time` the element `component` of the state grows by `amount`. A state at the same time is the state before the dose. No state
    /// sees a dose after the last time, and a run warns of it.
    pub fn dose(mut self, time: f64, component: usize, amount: impl Into<Real<M>>) -> Self {
        self.doses.push((time, component, amount.into()));
        self
    }

    /// Further times at which a step ends: where the rates jump or bend, such as the end of an infusion.
    pub fn stop_at(mut self, times: &[f64]) -> Self {
        self.stops.extend_from_slice(times);
        self
    }

    /// The number of steps from one stop to the next; 4 by default. It does not follow the random values. The time of a gradient
    /// grows in proportion to it; the error falls with its fifth power where the rates are smooth, and with its third after [`Ode::stiff`].
    pub fn steps(self, steps: usize) -> Self {
        Self { steps, ..self }
    }

    /// Implicit steps, for stiff equations: something in them settles much faster than the solution changes. The method is ROS34PW2 by Rang and
    /// Angermann (2005), of order three, so that the steps need more steps for the same error, and each takes a system of linear
    /// equations in the state. A run says when equations are stiff.
    pub fn stiff(self) -> Self {
        Self {
            method: Method::Stiff,
            ..self
        }
    }

    /// The largest error of a state that is not worth a warning, relative to the largest size of the same element at any of the times;
    /// 1e-4 by default. It does not change the steps.
    pub fn tolerance(self, tolerance: f64) -> Self {
        Self { tolerance, ..self }
    }

    /// The states at `times`, one row for each, `[times, elements of the state]`. Times may repeat.
    ///
    /// # Panics
    /// With a [`Fault::Equations`] (in a model, an error before the run) if a time is not finite, is before the start or before the one in
    /// front of it; if a
    /// dose has no element of the state; if the rates are not as many as the states; without steps, or with a tolerance that is not above
    /// 0.
    #[must_use]
    pub fn at(self, times: &[f64]) -> Matrix<M> {
        self.check(times);
        let dim = self.start.elements().len();
        let stops = self.stops_until(times);
        let rates = |t: f64, state: &[Real<M>]| {
            let rates = (self.rates)(t, S::from_elements(state));
            let rates = rates.elements();
            if rates.len() != dim {
                let number = rates.len();
                self.refuse(format!(
                    "the rates are {number}, the states {dim}: there must be a rate for each state"
                ));
            }
            rates.to_vec()
        };
        let problem = Problem {
            rates: &rates,
            start: self.start.elements(),
            stops: &stops,
            from: self.from,
            steps: self.steps,
            method: self.method,
        };
        let states = problem.by_steps(self.steps);
        let asked = Asked {
            place: self.place,
            tolerance: self.tolerance,
            unseen: self.unseen(times),
        };
        let states = watch::compare(&problem, states, asked);
        Matrix::from_elements(times.len(), dim, states)
    }

    /// Everything at which a step ends, in the order of time; what is asked for at a time comes before the doses at it.
    fn stops_until(&self, times: &[f64]) -> Vec<Stop<M>> {
        let end = times.last().copied().unwrap_or(self.from);
        let asked = times.iter().map(|time| (*time, Action::Keep));
        let plain = self.stops.iter().map(|time| (*time, Action::Pass));
        let doses = self.doses.iter();
        let doses = doses.map(|(time, component, amount)| {
            let action = Action::Dose(*component, *amount);
            (*time, action)
        });
        let stops = asked.chain(plain).chain(doses);
        let stops = stops.filter(|(time, _)| (self.from..=end).contains(time));
        let mut stops: Vec<Stop<M>> = stops.map(|(time, action)| Stop { time, action }).collect();
        stops.sort_by(|a, b| a.time.total_cmp(&b.time));
        stops
    }

    /// The first dose, or else the first stop, after the last of the times. A solution without times sees none of them.
    fn unseen(&self, times: &[f64]) -> Option<Unseen> {
        let last = *times.last()?;
        let doses = self.doses.iter().map(|(time, ..)| *time).enumerate();
        let stops = self.stops.iter().copied().enumerate();
        let doses = doses.map(|(index, time)| ("dose", index, time));
        let stops = stops.map(|(index, time)| ("stop", index, time));
        let mut all = doses.chain(stops);
        let (what, index, time) = all.find(|(_, _, time)| *time > last)?;
        Some(Unseen {
            what,
            index,
            time,
            last,
        })
    }

    fn check(&self, times: &[f64]) {
        if !self.from.is_finite() {
            self.refuse(format!(
                "the start is at time {:?}, must be finite",
                self.from
            ));
        }
        if self.steps == 0 {
            self.refuse(
                "there are 0 steps from one stop to the next, must be at least 1".to_owned(),
            );
        }
        if self.tolerance.is_nan() || self.tolerance <= 0.0 {
            let given = self.tolerance;
            self.refuse(format!("the tolerance is {given:?}, must be above 0"));
        }
        let mut before = (self.from, "the start".to_owned());
        for (index, time) in times.iter().enumerate() {
            if !time.is_finite() {
                self.refuse(format!(
                    "the time with index {index} is {time:?}, must be finite"
                ));
            }
            if *time < before.0 {
                let (earlier, name) = before;
                self.refuse(format!(
                    "the time with index {index} is {time:?}, must not be before {name} at {earlier:?}"
                ));
            }
            before = (*time, format!("the time with index {index}"));
        }
        self.check_stops();
    }

    /// Checks the times of doses and further stops, and the doses' places.
    fn check_stops(&self) {
        let dim = self.start.elements().len();
        let doses = self.doses.iter().map(|(time, ..)| ("dose", *time));
        let stops = self.stops.iter().map(|time| ("stop", *time));
        for (index, (what, time)) in doses.chain(stops).enumerate() {
            if !time.is_finite() || time < self.from {
                let index = index - usize::from(what == "stop") * self.doses.len();
                let from = self.from;
                self.refuse(format!(
                    "the {what} with index {index} is at {time:?}, must be finite and not before the start at {from:?}"
                ));
            }
        }
        let wrong = self.doses.iter().position(|(_, place, _)| *place >= dim);
        if let Some(index) = wrong {
            let place = self.doses[index].1;
            self.refuse(format!(
                "the dose with index {index} is for element {place} of a state of {dim}"
            ));
        }
    }

    /// Stops the model.
    #[cold]
    fn refuse(&self, reason: String) -> ! {
        raise(Fault::Equations {
            reason,
            file: self.place.file(),
            line: self.place.line(),
        })
    }
}

/// Equations with all that a solution needs.
struct Problem<'a, M: Mode> {
    rates: &'a Rates<'a, M>,
    start: &'a [Real<M>],
    /// In the order of time.
    stops: &'a [Stop<M>],
    from: f64,
    /// From one stop to the next.
    steps: usize,
    method: Method,
}
