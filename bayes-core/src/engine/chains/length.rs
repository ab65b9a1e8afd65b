//! The numbers of chains, of steps of burn-in and of draws.

use crate::error::Error;

/// Maximum number of chains.
const MAX_CHAINS: usize = 1_000_000;
/// Maximum number of steps of a chain, and of draws of a run: more would take years, or more memory than any machine has.
pub(in crate::engine) const MAX_STEPS: usize = 1_000_000_000;

/// The numbers of chains, of steps of burn-in and of draws of each chain.
#[derive(Clone, Copy, Debug)]
pub struct Length {
    pub(in crate::engine) chains: usize,
    pub(in crate::engine) burn_in: usize,
    pub(in crate::engine) draws: usize,
}

impl Length {
    /// Checks the three numbers.
    pub(in crate::engine) fn validate(self) -> Result<(), Error> {
        let Self {
            chains,
            burn_in,
            draws,
        } = self;
        let holds = (1..=MAX_CHAINS).contains(&chains);
        Error::setting("chains", chains, holds, "from 1 to 1000000")?;
        let holds = (1..=MAX_STEPS / chains).contains(&draws);
        let allowed = "from 1 to 1000000000 in all chains together";
        Error::setting("draws", draws, holds, allowed)?;
        let holds = burn_in <= MAX_STEPS;
        Error::setting("burn_in", burn_in, holds, "at most 1000000000")
    }
}
