//! Intrinsic autoregressions: the evidence of counts on a map against quadrature, and gradients by every mode.

use crate::battery::agree;
use bayes::nalgebra::{Matrix4, SymmetricEigen};
use bayes::prelude::*;
use std::f64::consts::TAU;

const EDGES: [(usize, usize); 5] = [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)];
const CASES: [u64; 4] = [7, 2, 4, 1];

#[model]
fn rates(map: &Neighbours, cases: &[u64]) {
    let effect = sample(Icar::new(map, 0.8));
    observe(cases, PoissonLog::new(1.0 + &effect));
}

/// The log evidence by the trapezoidal rule on the plane, in orthonormal coordinates.
fn quadrature() -> f64 {
    let mut laplacian = Matrix4::<f64>::zeros();
    for (a, b) in EDGES {
        laplacian[(a, a)] += 1.0;
        laplacian[(b, b)] += 1.0;
        laplacian[(a, b)] -= 1.0;
        laplacian[(b, a)] -= 1.0;
    }
    let eigenvalues = SymmetricEigen::new(laplacian).eigenvalues;
    let positive = eigenvalues.iter().filter(|x| **x > 1e-9);
    let log_determinant: f64 = positive.map(|x| x.ln()).sum();
    let log_normaliser = 0.5 * log_determinant - 1.5 * TAU.ln() - 3.0 * 0.8_f64.ln();
    let factorials: f64 = CASES
        .iter()
        .map(|k| (1..=*k).map(|k| (k as f64).ln()).sum::<f64>())
        .sum();
    const POINTS: i32 = 60;
    let width = 6.0 / f64::from(POINTS);
    let at = |i: i32| width * f64::from(i);
    let mut sum = 0.0;
    for i in -POINTS..=POINTS {
        for j in -POINTS..=POINTS {
            for k in -POINTS..=POINTS {
                let (a, b, c) = (
                    at(i) / 2.0_f64.sqrt(),
                    at(j) / 6.0_f64.sqrt(),
                    at(k) / 12.0_f64.sqrt(),
                );
                let x = [a + b + c, -a + b + c, -2.0 * b + c, -3.0 * c];
                let steps: f64 = EDGES.iter().map(|(a, b)| (x[*a] - x[*b]).powi(2)).sum();
                let pairs = x.iter().zip(CASES);
                let terms = pairs.map(|(x, k)| k as f64 * (1.0 + x) - (1.0 + x).exp());
                let log_density = log_normaliser - 0.5 * steps / 0.64 + terms.sum::<f64>();
                sum += log_density.exp();
            }
        }
    }
    sum.ln() + 3.0 * width.ln() - factorials
}

/// Mutation meant to be detected: a determinant or a power of `sd` that is not the one of the plane.
#[test]
fn the_evidence_of_counts_on_a_map_is_that_of_quadrature() {
    let map = Neighbours::new(4, &EDGES).expect("it is a map");
    let engine = Inference::psmc()
        .islands(8)
        .particles(256)
        .seed(6)
        .progress(false);
    let run = engine
        .run(&rates(&map, &CASES))
        .expect("the model is sound");
    let [evidence, error] =
        [run.log_evidence(), run.log_evidence_se()].map(|x| x.expect("islands have an evidence"));
    let exact = quadrature();
    assert!(error < 0.05, "the error {error} shows nothing");
    assert!(
        (evidence - exact).abs() < 4.0 * error,
        "{evidence} ± {error}, exactly {exact}"
    );
}

/// All forms: centred and not, scaled, copies, and data on the plane.
#[model]
fn forms(map: &Neighbours, y: &[f64]) {
    let sd = sample(HalfNormal::new(1.0));
    let u = sample(Icar::new(map, sd));
    let v = sample(Icar::new(map, sd).scaled().non_centred());
    let w = sample(Icar::new(map, 1.0 + sd).iid(2));
    observe(y, Icar::new(map, sd).scaled());
    observe(y, Normal::new(&u + &v + Vector::from(w.row(1)), 1.0));
}

/// Mutation meant to be detected: an operation that the trace and forward mode compute differently.
#[test]
fn gradients_agree_in_every_mode() {
    let map = Neighbours::new(6, &[(0, 2), (2, 4), (4, 5), (0, 4), (3, 1)]).expect("it is a map");
    agree(&forms(&map, &[0.4, 0.9, -1.1, -0.9, 0.5, 0.2]));
}
