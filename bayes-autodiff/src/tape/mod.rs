//! Reverse mode over lanes: one recording for eight particles, propagated and truncated term by term.
//!
//! A quantity carries its value in a register, and its derivative as a [sum of multiples](linear_combination) of
//! slots: of the inputs, which have one adjoint each, and of other quantities with a slot. Constants and data have no
//! derivative. A log density is a sum of terms, so the adjoint of a term is known as soon as it is
//! [added](Mode::add_term), and it is [propagated](sweep) to the slots immediately. At the end of a loop iteration
//! whose quantities are not used later ([`Mode::release`]) its slots are swept and the tape is truncated, so the loop
//! stays in the first-level cache. Scalar terms of few arguments (a distribution's log density at its parameters) are
//! differentiated immediately in forward mode; whole-vector operations ([`bulk`]) are one record with an adjoint of
//! their own.

mod bulk;
mod checkpoints;
mod linear_combination;
mod node;
mod record;
mod recording;
mod sums;
mod sweep;

use crate::batch::outputs;
use crate::dual::LaneDual;
use crate::function::{Binary, Function, Ternary, call};
use crate::gradient::Program;
use crate::lanes;
use crate::matrix::Matrix;
use crate::mode::{MAX_ARGUMENTS, Mode, Part, ScalarFunction, Task, for_each_argument};
use crate::network::{Applied, Choices, Scratch};
use crate::real::Real;
use crate::simd::{Called, Simd};
use crate::vector::Vector;
use linear_combination::LinearCombination;
use nalgebra::DMatrix;
use node::Node;
use recording::{Recording, record};
use std::marker::PhantomData;
use sweep::Sweep;

pub(crate) use record::Lane;
pub use recording::memory;

/// Reverse mode over eight particles.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tape<S>(PhantomData<S>);

impl<S: Simd> Tape<S> {
    /// Runs `program` on the inputs `input(k)`; returns log prior and log likelihood, and passes the
    /// adjoints of the inputs to `adjoints`.
    #[inline(always)]
    pub(crate) fn run<P: Program>(
        weights: [f64; 2],
        program: &P,
        dim: usize,
        input: impl Fn(usize) -> S::Float,
        adjoints: impl FnOnce(&[Lane]),
    ) -> [S::Float; 2] {
        let _recording = Recording::start(program);
        let inputs = Vector::<Self>::from_fn(
            dim,
            #[inline(always)]
            |k| Real(Node::new(input(k), LinearCombination::slot(k as u32))),
        );
        let values = loop {
            record!(|r| {
                r.clear(weights);
                r.leaves(dim);
            });
            let values = outputs(program, &inputs).map(|x: Real<Self>| x.0.value);
            if !record!(|r| r.full.any()) {
                break values;
            }
            record!(|r| r.grow());
        };
        record!(|r| {
            S::call(Sweep {
                record: r,
                end: dim,
            });
            adjoints(&r.adjoints[..dim]);
        });
        values
    }
}

/// Value and slopes of a function of a few arguments, by forward mode.
#[inline(always)]
fn slopes_of<S: Simd, F: ScalarFunction>(
    arguments: &[Real<Tape<S>>; MAX_ARGUMENTS],
    random: [bool; MAX_ARGUMENTS],
    function: &F,
) -> (S::Float, [S::Float; MAX_ARGUMENTS]) {
    let mut inputs = [LaneDual::<S>::value(S::splat(0.0)); MAX_ARGUMENTS];
    for k in 0..MAX_ARGUMENTS {
        let x = arguments[k].0.value;
        inputs[k] = if random[k] {
            LaneDual::variable(x, k)
        } else {
            LaneDual::value(x)
        };
    }
    LaneDual::parts(function.evaluate::<LaneDual<S>>(inputs))
}

impl<S: Simd> Mode for Tape<S> {
    type Repr = Node<S>;
    type Mask = S::Mask;

