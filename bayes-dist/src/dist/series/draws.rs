//! Draws of a series.

use super::states::root;
use super::{Coefficient, Filter, Part, Symmetric};
use crate::rng::Stream;
use bayes_autodiff::{Mode, PlainValue};
use rand_distr::{Distribution as _, StandardNormal};

/// A series of `length` values with noise of standard deviation `sd`; NaN if a covariance is none.
pub fn draw<M: Mode, P: Part<M>>(
    filter: &Filter<'_, M, P>,
    sd: f64,
    length: usize,
    stream: &mut Stream,
) -> Vec<f64> {
    let system = &filter.system;
    let (Some(first), Some(steps)) = (factor(&system.covariance), factor(&system.noise)) else {
        return vec![f64::NAN; length];
    };
    let mut standard =
        |count: usize| -> Vec<f64> { (0..count).map(|_| StandardNormal.sample(stream)).collect() };
    let mut states = system.mean.clone();
    add(&mut states, &first, &standard(system.dim));
    let mut series = Vec::with_capacity(length);
    for time in 0..length {
        let signal = filter.signal(time, &states);
        series.push(number(signal) + sd * standard(1)[0]);
        states = system.forward(&states);
        add(&mut states, &steps, &standard(system.dim));
    }
    series
}

fn number<M: Mode>(entry: Coefficient<M>) -> f64 {
    match entry {
        Coefficient::Known(x) => x,
        Coefficient::Random(x) => x.plain_value(),
    }
}

/// The lower triangle of a covariance; `None` if it is none.
fn factor<M: Mode>(covariance: &Symmetric<M>) -> Option<Vec<f64>> {
    let dim = covariance.dim();
    let entries = (0..dim * dim).map(|i| number(covariance.at(i / dim, i % dim)));
    let entries: Vec<f64> = entries.collect();
    let is_finite = entries.iter().all(|x| x.is_finite());
    is_finite.then(|| root(dim, &entries).ok())?
}

/// Adds a lower triangle times standard normal numbers.
fn add<M: Mode>(states: &mut [Coefficient<M>], lower: &[f64], z: &[f64]) {
    for (state, row) in states.iter_mut().zip(lower.chunks_exact(z.len().max(1))) {
        let step: f64 = row.iter().zip(z).map(|(l, z)| l * z).sum();
        *state = state.plus(Coefficient::Known(step));
    }
}
