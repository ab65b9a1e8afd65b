//! Minibatches: a subset of rows is evaluated with its own data.

use bayes::density::{LogDensity, Particles, Posterior};
use bayes::prelude::*;

/// Outcomes, observations and choices: statements about whole vectors; only their data differ between minibatches.
#[model]
fn whole_vectors(#[rows] x: &DMatrix<f64>, #[rows] y: &[f64], #[rows] kinds: &[usize]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let sd = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(0.3 + x * &beta, sd));
    let other = sample(Normal::new(0.0, 2.0));
    observe(kinds, BernoulliLogit::new(other + x * &beta));
}

/// Functions of a count and a log rate, in one operation.
#[model]
fn counts(#[rows] x: &DMatrix<f64>, #[rows] _y: &[f64], #[rows] kinds: &[usize]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(kinds, PoissonLog::new(0.2 + x * &beta));
}

/// Single operations contain numbers of the data.
#[model]
fn single(#[rows] x: &DMatrix<f64>, #[rows] _y: &[f64], #[rows] kinds: &[usize]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(kinds, BetaBinomial::new(1, (x * &beta).exp(), 1.0));
}

/// The likelihood is a constant.
#[model]
fn constant(#[rows] x: &DMatrix<f64>, #[rows] y: &[f64], #[rows] _kinds: &[usize]) {
    let _beta = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    observe(y, Normal::new(0.5, 1.0));
}

/// Density and gradient of a few particles.
fn evaluated(density: &Posterior<'_>) -> Particles {
    let mut particles = Particles::new(5, density.dim());
    for (k, x) in particles.positions.iter_mut().enumerate() {
        *x = (0.7 * k as f64).sin();
    }
    density.evaluate_gradient([1.0, 0.5], &mut particles.block());
    particles
}

/// Asserts that the density on successive subsets of two sizes equals a new recording and the subset as a separate model; `mode` is the
/// final mode of gradients.
fn follows<Mo: bayes::rows::Rows>(model: &Mo, mode: &str) {
    let whole = Posterior::new(model, 1).expect("the model fits its data");
    let mut known = bayes::density::SubsetTrace::default();
    let mut subset = model.subset(&[0]).expect("the rows are there");
    let mut used = bayes::prelude::GradientMode::Automatic;
    for step in 0..11 {
        let rows: Vec<usize> = (0..if step % 3 == 2 { 7 } else { 36 })
            .map(|i| (i * 11 + step * 5) % 40)
            .collect();
        subset.select(&rows).expect("the rows are there");
        let next = whole.on_next(&subset, &mut known);
        let description = next.quantities().describe();
        used = description
            .expect("a model has a description")
            .arithmetic
            .gradient;
        let next = evaluated(&next);
        let anew = evaluated(&whole.on(&subset));
        let alone = Posterior::new(&subset, 1).expect("the rows fit");
        let alone = evaluated(&alone);
        assert_eq!(anew, alone, "{} at step {step}", model.name());
        if used == bayes::prelude::GradientMode::Reverse {
            assert_eq!(next, anew, "{} at step {step}", model.name());
        }
        let pairs = [
            (&next.log_prior, &anew.log_prior),
            (&next.log_likelihood, &anew.log_likelihood),
            (&next.gradient, &anew.gradient),
        ];
        for (next, anew) in pairs.into_iter().flat_map(|(a, b)| a.iter().zip(b)) {
            let error = (next - anew).abs();
            assert!(error <= 1e-10 * anew.abs().max(1.0), "{next} and {anew}");
        }
    }
    assert_eq!(used.name(), mode, "at last, with {}", model.name());
}

/// Meant to detect: data of the previous subset, or one of its numbers within an operation or as the likelihood itself.
#[test]
fn a_minibatch_is_evaluated_with_its_own_data() {
    let x = DMatrix::from_fn(40, 3, |i, k| ((i * 7 + k * 3) as f64).sin());
    let y: Vec<f64> = (0..40).map(|i| f64::from(i).cos()).collect();
    let kinds: Vec<usize> = (0..40).map(|i| i * i % 11 % 2).collect();
    follows(&whole_vectors(&x, &y, &kinds), "reverse");
    follows(&counts(&x, &y, &kinds), "reverse");
    follows(&single(&x, &y, &kinds), "forward");
    follows(&constant(&x, &y, &kinds), "forward");
}
