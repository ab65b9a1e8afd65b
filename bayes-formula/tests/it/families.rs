//! The likelihood of every family against independent formulas.

use crate::{of, written};
use bayes::autodiff::{PlainValue, Value};
use bayes::dist::Distribution;
use bayes::prelude::*;
use bayes_formula::{Family, Regression, formula};

const X: [f64; 6] = [-1.0, 0.3, 0.8, 1.4, -0.2, 2.1];
const OFFSET: [f64; 6] = [0.1, 0.0, -0.2, 0.3, 0.0, 0.2];
const GROUP: [&str; 6] = ["a", "b", "a", "b", "b", "a"];
const REAL: [f64; 6] = [0.2, -1.0, 0.7, 1.9, 0.4, 2.2];
const POSITIVE: [f64; 6] = [0.5, 1.2, 0.9, 3.0, 2.0, 4.1];
const SHARE: [f64; 6] = [0.2, 0.5, 0.35, 0.9, 0.6, 0.75];
const COUNTS: [u64; 6] = [0, 1, 0, 4, 2, 7];
const BINARY: [u64; 6] = [0, 1, 0, 1, 0, 1];
const TRIALS: [u64; 6] = [3, 5, 4, 9, 6, 8];
const GRADES: [u64; 6] = [1, 2, 1, 3, 2, 4];
const NON_NEGATIVE: [f64; 6] = [0.0, 1.2, 0.9, 0.0, 2.0, 4.1];
const FROM_ZERO: [f64; 6] = [0.0, 0.5, 0.35, 0.9, 0.0, 0.75];
const CLOSED: [f64; 6] = [0.0, 0.5, 1.0, 0.9, 1.0, 0.75];
const ANGLES: [f64; 6] = [-2.1, 0.3, 0.9, 1.4, -0.2, 3.1];
/// Counts that sum to the trials, and shares that sum to 1.
const COLUMNS_OF_COUNTS: [[u64; 3]; 6] = [
    [1, 2, 0],
    [0, 4, 1],
    [3, 0, 1],
    [2, 2, 5],
    [6, 0, 0],
    [1, 3, 4],
];
const COLUMNS_OF_SHARES: [[f64; 3]; 6] = [
    [0.25, 0.5, 0.25],
    [0.1, 0.8, 0.1],
    [0.6, 0.15, 0.25],
    [0.05, 0.2, 0.75],
    [0.5, 0.125, 0.375],
    [0.3, 0.3, 0.4],
];
const LABELS: [&str; 6] = ["p", "q", "p", "r", "q", "r"];

/// The parameters of a family at a draw.
#[derive(Clone, Default)]
pub(crate) struct At {
    pub(crate) eta: f64,
    pub(crate) sigma: f64,
    pub(crate) nu: f64,
    pub(crate) shape: f64,
    pub(crate) phi: f64,
    pub(crate) zi: f64,
    pub(crate) hu: f64,
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
    pub(crate) kappa: f64,
    pub(crate) zoi: f64,
    pub(crate) coi: f64,
    pub(crate) disc: f64,
    /// The linear predictors of labels.
    pub(crate) levels: Vec<f64>,
    pub(crate) trials: u64,
    pub(crate) cutpoints: Vec<f64>,
    /// The columns of a response of several columns.
    pub(crate) row: Vec<f64>,
    /// The shares of the functions of a baseline hazard.
    pub(crate) sbhaz: Vec<f64>,
}

