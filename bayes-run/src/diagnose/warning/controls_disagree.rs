//! Islands: control variates and weights give different log evidences.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::control::{self, Choice};
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Control variates and weights give different log evidences.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ControlsDisagree {
    /// The log evidence by control variates minus the log evidence by the weights.
    pub difference: f64,
    /// The standard error of the difference.
    pub se: f64,
    /// Whether the log evidence by the path from the prior is between the two; otherwise it is the one without control
    /// variates.
    #[serde(default)]
    pub is_between: bool,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<ControlsDisagree> {
    let joined = run.log_evidence_joined();
    if joined.is_some_and(|joined| joined.is_replaced()) {
        return None;
    }
    let difference = control::difference(run)?;
    let is_between = match control::choice(run) {
        Choice::Plain => false,
        Choice::Both(right) if right < 0.5 => true,
        Choice::Both(_) | Choice::Controlled | Choice::Imprecise => return None,
    };
    difference.se.is_finite().then_some(ControlsDisagree {
        difference: difference.mean,
        se: difference.se,
        is_between,
    })
}

impl Message for ControlsDisagree {
    fn problem(&self) -> String {
        let Self {
            difference,
            se,
            is_between,
            ..
        } = self;
        let counts = match is_between {
            true => "between the two",
            false => "without them",
        };
        format!(
            "control variates change the log evidence by {difference:.3}, where their difference has a standard error of {se:.3}; the \
             log evidence by the path from the prior is {counts}"
        )
    }

    fn remedy(&self) -> &'static str {
        "If the density jumps, as by `Real::select` on a random value, this is why, and nothing has to be done. Otherwise the islands may \
         have too few particles: use more of them, and see whether the two agree."
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let remedy = "The islands may have too few particles: use more of them, and see whether the two agree.";
        Some(remedy.into())
    }
}
