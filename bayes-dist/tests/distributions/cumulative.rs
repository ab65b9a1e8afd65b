//! Checks distribution functions against 50-digit references, their gradients against differences, and quantiles
//! against the functions.

use crate::battery::{First, WithTails};
use crate::reference::Point;
use bayes_autodiff::{Dual, Real, Value};
use bayes_model::dist::*;

/// A family's functions at plain parameters.
pub trait Probabilities {
    fn cdf(&self, x: f64) -> f64;
    fn sf(&self, x: f64) -> f64;
    fn log_cdf(&self, x: f64) -> f64;
    fn log_sf(&self, x: f64) -> f64;
    fn quantile(&self, p: f64) -> f64;
    fn is_discrete(&self) -> bool;
    fn is_valid(&self) -> bool;
}

impl<F, P, const K: usize> Probabilities for Univariate<F, P, K>
where
    F: Cumulative<K>,
    P: Parameters<Value, K, Form = ScalarForm>,
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
}

/// Tolerance: relative 1e-12; 1e-10 for the logs of tails beyond 1e-20.
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

pub fn tails_agree(subject: &WithTails) {
    let mut failures = Vec::new();
    for point in subject.subject.points() {
        let distribution = subject.tails.at(&point.parameters);
        let got = [
            distribution.cdf(point.x),
            distribution.sf(point.x),
            distribution.log_cdf(point.x),
            distribution.log_sf(point.x),
        ];
        let Some(wanted) = point.tails else {
            assert!((got[0] + got[1] - 1.0).abs() < 1e-14, "{point:?}");
            continue;
        };
        for (k, name) in ["cdf", "sf", "log_cdf", "log_sf"].into_iter().enumerate() {
            check(name, got[k], wanted[k], &point, &mut failures);
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

pub fn beyond_the_support_is_all_or_nothing(subject: &WithTails) {
    for case in subject.subject.cases() {
        let distribution = subject.tails.at(&case.parameters);
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        assert_eq!([distribution.cdf(low), distribution.sf(low)], [0.0, 1.0]);
        assert_eq!([distribution.cdf(high), distribution.sf(high)], [1.0, 0.0]);
        assert_eq!(
            [distribution.log_cdf(low), distribution.log_sf(high)],
            [low; 2]
        );
        assert!(distribution.cdf(f64::NAN).is_nan() && distribution.sf(f64::NAN).is_nan());
        let [first, last] = [distribution.quantile(0.0), distribution.quantile(1.0)];
        assert!(distribution.cdf(first.next_down()) == 0.0 && distribution.cdf(last) == 1.0);
        if distribution.is_discrete() {
            assert_eq!(distribution.cdf(2.0), distribution.cdf(2.9));
        }
    }
    let distribution = subject
        .tails
        .at(&vec![f64::NAN; subject.subject.names.len()]);
    assert!(distribution.cdf(0.5).is_nan() && distribution.quantile(0.5).is_nan());
}

/// The error of the quantile at `p`, if any.
fn round_trip(distribution: &dyn Probabilities, parameters: &[f64], p: f64) -> Option<String> {
    let x = distribution.quantile(p);
    let back = distribution.cdf(x);
    let place = format!("{parameters:?}: quantile({p:e}) = {x:e}");
    // from 2⁵³ on neighbouring doubles are more than one apart
    if distribution.is_discrete() && x > 9e15 {
        let reached = back >= p * (1.0 - 1e-13) && distribution.cdf(0.99 * x) < p;
        return (!reached).then_some(place);
    }
    if distribution.is_discrete() {
        let enough = back >= p * (1.0 - 1e-13);
        let least = x == distribution.quantile(0.0) || distribution.cdf(x - 1.0) < p;
        // for quantiles, neighbours within 64 roundings are equal
        let apart = back < 1.0 && back - distribution.cdf(x - 1.0) > 65.0 * f64::EPSILON;
        let again = distribution.quantile(back);
        return if !enough || !least {
            Some(place)
        } else if apart && again != x {
            Some(format!("{place}, and back {again}"))
        } else {
            None
        };
    }
    // the probability lies between the probabilities of numbers a few roundings away, up to its own rounding
    let step = |next: fn(f64) -> f64| distribution.cdf((0..8).fold(x, |x, _| next(x)));
    let bound = 1e-12 * p.min(1.0 - p).max(1e-300) + 2.0 * f64::EPSILON * p;
    let close = step(f64::next_down) - p <= bound && p - step(f64::next_up) <= bound;
    let outside = x.abs() < 1e-300 || x.is_infinite();
    (!outside && !close).then(|| format!("{place}, back {back:e}"))
}

/// Parameters of moderate size: rounding of `ln x` alone moves a log-normal probability by `ε |ln x| / σ` standard
/// deviations.
pub fn quantiles_at_random_parameters_lead_back(subject: &WithTails) {
    let mut failures = Vec::new();
    let mut valid = 0;
    for parameters in crate::properties::parameters(&subject.subject.allowed(), 1.5, 100) {
        let distribution = subject.tails.at(&parameters);
        if !distribution.is_valid() {
            continue;
        }
        valid += 1;
        for p in [1e-50, 1e-12, 0.003, 0.4, 0.5, 0.77, 1.0 - 1e-6] {
            failures.extend(round_trip(&*distribution, &parameters, p));
        }
    }
    assert!(valid >= 25, "only {valid} parameters were valid");
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

pub fn quantiles_invert_the_distribution_function(subject: &WithTails) {
    let mut failures = Vec::new();
    for case in subject.subject.cases() {
        let distribution = subject.tails.at(&case.parameters);
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
            failures.extend(round_trip(&*distribution, &case.parameters, p));
        }
        for p in [-1e-9, 1.0 + 1e-9, f64::NAN] {
            assert!(distribution.quantile(p).is_nan());
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

pub fn gradients_agree(subject: &WithTails) {
    let mut failures = Vec::new();
    let mut compared = 0;
    let allowed = subject.subject.allowed();
    let is_smooth = |k: &usize| !allowed[*k].is_whole();
    for point in subject.subject.points() {
        let count = point.parameters.len();
        let variables: Vec<First> = (0..count)
            .map(|k| Dual::variable(point.parameters[k], k))
            .collect();
        let tails = subject.tails.log_tails(Real::constant(point.x), &variables);
        let distribution = subject.tails.at(&point.parameters);
        assert_eq!(
            tails.map(Real::primal),
            [distribution.log_cdf(point.x), distribution.log_sf(point.x)]
        );
        for (side, tail) in tails.into_iter().enumerate() {
            // at the ends of the support there are no two-sided differences
            let is_end = tail.primal() == 0.0 || tail.primal().is_infinite();
            let last = if is_end { 0 } else { count };
            for k in (0..last).filter(is_smooth) {
                let f = |value: f64| {
                    let mut parameters = point.parameters.clone();
                    parameters[k] = value;
                    let distribution = subject.tails.at(&parameters);
                    [distribution.log_cdf(point.x), distribution.log_sf(point.x)][side]
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
                        "tail {side} at {}, {:?}: slope {k} is {slope:e}, by differences {difference:e}",
                        point.x, point.parameters
                    ));
                }
                compared += 1;
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let any = (0..allowed.len()).any(|k| is_smooth(&k));
    assert!(compared > 0 || !any, "no slope could be compared");
}
