//! How long default runs are likely to take.

use crate::text::{duration, grouped};
use std::fmt;

/// Gradients of four chains of NUTS with 1000 steps of warm-up and 1000 draws each.
const NUTS: f64 = 100_000.0;
/// Gradients of eight islands of 256 particles.
const PSMC: f64 = 3_000_000.0;
/// Number of draws that these runs keep, each with its output.
const DRAWS: [f64; 2] = [4000.0, 65_536.0];
/// Number of islands by default.
const ISLANDS: usize = 8;

/// How long default runs of a model are likely to take, estimated before they begin.
///
/// NUTS and an island of the default size run for a second each, or to their end. What is left is extrapolated from their progress
/// (`measured`). A smaller island would not do: its particles show no correlations, so that it takes shorter steps, and up to the same
/// number of gradients in all.
///
/// Where they do not show it, because a few temperatures or steps take longer than that, the times are a rough rule: the time of a
/// gradient at draws of the prior times the number of gradients of an everyday run. The time of the output of a draw times the number of
/// draws is added; it matters for a model without a trace. On five models of 4 to 303 coordinates
/// (`cargo run --release -p bayes-experiments --example everyday`) NUTS took 50,000 to 270,000 gradients, pSMC 1.2 to 4.1 million. This
/// rule assumes 100,000 and 3 million. Small models take less (eight schools a seventh). A posterior that is hard to sample takes more:
/// a network with two hidden layers of eight units took 4.3 million gradients of NUTS, and 11.6 million of each island. The islands of
/// pSMC are divided among the threads; the chains of NUTS take their steps together, on one thread. The progress of a run forecasts its
/// end better, from the first temperatures or draws on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LikelyTime {
    /// Seconds of `Inference::nuts()`.
    pub nuts: f64,
    /// Seconds of `Inference::psmc()`.
    pub psmc: f64,
    /// Whether the times of NUTS and of pSMC come from short runs.
    pub measured: [bool; 2],
}

impl LikelyTime {
    /// The estimate from the seconds of a gradient for one of four chains and for one of many particles, the seconds of the output of a
    /// draw, and the number of threads.
    pub(super) fn of([chain, particle]: [f64; 2], output: f64, threads: usize) -> Self {
        let [of_nuts, of_psmc] = DRAWS.map(|draws| draws * output);
        let psmc = (PSMC * particle + of_psmc) / threads.clamp(1, ISLANDS) as f64;
        Self {
            nuts: NUTS * chain + of_nuts,
            psmc,
            measured: [false; 2],
        }
    }

    /// The estimate from the seconds of NUTS and of an island on one thread, where they are known.
    pub(super) fn or_measured(
        mut self,
        nuts: Option<f64>,
        island: Option<f64>,
        threads: usize,
    ) -> Self {
        self.measured = [nuts.is_some(), island.is_some()];
        self.nuts = nuts.unwrap_or(self.nuts);
        if let Some(island) = island {
            self.psmc = island * ISLANDS as f64 / threads.clamp(1, ISLANDS) as f64;
        }
        self
    }
}

impl fmt::Display for LikelyTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [nuts, psmc] = [self.nuts, self.psmc].map(duration);
        write!(f, "nuts {nuts}, psmc {psmc} ")?;
        let [of_nuts, of_psmc] = [NUTS, PSMC].map(|gradients| grouped(gradients as u64));
        match self.measured {
            [true, true] => f.write_str("(by the beginnings of such runs)"),
            [false, true] => write!(
                f,
                "(psmc by the beginning of such a run, nuts for {of_nuts} gradients)"
            ),
            [true, false] => write!(
                f,
                "(nuts by the beginning of such a run, psmc for {of_psmc} gradients)"
            ),
            [false, false] => write!(
                f,
                "(for {of_nuts} and {of_psmc} gradients; a posterior that is hard to sample, such as a network's, takes up to 50 times as \
                 many)"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::LikelyTime;

    #[test]
    fn times_are_those_of_typical_numbers_of_gradients() {
        let likely = LikelyTime::of([200e-6, 57e-6], 0.0, 2);
        assert_eq!(
            likely.to_string(),
            "nuts about 20 s, psmc about 86 s (for 100 000 and 3 000 000 gradients; \
             a posterior that is hard to sample, such as a network's, takes up to 50 times as many)"
        );
        // eight islands use at most eight threads
        let [many, eight] = [64, 8].map(|threads| LikelyTime::of([1.0; 2], 1.0, threads));
        assert_eq!(many, eight);
        let measured = likely.or_measured(Some(4.0), Some(8.0), 2);
        assert_eq!(
            measured.to_string(),
            "nuts about 4 s, psmc about 32 s (by the beginnings of such runs)"
        );
        // a model without a trace runs as a whole for the output of each draw
        let slow = LikelyTime::of([200e-6, 57e-6], 1e-3, 2);
        assert_eq!((slow.nuts.round(), slow.psmc.round()), (24.0, 118.0));
    }
}
