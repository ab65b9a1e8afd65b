//! The source of a prediction's parameters.

use crate::run::Run;

/// The source of a prediction's parameters.
#[derive(Clone, Copy, Debug)]
pub(super) enum Source<'a> {
    /// The draws of a run.
    Run(&'a Run),
    /// This many draws of the prior, all with the same weight.
    Prior(usize),
}

impl Source<'_> {
    pub(super) fn weights(self) -> Vec<f64> {
        match self {
            Self::Run(run) => run.draw_weights(),
            Self::Prior(draws) => vec![1.0 / draws as f64; draws],
        }
    }

    /// Number of draws of each island or chain; draws of the prior are independent.
    pub(super) fn groups(self) -> Vec<usize> {
        match self {
            Self::Run(run) => run.group_sizes(),
            Self::Prior(draws) => vec![1; draws],
        }
    }
}
