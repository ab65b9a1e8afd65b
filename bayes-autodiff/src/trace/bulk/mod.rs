//! Operations on whole vectors, each one instruction: a product with data, a total of exponentials, a factorisation, a network.
//!
//! A new one is a file here, a variant of [`Bulk`], and a method of [`Tracer`](super::Tracer) that records it.

mod functions;
mod lanes;
mod logits;
mod network;
mod normals;
mod product;
mod shares;
mod sparse;
mod square;
mod triangular;

use super::numbers::Source;
use crate::lanes::Lane;
use crate::matrix::MatrixFunction;
use crate::simd::{Simd, Work};
use crate::sparse::{SparsePattern, SparsePencil};

pub(super) use functions::Functions;
pub(super) use lanes::{Places, Tally};
pub(super) use logits::Logits;
pub(super) use network::{Choices, Outputs};
pub(super) use normals::{Normals, Scales};
pub(super) use product::{Product, TILE};

/// An operation from operands to outputs, both in order.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Bulk {
    /// Some rows of the product of a matrix of data and a vector.
    Product(Product),
    /// `ln Σ eˣ`.
    LogSumExp,
    /// The shares `e^x_k / Σ e^x`.
    Shares,
    /// The sum of the log masses of Bernoulli variables, given their log odds.
    Logits(Logits),
    /// The sum of the log densities of normal variables, without their normaliser.
    Normals(Normals),
    /// The sum of a function of a datum and a value.
    Functions(Functions),
    /// The factor `L` of `L Lᵀ`, `[dim, dim]` row-major; above the diagonal 0.
    Cholesky { dim: usize },
    /// `L⁻¹ x` for `L`, `[dim, dim]` row-major, followed by `x`, `[dim]`.
    Solve { dim: usize },
    /// A function of a square matrix, `[dim, dim]` row-major.
    Square {
        function: MatrixFunction,
        dim: usize,
    },
    /// `ln det` of a sparse symmetric matrix.
    SparseLogDeterminant(SparsePattern),
    /// `ln det (A + x B)` for the operand `x`.
    PencilLogDeterminant(SparsePencil),
    /// `xᵀ A x` for a sparse symmetric matrix `A`, its entries followed by `x`.
    SparseSquare(SparsePattern),
    /// The outputs of a network.
    Outputs(Outputs),
    /// The sum of the log probabilities that a network gives to the choices of all rows.
    Choices(Choices),
}

impl Bulk {
    /// The number of outputs for this number of operands.
    pub(super) fn outputs(&self, operands: usize) -> usize {
        match self {
            Self::Product(product) => product.rows,
            Self::LogSumExp
            | Self::Logits(_)
            | Self::Normals(_)
            | Self::Functions(_)
            | Self::SparseLogDeterminant(_)
            | Self::PencilLogDeterminant(_)
            | Self::SparseSquare(_)
            | Self::Choices(_) => 1,
            Self::Shares => operands,
            Self::Cholesky { dim } => dim * dim,
            Self::Solve { dim } => *dim,
            Self::Square { function, dim } => function.outputs(*dim),
            Self::Outputs(outputs) => outputs.len(),
        }
    }

    /// Whether its operands are multiples of values, so that weights with a prior scale need no values of their own; otherwise their
    /// factors are 1.
    pub(super) fn takes_multiples(&self) -> bool {
        matches!(self, Self::Normals(_) | Self::Outputs(_) | Self::Choices(_))
    }

    /// Whether it can be a term of a log density: it has one output, whose derivatives are passed on during its computation.
    pub(super) fn is_term(&self) -> bool {
        matches!(
            self,
            Self::Logits(_) | Self::Normals(_) | Self::Functions(_) | Self::Choices(_)
        )
    }

    /// The value of a [term](Self::is_term), for one group of lanes. With `GRADIENT`, adds its derivatives times `adjoint` to the
    /// adjoints of the operands.
    #[inline(always)]
    fn term<S: Simd, const GRADIENT: bool>(
        &self,
        source: Source<'_>,
        adjoint: S::Float,
        places: &mut Places<'_>,
    ) -> S::Float {
        match self {
            Self::Logits(logits) => logits.term::<S, GRADIENT>(source, adjoint, places),
            Self::Normals(normals) => {
                let [total] = normals.term::<S, GRADIENT, false, 1>(source, [adjoint], places);
                total
            }
            Self::Functions(functions) => functions.term::<S, GRADIENT>(source, adjoint, places),
            Self::Choices(choices) => choices.term::<S, GRADIENT>(source, adjoint, places),
            _ => unreachable!("only these are terms"),
        }
    }

    /// Number of partial derivatives that are computed together with the values and kept until the sweep: one for each operand, or none.
    pub(super) fn slopes(&self, operands: usize) -> usize {
        match self {
            Self::LogSumExp | Self::SparseLogDeterminant(_) | Self::PencilLogDeterminant(_) => {
                operands
            }
            _ => 0,
        }
    }