    #[inline(always)]
    fn constant(x: f64) -> Node<S> {
        Node::constant(S::splat(x))
    }
    #[inline(always)]
    fn call<T: Task>(task: T) -> T::Output {
        S::call(Called(task))
    }
    #[inline(always)]
    fn first_lane(x: Node<S>) -> f64 {
        S::array(x.value)[0]
    }
    #[inline(always)]
    fn add(a: Node<S>, b: Node<S>) -> Node<S> {
        Node::sum(S::add(a.value, b.value), a, b)
    }
    #[inline(always)]
    fn sub(a: Node<S>, b: Node<S>) -> Node<S> {
        Node::sum(S::sub(a.value, b.value), a, Self::neg(b))
    }
    #[inline(always)]
    fn mul(a: Node<S>, b: Node<S>) -> Node<S> {
        Node::binary(S::mul(a.value, b.value), [a, b], [b.value, a.value])
    }
    #[inline(always)]
    fn div(a: Node<S>, b: Node<S>) -> Node<S> {
        let inverse = S::div(S::splat(1.0), b.value);
        let quotient = S::div(a.value, b.value);
        let slope = S::neg(S::mul(quotient, inverse));
        Node::binary(quotient, [a, b], [inverse, slope])
    }
    #[inline(always)]
    fn neg(a: Node<S>) -> Node<S> {
        Node::multiple(S::neg(a.value), a, -1.0)
    }
    #[inline(always)]
    fn add_data(a: Node<S>, b: f64) -> Node<S> {
        Node::new(S::add(a.value, S::splat(b)), a.form)
    }
    #[inline(always)]
    fn scale(a: Node<S>, b: f64) -> Node<S> {
        Node::multiple(S::mul(a.value, S::splat(b)), a, b)
    }
    #[inline(always)]
    fn div_data(a: Node<S>, b: f64) -> Node<S> {
        Node::multiple(S::div(a.value, S::splat(b)), a, 1.0 / b)
    }
    #[inline(always)]
    fn unary<F: Function>(a: Node<S>) -> Node<S> {
        // a short function is inlined once; computing an unused slope costs little
        if a.is_constant() && const { !call::is_inline::<S, F>() } {
            return Node::constant(call::value::<S, F>(a.value));
        }
        let (value, slope) = call::first::<S, F>(a.value);
        Node::unary(value, a, slope)
    }
    #[inline(always)]
    fn binary<F: Binary>(a: Node<S>, b: Node<S>) -> Node<S> {
        let (value, slopes) = call::binary_first::<S, F>(a.value, b.value);
        Node::binary(value, [a, b], slopes)
    }
    #[inline(always)]
    fn ternary<F: Ternary>(a: Node<S>, b: Node<S>, c: Node<S>) -> Node<S> {
        let (value, slopes) = F::lanes_first::<S>(a.value, b.value, c.value);
        Node::ternary(value, [a, b, c], slopes)
    }
    #[inline(always)]
    fn lt(a: Node<S>, b: Node<S>) -> S::Mask {
        S::lt(a.value, b.value)
    }
    #[inline(always)]
    fn le(a: Node<S>, b: Node<S>) -> S::Mask {
        S::le(a.value, b.value)
    }
    #[inline(always)]
    fn select(mask: S::Mask, a: Node<S>, b: Node<S>) -> Node<S> {
        let (one, zero) = (S::splat(1.0), S::splat(0.0));
        let value = S::select(mask, a.value, b.value);
        let chosen = [S::select(mask, one, zero), S::select(mask, zero, one)];
        Node::binary(value, [a, b], chosen)
    }

    #[inline(always)]
    fn add_term(sum: &mut Node<S>, term: Node<S>, part: Part) {
        sum.value = S::add(sum.value, term.value);
        if !term.is_constant() {
            record!(|r| {
                let weight = r.weights[part as usize];
                if weight != 0.0 {
                    r.seed::<S>(term.form, S::splat(weight));
                }
            });
        }
    }
    #[inline(always)]
    fn add_function_term<F: ScalarFunction>(
        sum: &mut Node<S>,
        arguments: [Real<Self>; MAX_ARGUMENTS],
        random: [bool; MAX_ARGUMENTS],
        term: &F,
        part: Part,
    ) {
        let (value, slopes) = slopes_of::<S, F>(&arguments, random, term);
        sum.value = S::add(sum.value, value);
        record!(|r| {
            let weight = r.weights[part as usize];
            if weight != 0.0 {
                let weight = S::splat(weight);
                for_each_argument(
                    #[inline(always)]
                    |k| {
                        if random[k] {
                            r.seed::<S>(arguments[k].0.form, S::mul(weight, slopes[k]));
                        }
                    },
                );
            }
        });
    }
    #[inline(always)]
    fn add_network_choices(
        sum: &mut Node<S>,
        applied: Applied<'_>,
        weights: &[Real<Self>],
        chosen: impl Fn(usize) -> usize,
        part: Part,
    ) {
        let rows = &mut Choices(chosen);
        let weight = record!(|r| r.weights[part as usize]);
        if weight == 0.0 {
            let value = applied.score::<S, _>(|k| weights[k].0.value, rows);
            sum.value = S::add(sum.value, value);
            return;
        }
        let mut scratch = Scratch::take::<S>(weights.len(), |k| weights[k].0.value, true);
        let value = applied.at(&scratch.weights).score(
            S::INSTRUCTION_SET,
            rows,
            Some(&mut scratch.gradient),
        );
        sum.value = S::add(sum.value, S::load(&value));
        record!(|r| {
            for (theta, slope) in weights.iter().zip(&scratch.gradient) {
                if !theta.0.is_constant() {
                    r.seed::<S>(theta.0.form, S::mul(S::splat(weight), S::load(slope)));
                }
            }
        });
        scratch.give_back();
    }
    #[inline(always)]
    fn network(applied: Applied<'_>, weights: &[Real<Self>]) -> Matrix<Self> {
        record!(|r| r.network(applied, weights))
    }
    #[inline(always)]
    fn depth() -> usize {
        record!(|r| r.depth())
    }
    #[inline(always)]
    fn checkpoint() -> usize {
        record!(|r| r.checkpoint())
    }
    #[inline(always)]
    fn release(checkpoint: usize) {
        record!(|r| r.release::<S>(checkpoint));
    }

