//! Particles as plain data, and views of a few of them.

use super::{Counts, Prior};
use crate::number;
use crate::parallel;
use crate::rng::Key;
use serde::{Deserialize, Serialize};

/// Particles with their cached densities, as a structure of arrays.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Particles {
    /// Number of unconstrained coordinates.
    pub dim: usize,
    /// Unconstrained positions, `[particles, dim]` row-major.
    #[serde(with = "number::many")]
    pub positions: Vec<f64>,
    /// Log prior with log Jacobian, `[particles]`.
    #[serde(with = "number::many")]
    pub log_prior: Vec<f64>,
    /// Log likelihood at power 1, `[particles]`.
    #[serde(with = "number::many")]
    pub log_likelihood: Vec<f64>,
    /// The gradient of the last requested weighted sum, `[particles, dim]`; outdated until a kernel requests it. For the states of an
    /// island of SMC, the gradient of the kernel's target.
    #[serde(with = "number::many")]
    pub gradient: Vec<f64>,
}

impl Particles {
    /// `n` particles at the origin, densities not evaluated.
    #[must_use]
    pub fn new(n: usize, dim: usize) -> Self {
        Self {
            dim,
            positions: vec![0.0; n * dim],
            log_prior: vec![0.0; n],
            log_likelihood: vec![0.0; n],
            gradient: vec![0.0; n * dim],
        }
    }

    /// Draws from a prior, particle `i` from the stream of `key.item(i)`; densities are not evaluated.
    #[must_use]
    pub fn of_prior(n: usize, dim: usize, prior: &dyn Prior, key: Key) -> Self {
        Self::of_prior_with_panics(n, dim, prior, key).0
    }

    /// As [`of_prior`](Self::of_prior), with the panics of draws, whose positions are NaN.
    pub fn of_prior_with_panics(
        n: usize,
        dim: usize,
        prior: &dyn Prior,
        key: Key,
    ) -> (Self, Counts) {
        let mut particles = Self::new(n, dim);
        let rows = particles.positions.chunks_mut(dim).enumerate();
        let drawn = parallel::map(rows, |(i, position)| {
            prior.draw_or_nan(&mut key.item(i as u64).stream(), position)
        });
        let mut counts = Counts::default();
        for message in drawn.into_iter().filter_map(Result::err) {
            counts.merge(&Counts::of_draw(message, dim));
        }
        (particles, counts)
    }

    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.log_prior.len()
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.log_prior.is_empty()
    }

    /// The position of particle `i`, `[dim]`.
    #[must_use]
    pub fn position(&self, i: usize) -> &[f64] {
        &self.positions[i * self.dim..(i + 1) * self.dim]
    }

    /// All particles as one block.
    pub fn block(&mut self) -> Block<'_> {
        Block {
            dim: self.dim,
            positions: &mut self.positions,
            log_prior: &mut self.log_prior,
            log_likelihood: &mut self.log_likelihood,
            gradient: &mut self.gradient,
        }
    }

    /// The first `n` particles as a block.
    pub fn first(&mut self, n: usize) -> Block<'_> {
        let all = n * self.dim;
        Block {
            dim: self.dim,
            positions: &mut self.positions[..all],
            log_prior: &mut self.log_prior[..n],
            log_likelihood: &mut self.log_likelihood[..n],
            gradient: &mut self.gradient[..all],
        }
    }

    /// The particles in blocks of at most `size`, in order.
    pub fn blocks(&mut self, size: usize) -> Vec<Block<'_>> {
        let dim = self.dim;
        self.positions
            .chunks_mut(size * dim)
            .zip(self.log_prior.chunks_mut(size))
            .zip(self.log_likelihood.chunks_mut(size))
            .zip(self.gradient.chunks_mut(size * dim))
            .map(
                |(((positions, log_prior), log_likelihood), gradient)| Block {
                    dim,
                    positions,
                    log_prior,
                    log_likelihood,
                    gradient,
                },
            )
            .collect()
    }

    /// The particles of several populations of the same size, with their gradients: the first of each, then the second of each, and so
    /// on.
    ///
    /// # Panics
    /// If there is no population, or if their sizes differ.
    #[must_use]
    pub fn interleaved(populations: &[Self]) -> Self {
        let (each, first) = (populations.len(), &populations[0]);
        let mut all = Self::new(each * first.len(), first.dim);
        for (place, from) in populations.iter().enumerate() {
            assert_eq!(from.len(), first.len(), "populations of different sizes");
            for i in 0..from.len() {
                let to = i * each + place;
                all.positions[to * first.dim..][..first.dim].copy_from_slice(from.position(i));
                all.log_prior[to] = from.log_prior[i];
                all.log_likelihood[to] = from.log_likelihood[i];
                all.gradient[to * first.dim..][..first.dim]
                    .copy_from_slice(&from.gradient[i * first.dim..][..first.dim]);
            }
        }
        all
    }

    /// The particles at `indices`, with their cached densities (not the gradient, whose weights change).
    #[must_use]
    pub fn select(&self, indices: &[u32]) -> Self {
        let mut selected = Self::new(indices.len(), self.dim);
        for (to, from) in indices.iter().enumerate() {
            let from = *from as usize;
            selected.positions[to * self.dim..(to + 1) * self.dim]
                .copy_from_slice(self.position(from));
            selected.log_prior[to] = self.log_prior[from];
            selected.log_likelihood[to] = self.log_likelihood[from];
        }
        selected
    }
}

