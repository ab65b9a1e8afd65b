//! Values, gradients and Hessians of a program: the mode of a run, and the number of runs.

use crate::dual::{Dual, Dual2};
use crate::mode::Mode;
use crate::real::Real;
use crate::value::Value;

/// Code that turns a position into a log prior and a log likelihood, in any arithmetic.
pub trait Program {
    /// `[log_prior, log_likelihood]` at `position`, `[dim]`.
    fn evaluate<M: Mode>(&self, position: &[Real<M>]) -> [Real<M>; 2];
    /// Passes the program's own or borrowed numbers to `show`. Reverse mode refers to a matrix among them and copies any other.
    fn data<'a>(&'a self, _show: &mut dyn FnMut(&'a [f64])) {}
}

/// The largest number of derivatives in one run of a program. Wider ones would compute the values less often, but do not fit into the
/// registers. Narrower ones are for programs that are compiled for them once, not in every crate of a model.
pub const WIDTH: usize = 16;

/// `[log_prior, log_likelihood]` at `position`, without derivatives.
pub fn value<P: Program>(program: &P, position: &[f64]) -> [f64; 2] {
    let inputs: Vec<Real<Value>> = position.iter().map(|x| Real::constant(*x)).collect();
    program.evaluate(&inputs).map(Real::primal)
}

/// `[log_prior, log_likelihood]` at `position`, `[dim]`; writes the gradient of
/// `weights[0] log_prior + weights[1] log_likelihood` into `gradient`, `[dim]`.
///
/// A term of weight zero is left out, even if its gradient is not finite.
/// The program runs once for every chunk of up to 16 parameters.
///
/// # Panics
/// If `gradient` has another length than `position`.
pub fn gradient<P: Program>(
    program: &P,
    position: &[f64],
    weights: [f64; 2],
    gradient: &mut [f64],
) -> [f64; 2] {
    gradient_of(
        &|inputs| evaluate(program, inputs),
        position,
        weights,
        gradient,
    )
}

/// The derivative of `weights[0] log_prior + weights[1] log_likelihood` at `position` in a direction, both `[dim]`.
///
/// The program runs once, for any dimension.
pub fn directional_derivative<P: Program>(
    program: &P,
    position: &[f64],
    weights: [f64; 2],
    direction: &[f64],
) -> f64 {
    derivative_of(
        &|inputs| evaluate(program, inputs),
        position,
        weights,
        direction,
    )
}

/// A program in forward mode, without its type. The code that uses it is compiled once, not for every program.
pub type ForwardProgram<'a, const N: usize = WIDTH> =
    dyn Fn(&[Real<Dual<N>>]) -> [Real<Dual<N>>; 2] + 'a;

/// The program in forward mode. A single function, so that the program is compiled for it only once.
#[inline(never)]
fn evaluate<P: Program>(program: &P, inputs: &[Real<Dual<WIDTH>>]) -> [Real<Dual<WIDTH>>; 2] {
    program.evaluate(inputs)
}

/// [`gradient`] of a program without its type.
///
/// # Panics
/// As [`gradient`].
pub fn gradient_of<const N: usize>(
    program: &ForwardProgram<'_, N>,
    position: &[f64],
    weights: [f64; 2],
    gradient: &mut [f64],
) -> [f64; 2] {
    assert_eq!(
        position.len(),
        gradient.len(),
        "the gradient has the length of the position"
    );
    if position.is_empty() {
        return program(&[]).map(Real::primal);
    }
    let mut values = [0.0; 2];
    let mut start = 0;
    while start < position.len() {
        let done;
        (values, done) = chunk(program, position, start, weights, &mut gradient[start..]);
        start += done;
    }
    values
}

/// [`directional_derivative`] of a program without its type.
pub fn derivative_of<const N: usize>(
    program: &ForwardProgram<'_, N>,
    position: &[f64],
    weights: [f64; 2],
    direction: &[f64],
) -> f64 {
    let inputs: Vec<Real<Dual<N>>> = position
        .iter()
        .zip(direction)
        .map(|(x, slope)| *x + Dual::variable(0.0, 0) * *slope)
        .collect();
    let terms = program(&inputs).into_iter().zip(weights);
    terms
        .filter(|(_, weight)| *weight != 0.0)
        .map(|(x, weight)| weight * Dual::gradient(x)[0])
        .sum()
}

/// One run of the program: the derivatives in up to `N` parameters from `start` on. Returns the values and
/// the number of derivatives written.
fn chunk<const N: usize>(
    program: &ForwardProgram<'_, N>,
    position: &[f64],
    start: usize,
    weights: [f64; 2],
    gradient: &mut [f64],
) -> ([f64; 2], usize) {
    let inputs: Vec<Real<Dual<N>>> = position
        .iter()
        .enumerate()
        .map(|(i, x)| {
            if (start..start + N).contains(&i) {
                Dual::variable(*x, i - start)
            } else {
                Real::constant(*x)
            }
        })
        .collect();
    let outputs = program(&inputs);
    let mut slopes = [0.0; N];
    for (output, weight) in outputs
        .iter()
        .zip(weights)
        .filter(|(_, weight)| *weight != 0.0)
    {
        for (sum, slope) in slopes.iter_mut().zip(Dual::gradient(*output)) {
            *sum += weight * slope;
        }
    }
    let count = gradient.len().min(N);
    gradient[..count].copy_from_slice(&slopes[..count]);
    (outputs.map(Real::primal), count)
}

/// `[log_prior, log_likelihood]` at `position`, `[dim]`; writes the Hessian of
/// `weights[0] log_prior + weights[1] log_likelihood` into `hessian`, `[dim, dim]` row-major.
///
/// A term of weight zero is left out, as in [`gradient`]. The program runs once for every pair of blocks
/// of two parameters.
///
/// # Panics
/// If `hessian` is not the square of `position` in length.
pub fn hessian<P: Program>(
    program: &P,
    position: &[f64],
    weights: [f64; 2],
    hessian: &mut [f64],
) -> [f64; 2] {
    let dim = position.len();
    assert_eq!(
        dim * dim,
        hessian.len(),
        "the Hessian has the squared length of the position"
    );
    match dim {
        0 => value(program, position),
        1..=4 => block(program, position, weights, [0, 1, 2, 3], hessian),
        _ => blocks(program, position, weights, hessian),
    }
}

/// The parameters of one run.
const DIRECTIONS: usize = 4;

/// Every pair of blocks of two parameters.
fn blocks<P: Program>(
    program: &P,
    position: &[f64],
    weights: [f64; 2],
    hessian: &mut [f64],
) -> [f64; 2] {
    let starts: Vec<usize> = (0..position.len()).step_by(2).collect();
    let mut values = [0.0; 2];
    for (k, first) in starts.iter().enumerate() {
        for second in &starts[k + 1..] {
            let directions = [*first, first + 1, *second, second + 1];
            values = block(program, position, weights, directions, hessian);
        }
    }
    values
}

/// One run of the program: the second derivatives among the parameters `directions`; directions beyond the last parameter are left out.
///
/// Always of four: numbers with 8 slopes and 64 second derivatives would take a tenth of the time in which this crate is compiled. A Hessian
/// of 40 parameters would be faster by a quarter, one of 13 not at all.
fn block<P: Program>(
    program: &P,
    position: &[f64],
    weights: [f64; 2],
    directions: [usize; DIRECTIONS],
    hessian: &mut [f64],
) -> [f64; 2] {
    let dim = position.len();
    let mut inputs: Vec<Real<Dual2<DIRECTIONS>>> =
        position.iter().map(|x| Real::constant(*x)).collect();
    for (index, parameter) in directions
        .iter()
        .enumerate()
        .filter(|(_, parameter)| **parameter < dim)
    {
        inputs[*parameter] = Dual2::variable(position[*parameter], index);
    }
    let outputs = program.evaluate(&inputs);
    let second = outputs.map(Dual2::hessian);
    for (a, i) in directions.iter().enumerate().filter(|(_, i)| **i < dim) {
        for (b, k) in directions.iter().enumerate().filter(|(_, k)| **k < dim) {
            let terms = second
                .iter()
                .zip(weights)
                .filter(|(_, weight)| *weight != 0.0);
            hessian[i * dim + k] = terms.map(|(matrix, weight)| weight * matrix[a][b]).sum();
        }
    }
    outputs.map(Real::primal)
}
