//! A model asked about itself: its density at given values, its curvature, its test of itself.

use bayes::Error;
use bayes::inspect::GivenError;
use bayes::prelude::*;

#[model]
fn regression(x: &DMatrix<f64>, y: &[f64]) {
    let beta = sample(Normal::new(0.0, 2.0).iid(x.ncols()));
    let sigma = sample(HalfNormal::new(1.0));
    let twice = deterministic(sigma * 2.0);
    observe(y, Normal::new(x * &beta, twice));
}

fn data() -> (DMatrix<f64>, Vec<f64>) {
    let x = DMatrix::from_fn(6, 2, |i, k| if k == 0 { 1.0 } else { i as f64 - 2.5 });
    (x, vec![0.3, -0.1, 0.8, 1.1, 0.9, 1.7])
}

fn normal(x: f64, mean: f64, sd: f64) -> f64 {
    let z = (x - mean) / sd;
    -0.5 * z * z - sd.ln() - 0.5 * std::f64::consts::TAU.ln()
}

#[test]
fn a_density_at_given_values_has_no_jacobian() {
    let (x, y) = data();
    let (beta, sigma) = ([0.7, 0.2], 0.4);
    let model = regression(&x, &y);
    let found = model
        .log_density_at(&[("sigma", &[sigma]), ("beta", &beta)])
        .expect("the values fit");
    let prior =
        normal(beta[0], 0.0, 2.0) + normal(beta[1], 0.0, 2.0) + normal(sigma, 0.0, 1.0) + 2f64.ln();
    let mean = |i: usize| beta[0] + beta[1] * x[(i, 1)];
    let likelihood: f64 = (0..6).map(|i| normal(y[i], mean(i), 2.0 * sigma)).sum();
    assert!((found.log_prior - prior).abs() < 1e-13, "{found:?}");
    assert!(
        (found.log_likelihood - likelihood).abs() < 1e-13,
        "{found:?}"
    );
    assert_eq!(found.terms.len(), 4);
    assert_eq!(found.terms[2].1, 0.0);
    let position = model.unconstrain(&[("sigma", &[sigma]), ("beta", &beta)]);
    assert_eq!(position.expect("the values fit"), [0.7, 0.2, 0.4f64.ln()]);
}

#[test]
fn values_outside_the_support_have_no_density() {
    let (x, y) = data();
    let found = regression(&x, &y).log_density_at(&[("sigma", &[-1.0]), ("beta", &[0.0, 0.0])]);
    assert_eq!(found.expect("the values fit").log_prior, f64::NEG_INFINITY);
}

#[test]
fn names_and_lengths_that_do_not_fit_are_typed_errors() {
    let (x, y) = data();
    let model = regression(&x, &y);
    let source = |values: &[(&str, &[f64])]| match model.log_density_at(values) {
        Err(Error::Given { source, .. }) => source,
        other => panic!("{other:?}"),
    };
    assert_eq!(
        source(&[("beta", &[0.0, 0.0])]),
        GivenError::Missing {
            name: "sigma",
            given: 0,
            wanted: 1
        }
    );
    assert_eq!(
        source(&[("beta", &[0.0, 0.0, 1.0]), ("sigma", &[1.0])]),
        GivenError::Left {
            name: "beta".to_owned(),
            left: 1
        }
    );
    assert_eq!(
        source(&[("twice", &[1.0])]).to_string(),
        "the model has no random quantity `twice`; it has `beta`, `sigma`"
    );
}

#[model]
fn location(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 2.0));
    let nu = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(mu + nu, 0.5));
}

#[test]
fn the_hessian_of_a_gaussian_posterior_is_its_negative_precision() {
    let y = [0.3, -0.2, 0.9];
    let model = location(&y);
    let hessian = model.hessian_at(&[("mu", &[0.3]), ("nu", &[-2.0])]);
    let wanted = DMatrix::from_row_slice(2, 2, &[-0.25 - 12.0, -12.0, -12.0, -1.0 - 12.0]);
    assert!((hessian.expect("the values fit") - wanted).amax() < 1e-12);
}

