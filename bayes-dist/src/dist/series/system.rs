//! The matrices of a state space model, with their zeros.

use super::super::ParameterError;
use super::{Coefficient, Part};
use bayes_autodiff::{Mask, Mode};

/// A symmetric matrix, by its lower triangle.
#[derive(Clone, Debug)]
pub struct Symmetric<M: Mode> {
    dim: usize,
    entries: Vec<Coefficient<M>>,
}

impl<M: Mode> Symmetric<M> {
    pub(super) fn zeros(dim: usize) -> Self {
        Self {
            dim,
            entries: vec![Coefficient::ZERO; dim * (dim + 1) / 2],
        }
    }

    /// The number of rows.
    pub(super) fn dim(&self) -> usize {
        self.dim
    }

    fn place(i: usize, k: usize) -> usize {
        let (row, column) = (i.max(k), i.min(k));
        row * (row + 1) / 2 + column
    }

    /// Coefficient `(i, k)`, which is entry `(k, i)`.
    #[inline(always)]
    pub(in super::super) fn at(&self, i: usize, k: usize) -> Coefficient<M> {
        self.entries[Self::place(i, k)]
    }

    pub(super) fn set(&mut self, i: usize, k: usize, entry: Coefficient<M>) {
        self.entries[Self::place(i, k)] = entry;
    }

    /// Its product with a vector.
    #[inline(always)]
    pub(super) fn times(&self, vector: &[Coefficient<M>]) -> Vec<Coefficient<M>> {
        let row = |i: usize| {
            let terms = vector.iter().enumerate();
            terms.fold(Coefficient::ZERO, |sum, (k, x)| {
                sum.plus(self.at(i, k).times(*x))
            })
        };
        (0..self.dim).map(row).collect()
    }
}

/// The states of a model: how they begin, how they move, and how they load on the series.
#[derive(Clone, Debug)]
pub struct System<M: Mode> {
    pub(super) dim: usize,
    /// The entries of each row of the transition that are not zero, with their columns.
    transition: Vec<Vec<(usize, Coefficient<M>)>>,
    pub(super) noise: Symmetric<M>,
    pub(super) loadings: Vec<Coefficient<M>>,
    pub(super) mean: Vec<Coefficient<M>>,
    pub(super) covariance: Symmetric<M>,
    /// Where the parameters are such that the states have a distribution; everywhere if `None`.
    pub(super) allowed: Option<M::Mask>,
}

impl<M: Mode> System<M> {
    /// The system of some parts.
    pub(super) fn of<P: Part<M>>(parts: &P) -> Self {
        let dim = parts.dim();
        let mut system = Self {
            dim,
            transition: vec![Vec::new(); dim],
            noise: Symmetric::zeros(dim),
            loadings: vec![Coefficient::ZERO; dim],
            mean: vec![Coefficient::ZERO; dim],
            covariance: Symmetric::zeros(dim),
            allowed: None,
        };
        parts.write(&mut Block {
            system: &mut system,
            first: 0,
        });
        system
    }

    /// The states a step later, without noise.
    #[inline(always)]
    pub(super) fn forward(&self, states: &[Coefficient<M>]) -> Vec<Coefficient<M>> {
        let row = |row: &Vec<(usize, Coefficient<M>)>| {
            let terms = row.iter();
            terms.fold(Coefficient::ZERO, |sum, (k, entry)| {
                sum.plus(entry.times(states[*k]))
            })
        };
        self.transition.iter().map(row).collect()
    }

    /// The transpose of the transition times a vector.
    #[inline(always)]
    pub(super) fn backward(&self, vector: &[Coefficient<M>]) -> Vec<Coefficient<M>> {
        let mut product = vec![Coefficient::ZERO; self.dim];
        for (row, x) in self.transition.iter().zip(vector) {
            for (k, entry) in row {
                product[*k] = product[*k].plus(entry.times(*x));
            }
        }
        product
    }

    /// `T P Tᵀ`, with `T` the transition.
    #[inline(always)]
    pub(super) fn moved(&self, covariance: &Symmetric<M>) -> Symmetric<M> {
        self.congruence(covariance, Self::forward)
    }

