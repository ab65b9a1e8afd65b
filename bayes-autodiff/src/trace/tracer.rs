//! The mode that records: a random scalar is a node of the recording and its value at one position.

mod logarithms;
mod networks;
mod normals;
mod operations;

use super::bulk::{Bulk, Product, TILE};
use super::node::{Bits, Id, Node};
use super::operation::Operation;
use super::recording::with;
use crate::function::{Binary, Function, Recip, Ternary};
use crate::matrix::{Matrix, MatrixFunction};
use crate::mode::Mode;
use crate::network::Applied;
use crate::real::Real;
use crate::simd::Mask;
use crate::sparse::{SparsePattern, SparsePencil};
use crate::special::{LogTotal, log_sum_exp};
use crate::value::Value;
use crate::vector::Vector;
use nalgebra::DMatrix;

/// Evaluation at one position that records its operations.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracer;

/// A value, and its node unless it does not depend on the position.
#[derive(Clone, Copy, Debug)]
pub struct Number {
    pub(super) value: f64,
    pub(super) id: Option<Id>,
}

/// A truth value as a number, 1 or 0.
#[derive(Clone, Copy, Debug)]
pub struct Truth(Number);

impl Number {
    pub(super) fn node(value: f64, id: Id) -> Self {
        Self {
            value,
            id: Some(id),
        }
    }

    fn constant(value: f64) -> Self {
        Self { value, id: None }
    }

    /// The result of an operation.
    fn new(value: f64, node: Node) -> Self {
        Self::node(value, with(|r| r.push(node)))
    }

    /// The node, even of a number that does not depend on the position.
    fn operand(self) -> Id {
        self.id.unwrap_or_else(|| with(|r| r.constant(self.value)))
    }

    /// `factor * self + shift`.
    fn affine(self, value: f64, factor: f64, shift: f64) -> Self {
        match self.id {
            None => Self::constant(value),
            Some(_) if factor == 1.0 && shift == 0.0 => Self { value, ..self },
            Some(of) => logarithms::complement(value, of, [factor, shift]).unwrap_or_else(|| {
                let [factor, shift] = [factor, shift].map(Bits::new);
                Self::new(value, Node::Affine { of, factor, shift })
            }),
        }
    }

    /// `self + sign * other`.
    fn plus(self, other: Self, sign: f64) -> Self {
        let value = self.value + sign * other.value;
        match (self.id, other.id) {
            (None, _) => other.affine(value, sign, self.value),
            (_, None) => self.affine(value, 1.0, sign * other.value),
            (Some(a), Some(b)) => {
                let (mut of, mut factors) = ([a, b], [1.0, sign]);
                if a > b {
                    // equal sums are recognised in any order
                    of.reverse();
                    factors.reverse();
                }
                let factors = factors.map(Bits::new);
                Self::new(value, Node::Sum { of, factors })
            }
        }
    }

    fn times(self, other: Self) -> Self {
        let value = self.value * other.value;
        match (self.id, other.id) {
            (None, _) => other.affine(value, self.value, 0.0),
            (_, None) => self.affine(value, other.value, 0.0),
            (Some(a), Some(b)) => Self::new(value, Node::Product([a.min(b), a.max(b)])),
        }
    }

    /// A function of numbers, at least one of which depends on the position.
    fn call(value: f64, function: &'static Operation, arguments: &[Self]) -> Self {
        let mut of = [0; 3];
        for (of, argument) in of.iter_mut().zip(arguments) {
            *of = argument.operand();
        }
        Self::new(value, Node::Call { function, of })
    }
}

impl Mask for Truth {
    fn and(self, other: Self) -> Self {
        Self(self.0.times(other.0))
    }
    fn or(self, other: Self) -> Self {
        self.not().and(other.not()).not()
    }
    fn not(self) -> Self {
        Self(self.0.affine(1.0 - self.0.value, -1.0, 1.0))
    }
}

/// The value of operations that are not evaluated during the recording, because that would take as long as the density of all data.
const NOT_EVALUATED: f64 = f64::NAN;

/// Whether one of some quantities depends on the position.
fn depends(quantities: &[Real<Tracer>]) -> bool {
    quantities.iter().any(|x| x.0.id.is_some())
}

/// The values of some quantities.
fn values(quantities: &[Real<Tracer>]) -> Vec<Real<Value>> {
    quantities.iter().map(|x| Real(x.0.value)).collect()
}

/// The outputs of an operation on vectors, with their values.
fn bulk(
    operation: Bulk,
    of: &[Real<Tracer>],
    values: impl IntoIterator<Item = f64>,
) -> Vec<Real<Tracer>> {
    let of = of.iter().map(|x| x.0.operand()).collect();
    let of = with(|r| r.bulk(operation, of));
    let output = |(index, value): (usize, f64)| {
        let index = index as u32;
        Real(Number::new(value, Node::Output { of, index }))
    };
    values.into_iter().enumerate().map(output).collect()
}

