//! A second opinion on an island: the mass of the posterior near modes, by climbs and importance sampling.
//!
//! Tempering goes from the prior to the posterior by densities between them, and a mode that is narrow and high appears in these at the
//! very end, where no particle is near it: a first-order transition. Then every island agrees on an evidence that is wrong. A climb from
//! a particle or a prior draw shares nothing with this path. So each island climbs from some of both, takes the Gaussian with the
//! curvature of each mode (Tierney & Kadane 1986), and measures the mass in its ellipsoid by importance sampling. The rule
//! [`MissedMass`](crate::diagnose::warning::MissedMass) compares it with the evidence and the share of the draws there.
//!
//! A mode that no climb reaches is not found, nor one that is not a peak: a ring, a ridge, a plateau.

use crate::density::{Counts, LogDensity, Particles, Target};
use crate::engine::ascent::{Climb, Points, climbs, prior_draws};
use crate::engine::mover;
use crate::rng::Key;
use crate::run::LocalMass;
use nalgebra::{Cholesky, DMatrix, DVector};
use rand::RngExt;
use rand_distr::StandardNormal;

/// Maximum number of coordinates: the Hessian takes two gradients for each, and the draws are compared with an ellipsoid of so many axes.
const MAX_DIM: usize = 100;
/// The gradients of the search, as a share of those of the island.
const SHARE: f64 = 0.04;
/// Climbs from particles, and as many from prior draws; together they fill the SIMD lanes.
const CLIMBS: usize = 4;
/// The number of modes that are measured.
const MODES: usize = 3;
/// Draws from the Gaussian of a mode.
const DRAWS: usize = 512;
/// The share of the Gaussian in its ellipsoid, as a normal quantile: 0.9.
const INSIDE: f64 = 1.2816;
/// A rise of the log density by a step of Newton's method above which a point is not near a mode.
const RISE: f64 = 0.5;
/// The Laplace mass, relative to the evidence, below which a mode is not measured.
const LEAST: f64 = 0.02;

/// The mass near the modes that climbs find, and the evaluations that they took.
///
/// `particles` are those of the posterior, `log_evidence` is the island's estimate, and `gradients` the evaluations that it took.
/// Nothing is looked for in more than 100 coordinates, in whole numbers, and where the search would take more than a 25th of the island.
pub(in crate::engine) fn find(
    density: &dyn LogDensity,
    particles: &Particles,
    log_evidence: f64,
    gradients: u64,
    key: Key,
) -> (Vec<LocalMass>, Counts) {
    let dim = particles.dim;
    let description = density.describe();
    let is_continuous =
        !description.discrete.contains(&true) && !description.params.contains(&true);
    let budget = (SHARE * gradients as f64) as usize;
    // a density costs a third of a gradient
    let measure = MODES * (2 * dim + DRAWS / 3);
    let mut search = Search {
        points: Points::of(density, budget.saturating_sub(measure)),
        key,
        found: Vec::new(),
        counts: Counts::default(),
    };
    if (1..=MAX_DIM).contains(&dim) && is_continuous && search.points.left() > 0 {
        search.from_particles_and_prior(particles, log_evidence);
    }
    search.counts.gradient_evaluations +=
        (budget.saturating_sub(measure) - search.points.left()) as u64;
    (search.found, search.counts)
}

struct Search<'a> {
    points: Points<'a>,
    key: Key,
    found: Vec<LocalMass>,
    counts: Counts,
}

impl Search<'_> {
    fn from_particles_and_prior(&mut self, particles: &Particles, log_evidence: f64) {
        let mut stream = self.key.item(u64::MAX).stream();
        let chosen = (0..CLIMBS).map(|_| stream.random_range(0..particles.len()));
        let mut starts: Vec<Vec<f64>> = chosen.map(|i| particles.position(i).to_vec()).collect();
        starts.extend(prior_draws(&self.points, self.key, CLIMBS));
        for climb in climbs(&self.points, starts) {
            let is_known = |mass: &LocalMass| mass.contains(&climb.end.position);
            if self.found.len() < MODES && !self.found.iter().any(is_known) {
                let found = self.measure(&climb, log_evidence);
                self.found.extend(found);
            }
        }
    }

    /// The mass around the end of a climb; `None` if this is no mode, or if it does not matter.
    fn measure(&mut self, climb: &Climb, log_evidence: f64) -> Option<LocalMass> {
        let density = self.points.density;
        let end = &climb.end;
        let gaussian = Gaussian::at(density, &end.position)?;
        self.counts.gradient_evaluations += 2 * end.position.len() as u64;
        let promised = gaussian.promised_rise(&end.gradient);
        let laplace = end.value - gaussian.log_normaliser;
        if promised.is_nan() || promised > RISE || laplace < log_evidence + LEAST.ln() {
            return None;
        }
        let key = self.key.item(u64::MAX - 1 - self.found.len() as u64);
        let (log_mass, se) = gaussian.mass(density, key, &mut self.counts)?;
        Some(LocalMass {
            mode: end.position.clone(),
            values: density.quantities().output(&end.position),
            factor: gaussian.packed_factor(),
            radius: gaussian.radius(),
            log_mass,
            se,
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
    /// With the curvature of the log density at a place; `None` where that is not concave.
    fn at(density: &dyn LogDensity, mode: &[f64]) -> Option<Self> {
        let lower = Cholesky::new(-density.hessian(mode))?.unpack();
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

    /// The log mass of the density in the ellipsoid and its standard error, by importance sampling; `None` if all of it has density zero.
    fn mass(&self, density: &dyn LogDensity, key: Key, counts: &mut Counts) -> Option<(f64, f64)> {
        let dim = self.mode.len();
        let limit = self.radius().powi(2);
        let mut stream = key.stream();
        let (mut positions, mut log_gaussian) = (Vec::new(), Vec::new());
        for _ in 0..DRAWS {
            let mut z = DVector::from_fn(dim, |_, _| stream.sample::<f64, _>(StandardNormal));
            let distance = z.norm_squared();
            if distance <= limit {
                // the precision is L Lᵀ, so L⁻ᵀ z has the covariance
                self.lower.tr_solve_lower_triangular_mut(&mut z);
                positions.extend_from_slice((&self.mode + z).as_slice());
                log_gaussian.push(self.log_normaliser - 0.5 * distance);
            }
        }
        let mut inside = Particles::new(log_gaussian.len(), dim);
        inside.positions = positions;
        let seen = mover::evaluate(&mut inside, Target::posterior(density));
        counts.density_evaluations += seen.density_evaluations;
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
        let of_all = |sum: f64| sum / DRAWS as f64;
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
