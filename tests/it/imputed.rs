//! Models with imputed values and intrinsic walks: gradients by every mode and instruction set.

use crate::battery::{agree, numbers};
use bayes::prelude::*;

/// Gaps in a predictor that later statements use, in one with a parameter for each value, and bounds.
#[model]
fn imputed(x: &[f64], z: &[f64], w: &[Option<f64>], y: &[f64]) {
    let mu = sample(Normal::new(0.0, 1.0));
    let tau = sample(HalfNormal::new(1.0));
    let x = impute(x, Normal::new(mu, tau));
    let z = impute(z, Gamma::new(2.0, (0.1 * &x).exp()));
    let w = impute(w, Normal::new(&z, tau).truncated(0.0, 4.0));
    let beta = sample(Normal::new(0.0, 1.0).iid(3));
    observe(
        y,
        Normal::new(beta[0] * &x + beta[1] * &z + beta[2] * &w, 0.5),
    );
}

/// Mutation meant to be detected: an operation that the trace and forward mode compute differently.
#[test]
fn gradients_of_imputed_values_agree_in_every_mode() {
    let n = 40;
    let y = numbers(n);
    let gaps = |every: usize| -> Vec<f64> {
        let all = y.iter().enumerate();
        all.map(|(i, y)| if i % every == 1 { f64::NAN } else { *y })
            .collect()
    };
    let w: Vec<Option<f64>> = gaps(5)
        .iter()
        .map(|w| (!w.is_nan()).then_some(*w))
        .collect();
    agree(&imputed(&gaps(7), &gaps(4), &w, &y));
    agree(&imputed(&y, &gaps(4), &w, &y));
}

/// Both coordinates of a walk, copies, and data on its plane.
#[model]
fn walks(y: &[f64]) {
    let sd = sample(HalfNormal::new(1.0));
    let u = sample(IntrinsicRandomWalk::new(2, sd, 5));
    let v = sample(IntrinsicRandomWalk::new(1, sd, 5).non_centred());
    let w = sample(IntrinsicRandomWalk::new(3, 1.0 + sd, 5).iid(2));
    observe(y, IntrinsicRandomWalk::new(2, sd, 5));
    observe(y, Normal::new(&u + &v + Vector::from(w.row(1)), 1.0));
}

/// Mutation meant to be detected: an operation that the trace and forward mode compute differently.
#[test]
fn gradients_of_walks_agree_in_every_mode() {
    agree(&walks(&[2.0, -1.0, -2.0, -1.0, 2.0]));
}

#[model]
fn smooth(place: &[f64], y: &[f64]) {
    let line = sample(Normal::new(0.0, 3.0).iid(2));
    let u = sample(IntrinsicRandomWalk::new(2, 0.5, 4));
    observe(y, Normal::new(line[0] + line[1] * place + &u, 0.7));
}

/// The evidence of data that are normal with a known covariance. The mutation that it detects: a determinant that is not the one of the
/// plane.
#[test]
fn the_evidence_of_a_smooth_series_is_exact() {
    use bayes::nalgebra::{DMatrix, DVector};
    let y = [0.4, -0.3, 0.2, 1.9];
    let d = DMatrix::from_row_slice(2, 4, &[1.0, -2.0, 1.0, 0.0, 0.0, 1.0, -2.0, 1.0]);
    let inverse = (&d * d.transpose()).try_inverse().expect("it is positive");
    let root = d.transpose() * inverse;
    let basis = DMatrix::from_fn(4, 2, |t, k| (t as f64 - 1.5).powi(k as i32));
    let covariance: DMatrix<f64> = 0.25 * &root * root.transpose()
        + 9.0 * &basis * basis.transpose()
        + 0.49 * DMatrix::<f64>::identity(4, 4);
    let y_vector = DVector::from_column_slice(&y);
    let solved = covariance.clone().try_inverse().expect("it is positive") * &y_vector;
    let exact = -0.5 * y_vector.dot(&solved)
        - 0.5 * covariance.determinant().ln()
        - 2.0 * std::f64::consts::TAU.ln();
    let engine = Inference::psmc()
        .islands(8)
        .particles(256)
        .seed(2)
        .progress(false);
    let run = engine
        .run(&smooth(&[-1.5, -0.5, 0.5, 1.5], &y))
        .expect("the model is sound");
    let [found, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|x| x.expect("it has one"));
    assert!(
        error < 0.05 && (found - exact).abs() < 4.0 * error,
        "{found} ± {error}, exactly {exact}"
    );
}

/// Stan's bound: the prior of `tau` is multiplied by the mass that the bound leaves.
#[model]
fn within(y: f64) {
    let tau = sample(HalfNormal::new(1.0));
    let x = sample(Normal::new(1.0, tau).within(0.0, f64::INFINITY));
    let pair = sample(Normal::new(&[0.0, 0.5], 1.0).ordered());
    observe(y, Normal::new(x + pair[0] - pair[1], 0.5));
}

/// The same by factors.
#[model]
fn by_hand(y: f64) {
    let tau = sample(HalfNormal::new(1.0));
    let x = sample(Flat::above(0.0));
    factor(Normal::new(1.0, tau).log_density_at(&x));
    let first = sample(Normal::new(0.0, 1.0));
    let second = sample(Normal::new(0.5, 1.0).truncated(first, f64::INFINITY));
    factor(Normal::new(0.5, 1.0).log_sf_at(first));
    observe(y, Normal::new(x + first - second, 0.5));
}

/// The mutations that it detects: a density that is normalised, or an order without one.
#[test]
fn priors_that_are_not_normalised_are_for_chains_alone() {
    let model = within(0.3);
    let engine = Inference::nuts().draws(2000).seed(4).progress(false);
    let run = engine.run(&model).expect("chains can use it");
    // the density of the prior, by hand
    let same = engine.run(&by_hand(0.3)).expect("it is improper too");
    for name in ["tau", "x"] {
        let [found, wanted] = [&run, &same].map(|run| run.estimate(|draw| draw.scalar(name)));
        let error = found.se.hypot(wanted.se);
        assert!(
            error < 0.05 && (found.mean - wanted.mean).abs() < 4.5 * error,
            "{name}: {found:?}, {wanted:?}"
        );
    }
    let refused = Inference::psmc()
        .run(&model)
        .expect_err("it has no prior draws")
        .to_string();
    assert!(
        refused.contains("its density is not normalised"),
        "{refused}"
    );
}
