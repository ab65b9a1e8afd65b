//! Energy errors of a trajectory that shorter steps would lower, apart from jumps of the density, which are the same for every step.

use super::factor::half_square;

/// A state with a larger energy error has hardly a chance to be selected: `exp(-3)` is 0.05. Where a step suits the posterior, errors this
/// large are rare (1e-7 of the states of a Gaussian at a mean acceptance of 0.8).
const ROUGH_ENERGY_ERROR: f64 = 3.0;

/// Energy errors of one step that are at most this large are not examined.
const SMALL: f64 = 0.5;
/// A step whose energy error is larger than this multiple of what its slopes explain has crossed a jump.
const UNEXPLAINED: f64 = 2.0;

/// The last state at one end of a trajectory, and the jumps on the way to it from the start.
#[derive(Clone, Debug, Default)]
pub(super) struct Way {
    /// Whitened gradient of the log density, `[dim]`.
    force: Vec<f64>,
    /// The log of `exp(H_start - H)`.
    log_ratio: f64,
    /// The sum of the jumps of the log density.
    jumped: f64,
}

/// A leapfrog step: its signed size, and the whitened momentum and gradient at its end, each `[dim]`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step<'a> {
    pub(super) size: f64,
    pub(super) momentum: &'a [f64],
    pub(super) force: &'a [f64],
}

impl Way {
    /// Begins at a state with this whitened gradient.
    pub(super) fn reset(&mut self, force: &[f64]) {
        self.force.clear();
        self.force.extend_from_slice(force);
        (self.log_ratio, self.jumped) = (0.0, 0.0);
    }

    /// Goes on to a state with this log of `exp(H_start - H)`; returns it without the jumps on the way.
    pub(super) fn follow(&mut self, log_ratio: f64, step: Step<'_>) -> f64 {
        let error = log_ratio - self.log_ratio;
        // false for infinities, behind which there is no state
        if error.abs() > SMALL && error.abs() > SMALL + UNEXPLAINED * explained(&self.force, step) {
            self.jumped += error;
        }
        self.log_ratio = log_ratio;
        self.force.copy_from_slice(step.force);
        log_ratio - self.jumped
    }
}

/// Whether a state has a large energy error, which is not that of an edge with a density of 0: shorter steps meet it as often.
pub(super) fn is_rough(log_ratio: f64) -> bool {
    log_ratio.is_finite() && log_ratio < -ROUGH_ENERGY_ERROR
}

/// The largest energy error of a step between two slopes of a log density that is concave, or convex, between them.
///
/// With the momentum `z = z₁ - ½ ε f₁` in the middle of the step, the slopes `aᵢ = ε fᵢ · z` along it and the momenta `z ± ½ ε fᵢ` at its ends,
///
/// ```text
/// H₀ - H₁ = [ln π₁ - ln π₀ - ½ (a₀ + a₁)] - ⅛ ε² (|f₁|² - |f₀|²)
/// ```
///
/// and the difference of the log densities is between `a₀` and `a₁`. A jump adds to it at any slopes.
fn explained(before: &[f64], step: Step<'_>) -> f64 {
    let Step {
        size,
        momentum,
        force,
    } = step;
    let slopes = before.iter().zip(force).zip(momentum);
    let bend: f64 = slopes
        .map(|((f0, f1), z)| (f1 - f0) * (z - 0.5 * size * f1))
        .sum();
    let kinetic = 0.25 * size * size * (half_square(force) - half_square(before));
    0.5 * (size * bend).abs() + kinetic.abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The log ratio without jumps after steps of this size in one dimension, from a state with momentum -2.
    fn after(log_density: impl Fn(f64) -> [f64; 2], start: f64, size: f64, steps: usize) -> f64 {
        let (mut x, mut z) = (start, -2.0);
        let [at_start, mut f] = log_density(x);
        let mut way = Way::default();
        way.reset(&[f]);
        let mut left = 0.0;
        for _ in 0..steps {
            z += 0.5 * size * f;
            x += size * z;
            let [value, force] = log_density(x);
            f = force;
            z += 0.5 * size * f;
            let log_ratio = value - 0.5 * z * z - at_start + 2.0;
            let (momentum, force) = ([z], [f]);
            let step = Step {
                size,
                momentum: &momentum,
                force: &force,
            };
            left = way.follow(log_ratio, step);
        }
        left
    }

    /// A normal density that is lower by 6 below 0.
    fn jump(x: f64) -> [f64; 2] {
        [-0.5 * x * x - if x < 0.0 { 6.0 } else { 0.0 }, -x]
    }

    /// Would detect a jump that counts as an energy error, and one that is left out after the way back.
    #[test]
    fn jumps_do_not_count_at_any_step() {
        for size in [0.01, 0.1, 0.5] {
            for steps in 1..=((6.0 / size) as usize) {
                let left = after(jump, 0.5, size, steps);
                assert!(left.abs() < 0.3, "size {size}, {steps} steps: {left}");
            }
        }
    }

    /// The end of `u.min(0)` below 0, tens of steps of which fit into what is above: every step behind it counts.
    #[test]
    fn a_narrow_end_counts_at_steps_that_are_too_long() {
        let end = |u: f64| {
            let p = 1.0 / (1.0 + (-u).exp());
            [u.min(0.0) - (-u.abs()).exp().ln_1p(), 1.0 - p]
        };
        for (start, size) in [(4.0, 20.0), (5.0, 50.0), (3.0, 8.0), (30.0, 100.0)] {
            let left = after(end, start, size, 1);
            assert!(is_rough(left), "from {start} by {size}: {left}");
        }
        // a step that suits the end
        assert!(!is_rough(after(end, 1.0, 0.5, 4)));
    }

    /// A step that is too long for a normal density.
    #[test]
    fn unstable_steps_count() {
        let normal = |x: f64| [-0.5 * x * x, -x];
        assert!(is_rough(after(normal, 1.5, 2.3, 4)));
    }
}
