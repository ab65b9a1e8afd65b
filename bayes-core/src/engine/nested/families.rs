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
    /// As the gains of single particles at each level instead of families: the sums of the squares of k − s Z_t + b Z_{t−1}, of its
    /// products with s − b, and of the squares of s − b, `[3]`; empty for an island that began before they were kept.
    #[serde(default, with = "number::many")]
    alone: Vec<f64>,
}

/// What happens to the states of a population at a level.
pub(super) struct Fates<'a> {
    /// The initial particle from which each state descends. States of one particle are adjacent.
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
            alone: vec![0.0; 3],
        }
    }

    /// Whether the sums cover `families` families.
    pub(super) fn is_complete(&self, families: usize) -> bool {
        let lists = [&self.evidence, &self.shares];
        lists.iter().all(|list| list.len() == families) && matches!(self.alone.len(), 0 | 3)
    }

    /// Adds a level.
    pub(super) fn add(&mut self, fates: &Fates<'_>) {
        let old = (self.log_unit - fates.log_evidence).exp();
        self.log_unit = fates.log_evidence;
        let families = self.evidence.len();
        let of_families = fates.terms(families, |state| fates.ancestors[state] as usize);
        for (k, [evidence, share]) in of_families.into_iter().enumerate() {
            self.evidence[k] = in_new_unit(self.evidence[k], old) + evidence;
            self.shares[k] += share;
        }
        let states = fates.ancestors.len().div_ceil(families);
        let of_particles = fates.terms(families, |state| state / states);
        let sums = of_particles.iter().fold([0.0; 3], |sums, [e, s]| {
            [sums[0] + e * e, sums[1] + e * s, sums[2] + s * s]
        });
        let units = [old * old, old, 1.0];
        for ((all, unit), sum) in self.alone.iter_mut().zip(units).zip(sums) {
            *all = in_new_unit(*all, unit) + sum;
        }
    }

    /// The relative variance of an evidence with this logarithm, divided by its variance if the particles of each level did not depend on
    /// those of the levels before. It is 1 if the moves forget all that matters for the evidence; NaN if neither is known.
    pub(super) fn inflation(&self, log_evidence: f64) -> f64 {
        let unit = (self.log_unit - log_evidence).exp();
        let squares: f64 = self.of(log_evidence).iter().map(|gain| gain * gain).sum();
        let &[evidence, both, shares] = self.alone.as_slice() else {
            return f64::NAN;
        };
        squares / (evidence * unit * unit + 2.0 * both * unit + shares)
    }

    /// The gains of the families in an evidence with this logarithm.
    pub(super) fn of(&self, log_evidence: f64) -> Vec<f64> {
        let unit = (self.log_unit - log_evidence).exp();
        let pairs = self.evidence.iter().zip(&self.shares);
        pairs.map(|(sum, share)| sum * unit + share).collect()
    }
}

/// A sum in a new unit; before the first term, the old unit has no meaning.
fn in_new_unit(sum: f64, old: f64) -> f64 {
    match sum == 0.0 {
        true => 0.0,
        false => sum * old,
    }
}

impl Fates<'_> {
    /// For each of `groups` groups of states, k − s Z_t + b Z_{t−1} in units of the evidence, and s − b; `group` is the group of a state.
    fn terms(&self, groups: usize, group: impl Fn(usize) -> usize) -> Vec<[f64; 2]> {
        let below = self.below.map(|log| (log - self.log_evidence).exp());
        let states = self.ancestors.len() as f64;
        let survivors = self.log_weights.iter().filter(|w| w.is_none()).count() as f64;
        let mut parts = vec![[0.0; 3]; groups];
        for (state, log_weight) in self.log_weights.iter().enumerate() {
            let [before, after, gone] = &mut parts[group(state)];
            *before += 1.0 / states;
            match log_weight {
                Some(log_weight) => *gone += (log_weight - self.log_evidence).exp(),
                None => *after += 1.0 / survivors,
            }
        }
        let squares: f64 = parts.iter().map(|[before, ..]| before * before).sum();
        let scale = match squares < 1.0 {
            true => 1.0 / (1.0 - squares).sqrt(),
            false => f64::NAN,
        };
        let terms = parts.iter().map(|[before, after, gone]| {
            let evidence = gone - after * below[1] + before * below[0];
            [scale * evidence, scale * (after - before)]
        });
        terms.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAMILIES: usize = 4;

    /// The inflation after two levels of four particles with two states each, and a last one; a quarter of the states survive. `second` are the survivors
    /// of the second level.
    fn inflation(second: [usize; 2]) -> f64 {
        let ancestors: Vec<u32> = (0..8).map(|state| state / 2).collect();
        let mut gains = FamilyGains::new(FAMILIES);
        let below = [f64::NEG_INFINITY, -1.4, -0.7, 0.0];
        for (level, survivors) in [&[0, 2][..], &second, &[]].into_iter().enumerate() {
            let log_weight = |state: usize| (!survivors.contains(&state)).then_some(-3.0);
            let log_weights: Vec<Option<f64>> = (0..8).map(log_weight).collect();
            gains.add(&Fates {
                ancestors: &ancestors,
                log_weights: &log_weights,
                below: [below[level], below[level + 1]],
                log_evidence: 0.0,
            });
        }
        gains.inflation(0.0)
    }

    /// Mutation meant to be detected: sums that forget earlier levels.
    #[test]
    fn families_that_survive_again_inflate_the_variance() {
        let [same, others] = [[0, 2], [4, 6]].map(inflation);
        assert!(same > 1.2 && others < 0.8, "{same} {others}");
    }

    /// Mutations meant to be detected: an island of an old file is refused, or its missing sums are taken for 0.
    #[test]
    fn a_file_without_the_sums_of_single_particles_is_read() {
        let text = r#"{"evidence": [0.5, -0.5], "shares": [0.1, -0.1], "log_unit": 0.0}"#;
        let mut gains: FamilyGains = serde_json::from_str(text).expect("an old file");
        assert!(gains.is_complete(2));
        gains.add(&Fates {
            ancestors: &[0, 1],
            log_weights: &[None, Some(-2.0)],
            below: [f64::NEG_INFINITY, -1.0],
            log_evidence: 0.0,
        });
        assert!(gains.is_complete(2) && gains.inflation(0.0).is_nan());
        gains.alone = vec![0.0; 2];
        assert!(!gains.is_complete(2));
    }

    /// Mutation meant to be detected: products of unlike units.
    #[test]
    fn a_new_unit_changes_nothing() {
        let ancestors = [0, 0, 1, 1, 2, 2, 3, 3];
        let log_weights = [
            None,
            Some(-2.0),
            None,
            Some(-2.5),
            Some(-3.0),
            Some(-2.0),
            None,
            None,
        ];
        let of = |shift: f64| {
            let mut gains = FamilyGains::new(FAMILIES);
            for (below, log_evidence) in [([f64::NEG_INFINITY, -1.0], shift), ([-1.0, -0.5], 0.0)] {
                gains.add(&Fates {
                    ancestors: &ancestors,
                    log_weights: &log_weights,
                    below,
                    log_evidence,
                });
            }
            gains.inflation(0.0)
        };
        let (one, other) = (of(0.0), of(-3.0));
        assert!((one / other - 1.0).abs() < 1e-12, "{one} {other}");
        assert!(one > 0.0, "{one}");
    }
}
