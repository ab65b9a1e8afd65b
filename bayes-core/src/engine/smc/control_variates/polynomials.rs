//! The functions whose means are 0, from polynomials of the coordinates.

use bayes_autodiff::simd::{LANES, Simd};

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

    /// The functions at eight states, `[functions]`: 1 and the coordinates and slopes of the states, `[1 + 2 dim]`, or 0 in a lane without a
    /// state.
    #[inline(always)]
    pub(super) fn evaluate<S: Simd>(self, group: &[[f64; LANES]], functions: &mut [[f64; LANES]]) {
        let (one, rest) = (S::load(&group[0]), &group[1..]);
        let dim = rest.len() / 2;
        let (z, slope) = rest.split_at(dim);
        functions[..dim].copy_from_slice(slope);
        if self != Self::Linear {
            let squares = &mut functions[dim..2 * dim];
            for k in 0..dim {
                let square = S::mul_add(S::load(&z[k]), S::load(&slope[k]), one);
                S::store(square, &mut squares[k]);
            }
        }
        if self == Self::Quadratic {
            let mut first = 2 * dim;
            for j in 1..dim {
                let (z_j, slope_j) = (S::load(&z[j]), S::load(&slope[j]));
                let products = &mut functions[first..first + j];
                for k in 0..j {
                    let product = S::mul(S::load(&z[k]), slope_j);
                    let product = S::mul_add(z_j, S::load(&slope[k]), product);
                    S::store(product, &mut products[k]);
                }
                first += j;
            }
        }
    }
}
