//! Islands: the last temperature has fewer moves than the particles need to forget where they were.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::likelihood_memory::measured;
use crate::run::{Group, Run, Stage};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The longest relaxation time at the posterior without a warning, in trajectories. Where moves are trajectories that adapt, few are enough
/// on a posterior without necks. In 40 runs of 4 islands of 64 particles on each of 18 problems without a neck, only two with modes apart
/// were above 12; of 80 runs on two funnels, whose evidence comes out too low by several of its errors, one was below.
const MOST_TRAJECTORIES: f64 = 12.0;
/// The least autocorrelation of the log likelihood of particles that follow too slowly. Where they rarely change between modes, only their
/// positions depend on earlier ones for long, and the evidence is right: the correlation was at most 0.29 on modes apart, and at least 0.51 on
/// two funnels.
const LEAST_CORRELATION: f64 = 0.4;
/// The longest relaxation time at the posterior without a warning, relative to the number of mutation steps.
const MOST: f64 = 1.0;

/// The most digits behind the point: more than a double has of any number of moves.
const MOST_DIGITS: usize = 16;

/// The particles need more steps to forget where they were than they make, or more trajectories than a posterior without necks needs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SlowMoves {
    /// Number of steps in which the correlation of a particle with its past falls by a factor e: the geometric mean over the islands.
    pub relaxation_time: f64,
    /// Steps of each particle at the posterior: the geometric mean over the islands.
    pub mutations: f64,
}

/// The time of a single island of few particles is too noisy: of 64 particles of a normal in two coordinates, one island in 200 is above
/// [`MOST`] by chance.
pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<SlowMoves> {
    let histories = run.groups.iter().map(Group::history);
    let last = |stages: &[Stage]| {
        // nested sampling climbs by levels and does not move at a posterior
        let climbs = stages.iter().any(|stage| stage.level.is_some());
        let stage = stages
            .last()
            .filter(|stage| stage.lambda == 1.0 && !climbs)?;
        // infinite if nothing moved, which other rules name; NaN if the time was not measured
        let is_known = stage.relaxation_time > 0.0 && stage.relaxation_time.is_finite();
        is_known.then(|| stage.clone())
    };
    let known: Vec<Stage> = histories.filter_map(last).collect();
    // the number of moves suits each island's kernel
    let relaxation_time = typical(known.iter().map(|stage| stage.relaxation_time));
    let mutations = typical(known.iter().map(|stage| stage.mutations as f64));
    // where some islands walk, those with trajectories are too few for their typical time
    let are_trajectories = known.iter().all(|stage| stage.leapfrog_steps > 1);
    let is_long = relaxation_time > MOST * mutations
        || (are_trajectories && relaxation_time > MOST_TRAJECTORIES);
    let keeps_likelihood = || {
        let memory = measured(run);
        memory.is_none_or(|memory| memory.correlation > LEAST_CORRELATION)
    };
    let is_slow = is_long && keeps_likelihood();
    is_slow.then_some(SlowMoves {
        relaxation_time,
        mutations,
    })
}

/// The geometric mean; NaN of nothing.
fn typical(values: impl Iterator<Item = f64>) -> f64 {
    let (logs, count) = values.fold((0.0, 0.0), |(logs, count), x| (logs + x.ln(), count + 1.0));
    (logs / count).exp()
}

/// Two unequal numbers with as few digits as tell them apart: numbers that look equal say nothing.
fn apart(pair: [f64; 2]) -> [String; 2] {
    let mut texts = pair.map(|x| format!("{x:.0}"));
    for digits in 1..=MOST_DIGITS {
        if texts[0] != texts[1] {
            break;
        }
        texts = pair.map(|x| format!("{x:.digits$}"));
    }
    texts
}

impl Message for SlowMoves {
    fn problem(&self) -> String {
        let Self {
            relaxation_time,
            mutations,
            ..
        } = self;
        if *relaxation_time > MOST * mutations {
            let [needed, made] = apart([*relaxation_time, *mutations]);
            return format!(
                "the particles need {needed} moves at the posterior to forget where they were, and made {made}"
            );
        }
        let [needed, usual] = apart([*relaxation_time, MOST_TRAJECTORIES]);
        format!(
            "the particles need {needed} trajectories at the posterior to forget where they were, where at most {usual} are usual"
        )
    }

    fn remedy(&self) -> &'static str {
        "They may not follow the path from the prior: parts of the posterior, such as the neck of a funnel, then have too little mass, and the log evidence is \
         too low by more than its error. Write group effects as `.non_centred()`, make more moves (`.mutations(60)`) at more temperatures \
         (`.ess_target(0.98)`), and compare the evidence of both runs."
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let remedy = "They may not follow the path from the prior: parts of the posterior, such as small scales of group effects, then have too little mass, \
                      and the log evidence is too low by more than its error. Give such scales tighter priors, make more moves (`.mutations(60)`) at more \
                      temperatures (`.ess_target(0.98)`), and compare the evidence of both runs.";
        Some(remedy.into())
    }
}

