//! What is recorded when, how long it lives, and what an evaluation that was stopped leaves behind.

use super::run::{assert_agrees, assert_stops, numbers, on_tape};
use bayes_autodiff::gradient::{Program, gradient};
use bayes_autodiff::simd::InstructionSet;
use bayes_autodiff::{Mode, Part, Real};
use nalgebra::DMatrix;
use std::any::Any;
use std::cell::RefCell;

const STALE: &str =
    "a random quantity was used outside of the evaluation or the loop iteration that made it";

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
        let got = on_tape(level, &Total, [1.0, 0.0], &positions, 3);
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

/// Terms made and forgotten in loops within loops, on quantities of the loops around them; the turns that skip the
/// end of an iteration leave their mark behind.
struct Loops {
    /// Every how many of the inner turns are left early, from the first on; none if 0.
    skip: usize,
    /// How many quantities more an inner turn makes: short iterations are swept together, long ones by themselves.
    length: usize,
}

impl Program for Loops {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sums = [Real::<M>::constant(0.0); 2];
        let scale = x[0].exp();
        for i in 0..3 {
            let outer = M::checkpoint();
            let level = scale * x[1] + i as f64;
            for k in 0..5 {
                let inner = M::checkpoint();
                let mut y = level * x[2];
                for _ in 0..self.length {
                    y = y.sin();
                }
                let term = M::log_sum_exp(&[y, scale, x[1]]) * (1.0 + k as f64);
                if self.skip > 0 && k % self.skip == 0 {
                    continue;
                }
                M::add_term(&mut sums[1].0, term.0, Part::Likelihood);
                M::release(inner);
            }
            M::add_term(&mut sums[0].0, level.square().0, Part::Prior);
            M::release(outer);
        }
        sums
    }
}

const LOOPS: Loops = Loops {
    skip: 2,
    length: 30,
};

#[test]
fn iterations_are_swept_where_they_end() {
    let positions = numbers(11 * 3);
    for skip in [0, 1, 2, 4] {
        for length in [0, 1, 30, 120] {
            assert_agrees(&Loops { skip, length }, &positions, 3);
        }
    }
}

/// Uses quantities of a long iteration after its end, in the way given.
struct AfterCut {
    how: usize,
}

impl Program for AfterCut {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let checkpoint = M::checkpoint();
        let mut y = x[0];
        for _ in 0..120 {
            y = y.sin();
        }
        let gone = [y.exp(), y * x[0]];
        M::release(checkpoint);
        let matrix = DMatrix::from_element(1, 2, 1.0);
        let used = match self.how {
            0 => gone[0] * 2.0,
            1 => x[0] * gone[0],
            2 => M::sum(&gone),
            3 => M::matrix_vector(&matrix, &gone)[0],
            4 => M::log_sum_exp(&gone),
            // seeded as a term of the log density
            _ => gone[0],
        };
        [used, x[0]]
    }
}

#[test]
fn quantities_of_an_iteration_end_with_it() {
    for level in InstructionSet::available() {
        for how in 0..6 {
            assert_stops(level, &AfterCut { how }, STALE);
        }
    }
}

thread_local! {
    static KEPT: RefCell<Option<Box<dyn Any>>> = const { RefCell::new(None) };
}

/// Keeps its last quantity beyond the evaluation.
struct Keep;

impl Program for Keep {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut y = x[0];
        for _ in 0..20 {
            y = y.sin() + x[0];
        }
        KEPT.set(Some(Box::new(y)));
        [y, x[0]]
    }
}

/// Uses what another evaluation kept.
struct UseKept;

impl Program for UseKept {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let kept = KEPT.take().expect("kept by the evaluation before");
        let kept = *kept.downcast::<Real<M>>().expect("kept in the same mode");
        [x[0] * kept, x[0]]
    }
}

