//! Islands: the log evidence has a large standard error.

use super::advice::evidence_spread;
use super::{Advice, Message};
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::Estimate;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// A log evidence with a larger standard error is called imprecise: the 95% interval of a Bayes factor then
/// spans a factor of 7.
const EVIDENCE_SE: f64 = 0.5;

/// The log evidence has a large standard error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EvidenceImprecise {
    /// The standard error.
    pub se: f64,
    /// The number of islands or of particles that would bring the standard error below its bound.
    pub advice: Option<Advice>,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<EvidenceImprecise> {
    let Estimate { se, .. } = run.log_evidence_estimate()?;
    (se > EVIDENCE_SE).then(|| EvidenceImprecise {
        se,
        advice: advice(run, se),
    })
}

/// Islands that agree within one unit of the log can be averaged. Otherwise the few largest evidences carry the average,
/// and only more particles help.
fn advice(run: &Run, se: f64) -> Option<Advice> {
    let (_, spread) = evidence_spread(run);
    if spread > 1.0 {
        Advice::particles(run, spread, EVIDENCE_SE)
    } else {
        Advice::islands(run, se, EVIDENCE_SE)
    }
}

impl Message for EvidenceImprecise {
    fn problem(&self) -> String {
        let se = self.se;
        format!(
            "the log evidence is imprecise: its standard error is {se:.2}; it should be below {EVIDENCE_SE}"
        )
    }

    fn remedy(&self) -> &'static str {
        "Use more particles, more mutation steps or more islands."
    }

    fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{islands, normals};

    #[test]
    fn an_evidence_known_badly() {
        let log_evidence: Vec<f64> = normals(5, 8).iter().map(|z| 1.6 * z).collect();
        let run = islands(&log_evidence, 256);
        let se = run.log_evidence_se().expect("there are 8 islands");
        assert_warned(
            &run,
            &format!(
                "the log evidence is imprecise: its standard error is {se:.2}; it should be below 0.5. Use \
             more particles, more mutation steps or more islands. Try `.particles(2048)`, 8 times the cost of this \
             run (about 70 400 evaluations)."
            ),
        );
    }
}
