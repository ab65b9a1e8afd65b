//! States along the moves of every particle, and their relaxation time.

use crate::density::Particles;

/// The states of every particle at equal distances along its moves at one temperature.
pub(in crate::engine) struct Trails {
    /// Number of steps from one state to the next.
    spacing: usize,
    /// The particles at each of these times.
    states: Vec<Particles>,
}

/// Number of states of each particle for the measurement of the relaxation time, even if fewer are kept.
const MEASURED: usize = 4;

/// Bounds of the correlation over one distance: beyond them its logarithm is noise.
const CORRELATIONS: (f64, f64) = (0.05, 0.98);

impl Trails {
    /// The particles every `spacing` steps.
    pub(in crate::engine) fn new(spacing: usize, states: Vec<Particles>) -> Self {
        Self { spacing, states }
    }

    /// The last `kept` states of every particle; states of one particle are adjacent.
    pub(in crate::engine) fn into_states(self, kept: usize) -> Particles {
        let last = &self.states[self.states.len() - kept..];
        Particles::interleaved(last)
    }

    /// The relaxation time in steps: in this time the correlation of a particle with its own past falls by a factor e. NaN from fewer
    /// than three states.
    ///
    /// ```text
    /// v(h) = mean squared difference of states at distance h ∝ 1 − ρ(h),    ρ(h) = exp(−h/τ)
    /// v(2h) / v(h) = 1 + ρ(h)
    /// ```
    ///
    /// So the target's mean and variance are not needed, and particles in modes that the kernel cannot leave count by their motion within
    /// a mode. The result is the slower one of the log likelihood, which determines the next weights, and the mean over coordinates.
    pub(in crate::engine) fn relaxation_time(&self) -> f64 {
        if self.states.len() < 3 {
            return f64::NAN;
        }
        let [first, second] = [1, 2].map(|lag| self.variogram(lag));
        let [position, likelihood] = [0, 1].map(|i| second[i] / first[i] - 1.0);
        // a constant quantity gives NaN, which the maximum ignores; if both are constant, nothing has moved: infinitely slow
        let slower = position.max(likelihood);
        self.time(if slower.is_nan() { 1.0 } else { slower })
    }

    /// The relaxation time of the log likelihood alone, in steps; NaN from fewer than three states, or if it is constant. Where particles rarely
    /// change between modes, only their positions depend on earlier ones for long.
    pub(in crate::engine) fn likelihood_time(&self) -> f64 {
        if self.states.len() < 3 {
            return f64::NAN;
        }
        let [first, second] = [1, 2].map(|lag| self.variogram(lag)[1]);
        self.time(second / first - 1.0)
    }

    /// The time in which a correlation over one distance falls by a factor e, in steps.
    fn time(&self, correlation: f64) -> f64 {
        -(self.spacing as f64) / correlation.clamp(CORRELATIONS.0, CORRELATIONS.1).ln()
    }

    /// The relaxation time of the positions, in steps, from the distance of a particle to its previous state; NaN from one state,
    /// infinite if no particle moves.
    ///
    /// ```text
    /// 1 − ρ(h) = v(h) / (2 variance),    averaged over the coordinates;    ρ(h) = exp(−h/τ)
    /// ```
    ///
    /// It has little noise, since it averages over particles and coordinates. Like the expected squared jump (Pasarica & Gelman 2010), it
    /// compares two lengths of trajectories. It sees neither the slowest direction nor the likelihood, so it does not decide the number
    /// of moves.
    pub(in crate::engine) fn jump_time(&self) -> f64 {
        if self.states.len() < 2 {
            return f64::NAN;
        }
        let (n, moving) = (self.states[0].len() as f64, self.inverse_variances());
        let moving = moving.iter().filter(|inverse| **inverse > 0.0).count() as f64;
        let [distance, _] = self.variogram(1);
        if distance == 0.0 || moving == 0.0 {
            return f64::INFINITY;
        }
        // differences of independent states have a ratio of 1, with noise about it
        let correlation = (1.0 - distance / (2.0 * n * moving)).max(CORRELATIONS.0);
        -(self.spacing as f64) / correlation.ln()
    }

    /// Mean squared difference at this distance: the mean over the coordinates, each relative to its variance, and the value for the log
    /// likelihood.
    fn variogram(&self, lag: usize) -> [f64; 2] {
        let dim = self.states[0].dim;
        let inverse_variances = self.inverse_variances();
        let (mut coordinates, mut likelihood) = (0.0, 0.0);
        let pairs = || self.states.iter().zip(&self.states[lag..]);
        for (a, b) in pairs() {
            let [before, after] = [a, b].map(|state| state.positions.chunks_exact(dim.max(1)));
            for (a, b) in before.zip(after) {
                for k in 0..dim {
                    coordinates += (a[k] - b[k]) * (a[k] - b[k]) * inverse_variances[k];
                }
            }
            let differences = a.log_likelihood.iter().zip(&b.log_likelihood);
            likelihood += differences.map(|(a, b)| (a - b).powi(2)).sum::<f64>();
        }
        let count = pairs().count() as f64;
        [coordinates / count, likelihood / count]
    }

