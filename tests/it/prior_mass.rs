//! Priors with mass where the values of numbers round: to 0, to 1 and to infinity. The densities are computed in the unconstrained coordinates,
//! so evidence and posterior are right; where a model cannot be evaluated so, a warning names the quantity and the share of its draws.
//!
//! Seen to fail: with draws made of rounded values (`Drawn::of_value` in place of `of_coordinate`), and with `1 - p` computed as a number in the
//! trace (`complement` without its look through a sum).

use bayes::diagnose::Warning;
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

/// How many of some runs have an interval that holds the truth.
fn covered<M: Model + Differentiable + AllSampled>(model: &M, truth: f64, seeds: u64) -> u64 {
    let holds = |seed: u64| {
        let engine = Inference::psmc().islands(8).particles(128).seed(seed);
        let run = engine
            .progress(false)
            .run(model)
            .expect("the model is right");
        let (low, high) = run.log_evidence_interval(0.99).expect("islands");
        u64::from(low <= truth && truth <= high)
    };
    (1..=seeds).map(holds).sum()
}

#[test]
fn evidence_holds_the_mass_near_zero_and_one() {
    for a in [0.1, 0.03, 0.01, 0.001] {
        let (model, truth) = (coin(a), 0.5_f64.ln());
        assert!(covered(&model, truth, 5) >= 4, "Beta({a}, {a})");
    }
    for sigma in [20.0, 50.0, 200.0] {
        let (model, truth) = (logit_normal(sigma), 0.5_f64.ln());
        assert!(covered(&model, truth, 5) >= 4, "LogitNormal(0, {sigma})");
    }
    // conjugate: a product of gamma functions
    for (alpha, truth) in [(0.01, -7.0568), (0.001, -9.2693)] {
        assert!(covered(&shares(alpha), truth, 5) >= 4, "Dirichlet({alpha})");
    }
    let truth = (0.2_f64 + 0.6 * 0.25).ln();
    assert!(covered(&beta_of_two(0.001, 0.003), truth, 5) >= 4);
    assert!(covered(&beta_proportion(), 0.5_f64.ln(), 5) >= 4);
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

#[test]
fn evidence_holds_the_mass_that_overflows_and_underflows() {
    let check = |name: &str, holds: u64| assert!(holds >= 4, "{name}: {holds} of 5");
    let symmetric = 0.5_f64.ln();
    check("LogLogistic", covered(&log_logistic(), symmetric, 5));
    check("LogNormal", covered(&log_normal(), symmetric, 5));
    let truth = by_quadrature(|u| 0.002 * u - (0.002 * u).exp(), 20_000.0);
    check("Weibull", covered(&weibull(), truth, 5));
    let truth = by_quadrature(|u| -0.001 * u - (-0.001 * u).exp(), 40_000.0);
    check("Frechet", covered(&frechet(), truth, 5));
    let truth = by_quadrature(|u| 0.001 * u - 0.5 * u.exp(), 40_000.0);
    check("ChiSquared", covered(&chi_squared(), truth, 5));
    let truth = by_quadrature(|u| 0.001 * u - 0.001 * u.exp(), 40_000.0);
    check("Gamma", covered(&gamma(), truth, 5));
    let truth = by_quadrature(|u| -0.001 * u - 0.001 * (-u).exp(), 40_000.0);
    check("InverseGamma", covered(&inverse_gamma(), truth, 5));
    // u - 1.001 ln(1 + e^u)
    let softplus = |u: f64| u.max(0.0) + (-u.abs()).exp().ln_1p();
    let truth = by_quadrature(|u| u - 1.001 * softplus(u), 40_000.0);
    check("Lomax", covered(&lomax(), truth, 5));
    let truth = by_quadrature(
        |u| u - 0.5005 * softplus(2.0 * u - 0.001_f64.ln()),
        40_000.0,
    );
    check("HalfStudentT", covered(&half_student_t(), truth, 5));
}

/// Half of the mass is beyond the largest number, and the coordinate of a real number is the number itself.
#[model]
fn heavy() {
    let x = sample(StudentT::new(0.001, 0.0, 1.0));
    factor((0.2 + 0.6 * x.logistic()).ln());
}

/// Computes a function of `p` where `p` rounds to 0 or 1.
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
    // ordinary priors round nowhere
    let ordinary = islands
        .run(&reads_the_value(2.0))
        .expect("the model is right");
    assert_eq!(ordinary.rounded_priors, []);
}
