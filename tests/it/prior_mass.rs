//! Priors with mass where the values of numbers round: to 0, to 1 and to infinity. The densities are computed in the unconstrained
//! coordinates, so evidence and posterior are right; if a model cannot be evaluated there, a warning names the quantity and the share of
//! its draws.
//!
//! Seen to fail: with draws made from rounded values (`Drawn::of_value` in place of `of_coordinate`), and with `1 - p` computed as a number
//! in the trace (`complement` without its look through a sum).

use bayes::diagnose::{Estimate, Warning};
use bayes::prelude::*;

#[model]
fn coin(a: f64) {
    let p = sample(Beta::new(a, a));
    observe(true, Bernoulli::new(p));
}

#[model]
fn logit_normal(sigma: f64) {
    let p = sample(LogitNormal::new(0.0, sigma));
    observe(true, Bernoulli::new(p));
}

#[model]
fn shares(alpha: f64) {
    let p = sample(Dirichlet::new(vec![alpha; 5]));
    observe(&[7_u64, 0, 3, 0, 0], Multinomial::new(10, &p));
}

/// Models of one positive quantity `x` whose likelihood, `0.2 + 0.6 x/(1 + x)`, reads its logarithm.
macro_rules! positive {
    ($($name:ident: $prior:expr;)*) => {$(
        #[model]
        fn $name() {
            let x = sample($prior);
            factor((0.2 + 0.6 * x.ln().logistic()).ln());
        }
    )*};
}
positive! {
    weibull: Weibull::new(0.002, 1.0);
    log_logistic: LogLogistic::new(1.0, 0.002);
    chi_squared: ChiSquared::new(0.002);
    gamma: Gamma::new(0.001, 0.001);
    inverse_gamma: InverseGamma::new(0.001, 0.001);
    scaled_inverse_chi_squared: ScaledInverseChiSquared::new(0.002, 1.0);
    frechet: Frechet::new(0.001, 1.0);
    lomax: Lomax::new(1.0, 0.001);
    log_normal: LogNormal::new(0.0, 500.0);
    half_student_t: HalfStudentT::new(0.001, 1.0);
}

#[model]
fn beta_of_two(a: f64, b: f64) {
    let x = sample(Beta::new(a, b));
    factor((0.2 + 0.6 * x).ln());
}

#[model]
fn beta_proportion() {
    let x = sample(BetaProportion::new(0.5, 0.002));
    factor((0.2 + 0.6 * x).ln());
}

/// The log evidence of a run of eight islands with some particles each, and its 95% interval.
struct Found {
    estimate: Estimate,
    interval: (f64, f64),
}

fn holds((low, high): (f64, f64), truth: f64) -> bool {
    low <= truth && truth <= high
}

fn found<M: Model + Differentiable + AllSampled>(model: &M, particles: usize, seed: u64) -> Found {
    let engine = Inference::psmc().islands(8).particles(particles).seed(seed);
    let run = engine.progress(false).run(model);
    let run = run.expect("the model is right");
    Found {
        estimate: run.log_evidence_estimate().expect("islands"),
        interval: run.log_evidence_interval(0.95).expect("islands"),
    }
}

/// A prior with mass where numbers round, the log evidence of its model, and runs of it by particles and seed.
struct Row {
    name: String,
    truth: f64,
    run: Box<dyn Fn(usize, u64) -> Found>,
}

fn row<M>(name: impl Into<String>, model: M, truth: f64) -> Row
where
    M: Model + Differentiable + AllSampled + 'static,
{
    let run = Box::new(move |particles, seed| found(&model, particles, seed));
    let name = name.into();
    Row { name, truth, run }
}

/// `ln E[0.2 + 0.6 x/(1 + x)]` by the trapezoidal rule in `ln x`, given the log density of `ln x`, up to a constant, and a range.
fn by_quadrature(log_density: impl Fn(f64) -> f64, range: f64) -> f64 {
    let steps = 800_000;
    let (mut mass, mut mean) = (0.0, 0.0);
    for i in 0..=steps {
        let u = range * (2.0 * f64::from(i) / f64::from(steps) - 1.0);
        let density = log_density(u).exp();
        mass += density;
        mean += density * (0.2 + 0.6 / (1.0 + (-u).exp()));
    }
    (mean / mass).ln()
}

fn near_zero_and_one() -> Vec<Row> {
    let half = 0.5_f64.ln();
    let coins = [0.1, 0.03, 0.01, 0.001];
    let coins = coins.map(|a| row(format!("Beta({a}, {a})"), coin(a), half));
    let logits = [20.0, 50.0, 200.0];
    let logits = logits.map(|sd| row(format!("LogitNormal(0, {sd})"), logit_normal(sd), half));
    // conjugate: a product of gamma functions
    let shared = [(0.01, -7.0568), (0.001, -9.2693)];
    let shared = shared.map(|(a, truth)| row(format!("Dirichlet({a})"), shares(a), truth));
    let two = row(
        "Beta(0.001, 0.003)",
        beta_of_two(0.001, 0.003),
        (0.2_f64 + 0.6 * 0.25).ln(),
    );
    let proportion = row("BetaProportion(0.5, 0.002)", beta_proportion(), half);
    let rows = coins.into_iter().chain(logits).chain(shared);
    rows.chain([two, proportion]).collect()
}

