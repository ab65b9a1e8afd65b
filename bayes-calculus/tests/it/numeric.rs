//! Integrals and roots against closed forms, in forward mode, and in lanes against forward mode.
//!
//! Meant to detect: a derivative that passes through the steps to a root, a last step too few, a weight of the wrong place, an error that
//! is not compared.

use crate::run::assert_agrees;
use bayes_autodiff::fault::{Fault, catch};
use bayes_autodiff::gradient::{Program, gradient, hessian};
use bayes_autodiff::{Mode, Real, Value};
use bayes_calculus::{integrate, solve};

/// A result, and its closed form: number `0` to `6`.
struct Closed(usize, bool);

impl Program for Closed {
    fn evaluate<M: Mode>(&self, x: &[Real<M>]) -> [Real<M>; 2] {
        let (a, b) = (x[0], x[1]);
        let root_2 = std::f64::consts::SQRT_2;
        let (found, want) = match self.0 {
            0 => (
                integrate(|t| a * (b * t).exp(), 0.0, b).value(),
                a * (b.square().exp() - 1.0) / b,
            ),
            1 => (
                integrate(|t| (-a * t).exp() * t, 0.0, f64::INFINITY).value(),
                1.0 / a.square(),
            ),
            2 => (
                integrate(
                    |t| (-0.5 * ((t - b) / a).square()).exp(),
                    f64::NEG_INFINITY,
                    f64::INFINITY,
                )
                .pieces(12)
                .value(),
                a * std::f64::consts::TAU.sqrt(),
            ),
            3 => (
                integrate(|t| (a * t).exp(), f64::NEG_INFINITY, b).value(),
                (a * b).exp() / a,
            ),
            // the limits exchanged
            4 => (
                integrate(|t| t.square(), b, 0.0 * a).value(),
                -b * b.square() / 3.0,
            ),
            5 => (
                solve(|t| t.square() - a * b.exp(), 0.0, 10.0).root(),
                (a * b.exp()).sqrt(),
            ),
            _ => (
                solve(|t| b - (t * a).tanh(), -10.0, 100.0).root() * root_2,
                b.atanh() / a * root_2,
            ),
        };
        let result = if self.1 { want } else { found };
        [result * 0.0, result]
    }
}

#[test]
fn integrals_and_roots_have_the_derivatives_of_their_closed_forms() {
    for number in 0..7 {
        for position in [[0.7, 0.4], [2.5, 0.9]] {
            let all = [false, true].map(|closed| {
                let program = Closed(number, closed);
                let (mut slopes, mut second) = ([f64::NAN; 2], [f64::NAN; 4]);
                let [_, value] = gradient(&program, &position, [1.0, 1.0], &mut slopes);
                hessian(&program, &position, [1.0, 1.0], &mut second);
                [&[value], &slopes[..], &second[..]].concat()
            });
            let size = all[1].iter().fold(0.0_f64, |size, x| size.max(x.abs()));
            for (found, want) in all[0].iter().zip(&all[1]) {
                let gap = (found - want).abs();
                assert!(gap <= 1e-8 * size, "{number}: {found}, {want}");
            }
            // values themselves are far more exact
            let gap = (all[0][0] - all[1][0]).abs();
            assert!(gap <= 1e-12 * all[1][0].abs(), "{number}: {gap:e}");
        }
    }
}

#[test]
fn integrals_and_roots_in_lanes_agree_with_forward_mode() {
    for number in 0..7 {
        let positions = [0.7, 0.4, 2.5, 0.9, 1.1, 0.2, 0.6, 0.85, 1.9, 0.3];
        assert_agrees(&Closed(number, false), &positions, 2);
    }
}

fn plain(x: f64) -> Real<Value> {
    Real::constant(x)
}

#[test]
fn an_integral_that_does_not_keep_its_tolerance_is_not_a_number() {
    let narrow = |sd: f64| {
        integrate(
            move |x: Real<Value>| (-0.5 * (x / sd).square()).exp(),
            -1.0,
            1.3,
        )
    };
    assert!(narrow(0.01).value().primal().is_nan());
    let finer = narrow(0.01).pieces(80).value().primal();
    assert!((finer - 0.01 * std::f64::consts::TAU.sqrt()).abs() < 1e-13);
    assert!(narrow(0.01).tolerance(10.0).value().primal().is_finite());
    // it has no integral
    assert!(
        integrate(|x: Real<Value>| 1.0 / x, 0.0, 1.0)
            .value()
            .primal()
            .is_nan()
    );
    // one that is 0 everywhere has
    assert_eq!(
        integrate(|x: Real<Value>| x * 0.0, 0.0, 1.0)
            .value()
            .primal(),
        0.0
    );
}

#[test]
fn a_root_that_does_not_keep_its_tolerance_is_not_a_number() {
    // no sign changes
    assert!(
        solve(|x: Real<Value>| x.square() + 1.0, -1.0, 2.0)
            .root()
            .primal()
            .is_nan()
    );
    assert!(
        solve(|x: Real<Value>| x.square() - 1.0, -3.0, 2.0)
            .root()
            .primal()
            .is_nan()
    );
    // a pole is no root
    assert!(
        solve(|x: Real<Value>| 1.0 / x, -1.0, 2.0)
            .root()
            .primal()
            .is_nan()
    );
    // a root with slope 0 has no derivatives
    assert!(
        solve(|x: Real<Value>| x * x.square(), -1.0, 2.0)
            .root()
            .primal()
            .is_nan()
    );
    let far = |steps| {
        solve(|x: Real<Value>| x - 1e-3, -1e6, 2e6)
            .steps(steps)
            .root()
    };
    assert!((far(12).primal() - 1e-3).abs() < 1e-12);
    let bent = |steps| solve(|x: Real<Value>| (x - 300.0).exp() - 1e-100, -1e3, 2e3).steps(steps);
    let root = 300.0 - 100.0 * 10.0_f64.ln();
    assert!((bent(30).root().primal() - root).abs() < 1e-9);
    assert!(bent(1).root().primal().is_nan());
}

#[test]
fn settings_that_are_not_allowed_stop_the_model() {
    let wrong = catch(|| integrate(|x| x, plain(0.0), 1.0).pieces(0).value()).unwrap_err();
    let text = "integrate: argument `pieces` is 0.0, must be above 0";
    assert_eq!(wrong.reason(), text);
    let wrong = catch(|| {
        solve(|x: Real<Value>| x, plain(-1.0), 1.0)
            .tolerance(f64::NAN)
            .root()
    });
    assert!(matches!(
        wrong,
        Err(Fault::Argument {
            argument: "tolerance",
            ..
        })
    ));
}