    /// `Tᵀ N T`.
    #[inline(always)]
    pub(super) fn moved_back(&self, information: &Symmetric<M>) -> Symmetric<M> {
        self.congruence(information, Self::backward)
    }

    /// `A P Aᵀ`, where `product` multiplies a vector by `A`.
    #[inline(always)]
    fn congruence(
        &self,
        inner: &Symmetric<M>,
        product: impl Fn(&Self, &[Coefficient<M>]) -> Vec<Coefficient<M>>,
    ) -> Symmetric<M> {
        let dim = self.dim;
        let mut rows = vec![Coefficient::ZERO; dim * dim];
        for k in 0..dim {
            let column: Vec<Coefficient<M>> = (0..dim).map(|i| inner.at(i, k)).collect();
            for (i, x) in product(self, &column).into_iter().enumerate() {
                rows[i * dim + k] = x;
            }
        }
        let mut outer = Symmetric::zeros(dim);
        for i in 0..dim {
            let row = product(self, &rows[i * dim..(i + 1) * dim]);
            for (k, x) in row.into_iter().enumerate().take(i + 1) {
                outer.set(i, k, x);
            }
        }
        outer
    }

    /// Adds the covariance of the noise.
    #[inline(always)]
    pub(super) fn add_noise(&self, covariance: &mut Symmetric<M>) {
        let pairs = covariance.entries.iter_mut().zip(&self.noise.entries);
        for (x, noise) in pairs {
            *x = x.plus(*noise);
        }
    }
}

/// The places of a part in the matrices of the whole. Everything that is not written is zero.
#[derive(Debug)]
pub struct Block<'a, M: Mode> {
    system: &'a mut System<M>,
    first: usize,
}

impl<M: Mode> Block<'_, M> {
    /// The places from state `offset` of this block on.
    pub fn from(&mut self, offset: usize) -> Block<'_, M> {
        Block {
            first: self.first + offset,
            system: &mut *self.system,
        }
    }

    /// How much of state `k` is in state `i` a step later. Written once for each pair.
    pub fn transition(&mut self, i: usize, k: usize, entry: Coefficient<M>) {
        if !entry.is_zero() {
            self.system.transition[self.first + i].push((self.first + k, entry));
        }
    }

    /// The covariance of the noises of states `i` and `k`, also of `k` and `i`.
    pub fn noise(&mut self, i: usize, k: usize, entry: Coefficient<M>) {
        let first = self.first;
        self.system.noise.set(first + i, first + k, entry);
    }

    /// How much of state `i` is in a value of the series.
    pub fn loading(&mut self, i: usize, entry: Coefficient<M>) {
        self.system.loadings[self.first + i] = entry;
    }

    /// The mean of state `i` at the first time.
    pub fn mean(&mut self, i: usize, entry: Coefficient<M>) {
        self.system.mean[self.first + i] = entry;
    }

    /// The covariance of states `i` and `k` at the first time, also of `k` and `i`.
    pub fn covariance(&mut self, i: usize, k: usize, entry: Coefficient<M>) {
        let first = self.first;
        self.system.covariance.set(first + i, first + k, entry);
    }

    /// Where the states have a distribution; the density is 0 elsewhere.
    pub fn require(&mut self, allowed: M::Mask) {
        let before = self.system.allowed.take();
        self.system.allowed = Some(before.map_or(allowed, |before| before.and(allowed)));
    }
}

/// The square of an entry's standard deviation: entry `i` of a parameter.
#[inline(always)]
pub(super) fn variance<M: Mode, S: super::super::Parameter<M>>(sd: &S, i: usize) -> Coefficient<M> {
    Coefficient::of(sd, i).square()
}

/// A length that is not allowed.
pub(super) fn wrong_length(
    distribution: &'static str,
    parameter: &'static str,
    length: usize,
    allowed: String,
) -> ParameterError {
    ParameterError::Length {
        distribution,
        parameter,
        length,
        allowed,
    }
}
