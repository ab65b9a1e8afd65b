//! Densities and gradients per second on one core.

use super::state::Problem;
use crate::Lab;
use bayes::density::{LogDensity, Particles, Posterior};
use bayes::rng::stream;
use bayes_experiments::tomography::normals;
use std::time::Instant;

/// Number of particles evaluated together, as many as in an island.
const PARTICLES: usize = 32;
/// Number of rounds that alternate densities and gradients; the fastest of each counts.
const ROUNDS: usize = 5;

/// Prints densities and gradients per second, and the time of a gradient in units of densities.
pub fn print(lab: &Lab, problem: Problem) {
    let measured = problem.measured(lab.cells.seed);
    let model = measured.model();
    let start = Instant::now();
    let posterior = Posterior::new(&model, 1)
        .unwrap_or_else(|e| bayes_experiments::common::fail(&e.to_string()));
    let recorded = start.elapsed().as_secs_f64();
    let mut particles = Particles::new(PARTICLES, problem.coordinates());
    let positions = normals(&mut stream(1), particles.positions.len());
    particles.positions.copy_from_slice(&positions);
    let repeats = (200_000 / problem.coordinates().pow(2)).max(1);
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..lab.options.size(ROUNDS, 1) {
        for (kind, fastest) in fastest.iter_mut().enumerate() {
            let start = Instant::now();
            for _ in 0..repeats {
                match kind {
                    0 => posterior.evaluate(&mut particles.block()),
                    _ => posterior.evaluate_gradient([1.0, 1.0], &mut particles.block()),
                }
            }
            let each = start.elapsed().as_secs_f64() / (repeats * PARTICLES) as f64;
            *fastest = fastest.min(each);
        }
    }
    let [value, gradient] = fastest;
    lab.say(&format!(
        "{}: {:.0} densities and {:.0} gradients a second and core, a gradient takes {:.2} densities; recorded in {recorded:.2} s",
        super::state::qubits(problem.qubits),
        1.0 / value,
        1.0 / gradient,
        gradient / value
    ));
}
