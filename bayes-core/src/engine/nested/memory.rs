//! More moves at a level where particles depend on those of earlier levels.

use crate::engine::smc::island::Island;
use crate::engine::smc::mutations::MovePolicy;
use crate::engine::smc::sampler::Sampler;

/// How much more moves are made for the same excess of the variance: e times as many for an excess of 1 / RATE.
const RATE: f64 = 3.0;
/// The logarithm of the largest factor of the number of moves.
const MOST: f64 = 2.8;

impl Sampler<'_> {
    /// The number of moves by the policy, and more at a level if the variance of the evidence so far shows what particles remember.
    ///
    /// The relaxation time is an average over the particles. In a neck few particles move much more slowly than the average, and their
    /// number decides over the evidence. So the variance of the evidence by families counts too ([`Island::inflation`]).
    pub(in crate::engine) fn steps_at_level(&self, island: &Island) -> usize {
        let policy = &*self.settings.mutations;
        let steps = policy.steps(&island.history);
        match island.inflation {
            Some(inflation) if policy.adapts() => bounded(steps as f64 * more(inflation), policy),
            _ => steps,
        }
    }
}

/// Whole steps that the policy can ask for: a multiple of the fewest, up to the most.
fn bounded(steps: f64, policy: &dyn MovePolicy) -> usize {
    let steps = (steps.ceil() as usize).min(policy.most());
    steps.next_multiple_of(policy.least()).min(policy.most())
}

/// The factor of the number of moves.
fn more(inflation: f64) -> f64 {
    (RATE * (inflation - 1.0)).clamp(0.0, MOST).exp()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::smc::mutations::Mutations;

    /// Mutation meant to be detected: any number of moves.
    #[test]
    fn the_moves_are_a_multiple_up_to_the_most() {
        let policy = Mutations::Adaptive {
            correlation: 0.14,
            max_steps: 2001,
        };
        let found = [4.0, 45.3, 1998.5, 1e30].map(|steps| bounded(steps, &policy));
        assert_eq!(found, [4, 48, 2000, 2000]);
    }

    /// Mutation meant to be detected: fewer moves where the variance is smaller by chance.
    #[test]
    fn only_a_larger_variance_asks_for_more_moves() {
        assert_eq!(more(0.8), 1.0);
        assert_eq!(more(1.0), 1.0);
        assert!((1.3..1.5).contains(&more(1.1)), "{}", more(1.1));
        assert_eq!(more(3.0), more(50.0));
    }
}
