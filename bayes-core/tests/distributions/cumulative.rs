//! Distribution functions against 50-digit references, their gradients against differences, quantiles against them.
//!
//! A family with a distribution function is one line in the list at the end.

use crate::reference::{families, number};
use bayes_autodiff::{Dual, Real, Value};
use bayes_core::dist::*;
use serde_json::Value as Json;

/// A family's functions at plain parameters.
trait Probabilities {
    fn cdf(&self, x: f64) -> f64;
    fn sf(&self, x: f64) -> f64;
    fn log_cdf(&self, x: f64) -> f64;
    fn log_sf(&self, x: f64) -> f64;
    fn quantile(&self, p: f64) -> f64;
    fn is_discrete(&self) -> bool;
    fn is_valid(&self) -> bool;
    fn allowed(&self) -> Vec<Allowed>;
}

impl<F, P, const K: usize> Probabilities for Univariate<F, P, K>
where
    F: Cumulative<K>,
    P: Parameters<Value, K, Form = One>,
{
    fn cdf(&self, x: f64) -> f64 {
        Univariate::cdf(self, x)
    }
    fn sf(&self, x: f64) -> f64 {
        Univariate::sf(self, x)
    }
    fn log_cdf(&self, x: f64) -> f64 {
        Univariate::log_cdf(self, x)
    }
    fn log_sf(&self, x: f64) -> f64 {
        Univariate::log_sf(self, x)
    }
    fn quantile(&self, p: f64) -> f64 {
        Univariate::quantile(self, p)
    }
    fn is_discrete(&self) -> bool {
        F::Domain::DISCRETE
    }
    fn is_valid(&self) -> bool {
        Distribution::<Value>::check(self).is_ok()
    }
    fn allowed(&self) -> Vec<Allowed> {
        F::PARAMETERS.map(|parameter| parameter.allowed).to_vec()
    }
}

/// `[log_cdf, log_sf]` with their gradients in the parameters.
type LogTails = fn(&[Real<Dual<4>>], f64) -> [Real<Dual<4>>; 2];

/// A family under test.
struct Subject {
    reference: &'static str,
    at: fn(&[f64]) -> Box<dyn Probabilities>,
    log_tails: LogTails,
}

/// A point of the file: parameters, `x`, and `[cdf, sf, log_cdf, log_sf]` where it has them.
#[derive(Debug)]
pub struct Point {
    pub parameters: Vec<f64>,
    pub x: f64,
    pub log_density: f64,
    wanted: Option<[f64; 4]>,
}

/// All points of a family.
pub fn points(reference: &str) -> Vec<Point> {
    let families = families();
    let found = families.iter().find(|f| f["family"] == reference);
    let family = found.expect("the family is in the file");
    let names = family["parameters"].as_array().unwrap();
    let list = |json: &Json| json.as_array().unwrap().clone();
    let mut points = Vec::new();
    for case in list(&family["cases"]) {
        let parameter = |name: &Json| number(&case["params"][name.as_str().unwrap()]);
        for point in list(&case["points"]) {
            let all = ["cdf", "sf", "log_cdf", "log_sf"];
            points.push(Point {
                parameters: names.iter().map(parameter).collect(),
                x: number(&point["x"]),
                log_density: number(&point["log_density"]),
                wanted: (!point["cdf"].is_null()).then(|| all.map(|name| number(&point[name]))),
            });
        }
    }
    points
}

/// Relative 1e-12; 1e-10 for the logs of tails beyond 1e-20.
fn check(name: &str, got: f64, wanted: f64, point: &Point, failures: &mut Vec<String>) {
    let is_log = name.starts_with("log");
    let extreme = if is_log {
        wanted.abs() > 46.0 || wanted.abs() < 1e-20
    } else {
        wanted < 1e-20
    };
    let bound = if extreme { 1e-10 } else { 1e-12 };
    let close = (got - wanted).abs() <= bound * wanted.abs();
    if got != wanted && !close {
        let error = (got - wanted).abs() / wanted.abs();
        let (x, parameters) = (point.x, &point.parameters);
        failures.push(format!(
            "{name} at {x}, {parameters:?}: {got:e}, {error:.1e} off {wanted:e}"
        ));
    }
}

