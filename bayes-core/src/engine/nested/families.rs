//! The gains of the families of an island as levels rise: the parts of the relative error of its evidence.

use crate::number;
use serde::{Deserialize, Serialize};

/// Sums that determine the gains of families once the evidence is known.
///
/// With Z the evidence and Z_t the part below level t, the part above is R_t = Z − Z_t. All states above a level have the same share of
/// R_t, since they are draws from the same density. At level t let a family have the share b of the states before, the share s of the
/// survivors, and the sum k of the weights of the states that do not survive. It gains
///
/// ```text
/// (k + s R_t − b R_{t−1}) / Z  =  (k − s Z_t + b Z_{t−1}) / Z  +  (s − b)
/// ```
///
/// divided by √(1 − Σ b²), as at a temperature ([`Island::gains`](crate::run::Island::gains)).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct FamilyGains {
    /// The sums of k − s Z_t + b Z_{t−1}, in units of `exp(log_unit)`.
    #[serde(with = "number::many")]
    evidence: Vec<f64>,
    /// The sums of s − b.
    #[serde(with = "number::many")]
    shares: Vec<f64>,
    #[serde(with = "number::one")]
    log_unit: f64,
}

/// What happens to the states of a population at a level.
pub(super) struct Fates<'a> {
    /// The initial particle from which each state descends.
    pub(super) ancestors: &'a [u32],
    /// For each state the log of its part of the evidence, or `None` if it survives.
    pub(super) log_weights: &'a [Option<f64>],
    /// The log evidences below the previous level and below this one.
    pub(super) below: [f64; 2],
    /// An estimate of the log evidence.
    pub(super) log_evidence: f64,
}

impl FamilyGains {
    pub(super) fn new(families: usize) -> Self {
        Self {
            evidence: vec![0.0; families],
            shares: vec![0.0; families],
            log_unit: f64::NEG_INFINITY,
        }
    }

    /// Whether both sums cover `families` families.
    pub(super) fn is_complete(&self, families: usize) -> bool {
        self.evidence.len() == families && self.shares.len() == families
    }

    /// Adds a level.
    pub(super) fn add(&mut self, fates: &Fates<'_>) {
        let old = (self.log_unit - fates.log_evidence).exp();
        self.log_unit = fates.log_evidence;
        let below = fates.below.map(|log| (log - self.log_unit).exp());
        let states = fates.ancestors.len() as f64;
        let survivors = fates.log_weights.iter().filter(|w| w.is_none()).count() as f64;
        let families = self.evidence.len();
        let (mut before, mut after, mut gone) = (
            vec![0.0; families],
            vec![0.0; families],
            vec![0.0; families],
        );
        for (ancestor, log_weight) in fates.ancestors.iter().zip(fates.log_weights) {
            let family = *ancestor as usize;
            before[family] += 1.0 / states;
            match log_weight {
                Some(log_weight) => gone[family] += (log_weight - self.log_unit).exp(),
                None => after[family] += 1.0 / survivors,
            }
        }
        let squares: f64 = before.iter().map(|share| share * share).sum();
        let scale = match squares < 1.0 {
            true => 1.0 / (1.0 - squares).sqrt(),
            false => f64::NAN,
        };
        for k in 0..families {
            let evidence = gone[k] - after[k] * below[1] + before[k] * below[0];
            // before the first term, the unit has no meaning
            let earlier = match self.evidence[k] == 0.0 {
                true => 0.0,
                false => self.evidence[k] * old,
            };
            self.evidence[k] = earlier + scale * evidence;
            self.shares[k] += scale * (after[k] - before[k]);
        }
    }

    /// The gains of the families in an evidence with this logarithm.
    pub(super) fn of(&self, log_evidence: f64) -> Vec<f64> {
        let unit = (self.log_unit - log_evidence).exp();
        let pairs = self.evidence.iter().zip(&self.shares);
        pairs.map(|(sum, share)| sum * unit + share).collect()
    }
}
