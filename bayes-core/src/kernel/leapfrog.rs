//! The leapfrog integrator, in whitened momenta.

use super::factor::Factor;
use crate::density::Block;

/// The two moves of the leapfrog integrator, for every particle of a block with its own step size.
pub(super) struct Leapfrog<'a> {
    /// Step size of each particle.
    pub(super) steps: &'a [f64],
    /// `F` with `M⁻¹ = F Fᵀ`.
    pub(super) factor: &'a Factor,
    /// Whitened momenta `z`, `[particles, dim]`.
    pub(super) momenta: &'a mut [f64],
}

impl Leapfrog<'_> {
    /// `z += c ε Fᵀ ∇ log π_λ(θ)` from the gradient, `[particles, dim]`; c is ½ at the ends of a trajectory and 1
    /// between two drifts, where two half kicks meet.
    pub(super) fn kick(&mut self, fraction: f64, gradient: &[f64]) {
        self.factor
            .add_transposed(gradient, fraction, self.steps, self.momenta);
    }

    /// `θ += ε F z`.
    pub(super) fn drift(&self, block: &mut Block<'_>) {
        self.factor.add(self.momenta, self.steps, block.positions);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Leapfrog steps of a unit harmonic oscillator, `log π = -x²/2`.
    fn orbit(x: &mut [f64], q: &mut [f64], step: f64, leapfrog: usize) {
        let n = x.len();
        let mut gradient: Vec<f64> = x.iter().map(|x| -x).collect();
        let (mut log_prior, mut log_likelihood) = (vec![0.0; n], vec![0.0; n]);
        let steps = vec![step; n];
        let mut integrator = Leapfrog {
            steps: &steps,
            factor: &Factor::Diagonal(vec![1.0]),
            momenta: q,
        };
        integrator.kick(0.5, &gradient);
        for i in 1..=leapfrog {
            let mut block = Block {
                dim: 1,
                positions: x,
                log_prior: &mut log_prior,
                log_likelihood: &mut log_likelihood,
                gradient: &mut gradient,
            };
            integrator.drift(&mut block);
            block
                .gradient
                .iter_mut()
                .zip(block.positions.iter())
                .for_each(|(g, x)| *g = -x);
            integrator.kick(if i < leapfrog { 1.0 } else { 0.5 }, block.gradient);
        }
    }

    fn energy(x: f64, q: f64) -> f64 {
        0.5 * (x * x + q * q)
    }

    #[test]
    fn the_integrator_is_reversible() {
        let (mut x, mut q) = ([0.3, -1.7], [1.1, 0.4]);
        orbit(&mut x, &mut q, 0.3, 17);
        q.iter_mut().for_each(|q| *q = -*q);
        orbit(&mut x, &mut q, 0.3, 17);
        for (found, start) in x.iter().chain(&q).zip([0.3, -1.7, -1.1, -0.4]) {
            assert!(
                (found - start).abs() < 1e-12,
                "{found} after there and back, want {start}"
            );
        }
    }

    #[test]
    fn the_energy_error_falls_with_the_square_of_the_step() {
        let error = |step: f64| {
            let (mut x, mut q) = ([0.8], [0.6]);
            orbit(&mut x, &mut q, step, (1.0 / step) as usize);
            (energy(x[0], q[0]) - energy(0.8, 0.6)).abs()
        };
        let ratio = error(0.1) / error(0.05);
        assert!((ratio - 4.0).abs() < 0.2, "energy errors in ratio {ratio}");
    }
}
