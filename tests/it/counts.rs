//! A statement about a vector of counts has the density of its elements.

use bayes::density::{ArithmeticSettings, LogDensity, Particles, Posterior};
use bayes::prelude::*;

#[model]
fn together(x: &[f64], y: &[u64]) {
    let rate = sample(Normal::new(0.0, 1.0));
    let slope = sample(Normal::new(0.0, 1.0));
    observe(y, PoissonLog::new(rate + slope * x));
}

#[model]
fn one_by_one(x: &[f64], y: &[u64]) {
    let rate = sample(Normal::new(0.0, 1.0));
    let slope = sample(Normal::new(0.0, 1.0));
    for i in 0..y.len() {
        observe(y[i], PoissonLog::new(rate + slope * x[i]));
    }
}

/// Counts whose means are given by their logarithms, counts with extra zeros, and mixtures of counts.
#[model]
fn others_together(x: &[f64], y: &[u64]) {
    let rate = sample(Normal::new(0.0, 1.0));
    let slope = sample(Normal::new(0.0, 1.0));
    let phi = sample(HalfNormal::new(1.0));
    let share = sample(Beta::new(1.0, 1.0));
    let mean = (rate + slope * x).exp();
    observe(y, Poisson::new(&mean));
    observe(y, NegativeBinomial::mean_dispersion(&mean, phi));
    observe(y, ZeroInflatedPoisson::new(share, &mean));
    observe(
        y,
        ZeroInflated::new(share, NegativeBinomial::mean_dispersion(&mean, phi)),
    );
    observe(y, Hurdle::new(share, Poisson::new(&mean)));
    observe(y, BinomialLogit::new(6000, rate + slope * x));
}

#[model]
fn others_one_by_one(x: &[f64], y: &[u64]) {
    let rate = sample(Normal::new(0.0, 1.0));
    let slope = sample(Normal::new(0.0, 1.0));
    let phi = sample(HalfNormal::new(1.0));
    let share = sample(Beta::new(1.0, 1.0));
    for i in 0..y.len() {
        let mean = (rate + slope * x[i]).exp();
        observe(y[i], Poisson::new(mean));
        observe(y[i], NegativeBinomial::mean_dispersion(mean, phi));
        observe(y[i], ZeroInflatedPoisson::new(share, mean));
        observe(
            y[i],
            ZeroInflated::new(share, NegativeBinomial::mean_dispersion(mean, phi)),
        );
        observe(y[i], Hurdle::new(share, Poisson::new(mean)));
        observe(y[i], BinomialLogit::new(6000, rate + slope * x[i]));
    }
}

fn evaluated<Mo: Model>(model: &Mo, gradient: GradientMode) -> Particles {
    let settings = ArithmeticSettings {
        gradient,
        ..ArithmeticSettings::default()
    };
    let density = Posterior::with(model, 1, settings).expect("the model fits its data");
    let mut particles = Particles::new(21, density.dim());
    for (k, x) in particles.positions.iter_mut().enumerate() {
        *x = 2.0 * (0.7 * k as f64).sin();
    }
    density.evaluate_gradient([0.0, 1.0], &mut particles.block());
    particles
}

/// Meant to detect: the constant of a row lost or counted twice, the rows of an incomplete tile, slopes with respect to the wrong
/// argument. Few groups, small and large counts, and rates that underflow take separate code paths.
#[test]
fn counts_together_have_the_density_of_each() {
    for (rows, groups, factor) in [
        (1, 1, 1),
        (5, 5, 1),
        (33, 33, 1),
        (100, 2, 1),
        (40, 40, 900),
    ] {
        let x: Vec<f64> = (0..rows)
            .map(|i| f64::from(i % groups) * 0.4 - 6.0)
            .collect();
        let y: Vec<u64> = (0..rows as u64).map(|i| i * i % 7 * factor).collect();
        let expected = evaluated(&one_by_one(&x, &y), GradientMode::Forward);
        let of_others = evaluated(&others_one_by_one(&x, &y), GradientMode::Forward);
        for mode in [GradientMode::Forward, GradientMode::Reverse] {
            assert_same(&evaluated(&together(&x, &y), mode), &expected);
            assert_same(&evaluated(&others_together(&x, &y), mode), &of_others);
        }
    }
}

fn assert_same(found: &Particles, expected: &Particles) {
    let values = (&found.log_likelihood, &expected.log_likelihood);
    for (found, expected) in [values, (&found.gradient, &expected.gradient)] {
        for (found, expected) in found.iter().zip(expected) {
            let error = (found - expected).abs();
            let allowed = 1e-11 * expected.abs().max(1.0);
            assert!(error <= allowed, "{found}, {expected}");
        }
    }
}
