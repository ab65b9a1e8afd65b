//! The leapfrog integrator, in whitened momenta.

use super::factor::{Factor, half_square};
use super::microcanonical::turn;
use crate::density::{Counts, Particles, Target};
use bayes_autodiff::simd::{InstructionSet, Simd, Work, dispatch};

/// States of several particles in phase space.
#[derive(Clone, Debug, Default)]
pub(super) struct States {
    /// Positions with cached densities and gradients.
    pub(super) particles: Particles,
    /// Whitened momenta `z`, or in microcanonical motion whitened unit velocities `u`, `[particles, dim]`.
    pub(super) momenta: Vec<f64>,
    /// What turns of the velocity added to the energy, `[particles]`; 0 in Hamiltonian motion.
    pub(super) work: Vec<f64>,
    /// Whitened gradients `Fᵀ ∇ log π_λ(θ)`, `[particles, dim]`.
    pub(super) forces: Vec<f64>,
    /// Kinetic energies `½ |z|²` after the last step or refresh, `[particles]`.
    pub(super) kinetic: Vec<f64>,
    /// Ones, `[particles]`.
    ones: Vec<f64>,
}

impl States {
    /// Memory for `n` particles; allocates only if the size changes.
    pub(super) fn prepare(&mut self, n: usize, dim: usize) {
        if self.particles.len() == n && self.particles.dim == dim {
            return;
        }
        self.particles = Particles::new(n, dim);
        self.momenta = vec![0.0; n * dim];
        self.work = vec![0.0; n];
        self.forces = vec![0.0; n * dim];
        self.kinetic = vec![0.0; n];
        self.ones = vec![1.0; n];
    }

    /// Replaces the state `to` by the state `at` of `from`.
    pub(super) fn copy(&mut self, to: usize, from: &Self, at: usize) {
        let dim = self.particles.dim;
        let rows = [
            (&mut self.particles.positions, &from.particles.positions),
            (&mut self.particles.gradient, &from.particles.gradient),
            (&mut self.momenta, &from.momenta),
            (&mut self.forces, &from.forces),
        ];
        for (into, from) in rows {
            into[to * dim..][..dim].copy_from_slice(&from[at * dim..][..dim]);
        }
        self.work[to] = from.work[at];
        self.kinetic[to] = from.kinetic[at];
        self.particles.log_prior[to] = from.particles.log_prior[at];
        self.particles.log_likelihood[to] = from.particles.log_likelihood[at];
    }

    /// Copies to the state `to` everything that its next leapfrog step needs from the state `at` of `from`: not the gradient or the
    /// energies.
    pub(super) fn restart(&mut self, to: usize, from: &Self, at: usize) {
        self.restart_all(to, from, at, 1);
    }

    /// The same for `n` states in a row.
    pub(super) fn restart_all(&mut self, to: usize, from: &Self, at: usize, n: usize) {
        let dim = self.particles.dim;
        let rows = [
            (&mut self.particles.positions, &from.particles.positions),
            (&mut self.momenta, &from.momenta),
            (&mut self.forces, &from.forces),
        ];
        for (into, from) in rows {
            into[to * dim..][..n * dim].copy_from_slice(&from[at * dim..][..n * dim]);
        }
        self.work[to..][..n].copy_from_slice(&from.work[at..][..n]);
    }

    /// Replaces the state `to` by the state `from`.
    pub(super) fn move_row(&mut self, from: usize, to: usize) {
        let dim = self.particles.dim;
        let lists = [
            &mut self.particles.positions,
            &mut self.particles.gradient,
            &mut self.momenta,
            &mut self.forces,
        ];
        for list in lists {
            list.copy_within(from * dim..(from + 1) * dim, to * dim);
        }
        self.work[to] = self.work[from];
        self.kinetic[to] = self.kinetic[from];
        self.particles.log_prior[to] = self.particles.log_prior[from];
        self.particles.log_likelihood[to] = self.particles.log_likelihood[from];
    }

    /// The momentum of particle `i`, `[dim]`.
    pub(super) fn momentum(&mut self, i: usize) -> &mut [f64] {
        let dim = self.particles.dim;
        &mut self.momenta[i * dim..][..dim]
    }

    /// Fills the kinetic energy of particle `i` from its momentum.
    pub(super) fn refresh_kinetic(&mut self, i: usize) {
        self.kinetic[i] = half_square(self.momentum(i));
    }

