//! Random walks in place of trajectories, where they need fewer calls of the density.
//!
//! In one or two coordinates a random walk forgets its start in tens of moves, which cost one call each. A move along a trajectory costs
//! three calls for each of its leapfrog steps, which are many on a thin shell, a bent valley or an egg box. So the particles walk from the
//! first temperature on. Trajectories are tried only where a policy of more moves than the default 200 (`max_steps`) lets walks need very many
//! calls; from then on the relaxation times of the temperatures before decide. What the moves remember raises an island's own error, which
//! its families count. On an egg box the log evidence is too low by a quarter of its error, for an unknown reason (experiments/figures.md).
//!
//! A walk notes no falls ([`Fall`](crate::kernel::Fall)), which are losses of energy of leapfrog steps. So the climbs that look for narrow
//! modes start from the particles, the prior and the falls of the temperatures with trajectories.

use super::control_variates;
use super::island::Island;
use super::mutations::MovePolicy;
use super::sampler::Sampler;
use super::settings::Settings;
use crate::density::LogDensity;
use crate::error::Error;
use crate::kernel::{Kernel, Tuning};
use crate::run::Stage;

/// Calls of the density that cost as much as a gradient.
pub(in crate::engine) const CALLS_OF_A_GRADIENT: f64 = 3.0;
/// Maximum number of coordinates. In more a walk rarely pays, and only trajectories with steps that adapt follow a funnel into its neck.
const MOST_COORDINATES: usize = 2;
/// Moves in which a walk forgets a normal, for each coordinate.
const MOVES_EACH: f64 = 9.0;
/// A walk is tried where trajectories need more calls than this multiple of the calls of a walk on a normal.
const WORTH: f64 = 2.0;
/// Calls at which one temperature of trajectories is tried, if there was none yet, as a multiple of the calls of a walk on a normal. A walk
/// of the default policy, of at most 200 moves with four states kept, never needs as many.
const TRIED: f64 = 16.0;
/// A walk ends where it needs more calls than this multiple of the calls of the last trajectories. Their steps become shorter on the way to the
/// posterior, so that they would need more by now.
const TOO_SLOW: f64 = 4.0;

/// The kernel of the walks, with its first tuning.
pub(in crate::engine) struct Walk {
    kernel: Box<dyn Kernel>,
    tuning: Tuning,
    calls: Calls,
    /// The number of moves at first.
    first: usize,
}

/// Calls of the density at one temperature of walks, of one particle.
#[derive(Clone, Copy)]
struct Calls {
    /// The calls of the moves on a normal, with the gradients.
    on_a_normal: f64,
    /// The gradients of the kept states ([`Sampler::add_gradients`]). They are counted even where control variates do not help.
    gradients: f64,
}

impl Walk {
    /// The walk that may take the place of `kernel`; `None` in too many coordinates, or if the kernel does not allow it.
    pub(in crate::engine) fn of(
        kernel: &dyn Kernel,
        density: &dyn LogDensity,
        settings: &Settings,
    ) -> Result<Option<Self>, Error> {
        let dim = density.dim();
        let Some(kernel) = kernel.walk().filter(|_| dim <= MOST_COORDINATES) else {
            return Ok(None);
        };
        let mut tuning = kernel.init(density)?;
        tuning.step_size_mixture = settings.step_size_mixture;
        let gradients = settings.kept() as f64 * CALLS_OF_A_GRADIENT;
        let moves = MOVES_EACH * dim as f64;
        let first = (2.0 * moves) as usize;
        Ok(Some(Self {
            kernel,
            tuning,
            calls: Calls {
                on_a_normal: moves + gradients,
                gradients,
            },
            first: first.min(settings.mutations.most()),
        }))
    }
}

