//! The mode that records: a random scalar is a node of the recording and its value at one position.

use super::node::{Bits, Id, Node};
use super::operation::{Operation, Reference};
use super::recording::{Untraceable, with};
use crate::function::{Binary, Function, Recip, Square, Ternary};
use crate::matrix::Matrix;
use crate::mode::{Mask, Mode, Part};
use crate::network::{Applied, Rows};
use crate::real::Real;
use crate::vector::Vector;
use nalgebra::DMatrix;

/// Evaluation at one position that records what it does.
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

    /// The node, also of a number that does not depend on the position.
    fn operand(self) -> Id {
        self.id.unwrap_or_else(|| with(|r| r.constant(self.value)))
    }

    /// `factor * self + shift`.
    fn affine(self, value: f64, factor: f64, shift: f64) -> Self {
        match self.id {
            None => Self::constant(value),
            Some(of) => Self::new(
                value,
                Node::Affine {
                    of,
                    factor: Bits::new(factor),
                    shift: Bits::new(shift),
                },
            ),
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
                    // equal sums are found equal whatever their order
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

    /// A function of numbers, of which at least one depends on the position.
    fn call(value: f64, function: &'static Operation, arguments: &[Self]) -> Self {
        let mut of = [0; 3];
        for (of, argument) in of.iter_mut().zip(arguments) {
            *of = argument.operand();
        }
        let function = Reference(function);
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
    fn constant(x: f64) -> Number {
        Number::constant(x)
    }
    fn first_lane(x: Number) -> f64 {
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
        let product = a.times(Self::unary::<Recip>(b));
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
        let value = F::value(a.value);
        let function = F::operation();
        if a.id.is_none() {
            Number::constant(value)
        } else if std::ptr::eq(function, Square::operation()) {
            a.times(a)
        } else {
            Number::call(value, function, &[a])
        }
    }
    fn binary<F: Binary>(a: Number, b: Number) -> Number {
        let value = F::value(a.value, b.value);
        if a.id.is_none() && b.id.is_none() {
            return Number::constant(value);
        }
        Number::call(value, F::operation(), &[a, b])
    }
    fn ternary<F: Ternary>(a: Number, b: Number, c: Number) -> Number {
        let value = F::value(a.value, b.value, c.value);
        if a.id.is_none() && b.id.is_none() && c.id.is_none() {
            return Number::constant(value);
        }
        Number::call(value, F::operation(), &[a, b, c])
    }
    fn lt(a: Number, b: Number) -> Truth {
        less(a.value < b.value, true, a, b)
    }
    fn le(a: Number, b: Number) -> Truth {
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
    fn add_network_terms<R: Rows>(
        _: &mut Number,
        _: Applied<'_>,
        _: &[Real<Self>],
        _: &mut R,
        _: Part,
    ) {
        with(|r| r.stop(Untraceable::Network));
    }
    fn network(applied: Applied<'_>, _: &[Real<Self>]) -> Matrix<Self> {
        with(|r| r.stop(Untraceable::Network));
        Matrix::zeros(applied.inputs.rows, applied.network.outputs())
    }
    fn bulk(operations: usize) {
        with(|r| r.bulk(operations));
    }
    fn matrix_vector(matrix: &DMatrix<f64>, vector: &[Real<Self>]) -> Vector<Self> {
        Self::bulk(matrix.len());
        // row by row, so that the terms of a sum stand together
        Vector::from_fn(matrix.nrows(), |i| {
            let terms = vector.iter().enumerate();
            terms.map(|(k, v)| v * matrix[(i, k)]).sum()
        })
    }
}
