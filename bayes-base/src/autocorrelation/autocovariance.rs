//! Autocovariances of a chain at all lags, by the fast Fourier transform.

use std::f64::consts::PI;

/// A complex number: real and imaginary part.
type Complex = (f64, f64);

/// The roots of unity of the transform for chains of one length.
pub(super) struct Autocovariance {
    draws: usize,
    roots: Vec<Complex>,
}

impl Autocovariance {
    /// The transform for chains of `draws` draws.
    pub(super) fn new(draws: usize) -> Self {
        // Twice the length, so that the circular correlation of the transform does not wrap around.
        let half = draws.next_power_of_two();
        // Each root from its own angle: repeated products would lose digits.
        let root = |k: usize| {
            let (sin, cos) = (-PI * k as f64 / half as f64).sin_cos();
            (cos, sin)
        };
        Self {
            draws,
            roots: (0..half).map(root).collect(),
        }
    }

    /// Autocovariances at lags 0 to n − 1, with divisor n at every lag (which keeps them positive definite).
    pub(super) fn of(&self, chain: &[f64]) -> Vec<f64> {
        let mean = chain.iter().sum::<f64>() / self.draws as f64;
        let mut spectrum: Vec<Complex> = vec![(0.0, 0.0); 2 * self.roots.len()];
        for (slot, value) in spectrum.iter_mut().zip(chain) {
            slot.0 = value - mean;
        }
        self.transform(&mut spectrum);
        for slot in &mut spectrum {
            *slot = (slot.0 * slot.0 + slot.1 * slot.1, 0.0);
        }
        // The power spectrum is real and even, so the forward transform is its own inverse up to scale.
        self.transform(&mut spectrum);
        let scale = 1.0 / (spectrum.len() as f64 * self.draws as f64);
        spectrum[..self.draws]
            .iter()
            .map(|slot| slot.0 * scale)
            .collect()
    }

    /// The discrete Fourier transform in place (Cooley & Tukey 1965).
    fn transform(&self, values: &mut [Complex]) {
        let unused = usize::BITS - values.len().trailing_zeros();
        for i in 0..values.len() {
            let j = i.reverse_bits() >> unused;
            if i < j {
                values.swap(i, j);
            }
        }
        let mut half = 1;
        while half < values.len() {
            let stride = self.roots.len() / half;
            for block in values.chunks_exact_mut(2 * half) {
                let (low, high) = block.split_at_mut(half);
                let roots = self.roots.iter().step_by(stride);
                for ((a, b), w) in low.iter_mut().zip(high).zip(roots) {
                    let turned = (b.0 * w.0 - b.1 * w.1, b.0 * w.1 + b.1 * w.0);
                    (*a, *b) = (
                        (a.0 + turned.0, a.1 + turned.1),
                        (a.0 - turned.0, a.1 - turned.1),
                    );
                }
            }
            half *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agrees_with_the_sum_that_defines_it() {
        for n in [1usize, 2, 5, 64, 100] {
            let chain: Vec<f64> = (0..n)
                .map(|i| ((i * i) as f64 * 0.37).sin() + 1e3)
                .collect();
            let mean = chain.iter().sum::<f64>() / n as f64;
            let fast = Autocovariance::new(n).of(&chain);
            for lag in 0..n {
                let products = chain[lag..].iter().zip(&chain);
                let sum: f64 = products.map(|(a, b)| (a - mean) * (b - mean)).sum();
                assert!(
                    (fast[lag] - sum / n as f64).abs() < 1e-11,
                    "n {n}, lag {lag}"
                );
            }
        }
    }
}
