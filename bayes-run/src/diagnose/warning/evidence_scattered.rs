//! Islands: the log evidences differ much, so all of them may be too low.

use super::advice::{MOST, evidence_range, evidence_spread};
use super::{Advice, Message, evidence_imprecise};
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use crate::text::percent;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The standard deviation of the islands' log evidences should be below this.
const EVIDENCE_SPREAD: f64 = 0.5;

/// The log evidences of the islands differ much, so all of them may be too low.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceScattered {
    /// The standard deviation of the islands' log evidences.
    pub spread: f64,
    /// Number of islands with a finite log evidence.
    pub islands: usize,
    /// The lowest and the highest of their log evidences.
    #[serde(default)]
    pub range: [f64; 2],
    /// The effective number of islands.
    #[serde(default)]
    pub effective: f64,
    /// The weight of these log evidences in the one that is printed, 0 to 1: below 1 where integration around the mode counts too.
    #[serde(default = "whole")]
    pub weight: f64,
    /// The number of particles that would bring the standard deviation, times this weight, below its bound.
    pub advice: Option<Advice>,
}

fn whole() -> f64 {
    1.0
}

/// Two effects leave a bias of the order of the variance of an island's log evidence: adaptation to the particles, and
/// islands with large evidence that are too rare to occur. Averaging over islands does not remove this bias.
pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<EvidenceScattered> {
    if evidence_imprecise::find(run, elements).is_some() {
        return None;
    }
    let (islands, spread) = evidence_spread(run);
    // islands differ by the path, which counts by its weight
    let joined = run.log_evidence_joined();
    let weight = joined.map_or(1.0, |joined| joined.weight_of_path);
    let printed = weight * spread;
    (islands >= 4 && printed > EVIDENCE_SPREAD).then(|| EvidenceScattered {
        spread,
        islands,
        range: evidence_range(run),
        effective: run.effective_groups(),
        weight,
        advice: Advice::particles(run, printed, EVIDENCE_SPREAD),
    })
}

impl Message for EvidenceScattered {
    fn problem(&self) -> String {
        let Self {
            spread,
            islands,
            range: [low, high],
            effective,
            weight,
            ..
        } = self;
        let joined = match *weight < 1.0 {
            true => format!(
                ", of which {:.2} is left in the printed one, where they have a weight of {}",
                weight * spread,
                percent(*weight)
            ),
            false => String::new(),
        };
        format!(
            "the log evidence may be too low by more than its standard error: the log evidences of the {islands} \
             islands, {low:.2} to {high:.2}, have standard deviation {spread:.2}{joined}; it should be below {EVIDENCE_SPREAD}. {effective:.1} of the \
             islands are effective"
        )
    }

    fn remedy(&self) -> &'static str {
        "Use more particles per island or a kernel that mixes faster. More islands do not help."
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        match self.advice {
            Some(_) => self.remedy().into(),
            None => format!(
                "Use a kernel that mixes faster, or coordinates or priors that bring the prior nearer to the posterior: particles alone would have to be \
                 more than {MOST} times as many. More islands do not help."
            )
            .into(),
        }
    }

    fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Controlled;
    use crate::run::example::{islands, normals, of_island};

    /// Would detect the spread of the weights where control variates give the evidence.
    #[test]
    fn islands_whose_control_variates_agree_do_not_scatter() {
        let noise = normals(5, 16);
        let log_evidence: Vec<f64> = noise.iter().map(|z| 0.8 * z).collect();
        let mut run = islands(&log_evidence, 256);
        assert!(find(&run, &[]).is_some());
        for (group, z) in run.groups.iter_mut().zip(&noise) {
            let island = of_island(group);
            // gains of alternating sign, whose squares sum to the variance
            let gain = |k: usize, se: f64| {
                if k.is_multiple_of(2) {
                    se / 16.0
                } else {
                    -se / 16.0
                }
            };
            island.gains = (0..256).map(|k| gain(k, 0.8)).collect();
            island.controlled = Some(Controlled {
                log_evidence: 0.01 * z,
                gains: (0..256).map(|k| gain(k, 0.01)).collect(),
                ..Controlled::new(256)
            });
        }
        assert!(run.log_evidence_without_controls().is_some());
        assert_eq!(find(&run, &[]), None);
    }

    #[test]
    fn islands_whose_evidences_scatter() {
        let log_evidence: Vec<f64> = normals(5, 64).iter().map(|z| 0.8 * z).collect();
        let run = islands(&log_evidence, 256);
        let warning = find(&run, &[]).expect("0.8 is above 0.5").problem();
        assert!(
        warning.starts_with(
            "the log evidence may be too low by more than its standard error: the log evidences of the 64 islands, \
             -"
        ),
        "{warning}"
        );
        let (low, high) = log_evidence
            .iter()
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), z| {
                (low.min(*z), high.max(*z))
            });
        let wanted = format!(
            ", {low:.2} to {high:.2}, have standard deviation 0.{}; it should be below 0.5. {:.1} of the islands are effective",
            &warning.split("deviation 0.").nth(1).expect("it is said")[..2],
            run.effective_groups()
        );
        assert!(warning.contains(&wanted), "{warning}");
        // 64 times the particles would not do
        let wide: Vec<f64> = log_evidence.iter().map(|z| 8.0 * z).collect();
        let found = find(&islands(&wide, 256), &[]).expect("it is wider");
        assert_eq!(found.advice, None);
        let remedy = found.remedy_here();
        assert!(remedy.contains("more than 64 times as many"), "{remedy}");
        let narrow: Vec<f64> = log_evidence.iter().map(|z| 0.4 * z).collect();
        assert_eq!(find(&islands(&narrow, 256), &[]), None);
        assert_eq!(find(&islands(&log_evidence[..3], 256), &[]), None);
    }
}
