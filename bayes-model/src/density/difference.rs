//! Gradients by central differences, for a density without gradients.

use super::{Block, LogDensity, Particles, weighted};
use nalgebra::DMatrix;

/// Fills the densities of `block` and the gradient of the weighted sum.
///
/// The step `ε^{1/3} max(1, |x|)` balances rounding against curvature (Nocedal and Wright 2006, section 8.1).
pub(super) fn gradient<D: LogDensity + ?Sized>(
    density: &D,
    weights: [f64; 2],
    block: &mut Block<'_>,
) {
    density.evaluate(block);
    let dim = block.dim;
    let mut moved = Particles::new(2 * dim, dim);
    for i in 0..block.len() {
        let row = block.row(i);
        let steps = surround(&block.positions[row.clone()], &mut moved);
        density.evaluate(&mut moved.block());
        let at = |j: usize| weighted(moved.log_prior[j], moved.log_likelihood[j], weights);
        for (k, step) in steps.iter().enumerate() {
            block.gradient[row.start + k] = (at(2 * k) - at(2 * k + 1)) / step;
        }
    }
}

/// The Hessian of the log prior plus the log likelihood, `[dim, dim]`, made symmetric: differences of the gradient with the step of
/// [`gradient`].
pub(super) fn hessian<D: LogDensity + ?Sized>(density: &D, position: &[f64]) -> DMatrix<f64> {
    hessian_by(position, |moved| {
        density.evaluate_gradient([1.0; 2], &mut moved.block());
    })
}

/// The same Hessian; `evaluate` fills in the `2 dim` gradients.
pub fn hessian_by(position: &[f64], evaluate: impl FnOnce(&mut Particles)) -> DMatrix<f64> {
    let dim = position.len();
    let mut moved = Particles::new(2 * dim, dim);
    let steps = surround(position, &mut moved);
    evaluate(&mut moved);
    let slope = |i: usize, k: usize| moved.gradient[i * dim + k];
    let entries = DMatrix::from_fn(dim, dim, |i, k| {
        (slope(2 * i, k) - slope(2 * i + 1, k)) / steps[i]
    });
    0.5 * (&entries + entries.transpose())
}

/// Places a pair of points around `position` for each coordinate; returns the distances of the pairs.
fn surround(position: &[f64], moved: &mut Particles) -> Vec<f64> {
    let dim = position.len();
    for row in moved.positions.chunks_exact_mut(dim.max(1)) {
        row.copy_from_slice(position);
    }
    let distance = |(k, x): (usize, &f64)| {
        let step = f64::EPSILON.cbrt() * x.abs().max(1.0);
        let ends = [x + step, x - step];
        for (side, end) in ends.into_iter().enumerate() {
            moved.positions[(2 * k + side) * dim + k] = end;
        }
        // the distance after rounding
        ends[0] - ends[1]
    };
    position.iter().enumerate().map(distance).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `log prior = -Σ x², log likelihood = sin(x₀) x₁`.
    struct Wave;

    impl LogDensity for Wave {
        fn dim(&self) -> usize {
            2
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [-x[0] * x[0] - x[1] * x[1], x[0].sin() * x[1]]);
        }
    }

    #[test]
    fn differences_are_the_slopes() {
        let mut particles = Particles::new(3, 2);
        let points = [0.3, -1.2, 40.0, 0.0, -2.5, 7.0];
        particles.positions.copy_from_slice(&points);
        Wave.evaluate_gradient([0.5, 2.0], &mut particles.block());
        for (x, found) in points
            .chunks_exact(2)
            .zip(particles.gradient.chunks_exact(2))
        {
            let exact = [-x[0] + 2.0 * x[0].cos() * x[1], -x[1] + 2.0 * x[0].sin()];
            for (found, exact) in found.iter().zip(exact) {
                let size = f64::max(1.0, exact.abs());
                assert!((found - exact).abs() < 1e-7 * size, "{found}, want {exact}");
            }
        }
    }

    /// The gradient of `Wave` in closed form.
    struct Smooth;

    impl LogDensity for Smooth {
        fn dim(&self) -> usize {
            2
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            Wave.evaluate(block);
        }
        fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
            Wave.evaluate(block);
            for (x, slope) in block
                .positions
                .chunks_exact(2)
                .zip(block.gradient.chunks_exact_mut(2))
            {
                slope[0] = -2.0 * weights[0] * x[0] + weights[1] * x[0].cos() * x[1];
                slope[1] = -2.0 * weights[0] * x[1] + weights[1] * x[0].sin();
            }
        }
    }

    #[test]
    fn differences_of_the_gradient_are_the_hessian() {
        for x in [[0.3, -1.2], [40.0, 0.0], [-2.5, 7.0]] {
            let found = LogDensity::hessian(&Smooth, &x);
            let mixed = x[0].cos();
            let exact = [-2.0 - x[0].sin() * x[1], mixed, mixed, -2.0];
            for (found, exact) in found.iter().zip(exact) {
                assert!((found - exact).abs() < 1e-7, "{found}, want {exact}");
            }
        }
    }
}
