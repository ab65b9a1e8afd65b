//! All language elements of models, in one place.

#![deny(warnings, missing_docs)]

use bayes::prelude::*;
use std::collections::HashMap;

/// Data of several kinds.
pub struct Survey<'a> {
    /// Outcomes.
    pub y: &'a [f64],
    /// Group of each outcome.
    pub group: Vec<usize>,
}

/// A user's own link function.
fn link<M: Mode>(a: Real<M>) -> Real<M> {
    (1.0 + a.exp()).ln()
}

/// A user's own function of a vector.
fn energy<M: Mode>(v: &Vector<M>) -> Real<M> {
    v.dot(v) * 0.5
}

/// Structs by reference, loops over data, blocks, closures, helpers.
#[model]
pub fn survey(data: &Survey<'_>, groups: usize) {
    let mean = sample(Normal::new(0.0, 5.0));
    let spread = {
        let log_spread = sample(Normal::new(0.0, 1.0));
        log_spread.exp()
    };
    let effects = sample(Normal::new(mean, 1.0).iid(groups));
    let scale = |a: Real| a * spread + link(a);
    for (j, &group) in data.group.iter().enumerate() {
        observe(data.y[j], Normal::new(scale(effects[group]), 1.0));
    }
    let total: Real = effects.elements().iter().map(|e: &Real| *e).sum();
    let _average = deterministic(total / groups as f64);
    factor(-energy(&effects));
    if effects.len() > 3 && !data.y.is_empty() {
        observe(data.y[0..1].to_vec(), Normal::new(mean, 2.0));
    }
}

/// Data by value; accumulators; containers of random scalars; macros.
#[model]
fn autoregression(y: Vec<f64>, order: usize, fixed: [f64; 2], names: HashMap<String, f64>) {
    let phi = sample(Normal::new(0.0, 0.5).iid(order));
    let sigma: Real = sample(HalfNormal::new(fixed[0]));
    let mut past: Vec<Real> = vec![Real::constant(0.0); order];
    let mut total = Real::from(0.0);
    for t in 0..y.len() {
        let mut mu: Real = 0.0.into();
        for k in 0..order {
            mu += phi[k] * past[k];
        }
        observe(y[t], Normal::new(mu, sigma));
        past.rotate_right(1);
        past[0] = y[t].into();
        total += mu;
    }
    println!("{}", names.len());
    factor(total * fixed[1] * 0.0 + names["a"]);
}

/// Several scalars in a loop: a state-space model.
#[model]
pub(crate) fn walk<'y>(y: &'y [f64], start: f64) {
    let mut previous: Real = start.into();
    for value in y {
        let x = sample(Normal::new(previous, 1.0));
        observe(*value, Normal::new(x, 0.5));
        previous = x;
    }
}

/// A fixed number of columns, an array of arrays.
#[model]
fn columns<const K: usize>(x: &[[f64; K]], y: &[f64]) {
    let beta = sample(Normal::new(0.0, 1.0).iid(K));
    for i in 0..y.len() {
        let mut mu: Real = Real::from(0.0);
        for k in 0..K {
            mu += beta[k] * x[i][k];
        }
        observe(y[i], Normal::new(mu, 1.0));
    }
}

/// Matrices of data, indexed by row and column; a single argument.
#[model]
fn matrix(x: &DMatrix<f64>) {
    let mu = sample(Normal::new(0.0, 1.0).iid(x.ncols()));
    for i in 0..x.nrows() {
        for j in 0..x.ncols() {
            observe(x[(i, j)], Normal::new(mu[j], 1.0));
        }
    }
}

/// No data; a lint that the body would raise.
#[model]
#[expect(unused_variables)]
fn prior() {
    let _mu = sample(Normal::new(0.0, 1.0));
    let unused = 1;
}

/// Names of the prelude and of `bayes` with another meaning here.
mod hygiene {
    #![allow(dead_code, missing_docs)]

    pub struct Normal;
    pub struct Result;
    pub struct Option;
    pub struct Some;
    pub struct Vec;
    pub struct String;
    pub struct Model;
    pub struct Real;
    pub trait Clone {}
    pub trait Copy {}
    pub trait Debug {}
    pub fn sample() {}
    pub fn observe() {}
    pub mod core {}
    pub mod std {}

    #[bayes::model]
    pub fn mean(y: &[f64]) {
        let mu = sample(Normal::new(0.0, 1.0));
        let doubled: Real = mu * 2.0;
        observe(y, Normal::new(doubled, 1.0));
        self::observe();
        let _own = self::Normal;
    }
}

/// Two models with the same name in different modules, and one inside a function.
mod other {
    use bayes::prelude::*;

    /// The `walk` of this module.
    #[model]
    pub fn walk(y: &[u64]) {
        let rate = sample(Exponential::new(1.0));
        observe(y, Poisson::new(rate));
    }
}

fn local() -> usize {
    #[model]
    fn coin(heads: u64, throws: u64) {
        let p = sample(Beta::new(1.0, 1.0));
        observe(heads, Binomial::new(throws, p));
    }
    Model::statements(&coin(3, 10)).len()
}

pub fn main() {
    let survey_data = Survey {
        y: &[1.0, 2.0],
        group: vec![0, 1],
    };
    let model = survey(&survey_data, 2);
    let copy = model;
    assert_eq!(format!("{copy:?} {model:?}"), "survey { .. } survey { .. }");
    let _ = autoregression(vec![1.0], 2, [1.0, 2.0], HashMap::new());
    let _ = (
        walk(&[1.0], 0.0),
        columns(&[[1.0, 2.0]], &[1.0]),
        matrix(&DMatrix::zeros(1, 1)),
        prior(),
    );
    let _ = (hygiene::mean(&[1.0]), other::walk(&[1]));
    assert_eq!(local(), 2);
}
