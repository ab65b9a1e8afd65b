//! The states that rising levels left behind: weighted draws from the posterior.

use crate::density::Particles;
use crate::engine::smc::resample::Resampling;
use crate::number;
use crate::numeric::log_sum_exp;
use crate::rng::Stream;
use serde::{Deserialize, Serialize};

/// A state is forgotten if its log weight is this far below the log weight of the whole.
pub(super) const NEGLIGIBLE: f64 = 30.0;

/// States below the present level, with their weights in the evidence ("dead points", Skilling 2006).
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Dead {
    /// `[states, dim]`.
    #[serde(with = "number::many")]
    positions: Vec<f64>,
    #[serde(with = "number::many")]
    log_prior: Vec<f64>,
    #[serde(with = "number::many")]
    log_likelihood: Vec<f64>,
    /// The log of the part of the evidence that a state represents.
    #[serde(with = "number::many")]
    log_weights: Vec<f64>,
    /// The initial particle from which a state descends.
    ancestors: Vec<u32>,
}

impl Dead {
    /// Whether its lists belong together.
    pub(super) fn is_complete(&self, dim: usize, families: usize) -> bool {
        let states = self.ancestors.len();
        let narrow = [&self.log_prior, &self.log_likelihood, &self.log_weights];
        self.positions.len() == states * dim
            && narrow.iter().all(|list| list.len() == states)
            && self.ancestors.iter().all(|a| (*a as usize) < families)
    }

    /// Adds the state `i` of a population, which represents a prior mass with this logarithm.
    pub(super) fn add(&mut self, particles: &Particles, i: usize, log_mass: f64, ancestor: u32) {
        let log_likelihood = particles.log_likelihood[i];
        self.positions.extend_from_slice(particles.position(i));
        self.log_prior.push(particles.log_prior[i]);
        self.log_likelihood.push(log_likelihood);
        self.log_weights.push(log_mass + log_likelihood);
        self.ancestors.push(ancestor);
    }

    /// Forgets the states that contribute almost nothing to an evidence with this logarithm.
    pub(super) fn prune(&mut self, log_evidence: f64, dim: usize) {
        let least = log_evidence - NEGLIGIBLE;
        let keeps: Vec<bool> = self.log_weights.iter().map(|w| *w >= least).collect();
        if keeps.iter().all(|keep| *keep) {
            return;
        }
        let mut rows = keeps
            .iter()
            .flat_map(|keep| std::iter::repeat_n(*keep, dim));
        self.positions.retain(|_| rows.next() == Some(true));
        for list in [
            &mut self.log_prior,
            &mut self.log_likelihood,
            &mut self.log_weights,
        ] {
            let mut keeps = keeps.iter();
            list.retain(|_| keeps.next() == Some(&true));
        }
        let mut keeps = keeps.iter();
        self.ancestors.retain(|_| keeps.next() == Some(&true));
    }

    /// Draws this number of states by their weights, with the initial particles from which they descend. A state with at most the share
    /// of one draw is drawn at most once.
    pub(super) fn draw(
        &self,
        draws: usize,
        dim: usize,
        stream: &mut Stream,
    ) -> (Particles, Vec<u32>) {
        let total = log_sum_exp(&self.log_weights);
        let weights = self.log_weights.iter().map(|w| (w - total).exp());
        let weights: Vec<f64> = weights.collect();
        let chosen = Resampling::Systematic.ancestors(&weights, draws, stream);
        let all = Particles {
            dim,
            positions: self.positions.clone(),
            log_prior: self.log_prior.clone(),
            log_likelihood: self.log_likelihood.clone(),
            gradient: Vec::new(),
        };
        let ancestors = chosen.iter().map(|i| self.ancestors[*i as usize]);
        (all.select(&chosen), ancestors.collect())
    }
}
