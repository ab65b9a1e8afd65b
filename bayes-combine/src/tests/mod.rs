//! Gaussian parts, whose product is known, with independent draws and fixed seeds.

mod faults;
mod missed;
mod pai;
mod plain;

use super::gaussian::Gaussian;
use super::*;
use bayes_core::density::{Block, LogDensity, Particles, Quantities};
use bayes_core::engine::Common;
use bayes_core::rng;
use bayes_core::run::{Chain, Group, GroupKind, Run, Weighting};
use nalgebra::{DMatrix, DVector};

/// A Gaussian part, not normalised, with a fingerprint or without.
struct Normals {
    gaussian: Gaussian,
    fingerprint: u64,
}

impl LogDensity for Normals {
    fn dim(&self) -> usize {
        self.gaussian.mean.len()
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| [0.0, self.gaussian.log_density(x) - 7.0]);
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl Quantities for Normals {
    fn fingerprint(&self) -> u64 {
        self.fingerprint
    }
}

fn normals(mean: &[f64], covariance: &[f64], fingerprint: u64) -> Normals {
    let dim = mean.len();
    let covariance = DMatrix::from_row_slice(dim, dim, covariance);
    let gaussian = Gaussian::new(DVector::from_column_slice(mean), covariance);
    Normals {
        gaussian: gaussian.expect("it is positive definite"),
        fingerprint,
    }
}

/// Three parts in two dimensions that overlap, of different shapes.
fn three() -> Vec<Normals> {
    vec![
        normals(&[0.3, -1.0], &[1.0, 0.3, 0.3, 2.0], 1),
        normals(&[-0.2, 0.4], &[1.5, -0.4, -0.4, 0.8], 2),
        normals(&[0.6, 0.1], &[0.7, 0.0, 0.0, 1.2], 3),
    ]
}

/// A run at these positions.
pub(super) fn run_at(density: &dyn LogDensity, positions: Vec<f64>) -> Run {
    let mut particles = Particles::new(positions.len() / density.dim(), density.dim());
    particles.positions = positions;
    density.evaluate(&mut particles.block());
    let groups = vec![Group::of_particles(
        0,
        Chain::default(),
        particles,
        density.quantities(),
    )];
    let kind = (GroupKind::Chains, Weighting::Equal);
    Common::new("test").run_without_kernel(density, kind, Default::default(), groups)
}

/// A run of independent draws.
fn run_of(part: &Normals, draws: usize, seed: u64) -> Run {
    let mut stream = rng::stream(seed);
    let draws = (0..draws).flat_map(|_| part.gaussian.draw(&mut stream));
    run_at(part, draws.collect())
}

fn runs_of(parts: &[Normals], draws: usize) -> Vec<Run> {
    let runs = parts.iter().zip(10..);
    runs.map(|(part, seed)| run_of(part, draws, seed)).collect()
}

fn text<T>(result: Result<T, bayes_core::Error>) -> String {
    result.err().expect("an error").to_string()
}