/// The baseline hazard at a time and its integral, from the polynomials by scipy in `tests/data/baseline.json`.
pub(crate) fn baseline(shares: &[f64], t: f64) -> [f64; 2] {
    static READ: std::sync::OnceLock<serde_json::Value> = std::sync::OnceLock::new();
    let read = READ.get_or_init(|| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/baseline.json");
        let text = std::fs::read_to_string(path).expect("it is in the repository");
        serde_json::from_str(&text).expect("it is JSON")
    });
    let number = |value: &serde_json::Value| value.as_f64().expect("a number");
    let knots: Vec<f64> = (0..3).map(|k| number(&read["knots"][k])).collect();
    let [mut hazard, mut integral] = [0.0, 0.0];
    for (k, share) in shares.iter().enumerate() {
        for piece in 0..2 {
            let c: Vec<f64> = (0..4)
                .map(|j| number(&read["hazards"][k][piece][j]))
                .collect();
            let end = t.clamp(knots[piece], knots[piece + 1]) - knots[piece];
            if t > knots[piece] && t <= knots[piece + 1] {
                hazard += share * (((c[0] * end + c[1]) * end + c[2]) * end + c[3]);
            }
            let antiderivative = ((c[0] / 4.0 * end + c[1] / 3.0) * end + c[2] / 2.0) * end + c[3];
            integral += share * antiderivative * end;
        }
    }
    [hazard, integral]
}

/// The times between which the baseline hazard is known.
pub(crate) const ENDS_OF_BASELINE: [f64; 2] = [0.428, 4.172];

pub(crate) fn density<D: Distribution<Value, Value = Real<Value>>>(distribution: D, y: f64) -> f64 {
    distribution
        .log_density_of(&[Real::constant(y)])
        .plain_value()
}

/// Density with inflated zeros.
fn inflated(y: f64, zi: f64, of: &dyn Fn(f64) -> f64) -> f64 {
    match y == 0.0 {
        true => (zi + (1.0 - zi) * of(0.0).exp()).ln(),
        false => (1.0 - zi).ln() + of(y),
    }
}

/// Density with a hurdle.
fn hurdle(y: f64, hu: f64, of: &dyn Fn(f64) -> f64) -> f64 {
    match y == 0.0 {
        true => hu.ln(),
        false => (1.0 - hu).ln() + of(y) - (1.0 - of(0.0).exp()).ln(),
    }
}

/// The mean of a power of a value of a Weibull distribution with a scale of 1, by integration of the density.
pub(crate) fn moment_of_weibull(shape: f64, power: i32) -> f64 {
    const STEP: f64 = 1e-4;
    let part = |x: f64| x.powi(power) * density(Weibull::new(shape, 1.0), x).exp();
    (0..400_000)
        .map(|k| part((f64::from(k) + 0.5) * STEP) * STEP)
        .sum()
}

/// The log density of a response, as defined in the table of families.
pub(crate) fn wanted(family: Family, at: &At, y: f64) -> f64 {
    let At {
        eta,
        sigma,
        nu,
        shape,
        phi,
        zi,
        hu,
        trials,
        ..
    } = *at;
    let (mean, p) = (eta.exp(), 1.0 / (1.0 + (-eta).exp()));
    let binomial = |p: f64| density(Binomial::new(trials, p), y);
    let negative_binomial = |y: f64| density(NegativeBinomial::mean_dispersion(mean, shape), y);
    let poisson = |y: f64| density(Poisson::new(mean), y);
    let inflated = |of: &dyn Fn(f64) -> f64| inflated(y, zi, of);
    let hurdle = |of: &dyn Fn(f64) -> f64| hurdle(y, hu, of);
    match family {
        Family::Gaussian => density(Normal::new(eta, sigma), y),
        Family::StudentT => density(StudentT::new(nu, eta, sigma), y),
        Family::LogNormal => density(LogNormal::new(eta, sigma), y),
        Family::Gamma => density(Gamma::new(shape, shape / mean), y),
        Family::Exponential => density(Exponential::new(1.0 / mean), y),
        Family::Weibull => density(Weibull::new(shape, mean / moment_of_weibull(shape, 1)), y),
        Family::InverseGaussian => density(InverseGaussian::new(mean, shape), y),
        Family::Beta => density(Beta::new(p * phi, (1.0 - p) * phi), y),
        Family::Bernoulli => {
            if y == 1.0 {
                p.ln()
            } else {
                (1.0 - p).ln()
            }
        }
        Family::Binomial => binomial(p),
        Family::BetaBinomial => density(BetaBinomial::new(trials, p * phi, (1.0 - p) * phi), y),
        Family::Poisson => poisson(y),
        Family::NegativeBinomial => negative_binomial(y),
        Family::Geometric => -mean.ln_1p() + y * (mean / (1.0 + mean)).ln(),
        Family::ZeroInflatedPoisson => inflated(&poisson),
        Family::ZeroInflatedNegativeBinomial => inflated(&negative_binomial),
        Family::HurdlePoisson => hurdle(&poisson),
        Family::HurdleNegativeBinomial => hurdle(&negative_binomial),
        Family::Cumulative
        | Family::SequentialRatio
        | Family::ContinuationRatio
        | Family::AdjacentCategory => written::grade(family, &|x| 1.0 / (1.0 + (-x).exp()), at, y),
        Family::SkewNormal | Family::ExGaussian | Family::HurdleLogNormal => {
            written::wanted(family, eta, at, y)
        }
        Family::VonMises => written::wanted(family, 2.0 * eta.atan(), at, y),
        Family::HurdleGamma | Family::Frechet | Family::Cox => written::wanted(family, mean, at, y),
        other => written::wanted(other, p, at, y),
    }
}

