//! The operations of a program at one position, evaluated again in any other mode: forward mode for programs that are compiled only for
//! the mode that records.
//!
//! A recording at a position is right at this position for every program, also for one that looks at values and does other operations
//! elsewhere.

use super::bulk::{Bulk, Functions, Logits, Normals, Outputs, Product, Scales};
use super::node::{Id, Node};
use super::numbers::Source;
use super::recording::{self, Recording};
use super::tracer::Number;
use super::{TracedProgram, traced};
use crate::dual::Dual;
use crate::function::{Function as _, Recip};
use crate::gradient::{self, Program, WIDTH, derivative_of, gradient_of};
use crate::mode::Mode;
use crate::network::Applied;
use crate::real::Real;
use nalgebra::DMatrix;

/// The operations of a program at one position. It is a program itself, which may be evaluated in every mode, at this position and where
/// the program does the same operations.
#[derive(Debug)]
pub struct AtPosition<'d> {
    recording: Recording,
    outputs: [Number; 2],
    data: Vec<&'d [f64]>,
}

impl<'d> AtPosition<'d> {
    /// Runs `program` at `position`, `[dim]`. `data` are numbers of the program.
    ///
    /// # Panics
    /// If the program does so, or has more than 2²⁶ operations, whose recording would take 12 GB.
    pub fn record<P: Program>(program: &P, data: &[&'d [f64]], position: &[f64]) -> Self {
        Self::of(&|inputs| traced(program, inputs), data, position)
    }

    /// [`AtPosition::record`] without the program's type.
    ///
    /// # Panics
    /// As for [`AtPosition::record`].
    #[must_use]
    pub fn of(program: &TracedProgram<'_>, data: &[&'d [f64]], position: &[f64]) -> Self {
        let (recording, outputs) = recording::record_for_one(program, data, position);
        Self {
            recording,
            outputs,
            data: data.to_vec(),
        }
    }

    /// Bytes of the recording, and of the values that a gradient computes from it.
    #[must_use]
    pub fn bytes(&self) -> usize {
        let values = self.recording.nodes.len() * size_of::<Real<Dual<WIDTH>>>();
        self.recording.bytes() + values
    }

    /// [`gradient::gradient`] at the position of the recording, or at another where the program does the same operations.
    ///
    /// # Panics
    /// If `gradient` is not of the length of the position.
    pub fn gradient(&self, position: &[f64], weights: [f64; 2], gradient: &mut [f64]) -> [f64; 2] {
        match position.len() {
            0..=8 => gradient_of::<8>(&|inputs| self.evaluate(inputs), position, weights, gradient),
            _ => gradient_of::<WIDTH>(&|inputs| self.evaluate(inputs), position, weights, gradient),
        }
    }

    /// [`gradient::directional_derivative`] at such a position.
    #[must_use]
    pub fn directional_derivative(
        &self,
        position: &[f64],
        weights: [f64; 2],
        direction: &[f64],
    ) -> f64 {
        derivative_of::<1>(
            &|inputs| self.evaluate(inputs),
            position,
            weights,
            direction,
        )
    }

    /// [`gradient::hessian`] at such a position.
    ///
    /// # Panics
    /// If `hessian` is not the square of the position in length.
    pub fn hessian(&self, position: &[f64], weights: [f64; 2], hessian: &mut [f64]) -> [f64; 2] {
        gradient::hessian(self, position, weights, hessian)
    }

    fn source(&self) -> Source<'_> {
        Source {
            data: &self.data,
            copied: &self.recording.copies.copied,
        }
    }
}

impl Program for AtPosition<'_> {
    fn evaluate<M: Mode>(&self, position: &[Real<M>]) -> [Real<M>; 2] {
        let Recording { nodes, bulks, .. } = &self.recording;
        let mut done = Done {
            source: self.source(),
            values: Vec::with_capacity(nodes.len()),
            outputs: Vec::with_capacity(bulks.len()),
        };
        for node in nodes {
            let value = match *node {
                Node::Input(k) => position[k as usize],
                Node::Bulk(index) => {
                    let node = &bulks[index as usize];
                    let of: Vec<Real<M>> = node.of.iter().map(|id| done.value(*id)).collect();
                    done.outputs.push(done.bulk(&node.operation, &of));
                    Real::constant(index.into())
                }
                Node::Output { of, index } => {
                    let Node::Bulk(bulk) = nodes[of as usize] else {
                        unreachable!("an output is one of an operation on vectors");
                    };
                    done.outputs[bulk as usize][index as usize]
                }
                _ => done.operation(node),
            };
            done.values.push(value);
        }
        self.outputs.map(|x| match x.id {
            None => Real::constant(x.value),
            Some(id) => done.value(id),
        })
    }

    fn data<'a>(&'a self, show: &mut dyn FnMut(&'a [f64])) {
        self.data.iter().for_each(|numbers| show(numbers));
    }
}

/// The nodes so far, in a mode.
struct Done<'a, M: Mode> {
    source: Source<'a>,
    values: Vec<Real<M>>,
    /// The outputs of the operations on vectors.
    outputs: Vec<Vec<Real<M>>>,
}

