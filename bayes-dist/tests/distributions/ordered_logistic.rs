//! The ordered logistic distribution: references, draws, derivatives, vectors of observations, errors.

use crate::reference::number;
use crate::vector_errors::{data_error, parameter_error};
use crate::vectors::{assert_expectations, assert_gradient, compare, for_each_point, list};
use bayes_autodiff::{Dual, Real, Value, Vector};
use bayes_model::dist::*;

#[test]
fn ordered_logistic_agrees_with_the_reference() {
    for_each_point("ordered_logistic", |p, x, wanted| {
        let (eta, cutpoints) = (number(&p["eta"]), list(&p["cutpoints"]));
        compare(OrderedLogistic::new(eta, &cutpoints), &[number(x)], wanted);
        let random = Vector::<Value>::constant(&cutpoints);
        let eta = Real::<Value>::constant(eta);
        compare(OrderedLogistic::new(eta, &random), &[number(x)], wanted);
    });
}

#[test]
fn a_vector_of_observations_is_a_product() {
    let (eta, cutpoints) = ([0.3, -40.0, 0.3], [-1.0, 0.5, 2.0]);
    let data = [2.0, 3.0, 0.0];
    let one = |i: usize| {
        let distribution = OrderedLogistic::new(eta[i], cutpoints);
        Distribution::<Value>::log_likelihood(&distribution, &[data[i] as usize]).primal()
    };
    let wanted = one(0) + one(1) + one(2);
    compare(OrderedLogistic::new(eta, cutpoints), &data, wanted);
    compare(
        OrderedLogistic::new(0.3, cutpoints).iid(2),
        &[2.0, 0.0],
        one(0) + one(2),
    );
}

#[test]
fn draws_fall_into_the_intervals() {
    let frequencies = |x: &[f64]| (0..4).map(|k| f64::from(x[0] == f64::from(k))).collect();
    let cutpoints = [-1.0, 0.5, 2.0];
    let mass = |k: usize| {
        let distribution = OrderedLogistic::new(0.3, cutpoints);
        Distribution::<Value>::log_likelihood(&distribution, &[k])
            .primal()
            .exp()
    };
    let wanted: Vec<f64> = (0..4).map(mass).collect();
    assert!((wanted.iter().sum::<f64>() - 1.0).abs() < 1e-14);
    assert_expectations(OrderedLogistic::new(0.3, cutpoints), frequencies, &wanted);
}

#[test]
fn gradients_agree_with_differences() {
    type D = Dual<6>;
    let likelihood = |v: &[Real<D>; 6]| {
        let cutpoints = Vector::from(vec![
            v[2],
            v[2] + v[3].exp(),
            v[2] + v[3].exp() + v[4].exp(),
        ]);
        let eta = Vector::from(vec![v[0], v[1], v[0] * v[5], v[1] - v[5]]);
        OrderedLogistic::new(eta, &cutpoints).log_likelihood(&[0_usize, 1, 2, 3])
            + OrderedLogistic::new(v[5], &cutpoints).log_density_at(&Real::constant(2.0))
    };
    assert_gradient(likelihood, [0.3, -1.2, -0.6, 0.1, -2.0, 0.4]);
    assert_gradient(likelihood, [9.0, -30.0, 0.6, -7.0, 1.0, 14.0]);
}

#[test]
fn wrong_parameters_and_data_are_named() {
    let cases = [
        (
            parameter_error(OrderedLogistic::new(f64::NAN, [0.0])),
            "OrderedLogistic: parameter `eta` is NaN, must be a finite number",
        ),
        (
            parameter_error(OrderedLogistic::new([0.0, f64::INFINITY], [0.0])),
            "OrderedLogistic: parameter `eta` at index 1 is inf, must be a finite number",
        ),
        (
            parameter_error(OrderedLogistic::new(0.0, [0.0, 1.0, 1.0])),
            "OrderedLogistic: parameter `cutpoints` at index 2 is 1, must be above the one before it",
        ),
        (
            parameter_error(OrderedLogistic::new(0.0, [f64::NAN])),
            "OrderedLogistic: parameter `cutpoints` at index 0 is NaN, must be a finite number",
        ),
        (
            parameter_error(OrderedLogistic::new(0.0, Vec::<f64>::new())),
            "OrderedLogistic: parameter `cutpoints` has length 0, must be at least 1",
        ),
        (
            data_error(OrderedLogistic::new(0.0, [0.0, 1.0]), &[0.0, 3.0]),
            "OrderedLogistic: observation at index 1 is 3, must be a whole number from 0 to 2",
        ),
        (
            data_error(OrderedLogistic::new([0.0; 3], [0.0, 1.0]), &[0.0, 1.0]),
            "OrderedLogistic: got 2 observations, must be 3, the length of `eta`",
        ),
    ];
    for (got, wanted) in cases {
        assert_eq!(got, wanted);
    }
}
