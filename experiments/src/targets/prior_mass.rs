//! Priors whose draws round to 0, to 1 or to infinity, with a likelihood that reads them, and the exact log evidence.
//!
//! Seen in public reports: Beta with small pseudocounts (Venturecxx 606, stan-dev/math 419) and Dirichlet with small concentrations
//! (pytorch 76030, stan 1474).

use super::run;
use bayes::engine::Engine;
use bayes::prelude::*;
use bayes::{Error, Run};

/// A model of a prior with mass where numbers round.
pub struct Row {
    /// The prior, and what the likelihood reads where it is not the logarithm or the logit.
    pub name: &'static str,
    /// The quantity with the prior.
    pub quantity: &'static str,
    /// The log evidence.
    pub log_evidence: f64,
    /// The mean of the quantity, if it is computed exactly.
    pub mean: Option<f64>,
    run: Runs,
}

/// Runs an engine on a model.
type Runs = Box<dyn Fn(&dyn Engine) -> Result<Run, Error>>;

impl Row {
    /// Runs an engine on the model.
    ///
    /// # Errors
    /// The errors of the engine.
    pub fn run(&self, engine: &dyn Engine) -> Result<Run, Error> {
        (self.run)(engine)
    }

    fn new<M: Model + 'static>(name: &'static str, model: M, log_evidence: f64) -> Self {
        Self {
            name,
            quantity: "x",
            log_evidence,
            mean: None,
            run: Box::new(move |engine| run(&model, engine)),
        }
    }

    fn with_mean(self, mean: f64) -> Self {
        Self {
            quantity: "p",
            mean: Some(mean),
            ..self
        }
    }
}

