//! Random programs.

use super::{Numbers, check};
use crate::Mode;
use crate::gradient::Program;
use crate::real::Real;
use nalgebra::DMatrix;

/// A random program from a seed: nested loops with carried state, shared subexpressions, closures, functions of one to three arguments,
/// choices, whole-vector operations, and terms of both log densities.
pub(super) struct Random {
    pub(super) seed: u64,
    pub(super) statements: usize,
}

impl Random {
    /// One statement; values stay moderate.
    fn statement<M: Mode>(
        numbers: &mut Numbers,
        pool: &mut Vec<Real<M>>,
        sums: &mut [Real<M>; 2],
        depth: usize,
    ) {
        let mut pick = |pool: &[Real<M>]| pool[numbers.below(pool.len())];
        let (a, b, c) = (pick(pool), pick(pool), pick(pool));
        let number = 1.5 * numbers.symmetric();
        let helper = |x: Real<M>| x * number + b * 0.3;
        // two values may be equal up to rounding: both sides of a choice meet there, with their slopes
        let apart = (a - b).square();
        let result = match numbers.below(17) {
            0 => a + b - c * 0.5,
            1 => (a * b).tanh() - number,
            2 => a / (1.0 + b.square()),
            3 => (0.3 * a).exp() * number,
            4 => (1.0 + a.square()).ln() + (2.0 + b.sin()).sqrt(),
            5 => Real::select(a.lt(b), apart * 0.7, apart * c.cos() * -0.5),
            6 => (a.max(b) - b).square() - (a.min(number) - number).square() + c.abs() * c,
            7 => a.log_add_exp(b) - c.log_add_exp(number),
            8 => (1.0 + a.square()).pow(0.3 * b.tanh()),
            9 => helper(a) - helper(c).sin(),
            10 => {
                let sd = match numbers.below(2) {
                    0 => (0.4 * c).exp(),
                    _ => (0.1 + c.square()).sqrt(),
                };
                let z = (number - a - 0.2 * b) / sd;
                let part = numbers.below(2);
                sums[part] += z * z * -0.5 - sd.ln();
                return;
            }
            11 => M::dot_random(&[a, b, c], &[b, c, a]).tanh() + M::log_sum_exp(&[a, b, c]),
            12 => {
                let shares = M::softmax(&[a, b, c]);
                shares[0] * a - shares[2]
            }
            13 if depth < 2 => {
                let mut state = a * 0.5;
                for k in 0..2 + numbers.below(12) {
                    state = 0.8 * state + (b * state + k as f64 * 0.1).sin() * 0.3;
                    let mut inner = vec![state, c];
                    Self::statement(numbers, &mut inner, sums, depth + 1);
                    state = (state + inner[inner.len() - 1]).tanh();
                }
                state
            }
            14 => (a.gt(b)).pick(apart, -apart * c),
            15 => Self::vectors(numbers, [a, b, c], sums),
            _ => (a - number).square() * 0.2 - a.logistic(),
        };
        pool.push(result.tanh() + 0.1 * result.sin());
    }
}

impl Random {
    /// Statements on vectors: a product with a matrix that is not data of the program, log odds of outcomes, a factorisation and a
    /// triangular system.
    fn vectors<M: Mode>(
        numbers: &mut Numbers,
        [a, b, c]: [Real<M>; 3],
        sums: &mut [Real<M>; 2],
    ) -> Real<M> {
        let rows = 1 + numbers.below(60);
        let matrix = DMatrix::from_fn(rows, 3, |_, _| numbers.symmetric());
        let eta = M::matrix_vector(&matrix, &[a, b, c]);
        let sum = &mut sums[numbers.below(2)];
        M::add_logit_terms(sum, rows, |i| (i % 2) as f64, |i| eta[i] * 0.5);
        if numbers.below(2) == 0 {
            sums[0] += eta[rows / 2] - M::log_sum_exp(&eta);
        }
        Self::normals(numbers, &eta, [a, b, c], sums);
        let [x, y, z] = [a, b, c].map(|x| x.tanh());
        let mut factor = [3.0 + x, y, z, y, 3.0 + z, x, z, x, 4.0 - y];
        M::cholesky(3, &mut factor);
        let mut solved = [y, eta[rows - 1].tanh(), x * 0.5];
        M::solve_lower(&factor, &mut solved);
        M::sum(&solved) + factor[4].ln() + eta[0].tanh()
    }
}

