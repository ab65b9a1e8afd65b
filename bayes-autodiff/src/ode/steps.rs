//! Steps of the method of Dormand and Prince (1980), table 2, RK5(4)7M.

use super::{Problem, Rates};
use crate::mode::Mode;
use crate::real::Real;

/// The place of each stage in its step.
pub(super) const NODES: [f64; 7] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];

/// The weights of the rates of earlier stages; the last row is that of the step itself, of order five.
pub(super) const WEIGHTS: [[f64; 6]; 6] = [
    [1.0 / 5.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [3.0 / 40.0, 9.0 / 40.0, 0.0, 0.0, 0.0, 0.0],
    [44.0 / 45.0, -56.0 / 15.0, 32.0 / 9.0, 0.0, 0.0, 0.0],
    [
        19372.0 / 6561.0,
        -25360.0 / 2187.0,
        64448.0 / 6561.0,
        -212.0 / 729.0,
        0.0,
        0.0,
    ],
    [
        9017.0 / 3168.0,
        -355.0 / 33.0,
        46732.0 / 5247.0,
        49.0 / 176.0,
        -5103.0 / 18656.0,
        0.0,
    ],
    [
        35.0 / 384.0,
        0.0,
        500.0 / 1113.0,
        125.0 / 192.0,
        -2187.0 / 6784.0,
        11.0 / 84.0,
    ],
];

/// The weights of the difference between the step and one of order four.
pub(super) const ERROR: [f64; 7] = [
    71.0 / 57600.0,
    0.0,
    -71.0 / 16695.0,
    71.0 / 1920.0,
    -17253.0 / 339_200.0,
    22.0 / 525.0,
    -1.0 / 40.0,
];

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

/// A step: its stages and where it ends.
pub(super) struct Step<M: Mode> {
    /// The rates of each stage, `[stage][state]`; the last are those at the end, if they have been computed.
    pub(super) rates: [Vec<Real<M>>; 7],
    /// The state of the last stage before the end.
    pub(super) sixth: Vec<Real<M>>,
    /// The state at the end.
    pub(super) end: Vec<Real<M>>,
}

impl<M: Mode> Step<M> {
    /// A step of this size from a state, at which the rates are `first`.
    pub(super) fn new(
        rates: &Rates<'_, M>,
        span: Span,
        [time, size]: [f64; 2],
        state: &[Real<M>],
        first: Vec<Real<M>>,
    ) -> Self {
        let zeros = || vec![Real::constant(0.0); state.len()];
        let mut step = Self {
            rates: std::array::from_fn(|_| Vec::new()),
            sixth: Vec::new(),
            end: state.to_vec(),
        };
        step.rates[0] = first;
        for (stage, weights) in WEIGHTS.iter().enumerate() {
            step.sixth = std::mem::replace(&mut step.end, state.to_vec());
            for (weight, rate) in weights.iter().zip(&step.rates[..=stage]) {
                if *weight != 0.0 {
                    let end = step.end.iter_mut().zip(rate);
                    end.for_each(|(end, rate)| *end += *rate * (size * weight));
                }
            }
            // the rates at the end are those at the beginning of the next step
            if stage + 1 < WEIGHTS.len() {
                let mut next = zeros();
                let at = span.inside(time + size * NODES[stage + 1]);
                rates(at, &step.end, &mut next);
                step.rates[stage + 1] = next;
            }
        }
        step
    }
}

impl<M: Mode> Problem<'_, M> {
    /// The states by a fixed number of steps from one stop to the next, row after row.
    pub(super) fn fixed(&self) -> Vec<Real<M>> {
        self.walk(|state, ends| {
            let [from, to] = ends;
            let (span, steps) = (Span::new(ends), self.steps as f64);
            for i in 0..self.steps {
                let time = from + (to - from) * (i as f64 / steps);
                let size = (to - from) / steps;
                let mut first = vec![Real::constant(0.0); state.len()];
                (self.rates)(span.inside(time), state, &mut first);
                *state = Step::new(self.rates, span, [time, size], state, first).end;
            }
        })
    }
}
