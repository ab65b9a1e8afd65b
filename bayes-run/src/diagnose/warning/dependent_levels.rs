//! Nested sampling: the moves at the levels leave particles that depend on those of earlier levels.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::{Island, Run};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The largest inflation of the variance without a warning, of [`SEVERAL`] islands and more.
const MOST: f64 = 1.6;
/// The number of islands whose mean has little noise.
const SEVERAL: f64 = 4.0;
/// The standard deviation of the logarithm of an island's ratio: 0.105 over 400 islands of 64 particles, of a normal mean.
const NOISE: f64 = 0.1;
/// The advice is this many times as many moves, and at least so many.
const MORE: f64 = 4.0;
const FEWEST: f64 = 200.0;

/// The particles of a level depend on those of earlier levels, so that the log evidence has a bias and a tail that its error lacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DependentLevels {
    /// How many times larger the variance of an island's evidence is because of this: the geometric mean over the islands.
    pub inflation: f64,
    /// The mean number of moves at a level.
    pub mutations: f64,
    /// The largest inflation without a warning, for the number of islands.
    #[serde(default = "most_of_several")]
    pub most: f64,
}

fn most_of_several() -> f64 {
    MOST
}

/// Where particles remember, the levels are chosen by the same few families that the next levels keep. The ratio of one island is noisier
/// than the mean of several: the limit grows by three times what the standard error of the mean logarithm is above that of four islands, to
/// 1.7 with two islands and 1.9 with one.
pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<DependentLevels> {
    let islands = || run.groups.iter().filter_map(|group| group.island());
    let known: Vec<f64> = islands()
        .filter_map(|island| island.inflation)
        .filter(|inflation| *inflation > 0.0 && inflation.is_finite())
        .collect();
    let logs = known.iter().map(|inflation| inflation.ln());
    let number = known.len() as f64;
    let inflation = (logs.sum::<f64>() / number).exp();
    let more = (number.powf(-0.5) - SEVERAL.powf(-0.5)).max(0.0);
    let most = MOST * (3.0 * NOISE * more).exp();
    (inflation > most).then(|| DependentLevels {
        inflation,
        mutations: mean_moves(islands()),
        most,
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

/// The remedy, with this setting in it.
macro_rules! advice {
    ($setting:literal) => {
        concat!(
            "A narrow part of the posterior, such as the neck of a funnel, then rests on few particles: the log evidence may be off by more than \
             its error, and quantiles with it. Make more moves at each level (",
            $setting,
            "), and compare the evidence of both runs and of `Inference::psmc()`."
        )
    };
}

impl Message for DependentLevels {
    fn problem(&self) -> String {
        let Self {
            inflation,
            mutations,
            most,
        } = self;
        format!(
            "the particles of a level depend on those of earlier levels after {mutations:.0} moves: the variance of the log evidence is \
             {inflation:.1} times as large as without this, where at most {most:.1} is usual"
        )
    }

    fn remedy(&self) -> &'static str {
        advice!("`.mutations(n)`")
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        let more = (MORE * self.mutations).max(FEWEST);
        format!(advice!("`.mutations({:.0})`"), more).into()
    }
}

#[cfg(test)]
mod tests {
    use super::{Message, find};
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

    /// Mutation meant to be detected: 200 moves whatever the run has made.
    #[test]
    fn the_advice_is_more_moves_than_the_run_has_made() {
        let mut run = of([3.0; 4].map(Some));
        for group in &mut run.groups {
            for stage in &mut of_island(group).history {
                stage.mutations = 350;
            }
        }
        let found = find(&run, &[]).expect("particles depend");
        let advice = found.remedy_here();
        assert!(advice.contains("(`.mutations(1400)`)"), "{advice}");
    }

    /// Mutations meant to be detected: the largest of the islands, and a ratio of 0 for islands that know none.
    #[test]
    fn one_island_or_none_is_no_warning() {
        assert_eq!(find(&of([1.0, 1.0, 1.1, 4.0].map(Some)), &[]), None);
        assert_eq!(
            find(&of([None, Some(f64::NAN), None, Some(0.0)]), &[]),
            None
        );
    }

    /// Mutation meant to be detected: one limit for any number of islands.
    #[test]
    fn few_islands_have_a_larger_limit() {
        let limits = [1.6, 1.7026, 1.8593];
        let ratios = |ratio| {
            let some = Some(ratio);
            [
                [some; 4],
                [some, None, some, None],
                [None, None, some, None],
            ]
        };
        for (k, limit) in limits.into_iter().enumerate() {
            assert_eq!(find(&of(ratios(limit - 0.01)[k]), &[]), None, "{k}");
            assert!(find(&of(ratios(limit + 0.01)[k]), &[]).is_some(), "{k}");
        }
    }
}