fn near_zero_and_infinity() -> Vec<Row> {
    let half = 0.5_f64.ln();
    // u - 1.001 ln(1 + e^u)
    let softplus = |u: f64| u.max(0.0) + (-u.abs()).exp().ln_1p();
    let far = |log_density: &dyn Fn(f64) -> f64| by_quadrature(log_density, 40_000.0);
    vec![
        row("LogLogistic(1, 0.002)", log_logistic(), half),
        row("LogNormal(0, 500)", log_normal(), half),
        row(
            "Weibull(0.002, 1)",
            weibull(),
            by_quadrature(|u| 0.002 * u - (0.002 * u).exp(), 20_000.0),
        ),
        row(
            "Frechet(0.001, 1)",
            frechet(),
            far(&|u| -0.001 * u - (-0.001 * u).exp()),
        ),
        row(
            "ChiSquared(0.002)",
            chi_squared(),
            far(&|u| 0.001 * u - 0.5 * u.exp()),
        ),
        row(
            "Gamma(0.001, 0.001)",
            gamma(),
            far(&|u| 0.001 * u - 0.001 * u.exp()),
        ),
        row(
            "InverseGamma(0.001, 0.001)",
            inverse_gamma(),
            far(&|u| -0.001 * u - 0.001 * (-u).exp()),
        ),
        // InverseGamma(0.001, 0.001)
        row(
            "ScaledInverseChiSquared(0.002, 1)",
            scaled_inverse_chi_squared(),
            far(&|u| -0.001 * u - 0.001 * (-u).exp()),
        ),
        row(
            "Lomax(1, 0.001)",
            lomax(),
            far(&|u| u - 1.001 * softplus(u)),
        ),
        row(
            "HalfStudentT(0.001, 1)",
            half_student_t(),
            far(&|u| u - 0.5005 * softplus(2.0 * u - 0.001_f64.ln())),
        ),
    ]
}

/// Each of five short runs is within 0.15, and their mean within 0.05. Errors were 0.17 to 1.8 when the mass was lost. The remaining error
/// is the bias of an adaptive ladder with 128 particles, for a likelihood with a step of width one in a coordinate that is hundreds of
/// units wide.
fn all_near(rows: Vec<Row>) {
    for row in rows {
        let name = &row.name;
        let errors = [1, 2, 3, 4, 5].map(|seed| (row.run)(128, seed).estimate.mean - row.truth);
        let mean = errors.iter().sum::<f64>() / 5.0;
        assert!(
            errors.iter().all(|error| error.abs() < 0.15),
            "{name}: {errors:?}"
        );
        assert!(mean.abs() < 0.05, "{name}: {errors:?}");
    }
}

#[test]
fn evidence_holds_the_mass_near_zero_and_one() {
    all_near(near_zero_and_one());
}

#[test]
fn evidence_holds_the_mass_that_overflows_and_underflows() {
    all_near(near_zero_and_infinity());
}

/// Prints, for 20 seeds of a default run, the number of intervals that hold the truth, the mean and the root mean square error, and the
/// mean standard error: `cargo test --workspace --release --test it prior_mass -- --ignored --nocapture`.
#[test]
#[ignore = "a table: twenty default runs of each prior"]
fn table_of_twenty_seeds() {
    for row in near_zero_and_one()
        .into_iter()
        .chain(near_zero_and_infinity())
    {
        let runs: Vec<Found> = (1..=20).map(|seed| (row.run)(256, seed)).collect();
        let held = runs.iter().filter(|found| holds(found.interval, row.truth));
        let held = held.count();
        let mean = |f: &dyn Fn(&Found) -> f64| runs.iter().map(f).sum::<f64>() / 20.0;
        let error = mean(&|found| found.estimate.mean - row.truth);
        let square = mean(&|found| (found.estimate.mean - row.truth).powi(2));
        let told = mean(&|found| found.estimate.se);
        println!(
            "{:<33} {held:>2} of 20, mean error {error:>8.4}, rms {:.4}, standard error {told:.4}",
            row.name,
            square.sqrt()
        );
    }
}

/// Half of the mass is beyond the largest floating-point number, and the coordinate of a real quantity is its value.
#[model]
fn heavy() {
    let x = sample(StudentT::new(0.001, 0.0, 1.0));
    factor((0.2 + 0.6 * x.logistic()).ln());
}

/// A function of `p` when `p` rounds to 0 or 1.
#[model]
fn reads_the_value(a: f64) {
    let p = sample(Beta::new(a, a));
    observe(0.5, Normal::new((3.0 * p).sin(), 1.0));
}

fn warned(run: &Run, name: &str) -> bool {
    let is_mine = |warning: &Warning| match warning {
        Warning::PriorRounds(found) => found.prior.name == name,
        _ => false,
    };
    run.warnings().iter().any(is_mine)
}

#[test]
fn what_no_coordinate_holds_is_a_warning_by_name() {
    let model = heavy();
    let islands = Inference::psmc().islands(2).particles(64).progress(false);
    assert!(warned(
        &islands.run(&model).expect("the model is right"),
        "x"
    ));
    let chains = Inference::nuts()
        .chains(2)
        .burn_in(100)
        .draws(100)
        .progress(false);
    assert!(warned(
        &chains.run(&model).expect("the model is right"),
        "x"
    ));
    let report = model.check(Check::new()).expect("the model is right");
    let text = report.to_string();
    assert!(text.contains("% of the prior draws of `x`"), "{text}");
}

#[test]
fn rounding_is_a_warning_only_where_the_model_reads_the_value() {
    let islands = Inference::psmc().islands(2).particles(64).progress(false);
    let exact = islands.run(&coin(0.01)).expect("the model is right");
    assert_eq!(exact.rounded_priors, []);
    let read = islands
        .run(&reads_the_value(0.01))
        .expect("the model is right");
    assert!(warned(&read, "p"), "{:?}", read.rounded_priors);
    // ordinary priors do not round
    let ordinary = islands
        .run(&reads_the_value(2.0))
        .expect("the model is right");
    assert_eq!(ordinary.rounded_priors, []);
}
