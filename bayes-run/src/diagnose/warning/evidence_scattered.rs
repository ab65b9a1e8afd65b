//! Islands: the log evidences differ much, so all of them may be too low.

use super::advice::evidence_spread;
use super::{Advice, Message, evidence_imprecise};
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The standard deviation of the islands' log evidences should be below this.
const EVIDENCE_SPREAD: f64 = 0.5;

/// The log evidences of the islands differ much, so all of them may be too low.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceScattered {
    /// The standard deviation of the islands' log evidences.
    pub spread: f64,
    /// The same times the weight of the path in the log evidence, if integration around a mode has a part in it.
    #[serde(default)]
    pub weighted: Option<f64>,
    /// Number of islands with a finite log evidence.
    pub islands: usize,
    /// The number of particles that would bring the standard deviation below its bound.
    pub advice: Option<Advice>,
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
    let weighted = joined.map(|joined| joined.weight_of_path * spread);
    (islands >= 4 && weighted.unwrap_or(spread) > EVIDENCE_SPREAD).then(|| EvidenceScattered {
        spread,
        weighted,
        islands,
        advice: Advice::particles(run, spread, EVIDENCE_SPREAD),
    })
}

impl Message for EvidenceScattered {
    fn problem(&self) -> String {
        let Self {
            spread,
            weighted,
            islands,
            ..
        } = self;
        let part = weighted.map_or_else(String::new, |weighted| {
            format!(" along the path, and {weighted:.2} of it enters the log evidence")
        });
        format!(
            "the log evidence may be too low by more than its standard error: the log evidences of the {islands} \
             islands have standard deviation {spread:.2}{part}; it should be below {EVIDENCE_SPREAD}"
        )
    }

    fn remedy(&self) -> &'static str {
        "Use more particles per island or a kernel that mixes faster. More islands do not help."
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
            "the log evidence may be too low by more than its standard error: the log evidences of the 64 islands \
             have standard deviation 0."
        ),
        "{warning}"
    );
        let narrow: Vec<f64> = log_evidence.iter().map(|z| 0.4 * z).collect();
        assert_eq!(find(&islands(&narrow, 256), &[]), None);
        assert_eq!(find(&islands(&log_evidence[..3], 256), &[]), None);
    }
}
