//! Steps of the method ROS34PW2 of Rang and Angermann (2005): order three, linearly implicit and L-stable.
//!
//! ```text
//! (I - h γ J) v_i = h f(z + Σ_j α_ij k_j) + Σ_j γ_ij/γ k_j,    k_i = v_i - Σ_j γ_ij/γ k_j,    z' = z + Σ_i b_i k_i
//! ```
//!
//! The Jacobian `J` of the rates is by central differences, exact but for rounding where rates are products of two states; the order of
//! the method does not depend on it.

use super::Rates;
use super::steps::Span;
use bayes_autodiff::Mode;
use bayes_autodiff::Real;

/// The order of the method.
pub(super) const ORDER: u32 = 3;

/// `γ`.
pub(super) const DIAGONAL: f64 = 4.358_665_215_084_59e-1;

/// `α_ij`, below the diagonal.
pub(super) const ALPHA: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [8.717_330_430_169_18e-1, 0.0, 0.0],
    [8.445_706_001_536_942e-1, -1.129_906_423_648_418_5e-1, 0.0],
    [0.0, 0.0, 1.0],
];

/// `γ_ij`, below the diagonal.
pub(super) const GAMMA: [[f64; 3]; 4] = [
    [0.0, 0.0, 0.0],
    [-8.717_330_430_169_18e-1, 0.0, 0.0],
    [-9.033_805_701_304_408e-1, 5.418_067_238_809_532_6e-2, 0.0],
    [
        2.421_238_070_609_534_6e-1,
        -1.223_250_583_904_514_7,
        5.452_602_553_351_021e-1,
    ],
];

/// `b_i`.
pub(super) const WEIGHTS: [f64; 4] = [
    2.421_238_070_609_534_6e-1,
    -1.223_250_583_904_514_7,
    1.545_260_255_335_102,
    4.358_665_215_084_59e-1,
];

/// The differences for the Jacobian, as a share of the size of an element: large enough for their rounding, which derivatives of the
/// states see.
const DIFFERENCE: f64 = 1e-5;
/// An element near 0 may be as large as this share of the others.
const SMALL: f64 = 1e-3;
/// No difference is 0.
const LEAST: f64 = 1e-100;

/// The increments `k_i` of the stages of a step, `[stage][state]`.
fn increments<M: Mode>(
    rates: &Rates<'_, M>,
    span: Span,
    [time, size]: [f64; 2],
    state: &[Real<M>],
) -> Vec<Vec<Real<M>>> {
    let first = rates(span.inside(time), state);
    let mut matrix = implicit(rates, span.inside(time), size, state);
    decompose(&mut matrix);
    let mut increments: Vec<Vec<Real<M>>> = Vec::with_capacity(WEIGHTS.len());
    for (alpha, gamma) in ALPHA.iter().zip(&GAMMA) {
        let rate = match increments.is_empty() {
            true => first.clone(),
            false => {
                let node: f64 = alpha.iter().sum();
                let at = span.inside(time + size * node);
                rates(at, &combined(state, alpha, &increments))
            }
        };
        let zeros = vec![Real::constant(0.0); state.len()];
        let earlier = combined(&zeros, &gamma.map(|gamma| gamma / DIAGONAL), &increments);
        let right = rate.iter().zip(&earlier);
        let mut next: Vec<Real<M>> = right
            .map(|(rate, earlier)| *rate * size + *earlier)
            .collect();
        solve(&matrix, &mut next);
        for (next, earlier) in next.iter_mut().zip(&earlier) {
            *next -= *earlier;
        }
        increments.push(next);
    }
    increments
}

/// `state + Σ_j weights[j] increments[j]`.
fn combined<M: Mode>(
    state: &[Real<M>],
    weights: &[f64],
    increments: &[Vec<Real<M>>],
) -> Vec<Real<M>> {
    let mut sum = state.to_vec();
    for (weight, increment) in weights.iter().zip(increments) {
        if *weight != 0.0 {
            let elements = sum.iter_mut().zip(increment);
            elements.for_each(|(sum, increment)| *sum += *increment * *weight);
        }
    }
    sum
}

/// `I - h γ J`, `[row][column]`.
fn implicit<M: Mode>(
    rates: &Rates<'_, M>,
    time: f64,
    size: f64,
    state: &[Real<M>],
) -> Vec<Vec<Real<M>>> {
    let dim = state.len();
    let total: Real<M> = state.iter().map(|z| z.abs()).sum();
    let mut matrix = vec![vec![Real::constant(0.0); dim]; dim];
    for column in 0..dim {
        let typical = state[column].abs() + total * (SMALL / dim as f64) + LEAST;
        let difference = typical * DIFFERENCE;
        let moved = |by: Real<M>| {
            let mut moved = state.to_vec();
            moved[column] += by;
            rates(time, &moved)
        };
        let (above, below) = (moved(difference), moved(-difference));
        let scale = -0.5 * size * DIAGONAL / difference;
        for row in 0..dim {
            matrix[row][column] = (above[row] - below[row]) * scale;
        }
        matrix[column][column] += 1.0;
    }
    matrix
}

/// Replaces a matrix by its factors `L` (with ones on the diagonal) and `U`, with the reciprocals of the diagonal of `U`. There are no
/// pivots: which row is the largest would be a branch on random values.
fn decompose<M: Mode>(matrix: &mut [Vec<Real<M>>]) {
    for k in 0..matrix.len() {
        matrix[k][k] = 1.0 / matrix[k][k];
        let (above, below) = matrix.split_at_mut(k + 1);
        let pivot = &above[k];
        for row in below {
            row[k] *= pivot[k];
            for column in k + 1..row.len() {
                let multiple = row[k] * pivot[column];
                row[column] -= multiple;
            }
        }
    }
}

/// Replaces `x` by the solution of the system with these factors.
fn solve<M: Mode>(factors: &[Vec<Real<M>>], x: &mut [Real<M>]) {
    for row in 0..x.len() {
        let mut rest = x[row];
        for column in 0..row {
            rest -= factors[row][column] * x[column];
        }
        x[row] = rest;
    }
    for row in (0..x.len()).rev() {
        let mut rest = x[row];
        for column in row + 1..x.len() {
            rest -= factors[row][column] * x[column];
        }
        x[row] = rest * factors[row][row];
    }
}

/// The state at the end of a step.
pub(super) fn end<M: Mode>(
    rates: &Rates<'_, M>,
    span: Span,
    at: [f64; 2],
    state: &[Real<M>],
) -> Vec<Real<M>> {
    combined(state, &WEIGHTS, &increments(rates, span, at, state))
}
