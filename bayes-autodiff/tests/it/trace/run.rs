//! Programs as traces and in forward mode.

use bayes_autodiff::batch::Batch;
use bayes_autodiff::gradient::{Program, gradient};
use bayes_autodiff::simd::InstructionSet;
use bayes_autodiff::trace::{AtPosition, Trace};

/// What a trace gives for some particles; the gradients are `[particles, dim]`.
#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub log_prior: Vec<f64>,
    pub log_likelihood: Vec<f64>,
    pub gradient: Vec<f64>,
}

/// Numbers in (-1, 1) that are the same every time (a linear congruential generator, Knuth's MMIX).
pub fn numbers(count: usize) -> Vec<f64> {
    let mut state = count as u64;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    (0..count).map(|_| next()).collect()
}

/// Records `program` at the first of `positions`, `[particles, dim]`, and replays it at all of them.
pub fn replayed<P: Program>(
    level: InstructionSet,
    program: &P,
    weights: [f64; 2],
    positions: &[f64],
    dim: usize,
) -> Outcome {
    let mut data = Vec::new();
    program.data(&mut |numbers| data.push(numbers));
    let trace = Trace::record(program, &data, &[&positions[..dim]]).expect("it can be traced");
    let particles = positions.len() / dim;
    let mut log_prior = vec![f64::NAN; particles];
    let mut log_likelihood = vec![f64::NAN; particles];
    let mut gradient = vec![f64::NAN; positions.len()];
    let batch = Batch {
        dim,
        positions,
        log_prior: &mut log_prior,
        log_likelihood: &mut log_likelihood,
    };
    trace.gradients(level, weights, batch, &mut gradient);
    Outcome {
        log_prior,
        log_likelihood,
        gradient,
    }
}

/// Values and gradients are those of forward duals to 1e-12 of the largest number in the gradient, at every level.
pub fn assert_agrees<P: Program>(program: &P, positions: &[f64], dim: usize) {
    for level in InstructionSet::available() {
        for weights in [[1.0, 0.7], [0.0, 1.0], [1.0, 0.0]] {
            let got = replayed(level, program, weights, positions, dim);
            for (i, position) in positions.chunks(dim).enumerate() {
                let mut want = vec![0.0; dim];
                let values = gradient(program, position, weights, &mut want);
                assert_tape_agrees(program, position, weights, (values, &want));
                for (got, want) in [got.log_prior[i], got.log_likelihood[i]].iter().zip(values) {
                    assert!(
                        (got - want).abs() <= 1e-12 * want.abs(),
                        "{level}: {got}, {want}"
                    );
                }
                let scale = want.iter().fold(0.0_f64, |scale, x| scale.max(x.abs()));
                for (got, want) in got.gradient[i * dim..].iter().zip(&want) {
                    assert!(
                        (got - want).abs() <= 1e-12 * scale,
                        "{level}: {got}, {want}"
                    );
                }
            }
        }
    }
}

/// The operations at one position, derived again by dual numbers, have the values and the derivatives of the program at dual numbers.
fn assert_tape_agrees<P: Program>(
    program: &P,
    position: &[f64],
    weights: [f64; 2],
    (values, slopes): ([f64; 2], &[f64]),
) {
    let mut data = Vec::new();
    program.data(&mut |numbers| data.push(numbers));
    let recorded = AtPosition::record(program, &data, position);
    let mut got = vec![0.0; position.len()];
    let found = recorded.gradient(position, weights, &mut got);
    for (found, value) in found.into_iter().zip(values) {
        let gap = (found - value).abs();
        assert!(gap <= 1e-12 * value.abs(), "{found}, {value}");
    }
    let size = slopes.iter().fold(0.0_f64, |size, x| size.max(x.abs()));
    for (got, want) in got.iter().zip(slopes) {
        assert!((got - want).abs() <= 1e-12 * size, "{got}, {want}");
    }
    let direction: Vec<f64> = (0..position.len())
        .map(|i| 1.5 + (i as f64).cos())
        .collect();
    let along = recorded.directional_derivative(position, weights, &direction);
    let terms = slopes
        .iter()
        .zip(&direction)
        .map(|(slope, step)| slope * step);
    let (want, size) = terms.fold((0.0, 0.0), |(sum, size): (f64, f64), term| {
        (sum + term, size + term.abs())
    });
    assert!((along - want).abs() <= 1e-12 * size, "{along}, {want}");
}
