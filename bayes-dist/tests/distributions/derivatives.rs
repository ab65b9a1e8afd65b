//! Gradients and Hessians by duals against differences, at every point of the references: ordinary and extreme ones.

use crate::battery::{N, Subject};
use crate::reference::Point;
use bayes_autodiff::{Dual, Dual2, Real};
use bayes_model::transform::Support;

/// Whether coordinate `k` of `(x, parameters)` is a continuous variable, so that there is a derivative.
fn is_smooth(subject: &Subject, k: usize) -> bool {
    if k == 0 {
        !subject.is_discrete()
    } else {
        !subject.parameters()[k - 1].allowed.is_whole()
    }
}

/// Value and gradient in `(x, parameters)` by forward duals.
fn gradient(subject: &Subject, at: &[f64]) -> (f64, [f64; N]) {
    let variable = |k: usize| {
        if is_smooth(subject, k) {
            Dual::variable(at[k], k)
        } else {
            Real::<Dual<N>>::constant(at[k])
        }
    };
    let all: Vec<_> = (0..at.len()).map(variable).collect();
    let value = subject.first(all[0], &all[1..]);
    (value.primal(), Dual::gradient(value))
}

fn hessian(subject: &Subject, at: &[f64]) -> [[f64; N]; N] {
    let variable = |k: usize| {
        if is_smooth(subject, k) {
            Dual2::variable(at[k], k)
        } else {
            Real::<Dual2<N>>::constant(at[k])
        }
    };
    let all: Vec<_> = (0..at.len()).map(variable).collect();
    Dual2::hessian(subject.second(all[0], &all[1..]))
}

/// The points of the file with finite density and a derivative, as `[x, parameters...]`.
fn finite_points(subject: &Subject) -> Vec<Vec<f64>> {
    let kink = subject.references.kink;
    let has_kink = |p: &Point| kink.is_some_and(|k| (p.x - p.parameters[k]).abs() < 1e-6);
    let finite = subject
        .points()
        .into_iter()
        .filter(|p| p.log_density.is_finite() && !has_kink(p));
    finite.map(|p| [vec![p.x], p.parameters].concat()).collect()
}

/// Whether some central difference of `f` in coordinate `k` agrees with `slope`; `None` if no difference can be
/// formed.
///
/// Steps go from coarse to fine: coarse steps suffer from curvature, fine ones from rounding, whose bound is part
/// of the tolerance. A wrong slope agrees with none of them.
fn agrees(f: impl Fn(&[f64]) -> f64, at: &[f64], k: usize, slope: f64, floor: f64) -> Option<bool> {
    let mut formed = false;
    for step in [1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
        let h = step * if at[k] == 0.0 { 1.0 } else { at[k].abs() };
        let (mut left, mut right) = (at.to_vec(), at.to_vec());
        left[k] -= h;
        right[k] += h;
        let (low, high) = (f(&left), f(&right));
        if !low.is_finite() || !high.is_finite() {
            continue;
        }
        formed = true;
        let difference = (high - low) / (right[k] - left[k]);
        let rounding = 4.0 * f64::EPSILON * low.abs().max(high.abs()).max(1.0) / h;
        if (difference - slope).abs() <= 2e-6 * slope.abs() + rounding + floor {
            return Some(true);
        }
    }
    formed.then_some(false)
}

pub fn gradient_agrees(subject: &Subject) {
    let mut compared = 0;
    for at in finite_points(subject) {
        let (value, slopes) = gradient(subject, &at);
        assert_eq!(
            value,
            subject.log_density(at[0], &at[1..]),
            "the dual has the value's own bits"
        );
        for k in (0..at.len()).filter(|k| is_smooth(subject, *k)) {
            let f = |z: &[f64]| subject.log_density(z[0], &z[1..]);
            let agreement = agrees(f, &at, k, slopes[k], 0.0);
            assert_ne!(
                agreement,
                Some(false),
                "slope {k} at {at:?} is {}",
                slopes[k]
            );
            compared += usize::from(agreement.is_some());
        }
    }
    let any = (0..=subject.names.len()).any(|k| is_smooth(subject, k));
    assert!(compared > 0 || !any, "no slope could be compared");
}