    /// The values, and with `SLOPES` the partial derivatives, of one group of lanes.
    #[inline(always)]
    fn forward<S: Simd, const SLOPES: bool>(&self, source: Source<'_>, places: &mut Places<'_>) {
        match self {
            Self::Product(product) => product.forward::<S>(source, places),
            Self::LogSumExp => shares::log_sum_exp::<S, SLOPES>(places),
            Self::Shares => shares::shares::<S>(places),
            Self::Cholesky { dim } => triangular::cholesky::<S>(*dim, places),
            Self::Solve { dim } => triangular::solve::<S>(*dim, places),
            Self::Square { function, dim } => square::forward::<S>(*function, *dim, places),
            Self::SparseLogDeterminant(pattern) => {
                sparse::log_determinant::<S, SLOPES>(pattern, places);
            }
            Self::PencilLogDeterminant(pencil) => {
                sparse::pencil_log_determinant::<S, SLOPES>(pencil, places);
            }
            Self::SparseSquare(pattern) => sparse::square::<S>(pattern, places),
            Self::Outputs(outputs) => outputs.forward::<S>(source, places),
            Self::Logits(_) | Self::Normals(_) | Self::Functions(_) | Self::Choices(_) => {
                let total = self.term::<S, false>(source, S::splat(0.0), places);
                places.set::<S>(0, total);
            }
        }
    }

    /// Passes the adjoints of the outputs on to the operands, for one group of lanes.
    #[inline(always)]
    fn reverse<S: Simd>(&self, source: Source<'_>, places: &mut Places<'_>) {
        match self {
            Self::Product(product) => product.reverse::<S, 1>(source, places),
            Self::LogSumExp | Self::SparseLogDeterminant(_) | Self::PencilLogDeterminant(_) => {
                lanes::by_slopes::<S>(places);
            }
            Self::Shares => shares::reverse_shares::<S>(places),
            Self::Logits(_) | Self::Normals(_) | Self::Functions(_) | Self::Choices(_) => {
                // rare: as a term of a log density it takes one pass
                let adjoint = places.adjoint::<S>(0);
                self.term::<S, true>(source, adjoint, places);
            }
            Self::Cholesky { dim } => triangular::reverse_cholesky::<S>(*dim, places),
            Self::Solve { dim } => triangular::reverse_solve::<S>(*dim, places),
            Self::Square { function, dim } => square::reverse::<S>(*function, *dim, places),
            Self::SparseSquare(pattern) => sparse::reverse_square::<S>(pattern, places),
            Self::Outputs(outputs) => outputs.reverse::<S>(source, places),
        }
    }
}

/// [`Bulk::forward`] for all groups of lanes. Compiled once for each instruction set, for any width of the block.
pub(super) struct Forward<'a, 'b, const SLOPES: bool> {
    pub(super) operation: &'a Bulk,
    pub(super) source: Source<'a>,
    pub(super) places: Places<'b>,
}

impl<const SLOPES: bool> Work for Forward<'_, '_, SLOPES> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(mut self) {
        for group in 0..self.places.width {
            self.places.group = group;
            self.operation
                .forward::<S, SLOPES>(self.source, &mut self.places);
        }
    }
}

/// [`Bulk::reverse`] for all groups of lanes.
pub(super) struct Reverse<'a, 'b> {
    pub(super) operation: &'a Bulk,
    pub(super) source: Source<'a>,
    pub(super) places: Places<'b>,
}

impl Work for Reverse<'_, '_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let places = &mut self.places;
        places.group = 0;
        // two groups read each number of a matrix once, if there are registers for the sums of both
        if const { S::SUMS == 8 }
            && let Bulk::Product(product) = self.operation
        {
            while places.group + 2 <= places.width {
                product.reverse::<S, 2>(self.source, places);
                places.group += 2;
            }
        }
        while places.group < places.width {
            self.operation.reverse::<S>(self.source, places);
            places.group += 1;
        }
    }
}

/// [`Bulk::term`] for all groups of lanes; the values are stored in `totals`.
pub(super) struct Total<'a, 'b, const GRADIENT: bool> {
    pub(super) operation: &'a Bulk,
    pub(super) source: Source<'a>,
    pub(super) adjoint: f64,
    pub(super) places: Places<'b>,
    pub(super) totals: &'b mut [Lane],
}

impl<const GRADIENT: bool> Work for Total<'_, '_, GRADIENT> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(mut self) {
        let adjoint = S::splat(self.adjoint);
        let (source, places) = (self.source, &mut self.places);
        places.group = 0;
        // four groups of lanes share the reads of each variable
        if const { !S::IS_CALLED }
            && let Bulk::Normals(normals) = self.operation
            && let Ok(totals) = <&mut [Lane; 4]>::try_from(&mut *self.totals)
        {
            let of = [adjoint; 4];
            let values = if normals.is_plain() {
                normals.term::<S, GRADIENT, true, 4>(source, of, places)
            } else {
                normals.term::<S, GRADIENT, false, 4>(source, of, places)
            };
            for (total, value) in totals.iter_mut().zip(values) {
                S::store(value, &mut total.0);
            }
            return;
        }
        for (group, total) in self.totals.iter_mut().enumerate() {
            places.group = group;
            let value = self.operation.term::<S, GRADIENT>(source, adjoint, places);
            S::store(value, &mut total.0);
        }
    }
}