impl Random {
    /// Normal variables. Each value and each mean is a number of data, an element of a vector, or a single value for all. The standard
    /// deviation is one for all or one for each, random or data.
    fn normals<M: Mode>(
        numbers: &mut Numbers,
        eta: &[Real<M>],
        [a, b, c]: [Real<M>; 3],
        sums: &mut [Real<M>; 2],
    ) {
        let data: Vec<f64> = eta.iter().map(|_| numbers.symmetric()).collect();
        let [x, mean, sd] = [3, 4, 4].map(|n| numbers.below(n));
        let sum = &mut sums[numbers.below(2)];
        let number = |i: usize| Real::<M>::constant(data[i]);
        let of = |kind: usize, i: usize| match kind {
            0 => number(i),
            1 => eta[i],
            2 => eta[i] * 0.5 + a,
            _ => c,
        };
        let scale = |i: usize| match sd {
            0 => Real::constant(2.0),
            1 => Real::constant(1.5 + data[i]),
            2 => (0.3 * b).exp(),
            _ => 1.0 + eta[i].square(),
        };
        M::add_normal_terms(sum, eta.len(), |i| of(x, i), |i| of(mean, i), scale);
    }
}

/// A choice by a mask, written as a method.
trait Pick<M: Mode> {
    fn pick(self, yes: Real<M>, no: Real<M>) -> Real<M>;
}

impl<M: Mode<Mask = K>, K: crate::Mask> Pick<M> for K {
    fn pick(self, yes: Real<M>, no: Real<M>) -> Real<M> {
        Real::select(self.not().or(yes.le(no)).not().or(self.and(self)), yes, no)
    }
}

impl Program for Random {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut numbers = Numbers(self.seed);
        let mut pool = x.to_vec();
        let mut sums = [Real::<M>::constant(0.0); 2];
        for _ in 0..self.statements {
            Self::statement(&mut numbers, &mut pool, &mut sums, 0);
        }
        let last = pool[pool.len() - 1];
        sums[0] += last * 0.5 - pool[0].square();
        sums[1] += 0.25;
        sums
    }
}

/// Meant to detect: a missing carried value, adjoints that are not cleared, an operand order reversed, a sum cut at its longest
/// without the rest, `select` with its sides exchanged.
#[test]
fn random_programs_have_the_gradients_of_forward_mode() {
    let segments = (0..200).map(check_random).max().expect("200 programs");
    assert!(
        segments > 20,
        "long programs have many segments: {segments}"
    );
}

/// As above, for as many programs as there is time for: `BAYES_PROGRAMS=first..end`, a million if it is not set.
#[test]
#[ignore = "takes hours"]
fn many_random_programs_have_the_gradients_of_forward_mode() {
    let range = std::env::var("BAYES_PROGRAMS").unwrap_or("200..1000000".to_owned());
    let (first, end) = range.split_once("..").expect("`first..end`");
    let number = |text: &str| text.parse::<u64>().expect("a number of programs");
    for seed in number(first)..number(end) {
        check_random(seed);
        if seed % 10_000 == 0 {
            println!("program {seed}");
        }
    }
}

/// Checks the program of a seed; returns the number of its segments.
fn check_random(seed: u64) -> usize {
    let mut numbers = Numbers(seed);
    let (dim, count) = (1 + numbers.below(6), [1, 8, 13, 45][seed as usize % 4]);
    let positions = numbers.positions(dim * count);
    let statements = 1 + numbers.below(60);
    let program = Random { seed, statements };
    let weights = [[1.0, 0.3], [0.0, 1.0], [1.0, 0.0]][seed as usize % 3];
    check(&program, dim, &positions, weights).segments()
}
