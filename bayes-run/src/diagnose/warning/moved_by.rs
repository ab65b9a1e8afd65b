//! What moves chains, and the engine whose steps fit a place where theirs are too long.

use crate::run::Run;
use serde::{Deserialize, Serialize};

/// What moves chains, as far as the advice depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MovedBy {
    /// NUTS.
    Nuts,
    /// WALNUTS.
    Walnuts,
    /// HMC, which may halve its steps.
    Hmc,
    /// Parallel tempering with any kernel.
    Tempering,
    /// Another kernel, or an unknown one.
    #[default]
    Other,
}

impl MovedBy {
    pub(super) fn of(run: &Run) -> Self {
        match run.kernel.as_str() {
            _ if run.exchanges().next().is_some() => Self::Tempering,
            "nuts" => Self::Nuts,
            "walnuts" => Self::Walnuts,
            "hmc" => Self::Hmc,
            _ => Self::Other,
        }
    }

    /// Whether NUTS moves the chains, with steps of one length or of several. No chains of these are sent to the other one where both fail
    /// alike, as between modes.
    pub(super) fn is_nuts(run: &Run) -> bool {
        ["nuts", "walnuts"].contains(&run.kernel.as_str())
    }
}

/// The engine for chains whose steps are too long for a steep or narrow place. It is no advice for chains of its own.
macro_rules! fitting_steps {
    () => {
        "`Inference::walnuts()`, whose steps fit the place"
    };
}

pub(super) use fitting_steps;
