//! The Gaussians along a path: inverse Hessians from the last steps of an optimiser.

use crate::engine::fit::approximation::Approximation;
use crate::numeric::log_mean_exp;
use crate::rng::Stream;
use nalgebra::{Cholesky, DMatrix, DVector};
use rand::RngExt;
use rand_distr::StandardNormal;
use std::collections::VecDeque;

/// A step shows a curvature if the product of both changes is above this share of the squared change of the gradient (Zhang et al. 2022,
/// algorithm 3).
const CURVED: f64 = 1e-12;

/// An estimate of the inverse Hessian of minus the log density: a diagonal, and the last steps.
pub(super) struct Curvature {
    /// α, `[dim]`.
    diagonal: DVector<f64>,
    /// The last changes s of the position and z of minus the gradient, each `[dim]`, the newest last.
    changes: VecDeque<[DVector<f64>; 2]>,
    memory: usize,
}

impl Curvature {
    /// The identity, before any step; of the steps, the last `memory` count.
    pub(super) fn new(dim: usize, memory: usize) -> Self {
        Self {
            diagonal: DVector::from_element(dim, 1.0),
            changes: VecDeque::new(),
            memory,
        }
    }

    /// Learns from a step s and its change z of minus the gradient, if they show a curvature (Zhang et al. 2022, algorithm 3; the diagonal
    /// by Gilbert and Lemaréchal 1989).
    ///
    /// ```text
    /// αᵢ ← 1 / (a / (b αᵢ) + zᵢ² / b − a sᵢ² / (b c αᵢ²)),    a = zᵀ diag(α) z,   b = zᵀ s,   c = sᵀ diag(1/α) s
    /// ```
    pub(super) fn learn(&mut self, step: DVector<f64>, change: DVector<f64>) {
        let b = change.dot(&step);
        // false for NaN
        let is_curved = b > CURVED * change.norm_squared();
        if !is_curved {
            return;
        }
        let scaled = |v: &DVector<f64>| v.component_mul(v);
        let a = scaled(&change).dot(&self.diagonal);
        let c = scaled(&step).component_div(&self.diagonal).sum();
        for (i, alpha) in self.diagonal.iter_mut().enumerate() {
            let (s, z) = (step[i], change[i]);
            let old = a / (b * *alpha) * (1.0 - s * s / (c * *alpha));
            let new = 1.0 / (old + z * z / b);
            // a coordinate that alone moved without a change of its slope shows none
            if new.is_finite() && new > 0.0 {
                *alpha = new;
            }
        }
        if self.changes.len() == self.memory {
            self.changes.pop_front();
        }
        self.changes.push_back([step, change]);
    }

    /// Whether no step has shown a curvature.
    pub(super) fn is_empty(&self) -> bool {
        self.changes.is_empty()
    }

    /// β and γ of the inverse Hessian `diag(α) + β γ βᵀ` (Byrd, Nocedal and Schnabel 1994, theorem 2.2).
    ///
    /// ```text
    /// β = [diag(α) Z, S],    γ = [0, −R⁻¹; −R⁻ᵀ, R⁻ᵀ (E + Zᵀ diag(α) Z) R⁻¹],    R = upper triangle of Sᵀ Z,   E = diag(R)
    /// ```
    ///
    /// `None` without a step.
    fn factors(&self) -> Option<[DMatrix<f64>; 2]> {
        let columns = |k: usize| -> Vec<DVector<f64>> {
            let changes = self.changes.iter();
            changes.map(|change| change[k].clone()).collect()
        };
        if self.changes.is_empty() {
            return None;
        }
        let [steps, changes] = [0, 1].map(|k| DMatrix::from_columns(&columns(k)));
        let (dim, count) = steps.shape();
        let scaled = DMatrix::from_fn(dim, count, |i, j| self.diagonal[i] * changes[(i, j)]);
        let products = steps.tr_mul(&changes).upper_triangle();
        let inverse = products.solve_upper_triangular(&DMatrix::identity(count, count))?;
        let own = DMatrix::from_diagonal(&products.diagonal()) + changes.tr_mul(&scaled);
        let mut gamma = DMatrix::zeros(2 * count, 2 * count);
        let shape = (count, count);
        gamma.view_mut((0, count), shape).copy_from(&-&inverse);
        let below = -inverse.transpose();
        gamma.view_mut((count, 0), shape).copy_from(&below);
        let own = inverse.tr_mul(&own) * &inverse;
        gamma.view_mut((count, count), shape).copy_from(&own);
        let mut beta = scaled.resize_horizontally(2 * count, 0.0);
        beta.columns_mut(count, count).copy_from(&steps);
        Some([beta, gamma])
    }

