//! Whole-vector statements equal loops over scalars.

use crate::battery::Subject;
use bayes_autodiff::{Real, Value};
use bayes_model::dist::{Distribution, Exponential, NegativeBinomial, Poisson, Shape};

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-13 * a.abs().max(b.abs()).max(1.0)
}

pub fn vector_parameters_are_a_product_of_scalars(subject: &Subject) {
    let mut points = subject.points();
    points.retain(|point| point.log_density.is_finite());
    let columns: Vec<Vec<f64>> = (0..subject.names.len())
        .map(|k| points.iter().map(|p| p.parameters[k]).collect())
        .collect();
    let distribution = subject.vector(&columns);
    assert_eq!(distribution.shape(), Shape::Vector(points.len()));
    let wanted: f64 = points
        .iter()
        .map(|p| subject.log_density(p.x, &p.parameters))
        .sum();

    let mut x: Vec<f64> = points.iter().map(|p| p.x).collect();
    assert_eq!(distribution.check_data(&x), Ok(()));
    let got = distribution.log_likelihood(&x);
    assert!(close(got, wanted), "observed: {got}, wanted {wanted}");
    let got = distribution.log_density(&x);
    assert!(close(got, wanted), "sampled: {got}, wanted {wanted}");

    x.pop();
    assert!(
        distribution.check_data(&x).is_err(),
        "data must be as long as the parameters"
    );
}

pub fn scalar_parameters_are_shared_by_all_data(subject: &Subject) {
    for case in subject.cases() {
        let finite = case.points.iter().filter(|p| p.log_density.is_finite());
        let same: Vec<f64> = finite.map(|p| p.x).collect();
        let wanted: f64 = same
            .iter()
            .map(|x| subject.log_density(*x, &case.parameters))
            .sum();
        let distribution = subject.distribution(&case.parameters);
        let got = distribution.log_likelihood(&same);
        assert!(close(got, wanted), "observed: {got}, wanted {wanted}");
        let got = distribution.log_density(&same);
        assert!(close(got, wanted), "sampled: {got}, wanted {wanted}");
    }
}

/// Values that a model computes from its random values were never checked before sampling.
#[test]
fn a_computed_scalar_outside_the_support_has_density_zero() {
    let (seen, turn) = (-0.5, 2_i64);
    let mut total = Real::<Value>::default();
    Exponential::new(1.0).add_likelihood(&seen, &mut total);
    assert_eq!(total.primal(), f64::NEG_INFINITY);
    let mut total = Real::<Value>::default();
    Poisson::new(1.0).add_likelihood(&-turn, &mut total);
    assert_eq!(total.primal(), f64::NEG_INFINITY);
    let mut total = Real::<Value>::default();
    Poisson::new(1.0).add_likelihood(&turn, &mut total);
    assert!(close(total.primal(), -1.0 - 2.0_f64.ln()));
}

/// A rate that a model computes, such as `exp` of a large number, overflows.
#[test]
fn an_infinite_rate_of_counts_has_density_zero_and_nan_stays_nan() {
    let counts = [0_u64, 1, 2, 3, 5, 8, 13, 21, 34];
    let at = |rate: f64| {
        let rate = Real::<Value>::constant(rate);
        let mut totals = [Real::<Value>::default(); 4];
        Poisson::new(rate).add_likelihood(&counts, &mut totals[0]);
        Poisson::new(rate).add_likelihood(&counts[1], &mut totals[1]);
        NegativeBinomial::mean_dispersion(rate, 2.0).add_likelihood(&counts, &mut totals[2]);
        NegativeBinomial::mean_dispersion(rate, 2.0).add_likelihood(&counts[1], &mut totals[3]);
        totals.map(Real::primal)
    };
    assert_eq!(at(f64::INFINITY), [f64::NEG_INFINITY; 4]);
    assert!(at(f64::NAN).iter().all(|total| total.is_nan()));
    // certainly more than any limit
    let mut tail = Real::<Value>::default();
    let rate = Real::<Value>::constant(f64::INFINITY);
    Poisson::new(rate)
        .censored(0, 3)
        .add_likelihood(&3_u64, &mut tail);
    assert_eq!(tail.primal(), 0.0);
}