impl Sampler<'_> {
    /// The kernel of an island's present temperature.
    pub(in crate::engine) fn kernel_of(&self, island: &Island) -> &dyn Kernel {
        match &self.walk {
            Some(walk) if island.walks => &*walk.kernel,
            _ => self.kernel,
        }
    }

    /// Chooses the kernel of the next temperature by the temperatures before.
    pub(super) fn choose_kernel(&self, island: &mut Island) {
        let Some(walk) = &self.walk else {
            return;
        };
        let walks = walks(&island.history, &*self.settings.mutations, walk.calls);
        if walks == island.walks {
            return;
        }
        island.walks = walks;
        island.tuning_acceptance = None;
        let tuning = if walks { &walk.tuning } else { &self.tuning };
        island.tunings = [tuning.clone(), tuning.clone()];
    }

    /// The number of moves that the present kernel wants after the temperatures so far.
    pub(super) fn wanted_steps(&self, island: &Island) -> usize {
        let Some(walk) = &self.walk else {
            return self.steps_at_level(island);
        };
        let same = island.history.iter();
        let same = same.filter(|stage| walked(stage) == island.walks).cloned();
        let mut history: Vec<Stage> = same.collect();
        match (island.walks, history.is_empty(), island.history.last()) {
            (true, true, _) => walk.first,
            (true, false, _) => self.settings.mutations.steps(&history),
            (false, is_first, last) => {
                if let (true, Some(last)) = (is_first, last) {
                    let calls = calls_of_a_move(self.trajectory_steps(island));
                    history.push(at_the_same_cost(last, calls));
                }
                self.settings.mutations.steps(&history)
            }
        }
    }

    /// Evaluates the gradients of states that came by a walk, if control variates help or to see whether they do.
    pub(super) fn add_gradients(&self, island: &mut Island) {
        let temperature = island.history.len() + 1;
        let wanted = island.walks
            && have_gradients(true, island.controls_help, temperature)
            && island.controlled.is_some();
        if !wanted || island.is_at_posterior() {
            return;
        }
        let target = self.target(island);
        let are_finite =
            control_variates::gradients(&mut island.particles, target, &mut island.counts);
        if !are_finite {
            island.controlled = None;
        }
    }
}

/// Whether the states at this temperature, from 1, have gradients, if the run uses control variates: after a walk where they helped before,
/// and at temperatures ever further apart.
pub(super) fn have_gradients(walks: bool, controls_help: bool, temperature: usize) -> bool {
    !walks || controls_help || temperature.is_power_of_two()
}

fn walked(stage: &Stage) -> bool {
    stage.leapfrog_steps == 0
}

/// The temperature with as many moves of `calls` calls as cost the same.
fn at_the_same_cost(stage: &Stage, calls: f64) -> Stage {
    let ratio = calls_of_a_move(stage.leapfrog_steps) / calls;
    Stage {
        relaxation_time: stage.relaxation_time * ratio,
        mutations: (stage.mutations as f64 * ratio).ceil() as usize,
        ..stage.clone()
    }
}

/// The calls of a move of one particle by this number of leapfrog steps; 0 is a walk.
fn calls_of_a_move(leapfrog_steps: usize) -> f64 {
    match leapfrog_steps {
        0 => 1.0,
        steps => steps as f64 * CALLS_OF_A_GRADIENT,
    }
}

/// Whether the particles walk at the next temperature, by the rule for the number of moves.
///
/// The time of one temperature of few particles is noisy, so logarithms are averaged, with weights that halve with each earlier temperature.
fn walks(history: &[Stage], policy: &dyn MovePolicy, of_a_walk: Calls) -> bool {
    let (mut walks, mut wait, mut patience) = (history.is_empty(), 0, 1);
    let (mut of_trajectories, mut of_walks) = (None, None);
    for stage in history {
        if !stage.relaxation_time.is_finite() {
            walks |= walked(stage);
            continue;
        }
        let moves = policy.wanted(stage.relaxation_time);
        let moves = moves.max(policy.least() as f64);
        let moves = match walked(stage) {
            // a walk makes no more
            true => moves.min(policy.most() as f64),
            false => moves,
        };
        if walked(stage) {
            walks = true;
            let needed = smoothed(&mut of_walks, moves + of_a_walk.gradients);
            match of_trajectories {
                Some(other) if needed > TOO_SLOW * other => {
                    (walks, wait, of_walks) = (false, patience, None);
                    patience *= 2;
                }
                None if needed > TRIED * of_a_walk.on_a_normal => {
                    (walks, of_walks) = (false, None);
                }
                _ => {}
            }
        } else {
            let calls = moves * calls_of_a_move(stage.leapfrog_steps);
            let needed = smoothed(&mut of_trajectories, calls);
            walks = wait == 0 && needed > WORTH * of_a_walk.on_a_normal;
            wait = u32::saturating_sub(wait, 1);
        }
    }
    walks
}

