//! Replays compared with forward mode, on random programs and on programs with a known difficulty.

mod coordinates;
#[cfg(feature = "networks")]
mod networks;
mod random;
mod shares;
#[cfg(feature = "networks")]
mod sharing;
mod sparse;
mod untraceable;
mod variances;
mod vectors;

use super::{AtPosition, Trace, Untraceable};
use crate::Mode;
use crate::batch::Batch;
use crate::gradient::{Program, gradient};
use crate::real::{PlainValue, Real};
use crate::simd::InstructionSet;
use random::Random;

/// A linear congruential generator (Knuth's MMIX), for programs and positions.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    /// Below `n`.
    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }

    /// Between -1 and 1.
    fn symmetric(&mut self) -> f64 {
        self.next() as f64 / f64::from(1_u32 << 30) - 1.0
    }

    fn positions(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| 1.5 * self.symmetric()).collect()
    }
}

/// Log priors, log likelihoods and gradients of particles.
#[derive(Clone, PartialEq, Debug)]
struct Densities {
    log_prior: Vec<f64>,
    log_likelihood: Vec<f64>,
    gradient: Vec<f64>,
}

/// Runs `f` on a batch at `positions`.
fn densities(positions: &[f64], dim: usize, f: impl FnOnce(Batch<'_>, &mut [f64])) -> Densities {
    let count = positions.len() / dim;
    let mut all = Densities {
        log_prior: vec![f64::NAN; count],
        log_likelihood: vec![f64::NAN; count],
        gradient: vec![f64::NAN; positions.len()],
    };
    let batch = Batch {
        dim,
        positions,
        log_prior: &mut all.log_prior,
        log_likelihood: &mut all.log_likelihood,
    };
    f(batch, &mut all.gradient);
    all
}

fn replayed(
    level: InstructionSet,
    trace: &Trace<'_>,
    weights: [f64; 2],
    positions: &[f64],
) -> Densities {
    densities(positions, trace.code.dim, |batch, gradient| {
        trace.gradients(level, weights, batch, gradient);
    })
}

/// Panics unless two numbers agree to 12 digits of `scale`, or are the same infinity, or both NaN.
fn assert_near(found: f64, expected: f64, scale: f64, what: &str) {
    let same = found == expected || (found.is_nan() && expected.is_nan());
    assert!(
        same || (found - expected).abs() <= 1e-12 * scale,
        "{what}: {found} by the trace, expected {expected} (of numbers up to {scale:.1e})"
    );
}

/// The program's data.
fn data<P: Program>(program: &P) -> Vec<&[f64]> {
    let mut data = Vec::new();
    program.data(&mut |numbers| data.push(numbers));
    data
}

/// Compares a replay with forward mode at every particle; returns the trace.
fn check<'p, P: Program>(
    program: &'p P,
    dim: usize,
    positions: &[f64],
    weights: [f64; 2],
) -> Trace<'p> {
    let trace =
        Trace::record(program, &data(program), &[&positions[..dim]]).expect("it can be traced");
    for level in InstructionSet::available() {
        let found = replayed(level, &trace, weights, positions);
        for (i, position) in positions.chunks_exact(dim).enumerate() {
            let mut slopes = vec![0.0; dim];
            let expected = gradient(program, position, weights, &mut slopes);
            let size = expected[0].abs() + expected[1].abs() + 1.0;
            let slope = slopes.iter().fold(size, |sum, x| sum + x.abs());
            let what = |name| format!("{name} of particle {i} against forward mode ({level})");
            let likelihood = found.log_likelihood[i];
            assert_near(found.log_prior[i], expected[0], size, &what("log prior"));
            assert_near(likelihood, expected[1], size, &what("likelihood"));
            let row = &found.gradient[i * dim..(i + 1) * dim];
            for (found, expected) in row.iter().zip(&slopes) {
                assert_near(*found, *expected, slope, &what("slope"));
            }
        }
    }
    trace
}