    /// The energy `H = -log π_λ(θ) + ½ |z|²` of particle `i` after the last step or refresh; in microcanonical motion
    /// `½ + work - log π_λ(θ)`.
    pub(super) fn energy(&self, target: Target<'_>, i: usize) -> f64 {
        let particles = &self.particles;
        let densities = [particles.log_prior[i], particles.log_likelihood[i]];
        let kinetic = self.kinetic[i] + self.work[i];
        kinetic - target.log_density_of(densities)
    }
}

/// How particles move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Motion {
    /// By momenta, which the gradient changes.
    Hamiltonian,
    /// At unit speed, by velocities that the gradient turns ([`turn`]).
    Microcanonical,
}

/// The motion of particles with the energy of a target and a metric.
#[derive(Clone, Copy)]
pub(super) struct Dynamics<'a> {
    /// The target.
    pub(super) target: Target<'a>,
    /// `F` with `M⁻¹ = F Fᵀ`.
    pub(super) factor: &'a Factor,
    /// The equations of motion.
    pub(super) motion: Motion,
}

impl Dynamics<'_> {
    /// Fills the whitened gradient of state `i` from its gradient.
    pub(super) fn refresh_row(&self, states: &mut States, i: usize) {
        let dim = states.particles.dim;
        let row = i * dim..(i + 1) * dim;
        let force = &mut states.forces[row.clone()];
        force.fill(0.0);
        let gradient = &states.particles.gradient[row];
        self.factor.add_transposed(gradient, 1.0, &[1.0], force);
    }

    /// Fills the whitened gradients of the first `n` states from their gradients, and their kinetic energies.
    #[cfg(test)]
    pub(super) fn refresh(&self, states: &mut States, n: usize) {
        for i in 0..n {
            self.refresh_row(states, i);
            states.refresh_kinetic(i);
        }
    }

    /// One leapfrog step of the first `steps.len()` states, each with its own step size.
    ///
    /// ```text
    /// z += ½ ε Fᵀ ∇ log π_λ(θ),    θ += ε F z,    z += ½ ε Fᵀ ∇ log π_λ(θ)
    /// ```
    ///
    /// In microcanonical motion the gradient turns the velocity for a time `½ ε` in place of the first and last line.
    pub(super) fn step(&self, states: &mut States, steps: &[f64], counts: &mut Counts) {
        let level = InstructionSet::detect();
        let dynamics = *self;
        dispatch(
            level,
            Departure {
                dynamics,
                states,
                steps,
            },
        );
        let mut moved = states.particles.first(steps.len());
        self.target.evaluate_gradient(&mut moved, counts);
        dispatch(
            level,
            Arrival {
                dynamics,
                states,
                steps,
            },
        );
    }

    /// The effect of the gradients on the first `steps.len()` momenta in half of a step.
    #[inline(always)]
    fn half_kick<S: Simd>(&self, states: &mut States, steps: &[f64]) {
        let n = steps.len();
        let all = n * states.particles.dim;
        let (forces, momenta) = (&states.forces[..all], &mut states.momenta[..all]);
        match self.motion {
            Motion::Hamiltonian => half_kick::<S>(steps, forces, momenta),
            Motion::Microcanonical => {
                let dim = states.particles.dim;
                let rows = momenta.chunks_exact_mut(dim).zip(forces.chunks_exact(dim));
                for ((step, work), (velocity, force)) in
                    steps.iter().zip(&mut states.work).zip(rows)
                {
                    *work += turn(velocity, force, 0.5 * step);
                }
            }
        }
    }
}

/// The part of a step before the gradient: half a kick, and the way of the positions.
struct Departure<'a> {
    dynamics: Dynamics<'a>,
    states: &'a mut States,
    steps: &'a [f64],
}

impl Work for Departure<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let (states, steps) = (self.states, self.steps);
        self.dynamics.half_kick::<S>(states, steps);
        let all = steps.len() * states.particles.dim;
        let (momenta, positions) = (&states.momenta[..all], &mut states.particles.positions);
        let factor = self.dynamics.factor;
        factor
            .product(momenta, steps, &mut positions[..all])
            .run::<S>();
    }
}

