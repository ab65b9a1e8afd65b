//! The description of a problem.

use bayes::engine::Engine;
use bayes::prelude::*;

/// A posterior whose parts are sampled and combined.
#[derive(Clone, Copy)]
pub struct Problem {
    /// The name for `--only`.
    pub name: &'static str,
    /// Number of parts K.
    pub parts: usize,
    /// The chains of a part, with this number of draws.
    pub chains: fn(usize) -> Box<dyn Engine>,
    /// The box where the densities are positive; empty if it is the whole space.
    pub bounds: &'static [[f64; 2]],
    /// The coordinates in which draws are compared with the truth.
    pub coordinates: &'static [&'static str],
    /// Computes these coordinates of a draw from its values.
    pub view: fn(&[f64]) -> Vec<f64>,
    /// The region of a draw, if the masses of four regions are known to be equal.
    pub region: Option<fn(&[f64]) -> usize>,
    /// Published means and standard deviations over ten runs.
    pub published: &'static [Published],
}

/// A row of the tables of the paper: MMTV, W2 and GsKL, each with mean and standard deviation over ten runs.
pub type Published = (&'static str, [[f64; 2]; 3]);

/// Four chains of NUTS with as many steps of burn-in as draws.
pub fn nuts(draws: usize) -> Box<dyn Engine> {
    let chains = Inference::nuts().burn_in(draws).draws(draws);
    Box::new(chains.progress(false))
}
