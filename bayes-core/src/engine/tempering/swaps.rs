//! Swaps of states between neighbouring temperatures: the even and the odd pairs in turn.

use super::rung::Rung;
use crate::rng::Stream;
use rand::RngExt;
use serde::{Deserialize, Serialize};

/// The end of the ladder that a state visited last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
enum LastEnd {
    /// Neither end yet.
    #[default]
    Unknown,
    Prior,
    Posterior,
}

/// The swaps of several chains, each with its own stream, and their statistics.
///
/// A swap of the states at λ and λ' is accepted with probability `min(1, exp((λ' − λ) (ℓ − ℓ')))`, ℓ the log likelihoods. All even pairs
/// (0 and 1, 2 and 3, ..) and all odd pairs are tried in turn. So a swapped state continues in the same direction. The time of its way
/// through the ladder is linear in the length of the ladder, not quadratic as with random pairs (Okabe et al. 2001; Syed et al. 2022).
#[derive(Serialize, Deserialize)]
pub(in crate::engine) struct Swaps {
    streams: Vec<Stream>,
    scans: usize,
    /// Sums of the acceptance probabilities of all pairs, even and odd, `[chains][temperatures - 1]`.
    accepted: Vec<Vec<f64>>,
    /// The origin of each state, `[chains][temperatures]`.
    origins: Vec<Vec<LastEnd>>,
    /// States that went from one end to the other, `[chains]`.
    passages: Vec<u64>,
}

impl Swaps {
    /// No swaps yet, for chains with these streams at this number of temperatures.
    pub(in crate::engine) fn new(streams: Vec<Stream>, temperatures: usize) -> Self {
        let chains = streams.len();
        Self {
            streams,
            scans: 0,
            accepted: vec![vec![0.0; temperatures - 1]; chains],
            origins: vec![vec![LastEnd::default(); temperatures]; chains],
            passages: vec![0; chains],
        }
    }

    /// The same for another round. The states remember their origins, because a passage takes hundreds of scans.
    pub(in crate::engine) fn next_round(&self, streams: Vec<Stream>, temperatures: usize) -> Self {
        let mut next = Self::new(streams, temperatures);
        for (next, last) in next.origins.iter_mut().zip(&self.origins) {
            if next.len() == last.len() {
                next.clone_from(last);
            }
        }
        next
    }

    /// Tries the even or the odd pairs of every chain.
    pub(in crate::engine) fn exchange(&mut self, rungs: &mut [Rung]) {
        let parity = self.scans % 2;
        self.scans += 1;
        for chain in 0..self.streams.len() {
            for k in 0..rungs.len() - 1 {
                let [lower, upper] = [k, k + 1].map(|k| &rungs[k]);
                let gain = lower.potential(chain) - upper.potential(chain);
                let log_ratio = (upper.lambda - lower.lambda) * gain;
                // NaN only if neither state has a finite density: they stay
                let probability = if log_ratio.is_nan() {
                    0.0
                } else {
                    log_ratio.min(0.0).exp()
                };
                self.accepted[chain][k] += probability;
                if k % 2 != parity {
                    continue;
                }
                // also drawn if the outcome is certain, so that every scan uses the same number of random numbers
                let uniform: f64 = self.streams[chain].random();
                if uniform < probability {
                    let (below, above) = rungs.split_at_mut(k + 1);
                    below[k].swap(&mut above[0], chain);
                    self.origins[chain].swap(k, k + 1);
                }
            }
            self.mark_ends(chain);
        }
    }

    /// Marks the states at the ends of the ladder, and counts a passage if a state comes from the other end.
    fn mark_ends(&mut self, chain: usize) {
        let (origins, passages) = (&mut self.origins[chain], &mut self.passages[chain]);
        let mut mark = |state: Option<&mut LastEnd>, other, end| {
            if let Some(origin) = state {
                *passages += u64::from(*origin == other);
                *origin = end;
            }
        };
        mark(origins.first_mut(), LastEnd::Posterior, LastEnd::Prior);
        mark(origins.last_mut(), LastEnd::Prior, LastEnd::Posterior);
    }

    /// Mean acceptance probabilities of a chain's pairs, `[temperatures - 1]`.
    pub(in crate::engine) fn acceptance(&self, chain: usize) -> Vec<f64> {
        let scans = self.scans.max(1) as f64;
        self.accepted[chain].iter().map(|sum| sum / scans).collect()
    }

    /// Mean rejection probabilities over all chains, `[temperatures - 1]`.
    pub(in crate::engine) fn rejection(&self) -> Vec<f64> {
        let chains = self.streams.len();
        let mut rejection = vec![1.0; self.accepted[0].len()];
        for chain in 0..chains {
            for (rejected, share) in rejection.iter_mut().zip(self.acceptance(chain)) {
                *rejected -= share / chains as f64;
            }
        }
        rejection
    }

    /// Round trips of a chain's states: half of the passages.
    pub(in crate::engine) fn round_trips(&self, chain: usize) -> u64 {
        self.passages[chain] / 2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A chain whose swaps are all accepted goes up one temperature per scan: a round trip takes twice the number of temperatures.
    #[test]
    fn origins_count_round_trips() {
        let temperatures = 5;
        let mut swaps = Swaps::new(Vec::new(), temperatures);
        swaps.origins.push(vec![LastEnd::default(); temperatures]);
        swaps.passages.push(0);
        let scans = 100 * 2 * temperatures;
        for scan in 0..scans {
            for k in (scan % 2..temperatures - 1).step_by(2) {
                swaps.origins[0].swap(k, k + 1);
            }
            swaps.mark_ends(0);
        }
        // all five states travel; the first trips begin when they first reach the prior
        let found = swaps.round_trips(0);
        assert!((490..=500).contains(&found), "{found}");
    }
}
