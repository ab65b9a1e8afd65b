//! Sums that share their terms: those that were used already, continued, doubled, or multiplied.

use super::run::{assert_agrees, numbers, replayed};
use bayes_autodiff::gradient::Program;
use bayes_autodiff::simd::InstructionSet;
use bayes_autodiff::{Mode, Real};

/// A sum that is continued in two ways while it is still in use itself.
struct Continued;

impl Program for Continued {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let a = x[0] * 2.0 + x[1] * 3.0;
        let b = a + x[2].exp();
        let c = a - x[1] * 0.5;
        let mut sum = a;
        sum += x[2];
        [a * b + c * sum, sum - b * 2.0 + (a + a) - (b - c)]
    }
}

#[test]
fn a_sum_that_is_continued_stays_what_it_was() {
    assert_agrees(&Continued, &numbers(11 * 3), 3);
}

/// A sum added to itself again and again: the terms must not double with the value.
struct Doubled;

impl Program for Doubled {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let (mut y, mut z) = (x[0] + x[1].sin(), x[0] * x[1]);
        for _ in 0..60 {
            y = y + y;
            z = z * 0.5 - y * 1e-3 + z;
        }
        [y * 1e-18, z * 1e-12]
    }
}

#[test]
fn a_doubled_sum_has_one_term_more() {
    assert_agrees(&Doubled, &numbers(11 * 2), 2);
}

/// A level that is observed at every step and goes on, or one that is observed many times over.
struct Observed {
    steps: usize,
    again: usize,
}

impl Program for Observed {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sums = [Real::<M>::constant(0.0); 2];
        let mut level = x[0];
        for t in 0..self.steps {
            level += x[t % x.len()] * (1.0 + t as f64).recip();
            for k in 0..self.again {
                let residual = level - 0.1 * k as f64;
                sums[0] += residual.square();
                sums[1] += level;
            }
        }
        sums
    }
}

#[test]
fn a_sum_is_handed_down_at_every_step() {
    for (steps, again) in [(300, 1), (20, 15), (1, 40)] {
        assert_agrees(&Observed { steps, again }, &numbers(11 * 5), 5);
    }
}

/// Data that are not finite on the side that is not chosen, as factors and inside of functions.
struct Unchosen;

impl Program for Unchosen {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let inside = x[0].le(1.0);
        let [over, times, none] = [x[0] / 0.0, x[0] * f64::INFINITY, x[0] * f64::NAN];
        let far = Real::select(inside, x[1] * 3.0, over);
        let sum = Real::select(inside, x[1], times + x[1] * 2.0);
        [
            far + Real::select(inside, x[0], none),
            sum * 2.0 + Real::select(inside, x[0], over.exp()),
        ]
    }
}

#[test]
fn what_is_not_chosen_has_no_slope_however_large() {
    for level in InstructionSet::available() {
        let got = replayed(level, &Unchosen, [1.0; 2], &[0.5, 2.0], 2);
        assert_eq!(got.gradient, [2.0, 5.0], "{level}");
    }
}

/// Factors whose product overflows, under a slope that makes up for it.
struct Steep;

impl Program for Steep {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let linear = M::dot(&[1e200], &[x[0] * 1e200]);
        let sum = (x[0] * 1e200).tanh() * 1e200 + x[1];
        [linear * 1e-300, sum * 1e-300]
    }
}

#[test]
fn factors_that_overflow_are_kept_apart() {
    for level in InstructionSet::available() {
        for weights in [[1.0, 0.0], [0.0, 1.0]] {
            let got = replayed(level, &Steep, weights, &[1e-220, 0.5], 2);
            let found = got.gradient[0];
            assert!((found / 1e100 - 1.0).abs() < 1e-12, "{level}: {found}");
        }
    }
}