/// The number of a response: a label counts from 1.
fn number(text: &str) -> f64 {
    let label = ["p", "q", "r"].iter().position(|label| *label == text);
    label.map_or_else(
        || text.parse().expect("a number"),
        |label| label as f64 + 1.0,
    )
}

/// Whether the family has a probability for each grade or label.
pub(crate) fn has_outcomes(family: Family) -> bool {
    matches!(
        family,
        Family::Cumulative
            | Family::SequentialRatio
            | Family::ContinuationRatio
            | Family::AdjacentCategory
            | Family::Categorical
            | Family::Multinomial
            | Family::Dirichlet
    )
}

fn texts<T: ToString>(values: [T; 6]) -> [String; 6] {
    values.map(|value| value.to_string())
}

/// The responses of a family, and the text before `~`.
fn responses(name: &str) -> ([String; 6], &'static str) {
    match name {
        "gaussian" | "student" => (texts(REAL), "y"),
        "lognormal" | "gamma" | "exponential" | "weibull" | "inverse-gaussian" | "frechet"
        | "cox" => (texts(POSITIVE), "y"),
        "multinomial" => (texts(COUNTS), "cbind(p, q, r) | trials(n)"),
        "dirichlet" => (texts(COUNTS), "cbind(p, q, r)"),
        "beta" => (texts(SHARE), "y"),
        "skew-normal" | "ex-gaussian" => (texts(REAL), "y"),
        "von-mises" => (texts(ANGLES), "y"),
        "hurdle-gamma" | "hurdle-lognormal" => (texts(NON_NEGATIVE), "y"),
        "zero-inflated-beta" => (texts(FROM_ZERO), "y"),
        "zero-one-inflated-beta" => (texts(CLOSED), "y"),
        "categorical" => (texts(LABELS), "y"),
        "bernoulli" => (texts(BINARY), "y"),
        "binomial" | "beta-binomial" | "zero-inflated-binomial" | "zero-inflated-beta-binomial" => {
            (texts(COUNTS), "y | trials(n)")
        }
        "cumulative" | "sratio" | "cratio" | "acat" => (texts(GRADES), "y"),
        _ => (texts(COUNTS), "y"),
    }
}

/// The columns of a response of several columns in a row.
fn columns(family: Family, row: usize) -> [f64; 3] {
    match family {
        Family::Dirichlet => COLUMNS_OF_SHARES[row],
        _ => COLUMNS_OF_COUNTS[row].map(|count| count as f64),
    }
}

