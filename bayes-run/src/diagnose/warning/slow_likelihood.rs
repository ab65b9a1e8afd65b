//! Islands: the log likelihoods of the particles at the posterior depend on earlier ones for too long.

use super::{Message, slow_moves};
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Group, Run};
use serde::{Deserialize, Serialize};

/// The largest autocorrelation of the log likelihood without a warning, [`LAG`] states of a particle apart.
///
/// In 40 runs of 4 islands of 64 particles on a random walk with unknown scales, whose evidence is too low by 0.8 of its error, it was 0.31 to
/// 0.56; in 12 runs on two funnels 0.51 or more; in 199 runs on 39 problems without a neck at most 0.24. The
/// bound was chosen on these runs. With other seeds it was 0.28 to 0.51 in 20 runs on the random walk, and above the bound in 3 of 130 runs
/// without a neck, of which 2 have `SlowMoves` (experiments/figures.md): the margin is small on both sides.
const MOST: f64 = 0.27;
/// States between the two that are compared, and half of the distance of the others. States are one move apart, or a few.
const LAG: usize = 7;
/// The least lag: over fewer moves the correlation is large without a neck.
const LEAST_LAG: usize = 6;
/// The least number of particles of all islands: fewer have a correlation of more than [`MOST`] by chance.
const PARTICLES: usize = 256;

/// The log likelihoods of the particles depend on earlier ones for longer than on a posterior without necks.
///
/// The relaxation time behind [`SlowMoves`](super::SlowMoves) is measured over few moves, where most particles have forgotten; in a neck some
/// have not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowLikelihood {
    /// The autocorrelation of the log likelihood along the states of a particle.
    pub correlation: f64,
    /// The number of states between the two that are compared.
    pub lag: usize,
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<SlowLikelihood> {
    let found = measured(run)?;
    let is_slow = found.correlation > MOST && slow_moves::find(run, elements).is_none();
    is_slow.then_some(found)
}

/// The correlation of a run; `None` if it has too few particles or states, or does not move by trajectories.
pub(super) fn measured(run: &Run) -> Option<SlowLikelihood> {
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
    Some(SlowLikelihood { correlation, lag })
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

impl Message for SlowLikelihood {
    fn problem(&self) -> String {
        let Self { correlation, lag } = self;
        format!(
            "the log likelihoods of the particles at the posterior have a correlation of {correlation:.2} with those {lag} states before, \
             where at most {MOST} is usual"
        )
    }

    fn remedy(&self) -> &'static str {
        "Some of the particles are in a narrow part of the posterior, which they rarely enter or leave: it may have too little mass, and \
         the log evidence may be too low by more than its error. Make more moves (`.mutations(60)`) or take more particles, and compare the \
         evidence of both runs."
    }
}

#[cfg(test)]
pub(super) mod testing {
    use crate::run::Run;
    use crate::run::example::{normals, of_island};

    /// Gives the 64 particles of each island `states` states, whose log likelihoods follow an autoregression of this coefficient from the
    /// fourth state on. The first four are noise.
    pub(in crate::diagnose::warning) fn follow(run: &mut Run, states: usize, coefficient: f64) {
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

#[cfg(test)]
mod tests {
    use super::testing::follow;
    use super::*;
    use crate::diagnose::Warning;
    use crate::run::example::{islands, of_island};

    /// Islands of 64 particles with `states` states, whose log likelihoods follow an autoregression.
    fn of(count: usize, states: usize, coefficient: f64) -> Run {
        let mut run = islands(&vec![-3.0; count], 64);
        follow(&mut run, states, coefficient);
        run
    }

    // Detects the states before the equal distances, whose noise hides the correlation, and a variogram without its square.
    #[test]
    fn log_likelihoods_that_depend_on_earlier_ones() {
        let found = find(&of(4, 32, 0.9), &[]).expect("0.9 to the power of 7 is 0.48");
        assert_eq!(found.lag, 7);
        assert!((found.correlation - 0.478).abs() < 0.1, "{found:?}");
        assert_eq!(find(&of(4, 32, 0.7), &[]), None);
    }

    // Detects trails across particles, and lags that are too short to tell a neck.
    #[test]
    fn few_states_or_particles_say_nothing() {
        assert_eq!(find(&of(4, 15, 0.95), &[]), None);
        assert_eq!(find(&of(4, 16, 0.95), &[]).map(|found| found.lag), Some(6));
        assert_eq!(find(&of(3, 32, 0.95), &[]), None);
        let mut walk = of(4, 32, 0.95);
        for group in &mut walk.groups {
            let last = of_island(group).history.last_mut();
            last.expect("it has temperatures").leapfrog_steps = 1;
        }
        assert_eq!(find(&walk, &[]), None);
    }

    // Would detect a run that is silent because one island died, and another kept few states.
    #[test]
    fn islands_that_say_nothing_are_left_out() {
        let mut run = of(6, 32, 0.9);
        let history = &mut of_island(&mut run.groups[0]).history;
        history.last_mut().expect("it has temperatures").lambda = 0.4;
        run.groups[3].log_likelihood.truncate(64 * 8);
        run.groups[4].log_likelihood[7] = f64::NEG_INFINITY;
        assert_eq!(find(&run, &[]), None, "192 particles are left");
        run.groups[4].log_likelihood[7] = 0.0;
        let found = find(&run, &[]).expect("256 particles are left");
        assert_eq!(found.lag, 7);
    }

    #[test]
    fn the_message_names_the_correlation() {
        let found = SlowLikelihood {
            correlation: 0.4,
            lag: 7,
        };
        let text = Warning::SlowLikelihood(found).to_string();
        assert!(
            text.contains("a correlation of 0.40 with those 7 states before, where at most 0.27 is usual. Some"),
            "{text}"
        );
    }

    // Detects a rule that the list of warnings lacks.
    #[test]
    fn a_run_has_the_warning() {
        let warnings = of(4, 32, 0.9).warnings();
        let named = |warning: &Warning| matches!(warning, Warning::SlowLikelihood(_));
        assert!(warnings.iter().any(named), "{warnings:?}");
    }
}