#[test]
fn quantities_of_an_evaluation_end_with_it() {
    for level in InstructionSet::available() {
        let before = on_tape(level, &Keep, [1.0; 2], &[0.4], 1);
        assert_stops(level, &UseKept, STALE);
        let after = on_tape(level, &Keep, [1.0; 2], &[0.4], 1);
        assert_eq!(before, after, "{level}");
    }
    assert_agrees(&Keep, &numbers(11), 1);
}

/// Evaluates other programs in the middle of its own evaluation, one of which panics.
struct Nested {
    level: InstructionSet,
}

impl Program for Nested {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let y = x[0].exp() * x[1];
        let inner = on_tape(self.level, &LOOPS, [1.0; 2], &[0.1, 0.2, 0.3], 3);
        assert_stops(self.level, &AfterCut { how: 0 }, STALE);
        [y.sin() * inner.gradient[0], M::log_sum_exp(&[y, x[0]])]
    }
}

#[test]
fn an_evaluation_goes_on_after_those_within_it() {
    for level in InstructionSet::available() {
        assert_agrees(&Nested { level }, &numbers(11 * 2), 2);
    }
}

/// Stops in the middle of a record with everything in it: marks, bulk operations, seeds.
struct Stops;

impl Program for Stops {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sum = Real::<M>::constant(0.0);
        M::checkpoint();
        let shares = M::softmax(x);
        M::add_term(&mut sum.0, shares[0].0, Part::Prior);
        M::checkpoint();
        panic!("the model has a mistake in it");
    }
}

#[test]
fn a_panic_leaves_nothing_behind() {
    let positions = numbers(11 * 3);
    for level in InstructionSet::available() {
        let before = on_tape(level, &LOOPS, [1.0; 2], &positions, 3);
        assert_stops(level, &Stops, "the model has a mistake in it");
        let after = on_tape(level, &LOOPS, [1.0; 2], &positions, 3);
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
        let got = on_tape(level, &Guarded, [1.0; 2], &[0.0, 2.0], 2);
        assert_eq!(got.gradient, [2.0, 1.0], "{level}");
        let mut forward = [f64::NAN; 2];
        gradient(&Guarded, &[0.0, 2.0], [1.0; 2], &mut forward);
        assert_eq!(got.gradient, forward);
    }
}

/// A prior, and a likelihood whose slope is infinite at zero; added in its loop or given at the end.
struct Singular {
    added: bool,
}

impl Program for Singular {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sums = [x[0] * 3.0, Real::constant(0.0)];
        if self.added {
            let checkpoint = M::checkpoint();
            M::add_term(&mut sums[1].0, x[0].ln().0, Part::Likelihood);
            M::add_choice_term(&mut sums[1].0, &[x[0].ln(), x[0]], 0, Part::Likelihood);
            M::release(checkpoint);
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
            let got = on_tape(level, &program, [2.0, 0.0], &[0.0], 1);
            assert_eq!(got.gradient, [6.0], "{level}");
            let got = on_tape(level, &program, [2.0, 1.0], &[0.0], 1);
            assert!(!got.gradient[0].is_finite(), "{level}");
        }
    }
}

/// More quantities than a new tape has room for, one by one or in bulk.
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
fn a_tape_grows() {
    for (in_bulk, rows) in [(false, 1), (true, 900), (true, 3000)] {
        let matrix = DMatrix::from_vec(rows, 2, numbers(2 * rows));
        // a thread of its own begins with a new tape
        let program = Long { in_bulk, matrix };
        let outcome = std::thread::spawn(move || assert_agrees(&program, &numbers(2 * 3), 2));
        outcome.join().expect("the gradients agree");
    }
}

/// Bulk operations on multiples of a quantity, each of which is written down first: more than a new tape has room for.
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
fn a_tape_grows_under_multiples_too() {
    // a thread of its own begins with a new tape
    let outcome = std::thread::spawn(|| assert_agrees(&Multiples, &numbers(2 * 3), 2));
    outcome.join().expect("the gradients agree");
}
