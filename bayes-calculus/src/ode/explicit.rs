//! Steps of the method of Dormand and Prince (1980), table 2, RK5(4)7M: order five, explicit.

use super::Rates;
use super::steps::Span;
use bayes_autodiff::Mode;
use bayes_autodiff::Real;
use bayes_autodiff::Value;

/// The order of the method.
pub(super) const ORDER: u32 = 5;

/// The place of each stage in its step.
pub(super) const NODES: [f64; 7] = [0.0, 1.0 / 5.0, 3.0 / 10.0, 4.0 / 5.0, 8.0 / 9.0, 1.0, 1.0];

/// The weights of the rates of earlier stages; the last row makes the step itself, of order five.
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

/// A step: its stages and where it ends.
struct Step<M: Mode> {
    /// The rates of each stage but the last, `[stage][state]`.
    rates: Vec<Vec<Real<M>>>,
    /// The state of the last stage before the end.
    sixth: Vec<Real<M>>,
    /// The state at the end.
    end: Vec<Real<M>>,
}

/// The stages of a step of this size from a state.
fn step<M: Mode>(
    rates: &Rates<'_, M>,
    span: Span,
    [time, size]: [f64; 2],
    state: &[Real<M>],
) -> Step<M> {
    let mut step = Step {
        rates: Vec::with_capacity(NODES.len()),
        sixth: Vec::new(),
        end: state.to_vec(),
    };
    for (stage, weights) in WEIGHTS.iter().enumerate() {
        // the rates of the last stage are those at the end, which the next step computes
        let at = span.inside(time + size * NODES[stage]);
        step.rates.push(rates(at, &step.end));
        step.sixth = std::mem::replace(&mut step.end, state.to_vec());
        for (weight, rate) in weights.iter().zip(&step.rates) {
            if *weight != 0.0 {
                let end = step.end.iter_mut().zip(rate);
                end.for_each(|(end, rate)| *end += *rate * (size * weight));
            }
        }
    }
    step
}

/// The state at the end of a step.
pub(super) fn end<M: Mode>(
    rates: &Rates<'_, M>,
    span: Span,
    at: [f64; 2],
    state: &[Real<M>],
) -> Vec<Real<M>> {
    step(rates, span, at, state).end
}

/// A step with its error.
pub(super) struct Fitted {
    /// The state at its end.
    pub(super) end: Vec<Real<Value>>,
    /// The error of each element.
    pub(super) error: Vec<f64>,
    /// The fastest decay that the step saw, times its size.
    pub(super) fastest: f64,
}

/// The distance of two states.
fn distance(one: &[Real<Value>], other: &[Real<Value>]) -> f64 {
    let squares = one.iter().zip(other).map(|(a, b)| (a.0 - b.0).powi(2));
    squares.sum::<f64>().sqrt()
}

/// The state at the end of a step, with its error.
pub(super) fn fitted(
    rates: &Rates<'_, Value>,
    span: Span,
    [time, size]: [f64; 2],
    state: &[Real<Value>],
) -> Fitted {
    let mut step = step(rates, span, [time, size], state);
    let last = rates(span.inside(time + size), &step.end);
    let decay = distance(&last, &step.rates[5]) / distance(&step.end, &step.sixth);
    step.rates.push(last);
    let error = |i: usize| -> f64 {
        let rates = ERROR.iter().zip(&step.rates);
        size * rates
            .map(|(weight, rates)| weight * rates[i].0)
            .sum::<f64>()
    };
    Fitted {
        error: (0..state.len()).map(error).collect(),
        fastest: size * decay,
        end: step.end,
    }
}
