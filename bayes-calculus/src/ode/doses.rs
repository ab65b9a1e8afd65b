//! What happens at the stops of a solution.

use super::Problem;
use bayes_autodiff::Mode;
use bayes_autodiff::Real;

/// A time at which a step ends.
pub(super) struct Stop<M: Mode> {
    pub(super) time: f64,
    pub(super) action: Action<M>,
}

/// What happens there.
pub(super) enum Action<M: Mode> {
    /// The state is a row of the result.
    Keep,
    /// Nothing.
    Pass,
    /// An element of the state grows.
    Dose(usize, Real<M>),
}

impl<M: Mode> Problem<'_, M> {
    /// The states to be kept, row after row; `advance` takes a state from one time to a later one.
    pub(super) fn walk(
        &self,
        mut advance: impl FnMut(&mut Vec<Real<M>>, [f64; 2]),
    ) -> Vec<Real<M>> {
        let mut state = self.start.to_vec();
        let (mut kept, mut now) = (Vec::new(), self.from);
        for stop in self.stops {
            if stop.time > now {
                advance(&mut state, [now, stop.time]);
                now = stop.time;
            }
            match stop.action {
                Action::Keep => kept.extend_from_slice(&state),
                Action::Pass => {}
                Action::Dose(place, amount) => state[place] += amount,
            }
        }
        kept
    }
}
