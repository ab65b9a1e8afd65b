//! The Gaussian of a maximum, and the mass of the density around it.

use super::points::{Point, Points};
use crate::density::{LogDensity, Particles, Target, caught};
use crate::engine::mover;
use crate::rng::Key;
use crate::run::LocalMass;
use nalgebra::{Cholesky, DMatrix, DVector};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Draws from the Gaussian of a maximum that measure the mass around it.
pub(in crate::engine) const PEAK_DRAWS: usize = 512;
/// The normal quantile of [`LocalMass::INSIDE`].
const INSIDE: f64 = 1.2816;
/// If a step of Newton's method raises the log density by more than this, the point is not near a maximum.
const NEWTON_RISE: f64 = 0.5;

/// A place near a maximum of a log density, with the Gaussian that has its curvature.
pub(in crate::engine) struct Peak<'p> {
    end: &'p Point,
    gaussian: Gaussian,
}

impl<'p> Peak<'p> {
    /// The maximum near the end of a climb; `None` where the density is not concave, or if the end is not near a maximum.
    pub(in crate::engine) fn of(points: &Points<'_>, end: &'p Point) -> Option<Self> {
        let gaussian = Gaussian::of(&end.position, &points.hessian(&end.position)?)?;
        let promised = gaussian.promised_rise(&end.gradient);
        (promised <= NEWTON_RISE).then_some(Self { end, gaussian })
    }

    /// The logarithm of the mass around it by Laplace's approximation (Tierney & Kadane 1986).
    pub(in crate::engine) fn log_mass(&self) -> f64 {
        self.end.value - self.gaussian.log_normaliser
    }

    /// The mass in the ellipsoid of the Gaussian by importance sampling, with its error; `None` if the density is zero everywhere.
    /// `densities` counts evaluations.
    pub(in crate::engine) fn measured(
        &self,
        density: &dyn LogDensity,
        key: Key,
        densities: &mut u64,
    ) -> Option<LocalMass> {
        self.measured_where(density, key, densities, &|_| true)
    }

    /// The mass in the part of the ellipsoid where `counts` holds.
    pub(in crate::engine) fn measured_where(
        &self,
        density: &dyn LogDensity,
        key: Key,
        densities: &mut u64,
        counts: &dyn Fn(&[f64]) -> bool,
    ) -> Option<LocalMass> {
        let (log_mass, se) = self.gaussian.mass(density, key, densities, counts)?;
        self.with_mass(density, log_mass, se)
    }

    /// The mass in the ellipsoid by Laplace's approximation, without an error.
    pub(in crate::engine) fn unmeasured(&self, density: &dyn LogDensity) -> Option<LocalMass> {
        self.with_mass(density, self.log_mass() + LocalMass::INSIDE.ln(), 0.0)
    }

    /// `None` if the model panics there.
    fn with_mass(&self, density: &dyn LogDensity, log_mass: f64, se: f64) -> Option<LocalMass> {
        let position = &self.end.position;
        let values = caught(|| density.quantities().output(position)).ok()?;
        Some(LocalMass {
            mode: position.clone(),
            values,
            factor: self.gaussian.packed_factor(),
            radius: self.gaussian.radius(),
            log_mass,
            se,
            draws: None,
        })
    }
}

/// A Gaussian by its mode and precision.
struct Gaussian {
    mode: DVector<f64>,
    /// The Cholesky factor of the precision, lower triangular.
    lower: DMatrix<f64>,
    /// Half of the log determinant of the precision, minus d/2 ln 2π.
    log_normaliser: f64,
}

impl Gaussian {
    /// The Gaussian with the curvature of the log density at a place; `None` where the density is not concave.
    fn of(mode: &[f64], hessian: &DMatrix<f64>) -> Option<Self> {
        let lower = Cholesky::new(-hessian)?.unpack();
        let log_scale: f64 = lower.diagonal().iter().map(|x| x.ln()).sum();
        let log_normaliser = log_scale - 0.5 * mode.len() as f64 * std::f64::consts::TAU.ln();
        log_normaliser.is_finite().then(|| Self {
            mode: DVector::from_column_slice(mode),
            lower,
            log_normaliser,
        })
    }

    /// The rise of the log density that Newton's method promises: ½ gᵀ H⁻¹ g.
    fn promised_rise(&self, gradient: &[f64]) -> f64 {
        let mut solved = DVector::from_column_slice(gradient);
        self.lower.solve_lower_triangular_mut(&mut solved);
        0.5 * solved.norm_squared()
    }

    /// The radius within which the Gaussian has 90% of its mass: the quantile of χ² by Wilson & Hilferty (1931).
    fn radius(&self) -> f64 {
        let dim = self.mode.len() as f64;
        let ninth = 2.0 / (9.0 * dim);
        (dim * (1.0 - ninth + INSIDE * ninth.sqrt()).powi(3)).sqrt()
    }

    /// The log mass of the density in the part of the ellipsoid where `counts` holds and its standard error, by importance sampling; `None`
    /// if the density is zero everywhere.
    fn mass(
        &self,
        density: &dyn LogDensity,
        key: Key,
        densities: &mut u64,
        counts: &dyn Fn(&[f64]) -> bool,
    ) -> Option<(f64, f64)> {
        let dim = self.mode.len();
        let limit = self.radius().powi(2);
        let mut stream = key.stream();
        let (mut positions, mut log_gaussian) = (Vec::new(), Vec::new());
        for _ in 0..PEAK_DRAWS {
            let mut z = DVector::from_fn(dim, |_, _| stream.sample::<f64, _>(StandardNormal));
            let distance = z.norm_squared();
            if distance <= limit {
                // the precision is L Lᵀ, so L⁻ᵀ z has the covariance
                self.lower.tr_solve_lower_triangular_mut(&mut z);
                z += &self.mode;
                if counts(z.as_slice()) {
                    positions.extend_from_slice(z.as_slice());
                    log_gaussian.push(self.log_normaliser - 0.5 * distance);
                }
            }
        }
        if log_gaussian.is_empty() {
            return None;
        }
        let mut inside = Particles::new(log_gaussian.len(), dim);
        inside.positions = positions;
        let seen = mover::evaluate(&mut inside, Target::posterior(density));
        *densities += seen.density_evaluations;
        let values = inside.log_prior.iter().zip(&inside.log_likelihood);
        let ratios = values.zip(&log_gaussian);
        let ratios: Vec<f64> = ratios
            .map(|((prior, likelihood), q)| prior + likelihood - q)
            .collect();
        let largest = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if !largest.is_finite() {
            return None;
        }
        // a draw outside has a weight of 0
        let of_all = |sum: f64| sum / PEAK_DRAWS as f64;
        let mean = of_all(ratios.iter().map(|r| (r - largest).exp()).sum());
        let square = of_all(ratios.iter().map(|r| (2.0 * (r - largest)).exp()).sum());
        let relative = (square / (mean * mean) - 1.0).max(0.0);
        Some((largest + mean.ln(), of_all(relative).sqrt()))
    }

    fn packed_factor(&self) -> Vec<f64> {
        let rows = (0..self.mode.len()).flat_map(|i| (0..=i).map(move |k| (i, k)));
        rows.map(|at| self.lower[at]).collect()
    }
}
