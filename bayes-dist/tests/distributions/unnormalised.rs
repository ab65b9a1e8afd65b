//! Priors that are not normalised: `.within(low, high)`, and elements in order with a prior for each.

use crate::reference::agrees;
use crate::vectors::{assert_gradient, compare};
use bayes_autodiff::fault::catch;
use bayes_autodiff::{Dual, Real, Value, Vector};
use bayes_model::dist::*;

fn normal(x: f64, mean: f64, sd: f64) -> f64 {
    -0.5 * ((x - mean) / sd).powi(2) - sd.ln() - 0.5 * std::f64::consts::TAU.ln()
}

fn at<D: Distribution<Value>>(distribution: &D, x: &[f64]) -> f64 {
    let x: Vec<Real<Value>> = x.iter().map(|x| Real::constant(*x)).collect();
    distribution.log_density_of(&x).primal()
}

/// The mutations that it detects: the mass between the bounds divides the density, a bound of another element.
#[test]
fn a_density_within_bounds_is_that_of_the_family() {
    let positive = Normal::new(-1.0, 2.0).within(0.0, f64::INFINITY);
    compare(positive, &[0.7], normal(0.7, -1.0, 2.0));
    assert_eq!(at(&positive, &[-0.1]), f64::NEG_INFINITY);
    let three = positive.iid(3);
    let wanted = [0.1, 2.0, 0.4].map(|x| normal(x, -1.0, 2.0)).iter().sum();
    compare(three, &[0.1, 2.0, 0.4], wanted);
    assert!(!Distribution::<Value>::is_proper(&three));
    let low = [0.0, 1.0];
    let each = || Normal::new(&[0.5, 1.5], 1.0).within(&low, 2.0);
    let wanted = normal(0.2, 0.5, 1.0) + normal(1.9, 1.5, 1.0);
    compare(each(), &[0.2, 1.9], wanted);
    assert_eq!(at(&each(), &[0.2, 0.9]), f64::NEG_INFINITY);
    assert_eq!(at(&each(), &[2.1, 1.9]), f64::NEG_INFINITY);
    let value = Distribution::<Value>::unconstrain(&each(), &[0.2, 1.9]);
    let value: Vec<Real<Value>> = value.into_iter().map(Real::constant).collect();
    let back: Vector<Value> = each().constrain(&value).0;
    assert!((back[0].primal() - 0.2).abs() < 1e-14 && (back[1].primal() - 1.9).abs() < 1e-14);
}

/// The mutations that it detects: a factorial as for copies, values out of order, the Jacobian of the order left out.
#[test]
fn elements_in_order_keep_their_own_priors() {
    let ordered = || Normal::new(&[3.0, 10.0, 4.0], &[1.0, 2.0, 1.5]).ordered();
    let x = [2.0, 5.0, 5.5];
    let wanted = normal(2.0, 3.0, 1.0) + normal(5.0, 10.0, 2.0) + normal(5.5, 4.0, 1.5);
    compare(ordered(), &x, wanted);
    assert_eq!(at(&ordered(), &[2.0, 5.6, 5.5]), f64::NEG_INFINITY);
    assert!(!Distribution::<Value>::is_proper(&ordered()));
    let u = Distribution::<Value>::unconstrain(&ordered(), &x);
    let u: Vec<Real<Value>> = u.into_iter().map(Real::constant).collect();
    let mut total = Real::constant(0.0);
    let back: Vector<Value> = ordered().add_sample(&u, true, &mut total);
    let jacobian = 3.0_f64.ln() + 0.5_f64.ln();
    assert!(
        agrees(total.primal(), wanted + jacobian),
        "{}",
        total.primal()
    );
    for (back, x) in back.iter().zip(x) {
        assert!((back.primal() - x).abs() < 1e-14);
    }
    let refused = catch(|| Gamma::new(&[1.0, 2.0], 1.0).ordered().constrain(&u[..2]).1);
    let text = refused.expect_err("it is bounded").to_string();
    assert!(
        text.contains(
            "`the distribution of an element` is Gamma, must be a family on the whole line"
        ),
        "{text}"
    );
}

#[test]
fn gradients_agree_with_differences() {
    let density = |v: &[Real<Dual<4>>; 4]| {
        let mut total = Real::constant(0.0);
        let within = Normal::new(v[3], v[2].exp()).within(v[3] - 1.0, f64::INFINITY);
        let x = within.add_sample(&v[..1], true, &mut total);
        let means = Vector::from(vec![v[3], x]);
        let ordered = Normal::new(means, v[2].exp()).ordered();
        let z: Vector<Dual<4>> = ordered.add_sample(&v[1..3], true, &mut total);
        total + (x * 0.3 + z[1]).sin()
    };
    assert_gradient(density, [0.3, -0.4, 0.2, -0.3]);
}
