//! The densities, line by line as published.

use bayes::prelude::*;
use std::f64::consts::{PI, TAU};

/// A narrow mode at `place` within a wide one: exp(-r²/2) + exp(height - |x - place|² / 2 width²), x uniform in (-5, 5)ᵈ.
#[model]
pub fn two_phases(dim: usize, height: f64, width: f64, place: f64) {
    let x = sample(Uniform::new(-5.0, 5.0).iid(dim));
    let mut wide: Real = Real::from(0.0);
    let mut narrow: Real = Real::from(height);
    for k in 0..dim {
        wide -= 0.5 * x[k].square();
        narrow -= 0.5 * ((x[k] - place) / width).square();
    }
    factor(wide + (narrow - wide).log1p_exp());
}

/// Two shells of radius 2 and width 0.1, with centres 7 apart.
#[model]
pub fn shells(dim: usize) {
    let x = sample(Uniform::new(-6.0, 6.0).iid(dim));
    let mut rest: Real = Real::from(0.0);
    for k in 1..dim {
        rest += x[k].square();
    }
    let first = (rest + (x[0] - 3.5).square()).sqrt() - 2.0;
    let second = (rest + (x[0] + 3.5).square()).sqrt() - 2.0;
    let norm = (0.1 * TAU.sqrt()).ln();
    factor((-50.0 * first.square()).log_add_exp(-50.0 * second.square()) - norm);
}

/// 18 peaks; the box cuts those at its edges.
#[model]
pub fn egg_box() {
    let x = sample(Uniform::new(0.0, 10.0 * PI).iid(2));
    let product = (0.5 * x[0]).cos() * (0.5 * x[1]).cos();
    factor((product + 2.0).powi(5));
}

/// A valley that bends in each coordinate.
#[model]
pub fn rosenbrock(dim: usize) {
    let x = sample(Uniform::new(-5.0, 5.0).iid(dim));
    for k in 1..dim {
        let across = x[k] - x[k - 1].square();
        factor(-100.0 * across.square() - (1.0 - x[k - 1]).square());
    }
}

/// A normal with unit variances and correlations of 0.4.
#[model]
pub fn correlated(dim: usize) {
    let x = sample(Uniform::new(-5.0, 5.0).iid(dim));
    let n = dim as f64;
    let (mut sum, mut squares): (Real, Real) = (Real::from(0.0), Real::from(0.0));
    for k in 0..dim {
        sum += x[k];
        squares += x[k].square();
    }
    let log_determinant = (n - 1.0) * 0.6f64.ln() + (0.6 + 0.4 * n).ln();
    let quadratic = (squares - sum.square() * (0.4 / (0.6 + 0.4 * n))) / 0.6;
    factor(-0.5 * (quadratic + log_determinant + n * TAU.ln()));
}

/// Independent normals, whose scales rise from 0.1 to 10 by a constant factor, in a box of side 2000.
#[model]
pub fn scales(dim: usize) {
    let x = sample(Uniform::new(-1000.0, 1000.0).iid(dim));
    for k in 0..dim {
        let scale = 0.1 * 100f64.powf(k as f64 / (dim - 1) as f64);
        let z = x[k] / scale;
        factor(-0.5 * (z.square() + TAU.ln()) - scale.ln());
    }
}

/// Pairs of a double well and a normal, over a normal reference of scale 2.
#[model]
pub fn many_well(pairs: usize) {
    let x = sample(Normal::new(0.0, 2.0).iid(2 * pairs));
    for k in 0..pairs {
        let (a, b) = (x[2 * k], x[2 * k + 1]);
        let well = 6.0 * a.square() - a.square().square() + 0.5 * a - 0.5 * b.square();
        let reference = 0.125 * (a.square() + b.square()) + (4.0 * TAU).ln();
        factor(well + reference);
    }
}

/// Neal's funnel over a normal reference of scale 3: its evidence is 1.
#[model]
pub fn funnel(dim: usize) {
    let x = sample(Normal::new(0.0, 3.0).iid(dim));
    let mut log_ratio: Real = Real::from(0.0);
    for k in 1..dim {
        log_ratio +=
            x[k].square() / 18.0 + 3.0f64.ln() - 0.5 * x[0] - 0.5 * (-x[0]).exp() * x[k].square();
    }
    factor(log_ratio);
}

/// Germination of seeds: a logistic regression with plate effects of unknown precision.
#[model]
pub fn seeds(germinated: &[u64], of: &[u64], bean: &[f64], extract: &[f64]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(4));
    let tau = sample(Gamma::new(0.01, 0.01));
    let z = sample(Normal::new(0.0, 1.0).iid(of.len()));
    let sigma = 1.0 / tau.sqrt();
    for i in 0..of.len() {
        let both = bean[i] * extract[i];
        let mean = beta[0] + beta[1] * bean[i] + beta[2] * extract[i] + beta[3] * both;
        observe(
            germinated[i],
            BinomialLogit::new(of[i], mean + sigma * z[i]),
        );
    }
}

/// A logistic regression with weights of scale 10.
#[model]
pub fn credit(x: &DMatrix<f64>, approved: &[bool]) {
    let beta = sample(Normal::new(0.0, 10.0).iid(x.ncols()));
    observe(approved, BernoulliLogit::new(x * &beta));
}
