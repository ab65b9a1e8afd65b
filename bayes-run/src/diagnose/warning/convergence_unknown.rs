//! Chains with too few draws for R-hat: nothing shows whether they have converged.

use super::Message;
use crate::diagnose::{ColumnDiagnostics, superchains};
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// A chain needs this many draws for R-hat: two in each half.
pub(crate) const FEWEST_DRAWS: usize = 4;

/// Chains with too few draws for R-hat: nothing shows whether they have converged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ConvergenceUnknown {
    /// Number of draws of a chain.
    pub draws: usize,
    /// Number of chains.
    pub chains: usize,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<ConvergenceUnknown> {
    let (chains, draws) = (run.groups.len(), run.draws_per_group());
    let is_unknown = draws < FEWEST_DRAWS && superchains(run).is_none();
    is_unknown.then_some(ConvergenceUnknown { draws, chains })
}

impl Message for ConvergenceUnknown {
    fn problem(&self) -> String {
        let Self { draws, chains } = self;
        format!(
            "nothing shows whether the chains have converged: R-hat needs {FEWEST_DRAWS} draws in each chain; there are \
             {chains} chains with {draws} each, and each has its own starting point"
        )
    }

    fn remedy(&self) -> &'static str {
        "Let many chains start at the same point (`.superchains(16)`): nested R-hat needs only one draw of each chain."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::chains;

    #[test]
    fn chains_of_one_draw() {
        assert_warned(
            &chains(256, 1),
            "nothing shows whether the chains have converged: R-hat needs 4 draws in each chain; there are 256 chains with 1 \
             each, and each has its own starting point. Let many chains start at the same point (`.superchains(16)`): nested R-hat \
             needs only one draw of each chain.",
        );
    }
}
