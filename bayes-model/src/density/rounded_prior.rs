//! Quantities whose prior has mass where floating-point numbers round.

use super::Posterior;
use super::posterior::drawn;
use crate::model::Draw;
use crate::rng::{Key, Purpose};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// Number of pairs of an observation and a coordinate over all draws: some tenths of a second.
const WORK: usize = 20_000_000;
/// The maximum number of prior draws.
const MOST: usize = 1000;
/// The minimum number of prior draws, for a model of any size.
const FEWEST: usize = 20;
/// The relative rounding of a coordinate at which a value is lost: `1 - p`, for example, has three digits left.
const ROUNDED: f64 = 1e-3;
/// Rounding of at most this share of draws is ignored.
pub const NEGLIGIBLE_ROUNDING: f64 = 0.002;

/// A quantity whose prior draws round to an end of the support, or to infinity.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RoundedPrior {
    /// The statement.
    pub statement: usize,
    /// The quantity.
    pub name: String,
    /// Number of prior draws.
    pub draws: usize,
    /// Number of draws that round, while the density or the likelihood reads the rounded value.
    pub rounded: usize,
    /// Number of draws whose coordinates do not preserve them: they represent prior mass that no number reaches.
    pub lost: usize,
    /// The coordinates that round.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub coordinates: BTreeSet<usize>,
}

impl RoundedPrior {
    /// The problem: what rounds, and how often.
    pub fn problem(&self) -> String {
        let name = &self.name;
        let (count, what) = match self.is_lost() {
            true => (
                self.lost,
                "are so near an end of its support, or so large, that no number holds them",
            ),
            false => (
                self.rounded,
                "round to an end of its support or to infinity, and the model computes with the rounded value",
            ),
        };
        let share = 100.0 * count as f64 / self.draws as f64;
        format!("{share:.1}% of the prior draws of `{name}` {what}")
    }

    /// The meaning of the problem, and its remedy.
    pub fn remedy(&self) -> &'static str {
        if self.is_lost() {
            "This part of the prior is missing, and evidence and posterior are wrong by up to its share. Use a prior with less mass at the ends \
             or in the tails, or give one to the logarithm or the logit of the quantity."
        } else {
            "The prior itself is right, and so are `x.ln()`, `1.0 - x` and `x.logit()` of such an `x`. What changes fast near the end, as \
             `1.0 / (1.0 - x)` does, is evaluated at the end: write it by these."
        }
    }

    /// The remedy in a formula, whose expressions are the library's.
    pub fn remedy_of_formula(&self) -> &'static str {
        if self.is_lost() {
            "This part of the prior is missing, and evidence and posterior are wrong by up to its share. Use a prior with less mass at the ends \
             or in the tails."
        } else {
            "Use a prior with less mass at the ends or in the tails if the posterior reaches them."
        }
    }

    /// Whether prior mass is missing, not only rounded.
    pub fn is_lost(&self) -> bool {
        self.lost >= self.rounded
    }
}

impl Posterior<'_> {
    /// The quantities with more than 0.2% of the prior draws rounded; they are the same for every seed of a run.
    pub(super) fn find_rounded_priors(&self) -> Vec<RoundedPrior> {
        let draws = (WORK / self.validated.pairs().max(1)).clamp(FEWEST, MOST);
        let mut found: BTreeMap<usize, RoundedPrior> = BTreeMap::new();
        for item in 0..draws {
            let key = Key::new(0, Purpose::Validation).item((1 << 32) + item as u64);
            let (priors, _) = drawn(self.model, Draw::new(&mut key.stream()));
            let mut from = 0;
            for prior in priors {
                let coordinates = from..from + prior.dim;
                from += prior.dim;
                let rounded = prior.rounding > ROUNDED && self.reads_rounded(coordinates.clone());
                if rounded || prior.lost {
                    let entry = self.entry(&mut found, prior.statement);
                    entry.rounded += usize::from(rounded);
                    entry.lost += usize::from(prior.lost);
                    entry.coordinates.extend(coordinates);
                }
            }
        }
        let least = NEGLIGIBLE_ROUNDING * draws as f64;
        let mut found: Vec<RoundedPrior> = found.into_values().collect();
        found.retain(|prior| prior.rounded.max(prior.lost) as f64 > least);
        for prior in &mut found {
            prior.draws = draws;
        }
        found
    }

    fn entry<'a>(
        &self,
        found: &'a mut BTreeMap<usize, RoundedPrior>,
        statement: usize,
    ) -> &'a mut RoundedPrior {
        found.entry(statement).or_insert_with(|| RoundedPrior {
            statement,
            name: self.model.statements()[statement].name.to_owned(),
            draws: 0,
            rounded: 0,
            lost: 0,
            coordinates: BTreeSet::new(),
        })
    }

    /// Whether the density reads one of these coordinates through its value; always true without a trace.
    fn reads_rounded(&self, mut coordinates: std::ops::Range<usize>) -> bool {
        let Some(trace) = &self.trace else {
            return true;
        };
        let read = trace.reads_rounded();
        coordinates.any(|coordinate| read.get(coordinate) == Some(&true))
    }
}
