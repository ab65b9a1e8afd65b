//! The leapfrog integrator, in whitened momenta.

use super::Tuning;
use crate::density::Block;

/// The two moves of the leapfrog integrator, for every particle of a block by its own step size.
pub(super) struct Flow<'a> {
    /// Step size of each particle.
    pub(super) steps: &'a [f64],
    pub(super) factor: MassFactor<'a>,
    /// Whitened momenta `z`, `[particles, dim]`.
    pub(super) momenta: &'a mut [f64],
}

/// `F` with `M⁻¹ = F Fᵀ`.
pub(super) enum MassFactor<'a> {
    /// Square roots of the inverse masses.
    Diagonal(Vec<f64>),
    /// Lower triangle, `[dim, dim]` row-major.
    Lower(&'a [f64]),
}

impl<'a> Flow<'a> {
    /// The flow of a kernel tuned so.
    pub(super) fn new(tuning: &'a Tuning, steps: &'a [f64], momenta: &'a mut [f64]) -> Self {
        let factor = if tuning.factor.is_empty() {
            MassFactor::Diagonal(tuning.scale.iter().map(|w| w.sqrt()).collect())
        } else {
            MassFactor::Lower(&tuning.factor)
        };
        Self {
            steps,
            factor,
            momenta,
        }
    }

    /// `z += ½ ε Fᵀ ∇ log π_λ(θ)`.
    pub(super) fn half_kick(&mut self, block: &Block<'_>) {
        for (i, step) in self.steps.iter().enumerate() {
            let row = block.row(i);
            self.factor.add_transposed(
                &block.gradient[row.clone()],
                0.5 * step,
                &mut self.momenta[row],
            );
        }
    }

    /// `θ += ε F z`.
    pub(super) fn drift(&self, block: &mut Block<'_>) {
        for (i, step) in self.steps.iter().enumerate() {
            let row = block.row(i);
            self.factor
                .add(&self.momenta[row.clone()], *step, &mut block.positions[row]);
        }
    }
}

impl MassFactor<'_> {
    /// `to += scale * F from`.
    fn add(&self, from: &[f64], scale: f64, to: &mut [f64]) {
        match self {
            Self::Diagonal(roots) => {
                to.iter_mut()
                    .zip(from)
                    .zip(roots)
                    .for_each(|((t, f), r)| *t += scale * r * f);
            }
            Self::Lower(lower) => {
                for (k, t) in to.iter_mut().enumerate() {
                    let row = &lower[k * from.len()..=k * from.len() + k];
                    *t += scale * row.iter().zip(from).map(|(l, f)| l * f).sum::<f64>();
                }
            }
        }
    }

    /// `to += scale * Fᵀ from`.
    fn add_transposed(&self, from: &[f64], scale: f64, to: &mut [f64]) {
        match self {
            Self::Diagonal(_) => self.add(from, scale, to),
            Self::Lower(lower) => {
                for (k, f) in from.iter().enumerate() {
                    let row = &lower[k * from.len()..=k * from.len() + k];
                    to.iter_mut()
                        .zip(row)
                        .for_each(|(t, l)| *t += scale * l * f);
                }
            }
        }
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
        let mut flow = Flow {
            steps: &steps,
            factor: MassFactor::Diagonal(vec![1.0]),
            momenta: q,
        };
        for _ in 0..leapfrog {
            let mut block = Block {
                dim: 1,
                positions: x,
                log_prior: &mut log_prior,
                log_likelihood: &mut log_likelihood,
                gradient: &mut gradient,
            };
            flow.half_kick(&block);
            flow.drift(&mut block);
            block
                .gradient
                .iter_mut()
                .zip(block.positions.iter())
                .for_each(|(g, x)| *g = -x);
            flow.half_kick(&block);
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

    /// A made-up lower triangle, `[3, 3]`; what lies above the diagonal must not be read.
    const LOWER: [f64; 9] = [2.0, f64::NAN, f64::NAN, 0.5, 1.5, f64::NAN, -1.0, 3.0, 0.25];

    #[test]
    fn a_diagonal_triangle_moves_as_the_diagonal_does() {
        let lower = [2.0, 0.0, 0.0, 0.0, 1.5, 0.0, 0.0, 0.0, 0.25];
        let (dense, diagonal) = (
            MassFactor::Lower(&lower),
            MassFactor::Diagonal(vec![2.0, 1.5, 0.25]),
        );
        let (from, start) = ([0.3, -1.2, 4.0], [1.0, 2.0, 3.0]);
        for apply in [MassFactor::add, MassFactor::add_transposed] {
            let (mut by_dense, mut by_diagonal) = (start, start);
            apply(&dense, &from, 0.5, &mut by_dense);
            apply(&diagonal, &from, 0.5, &mut by_diagonal);
            assert_eq!(by_dense, by_diagonal);
            assert_eq!(by_dense, [1.3, 1.1, 3.5]);
        }
    }

    #[test]
    fn the_two_products_with_the_factor_are_transposes() {
        let factor = MassFactor::Lower(&LOWER);
        let unit = |k: usize| std::array::from_fn::<f64, 3, _>(|i| f64::from(u8::from(i == k)));
        for k in 0..3 {
            let (mut column, mut row) = ([0.0; 3], [0.0; 3]);
            factor.add(&unit(k), 1.0, &mut column);
            factor.add_transposed(&unit(k), 1.0, &mut row);
            for i in 0..3 {
                let entry = |i: usize, k: usize| if k <= i { LOWER[3 * i + k] } else { 0.0 };
                assert_eq!((column[i], row[i]), (entry(i, k), entry(k, i)));
            }
        }
    }
}
