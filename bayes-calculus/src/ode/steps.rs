//! A fixed number of steps from one stop to the next, by either method.

use super::{Problem, Rates, explicit, stiff};
use bayes_autodiff::Mode;
use bayes_autodiff::Real;

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
}

impl<M: Mode> Problem<'_, M> {
    /// The states by this number of steps from one stop to the next, row after row.
    pub(super) fn by_steps(&self, number: usize) -> Vec<Real<M>> {
        self.walk(|state, ends| {
            let ([from, to], span) = (ends, Span::new(ends));
            let steps = number as f64;
            for i in 0..number {
                let at = [from + (to - from) * (i as f64 / steps), (to - from) / steps];
                *state = self.method.end(self.rates, span, at, state);
            }
        })
    }
}
