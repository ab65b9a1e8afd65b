//! What is recorded, and what a recording that was stopped leaves behind.

use super::run::{assert_agrees, numbers, replayed};
use bayes_autodiff::gradient::{Program, gradient};
use bayes_autodiff::simd::InstructionSet;
use bayes_autodiff::{Mode, Real};
use nalgebra::DMatrix;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// The log of a total, by itself.
struct Total;

impl Program for Total {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        [M::log_sum_exp(x), M::sum(&M::softmax(x))]
    }
}

#[test]
fn nothing_has_a_share_in_a_total_of_nothing() {
    let mut positions = numbers(9 * 3);
    positions[3..6].fill(f64::NEG_INFINITY);
    positions[7] = f64::NEG_INFINITY;
    for level in InstructionSet::available() {
        let got = replayed(level, &Total, [1.0, 0.0], &positions, 3);
        assert_eq!(got.log_prior[1], f64::NEG_INFINITY);
        assert_eq!(got.gradient[3..6], [0.0; 3]);
        // one element of nothing among others has no share either
        assert_eq!(got.gradient[7], 0.0);
        for particle in [0, 2, 3, 8] {
            let shares: f64 = got.gradient[3 * particle..][..3].iter().sum();
            assert!((shares - 1.0).abs() < 1e-14, "{level}: {shares}");
        }
    }
}

/// Terms in loops within loops, on quantities of the loops around them, of which some are left early.
struct Loops {
    /// Every how many of the inner turns are left early, from the first on; none if 0.
    skip: usize,
    /// How many quantities more an inner turn makes: a short one is part of a segment, a long one several.
    length: usize,
}

impl Program for Loops {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sums = [Real::<M>::constant(0.0); 2];
        let scale = x[0].exp();
        for i in 0..3 {
            let level = scale * x[1] + i as f64;
            for k in 0..5 {
                let mut y = level * x[2];
                for _ in 0..self.length {
                    y = y.sin();
                }
                let term = M::log_sum_exp(&[y, scale, x[1]]) * (1.0 + k as f64);
                if self.skip > 0 && k % self.skip == 0 {
                    continue;
                }
                sums[1] += term;
            }
            sums[0] += level.square();
        }
        sums
    }
}

const LOOPS: Loops = Loops {
    skip: 2,
    length: 30,
};

#[test]
fn loops_within_loops_agree_with_forward_mode() {
    let positions = numbers(11 * 3);
    for skip in [0, 1, 2, 4] {
        for length in [0, 1, 30, 120] {
            assert_agrees(&Loops { skip, length }, &positions, 3);
        }
    }
}

/// Records other programs in the middle of its own evaluation, one of which panics.
struct Nested {
    level: InstructionSet,
}

impl Program for Nested {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let y = x[0].exp() * x[1];
        let inner = replayed(self.level, &LOOPS, [1.0; 2], &[0.1, 0.2, 0.3], 3);
        assert_stops(self.level, &Stops, MISTAKE);
        [y.sin() * inner.gradient[0], M::log_sum_exp(&[y, x[0]])]
    }
}

#[test]
fn an_evaluation_goes_on_after_those_within_it() {
    for level in InstructionSet::available() {
        assert_agrees(&Nested { level }, &numbers(11 * 2), 2);
    }
}

const MISTAKE: &str = "the model has a mistake in it";

/// Stops in the middle of a recording.
struct Stops;

impl Program for Stops {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sum = Real::<M>::constant(0.0);
        let shares = M::softmax(x);
        sum += shares[0];
        panic!("{MISTAKE}");
    }
}

#[test]
fn a_panic_leaves_nothing_behind() {
    let positions = numbers(11 * 3);
    for level in InstructionSet::available() {
        let before = replayed(level, &LOOPS, [1.0; 2], &positions, 3);
        assert_stops(level, &Stops, MISTAKE);
        let after = replayed(level, &LOOPS, [1.0; 2], &positions, 3);
        assert_eq!(before, after, "{level}");
    }
}

/// An infinite slope on the side that is not chosen, one by one and in bulk.
struct Guarded;

impl Program for Guarded {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let far = M::dot_random(&[x[0]], &[Real::constant(f64::INFINITY)]);
        let inside = x[0].le(0.0);
        [
            Real::select(inside, x[1], x[0].sqrt()),
            Real::select(inside, x[1] * x[0], far),
        ]
    }
}

#[test]
fn an_adjoint_of_zero_meets_infinite_slopes() {
    for level in InstructionSet::available() {
        let got = replayed(level, &Guarded, [1.0; 2], &[0.0, 2.0], 2);
        assert_eq!(got.gradient, [2.0, 1.0], "{level}");
        let mut forward = [f64::NAN; 2];
        gradient(&Guarded, &[0.0, 2.0], [1.0; 2], &mut forward);
        assert_eq!(got.gradient, forward);
    }
}

/// A prior, and a likelihood whose slope is infinite at zero; added up or given at the end.
struct Singular {
    added: bool,
}

impl Program for Singular {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sums = [x[0] * 3.0, Real::constant(0.0)];
        if self.added {
            sums[1] += x[0].ln();
            sums[1] += x[0].ln() - M::log_sum_exp(&[x[0].ln(), x[0]]);
        } else {
            sums[1] = x[0].ln();
        }
        sums
    }
}

#[test]
fn a_weight_of_zero_leaves_a_term_out() {
    for level in InstructionSet::available() {
        for added in [false, true] {
            let program = Singular { added };
            let got = replayed(level, &program, [2.0, 0.0], &[0.0], 1);
            assert_eq!(got.gradient, [6.0], "{level}");
            let got = replayed(level, &program, [2.0, 1.0], &[0.0], 1);
            assert!(!got.gradient[0].is_finite(), "{level}");
        }
    }
}

/// Many quantities, one by one or as an operation on vectors.
struct Long {
    in_bulk: bool,
    matrix: DMatrix<f64>,
}

impl Program for Long {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut y = x[0] * x[1];
        for _ in 0..if self.in_bulk { 200 } else { 1500 } {
            y = (y + x[1]).sin() * x[0];
        }
        let many = M::matrix_vector(&self.matrix, &[y, x[1]]);
        [M::log_sum_exp(&many), y]
    }
}

#[test]
fn long_programs_agree_with_forward_mode() {
    for (in_bulk, rows) in [(false, 1), (true, 900), (true, 3000)] {
        let matrix = DMatrix::from_vec(rows, 2, numbers(2 * rows));
        assert_agrees(&Long { in_bulk, matrix }, &numbers(2 * 3), 2);
    }
}

/// Many operations on vectors, of multiples of one quantity.
struct Multiples;

impl Program for Multiples {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sum = x[0];
        for i in 0..1500 {
            let mut solved = [x[0] * -(1.0 + f64::from(i) * 1e-3)];
            M::solve_lower(&[x[1].exp()], &mut solved);
            sum += solved[0] * 1e-3;
        }
        [sum, x[1]]
    }
}

#[test]
fn many_operations_on_vectors_agree_with_forward_mode() {
    assert_agrees(&Multiples, &numbers(2 * 3), 2);
}

/// The evaluation at ones ends in a panic with `message`.
fn assert_stops<P: Program>(level: InstructionSet, program: &P, message: &str) {
    let run = AssertUnwindSafe(|| replayed(level, program, [1.0; 2], &[1.0; 3], 3));
    let panic = catch_unwind(run).expect_err("the evaluation ends in a panic");
    let text = panic.downcast_ref::<String>().cloned();
    let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
    assert_eq!(text.as_deref(), Some(message), "{level}");
}
