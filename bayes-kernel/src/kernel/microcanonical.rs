//! Microcanonical motion: at unit speed, by a velocity that the gradient turns (Ver Steeg and Galstyan 2021; Robnik et al. 2023).
//!
//! ```text
//! dθ/dt = F u,    du/dt = (I − u uᵀ) g / (d − 1),    g = Fᵀ ∇ log π_λ(θ),    |u| = 1
//! ```
//!
//! The motion leaves `π_λ(θ)` times the uniform distribution of directions invariant, although no momentum carries energy. It does not
//! preserve volume: turning towards the gradient concentrates directions. The logarithm of that concentration, summed over the turns of a
//! trajectory, is its work, and `work − log π_λ` is constant along an exact trajectory. A leapfrog trajectory is accepted with probability
//! `min(1, exp(−change))` (Robnik, Cohn-Gordon and Seljak 2025, equation 8).

use super::factor::sum_of;

/// Scales a vector to unit length; false if its length is 0 or not finite.
pub(super) fn to_unit_length(vector: &mut [f64]) -> bool {
    let length = norm(vector);
    vector.iter_mut().for_each(|x| *x /= length);
    length > 0.0 && length.is_finite()
}

fn norm(x: &[f64]) -> f64 {
    sum_of(x.len(), |k| x[k] * x[k]).sqrt()
}

/// Turns a unit velocity `u` for a time by a constant force `g`; returns the work. A negative time turns it back.
///
/// With `e = g / |g|`, `p = e · u`, `δ = time |g| / (d − 1)` and `ζ = exp(−δ)`:
///
/// ```text
/// u ← (u + e (sinh δ + p (cosh δ − 1))) / (cosh δ + p sinh δ)
///   ∝ 2 ζ u + e (1 − ζ) (1 + p + ζ (1 − p))
/// work = (d − 1) ln(cosh δ + p sinh δ) = (d − 1) (δ + ln(½ (1 + p + ζ² (1 − p))))
/// ```
///
/// The second forms do not overflow for a large `δ`; a negative one is the same with `−e`. A force that is not finite, or so strong that
/// the velocity cannot be computed, gives NaN.
pub(super) fn turn(velocity: &mut [f64], force: &[f64], time: f64) -> f64 {
    let (dim, strength) = (velocity.len(), norm(force));
    if strength == 0.0 || time == 0.0 {
        return 0.0;
    }
    let freedom = (dim - 1) as f64;
    let delta = time.abs() * strength / freedom;
    let unit = time.signum() / strength;
    let cosine = unit * sum_of(dim, |k| velocity[k] * force[k]);
    let less = 1.0 - cosine;
    // an opposite force, where 1 + p would have no digits
    let more = if cosine < -0.5 {
        0.5 * sum_of(dim, |k| (velocity[k] + unit * force[k]).powi(2))
    } else {
        1.0 + cosine
    };
    let (left, zeta) = (-(-delta).exp_m1(), (-delta).exp());
    let towards = left * (more + zeta * less) * unit;
    for (u, g) in velocity.iter_mut().zip(force) {
        *u = 2.0 * zeta * *u + towards * g;
    }
    if !to_unit_length(velocity) {
        return f64::NAN;
    }
    // 1 minus the argument of the logarithm, which is accurate where that is near 1
    let lost = -0.5 * less * (-2.0 * delta).exp_m1();
    let log = if lost < 0.5 {
        (-lost).ln_1p()
    } else {
        (0.5 * (more + zeta * zeta * less)).ln()
    };
    let work = freedom * (delta + log);
    if work.is_finite() { work } else { f64::NAN }
}

