//! Whole-vector statements say the same as loops over scalars.

use crate::battery::{Numbers, Subject};
use crate::reference::points;
use bayes_autodiff::{Part, Real, Value, Vector};
use bayes_core::dist::{Distribution, Exponential, Poisson, Shape, Total};

fn close(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-13 * a.abs().max(b.abs()).max(1.0)
}

pub fn vector_parameters_are_a_product_of_scalars<S: Subject<K>, const K: usize>() {
    let points: Vec<_> = points::<S, K>()
        .into_iter()
        .filter(|p| p.log_density.is_finite())
        .collect();
    let columns: [Vector<Value>; K] = std::array::from_fn(|k| {
        points
            .iter()
            .map(|p| Real::constant(p.parameters[k]))
            .collect()
    });
    let distribution = S::vector(&columns);
    assert_eq!(distribution.shape(), Shape::Vector(points.len()));
    let wanted: f64 = points
        .iter()
        .map(|p| S::log_density(p.x, p.parameters))
        .sum();

    let data = Numbers(points.iter().map(|p| p.x).collect());
    assert_eq!(distribution.check_data(&data), Ok(()));
    let got = distribution.log_likelihood(&data).primal();
    assert!(close(got, wanted), "observed: {got}, wanted {wanted}");
    let x: Vector<Value> = points.iter().map(|p| Real::constant(p.x)).collect();
    let got = distribution.log_density_at(&x).primal();
    assert!(close(got, wanted), "sampled: {got}, wanted {wanted}");

    let mut short = data;
    short.0.pop();
    assert!(
        distribution.check_data(&short).is_err(),
        "data must be as long as the parameters"
    );
}

pub fn scalar_parameters_are_shared_by_all_data<S: Subject<K>, const K: usize>() {
    for point in points::<S, K>() {
        let parameters = point.parameters.map(Real::<Value>::constant);
        let same: Vec<f64> = points::<S, K>()
            .iter()
            .filter(|p| p.parameters == point.parameters && p.log_density.is_finite())
            .map(|p| p.x)
            .collect();
        let wanted: f64 = same
            .iter()
            .map(|x| S::log_density(*x, point.parameters))
            .sum();
        let got = S::scalar(parameters)
            .log_likelihood(&Numbers(same.clone()))
            .primal();
        assert!(close(got, wanted), "observed: {got}, wanted {wanted}");
        let x = Vector::<Value>::constant(&same);
        let got = S::scalar(parameters)
            .log_density_of(Vector::elements(&x))
            .primal();
        assert!(close(got, wanted), "sampled: {got}, wanted {wanted}");
    }
}

/// What a model makes of its random values at every evaluation was never checked before sampling.
#[test]
fn a_computed_scalar_outside_the_support_has_density_zero() {
    let (seen, turn) = (-0.5, 2_i64);
    let mut total = Total::<Value>::new(Part::Likelihood);
    Exponential::new(1.0).add_likelihood(&seen, &mut total);
    assert_eq!(total.sum.primal(), f64::NEG_INFINITY);
    let mut total = Total::<Value>::new(Part::Likelihood);
    Poisson::new(1.0).add_likelihood(&-turn, &mut total);
    assert_eq!(total.sum.primal(), f64::NEG_INFINITY);
    let mut total = Total::<Value>::new(Part::Likelihood);
    Poisson::new(1.0).add_likelihood(&turn, &mut total);
    assert!(close(total.sum.primal(), -1.0 - 2.0_f64.ln()));
}
