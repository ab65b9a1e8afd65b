//! States in lanes, in coordinates of their own; the functions are evaluated where they are needed.
//!
//! A matrix of all functions at all states is ten megabytes for 8000 states in 16 coordinates, and every product with it waits for memory.
//! Two operations make a function from the coordinates and the slopes, which stay in the cache.

use super::polynomials::Polynomials;
use super::products::{PANEL_STATES, Products};
use crate::density::Particles;
use crate::parallel;
use bayes_autodiff::simd::{InstructionSet, LANES, Simd, Work, dispatch};
use nalgebra::{Cholesky, DMatrix, DMatrixView, DVector};
use std::ops::Range;

/// The largest number of pieces of a part, whose products are computed by threads of their own; the same for any number of threads.
const PIECES: usize = 4;

/// The smallest number of states of a piece.
const PIECE_STATES: usize = 1024;

/// Sums that do not wait for each other.
const CHAINS: usize = 4;

/// The coordinates in which the functions are evaluated.
pub(super) struct Coordinates {
    mean: DVector<f64>,
    /// `F` of the coordinates `F⁻¹ (x - mean)`, with the inverse of its diagonal; none for the given coordinates.
    factor: Option<(DMatrix<f64>, DVector<f64>)>,
}

impl Coordinates {
    /// The coordinates of the functions of `polynomials`, fitted to the states in `fitted`; `None` if the states lie in a plane.
    ///
    /// With all products, the coordinates are first made uncorrelated: the functions of nearly Gaussian states are then almost unrelated.
    /// For the other states the means of the functions are 0. The span of the squares depends on the directions far more, so the squares
    /// use the given coordinates.
    pub(super) fn fit(
        states: &Particles,
        polynomials: Polynomials,
        fitted: &Range<usize>,
    ) -> Option<Self> {
        let dim = states.dim;
        let positions = &states.positions[fitted.start * dim..fitted.end * dim];
        let positions = DMatrixView::from_slice(positions, dim, fitted.len());
        let mean = positions.column_mean();
        let mut factor = None;
        if polynomials == Polynomials::Quadratic {
            let mut centred = positions.into_owned();
            centred
                .column_iter_mut()
                .for_each(|mut column| column -= &mean);
            let covariance = &centred * centred.transpose() / fitted.len() as f64;
            let lower = Cholesky::new(covariance)?.unpack();
            let inverse = lower.diagonal().map(f64::recip);
            factor = Some((lower, inverse));
        }
        Some(Self { mean, factor })
    }

    /// The coordinates and slopes of states in their lanes, from their positions and gradients.
    #[inline(always)]
    fn transform(&self, group: &mut [[f64; LANES]]) {
        let dim = self.mean.len();
        let (z, slope) = group[1..].split_at_mut(dim);
        for (z, mean) in z.iter_mut().zip(self.mean.as_slice()) {
            z.iter_mut().for_each(|z| *z -= mean);
        }
        let Some((lower, inverse)) = &self.factor else {
            return;
        };
        for j in 0..dim {
            let (before, now) = z.split_at_mut(j);
            for (k, z_k) in before.iter().enumerate() {
                add(&mut now[0], -lower[(j, k)], z_k);
            }
            now[0].iter_mut().for_each(|z| *z *= inverse[j]);
        }
        for k in 0..dim {
            let (now, after) = slope[k..].split_at_mut(1);
            now[0].iter_mut().for_each(|slope| *slope *= lower[(k, k)]);
            for j in k + 1..dim {
                add(&mut now[0], lower[(j, k)], &after[j - k - 1]);
            }
        }
    }
}

/// `to += factor * x`
#[inline(always)]
fn add(to: &mut [f64; LANES], factor: f64, x: &[f64; LANES]) {
    for lane in 0..LANES {
        to[lane] += factor * x[lane];
    }
}

/// States one after the other in groups of one for each lane.
pub(super) struct Part {
    polynomials: Polynomials,
    dim: usize,
    len: usize,
    /// For each group 1, the coordinates and the slopes; 0 in lanes without a state, `[groups, 1 + 2 dim]`.
    groups: Vec<[f64; LANES]>,
}

impl Part {
    /// The states in `range`; `None` if a function might not be finite.
    pub(super) fn new(
        states: &Particles,
        polynomials: Polynomials,
        range: &Range<usize>,
        coordinates: &Coordinates,
    ) -> Option<Self> {
        let mut part = Self {
            polynomials,
            dim: states.dim,
            len: range.len(),
            groups: vec![[0.0; LANES]; range.len().div_ceil(LANES) * (1 + 2 * states.dim)],
        };
        let are_finite = dispatch(
            InstructionSet::detect(),
            Fill {
                states,
                first: range.start,
                coordinates,
                part: &mut part,
            },
        );
        are_finite.then_some(part)
    }

    /// The number of states.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The groups of states, `[1 + 2 dim]` each.
    fn groups(&self) -> impl Iterator<Item = &[[f64; LANES]]> {
        self.groups.chunks_exact(1 + 2 * self.dim)
    }