/// The log density of the unconstrained coordinate and its gradient in `(u, parameters)`, which HMC follows.
fn coordinate_gradient(subject: &Subject, at: &[f64]) -> (f64, [f64; N]) {
    let all: Vec<_> = (0..at.len())
        .map(|k| Dual::<N>::variable(at[k], k))
        .collect();
    let value = subject.coordinate(all[0], &all[1..]);
    (value.primal(), Dual::gradient(value))
}

/// In coordinates the density is finite and smooth as far as a sampler gets, and never NaN or a pole beyond.
pub fn coordinates_are_safe(subject: &Subject) {
    if subject.is_discrete() {
        return;
    }
    for case in subject.cases() {
        let parameters = case.parameters.as_slice();
        let place = |u: f64| [&[u], parameters].concat();
        for u in [-800.0, -100.0, -40.0, 40.0, 100.0, 800.0] {
            let (value, _) = coordinate_gradient(subject, &place(u));
            let pole = value == f64::INFINITY && !case.out_of_reach;
            assert!(
                !value.is_nan() && (!pole || u == -800.0),
                "{value} at {u}, {parameters:?}"
            );
        }
        // off the kink of a Laplace density
        for u in [-29.5, -10.5, -0.5, 0.25, 9.5, 29.5] {
            let at = place(u);
            let (value, slopes) = coordinate_gradient(subject, &at);
            if value == f64::NEG_INFINITY {
                continue;
            }
            assert!(value.is_finite(), "{value} at {at:?}");
            let support = subject.support(parameters);
            if u > 20.0 && matches!(support, Support::Unit | Support::Interval(..)) {
                // this close to the upper bound the distance to it has lost its digits, and differences are noise
                continue;
            }
            for (k, slope) in slopes.iter().enumerate().take(at.len()) {
                let f = |z: &[f64]| coordinate_gradient(subject, z).0;
                let agreement = agrees(f, &at, k, *slope, 0.0);
                assert_ne!(agreement, Some(false), "slope {k} at {at:?} is {slope}");
            }
        }
    }
}

pub fn hessian_agrees(subject: &Subject) {
    let mut compared = 0;
    // Beyond these bounds x⁻² itself is not an ordinary double; at the support's edge nothing is differentiable.
    let bounded = |at: &Vec<f64>| at[0] == 0.0 || (1e-100..1e100).contains(&at[0].abs());
    let is_inner = |at: &Vec<f64>| {
        let beside = |x: f64| subject.log_density(x, &at[1..]).is_finite();
        subject.is_discrete() || beside(at[0].next_down()) && beside(at[0].next_up())
    };
    for at in finite_points(subject)
        .into_iter()
        .filter(bounded)
        .filter(is_inner)
    {
        let second = hessian(subject, &at);
        for i in (0..at.len()).filter(|k| is_smooth(subject, *k)) {
            for k in (0..at.len()).filter(|k| is_smooth(subject, *k)) {
                let slope_i = |z: &[f64]| {
                    let (value, slopes) = gradient(subject, z);
                    if value.is_finite() {
                        slopes[i]
                    } else {
                        f64::NAN
                    }
                };
                // The tolerance is a change of the slope by 1e-6 when both coordinates double. A smaller change is
                // below the rounding of the slope itself if large terms cancel in it (a negative binomial of
                // dispersion 1e8).
                let size = |k: usize| if at[k] == 0.0 { 1.0 } else { at[k].abs() };
                let agreement = agrees(slope_i, &at, k, second[i][k], 1e-6 / (size(i) * size(k)));
                assert_ne!(
                    agreement,
                    Some(false),
                    "entry ({i}, {k}) at {at:?} is {}",
                    second[i][k]
                );
                compared += usize::from(agreement.is_some());
            }
        }
    }
    let any = (0..=subject.names.len()).any(|k| is_smooth(subject, k));
    assert!(
        compared > 0 || !any,
        "no second derivative could be compared"
    );
}