/// Draws a number of steps whose mean is `mean`, at least 1: uniform from 1 up to about `2 mean − 1`, from a number uniform in (0, 1).
///
/// It is `⌈s v⌉`, with the real s for which the mean is exact.
pub(super) fn steps_about(mean: f64, uniform: f64) -> usize {
    let mean = mean.max(1.0);
    let whole = (2.0 * mean - 1.0).floor();
    let rest = whole * (mean - 0.5 * (whole + 1.0)) / (whole + 1.0 - mean);
    ((whole + rest) * uniform).ceil().max(1.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::{Block, Counts, LogDensity, Target};
    use crate::kernel::Factor;
    use crate::kernel::leapfrog::{Dynamics, Motion, States};

    const DIM: usize = 4;

    /// `log π = −¼ Σ (x_k² / s_k²)² − ½ Σ x_k²`, in four coordinates of different scales.
    struct Quartic;

    const SCALES: [f64; DIM] = [0.5, 1.0, 1.5, 2.0];

    impl LogDensity for Quartic {
        fn dim(&self) -> usize {
            DIM
        }
        fn evaluate(&self, block: &mut Block<'_>) {
            block.fill(|x| [0.0, height(x)]);
        }
        fn evaluate_gradient(&self, _: [f64; 2], block: &mut Block<'_>) {
            block.fill_gradient(|x, gradient| {
                for k in 0..DIM {
                    gradient[k] = -x[k].powi(3) / SCALES[k].powi(4) - x[k];
                }
                [0.0, height(x)]
            });
        }
    }

    fn height(x: &[f64]) -> f64 {
        let of = |k: usize| 0.25 * (x[k] / SCALES[k]).powi(4) + 0.5 * x[k] * x[k];
        -(0..DIM).map(of).sum::<f64>()
    }

    /// Moves from a fixed state by so many steps; then turns the velocity around and moves back if asked. Returns the states, and the
    /// energy before and after.
    fn journey(step: f64, steps: usize, back: bool) -> (States, [f64; 2]) {
        let mut states = States::default();
        states.prepare(1, DIM);
        states
            .particles
            .positions
            .copy_from_slice(&[0.3, -0.8, 1.1, 0.2]);
        states.momenta.copy_from_slice(&[0.5, 0.5, -0.5, 0.5]);
        let dynamics = Dynamics {
            target: Target::posterior(&Quartic),
            factor: &Factor::Diagonal(vec![0.7, 1.0, 1.2, 1.6]),
            motion: Motion::Microcanonical,
        };
        let mut counts = Counts::default();
        let mut block = states.particles.block();
        dynamics.target.evaluate_gradient(&mut block, &mut counts);
        dynamics.refresh(&mut states, 1);
        let before = states.energy(dynamics.target, 0);
        let mut go = |states: &mut States| {
            (0..steps).for_each(|_| dynamics.step(states, &[step], &mut counts));
        };
        go(&mut states);
        if back {
            states.momenta.iter_mut().for_each(|u| *u = -*u);
            go(&mut states);
        }
        let after = states.energy(dynamics.target, 0);
        (states, [before, after])
    }

    #[test]
    fn there_and_back_is_where_it_began_and_the_work_is_undone() {
        let (states, [before, after]) = journey(0.4, 25, true);
        let start = [0.3, -0.8, 1.1, 0.2, -0.5, -0.5, 0.5, -0.5];
        let found = states.particles.positions.iter().chain(&states.momenta);
        for (found, start) in found.zip(start) {
            assert!((found - start).abs() < 1e-11, "{found}, want {start}");
        }
        assert!((after - before).abs() < 1e-11, "{before} to {after}");
        assert!(states.work[0].abs() < 1e-11, "work {}", states.work[0]);
    }

    #[test]
    fn the_energy_error_falls_with_the_square_of_the_step() {
        let error = |step: f64| {
            let (_, [before, after]) = journey(step, (1.0 / step) as usize, false);
            (after - before).abs()
        };
        let (coarse, fine) = (error(0.02), error(0.01));
        assert!(coarse > 1e-6, "{coarse} tests nothing");
        let ratio = coarse / fine;
        assert!((ratio - 4.0).abs() < 0.2, "energy errors in ratio {ratio}");
    }

    #[test]
    fn the_velocity_keeps_its_length_and_turns_towards_the_force() {
        for time in [-1e3, -0.5, 1e-9, 0.5, 40.0, 1e5] {
            let mut velocity = [0.6, 0.0, -0.8];
            let force = [-0.2, 3.0, 1.0];
            let along = |u: &[f64]| (0..3).map(|k| u[k] * force[k]).sum::<f64>();
            let before = along(&velocity);
            let work = turn(&mut velocity, &force, time);
            assert!((norm(&velocity) - 1.0).abs() < 1e-15);
            assert!(work.is_finite());
            assert_eq!(along(&velocity) > before, time > 0.0, "{time}");
        }
    }

    /// Against the force the velocity stays as it is, and the work is −(d − 1) δ; no digits are lost next to that.
    #[test]
    fn a_strong_opposite_force_does_its_work() {
        for delta in [1e-3, 1.0, 10.0] {
            let mut velocity = [0.6, 0.0, -0.8];
            let force = [-0.6 * 2.0 * delta, 0.0, 0.8 * 2.0 * delta];
            let work = turn(&mut velocity, &force, 1.0);
            assert!(
                (work / (-2.0 * delta) - 1.0).abs() < 1e-12,
                "{delta}: {work}"
            );
        }
    }

    #[test]
    fn a_force_that_is_not_finite_gives_nan() {
        for force in [f64::INFINITY, f64::NAN, 1e200] {
            let mut velocity = [0.6, 0.0, -0.8];
            assert!(turn(&mut velocity, &[force, 1.0, 0.0], 1.0).is_nan());
        }
    }

    /// The work is the logarithm of the Jacobian determinant of the turn on the sphere, with the sign changed: here on a circle, by
    /// differences.
    #[test]
    fn the_work_is_the_concentration_of_directions() {
        let force = [0.7, -1.9];
        let turned = |angle: f64| {
            let mut velocity = [angle.cos(), angle.sin()];
            let work = turn(&mut velocity, &force, 0.4);
            (velocity[1].atan2(velocity[0]), work)
        };
        for angle in [-2.5, -1.2, 0.1, 1.0, 2.8] {
            let h = 1e-5;
            let slope = (turned(angle + h).0 - turned(angle - h).0) / (2.0 * h);
            let (work, want) = (turned(angle).1, -slope.ln());
            assert!((work - want).abs() < 1e-8, "{angle}: {work}, want {want}");
        }
    }

    #[test]
    fn the_number_of_steps_has_the_mean_that_is_asked_for() {
        let n = 200_000;
        for mean in [0.3, 1.0, 1.2, 1.5, 2.0, 3.7, 12.25] {
            let grid = (0..n).map(|i| (f64::from(i) + 0.5) / f64::from(n));
            let sum: usize = grid.map(|v| steps_about(mean, v)).sum();
            let found = sum as f64 / f64::from(n);
            // each of about 2 mean steps between two whole numbers is off by at most a point of the grid
            let error = 30.0 / f64::from(n);
            assert!(
                (found - mean.max(1.0)).abs() < error,
                "{found}, want {mean}"
            );
        }
    }
}