/// `a < b`, or `a ≤ b` unless `strict`.
fn less(holds: bool, strict: bool, a: Number, b: Number) -> Truth {
    let value = f64::from(u8::from(holds));
    if a.id.is_none() && b.id.is_none() {
        return Truth(Number::constant(value));
    }
    let of = [a.operand(), b.operand()];
    Truth(Number::new(value, Node::Less { strict, of }))
}

impl Mode for Tracer {
    type Repr = Number;
    type Mask = Truth;

    fn statement(number: usize) {
        with(|r| r.statement(number));
    }
    fn keep(quantities: &[Real<Self>]) {
        with(|r| quantities.iter().for_each(|x| r.keep(x.0)));
    }
    fn constant(x: f64) -> Number {
        Number::constant(x)
    }
    fn plain_value(x: Number) -> f64 {
        if x.id.is_some() {
            with(|r| r.look());
        }
        x.value
    }
    fn add(a: Number, b: Number) -> Number {
        a.plus(b, 1.0)
    }
    fn sub(a: Number, b: Number) -> Number {
        a.plus(b, -1.0)
    }
    fn mul(a: Number, b: Number) -> Number {
        a.times(b)
    }
    fn div(a: Number, b: Number) -> Number {
        if b.id.is_none() {
            return Self::div_data(a, b.value);
        }
        // a quantity that divides many others is inverted once
        let product = a.times(operations::unary(Recip::operation(), b));
        Number {
            value: a.value / b.value,
            ..product
        }
    }
    fn neg(a: Number) -> Number {
        a.affine(-a.value, -1.0, 0.0)
    }
    fn div_data(a: Number, b: f64) -> Number {
        a.affine(a.value / b, 1.0 / b, 0.0)
    }
    fn unary<F: Function>(a: Number) -> Number {
        operations::unary(F::operation(), a)
    }
    fn binary<F: Binary>(a: Number, b: Number) -> Number {
        operations::binary(F::operation(), a, b)
    }
    fn ternary<F: Ternary>(a: Number, b: Number, c: Number) -> Number {
        operations::ternary(F::operation(), [a, b, c])
    }
    fn operation(function: &'static Operation, arguments: &[Number]) -> Number {
        operations::any(function, arguments)
    }
    fn known_ln(a: Number) -> Option<Number> {
        logarithms::known_ln(a)
    }
    fn lt(a: Number, b: Number) -> Truth {
        less(a.value < b.value, true, a, b)
    }
    fn le(a: Number, b: Number) -> Truth {
        // the result of a transform is within its range, even where it rounds
        if logarithms::is_certain(a, b) {
            return Truth(Number::constant(1.0));
        }
        less(a.value <= b.value, false, a, b)
    }
    fn select(mask: Truth, a: Number, b: Number) -> Number {
        let chosen = if mask.0.value == 0.0 { b } else { a };
        let Some(condition) = mask.0.id else {
            return chosen;
        };
        let of = [condition, a.operand(), b.operand()];
        if of[1] == of[2] {
            return a;
        }
        Number::new(chosen.value, Node::Select(of))
    }
    fn add_network_choices(
        sum: &mut Real<Self>,
        applied: Applied<'_>,
        weights: &[Real<Self>],
        chosen: impl Fn(usize) -> usize,
    ) {
        networks::add_choices(sum, applied, weights, &chosen);
    }
    fn network(applied: Applied<'_>, weights: &[Real<Self>]) -> Matrix<Self> {
        networks::network(applied, weights)
    }
    fn add_logit_terms(
        sum: &mut Real<Self>,
        len: usize,
        outcome: impl Fn(usize) -> f64,
        logit: impl Fn(usize) -> Real<Self>,
    ) {
        operations::add_logits(sum, len, &outcome, &logit);
    }
    fn add_function_terms<F: Binary>(
        sum: &mut Real<Self>,
        len: usize,
        factor: f64,
        datum: impl Fn(usize) -> f64,
        value: impl Fn(usize) -> Real<Self>,
        base: impl Fn(usize) -> f64,
    ) {
        let function = F::operation();
        operations::add_functions(sum, len, (function, factor), [&datum, &base], &value);
    }
    fn add_normal_terms(
        sum: &mut Real<Self>,
        len: usize,
        x: impl Fn(usize) -> Real<Self>,
        mean: impl Fn(usize) -> Real<Self>,
        sd: impl Fn(usize) -> Real<Self>,
    ) {
        normals::add(sum, len, [&x, &mean, &sd]);
    }
    fn matrix_vector(matrix: &DMatrix<f64>, vector: &[Real<Self>]) -> Vector<Self> {
        let stride = matrix.nrows();
        let product = Value::matrix_vector(matrix, &values(vector));
        let product = product.iter().map(|x| x.0);
        if !depends(vector) {
            return product.map(Real::constant).collect();
        }
        let matrix = with(|r| r.numbers(matrix.as_slice()));
        let mut elements = Vec::with_capacity(stride);
        for first in (0..stride).step_by(TILE) {
            let rows = TILE.min(stride - first);
            let tile = Product {
                matrix,
                stride,
                first,
                rows,
                is_shifted: false,
            };
            let values = product.clone().skip(first).take(rows);
            elements.extend(bulk(Bulk::Product(tile), vector, values));
        }
        Vector::from(elements)
    }
    fn log_sum_exp(elements: &[Real<Self>]) -> Real<Self> {
        match elements {
            [] => Real::constant(f64::NEG_INFINITY),
            [x] => *x,
            [a, b] => a.log_add_exp(b),
            _ => {
                let total = log_sum_exp(elements.iter().map(|x| x.0.value));
                if depends(elements) {
                    bulk(Bulk::LogSumExp, elements, [total])[0]
                } else {
                    Real::constant(total)
                }
            }
        }
    }
    fn softmax(elements: &[Real<Self>]) -> Vector<Self> {
        let total = LogTotal::of(elements.iter().map(|x| x.0.value));
        let shares = elements.iter().map(|x| total.share(x.0.value));
        if depends(elements) {
            Vector::from(bulk(Bulk::Shares, elements, shares))
        } else {
            shares.map(Real::constant).collect()
        }
    }
    fn cholesky(dim: usize, entries: &mut [Real<Self>]) {
        let mut factor = values(entries);
        Value::cholesky(dim, &mut factor);
        let values = factor.into_iter().map(|x| x.0);
        if depends(entries) {
            let factor = bulk(Bulk::Cholesky { dim }, entries, values);
            for i in 0..dim {
                let lower = i * dim..i * dim + i + 1;
                entries[lower.clone()].copy_from_slice(&factor[lower]);
            }
        } else {
            let constants = values.map(Real::constant);
            entries.iter_mut().zip(constants).for_each(|(x, c)| *x = c);
        }
    }
    fn matrix_function(function: MatrixFunction, dim: usize, of: &[Real<Self>]) -> Vec<Real<Self>> {
        let found = Value::matrix_function(function, dim, &values(of));
        let found = found.into_iter().map(|x| x.0);
        if depends(of) {
            bulk(Bulk::Square { function, dim }, of, found)
        } else {
            found.map(Real::constant).collect()
        }
    }
    fn sparse_log_determinant(pattern: &SparsePattern, entries: &[Real<Self>]) -> Real<Self> {
        let found = Value::sparse_log_determinant(pattern, &values(entries)).0;
        if !depends(entries) {
            return Real::constant(found);
        }
        bulk(
            Bulk::SparseLogDeterminant(pattern.clone()),
            entries,
            [found],
        )[0]
    }
    fn pencil_log_determinant(pencil: &SparsePencil, x: Real<Self>) -> Real<Self> {
        let found = Value::pencil_log_determinant(pencil, Real::constant(x.0.value)).0;
        if !depends(&[x]) {
            return Real::constant(found);
        }
        bulk(Bulk::PencilLogDeterminant(pencil.clone()), &[x], [found])[0]
    }
    fn sparse_square(
        pattern: &SparsePattern,
        entries: &[Real<Self>],
        x: &[Real<Self>],
    ) -> Real<Self> {
        let found = Value::sparse_square(pattern, &values(entries), &values(x)).0;
        let of: Vec<Real<Self>> = entries.iter().chain(x).copied().collect();
        if !depends(&of) {
            return Real::constant(found);
        }
        bulk(Bulk::SparseSquare(pattern.clone()), &of, [found])[0]
    }
    fn solve_lower(factor: &[Real<Self>], x: &mut [Real<Self>]) {
        let of: Vec<Real<Self>> = factor.iter().chain(x.iter()).copied().collect();
        let mut solution = values(x);
        Value::solve_lower(&values(factor), &mut solution);
        let values = solution.into_iter().map(|x| x.0);
        if depends(&of) {
            let dim = x.len();
            x.copy_from_slice(&bulk(Bulk::Solve { dim }, &of, values));
        } else {
            x.iter_mut()
                .zip(values.map(Real::constant))
                .for_each(|(x, c)| *x = c);
        }
    }
}
