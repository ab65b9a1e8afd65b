//! How long the log likelihoods of an island's particles depend on earlier ones.

use crate::run::{Group, Run};

/// States between the two that are compared, and half of the distance of the others: fewer where a particle has few states. States are one
/// move apart, or a few.
pub(super) const LAG: usize = 7;
/// The least lag: over fewer moves the correlation is large without a neck.
const LEAST_LAG: usize = 6;
/// The least number of particles of all islands: fewer have a correlation of more than `SlowLikelihood` allows by chance.
const PARTICLES: usize = 256;

/// A correlation of log likelihoods along the states of a particle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Memory {
    /// The autocorrelation of the log likelihood.
    pub(super) correlation: f64,
    /// The number of states between the two that are compared.
    pub(super) lag: usize,
}

/// The correlation of a run; `None` if it has too few particles or states, or does not move by trajectories.
pub(super) fn measured(run: &Run) -> Option<Memory> {
    // an island that died or kept few states says nothing of the others
    let trails: Vec<Trails<'_>> = run.groups.iter().filter_map(Trails::of).collect();
    let particles: usize = trails.iter().map(Trails::particles).sum();
    if particles < PARTICLES {
        return None;
    }
    let lag = trails.iter().map(Trails::lag).min()?;
    let variogram = |lag: usize| -> f64 { trails.iter().map(|of| of.variogram(lag)).sum() };
    // v(h) ∝ 1 − ρ(h), so v(2h) / v(h) = 1 + ρ(h); differences within a particle do not see modes apart
    let correlation = variogram(2 * lag) / variogram(lag) - 1.0;
    Some(Memory { correlation, lag })
}

/// The number of particles of an island that moves by trajectories at the posterior.
fn number_of_particles(group: &Group) -> Option<usize> {
    let last = group.history().last()?;
    let climbs = group.history().iter().any(|stage| stage.level.is_some());
    let moves = last.lambda == 1.0 && last.leapfrog_steps > 1 && !climbs;
    (moves && last.particles > 0).then_some(last.particles)
}

/// The number of states of a particle at the temperatures before the posterior.
fn kept_before(group: &Group) -> Option<usize> {
    let last = group.history().last()?;
    Some((last.states / last.particles.max(1)).max(1))
}

/// The log likelihoods of the states of an island.
struct Trails<'a> {
    /// The log likelihoods of all states of a particle, then of the next particle.
    values: &'a [f64],
    /// The number of states of a particle.
    states: usize,
    /// The state of a particle from which on all lie at the same distance.
    from: usize,
}

impl<'a> Trails<'a> {
    /// `None` if an island does not move by trajectories at the posterior, if a log likelihood is not finite, or if there are too few states.
    fn of(group: &'a Group) -> Option<Self> {
        let particles = number_of_particles(group)?;
        let values = group.log_likelihood.as_slice();
        if !values.len().is_multiple_of(particles) || !values.iter().all(|l| l.is_finite()) {
            return None;
        }
        let trails = Self {
            values,
            states: values.len() / particles,
            from: kept_before(group)? - 1,
        };
        (trails.lag() >= LEAST_LAG).then_some(trails)
    }

    fn particles(&self) -> usize {
        self.values.len() / self.states
    }

    /// The lag that the number of states allows.
    fn lag(&self) -> usize {
        LAG.min(self.states.saturating_sub(self.from + 1) / 2)
    }

    /// The mean squared difference of values of a particle `lag` states apart.
    fn variogram(&self, lag: usize) -> f64 {
        let (mut sum, mut count) = (0.0, 0.0);
        for trail in self.values.chunks_exact(self.states) {
            let trail = &trail[self.from..];
            for (early, late) in trail.iter().zip(&trail[lag..]) {
                sum += (early - late).powi(2);
                count += 1.0;
            }
        }
        sum / count
    }
}

#[cfg(test)]
pub(super) mod testing {
    use crate::run::Run;
    use crate::run::example::{normals, of_island};

    /// Gives the 64 particles of each island `states` states, whose log likelihoods follow an autoregression of this coefficient from the
    /// fourth state on. The first four are noise.
    pub(in crate::diagnose) fn follow(run: &mut Run, states: usize, coefficient: f64) {
        for (p, group) in run.groups.iter_mut().enumerate() {
            let noise = normals(100 + p as u64, 64 * states);
            let trails = noise.chunks_exact(states).flat_map(|noise| {
                let mut value = noise[0];
                noise.iter().enumerate().map(move |(at, z)| {
                    value = coefficient * value + (1.0 - coefficient * coefficient).sqrt() * z;
                    if at < 3 { 5.0 * z } else { value }
                })
            });
            group.log_likelihood = trails.collect();
            let last = of_island(group).history.last_mut();
            last.expect("it has temperatures").states = 4 * 64;
        }
    }
}
