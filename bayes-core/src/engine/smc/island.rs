//! The state of an SMC sampler between two temperatures.

use crate::density::{Counts, Particles};
use crate::kernel::{Fall, Tuning};
use crate::number;
use crate::run::{Controlled, Stage};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// An island between the prior (λ = 0) and the posterior (λ = 1): everything that determines its next temperature, as plain data. Random
/// streams are keyed by island and temperature, so the state holds none.
///
/// After a state is written to a file and read back, [`Sampler::restore`](crate::engine::Sampler::restore) prepares it to continue with
/// the same bits.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Island {
    /// Number of the island.
    pub index: u64,
    /// The seed, the fingerprint of the density and the settings of the sampler, by name.
    pub origin: BTreeMap<String, String>,
    /// The states of the particles kept at the last temperature; states of one particle are adjacent.
    pub particles: Particles,
    /// The log weight of each state, up to a constant, `[states]`; empty if all weights are equal, as after a resampling.
    #[serde(with = "number::many", default, skip_serializing_if = "Vec::is_empty")]
    pub log_weights: Vec<f64>,
    /// If islands interact, the number of the initial island from which this one descends.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ancestor_island: Option<u64>,
    /// For each state, the number of the initial particle from which it descends, `[states]`.
    pub ancestors: Vec<u32>,
    /// For each initial particle, the share of the weight that its descendants gained by reweighting so far, `[particles]`.
    #[serde(with = "number::many", default)]
    pub gains: Vec<f64>,
    /// The bias of the log evidence so far because the states decided over the temperatures.
    #[serde(
        with = "number::one",
        default,
        skip_serializing_if = "crate::run::is_zero"
    )]
    pub adaptation_bias: f64,
    /// The log evidence by control variates so far; `None` if they are not used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub controlled: Option<Controlled>,
    /// The present leg of the path, from 0, and the number of legs ([`LogDensity::legs`](crate::density::LogDensity::legs)).
    #[serde(default = "one_leg", skip_serializing_if = "is_one_leg")]
    pub leg: [usize; 2],
    /// The position λ on the leg.
    #[serde(with = "number::one")]
    pub lambda: f64,
    /// In nested sampling, the level that the log likelihood of all states exceeds.
    #[serde(
        default,
        with = "number::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub level: Option<f64>,
    /// In nested sampling, how many times larger the variance of the evidence so far is because particles depend on those of earlier levels.
    #[serde(
        default,
        with = "number::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub inflation: Option<f64>,
    /// Log evidence so far; minus infinity if all particles have density zero.
    #[serde(with = "number::one")]
    pub log_evidence: f64,
    /// The tuning of the kernel for each half of the particles, fitted to the other half.
    pub tunings: [Tuning; 2],
    /// For each state, the mean acceptance probability of its particle's moves at the last temperature, `[states]`.
    #[serde(with = "number::many")]
    pub acceptance: Vec<f64>,
    /// For each half, the mean acceptance probability at the last temperature that tunes a step size; `None` before the first moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tuning_acceptance: Option<[f64; 2]>,
    /// Whether the particles move by a random walk at the present temperature.
    #[serde(default, skip_serializing_if = "is_false")]
    pub walks: bool,
    /// Whether control variates helped where the states last had gradients. After a random walk states have gradients only then, and at the
    /// temperatures 1, 2, 4, 8 and so on.
    #[serde(default, skip_serializing_if = "is_false")]
    pub controls_help: bool,
    /// Statistics of each temperature.
    #[serde(deserialize_with = "Stage::read_all")]
    pub history: Vec<Stage>,
    /// The deepest falls of the energy so far, the deepest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub falls: Vec<Fall>,
    /// Numbers of evaluations so far.
    #[serde(deserialize_with = "Counts::read")]
    pub counts: Counts,
}

/// The leg of a path with one leg.
fn one_leg() -> [usize; 2] {
    [0, 1]
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_one_leg(leg: &[usize; 2]) -> bool {
    *leg == one_leg()
}

impl Island {
    /// Whether every list has an entry for each of `n` states, and the leg is one of this number of legs.
    pub(in crate::engine) fn is_complete(&self, n: usize, dim: usize, legs: usize) -> bool {
        let particles = &self.particles;
        let wide = [&particles.positions, &particles.gradient];
        let narrow = [&particles.log_prior, &particles.log_likelihood];
        particles.dim == dim
            && wide.iter().all(|list| list.len() == n * dim)
            && narrow.iter().all(|list| list.len() == n)
            && (self.log_weights.is_empty() || self.log_weights.len() == n)
            && self.ancestors.len() == n
            && self
                .ancestors
                .iter()
                .all(|ancestor| (*ancestor as usize) < self.gains.len())
            && self
                .controlled
                .as_ref()
                .is_none_or(|controlled| controlled.gains.len() == self.gains.len())
            && self.leg[0] < legs
            && self.leg[1] == legs
    }

    /// The position on the whole path, from 0 to 1; every leg is the same share of it.
    pub(in crate::engine) fn progress(&self) -> f64 {
        let [leg, legs] = self.leg.map(|number| number as f64);
        (leg + self.lambda) / legs
    }

    /// A copy of this island in the place of another one, with the other's number and counts.
    pub(in crate::engine) fn copy_as(&self, other: &Self) -> Self {
        Self {
            index: other.index,
            counts: other.counts.clone(),
            ..self.clone()
        }
    }

    /// Whether the island has reached the end of the path, or cannot reach it.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.is_at_posterior() || self.log_evidence == f64::NEG_INFINITY
    }

    /// Whether the island has reached the end of the path.
    pub(in crate::engine) fn is_at_posterior(&self) -> bool {
        let [leg, legs] = self.leg;
        self.lambda >= 1.0 && leg + 1 == legs
    }
}