/// The geometric mean so far with one more value.
fn smoothed(mean: &mut Option<f64>, value: f64) -> f64 {
    let now = mean.map_or(value, |mean| (mean * value).sqrt());
    *mean = Some(now);
    now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Mutations;

    const CALLS: Calls = Calls {
        on_a_normal: 30.0,
        gradients: 12.0,
    };

    /// Temperatures, as their leapfrog steps, 0 for a walk, and relaxation times.
    fn history(stages: &[(usize, f64)]) -> Vec<Stage> {
        let stage = |(leapfrog_steps, relaxation_time): &(usize, f64)| Stage {
            leapfrog_steps: *leapfrog_steps,
            relaxation_time: *relaxation_time,
            mutations: 12,
            ..crate::example::stage(0.5, 64)
        };
        stages.iter().map(stage).collect()
    }

    /// Would detect gradients that count as one call.
    #[test]
    fn trajectories_that_need_many_calls_give_way_to_walks() {
        let policy = Mutations::adaptive();
        let walks = |stages: &[(usize, f64)]| walks(&history(stages), &policy, CALLS);
        assert!(walks(&[]));
        // 4 moves of 4 gradients are 48 calls, of 6 gradients 72
        assert!(!walks(&[(4, 0.5)]) && walks(&[(6, 0.5)]));
        assert!(walks(&[(17, 4.0), (0, 30.0), (0, 10.0)]));
        assert!(walks(&[(17, 4.0), (0, f64::NAN)]));
        // one time of few particles is noise
        assert!(walks(&[(17, 4.0), (0, 10.0), (0, 400.0)]));
    }

    /// Would detect a walk that is kept where it needs more calls, and one that is tried again at once.
    #[test]
    fn a_walk_that_needs_more_calls_ends_and_is_tried_ever_more_rarely() {
        // trajectories need 3 * 4 * 17 * 3 = 612 calls, a walk of a relaxation time of 900 needs 2700
        let policy = Mutations::adaptive().max_steps(10_000);
        let (mut stages, mut tried) = (Vec::new(), Vec::new());
        for at in 0..14 {
            let does_walk = walks(&history(&stages), &policy, CALLS);
            stages.push(if does_walk { (0, 900.0) } else { (17, 4.0) });
            if does_walk {
                tried.push(at);
            }
        }
        // the first walk is far too slow, and one temperature of trajectories is tried
        assert_eq!(tried, [0, 2, 5, 9]);
    }

    /// Would detect walks that count more moves than they make: a relaxation time of 900 needs 2700
    /// moves, and 200 are allowed.
    #[test]
    fn a_walk_costs_no_more_than_the_moves_that_are_allowed() {
        let walks = |most| {
            let policy = Mutations::adaptive().max_steps(most);
            walks(&history(&[(17, 4.0), (0, 900.0)]), &policy, CALLS)
        };
        assert!(walks(200) && !walks(10_000));
    }

    /// Would detect a number of relaxation times that is not the policy's.
    #[test]
    fn the_correlation_that_may_remain_decides_the_calls() {
        let stages = history(&[(4, 2.0)]);
        // 6 moves of 4 gradients are 72 calls, 4 moves 48
        assert!(walks(&stages, &Mutations::adaptive(), CALLS));
        let looser = Mutations::adaptive().correlation(0.5);
        assert!(!walks(&stages, &looser, CALLS));
    }

    /// Would detect gradients after a walk that cost nothing: 4 trajectories of one gradient are 12 calls, a walk of 40 moves 52.
    #[test]
    fn the_gradients_after_a_walk_count() {
        let policy = Mutations::adaptive();
        let [few, many] = [0.0, 12.0].map(|gradients| {
            let calls = Calls {
                on_a_normal: 5.0,
                gradients,
            };
            walks(&history(&[(1, 1.0), (0, 13.0)]), &policy, calls)
        });
        assert!(few && !many);
    }

    /// Would detect a first temperature of trajectories with as many moves as one of walks.
    #[test]
    fn the_first_trajectories_cost_what_walks_did() {
        let [before] = &history(&[(0, 120.0)])[..] else {
            panic!("one temperature");
        };
        let trajectory = at_the_same_cost(before, 30.0);
        assert_eq!((trajectory.mutations, trajectory.relaxation_time), (1, 4.0));
    }
}