/// A success, whose probability has a symmetric beta prior.
#[model]
pub fn coin(a: f64) {
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

#[model]
fn kumaraswamy() {
    let x = sample(Kumaraswamy::new(0.01, 0.01));
    factor((0.2 + 0.6 * x).ln());
}

/// Half of the mass is beyond the largest double, and the coordinate is the value.
#[model]
fn student_t() {
    let x = sample(StudentT::new(0.001, 0.0, 1.0));
    factor((0.2 + 0.6 * x.logistic()).ln());
}

#[model]
fn pareto() {
    let x = sample(Pareto::new(1.0, 0.001));
    factor((0.2 + 0.6 * x.ln().logistic()).ln());
}

/// Models of one positive quantity `x` whose likelihood is `0.2 + 0.6 x/(1 + x)`: by the logarithm of `x`, and by its value.
macro_rules! positive {
    ($($log:ident, $value:ident: $prior:expr;)*) => {$(
        #[model]
        fn $log() {
            let x = sample($prior);
            factor((0.2 + 0.6 * x.ln().logistic()).ln());
        }

        #[model]
        fn $value() {
            let x = sample($prior);
            factor((0.2 + 0.6 * x / (1.0 + x)).ln());
        }
    )*};
}
positive! {
    weibull, weibull_value: Weibull::new(0.002, 1.0);
    log_logistic, log_logistic_value: LogLogistic::new(1.0, 0.002);
    chi_squared, chi_squared_value: ChiSquared::new(0.002);
    gamma, gamma_value: Gamma::new(0.001, 0.001);
    inverse_gamma, inverse_gamma_value: InverseGamma::new(0.001, 0.001);
    scaled_inverse, scaled_inverse_value: ScaledInverseChiSquared::new(0.002, 1.0);
    frechet, frechet_value: Frechet::new(0.001, 1.0);
    lomax, lomax_value: Lomax::new(1.0, 0.001);
    log_normal, log_normal_value: LogNormal::new(0.0, 500.0);
    half_student_t, half_student_t_value: HalfStudentT::new(0.001, 1.0);
}

/// `E[f(x)]` by the trapezoidal rule in a coordinate `u` from `-range` to `range`, given the log density of `u` up to a constant.
fn mean(log_density: impl Fn(f64) -> f64, range: f64, f: impl Fn(f64) -> f64) -> f64 {
    let steps = 800_000;
    let (mut mass, mut sum) = (0.0, 0.0);
    for i in 0..=steps {
        let u = range * (2.0 * f64::from(i) / f64::from(steps) - 1.0);
        let density = log_density(u).exp();
        mass += density;
        sum += density * f(u);
    }
    sum / mass
}

/// `1/(1 + e^-u)`.
fn logistic(u: f64) -> f64 {
    1.0 / (1.0 + (-u).exp())
}

/// `ln(1 + e^u)`.
fn softplus(u: f64) -> f64 {
    u.max(0.0) + (-u.abs()).exp().ln_1p()
}

/// `ln E[0.2 + 0.6 x/(1 + x)]`, given the log density of `ln x`.
fn by_quadrature(log_density: impl Fn(f64) -> f64, range: f64) -> f64 {
    mean(log_density, range, |u| 0.2 + 0.6 * logistic(u)).ln()
}

/// A success under a prior that is symmetric in the logit; the mean of `p` is `2 E[p²]`.
fn of_logit(name: &'static str, sigma: f64) -> Row {
    let normal = |u: f64| -0.5 * (u / sigma).powi(2);
    let square = mean(normal, 12.0 * sigma, |u| logistic(u).powi(2));
    Row::new(name, logit_normal(sigma), 0.5_f64.ln()).with_mean(2.0 * square)
}

/// Priors on the unit interval and on the simplex.
#[must_use]
pub fn near_zero_and_one() -> Vec<Row> {
    let half = 0.5_f64.ln();
    let of_coin =
        |name, a: f64| Row::new(name, coin(a), half).with_mean((1.0 + a) / (1.0 + 2.0 * a));
    // conjugate: products of gamma functions
    let shared = |name, alpha, truth| Row {
        quantity: "p",
        ..Row::new(name, shares(alpha), truth)
    };
    vec![
        of_coin("Beta(.5, .5)", 0.5),
        of_coin("Beta(.1, .1)", 0.1),
        of_coin("Beta(.03, .03)", 0.03),
        of_coin("Beta(.01, .01)", 0.01),
        of_coin("Beta(.001, .001)", 0.001),
        of_logit("LogitNormal(0, 5)", 5.0),
        of_logit("LogitNormal(0, 10)", 10.0),
        of_logit("LogitNormal(0, 20)", 20.0),
        of_logit("LogitNormal(0, 50)", 50.0),
        of_logit("LogitNormal(0, 200)", 200.0),
        shared("Dirichlet(.1)", 0.1, -5.531_525_274_506_8),
        shared("Dirichlet(.01)", 0.01, -7.056_753_676_422_71),
        shared("Dirichlet(.001)", 0.001, -9.269_307_549_929_13),
        Row::new("Beta(.001, .003)", beta_of_two(0.001, 0.003), 0.35_f64.ln()),
        Row::new("BetaProportion(.5, .002)", beta_proportion(), half),
        // E[x] is .01 B(101, .01)
        Row::new(
            "Kumaraswamy(.01, .01)",
            kumaraswamy(),
            -0.261_734_225_713_262,
        ),
    ]
}

/// Priors on the positive numbers: a likelihood that reads `ln x`, or with `by_value` one that computes `x/(1 + x)`.
#[must_use]
pub fn near_zero_and_infinity(by_value: bool) -> Vec<Row> {
    macro_rules! rows {
        ($($name:literal: $log:ident, $value:ident, $truth:expr;)*) => {
            vec![$(match by_value {
                true => Row::new(concat!($name, ", by value"), $value(), $truth),
                false => Row::new($name, $log(), $truth),
            }),*]
        };
    }
    let half = 0.5_f64.ln();
    let far = |log_density: &dyn Fn(f64) -> f64| by_quadrature(log_density, 40_000.0);
    rows! {
        "Weibull(.002, 1)": weibull, weibull_value,
            by_quadrature(|u| 0.002 * u - (0.002 * u).exp(), 20_000.0);
        "LogLogistic(1, .002)": log_logistic, log_logistic_value, half;
        "ChiSquared(.002)": chi_squared, chi_squared_value, far(&|u| 0.001 * u - 0.5 * u.exp());
        "Gamma(.001, .001)": gamma, gamma_value, far(&|u| 0.001 * u - 0.001 * u.exp());
        "InverseGamma(.001, .001)": inverse_gamma, inverse_gamma_value,
            far(&|u| -0.001 * u - 0.001 * (-u).exp());
        // InverseGamma(.001, .001)
        "ScaledInverseChiSquared(.002, 1)": scaled_inverse, scaled_inverse_value,
            far(&|u| -0.001 * u - 0.001 * (-u).exp());
        "Frechet(.001, 1)": frechet, frechet_value, far(&|u| -0.001 * u - (-0.001 * u).exp());
        "Lomax(1, .001)": lomax, lomax_value, far(&|u| u - 1.001 * softplus(u));
        "LogNormal(0, 500)": log_normal, log_normal_value, half;
        "HalfStudentT(.001, 1)": half_student_t, half_student_t_value,
            far(&|u| u - 0.5005 * softplus(2.0 * u - 0.001_f64.ln()));
    }
}

/// Priors whose draws overflow, with coordinates that do not hold them: the value, and the logarithm of what is above the scale.
#[must_use]
pub fn beyond_the_largest_number() -> Vec<Row> {
    let half = 0.5_f64.ln();
    // the density of ln x falls evenly from 0 on
    let fall = |u: f64| {
        if u < 0.0 {
            f64::NEG_INFINITY
        } else {
            -0.001 * u
        }
    };
    let of_pareto = by_quadrature(fall, 40_000.0);
    vec![
        Row::new("StudentT(.001, 0, 1)", student_t(), half),
        Row::new("Pareto(1, .001)", pareto(), of_pareto),
    ]
}
