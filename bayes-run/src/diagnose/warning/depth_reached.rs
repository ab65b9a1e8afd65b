//! Chains: trajectories reached the maximum tree depth.

use super::Message;
use super::trajectories::total;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Share of trajectories at the maximum tree depth above which there is a warning.
const SATURATED: f64 = 0.01;

/// Trajectories reached the maximum tree depth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DepthReached {
    /// Number of such trajectories after the burn-in.
    pub max_depth_hits: u64,
    /// Number of all trajectories after the burn-in.
    pub trajectories: u64,
    /// Number of coordinates: a single one has no other magnitudes beside its own.
    #[serde(default)]
    pub coordinates: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<DepthReached> {
    let (max_depth_hits, trajectories) = total(run, |t| t.max_depth_hits);
    let many = max_depth_hits as f64 > SATURATED * trajectories as f64;
    many.then_some(DepthReached {
        max_depth_hits,
        trajectories,
        coordinates: run.layout.dim,
    })
}

impl Message for DepthReached {
    fn problem(&self) -> String {
        let Self {
            max_depth_hits,
            trajectories,
            ..
        } = self;
        format!(
            "{max_depth_hits} of {trajectories} trajectories between draws reached the maximum tree depth"
        )
    }

    fn remedy(&self) -> &'static str {
        if self.coordinates == 1 {
            return "The draws are valid but strongly autocorrelated. Raise `max_depth`. Jumps of the density have the same effect; `model.check(..)` looks \
                    for them.";
        }
        "The draws are valid but strongly autocorrelated. Rescale the parameters to similar magnitudes, \
         use `.mass(Mass::LowRank)`, or raise `max_depth`. Jumps of the density have the same effect; `model.check(..)` looks for them."
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let remedy = match self.coordinates {
            1 => "The draws are valid but strongly autocorrelated. Raise `max_depth`.",
            _ => {
                "The draws are valid but strongly autocorrelated. Bring the columns to similar magnitudes, as by `scale(x)`, use `.mass(Mass::LowRank)`, or \
                 raise `max_depth`."
            }
        };
        Some(remedy.into())
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
            "24 of 2000 trajectories between draws reached the maximum tree depth. The draws are valid but strongly \
         autocorrelated. Rescale the parameters to similar magnitudes, use `.mass(Mass::LowRank)`, or raise \
         `max_depth`. Jumps of the density have the same effect; `model.check(..)` looks for them.",
        );
    }
}
