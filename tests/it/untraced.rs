//! A model without a trace is named with its statement; distributions of the library have traces.

use bayes::autodiff::PlainValue;
use bayes::density::{ArithmeticSettings, LogDensity, Particles, Posterior, Quantities};
use bayes::diagnose::Warning;
use bayes::prelude::*;

/// A function that reads the value of a random quantity, with the same operations at every value.
fn rounded<M: Mode>(x: Real<M>) -> Real<M> {
    x * (1.0 + 0.0 * x.plain_value())
}

#[model]
fn reading(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(20));
    let shift = deterministic(rounded(mu[0]));
    observe(y, Normal::new(shift, 1.0));
}

/// The same, also compiled for dual numbers.
#[model(forward)]
fn reading_forward(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0).iid(20));
    let shift = deterministic(rounded(mu[0]));
    observe(y, Normal::new(shift, 1.0));
}

/// Does other operations at other values, which only forward mode allows.
#[model]
fn steered(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let far = match mu.plain_value() > 0.0 {
        true => mu.square(),
        false => mu * -3.0,
    };
    for y in y {
        observe(*y, Normal::new(far, 2.0));
    }
}

/// Log density and gradient of the posterior in forward mode.
fn derived<Mo: Model>(model: &Mo, position: &[f64]) -> (f64, Vec<f64>) {
    let settings = ArithmeticSettings {
        gradient: GradientMode::Forward,
        ..ArithmeticSettings::default()
    };
    let posterior = Posterior::with(model, 1, settings);
    let posterior = posterior.expect("the model fits its data");
    let mut particle = Particles::new(1, position.len());
    particle.positions.copy_from_slice(position);
    posterior.evaluate_gradient([1.0; 2], &mut particle.block());
    let log_density = particle.log_prior[0] + particle.log_likelihood[0];
    (log_density, particle.gradient)
}

/// Meant to detect: operations that are derived at another position than the one of their recording, a chunk of coordinates that is left
/// out, and an option of the model that changes its density.
#[test]
fn models_without_a_trace_have_exact_gradients() {
    let position: Vec<f64> = (0..20).map(|i| (0.3 * i as f64).sin() - 0.2).collect();
    let (density, gradient) = derived(&reading(&[0.3, 0.1]), &position);
    let (of_forward, expected) = derived(&reading_forward(&[0.3, 0.1]), &position);
    assert!((density - of_forward).abs() < 1e-12);
    for (found, expected) in gradient.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
    }
    let y = [0.3, 0.1];
    for (mu, mean, slope) in [(1.5, 2.25, 3.0), (-0.5, 1.5, -3.0)] {
        let (_, gradient) = derived(&steered(&y), &[mu]);
        let residuals: f64 = y.iter().map(|y| (y - mean) / 4.0).sum();
        let expected = residuals * slope - mu;
        assert!(
            (gradient[0] - expected).abs() < 1e-12,
            "{gradient:?}, {expected}"
        );
    }
}

const REASON: &str = "the model has no trace: it reads the value of a random quantity, in or after `let shift = \
    deterministic(rounded(mu[0]))` (line 16). A gradient runs the model, then its operations 2 times with dual numbers, for one particle at a \
    time";

#[test]
fn a_check_names_the_statement_that_prevents_a_trace() {
    let report = reading(&[0.3, 0.1]).check(Check::new().draws(20));
    let warnings = report.expect("the model fits its data").warnings();
    assert!(
        warnings.iter().any(|text| text.starts_with(REASON)),
        "{warnings:?}"
    );
}

#[test]
fn a_run_warns_of_it_unless_forward_mode_was_asked_for() {
    let run = |gradient| {
        let nuts = Inference::nuts()
            .draws(50)
            .burn_in(50)
            .seed(1)
            .progress(false);
        let run = nuts.gradient(gradient).run(&reading(&[0.3, 0.1]));
        run.expect("the model fits its data").warnings()
    };
    let told = |warnings: &[Warning]| {
        let mut problems = warnings.iter().map(Warning::problem);
        problems.any(|problem| problem == REASON)
    };
    assert!(told(&run(GradientMode::Automatic)));
    assert!(!told(&run(GradientMode::Forward)));
}

#[model]
fn shrunk(x: &DMatrix<f64>, y: &[f64]) {
    let tau = sample(HalfCauchy::new(1.0));
    let lambda = sample(HalfCauchy::new(1.0).iid(x.ncols()));
    let z = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    let width = sample(InverseGamma::new(2.0, 8.0));
    let free = deterministic(Horseshoe::new(tau).coefficients(&lambda, &z));
    let beta = deterministic(
        Horseshoe::new(tau)
            .regularised(width)
            .coefficients(&lambda, &z),
    );
    observe(y, Normal::new(x * &free + x * &beta, 1.0));
}

#[test]
fn a_horseshoe_with_random_scales_has_a_trace() {
    let x = DMatrix::from_fn(5, 3, |i, j| (i * j) as f64 - 1.0);
    let model = shrunk(&x, &[0.1, 0.2, 0.3, 0.4, 0.5]);
    let posterior = Posterior::with(&model, 1, ArithmeticSettings::default());
    let arithmetic = posterior
        .expect("the model fits its data")
        .describe()
        .expect("a model describes itself")
        .arithmetic;
    assert_eq!(
        arithmetic.gradient,
        GradientMode::Reverse,
        "{}",
        arithmetic.reason
    );
    assert_eq!(arithmetic.untraceable, None);
}