#[test]
fn nothing_is_wrong_with_a_good_model() {
    let (x, y) = data();
    let report = regression(&x, &y)
        .check(Check::new())
        .expect("the model fits its data");
    assert_eq!(report.warnings(), Vec::<String>::new(), "{report}");
    assert_eq!((report.draws, report.finite, report.dim), (200, 200, 3));
    assert_eq!(report.names, ["beta[0]", "beta[1]", "sigma"]);
    assert!(report.worst_slope.expect("slopes were compared").error < 1e-8);
    assert!(report.work.gradient > 0.0 && report.work.memory > 0);
    let text = report.to_string();
    assert!(text.contains("finite         200 of 200"), "{text}");
    assert!(text.contains("nothing wrong was found"), "{text}");
}

/// The logarithm of a number that may be negative, at each row.
#[model]
fn troubled(y: &[f64]) {
    let mu = sample(Normal::new(1.0, 1.0));
    for i in 0..y.len() {
        observe(y[i], Normal::new(mu.ln(), 1.0));
    }
}

#[test]
fn statements_that_are_not_finite_are_named() {
    let report = troubled(&[0.5, 0.7]).check(Check::new().seed(3));
    let report = report.expect("few draws of the prior are negative");
    assert!(report.finite > 140 && report.finite < 190, "{report}");
    let not_finite: Vec<u64> = report
        .not_finite
        .iter()
        .map(|(_, times)| times.nan)
        .collect();
    assert_eq!(
        not_finite,
        [200 - report.finite as u64],
        "once for each draw, not for each row"
    );
    let warnings = report.warnings();
    assert!(
        warnings[0].contains("Normal::new(mu.ln(), 1.0)"),
        "{warnings:?}"
    );
}

/// Two levels of which only the sum is seen, and flat priors: a direction that nothing bounds.
#[model]
fn unidentified(y: &[f64]) {
    let mu = sample(Flat::new());
    let alpha = sample(Flat::new());
    let unused = sample(Flat::new());
    observe(y, Normal::new(mu + alpha + unused * 0.0, 1.0));
}

#[test]
fn directions_that_nothing_bounds_are_named() {
    let report = unidentified(&[0.5, 1.5])
        .check(Check::new())
        .expect("chains can run this model");
    assert!(report.flat.contains(&vec!["unused".to_owned()]), "{report}");
    assert!(
        report
            .flat
            .contains(&vec!["mu".to_owned(), "alpha".to_owned()]),
        "{report}"
    );
    assert_eq!(report.unbounded, ["unused"]);
}

/// What has no slope: a model itself may not read a plain value.
fn detached<M: Mode>(x: Real<M>) -> Real<M> {
    Real::constant(x.primal())
}

/// A jump at `x = 0.1`.
#[model]
fn broken() {
    let x = sample(Normal::new(0.0, 1.0));
    factor(-(x - 0.1).abs() * 50.0);
    // the slope of what is taken out of the derivative is missing
    factor(detached(x) * 3.0);
}

#[test]
fn a_wrong_derivative_is_found() {
    let report = broken().check(Check::new()).expect("the model runs");
    let slope = report.worst_slope.expect("slopes were compared");
    assert!((slope.gradient - slope.difference).abs() > 2.9, "{slope:?}");
    assert!(
        report.warnings()[0].contains("wrong derivative"),
        "{report}"
    );
}

/// A threshold at 0.3, in a density that is steep where the scale is small.
#[model]
fn thresholded(y: &[f64]) {
    let x = sample(Normal::new(0.0, 1.0));
    let scale = sample(HalfNormal::new(1.0));
    observe(y, Normal::new(x, scale));
    factor(Real::select(x.gt(0.3), 0.7, 0.0));
}

#[test]
fn a_jump_at_a_threshold_is_found() {
    let far: Vec<f64> = (0..1000).map(|i| f64::from(i % 7)).collect();
    for y in [&[0.2, 1.3], far.as_slice()] {
        let report = thresholded(y).check(Check::new());
        let report = report.expect("the model runs");
        let jump = report.jump.as_ref().expect("the threshold is crossed");
        assert!((jump.size - 0.7).abs() < 1e-3, "{jump:?}");
        assert!(jump.statement.text.starts_with("factor"), "{jump:?}");
        assert!(
            report.warnings()[0].starts_with("the density jumps by 0.70"),
            "{report}"
        );
        assert!(
            report
                .to_string()
                .contains("jumps          found on 10 lines"),
            "{report}"
        );
    }
}