/// A mutable view of some particles, which a kernel moves and a density fills.
#[derive(Debug)]
pub struct Block<'a> {
    /// Number of unconstrained coordinates.
    pub dim: usize,
    /// Unconstrained positions, `[particles, dim]` row-major.
    pub positions: &'a mut [f64],
    /// Log prior with log Jacobian, `[particles]`.
    pub log_prior: &'a mut [f64],
    /// Log likelihood at power 1, `[particles]`.
    pub log_likelihood: &'a mut [f64],
    /// Gradient of the requested weighted sum, `[particles, dim]`.
    pub gradient: &'a mut [f64],
}

impl Block<'_> {
    /// Number of particles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.log_prior.len()
    }

    /// Whether there are no particles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.log_prior.is_empty()
    }

    /// The coordinates of particle `i` within the flat arrays.
    #[must_use]
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        i * self.dim..(i + 1) * self.dim
    }

    /// Fills the densities one position at a time; `densities` returns `[log_prior, log_likelihood]`.
    pub fn fill(&mut self, mut densities: impl FnMut(&[f64]) -> [f64; 2]) {
        for i in 0..self.len() {
            let row = self.row(i);
            [self.log_prior[i], self.log_likelihood[i]] = densities(&self.positions[row]);
        }
    }

    /// Fills densities and gradients one position at a time; `densities` returns `[log_prior, log_likelihood]` and fills the
    /// gradient, `[dim]`.
    pub fn fill_gradient(&mut self, mut densities: impl FnMut(&[f64], &mut [f64]) -> [f64; 2]) {
        for i in 0..self.len() {
            let row = self.row(i);
            let (position, gradient) = (&self.positions[row.clone()], &mut self.gradient[row]);
            [self.log_prior[i], self.log_likelihood[i]] = densities(position, gradient);
        }
    }

    /// Copies particle `i` of `other` with its cached values.
    pub fn accept(&mut self, i: usize, other: &Block<'_>) {
        self.replace(i, other, i);
    }

    /// Copies particle `at` of `other` with its cached values to particle `i`.
    pub fn replace(&mut self, i: usize, other: &Block<'_>, at: usize) {
        let (row, from) = (self.row(i), other.row(at));
        self.positions[row.clone()].copy_from_slice(&other.positions[from.clone()]);
        self.gradient[row].copy_from_slice(&other.gradient[from]);
        self.log_prior[i] = other.log_prior[at];
        self.log_likelihood[i] = other.log_likelihood[at];
    }

    /// Copies the only particle of `other` to particle `i`.
    pub fn take(&mut self, i: usize, other: &Block<'_>) {
        let row = self.row(i);
        self.positions[row].copy_from_slice(other.positions);
        self.log_prior[i] = other.log_prior[0];
        self.log_likelihood[i] = other.log_likelihood[0];
    }

    /// Copies the state of every particle of `other`.
    pub fn copy_from(&mut self, other: &Block<'_>) {
        self.positions.copy_from_slice(other.positions);
        self.log_prior.copy_from_slice(other.log_prior);
        self.log_likelihood.copy_from_slice(other.log_likelihood);
        self.gradient.copy_from_slice(other.gradient);
    }
}

/// `weights[0] * log_prior + weights[1] * log_likelihood`; with a weight of 0 even an infinite value is ignored.
#[must_use]
pub fn weighted(log_prior: f64, log_likelihood: f64, weights: [f64; 2]) -> f64 {
    match weights {
        [0.0, 0.0] => 0.0,
        [prior, 0.0] => prior * log_prior,
        [0.0, likelihood] => likelihood * log_likelihood,
        [prior, likelihood] => prior * log_prior + likelihood * log_likelihood,
    }
}