#[test]
fn values_are_those_of_gradients_and_do_not_depend_on_the_block() {
    for seed in 0..40 {
        let mut numbers = Numbers(seed);
        let (dim, count) = (3, 77);
        let positions = numbers.positions(dim * count);
        let program = Random {
            seed,
            statements: 40,
        };
        let trace = Trace::record(&program, &[], &[&positions[..dim]]).expect("it can be traced");
        for level in InstructionSet::available() {
            let all = replayed(level, &trace, [1.0, 0.5], &positions);
            let values = densities(&positions, dim, |batch, _| trace.values(level, batch));
            assert_eq!(values.log_prior, all.log_prior);
            assert_eq!(values.log_likelihood, all.log_likelihood);
            // every lane, every block of eight, and the last particle
            for i in (0..count).step_by(7).chain([count - 1]) {
                let position = &positions[i * dim..(i + 1) * dim];
                let alone = replayed(level, &trace, [1.0, 0.5], position);
                assert_eq!(alone.log_prior[0], all.log_prior[i]);
                assert_eq!(alone.log_likelihood[0], all.log_likelihood[i]);
                assert_eq!(alone.gradient, all.gradient[i * dim..(i + 1) * dim]);
            }
        }
    }
}

/// A logarithm at the edge, in the branch that is not chosen.
struct Edge;

impl Program for Edge {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let safe = Real::select(x[0].gt(0.0), x[0].ln() * x[1], x[1] * 2.0);
        let zero = x[1] + -x[1];
        let root = zero.sqrt() * 0.0;
        [safe, Real::select(x[0].le(0.0), x[1].square(), root.exp())]
    }
}

#[test]
fn the_side_that_is_not_chosen_contributes_nothing() {
    let positions = [0.0, 1.5, 2.0, 0.5, -1.0, 0.25];
    for weights in [[1.0, 0.0], [1.0, 1.0]] {
        let trace = Trace::record(&Edge, &[], &[&positions[..2]]).expect("it can be traced");
        for level in InstructionSet::available() {
            let found = replayed(level, &trace, weights, &positions);
            for i in [0, 2] {
                let mut slopes = [0.0; 2];
                let expected = gradient(&Edge, &positions[2 * i..2 * i + 2], weights, &mut slopes);
                assert_eq!(found.log_prior[i], expected[0]);
                assert_eq!(found.gradient[2 * i..2 * i + 2], slopes, "{level}");
                assert!(slopes[1].is_finite());
            }
            // the result of a lane does not depend on another lane of the block that needs care
            let alone = replayed(level, &trace, weights, &positions[2..4]);
            assert_eq!(alone.gradient[0].to_bits(), found.gradient[2].to_bits());
        }
    }
}

/// Roots in comparisons with 0: of a number of any sign, and of a positive one.
struct Roots;

impl Program for Roots {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let any = Real::select(x[0].sqrt().ge(0.0), x[1], x[1] * 2.0);
        let positive = Real::select(x[0].exp().sqrt().ge(0.0), x[1], x[1] * 2.0);
        [any, positive]
    }
}

#[test]
fn a_root_of_a_negative_number_is_not_above_zero() {
    let trace = Trace::record(&Roots, &[], &[&[1.0, 3.0]]).expect("it can be traced");
    for level in InstructionSet::available() {
        let found = replayed(level, &trace, [1.0, 1.0], &[1.0, 3.0, -1.0, 3.0]);
        assert_eq!(found.log_prior, [3.0, 6.0], "{level}");
        assert_eq!(found.log_likelihood, [3.0, 3.0], "{level}");
    }
}

/// Observations with one scale.
struct Scale(usize);

impl Program for Scale {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut sum = Real::<M>::constant(0.0);
        for i in 0..self.0 {
            let sd = x[1].exp();
            let z = (i as f64 - x[0]) / sd;
            sum += z * z * -0.5;
            sum += -sd.ln() - 0.9;
        }
        [Real::constant(0.0), sum]
    }
}

#[test]
fn observations_of_one_scale_are_one_term_each() {
    let trace = check(&Scale(1000), 2, &[0.3, -0.2], [1.0, 1.0]);
    assert!(
        trace.len() < 1010,
        "exp, ln, 1/sd and a term for each: {}",
        trace.len()
    );
}

/// Products and squares of factors whose numbers multiply to 0, and what is left to infinity.
struct Far;

impl Program for Far {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        // about 1 for x near 0
        let near = |x: Real<M>| (x + 400.0).exp() * 2e-174;
        let product = near(x[0]) * near(x[1]);
        let z = (x[0] * (x[1] + 400.0).exp()) * 2e-174;
        [product.ln(), z * z * -0.5 + product * product]
    }
}