    /// The inverse variance of each coordinate over the particles in their last state; 0 for a constant coordinate.
    fn inverse_variances(&self) -> Vec<f64> {
        let last = &self.states[self.states.len() - 1];
        let n = last.len() as f64;
        let inverse = |k: usize| {
            let values = || last.positions.iter().skip(k).step_by(last.dim);
            let mean = values().sum::<f64>() / n;
            let variance = values().map(|x| (x - mean).powi(2)).sum::<f64>() / n;
            if variance > 0.0 { 1.0 / variance } else { 0.0 }
        };
        (0..last.dim).map(inverse).collect()
    }
}

/// The number of states of each particle that are examined in this number of steps, and the steps between them.
pub(in crate::engine) fn seen(steps: usize, kept: usize) -> (usize, usize) {
    let states = kept.max(MEASURED.min(steps));
    (states, steps / states)
}

/// Each value `times` times.
pub(in crate::engine) fn repeated<T: Copy>(values: &[T], times: usize) -> Vec<T> {
    let repeat = |value: &T| std::iter::repeat_n(*value, times);
    values.iter().flat_map(repeat).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Key, Purpose};
    use rand::RngExt;
    use rand_distr::StandardNormal;

    /// Particles whose coordinates follow autoregressions with these relaxation times, seen every `spacing` steps.
    fn trails(times: [f64; 2], spacing: usize, offset: impl Fn(usize) -> f64) -> Trails {
        let mut stream = Key::new(3, Purpose::Move).stream();
        let mut particles = Particles::new(2000, 2);
        let draw = |stream: &mut crate::rng::Stream| stream.sample::<f64, _>(StandardNormal);
        for (at, x) in particles.positions.iter_mut().enumerate() {
            *x = offset(at / 2) + draw(&mut stream);
        }
        let mut states = Vec::new();
        for _ in 0..5 {
            states.push(particles.clone());
            for (at, x) in particles.positions.iter_mut().enumerate() {
                let rho = (-(spacing as f64) / times[at % 2]).exp();
                let noise = (1.0 - rho * rho).sqrt() * draw(&mut stream);
                *x = offset(at / 2) + rho * (*x - offset(at / 2)) + noise;
            }
            particles.log_likelihood = particles.positions.iter().step_by(2).copied().collect();
        }
        states.remove(0);
        Trails::new(spacing, states)
    }

    #[test]
    fn the_relaxation_time_of_autoregressions_is_found() {
        for time in [2.0, 5.0, 12.0] {
            let found = trails([time, time], 4, |_| 0.0).relaxation_time();
            assert!((found / time - 1.0).abs() < 0.15, "{found} for {time}");
        }
    }

    #[test]
    fn the_time_of_jumps_is_that_of_autoregressions() {
        // the variance of 2000 particles has an error of 3%, and these times one of 5% and 3%
        for time in [5.0, 12.0] {
            let found = trails([time, time], 4, |_| 0.0).jump_time();
            assert!((found / time - 1.0).abs() < 0.15, "{found} for {time}");
        }
    }

    #[test]
    fn the_likelihood_counts_where_it_is_slower_than_the_mean_coordinate() {
        let found = trails([20.0, 1.0], 4, |_| 0.0).relaxation_time();
        assert!((found / 20.0 - 1.0).abs() < 0.2, "{found}");
    }

    #[test]
    fn the_time_of_the_likelihood_is_found_beside_a_slower_coordinate() {
        let trails = trails([5.0, 100.0], 4, |_| 0.0);
        let found = trails.likelihood_time();
        assert!((found / 5.0 - 1.0).abs() < 0.15, "{found}");
        let few = Trails::new(2, vec![Particles::new(10, 3); 2]);
        assert!(few.likelihood_time().is_nan());
    }

    #[test]
    fn a_barrier_that_nothing_crosses_does_not_count() {
        let modes = |particle: usize| {
            if particle.is_multiple_of(2) {
                50.0
            } else {
                -50.0
            }
        };
        let found = trails([5.0, 5.0], 4, modes).relaxation_time();
        assert!((found / 5.0 - 1.0).abs() < 0.15, "{found}");
    }

    #[test]
    fn particles_that_never_move_are_as_slow_as_can_be_said() {
        let trails = Trails::new(2, vec![Particles::new(10, 3); 4]);
        assert!(trails.relaxation_time() > 50.0);
        assert_eq!(trails.jump_time(), f64::INFINITY);
    }

    #[test]
    fn two_states_show_no_relaxation_time() {
        let trails = Trails::new(2, vec![Particles::new(10, 3); 2]);
        assert!(trails.relaxation_time().is_nan());
    }

    #[test]
    fn the_states_of_a_particle_stay_together() {
        let states = (0..3).map(|time| {
            let mut particles = Particles::new(2, 1);
            particles.positions = vec![f64::from(time), 10.0 + f64::from(time)];
            particles
        });
        let trails = Trails::new(1, states.collect());
        assert_eq!(trails.into_states(2).positions, [1.0, 2.0, 11.0, 12.0]);
    }
}
