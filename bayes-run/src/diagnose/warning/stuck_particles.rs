//! Islands: the moves accept everything and lead nowhere.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::genealogy::Families;
use crate::diagnose::rhat;
use crate::run::{Group, Run};
use crate::text::percent;
use serde::{Deserialize, Serialize};

/// Acceptance from which a step is considered too short. If the moves are rejected instead, another rule warns. Particles that
/// stay in one of several modes accept less than this with a tuned step.
const ACCEPTANCE: f64 = 0.95;
/// Squared distance of particles of one family, relative to any two particles, below which they have hardly moved apart.
const MOVED: f64 = 0.5;
/// Minimum number of pairs of particles of one family.
const PAIRS: usize = 10;

/// Particles that descend from the same particle are still close to each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StuckParticles {
    /// Number of islands with stuck particles.
    pub islands: usize,
    /// Number of all islands.
    pub of: usize,
    /// Mean acceptance probability of the last moves, the smallest among the stuck islands.
    pub acceptance: f64,
    /// Mean squared distance of two particles of one family relative to any two particles, in the coordinate in which they have
    /// moved farthest. The smallest among the stuck islands; 1 if the moves forget the start.
    pub moved: f64,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<StuckParticles> {
    let stuck: Vec<(f64, f64)> = run
        .groups
        .iter()
        .filter_map(|island| stuck(island, run.layout.dim))
        .collect();
    let least = |of: fn(&(f64, f64)) -> f64| stuck.iter().map(of).fold(f64::INFINITY, f64::min);
    (!stuck.is_empty()).then(|| StuckParticles {
        islands: stuck.len(),
        of: run.groups.len(),
        acceptance: least(|found| found.0),
        moved: least(|found| found.1),
    })
}

/// Acceptance and relative squared distance within families of an island with stuck particles.
fn stuck(island: &Group, dim: usize) -> Option<(f64, f64)> {
    let acceptance = island.history().last()?.acceptance;
    if acceptance < ACCEPTANCE {
        return None;
    }
    let families = Families::of(island, island.log_prior.len())?;
    let column = |k: usize| -> Vec<f64> {
        let rows = island.positions.chunks_exact(dim);
        rows.map(|row| row[k]).collect()
    };
    let moved = (0..dim).filter_map(|k| within(&families, &column(k)));
    let farthest = moved.fold(None, |most: Option<f64>, moved| {
        Some(most.map_or(moved, |most| most.max(moved)))
    })?;
    (farthest < MOVED).then_some((acceptance, farthest))
}

/// The mean squared distance of two particles of one family relative to any two particles. `None` if there are few such pairs, or
/// if all values are equal.
fn within(families: &Families, values: &[f64]) -> Option<f64> {
    let spread = 2.0 * rhat::variance(values);
    let (squares, pairs) = families.squared_distances(values);
    (pairs >= PAIRS && spread > 0.0).then(|| squares / pairs as f64 / spread)
}

impl Message for StuckParticles {
    fn problem(&self) -> String {
        let Self {
            islands,
            of,
            acceptance,
            moved,
        } = self;
        let (acceptance, moved) = (percent(*acceptance), percent(*moved));
        format!(
            "the particles of {islands} of {of} islands hardly move: with an acceptance rate of {acceptance} at the last \
             temperature, particles of one ancestor are still close to each other (their mean squared distance is {moved} of \
             the one between any two)"
        )
    }

    fn remedy(&self) -> &'static str {
        "The draws are little more than copies of few prior draws: posterior and evidence are wrong, and their errors are far too small. Use a larger step \
         size, or leave it to the library; use more mutation steps if the step size is tuned."
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::Warning;
    use crate::run::Run;
    use crate::run::example::{islands, normals, of_island};

    /// Islands in which particles `2 i` and `2 i + 1` have a common ancestor and differ by `step`, with this acceptance.
    fn pairs(step: f64, acceptance: f64) -> Run {
        let mut run = islands(&[-3.0; 4], 64);
        for (index, group) in run.groups.iter_mut().enumerate() {
            let moves = normals(100 + index as u64, group.positions.len());
            for i in (0..64).step_by(2) {
                for k in 0..3 {
                    group.positions[3 * i + 3 + k] =
                        group.positions[3 * i + k] + step * moves[3 * i + k];
                }
            }
            if let Some(last) = of_island(group).history.last_mut() {
                last.acceptance = acceptance;
            }
        }
        run
    }

    fn warned(run: &Run) -> Option<super::StuckParticles> {
        run.warnings()
            .into_iter()
            .find_map(|warning| match warning {
                Warning::StuckParticles(told) => Some(told.found),
                _ => None,
            })
    }

    #[test]
    fn copies_that_accept_everything_are_stuck() {
        let found = warned(&pairs(1e-3, 1.0)).expect("no particle has moved");
        assert_eq!((found.islands, found.of), (4, 4));
        assert!(found.moved < 1e-5, "{found:?}");
        let text = Warning::StuckParticles(found.into()).to_string();
        assert!(
            text.starts_with(
                "the particles of 4 of 4 islands hardly move: with an acceptance rate of 100.0%"
            ),
            "{text}"
        );
    }

    #[test]
    fn particles_that_forget_their_ancestors_or_are_tuned_are_not() {
        assert_eq!(warned(&islands(&[-3.0; 4], 64)), None);
        assert_eq!(warned(&pairs(2.0, 1.0)), None);
        // several modes
        assert_eq!(warned(&pairs(1e-3, 0.65)), None);
    }
}
