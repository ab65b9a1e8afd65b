//! The functions whose means are 0, from polynomials of the coordinates.

use crate::density::Particles;
use nalgebra::{Cholesky, DMatrix};
use std::ops::Range;

/// Minimum number of states per function.
const STATES_EACH: usize = 8;

/// The largest number of functions: the matrix of their products has its square.
const MOST_FUNCTIONS: usize = 160;

/// The number of functions for this number of states and coordinates; 0 if there would be too many.
pub(in crate::engine) fn number_of_functions(states: usize, dim: usize) -> usize {
    Polynomials::for_states(states, dim).map_or(0, |polynomials| polynomials.count(dim))
}

/// The polynomials whose functions are used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Polynomials {
    /// z_k.
    Linear,
    /// z_k and z_k².
    Squares,
    /// z_k and all z_j z_k.
    Quadratic,
}

impl Polynomials {
    /// The largest set with enough of the `n` states for each function; `None` if there are too few for any set.
    pub(super) fn for_states(n: usize, dim: usize) -> Option<Self> {
        let most = (n / STATES_EACH).min(MOST_FUNCTIONS);
        let choices = [Self::Quadratic, Self::Squares, Self::Linear];
        choices.into_iter().find(|choice| choice.count(dim) <= most)
    }

    pub(super) fn count(self, dim: usize) -> usize {
        match self {
            Self::Linear => dim,
            Self::Squares => 2 * dim,
            Self::Quadratic => dim.saturating_mul(dim + 3) / 2,
        }
    }

    /// Adds the functions at a state `z` with this gradient.
    fn evaluate(self, z: &[f64], slope: &[f64], functions: &mut Vec<f64>) {
        functions.extend_from_slice(slope);
        if self != Self::Linear {
            functions.extend(z.iter().zip(slope).map(|(z, slope)| 1.0 + z * slope));
        }
        if self == Self::Quadratic {
            for j in 1..z.len() {
                let before = z[..j].iter().zip(slope);
                functions.extend(before.map(|(z_k, slope_k)| z[j] * slope_k + z_k * slope[j]));
            }
        }
    }
}

/// The functions at the states, `[functions, states]`; `None` if a number is not finite.
///
/// With all products, the coordinates are first made uncorrelated: the functions of nearly Gaussian states are then almost unrelated. These
/// coordinates are fitted to the states in `fitted`; for the others the means of the functions are 0. The span of the
/// squares depends on the directions far more, so the squares use the given coordinates.
pub(super) fn functions(
    states: &Particles,
    polynomials: Polynomials,
    fitted: &Range<usize>,
) -> Option<DMatrix<f64>> {
    let (n, dim) = (states.len(), states.dim);
    let mut z = DMatrix::from_column_slice(dim, n, &states.positions);
    let mut slope = DMatrix::from_column_slice(dim, n, &states.gradient);
    let mean = z.columns(fitted.start, fitted.len()).column_mean();
    z.column_iter_mut().for_each(|mut column| column -= &mean);
    if polynomials == Polynomials::Quadratic {
        let part = z.columns(fitted.start, fitted.len());
        let factor = Cholesky::new(part * part.transpose() / fitted.len() as f64)?.unpack();
        factor.solve_lower_triangular_mut(&mut z);
        slope = factor.transpose() * slope;
    }
    let count = polynomials.count(dim);
    let mut functions = Vec::with_capacity(n * count);
    let states = z.as_slice().chunks_exact(dim);
    for (z, slope) in states.zip(slope.as_slice().chunks_exact(dim)) {
        polynomials.evaluate(z, slope, &mut functions);
    }
    let finite = functions.iter().all(|x| x.is_finite());
    finite.then(|| DMatrix::from_vec(count, n, functions))
}
