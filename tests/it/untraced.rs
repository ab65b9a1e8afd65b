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

/// A model with all that can be changed.
#[model]
fn changeable(#[rows] y: &[f64]) {
    let psi = param(Normal::new(0.0, 1.0));
    let mu = sample(Normal::new(0.0, 1.0));
    let sd = sample(HalfNormal::new(1.0));
    let shift = deterministic(rounded(mu));
    observe(y, Normal::new(shift + psi, sd));
}

/// The same, also compiled for dual numbers.
#[model(forward)]
fn changeable_forward(#[rows] y: &[f64]) {
    let psi = param(Normal::new(0.0, 1.0));
    let mu = sample(Normal::new(0.0, 1.0));
    let sd = sample(HalfNormal::new(1.0));
    let shift = deterministic(rounded(mu));
    observe(y, Normal::new(shift + psi, sd));
}

/// Whether the changed model is compiled for dual numbers, and its gradient.
fn of_changed<Mo: Model>(changed: &Mo, dim: usize) -> (bool, Vec<f64>) {
    let (_, gradient) = derived(changed, &[0.7, -0.4, 0.2][..dim]);
    (Model::forward(changed).is_some(), gradient)
}

/// All changes of a model.
fn of_all_changes<Mo: Rows>(model: &Mo) -> Vec<(bool, Vec<f64>)> {
    let subset = model.subset(&[2, 0]).expect("there are three rows");
    let given = model.given(&[("sd", &[0.5])]);
    let of_subset = subset.given(&[("sd", &[0.5])]);
    let with_params = model.with_params(&[("psi", &[0.3])]);
    vec![
        of_changed(&model, 3),
        of_changed(&subset, 3),
        of_changed(&given.expect("`sd` is positive"), 2),
        of_changed(&of_subset.expect("`sd` is positive"), 2),
        of_changed(&with_params.expect("`psi` is a param"), 2),
    ]
}

/// Meant to detect: a macro that drops the option, and a part or a change of a model that forgets it, or has it unasked.
#[test]
fn the_option_holds_for_parts_and_changes_of_the_model() {
    assert!(Model::forward(&reading(&[0.3, 0.1])).is_none());
    assert!(Model::forward(&reading_forward(&[0.3, 0.1])).is_some());
    let y = [0.3, 0.1, 0.8];
    let without = of_all_changes(&changeable(&y));
    let with = of_all_changes(&changeable_forward(&y));
    for ((has_none, expected), (has_it, found)) in without.iter().zip(&with) {
        assert!(!has_none && *has_it);
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-12, "{found}, {expected}");
        }
    }
}

/// `2 mu` for positive `mu`, if there are few rows.
fn bent<M: Mode>(mu: Real<M>, rows: usize) -> Real<M> {
    match rows < 3 && mu.plain_value() > 0.0 {
        true => mu * 2.0,
        false => mu,
    }
}

#[model]
fn steered_by_few(#[rows] y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let mean = deterministic(bent(mu, y.len()));
    observe(y, Normal::new(mean, 1.0));
}

/// Meant to detect: the operations at one position taken for the operations at all, and a reason that is not the cause.
#[test]
fn a_subset_that_reads_values_is_recorded_at_each_position() {
    let y = [0.5, 1.0, -0.2, 0.4];
    let model = steered_by_few(&y);
    let whole = Posterior::new(&model, 1).expect("the model fits its data");
    let subset = model.subset(&[0, 1]).expect("there are four rows");
    let posterior = whole.on(&subset);
    let arithmetic = posterior.describe().expect("it is a model").arithmetic;
    let reason = arithmetic.untraceable.expect("the subset has no trace");
    assert!(reason.contains("reads the value"), "{reason}");
    for (mu, slope) in [(0.6, 2.0), (-0.6, 1.0)] {
        let mut particle = Particles::new(1, 1);
        particle.positions[0] = mu;
        posterior.evaluate_gradient([1.0; 2], &mut particle.block());
        let expected = slope * (1.5 - 2.0 * slope * mu) - mu;
        assert!(
            (particle.gradient[0] - expected).abs() < 1e-12,
            "{:?}, {expected}",
            particle.gradient
        );
    }
}

/// More different operations than a trace can have.
fn wavy<M: Mode>(x: Real<M>) -> Real<M> {
    (0..1 << 24).fold(x, |x, _| x.sin())
}

#[model]
fn long(y: f64) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(wavy(mu), 1.0));
}

#[model(forward)]
fn long_forward(y: f64) {
    let mu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(wavy(mu), 1.0));
}

/// Meant to detect: gigabytes that each thread records at each position, unasked.
#[test]
#[ignore = "takes 4 GB of memory for some seconds"]
fn a_model_too_long_for_a_trace_needs_the_option() {
    let error = Posterior::new(&long(0.3), 1).expect_err("it has no trace");
    assert!(
        error.to_string().contains("Write `#[model(forward)]`"),
        "{error}"
    );
    let model = long_forward(0.3);
    let posterior = Posterior::new(&model, 1).expect("it needs no recording");
    let arithmetic = posterior.describe().expect("it is a model").arithmetic;
    assert_eq!(
        arithmetic.untraceable.as_deref(),
        Some("it has too many operations")
    );
}

const REASON_FORWARD: &str =
    "A gradient runs the model 2 times with dual numbers, for one particle at a time";
const ADVICE: &str = "write `#[model(forward)]`";

/// Meant to detect: advice to write the option that the model has, and no advice where it has none.
#[test]
fn the_option_is_advised_where_it_is_missing() {
    let nuts = || {
        let nuts = Inference::nuts().draws(50).burn_in(50).seed(1);
        nuts.progress(false)
    };
    let warnings = |run: Run| {
        let warnings = run.warnings();
        let texts = warnings.iter().map(|warning| {
            let (problem, remedy) = (warning.problem(), warning.remedy());
            format!("{problem}. {remedy}")
        });
        texts.collect::<Vec<String>>().join("\n")
    };
    let (model, of_forward) = (reading(&[0.3, 0.1]), reading_forward(&[0.3, 0.1]));
    let check = || Check::new().draws(20);
    let checked = model.check(check()).expect("it fits").warnings();
    let checked_forward = of_forward.check(check()).expect("it fits").warnings();
    let without = [
        checked.join("\n"),
        warnings(nuts().run(&model).expect("it fits")),
    ];
    let with = [
        checked_forward.join("\n"),
        warnings(nuts().run(&of_forward).expect("it fits")),
    ];
    for text in without {
        assert!(
            text.contains(ADVICE) && !text.contains(REASON_FORWARD),
            "{text}"
        );
    }
    for text in with {
        assert!(
            !text.contains(ADVICE) && text.contains(REASON_FORWARD),
            "{text}"
        );
    }
}

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
