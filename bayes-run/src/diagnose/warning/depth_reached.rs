//! Chains: trajectories reached the maximum tree depth.

use super::trajectories::total;
use super::{Message, is_of_formula};
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// Share of trajectories at the maximum tree depth above which there is a warning.
const SATURATED: f64 = 0.01;

/// Trajectories reached the maximum tree depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthReached {
    /// Number of such trajectories after the burn-in.
    pub max_depth_hits: u64,
    /// Number of all trajectories after the burn-in.
    pub trajectories: u64,
    /// Whether the model was written as a formula.
    #[serde(default)]
    pub formula: bool,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<DepthReached> {
    let (max_depth_hits, trajectories) = total(run, |t| t.max_depth_hits);
    let many = max_depth_hits as f64 > SATURATED * trajectories as f64;
    many.then_some(DepthReached {
        max_depth_hits,
        trajectories,
        formula: is_of_formula(run),
    })
}

impl Message for DepthReached {
    fn problem(&self) -> String {
        let Self {
            max_depth_hits,
            trajectories,
            ..
        } = self;
        format!("{max_depth_hits} of {trajectories} trajectories reached the maximum tree depth")
    }

    fn remedy(&self) -> &'static str {
        if self.formula {
            return "The draws are valid but strongly autocorrelated. Bring the columns to similar magnitudes, as by `scale(x)`, use \
                    `.mass(Mass::LowRank)`, or raise `max_depth`.";
        }
        "The draws are valid but strongly autocorrelated. Rescale the parameters to similar magnitudes, \
         use `.mass(Mass::LowRank)`, or raise `max_depth`. Jumps of the density have the same effect; `model.check(..)` looks for them."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::{
        assert_warned, healthy_trajectories, with_trajectories,
    };
    use crate::run::Trajectories;

    #[test]
    fn trees_that_are_cut_off() {
        let run = with_trajectories(&Trajectories {
            max_depth_hits: 6,
            ..healthy_trajectories()
        });
        assert_warned(
            &run,
            "24 of 2000 trajectories reached the maximum tree depth. The draws are valid but strongly \
         autocorrelated. Rescale the parameters to similar magnitudes, use `.mass(Mass::LowRank)`, or raise \
         `max_depth`. Jumps of the density have the same effect; `model.check(..)` looks for them.",
        );
    }
}