#[test]
fn tails_agree_with_the_reference() {
    let mut failures = Vec::new();
    for subject in SUBJECTS {
        for point in points(subject.reference) {
            let law = (subject.at)(&point.parameters);
            let got = [
                law.cdf(point.x),
                law.sf(point.x),
                law.log_cdf(point.x),
                law.log_sf(point.x),
            ];
            let Some(wanted) = point.wanted else {
                assert!(
                    (got[0] + got[1] - 1.0).abs() < 1e-14,
                    "{}",
                    subject.reference
                );
                continue;
            };
            for (k, name) in ["cdf", "sf", "log_cdf", "log_sf"].into_iter().enumerate() {
                let name = format!("{name} of {}", subject.reference);
                check(&name, got[k], wanted[k], &point, &mut failures);
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn beyond_the_support_is_all_or_nothing() {
    for subject in SUBJECTS {
        for point in points(subject.reference) {
            let law = (subject.at)(&point.parameters);
            let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
            assert_eq!(
                [law.cdf(low), law.sf(low)],
                [0.0, 1.0],
                "{}",
                subject.reference
            );
            assert_eq!(
                [law.cdf(high), law.sf(high)],
                [1.0, 0.0],
                "{}",
                subject.reference
            );
            assert_eq!([law.log_cdf(low), law.log_sf(high)], [low; 2]);
            assert!(law.cdf(f64::NAN).is_nan() && law.sf(f64::NAN).is_nan());
            let [first, last] = [law.quantile(0.0), law.quantile(1.0)];
            assert!(law.cdf(first.next_down()) == 0.0 && law.cdf(last) == 1.0);
            if law.is_discrete() {
                assert_eq!(law.cdf(2.0), law.cdf(2.9));
            }
        }
        let nan = vec![f64::NAN; points(subject.reference)[0].parameters.len()];
        let law = (subject.at)(&nan);
        assert!(law.cdf(0.5).is_nan() && law.quantile(0.5).is_nan());
    }
}

/// What is wrong with the quantile at `p`, if anything.
fn round_trip(subject: &Subject, parameters: &[f64], p: f64) -> Option<String> {
    let law = (subject.at)(parameters);
    let x = law.quantile(p);
    let back = law.cdf(x);
    let place = format!(
        "{} {parameters:?}: quantile({p:e}) = {x:e}",
        subject.reference
    );
    if law.is_discrete() {
        let enough = back >= p * (1.0 - 1e-13);
        let least = x == law.quantile(0.0) || law.cdf(x - 1.0) < p;
        // to the quantile, neighbours within 64 roundings are the same
        let apart = back < 1.0 && back - law.cdf(x - 1.0) > 65.0 * f64::EPSILON;
        let again = law.quantile(back);
        return if !enough || !least {
            Some(place)
        } else if apart && again != x {
            Some(format!("{place}, and back {again}"))
        } else {
            None
        };
    }
    // the probability lies between those of numbers a few roundings away, but for what its own rounding makes of it
    let step = |next: fn(f64) -> f64| law.cdf((0..8).fold(x, |x, _| next(x)));
    let bound = 1e-12 * p.min(1.0 - p).max(1e-300) + 2.0 * f64::EPSILON * p;
    let close = step(f64::next_down) - p <= bound && p - step(f64::next_up) <= bound;
    let outside = x.abs() < 1e-300 || x.is_infinite();
    (!outside && !close).then(|| format!("{place}, back {back:e}"))
}

/// Of moderate sizes: rounding of `ln x` alone moves a log-normal probability by `ε |ln x| / σ` standard deviations.
#[test]
fn quantiles_at_random_parameters_lead_back() {
    let mut failures = Vec::new();
    for subject in SUBJECTS {
        let allowed = (subject.at)(&[0.5; 4]).allowed();
        let mut valid = 0;
        for parameters in crate::properties::parameters(&allowed, 1.5, 100) {
            if !(subject.at)(&parameters).is_valid() {
                continue;
            }
            valid += 1;
            for p in [1e-50, 1e-12, 0.003, 0.4, 0.5, 0.77, 1.0 - 1e-6] {
                failures.extend(round_trip(subject, &parameters, p));
            }
        }
        assert!(valid >= 25, "{}: {valid}", subject.reference);
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn quantiles_invert_the_distribution_function() {
    let mut failures = Vec::new();
    for subject in SUBJECTS {
        for point in points(subject.reference) {
            let law = (subject.at)(&point.parameters);
            for p in [
                1e-300,
                1e-200,
                1e-50,
                1e-9,
                0.01,
                0.3,
                0.5,
                0.7,
                0.99,
                1.0 - 1e-9,
            ] {
                failures.extend(round_trip(subject, &point.parameters, p));
            }
            for p in [-1e-9, 1.0 + 1e-9, f64::NAN] {
                assert!(law.quantile(p).is_nan());
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The central difference of `f` nearest to `slope`, over steps from coarse to fine.
fn nearest_difference(f: impl Fn(f64) -> f64, x: f64, slope: f64) -> Option<f64> {
    let steps =
        [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8].map(|h| h * if x == 0.0 { 1.0 } else { x.abs() });
    let differences = steps.map(|h| (f(x + h) - f(x - h)) / ((x + h) - (x - h)));
    let finite = differences.into_iter().filter(|d| d.is_finite());
    finite.min_by(|a, b| (a - slope).abs().total_cmp(&(b - slope).abs()))
}

#[test]
fn gradients_agree_with_differences() {
    let mut failures = Vec::new();
    let mut compared = 0;
    for subject in SUBJECTS {
        for point in points(subject.reference) {
            let count = point.parameters.len();
            let variables: Vec<_> = (0..count)
                .map(|k| Dual::variable(point.parameters[k], k))
                .collect();
            let tails = (subject.log_tails)(&variables, point.x);
            let law = (subject.at)(&point.parameters);
            assert_eq!(
                tails.map(Real::primal),
                [law.log_cdf(point.x), law.log_sf(point.x)]
            );
            for (side, tail) in tails.into_iter().enumerate() {
                // at the ends of the support, and in numbers of trials or items, there are no two-sided differences
                let is_end = tail.primal() == 0.0 || tail.primal().is_infinite();
                let first = match subject.reference {
                    "Binomial" | "BinomialLogit" | "BetaBinomial" => 1,
                    "Hypergeometric" => 3,
                    _ => 0,
                };
                for k in if is_end { 0..0 } else { first..count } {
                    let f = |value: f64| {
                        let mut parameters = point.parameters.clone();
                        parameters[k] = value;
                        let law = (subject.at)(&parameters);
                        [law.log_cdf(point.x), law.log_sf(point.x)][side]
                    };
                    let slope = Dual::gradient(tail)[k];
                    let Some(difference) = nearest_difference(f, point.parameters[k], slope) else {
                        continue;
                    };
                    let size = point.parameters[k].abs().max(1e-3);
                    let rounding = 1e-9 * (tail.primal().abs().min(1e10) + 1e-5) / size;
                    let close = (slope - difference).abs() <= 1e-5 * slope.abs() + rounding;
                    if !close {
                        failures.push(format!(
                            "{} tail {side} at {}, {:?}: slope {k} is {slope:e}, by differences {difference:e}",
                            subject.reference, point.x, point.parameters
                        ));
                    }
                    compared += 1;
                }
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(compared > 300, "only {compared} slopes could be compared");
}

/// Takes a slice apart into the parameters of a family.
fn array<T: Copy, const K: usize>(values: &[T]) -> [T; K] {
    std::array::from_fn(|k| values[k])
}

macro_rules! subjects {
    ($($reference:literal, |$($parameter:ident),*| $constructor:expr;)*) => {
        /// Every family with a distribution function.
        const SUBJECTS: &[Subject] = &[$(Subject {
            reference: $reference,
            at: |parameters| {
                let [$($parameter),*] = array::<f64, { [$(stringify!($parameter)),*].len() }>(parameters);
                Box::new($constructor)
            },
            log_tails: |parameters, x| {
                let [$($parameter),*] = array::<Real<Dual<4>>, { [$(stringify!($parameter)),*].len() }>(parameters);
                let law = $constructor;
                [law.log_cdf_at(Real::constant(x)), law.log_sf_at(Real::constant(x))]
            },
        }),*];
    };
}

subjects! {
    "Normal", |mean, sd| Normal::new(mean, sd);
    "LogNormal", |mu, sigma| LogNormal::new(mu, sigma);
    "HalfNormal", |scale| HalfNormal::new(scale);
    "Cauchy", |location, scale| Cauchy::new(location, scale);
    "HalfCauchy", |scale| HalfCauchy::new(scale);
    "StudentT", |nu, location, scale| StudentT::new(nu, location, scale);
    "Laplace", |location, scale| Laplace::new(location, scale);
    "Exponential", |rate| Exponential::new(rate);
    "Gamma", |shape, rate| Gamma::new(shape, rate);
    "InverseGamma", |shape, scale| InverseGamma::new(shape, scale);
    "Beta", |a, b| Beta::new(a, b);
    "Uniform", |low, high| Uniform::new(low, high);
    "Bernoulli", |p| Bernoulli::new(p);
    "BernoulliLogit", |logit| BernoulliLogit::new(logit);
    "Binomial", |n, p| Binomial::new(n, p);
    "BinomialLogit", |n, logit| BinomialLogit::new(n, logit);
    "Poisson", |rate| Poisson::new(rate);
    "PoissonLog", |log_rate| PoissonLog::new(log_rate);
    "NegativeBinomialMean", |mu, phi| NegativeBinomial::mean_dispersion(mu, phi);
    "NegativeBinomialCount", |r, p| NegativeBinomial::successes_probability(r, p);
    "Weibull", |shape, scale| Weibull::new(shape, scale);
    "Gumbel", |location, scale| Gumbel::new(location, scale);
    "Logistic", |location, scale| Logistic::new(location, scale);
    "Pareto", |scale, shape| Pareto::new(scale, shape);
    "ChiSquared", |nu| ChiSquared::new(nu);
    "HalfStudentT", |nu, scale| HalfStudentT::new(nu, scale);
    "Geometric", |p| Geometric::new(p);
    "SkewNormal", |location, scale, shape| SkewNormal::new(location, scale, shape);
    "VonMises", |mu, kappa| VonMises::new(mu, kappa);
    "BetaBinomial", |n, a, b| BetaBinomial::new(n, a, b);
    "Hypergeometric", |population, successes, draws| Hypergeometric::new(population, successes, draws);
}