/// Would detect numbers that are taken out of the factors of a product, so that it is 0, infinite or NaN.
#[test]
fn products_of_far_factors_are_numbers() {
    check(&Far, 2, &[0.3, -0.2, 1.0, 0.5], [1.0, 1.0]);
    let trace = Trace::record(&Far, &[], &[&[0.3, -0.2]]).expect("it can be traced");
    for level in InstructionSet::available() {
        let found = replayed(level, &trace, [1.0, 1.0], &[0.3, -0.2]);
        let all = [&found.log_prior, &found.log_likelihood, &found.gradient];
        let mut all = all.into_iter().flatten();
        assert!(all.all(|x| x.is_finite() && *x != 0.0), "{level}");
    }
}

/// A state that passes from one iteration to the next.
struct Carried(usize);

impl Program for Carried {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let mut state = [x[0], x[1]];
        let mut sum = Real::<M>::constant(0.0);
        for t in 0..self.0 {
            let [a, b] = state;
            let mixed = (a * b * x[2]).sin() + (a - b).tanh();
            state = [
                0.9 * a + 0.1 * mixed + (0.1 * b).cos() * 0.01,
                0.9 * b - 0.1 * mixed * (a + b).sin(),
            ];
            sum += (state[0] - 0.01 * t as f64).square() * -0.5;
        }
        [x[2].square() * -0.5, sum]
    }
}

#[test]
fn few_values_are_carried_between_iterations() {
    let positions = Numbers(5).positions(3 * 40);
    let trace = check(&Carried(300), 3, &positions, [1.0, 1.0]);
    assert!(trace.segments() > 100, "{}", trace.segments());
    let carried = trace.carried() as f64 / trace.segments() as f64;
    assert!(carried <= 3.0, "the state of two, and the sum: {carried}");
}

#[test]
fn constant_programs_and_positions_of_no_coordinates_are_traced() {
    struct Nothing;
    impl Program for Nothing {
        fn evaluate<M: Mode>(&self, _: &[Real<M>]) -> [Real<M>; 2] {
            [Real::constant(1.5), Real::constant(-2.0)]
        }
    }
    let trace = Trace::record(&Nothing, &[], &[&[]]).expect("it can be traced");
    assert!(trace.is_empty());
    let (mut log_prior, mut log_likelihood) = ([0.0; 3], [0.0; 3]);
    let batch = Batch {
        dim: 0,
        positions: &[],
        log_prior: &mut log_prior,
        log_likelihood: &mut log_likelihood,
    };
    trace.gradients(InstructionSet::detect(), [1.0, 1.0], batch, &mut []);
    assert_eq!((log_prior, log_likelihood), ([1.5; 3], [-2.0; 3]));
}

/// A mean with many terms; the means of several observations are its multiples. The first datum is 0, so that its difference is a
/// multiple itself.
struct LongMean {
    x: Vec<f64>,
    /// Whether the observations share their difference and have separate standard deviations.
    one_difference: bool,
}

impl Program for LongMean {
    fn evaluate<M: Mode>(&self, z: &[Real<M>]) -> [Real<M>; 2] {
        let sum = M::dot(&self.x, &z[..self.x.len()]);
        let [first, second] = [0, 1].map(|k| z[self.x.len() + k].exp());
        let mut sums = [Real::<M>::constant(0.0); 2];
        let observed = if self.one_difference {
            [(0.0, sum, first), (0.0, sum, second)]
        } else {
            [(0.0, sum * 0.5, first), (1.0, sum * 0.5, first)]
        };
        for (y, mean, sd) in observed {
            let deviation = (y - mean) / sd;
            sums[1] += deviation * deviation * -0.5;
        }
        sums
    }
}

/// Meant to detect: a sum that became part of a square although something else needs it.
#[test]
fn a_long_mean_serves_several_observations() {
    for terms in [15, 16, 17, 33] {
        let mut numbers = Numbers(terms as u64);
        let x: Vec<f64> = (0..terms).map(|_| numbers.symmetric()).collect();
        let positions = numbers.positions((terms + 2) * 21);
        for one_difference in [false, true] {
            let x = x.clone();
            let program = LongMean { x, one_difference };
            check(&program, terms + 2, &positions, [0.5, 1.0]);
        }
    }
}