#[cfg(test)]
mod tests {
    use super::find;
    use crate::diagnose::likelihood_memory::testing::follow;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Run;
    use crate::run::example::{islands, of_island};

    /// Four islands with these relaxation times after 36 moves of `leapfrog_steps` steps.
    fn of(times: [f64; 4], leapfrog_steps: usize) -> Run {
        let mut run = islands(&[-3.0; 4], 64);
        for (group, time) in run.groups.iter_mut().zip(times) {
            let stage = of_island(group)
                .history
                .last_mut()
                .expect("it has temperatures");
            (stage.relaxation_time, stage.mutations) = (time, 36);
            stage.leapfrog_steps = leapfrog_steps;
        }
        run
    }

    /// Mutation meant to be detected: the arithmetic mean over the islands, 50.
    #[test]
    fn islands_that_forget_slowly() {
        assert_warned(
            &of([20.0, 80.0, 40.0, 60.0], 1),
            "the particles need 44 moves at the posterior to forget where they were, and made 36. They may not follow the path from \
             the prior: parts of the posterior, such as the neck of a funnel, then have too little mass, and the log evidence is too low by more \
             than its error. Write group effects as `.non_centred()`, make more moves (`.mutations(60)`) at more temperatures \
             (`.ess_target(0.98)`), and compare the evidence of both runs.",
        );
    }

    /// Mutations meant to be detected: the rule for trajectories where moves are too few by less than one, and equal numbers in the message.
    #[test]
    fn numbers_that_round_to_the_same_have_a_digit() {
        for leapfrog_steps in [1, 8] {
            let [warning] = &of([36.3; 4], leapfrog_steps).warnings()[..] else {
                panic!("one warning");
            };
            let text = warning.to_string();
            assert!(text.contains("need 36.3 moves"), "{text}");
            assert!(text.contains("and made 36.0."), "{text}");
        }
    }

    /// Mutation meant to be detected: one digit in every case.
    #[test]
    fn numbers_that_differ_little_have_the_digits_that_tell_them_apart() {
        for (time, leapfrog_steps, told) in [
            (36.004, 1, ["need 36.004 moves", "made 36.000."]),
            (12.03, 8, ["need 12.03 trajectories", "at most 12.00 are"]),
        ] {
            let [warning] = &of([time; 4], leapfrog_steps).warnings()[..] else {
                panic!("one warning");
            };
            let text = warning.to_string();
            assert!(told.iter().all(|part| text.contains(part)), "{text}");
        }
    }

    #[test]
    fn trajectories_need_fewer_moves() {
        assert_warned(
            &of([13.0; 4], 8),
            "the particles need 13 trajectories at the posterior to forget where they were, where at most 12 are usual. They may not follow the \
             path from the prior: parts of the posterior, such as the neck of a funnel, then have too little mass, and the log evidence is too low \
             by more than its error. Write group effects as `.non_centred()`, make more moves (`.mutations(60)`) at more temperatures \
             (`.ess_target(0.98)`), and compare the evidence of both runs.",
        );
        assert!(of([13.0; 4], 1).warnings().is_empty());
    }

    /// Mutation meant to be detected: relaxation times alone decide, which are long where particles rarely change between modes.
    #[test]
    fn particles_that_stay_in_a_mode_but_forget_their_likelihood_are_no_warning() {
        for (coefficient, time, is_slow) in [
            (0.95, 20.0, true),
            (0.95, 90.0, true),
            (0.5, 20.0, false),
            (0.5, 90.0, false),
        ] {
            let mut run = of([time; 4], 8);
            follow(&mut run, 32, coefficient);
            let found = find(&run, &[]);
            assert_eq!(found.is_some(), is_slow, "{coefficient} {found:?}");
        }
    }

    /// Mutation meant to be detected: moves of a walk that count as trajectories.
    #[test]
    fn islands_that_walk_need_more_moves() {
        let mut run = of([36.0, 36.0, 9.0, 9.0], 0);
        for group in &mut run.groups[2..] {
            let last = of_island(group).history.last_mut();
            last.expect("it has temperatures").leapfrog_steps = 8;
        }
        assert_eq!(find(&run, &[]), None);
        // the same times of trajectories alone
        for group in &mut run.groups {
            let last = of_island(group).history.last_mut();
            last.expect("it has temperatures").leapfrog_steps = 8;
        }
        let found = find(&run, &[]).map(|found| found.relaxation_time.round());
        assert_eq!(found, Some(18.0));
    }

    /// Mutation meant to be detected: the slowest island in place of the typical one.
    #[test]
    fn one_island_that_seems_slow_by_chance_is_no_warning() {
        assert!(of([2.0, 2.0, 90.0, 2.0], 8).warnings().is_empty());
        assert!(of([f64::NAN; 4], 8).warnings().is_empty());
    }
}
