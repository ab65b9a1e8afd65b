//! Operations on sparse symmetric matrices.

use super::super::Trace;
use super::{Numbers, check, replayed};
use crate::gradient::Program;
use crate::simd::InstructionSet;
use crate::{Mode, Real, SparseMatrix, SparsePattern, SparsePencil};

/// `ln det A` and `xᵀ A x` of a matrix whose entries are functions of two numbers; `x` are the other coordinates.
struct Field {
    pattern: SparsePattern,
}

impl Program for Field {
    fn evaluate<M: Mode>(&self, position: &[Real<M>]) -> [Real<M>; 2] {
        let (scale, share) = (position[0].exp(), position[1]);
        let matrix = self.pattern.matrix(|i, j| {
            if i == j {
                scale * (5.0 + (i as f64).sin())
            } else {
                scale * share * (j as f64 * 0.3).cos()
            }
        });
        let x: Vec<Real<M>> = position[2..].iter().map(|x| 2.0 * x).collect();
        let determinant = matrix.log_determinant();
        [determinant, matrix.quadratic_form(&x) * determinant.tanh()]
    }
}

/// Mutations meant to be detected: entries beside the diagonal that count once in a gradient, and squares whose gradient misses a half.
#[test]
fn sparse_determinants_and_squares_are_those_of_forward_mode() {
    let pairs = (0..12_usize).flat_map(|i| [(i, (i + 1) % 12), (i, (i * 5 + 3) % 12)]);
    let pattern = SparsePattern::new(12, &pairs.collect::<Vec<_>>());
    let positions = Numbers(17).positions(14 * 21);
    check(&Field { pattern }, 14, &positions, [0.7, 1.3]);
}

/// A matrix that is not positive definite at some particles: its determinant is NaN there, and right at the others.
#[test]
fn a_sparse_matrix_that_is_not_positive_definite_has_no_determinant() {
    let pattern = SparsePattern::new(2, &[(0, 1)]);
    let mut positions = vec![0.0; 4 * 21];
    for (i, position) in positions.chunks_exact_mut(4).enumerate() {
        position[1] = i as f64 - 6.0;
    }
    let program = Field { pattern };
    let trace = Trace::record(&program, &[], &[&positions[..4]]).expect("it can be traced");
    for level in InstructionSet::available() {
        let found = replayed(level, &trace, [1.0, 0.0], &positions);
        for (log_prior, position) in found.log_prior.iter().zip(positions.chunks_exact(4)) {
            let determinant = 5.0 * (5.0 + 1.0_f64.sin()) - position[1].powi(2);
            let wanted = determinant.ln();
            let same = (log_prior - wanted).abs() < 1e-13 || wanted.is_nan() && log_prior.is_nan();
            assert!(same, "{log_prior}, wanted {wanted} ({level})");
        }
    }
}

/// Determinants by a pencil, where some lanes lie in other pieces or beyond all.
struct ByPencil {
    pattern: SparsePattern,
    pencil: SparsePencil,
    /// Whether half of the numbers are below 0.
    is_around_zero: bool,
}

impl ByPencil {
    fn matrix<M: Mode>(&self, position: &[Real<M>]) -> SparseMatrix<M> {
        let scale = position[0].exp();
        let x = match self.is_around_zero {
            true => 0.2 * (position[1] * 20.0).sin(),
            false => (position[1] * 20.0).exp(),
        };
        let matrix = self.pattern.matrix(|i, j| {
            if i == j {
                scale * (1.0 + 2.0 * x)
            } else {
                -scale * x
            }
        });
        matrix.by_pencil(&self.pencil, x, 1.0, position[0] * 12.0)
    }
}

impl Program for ByPencil {
    fn evaluate<M: Mode>(&self, position: &[Real<M>]) -> [Real<M>; 2] {
        let matrix = self.matrix(position);
        [
            matrix.log_determinant(),
            matrix.quadratic_form(&position[2..]),
        ]
    }
}

/// Mutations meant to be detected: lanes beyond the pieces that take the number of another lane, and a slope without the second matrix.
#[test]
fn determinants_by_a_pencil_are_those_of_forward_mode() {
    let pairs: Vec<(usize, usize)> = (0..12).map(|i| (i, (i + 1) % 12)).collect();
    let pattern = SparsePattern::new(12, &pairs);
    let entry = |[i, j]: &[u32; 2]| if i == j { [1.0, 2.0] } else { [0.0, -1.0] };
    let entries = pattern.entries().iter().map(entry).collect();
    let pencil = SparsePencil::new(&pattern, entries);
    let positions = Numbers(19).positions(14 * 21);
    for is_around_zero in [false, true] {
        let program = ByPencil {
            pattern: pattern.clone(),
            pencil: pencil.clone(),
            is_around_zero,
        };
        check(&program, 14, &positions, [0.7, 1.3]);
    }
}

/// Two uses of a determinant, or one.
struct Uses {
    pattern: SparsePattern,
    uses: usize,
}

impl Program for Uses {
    fn evaluate<M: Mode>(&self, position: &[Real<M>]) -> [Real<M>; 2] {
        let matrix = self.pattern.matrix(|i, j| match i == j {
            true => 4.0 + position[0].square(),
            false => position[0].sin(),
        });
        let own = matrix.log_determinant();
        let other = if self.uses == 2 {
            matrix.log_determinant()
        } else {
            own
        };
        [own, other * position[1]]
    }
}

/// Mutation meant to be detected: a determinant that is computed again for another statement.
#[test]
fn a_determinant_that_is_used_twice_is_recorded_once() {
    let len = |uses: usize| {
        let pattern = SparsePattern::new(5, &[(0, 1), (1, 2), (3, 4)]);
        let program = Uses { pattern, uses };
        let trace = Trace::record(&program, &[], &[&[0.3, 0.2]]).expect("it can be traced");
        trace.len()
    };
    assert_eq!(len(2), len(1));
}
