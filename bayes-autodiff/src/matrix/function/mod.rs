//! Functions of a square matrix that are one operation: inverse, exponential, eigenvalues. Each is written once, for numbers of any mode
//! and for lanes.

mod eigen;
mod exponential;
mod inverse;

use super::arithmetic::Arithmetic;

/// A function of a square matrix `A`, `[dim, dim]`, row-major.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixFunction {
    /// `A⁻¹`, row-major, then `ln |det A|`: `dim² + 1` numbers.
    Inverse,
    /// `e^A`, row-major: `dim²` numbers.
    Exponential,
    /// The eigenvalues of a symmetric matrix in increasing order, then their eigenvectors, the columns of a row-major matrix: `dim + dim²`
    /// numbers. Only the lower triangle is read.
    Eigen,
}

impl MatrixFunction {
    /// The number of results.
    pub(crate) fn outputs(self, dim: usize) -> usize {
        match self {
            Self::Inverse => dim * dim + 1,
            Self::Exponential => dim * dim,
            Self::Eigen => dim * dim + dim,
        }
    }

    /// The results.
    #[inline(always)]
    pub(crate) fn values<A: Arithmetic>(self, dim: usize, of: &[A::X]) -> Vec<A::X> {
        match self {
            Self::Inverse => inverse::inverse::<A>(dim, of),
            Self::Exponential => exponential::exponential::<A>(dim, of),
            Self::Eigen => eigen::eigen::<A>(dim, of),
        }
    }

    /// The adjoints of the matrix, from its elements, the results and their adjoints.
    #[inline(always)]
    pub(crate) fn adjoints<A: Arithmetic>(
        self,
        dim: usize,
        of: &[A::X],
        results: &[A::X],
        adjoints: &[A::X],
    ) -> Vec<A::X> {
        match self {
            Self::Inverse => inverse::adjoint::<A>(dim, results, adjoints),
            Self::Exponential => exponential::adjoint::<A>(dim, of, adjoints),
            Self::Eigen => eigen::adjoint::<A>(dim, results, adjoints),
        }
    }
}

/// The product of two matrices `[dim, dim]`.
#[inline(always)]
fn product<A: Arithmetic>(dim: usize, left: &[A::X], right: &[A::X]) -> Vec<A::X> {
    let mut all = vec![A::constant(0.0); dim * dim];
    for i in 0..dim {
        for j in 0..dim {
            let factor = left[i * dim + j];
            for k in 0..dim {
                let term = A::mul(factor, right[j * dim + k]);
                all[i * dim + k] = A::add(all[i * dim + k], term);
            }
        }
    }
    all
}

/// Rows and columns exchanged.
#[inline(always)]
fn transposed<X: Copy>(dim: usize, matrix: &[X]) -> Vec<X> {
    let mut all = matrix.to_vec();
    for i in 0..dim {
        for k in 0..dim {
            all[i * dim + k] = matrix[k * dim + i];
        }
    }
    all
}
