//! Coordinates that all particles have in common.

use super::super::{Recorded, SharedSlopes, Sharing, Trace};
use super::networks::{Learner, learner};
use super::{Numbers, assert_near};
use crate::batch::Batch;
use crate::gradient::{Program, gradient};
use crate::simd::InstructionSet;
use crate::{Mode, Real};

const WEIGHTS: [f64; 2] = [0.5, 2.0];

/// A learner with one of its first weights also squared in the prior.
struct Twice(Learner);

impl Program for Twice {
    fn evaluate<M: Mode>(&self, z: &[Real<M>]) -> [Real<M>; 2] {
        let [prior, likelihood] = self.0.at(z);
        [prior - 0.3 * z[1].square(), likelihood]
    }
}

/// Particles that share some coordinates, evaluated together and one by one in forward mode.
fn check(program: &impl Program, is_shared: &[bool], features: bool) {
    let dim = is_shared.len();
    let mut numbers = Numbers(5);
    let positions = numbers.positions(3 * dim);
    let positions: Vec<&[f64]> = positions.chunks_exact(dim).collect();
    let recorded = Recorded::sharing(program, &[], is_shared, &positions);
    let trace = recorded.expect("it can be traced").trace(&[]);
    assert_eq!(trace.has_features(), features);
    let shared = part_of(positions[0], is_shared, true);
    for count in [1, 5, 8, 45] {
        let all = numbers.positions(count * dim);
        let mut random: Vec<f64> = all
            .chunks_exact(dim)
            .flat_map(|row| part_of(row, is_shared, false))
            .collect();
        let shares: Vec<f64> = (0..count).map(|i| f64::from(i as u32 % 3)).collect();
        // the first particle has no share, so its slopes do not matter
        random[0] = f64::NAN;
        for level in InstructionSet::available() {
            let sharing = trace.share(level, &shared);
            let (densities, slopes, sums) = together(&sharing, &random, &shares);
            let mut wanted = vec![0.0; dim];
            for i in 1..count {
                let mut own = part_of(&all[i * dim..(i + 1) * dim], is_shared, false).into_iter();
                let mut common = shared.iter();
                let position: Vec<f64> = is_shared
                    .iter()
                    .map(|is| match is {
                        true => *common.next().expect("a value for each"),
                        false => own.next().expect("a value for each"),
                    })
                    .collect();
                let mut expected = vec![0.0; dim];
                let values = gradient(program, &position, WEIGHTS, &mut expected);
                let size = values[0].abs() + values[1].abs() + 1.0;
                for part in 0..2 {
                    assert_near(densities[part][i], values[part], size, "a density");
                }
                let size = expected.iter().fold(size, |sum, x| sum + x.abs());
                let each = random.len() / count;
                let own = part_of(&expected, is_shared, false);
                for (found, expected) in slopes[i * each..][..each].iter().zip(own) {
                    assert_near(*found, expected, size, "a slope");
                }
                for (sum, slope) in wanted.iter_mut().zip(&expected) {
                    *sum += shares[i] * slope;
                }
            }
            let found = sharing.pull_back(&sums);
            let wanted = part_of(&wanted, is_shared, true);
            let size = wanted.iter().fold(1.0, |sum, x| sum + x.abs());
            assert_eq!(found.len(), wanted.len());
            for (found, wanted) in found.into_iter().zip(wanted) {
                assert_near(found, wanted, size, "a sum of slopes");
            }
        }
    }
    one_by_one(program, &trace, &positions);
}

fn part_of(row: &[f64], is_shared: &[bool], shared: bool) -> Vec<f64> {
    let pairs = row.iter().zip(is_shared).filter(|(_, is)| **is == shared);
    pairs.map(|(x, _)| *x).collect()
}

/// Log densities, gradients, and sums of slopes.
fn together(
    sharing: &Sharing<'_>,
    random: &[f64],
    shares: &[f64],
) -> ([Vec<f64>; 2], Vec<f64>, SharedSlopes) {
    let count = shares.len();
    let zeros = || [vec![0.0; count], vec![0.0; count]];
    let (mut slopes, mut sums) = (vec![0.0; random.len()], sharing.slopes());
    let mut densities = zeros();
    sharing.add_slopes(
        WEIGHTS,
        batch(random, &mut densities),
        &mut slopes,
        shares,
        &mut sums,
    );
    // the same without sums, and values alone
    let (mut again, mut values) = (vec![0.0; random.len()], zeros());
    sharing.gradients(WEIGHTS, batch(random, &mut values), &mut again);
    assert_eq!(bits(&values.concat()), bits(&densities.concat()));
    assert_eq!(bits(&again), bits(&slopes));
    let mut values = zeros();
    sharing.values(batch(random, &mut values));
    assert_eq!(bits(&values.concat()), bits(&densities.concat()));
    (densities, slopes, sums)
}

fn bits(numbers: &[f64]) -> Vec<u64> {
    numbers.iter().map(|x| x.to_bits()).collect()
}

fn batch<'a>(
    positions: &'a [f64],
    [log_prior, log_likelihood]: &'a mut [Vec<f64>; 2],
) -> Batch<'a> {
    Batch {
        dim: positions.len() / log_prior.len(),
        positions,
        log_prior,
        log_likelihood,
    }
}

/// The trace itself, at positions with other shared coordinates.
fn one_by_one(program: &impl Program, trace: &Trace<'_>, positions: &[&[f64]]) {
    let dim = positions[0].len();
    let all = positions.concat();
    let mut densities = [vec![0.0; 3], vec![0.0; 3]];
    let mut slopes = vec![0.0; 3 * dim];
    let batch = batch(&all, &mut densities);
    trace.gradients(InstructionSet::detect(), WEIGHTS, batch, &mut slopes);
    for (i, position) in positions.iter().enumerate() {
        let mut expected = vec![0.0; dim];
        let values = gradient(program, position, WEIGHTS, &mut expected);
        let size = values[0].abs() + values[1].abs() + 1.0;
        assert_near(densities[1][i], values[1], size, "a likelihood");
        let size = expected.iter().fold(size, |sum, x| sum + x.abs());
        for (found, expected) in slopes[i * dim..][..dim].iter().zip(expected) {
            assert_near(*found, expected, size, "a slope");
        }
    }
}

/// The first layer has nine weights, the second one eight.
///
/// Seen to detect: shares that are left out, NaN of a particle without a share, and the factor of a weight left out of its slope.
#[test]
fn layers_of_shared_weights_are_evaluated_once_and_have_the_sums_of_the_slopes() {
    for classify in [false, true] {
        for rows in [3, 90] {
            let mut numbers = Numbers(7);
            let (program, dim) = learner(rows, classify, 0, &mut numbers);
            let first = |shared: usize| Vec::from_iter((0..dim).map(|k| k < shared));
            check(&program, &first(9), true);
            // a part of the second layer, which the operation itself uses
            check(&program, &first(11), true);
            // only a part of the first layer
            check(&program, &first(5), false);
            check(&program, &vec![false; dim], false);
            check(&Twice(program), &first(9), true);
        }
    }
}