/// A regression of the family with few draws, whose values are all different.
pub(crate) fn run(name: &str, family: Family) -> (Regression, Run) {
    let (response, left) = responses(name);
    let row = |i: usize| {
        let [p, q, r] = columns(family, i);
        format!(
            "{},{},{},{},{},{p},{q},{r}\n",
            response[i], X[i], OFFSET[i], GROUP[i], TRIALS[i]
        )
    };
    let table = of(&(0..6).fold("y,x,e,g,n,p,q,r\n".to_owned(), |text, i| text + &row(i)));
    let text = format!("{left} ~ x + (1 + x || g) + offset(e)");
    let regression = formula(&text).expect("it is a formula").family(family);
    let regression = regression.on(&table).expect("it fits the table");
    let engine = Inference::nuts().chains(1).draws(4).burn_in(4).seed(2);
    let run = engine.progress(false).run(&regression);
    let run = run.unwrap_or_else(|error| panic!("{name}: {error}"));
    (regression, run)
}

#[test]
fn every_family_has_the_likelihood_of_its_definition() {
    for (name, family) in Family::ALL {
        let (response, _) = responses(name);
        let (_, run) = run(name, family);
        let group = &run.groups[0];
        let draws = group.draws.chunks(run.layout.elements());
        assert_eq!(draws.len(), 4, "{name}");
        for (values, found) in draws.zip(&group.log_likelihood) {
            let vector = |name: &str| {
                run.layout
                    .find(name)
                    .map_or(&[][..], |variable| &values[variable.range()])
            };
            let total: f64 = (0..6)
                .map(|i| {
                    let mut at = at(&vector, i);
                    at.row = columns(family, i).to_vec();
                    wanted(family, &at, number(&response[i]))
                })
                .sum();
            let within = if family == Family::Weibull {
                1e-4
            } else {
                1e-9
            };
            assert!(
                (found - total).abs() < within * total.abs().max(1.0),
                "{name}: {found}, {total}"
            );
        }
    }
}

/// The parameters of a row at a draw.
pub(crate) fn at<'a>(vector: &dyn Fn(&str) -> &'a [f64], i: usize) -> At {
    let scalar = |name: &str| vector(name).first().copied().unwrap_or(0.0);
    let (r, b) = (vector("r"), vector("b"));
    let group = usize::from(GROUP[i] == "b");
    // the line with this number and intercept
    let line = |k: usize, intercept: f64| {
        let r = &r[4 * k..];
        OFFSET[i] + intercept + b[k] * X[i] + r[group] + r[2 + group] * X[i]
    };
    let eta = line(0, scalar("intercept"));
    let intercepts = vector("intercepts").iter().enumerate();
    At {
        eta,
        sigma: scalar("sigma"),
        nu: scalar("nu"),
        shape: scalar("shape"),
        phi: scalar("phi"),
        zi: scalar("zi"),
        hu: scalar("hu"),
        alpha: scalar("alpha"),
        beta: scalar("beta"),
        kappa: scalar("kappa"),
        zoi: scalar("zoi"),
        coi: scalar("coi"),
        disc: 1.0,
        levels: intercepts
            .map(|(k, intercept)| line(k, *intercept))
            .collect(),
        trials: TRIALS[i],
        cutpoints: vector("cutpoints").to_vec(),
        row: Vec::new(),
        sbhaz: vector("sbhaz").to_vec(),
    }
}

#[test]
fn names_of_families_are_read() {
    assert_eq!("Negative_Binomial".parse(), Ok(Family::NegativeBinomial));
    assert_eq!("negbinomial".parse(), Ok(Family::NegativeBinomial));
    assert_eq!(
        Family::ZeroInflatedPoisson.to_string(),
        "zero-inflated-poisson"
    );
    let error = "posson".parse::<Family>().expect_err("there is none");
    assert!(
        error.starts_with("there is no family `posson`; known are gaussian, student"),
        "{error}"
    );
    for (name, meant) in [
        ("posson", "poisson"),
        ("nb", "negative-binomial"),
        ("coxph", "cox"),
    ] {
        let error = name.parse::<Family>().expect_err("there is none");
        let wanted = format!("; did you mean `{meant}`");
        assert!(error.contains(&wanted), "{error}");
    }
}