/// The bound's jump in the log density of `x` is that of its Jacobian; `observe` jumps by less.
#[model]
fn bounded(y: f64) {
    let mu = sample(Normal::new(0.0, 1.0));
    let width = Real::select(mu.gt(0.0), 1.0, 2.0);
    let x = sample(Uniform::new(0.0, width));
    observe(y, Normal::new(x, 3.0));
}

#[test]
fn the_statement_that_jumps_is_named() {
    let report = bounded(2.0).check(Check::new()).expect("the model runs");
    let jump = report.jump.as_ref().expect("the threshold is crossed");
    assert!(jump.statement.text.starts_with("observe"), "{jump:?}");
}

/// A location so large that its roundings are stairs.
#[model]
fn dated(y: &[f64]) {
    let z = sample(Normal::new(0.0, 1.0));
    let days = sample(Poisson::new(3.0));
    observe(y, Normal::new(z + 1.7e9, 0.01));
    observe(y, Normal::new(z + 1.7e9, 1.0 + days));
}

#[test]
fn stairs_of_rounding_are_no_jump() {
    let report = dated(&[1.7e9, 1.7e9 + 0.5]).check(Check::new());
    let report = report.expect("the model runs");
    assert_eq!(report.jump, None, "{report}");
    assert_eq!(report.lines, 10);
}

/// Steep, kinked, and cut off, but without a jump.
#[model]
fn rugged(y: &[f64]) {
    let x = sample(Normal::new(0.0, 1.0));
    let high = sample(Pareto::new(0.5, 1.0));
    factor(-(x - 0.1).abs() * 1e6 - (20.0 * x).exp());
    observe(y, Uniform::new(0.0, high));
}

#[test]
fn a_kink_is_no_jump() {
    let report = rugged(&[0.2, 0.7]).check(Check::new());
    let report = report.expect("the model runs");
    assert_eq!(report.jump, None, "{report}");
}

/// A process whose covariance is singular to rounding.
#[model]
fn smooth(x: &DMatrix<f64>) {
    let lengthscale = sample(InverseGamma::new(3.0, 3.0));
    let kernel = SquaredExponential::new(1.0, lengthscale);
    let _f = sample(GaussianProcess::new(0.0, kernel, x).jitter(1e-9));
}

#[test]
fn rounding_is_no_fault() {
    let x = DMatrix::from_fn(20, 1, |i, _| 0.1 * i as f64);
    let report = smooth(&x).check(Check::new()).expect("the model runs");
    assert!(report.jump.is_none(), "{report}");
    assert!(
        !report.warnings().iter().any(|w| w.contains("gradient")),
        "{report}"
    );
}

/// A standard deviation that the prior takes below zero now and then.
#[model]
fn careless(y: &[f64]) {
    let z = sample(Normal::new(0.0, 1.0));
    observe(y, Normal::new(0.0, 1.0 + 0.42 * z));
}

#[test]
fn a_parameter_out_of_its_range_is_named_as_the_cause() {
    let model = careless(&[0.5, -1.0]);
    let run = Inference::smc().particles(1000).seed(2).run(&model);
    let run = run.expect("rare draws alone have no density");
    let cause = run
        .counts()
        .non_finite
        .into_values()
        .find_map(|count| count.cause);
    let cause = cause.expect("some draws are negative");
    assert!(cause.starts_with("Normal: parameter `sd` is -"), "{cause}");
    assert!(cause.ends_with("or make it positive with `exp`"), "{cause}");
    let warnings: Vec<String> = run.warnings().iter().map(ToString::to_string).collect();
    assert!(warnings.iter().any(|w| w.contains(&cause)), "{warnings:?}");
}

#[test]
fn the_cause_is_the_same_for_any_number_of_threads() {
    let model = careless(&[0.5, -1.0]);
    let counts = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let engine = Inference::psmc().islands(3).particles(200).seed(2);
        let run = pool.expect("a few threads").install(|| engine.run(&model));
        run.expect("rare draws alone have no density").counts()
    };
    let one = counts(1);
    assert!(one.non_finite.values().any(|count| count.cause.is_some()));
    assert_eq!(one, counts(3));
}

/// What was not finite before it became a parameter.
#[test]
fn a_parameter_that_is_nan_is_no_cause() {
    let report = troubled(&[0.5])
        .check(Check::new())
        .expect("the model runs");
    let (_, count) = &report.not_finite[0];
    assert_eq!((count.nan > 0, &count.cause), (true, &None));
}