    /// The number of functions.
    fn count(&self) -> usize {
        self.polynomials.count(self.dim)
    }

    /// The sums of the functions times these values of the states, `[functions]`.
    pub(super) fn moments(&self, values: &[f64]) -> DVector<f64> {
        let work = Moments { part: self, values };
        DVector::from_vec(dispatch(InstructionSet::detect(), work))
    }

    /// The combination of the functions with these coefficients at the states, `[states]`.
    pub(super) fn combination(&self, coefficients: &[f64]) -> Vec<f64> {
        let work = Combination {
            part: self,
            coefficients,
        };
        dispatch(InstructionSet::detect(), work)
    }

    /// The sums of the products of the functions over the states, `[functions, functions]`; the upper triangle is 0.
    pub(super) fn products(&self) -> DMatrix<f64> {
        let states = self.len.div_ceil(PIECES).max(PIECE_STATES);
        let piece = states.next_multiple_of(PANEL_STATES) / LANES * (1 + 2 * self.dim);
        let pieces = parallel::map(self.groups.chunks(piece), |groups| {
            Products::new(self.count()).of(self.polynomials, self.dim, groups)
        });
        pieces.into_iter().sum()
    }
}

struct Fill<'a> {
    states: &'a Particles,
    first: usize,
    coordinates: &'a Coordinates,
    part: &'a mut Part,
}

impl Work for Fill<'_> {
    /// Whether all functions are finite.
    type Output = bool;
    #[inline(always)]
    fn run<S: Simd>(self) -> bool {
        let (dim, len) = (self.part.dim, self.part.len);
        let mut zero = S::splat(0.0);
        let mut largest = [zero; 2];
        let groups = self.part.groups.chunks_exact_mut(1 + 2 * dim);
        for (number, group) in groups.enumerate() {
            let lanes = LANES.min(len - number * LANES);
            group[0][..lanes].fill(1.0);
            let first = self.first + number * LANES;
            for (lane, state) in (first..first + lanes).enumerate() {
                let at = state * dim;
                let position = &self.states.positions[at..at + dim];
                let gradient = &self.states.gradient[at..at + dim];
                for k in 0..dim {
                    group[1 + k][lane] = position[k];
                    group[1 + dim + k][lane] = gradient[k];
                }
            }
            self.coordinates.transform(group);
            for k in 0..2 * dim {
                group[1 + k][lanes..].fill(0.0);
                let x = S::load(&group[1 + k]);
                zero = S::mul_add(x, S::splat(0.0), zero);
                let largest = &mut largest[usize::from(k >= dim)];
                *largest = S::max(S::abs(x), *largest);
            }
        }
        let [z, slope] = [S::array(largest[0]), S::array(largest[1])];
        let largest = |lanes: [f64; LANES]| lanes.into_iter().fold(0.0, f64::max);
        S::array(zero) == [0.0; LANES] && (2.0 * largest(z) * largest(slope)).is_finite()
    }
}

struct Moments<'a> {
    part: &'a Part,
    values: &'a [f64],
}

impl Work for Moments<'_> {
    type Output = Vec<f64>;
    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<f64> {
        let part = self.part;
        let mut functions = vec![[0.0; LANES]; part.count()];
        let mut sums = functions.clone();
        for (group, values) in part.groups().zip(self.values.chunks(LANES)) {
            let mut lanes = [0.0; LANES];
            lanes[..values.len()].copy_from_slice(values);
            let value = S::load(&lanes);
            part.polynomials.evaluate::<S>(group, &mut functions);
            for k in 0..functions.len() {
                let sum = S::mul_add(value, S::load(&functions[k]), S::load(&sums[k]));
                S::store(sum, &mut sums[k]);
            }
        }
        sums.iter().map(|lanes| lanes.iter().sum()).collect()
    }
}

struct Combination<'a> {
    part: &'a Part,
    coefficients: &'a [f64],
}

impl Work for Combination<'_> {
    type Output = Vec<f64>;
    #[inline(always)]
    fn run<S: Simd>(self) -> Vec<f64> {
        let part = self.part;
        let size = part.count().next_multiple_of(CHAINS);
        let mut functions = vec![[0.0; LANES]; size];
        let mut coefficients = self.coefficients.to_vec();
        coefficients.resize(size, 0.0);
        let mut combination = Vec::with_capacity(part.len.next_multiple_of(LANES));
        for group in part.groups() {
            part.polynomials.evaluate::<S>(group, &mut functions);
            let mut sums = [S::splat(0.0); CHAINS];
            let functions = functions.as_chunks::<CHAINS>().0;
            for (functions, coefficients) in
                functions.iter().zip(coefficients.as_chunks::<CHAINS>().0)
            {
                for k in 0..CHAINS {
                    let coefficient = S::splat(coefficients[k]);
                    sums[k] = S::mul_add(coefficient, S::load(&functions[k]), sums[k]);
                }
            }
            let [a, b, c, d] = sums;
            combination.extend(S::array(S::add(S::add(a, b), S::add(c, d))));
        }
        combination.truncate(part.len);
        combination
    }
}
