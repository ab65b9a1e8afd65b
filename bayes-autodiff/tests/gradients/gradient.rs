//! Gradients and Hessians of a whole program, against each other and against differences.

use bayes_autodiff::gradient::{Program, gradient, hessian, value};
use bayes_autodiff::{Mode, Real, Vector, log_sum_exp};

/// A program with every kind of operation, for any dimension.
struct Everything;

impl Program for Everything {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let v = Vector::from(x);
        let prior = -0.5 * v.norm_squared() + log_sum_exp(x) * x[0].sin();
        let mut likelihood = Real::constant(0.0);
        for (k, a) in x.iter().enumerate() {
            let b = x[(k + 1) % x.len()];
            likelihood += (a * b).logistic() / (1.0 + b.square()) - (a.exp() + 1.0).ln_gamma();
            likelihood -= a.exp().ln_beta(b.exp()) * 0.1;
            likelihood += (a - b).ln_norm_cdf() * (2.0 - a).max(b) + (1.0 + a.square()).pow(b);
        }
        [prior, likelihood]
    }
}

fn position(dim: usize) -> Vec<f64> {
    (0..dim).map(|i| (1.7 * i as f64 + 0.3).sin()).collect()
}

/// `(f(x + h) - f(x - h)) / 2h` with one Richardson step: error of order h⁴.
fn difference(f: impl Fn(f64) -> f64, h: f64) -> f64 {
    let central = |h: f64| (f(h) - f(-h)) / (2.0 * h);
    (4.0 * central(h / 2.0) - central(h)) / 3.0
}

#[test]
fn gradient_agrees_with_differences_for_every_chunking() {
    for dim in [1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 19, 33] {
        let x = position(dim);
        let weights = [0.7, 0.4];
        let mut slopes = vec![f64::NAN; dim];
        let values = gradient(&Everything, &x, weights, &mut slopes);
        assert_eq!(values, value(&Everything, &x), "dim {dim}");
        for i in 0..dim {
            let along = |h: f64| {
                let mut moved = x.clone();
                moved[i] += h;
                let [a, b] = value(&Everything, &moved);
                weights[0] * a + weights[1] * b
            };
            let expected = difference(along, 1e-3);
            assert!(
                (slopes[i] - expected).abs() < 1e-8 * (1.0 + expected.abs()),
                "dim {dim}, {i}: {} {expected}",
                slopes[i]
            );
        }
    }
}

#[test]
fn hessian_agrees_with_differences_of_the_gradient() {
    for dim in [1, 2, 3, 4, 7, 8, 9, 13] {
        let x = position(dim);
        let weights = [1.3, 0.6];
        let mut second = vec![f64::NAN; dim * dim];
        let values = hessian(&Everything, &x, weights, &mut second);
        let exact = value(&Everything, &x);
        assert!((values[0] - exact[0]).abs() + (values[1] - exact[1]).abs() < 1e-12);
        for i in 0..dim {
            for k in 0..dim {
                let along = |h: f64| {
                    let (mut moved, mut slopes) = (x.clone(), vec![0.0; dim]);
                    moved[k] += h;
                    gradient(&Everything, &moved, weights, &mut slopes);
                    slopes[i]
                };
                let (got, expected) = (second[i * dim + k], difference(along, 1e-3));
                assert!(
                    (got - expected).abs() < 1e-8 * (1.0 + expected.abs()),
                    "dim {dim}, ({i}, {k}): {got} {expected}"
                );
            }
        }
    }
}

/// A log prior of minus infinity slope, and a well-behaved likelihood.
struct Edge;

impl Program for Edge {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        [x[0].ln(), x[0] * 3.0]
    }
}

#[test]
fn a_term_of_weight_zero_is_left_out() {
    let mut slope = [f64::NAN];
    let values = gradient(&Edge, &[0.0], [0.0, 2.0], &mut slope);
    assert_eq!((values, slope), ([f64::NEG_INFINITY, 0.0], [6.0]));
    hessian(&Edge, &[0.0], [0.0, 2.0], &mut slope);
    assert_eq!(slope, [0.0]);
}

#[test]
fn no_parameters_give_the_values() {
    struct Constant;
    impl Program for Constant {
        fn evaluate<M: Mode>(&self, _: &[Real<M>]) -> [Real<M>; 2] {
            [Real::constant(1.0), Real::constant(2.0)]
        }
    }
    assert_eq!(gradient(&Constant, &[], [1.0, 1.0], &mut []), [1.0, 2.0]);
    assert_eq!(hessian(&Constant, &[], [1.0, 1.0], &mut []), [1.0, 2.0]);
}