/// The part of a step after the gradient: the other half of the kick, and the kinetic energies.
struct Arrival<'a> {
    dynamics: Dynamics<'a>,
    states: &'a mut States,
    steps: &'a [f64],
}

impl Work for Arrival<'_> {
    type Output = ();
    #[inline(always)]
    fn run<S: Simd>(self) {
        let (states, steps) = (self.states, self.steps);
        let (n, dim) = (steps.len(), states.particles.dim);
        let gradient = &states.particles.gradient[..n * dim];
        let forces = &mut states.forces[..n * dim];
        forces.fill(0.0);
        let factor = self.dynamics.factor;
        factor
            .transposed(gradient, &states.ones[..n], forces)
            .run::<S>();
        self.dynamics.half_kick::<S>(states, steps);
        for i in 0..n {
            states.kinetic[i] = half_square(&states.momenta[i * dim..][..dim]);
        }
    }
}

/// `z += ½ ε Fᵀ ∇ log π` from whitened gradients, each row by its own step size.
// by index, because `zip` is a call where the crate is compiled in several units; eight coordinates at a time, because the compiler's own
// loop over a row takes more at a time than most rows have
#[inline(always)]
fn half_kick<S: Simd>(steps: &[f64], forces: &[f64], momenta: &mut [f64]) {
    let dim = forces.len() / steps.len();
    for i in 0..steps.len() {
        let half = 0.5 * steps[i];
        let (eights, rest) = momenta[i * dim..][..dim].as_chunks_mut();
        let (forces, forces_rest) = forces[i * dim..][..dim].as_chunks();
        for k in 0..eights.len() {
            let kick = S::mul(S::splat(half), S::load(&forces[k]));
            S::store(S::add(S::load(&eights[k]), kick), &mut eights[k]);
        }
        for k in 0..rest.len() {
            rest[k] += half * forces_rest[k];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{Block, LogDensity};

    /// A unit harmonic oscillator, `log π = -x²/2`.
    struct Oscillator;

    impl LogDensity for Oscillator {
        fn dim(&self) -> usize {
            1
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, -0.5 * x[0] * x[0]]);
        }
        fn evaluate_gradient(&self, _: [f64; 2], block: &mut Block<'_>) {
            block.fill_gradient(|x, gradient| {
                gradient[0] = -x[0];
                [0.0, -0.5 * x[0] * x[0]]
            });
        }
    }

    /// Moves the oscillators along their orbits.
    fn orbit(states: &mut States, step: f64, leapfrog: usize) {
        let n = states.particles.len();
        let dynamics = Dynamics {
            target: Target::posterior(&Oscillator),
            factor: &Factor::Diagonal(vec![1.0]),
            motion: Motion::Hamiltonian,
        };
        let mut counts = Counts::default();
        let mut block = states.particles.block();
        dynamics.target.evaluate_gradient(&mut block, &mut counts);
        dynamics.refresh(states, n);
        for _ in 0..leapfrog {
            dynamics.step(states, &vec![step; n], &mut counts);
        }
    }

    fn oscillators(positions: &[f64], momenta: &[f64]) -> States {
        let mut states = States::default();
        states.prepare(positions.len(), 1);
        states.particles.positions.copy_from_slice(positions);
        states.momenta.copy_from_slice(momenta);
        states
    }

    #[test]
    fn the_integrator_is_reversible() {
        let mut states = oscillators(&[0.3, -1.7], &[1.1, 0.4]);
        orbit(&mut states, 0.3, 17);
        states.momenta.iter_mut().for_each(|z| *z = -*z);
        orbit(&mut states, 0.3, 17);
        let found = states.particles.positions.iter().chain(&states.momenta);
        for (found, start) in found.zip([0.3, -1.7, -1.1, -0.4]) {
            assert!(
                (found - start).abs() < 1e-12,
                "{found} after there and back, want {start}"
            );
        }
    }

    #[test]
    fn the_energy_error_falls_with_the_square_of_the_step() {
        let error = |step: f64| {
            let mut states = oscillators(&[0.8], &[0.6]);
            orbit(&mut states, step, (1.0 / step) as usize);
            (states.energy(Target::posterior(&Oscillator), 0) - 0.5).abs()
        };
        let ratio = error(0.1) / error(0.05);
        assert!((ratio - 4.0).abs() < 0.2, "energy errors in ratio {ratio}");
    }
}