impl<M: Mode> Done<'_, M> {
    #[inline(always)]
    fn value(&self, id: Id) -> Real<M> {
        self.values[id as usize]
    }

    /// An operation on numbers.
    #[inline(always)]
    fn operation(&self, node: &Node) -> Real<M> {
        match *node {
            Node::Constant(x) => Real::constant(x.get()),
            Node::Affine { of, factor, shift } => self.value(of) * factor.get() + shift.get(),
            Node::Sum { of, factors } => self.sum(of, factors.map(|factor| factor.get())),
            Node::Product([a, b]) => self.value(a) * self.value(b),
            // by a quotient, whose derivative is not lost where the square of the divisor overflows
            Node::Call { function, of } if function == Recip::operation() => {
                1.0 / self.value(of[0])
            }
            Node::Call { function, of } => {
                let arguments = of.map(|id| self.value(id).0);
                Real(M::operation(function, &arguments[..function.arity()]))
            }
            Node::Less { strict, of: [a, b] } => {
                let (a, b) = (self.value(a), self.value(b));
                let holds = if strict { a.lt(b) } else { a.le(b) };
                Real::select(holds, 1.0, 0.0)
            }
            Node::Select([condition, a, b]) => {
                let holds = Real::constant(0.0).lt(self.value(condition));
                Real::select(holds, self.value(a), self.value(b))
            }
            Node::Input(_) | Node::Bulk(_) | Node::Output { .. } => {
                unreachable!("it is no operation on numbers")
            }
        }
    }

    #[inline(always)]
    fn sum(&self, of: [Id; 2], factors: [f64; 2]) -> Real<M> {
        let [a, b] = of.map(|id| self.value(id));
        match factors {
            [1.0, 1.0] => a + b,
            [1.0, -1.0] => a - b,
            [-1.0, 1.0] => b - a,
            [first, second] => a * first + b * second,
        }
    }

    /// The outputs of an operation on vectors.
    fn bulk(&self, operation: &Bulk, of: &[Real<M>]) -> Vec<Real<M>> {
        match operation {
            Bulk::Product(product) => self.product(product, of),
            Bulk::LogSumExp => vec![M::log_sum_exp(of)],
            Bulk::Shares => M::softmax(of).elements().to_vec(),
            Bulk::Logits(logits) => vec![self.logits(logits, of)],
            Bulk::Normals(normals) => vec![self.normals(normals, of)],
            Bulk::Functions(functions) => vec![self.functions(functions, of)],
            Bulk::Cholesky { dim } => {
                let mut factor = of.to_vec();
                M::cholesky(*dim, &mut factor);
                for i in 0..*dim {
                    factor[i * dim + i + 1..(i + 1) * dim].fill(Real::constant(0.0));
                }
                factor
            }
            Bulk::Solve { dim } => {
                let (factor, x) = of.split_at(dim * dim);
                let mut x = x.to_vec();
                M::solve_lower(factor, &mut x);
                x
            }
            Bulk::Square { function, dim } => M::matrix_function(*function, *dim, of),
            Bulk::SparseLogDeterminant(pattern) => vec![M::sparse_log_determinant(pattern, of)],
            Bulk::PencilLogDeterminant(pencil) => vec![M::pencil_log_determinant(pencil, of[0])],
            Bulk::SparseSquare(pattern) => {
                let (entries, x) = of.split_at(pattern.entries().len());
                vec![M::sparse_square(pattern, entries, x)]
            }
            Bulk::Outputs(outputs) => {
                let found = M::network(self.applied(outputs), of);
                found.elements().to_vec()
            }
            Bulk::Choices(choices) => {
                let chosen = self.source.numbers(choices.chosen);
                let mut sum = Real::constant(0.0);
                let applied = self.applied(&choices.outputs);
                M::add_network_choices(&mut sum, applied, of, |row| chosen[row] as usize);
                vec![sum]
            }
        }
    }

    fn product(&self, product: &Product, of: &[Real<M>]) -> Vec<Real<M>> {
        let Product {
            stride,
            first,
            rows,
            ..
        } = *product;
        let matrix = self.source.numbers(product.matrix);
        let rows = DMatrix::from_fn(rows, of.len(), |i, k| matrix[k * stride + first + i]);
        M::matrix_vector(&rows, of).elements().to_vec()
    }

    fn logits(&self, logits: &Logits, of: &[Real<M>]) -> Real<M> {
        let signs = self.source.numbers(logits.signs);
        let terms = of.iter().zip(signs);
        terms.map(|(x, sign)| (*x * *sign).ln_logistic()).sum()
    }

    fn functions(&self, functions: &Functions, of: &[Real<M>]) -> Real<M> {
        let (base, data) = self
            .source
            .numbers(functions.data)
            .split_last()
            .expect("it has a base");
        let term = |(d, x): (&f64, &Real<M>)| {
            Real(M::operation(functions.function, &[M::constant(*d), x.0]))
        };
        let total: Real<M> = data.iter().zip(of).map(term).sum();
        total * functions.factor + *base
    }

    fn normals(&self, normals: &Normals, of: &[Real<M>]) -> Real<M> {
        let values = if normals.has_values { normals.len } else { 0 };
        let (values, mut shared) = of.split_at(values);
        let mut next = |is_there: bool| {
            let (first, rest) = shared.split_first().filter(|_| is_there)?;
            shared = rest;
            Some(*first)
        };
        let (mean, inverse) = (next(normals.has_mean), next(normals.has_inverse));
        let data = normals.data.map(|data| self.source.numbers(data));
        let mut sum = Real::constant(0.0);
        for i in 0..normals.len {
            let datum = data.map_or(0.0, |data| data[i]);
            let mut z = match values.get(i) {
                Some(value) => *value - datum,
                None => Real::constant(datum),
            };
            if let Some(mean) = mean {
                z -= mean;
            }
            if let Some(inverse) = inverse {
                z *= inverse;
            }
            z *= match normals.scales {
                Scales::Shared(scale) => scale,
                Scales::Each(scales) => self.source.numbers(scales)[i],
            };
            sum += z * z * -0.5;
        }
        sum
    }

    fn applied<'b>(&'b self, outputs: &'b Outputs) -> Applied<'b> {
        outputs.applied(self.source)
    }
}
