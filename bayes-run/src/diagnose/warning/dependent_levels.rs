//! Nested sampling: the moves at the levels leave particles that depend on those of earlier levels.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Island, Run};
use serde::{Deserialize, Serialize};

/// The largest inflation of the variance without a warning.
const MOST: f64 = 1.6;

/// The particles of a level depend on those of earlier levels, so that the log evidence has a bias and a tail that its error lacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DependentLevels {
    /// How many times larger the variance of an island's evidence is because of this: the geometric mean over the islands.
    pub inflation: f64,
    /// The mean number of moves at a level.
    pub mutations: f64,
}

/// Where particles remember, the levels are chosen by the same few families that the next levels keep. One island of few particles has a
/// noisy ratio, the mean of several has not.
pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<DependentLevels> {
    let islands = || run.groups.iter().filter_map(|group| group.island());
    let known: Vec<f64> = islands()
        .filter_map(|island| island.inflation)
        .filter(|inflation| *inflation > 0.0 && inflation.is_finite())
        .collect();
    let logs = known.iter().map(|inflation| inflation.ln());
    let inflation = (logs.sum::<f64>() / known.len() as f64).exp();
    (inflation > MOST).then(|| DependentLevels {
        inflation,
        mutations: mean_moves(islands()),
    })
}

/// The mean number of moves at a level.
fn mean_moves<'a>(islands: impl Iterator<Item = &'a Island>) -> f64 {
    let moves = islands.flat_map(|island| &island.history);
    let moves = moves.filter(|stage| stage.mutations > 0);
    let (sum, levels) = moves.fold((0.0, 0.0), |(sum, levels), stage| {
        (sum + stage.mutations as f64, levels + 1.0)
    });
    sum / levels
}

impl Message for DependentLevels {
    fn problem(&self) -> String {
        let Self {
            inflation,
            mutations,
        } = self;
        format!(
            "the particles of a level depend on those of earlier levels after {mutations:.0} moves: the variance of the log evidence is \
             {inflation:.1} times as large as without this, where at most {MOST} is usual"
        )
    }

    fn remedy(&self) -> &'static str {
        "A narrow part of the posterior, such as the neck of a funnel, then rests on few particles: the log evidence may be off by more than its \
         error, and quantiles with it. Make more moves at each level (`.mutations(200)`), and compare the evidence of both runs and of \
         `Inference::psmc()`."
    }
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Run;
    use crate::run::example::{islands, of_island};

    /// Four islands of nested sampling with these inflations.
    fn of(inflations: [Option<f64>; 4]) -> Run {
        let mut run = islands(&[-3.0; 4], 64);
        for (group, inflation) in run.groups.iter_mut().zip(inflations) {
            let island = of_island(group);
            island.inflation = inflation;
            for stage in &mut island.history {
                (stage.level, stage.mutations) = (Some(-4.0), 24);
            }
        }
        run
    }

    /// Mutation meant to be detected: the arithmetic mean, 4.25.
    #[test]
    fn particles_that_depend_on_earlier_levels() {
        assert_warned(
            &of([1.0, 2.0, 4.0, 10.0].map(Some)),
            "the particles of a level depend on those of earlier levels after 24 moves: the variance of the log evidence is 3.0 times as \
             large as without this, where at most 1.6 is usual. A narrow part of the posterior, such as the neck of a funnel, then rests on few \
             particles: the log evidence may be off by more than its error, and quantiles with it. Make more moves at each level \
             (`.mutations(200)`), and compare the evidence of both runs and of `Inference::psmc()`.",
        );
    }

    /// Mutations meant to be detected: the largest of the islands, and a ratio of 0 for islands that know none.
    #[test]
    fn one_island_or_none_is_no_warning() {
        assert_eq!(find(&of([1.0, 1.0, 1.1, 4.0].map(Some)), &[]), None);
        assert_eq!(
            find(&of([None, Some(f64::NAN), None, Some(0.0)]), &[]),
            None
        );
        assert!(find(&of([None, Some(2.0), None, None]), &[]).is_some());
    }
}
