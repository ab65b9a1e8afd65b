//! A fixed number of steps from one stop to the next, by either method.

use super::{Problem, Rates, explicit, stiff};
use crate::mode::Mode;
use crate::real::Real;
use crate::value::Value;

/// How near a stop the rates are evaluated, as a share of the way from one stop to the next: they may jump at the stop itself.
const INSIDE: f64 = 1e-12;

/// The times between two stops at which rates are evaluated.
#[derive(Clone, Copy)]
pub(super) struct Span {
    from: f64,
    to: f64,
}

impl Span {
    pub(super) fn new([from, to]: [f64; 2]) -> Self {
        let inside = INSIDE * (to - from);
        Self {
            from: (from + inside).max(from.next_up()),
            to: (to - inside).min(to.next_down()),
        }
    }

    /// The time nearest to `time` that is between the stops.
    pub(super) fn inside(self, time: f64) -> f64 {
        time.max(self.from).min(self.to)
    }
}

/// How a step is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    Explicit,
    Stiff,
}

/// A step with its error.
pub(super) struct Fitted {
    /// The state at its end.
    pub(super) end: Vec<Real<Value>>,
    /// The error of each element.
    pub(super) error: Vec<f64>,
    /// The fastest decay that the step saw, times its size; 0 where it does not matter.
    pub(super) fastest: f64,
}

impl Method {
    /// By this power of the number of steps the error falls.
    pub(super) fn order(self) -> u32 {
        match self {
            Self::Explicit => explicit::ORDER,
            Self::Stiff => stiff::ORDER,
        }
    }

    /// The state after a step at `[time, size]`.
    fn end<M: Mode>(
        self,
        rates: &Rates<'_, M>,
        span: Span,
        at: [f64; 2],
        state: &[Real<M>],
    ) -> Vec<Real<M>> {
        match self {
            Self::Explicit => explicit::end(rates, span, at, state),
            Self::Stiff => stiff::end(rates, span, at, state),
        }
    }

    /// The same with its error.
    pub(super) fn fitted(
        self,
        rates: &Rates<'_, Value>,
        span: Span,
        at: [f64; 2],
        state: &[Real<Value>],
    ) -> Fitted {
        match self {
            Self::Explicit => explicit::fitted(rates, span, at, state),
            Self::Stiff => stiff::fitted(rates, span, at, state),
        }
    }
}

/// The distance of two states.
pub(super) fn distance(one: &[Real<Value>], other: &[Real<Value>]) -> f64 {
    let squares = one.iter().zip(other).map(|(a, b)| (a.0 - b.0).powi(2));
    squares.sum::<f64>().sqrt()
}

impl<M: Mode> Problem<'_, M> {
    /// The states by a fixed number of steps from one stop to the next, row after row.
    pub(super) fn fixed(&self) -> Vec<Real<M>> {
        self.walk(|state, ends| {
            let ([from, to], span) = (ends, Span::new(ends));
            let steps = self.steps as f64;
            for i in 0..self.steps {
                let at = [from + (to - from) * (i as f64 / steps), (to - from) / steps];
                *state = self.method.end(self.rates, span, at, state);
            }
        })
    }
}
