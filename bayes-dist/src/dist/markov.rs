//! Recursions over all paths of a Markov chain of hidden states, on the log scale.

use bayes_autodiff::{Mode, Real, Vector, log_sum_exp};

/// A chain of `K` states, by the logarithms of its probabilities.
pub(super) struct Chain<M: Mode> {
    /// Of the first state, `[K]`.
    pub(super) start: Vector<M>,
    /// Of the next state, a row for each present one: `[K, K]` for all steps, or `[(length - 1) K, K]`, step by step; row-major.
    pub(super) moves: Vector<M>,
}

impl<M: Mode> Chain<M> {
    #[inline(always)]
    fn states(&self) -> usize {
        self.start.len()
    }

    /// The logarithms of the moves from time `time - 1` to `time`, `[K, K]`.
    #[inline(always)]
    fn step(&self, time: usize) -> &[Real<M>] {
        let each = self.states() * self.states();
        let first = match self.moves.len() > each {
            true => (time - 1) * each,
            false => 0,
        };
        &self.moves[first..first + each]
    }

    /// The log densities of the values up to each time and of the state there, `[length, K]` row-major. `terms`: the log density of each
    /// value in each state.
    #[inline(always)]
    pub(super) fn forward(&self, terms: &Vector<M>) -> Vector<M> {
        let states = self.states();
        let mut found = terms.clone();
        for k in 0..states {
            found[k] += self.start[k];
        }
        let mut paths = Vector::zeros(states);
        for time in 1..terms.len() / states.max(1) {
            let (now, step) = (time * states, self.step(time));
            for k in 0..states {
                for j in 0..states {
                    paths[j] = found[now - states + j] + step[j * states + k];
                }
                found[now + k] += log_sum_exp(&paths);
            }
        }
        found
    }

    /// The log densities of the values after each time given the state there, `[length, K]` row-major.
    pub(super) fn backward(&self, terms: &Vector<M>) -> Vector<M> {
        let states = self.states();
        let mut found = Vector::zeros(terms.len());
        let mut paths = Vector::zeros(states);
        for time in (1..terms.len() / states.max(1)).rev() {
            let (next, step) = (time * states, self.step(time));
            for k in 0..states {
                for j in 0..states {
                    paths[j] = step[k * states + j] + terms[next + j] + found[next + j];
                }
                found[next - states + k] = log_sum_exp(&paths);
            }
        }
        found
    }

    /// The log density of a series.
    #[inline(always)]
    pub(super) fn log_density(&self, terms: &Vector<M>) -> Real<M> {
        let all = self.forward(terms);
        log_sum_exp(&all[all.len() - self.states()..])
    }

    /// The states of the likeliest path (Viterbi 1967; Rabiner 1989, section III B), whole numbers; of equal paths the one whose last state
    /// has the smallest number.
    pub(super) fn most_likely(&self, terms: &Vector<M>) -> Vector<M> {
        let states = self.states();
        let length = terms.len() / states.max(1);
        // the state before each state on its likeliest path
        let mut before = Vector::zeros(terms.len());
        let mut best = Vector::from_fn(states, |k| self.start[k] + terms[k]);
        for time in 1..length {
            let step = self.step(time);
            let mut next = Vector::zeros(states);
            for k in 0..states {
                let (value, from) = largest((0..states).map(|j| best[j] + step[j * states + k]));
                next[k] = value + terms[time * states + k];
                before[time * states + k] = from;
            }
            best = next;
        }
        let mut path = Vector::zeros(length);
        let (_, mut state) = largest(best.iter().copied());
        for time in (0..length).rev() {
            path[time] = state;
            let mut from = before[time * states];
            for k in 1..states {
                let is_beyond = Real::constant(k as f64 - 0.5).lt(state);
                from = Real::select(is_beyond, before[time * states + k], from);
            }
            state = from;
        }
        path
    }
}

/// The largest of some values and its place, the first among equals.
fn largest<M: Mode>(values: impl Iterator<Item = Real<M>>) -> (Real<M>, Real<M>) {
    let mut found = (Real::constant(f64::NEG_INFINITY), Real::constant(0.0));
    for (k, value) in values.enumerate() {
        let is_larger = found.0.lt(value);
        found = (
            Real::select(is_larger, value, found.0),
            Real::select(is_larger, k as f64, found.1),
        );
    }
    found
}