    #[inline(always)]
    fn matrix_vector(matrix: &DMatrix<f64>, vector: &[Real<Self>]) -> Vector<Self> {
        record!(|r| r.matrix_vector(matrix, vector))
    }
    #[inline(always)]
    fn dot(data: &[f64], vector: &[Real<Self>]) -> Real<Self> {
        let value = lanes::dot::<S>(data, |k| vector[k].0.value);
        Real(record!(|r| r.linear(value, vector, |k| data[k])))
    }
    #[inline(always)]
    fn dot_random(left: &[Real<Self>], right: &[Real<Self>]) -> Real<Self> {
        let (a, b) = (|k: usize| left[k].0.value, |k: usize| right[k].0.value);
        let value = lanes::dot_random::<S>(left.len(), a, b);
        Real(record!(|r| r.dot(value, left, right)))
    }
    #[inline(always)]
    fn sum(elements: &[Real<Self>]) -> Real<Self> {
        let mut value = S::splat(0.0);
        for x in elements {
            value = S::add(value, x.0.value);
        }
        Real(record!(|r| r.linear(value, elements, |_| 1.0)))
    }
    #[inline(always)]
    fn log_sum_exp(elements: &[Real<Self>]) -> Real<Self> {
        let total = lanes::log_sum_exp::<S>(elements.len(), |k| elements[k].0.value);
        Real(record!(|r| r.log_sum_exp(total, elements)))
    }
    #[inline(always)]
    fn softmax(elements: &[Real<Self>]) -> Vector<Self> {
        record!(|r| r.softmax(elements))
    }
    #[inline(always)]
    fn cholesky(dim: usize, entries: &mut [Real<Self>]) {
        record!(|r| r.cholesky(dim, entries));
    }
    #[inline(always)]
    fn solve_lower(factor: &[Real<Self>], x: &mut [Real<Self>]) {
        record!(|r| r.solve(factor, x));
    }
    #[inline(always)]
    fn scalar_function<F: ScalarFunction>(
        arguments: [Real<Self>; MAX_ARGUMENTS],
        random: [bool; MAX_ARGUMENTS],
        function: &F,
    ) -> Real<Self> {
        let (value, slopes) = slopes_of::<S, F>(&arguments, random, function);
        Real(record!(|r| r.gathered(value, &arguments, random, slopes)))
    }
    #[inline(always)]
    fn add_logit_terms(
        sum: &mut Node<S>,
        len: usize,
        outcome: impl Fn(usize) -> f64,
        logit: impl Fn(usize) -> Real<Self>,
        part: Part,
    ) {
        // the caller's functions run outside of `record!`, because they may record too
        let weight = record!(|r| r.weights[part as usize]);
        let sign = |i: usize| 2.0 * outcome(i) - 1.0;
        let signed = |i: usize| S::mul(logit(i).0.value, S::splat(sign(i)));
        let slope = |i: usize, slope: S::Float| {
            let form = logit(i).0.form;
            if !form.is_constant() && weight != 0.0 {
                let slope = S::mul(slope, S::splat(weight * sign(i)));
                record!(|r| r.seed::<S>(form, slope));
            }
        };
        let total = lanes::log_logistic_sum::<S>(len, signed, slope);
        sum.value = S::add(sum.value, total);
    }
    #[inline(always)]
    fn add_choice_term(sum: &mut Node<S>, scores: &[Real<Self>], chosen: usize, part: Part) {
        let total = lanes::log_sum_exp::<S>(scores.len(), |k| scores[k].0.value);
        sum.value = S::add(sum.value, S::sub(scores[chosen].0.value, total));
        record!(|r| {
            let weight = r.weights[part as usize];
            for (k, score) in scores.iter().enumerate() {
                if weight != 0.0 && !score.0.is_constant() {
                    let one = S::splat(f64::from(u8::from(k == chosen)));
                    let slope = S::sub(one, sums::share::<S>(score.0.value, total));
                    r.seed::<S>(score.0.form, S::mul(S::splat(weight), slope));
                }
            }
        });
    }
}