    /// The Gaussian at an iterate with this gradient of the log density: the inverse Hessian as its covariance, and the end of Newton's
    /// step as its mean. `None` if no step has shown a curvature, or if rounding spoilt the covariance.
    pub(super) fn normal(
        &self,
        position: &DVector<f64>,
        gradient: &DVector<f64>,
    ) -> Option<Normal> {
        let [mut beta, gamma] = self.factors()?;
        let root = self.diagonal.map(f64::sqrt);
        for mut column in beta.column_iter_mut() {
            column.component_div_assign(&root);
        }
        let qr = beta.qr();
        let (basis, upper) = (qr.q(), qr.r());
        let inner = &upper * gamma * upper.transpose();
        let inner = DMatrix::identity(inner.nrows(), inner.nrows()) + inner;
        let lower = Cholesky::new(inner)?.unpack();
        let log_scale: f64 = root.iter().map(|x| x.ln()).sum();
        let log_factor: f64 = lower.diagonal().iter().map(|x| x.ln()).sum();
        let dim = root.len() as f64;
        let mut normal = Normal {
            mean: position.clone(),
            log_normaliser: -0.5 * dim * std::f64::consts::TAU.ln() - log_scale - log_factor,
            root,
            basis,
            lower,
        };
        let own = gradient.component_mul(&normal.root);
        let lower = &normal.lower;
        let moved = normal.spread(own, |along| lower * lower.tr_mul(along));
        normal.mean += moved;
        let is_finite = normal.mean.iter().all(|x| x.is_finite());
        (is_finite && normal.log_normaliser.is_finite()).then_some(normal)
    }
}

/// `N(mean, diag(root) (I + Q (L Lᵀ − I) Qᵀ) diag(root))` (Zhang et al. 2022, algorithm 4).
pub(super) struct Normal {
    mean: DVector<f64>,
    /// √α, `[dim]`.
    root: DVector<f64>,
    /// Q, `[dim, rank]`, with orthonormal columns.
    basis: DMatrix<f64>,
    /// L, `[rank, rank]`, lower triangular.
    lower: DMatrix<f64>,
    /// The log density at the mean.
    log_normaliser: f64,
}

impl Normal {
    /// `root (u + Q (f(Qᵀ u) − Qᵀ u))`: f in the space of Q, the identity beside it.
    fn spread(
        &self,
        mut u: DVector<f64>,
        f: impl FnOnce(&DVector<f64>) -> DVector<f64>,
    ) -> DVector<f64> {
        let along = self.basis.tr_mul(&u);
        u += &self.basis * (f(&along) - along);
        u.component_mul(&self.root)
    }

    /// The rise of the log density that Newton's step to the mean promises, from a position with this gradient.
    pub(super) fn promised(&self, position: &DVector<f64>, gradient: &DVector<f64>) -> f64 {
        0.5 * gradient.dot(&(&self.mean - position))
    }

    /// Draws a position, `[dim]`.
    pub(super) fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        let u = DVector::from_fn(position.len(), |_, _| stream.sample(StandardNormal));
        let drawn = &self.mean + self.spread(u, |along| &self.lower * along);
        position.copy_from_slice(drawn.as_slice());
    }

    /// The log density, normalised.
    pub(super) fn log_density(&self, position: &[f64]) -> f64 {
        let rest = DVector::from_column_slice(position) - &self.mean;
        let whitened = rest.component_div(&self.root);
        let mut along = self.basis.tr_mul(&whitened);
        let beside = whitened - &self.basis * &along;
        // a diagonal of a Cholesky factor is not zero
        let _ = self.lower.solve_lower_triangular_mut(&mut along);
        self.log_normaliser - 0.5 * (beside.norm_squared() + along.norm_squared())
    }
}

/// The mixture of the Gaussians of all paths, with equal weights.
pub(super) struct Mixture(pub(super) Vec<Normal>);

impl Approximation for Mixture {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) -> f64 {
        let chosen = stream.random_range(0..self.0.len());
        self.0[chosen].draw(stream, position);
        self.log_density(position)
    }

    fn log_density(&self, position: &[f64]) -> f64 {
        let of_each = self.0.iter().map(|normal| normal.log_density(position));
        log_mean_exp(&of_each.collect::<Vec<f64>>())
    }
}

#[cfg(test)]
mod tests;
