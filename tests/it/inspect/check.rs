//! Findings of `model.check(..)`.

use super::{data, regression};
use bayes::autodiff::function::Function;
use bayes::prelude::*;

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
    let likely = report.likely.expect("the model has a gradient");
    let text = report.to_string();
    assert!(text.contains(&format!("likely         {likely}")), "{text}");
    assert!(text.contains("finite         200 of 200"), "{text}");
    assert!(text.contains("no problems found"), "{text}");
}

#[test]
fn a_check_has_the_settings_of_the_engines() {
    let (x, y) = data();
    for level in InstructionSet::available() {
        let settings = Check::new()
            .gradient(GradientMode::Forward)
            .instruction_set(level);
        let report = regression(&x, &y).check(settings);
        let arithmetic = report.expect("the model fits its data").arithmetic;
        assert_eq!(arithmetic.gradient, GradientMode::Forward);
        assert_eq!(arithmetic.instruction_set, level.name());
    }
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

/// Two levels with flat priors, of which only the sum is observed: an unbounded direction.
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

/// The number itself, with a wrong slope: 0.
struct Detached;

impl Function for Detached {
    const NAME: &'static str = "detached";
    fn value(x: f64) -> f64 {
        x
    }
    fn first(x: f64) -> (f64, f64) {
        (x, 0.0)
    }
    fn second(x: f64) -> (f64, f64, f64) {
        (x, 0.0, 0.0)
    }
}

fn detached<M: Mode>(x: Real<M>) -> Real<M> {
    Real(M::unary::<Detached>(x.0))
}

/// A jump at `x = 0.1`.
#[model]
fn broken() {
    let x = sample(Normal::new(0.0, 1.0));
    factor(-(x - 0.1).abs() * 50.0);
    // the slope of the detached term is missing
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

/// A wave so short that differences with ordinary steps do not resolve it.
#[model]
fn stiff() {
    let x = sample(Normal::new(0.0, 1.0));
    factor(5.0 * (3e4 * x).sin());
}

#[test]
fn an_inaccurate_difference_is_no_wrong_derivative() {
    let report = stiff().check(Check::new()).expect("the model runs");
    let slope = report.worst_slope.expect("slopes were compared");
    assert!(slope.error < 1e-5, "{slope:?}");
    let wrong = |warning: &String| warning.contains("derivative");
    assert!(!report.warnings().iter().any(wrong), "{report}");
}

/// At some prior draws of `phi` the mean grows without bound.
#[model]
fn recursion(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let phi = sample(Normal::new(0.0, 2.0));
    let sigma = sample(HalfNormal::new(1.0));
    let mut mean: Real = Real::from(0.0);
    for &y in y {
        mean = mu + phi * mean;
        observe(y, Normal::new(mean, sigma));
    }
}

#[test]
fn a_draw_that_explodes_hides_no_direction() {
    let report = recursion(&[0.3; 100]).check(Check::new());
    let report = report.expect("the model runs");
    assert_eq!(report.flat, Vec::<Vec<String>>::new(), "{report}");
}

/// A threshold at 0.3, in a density that is steep for small scales.
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
            report.warnings()[0].starts_with("the log density jumps by 0.70"),
            "{report}"
        );
        assert!(
            report
                .to_string()
                .contains("jumps          found, searched for on 10 lines"),
            "{report}"
        );
    }
}

/// At the bound the log density of `x` jumps because of its Jacobian; `observe` jumps by less.
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

/// A location so large that rounding makes steps.
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

/// A process whose covariance is singular up to rounding.
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

/// A standard deviation that is sometimes negative under the prior.
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
    assert!(cause.ends_with("or mend negative data in it"), "{cause}");
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

/// Values that were not finite before they became parameters.
#[test]
fn a_parameter_that_is_nan_is_no_cause() {
    let report = troubled(&[0.5])
        .check(Check::new())
        .expect("the model runs");
    let (_, count) = &report.not_finite[0];
    assert_eq!((count.nan > 0, &count.cause), (true, &None));
}

#[model]
fn level(y: &[f64]) {
    let mu = sample(Normal::new(0.0, 10.0));
    let sigma = sample(HalfNormal::new(5.0));
    observe(y, Normal::new(mu, sigma));
}

#[model]
fn skewed(y: &[f64]) {
    let mean = sample(LogNormal::new(0.0, 2.0));
    let sd = sample(HalfNormal::new(5.0));
    let shape = (mean / sd).powi(2);
    observe(y, Gamma::new(shape, shape / mean));
}

/// The mutation that it detects: no climb towards the bounds (`improper` is always `None`).
#[test]
fn equal_data_with_an_unknown_scale_are_reported_before_a_run() {
    fn told<M: Model + Differentiable>(model: &M) -> String {
        let report = model.check(Check::new()).expect("the model fits its data");
        report.warnings().concat()
    }
    let wanted = |name| format!("the likelihood has no bound as `{name}` goes to 0");
    for (text, name) in [
        (told(&level(&[3.0; 2])), "sigma"),
        (told(&level(&[3.0; 8])), "sigma"),
        (told(&skewed(&[2.0; 6])), "sd"),
    ] {
        assert!(text.contains(&wanted(name)), "{text}");
    }
    let text = told(&level(&[3.0, 3.2]));
    assert!(!text.contains("no bound"), "{text}");
}
