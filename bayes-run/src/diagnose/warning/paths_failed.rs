//! Pathfinder: some paths found no Gaussian.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{PathFailure, Run};
use serde::{Deserialize, Serialize};

/// Maximum number of failed paths that are named.
const NAMED: usize = 5;

/// Some paths of Pathfinder found no Gaussian.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PathsFailed {
    /// Number of paths.
    pub paths: usize,
    /// The failed paths, from 0, and why each failed.
    pub failed: Vec<(usize, PathFailure)>,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<PathsFailed> {
    let paths = run.pathfinder_paths();
    let numbered = paths.iter().enumerate();
    let failed: Vec<(usize, PathFailure)> = numbered
        .filter_map(|(number, path)| Some((number, path.failure?)))
        .collect();
    (!failed.is_empty()).then_some(PathsFailed {
        paths: paths.len(),
        failed,
    })
}

impl Message for PathsFailed {
    fn problem(&self) -> String {
        let named = self.failed.iter().take(NAMED);
        let named: Vec<String> = named
            .map(|(number, failure)| format!("path {number} met {failure}"))
            .collect();
        let rest = match self.failed.len().saturating_sub(NAMED) {
            0 => String::new(),
            rest => format!(", and {rest} more"),
        };
        let (failed, paths) = (self.failed.len(), self.paths);
        let named = named.join(", ");
        format!("{failed} of {paths} paths failed: {named}{rest}")
    }

    fn remedy(&self) -> &'static str {
        "All draws come from the other paths. A part of the posterior that only the failed paths would have reached is missing, and \
         k-hat does not show it: compare with `Inference::nuts()`."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::PathfinderPath;
    use crate::run::example::{approximation, of_draws};

    /// Would detect failures that are not counted, and numbers of paths that do not fit them.
    #[test]
    fn failed_paths_are_counted_and_named() {
        let mut run = approximation(1000, 1.0);
        let path = |failure| PathfinderPath {
            iterates: 9,
            gradients: 12,
            best: u64::from(failure != Some(PathFailure::NoDraw)),
            elbo: -1.0,
            failure,
        };
        let paths = [None, Some(PathFailure::NoDraw), None].map(path);
        of_draws(&mut run.groups[0]).paths = paths.to_vec();
        assert_warned(
            &run,
            "1 of 3 paths failed: path 1 met no finite density at any draw of its Gaussians. All draws come from the other paths. A part \
             of the posterior that only the failed paths would have reached is missing, and k-hat does not show it: compare with \
             `Inference::nuts()`.",
        );
        assert!(
            run.to_string()
                .contains("paths          3, 1 failure, 27 iterates together"),
            "{run}"
        );
        of_draws(&mut run.groups[0]).paths.truncate(1);
        assert!(run.warnings().is_empty(), "{:?}", run.warnings());
    }
}
