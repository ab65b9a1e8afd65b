//! A run with a limit makes as many islands as fit, and each of them is that of a run without one.
//!
//! That the number of islands is decided without their results is why a limit causes no bias: it is tested that the number does
//! not depend on which islands are run, and that these are the first of the whole. Seen to fail: with the cost of the first island of the
//! run in place of the rehearsal's.

use crate::common::NormalMean;
use bayes_core::engine::{Inference, Smc};
use bayes_core::kernel::{Hmc, Pcn};
use bayes_core::run::Run;
use bayes_core::until::Precision;
use std::time::{Duration, Instant};

fn psmc() -> Smc<Hmc> {
    Inference::psmc().particles(64).seed(5).progress(false)
}

/// The groups, without the counts, with which the rehearsal is counted.
fn islands(run: &Run) -> String {
    let mut groups = run.groups.clone();
    let clear = |group: &mut bayes_core::run::Group| group.counts = Default::default();
    groups.iter_mut().for_each(clear);
    serde_json::to_string(&groups).expect("runs are JSON")
}

#[test]
fn a_limit_of_gradients_is_kept_and_leaves_the_islands_as_they_are() {
    let model = NormalMean::reference();
    let one = psmc().islands(1).run(&model).unwrap();
    let cost = one.counts().gradient_evaluations;
    for pilot in [false, true] {
        let psmc = || if pilot { psmc().pilot(128) } else { psmc() };
        let run = psmc()
            .islands(50)
            .gradient_limit(10 * cost)
            .run(&model)
            .unwrap();
        let made = run.groups.len();
        assert!((4..20).contains(&made), "{made} islands");
        let spent = run.counts().gradient_evaluations;
        assert!(
            (7 * cost..=12 * cost).contains(&spent),
            "{spent} gradients of {}",
            10 * cost
        );
        let free = psmc().islands(made).run(&model).unwrap();
        assert!(islands(&run) == islands(&free));
        assert!(
            spent > free.counts().gradient_evaluations,
            "the rehearsal counts"
        );
        // the number does not depend on which islands they are
        let others = psmc().island_range(100..150).gradient_limit(10 * cost);
        let others = others.run(&model).unwrap();
        assert_eq!((others.groups.len(), others.groups[0].index), (made, 100));
    }
}

#[test]
fn at_least_one_island_is_made_and_at_most_those_asked_for() {
    let model = NormalMean::reference();
    let run = psmc().islands(4).gradient_limit(0).run(&model).unwrap();
    assert_eq!(run.groups.len(), 1);
    let run = psmc()
        .islands(4)
        .gradient_limit(u64::MAX)
        .run(&model)
        .unwrap();
    assert_eq!(run.groups.len(), 4);
    assert_eq!(run.part_of, None);
}

#[test]
fn a_limit_of_time_ends_a_run_that_would_take_far_longer() {
    let model = NormalMean::reference();
    let start = Instant::now();
    let limit = Duration::from_millis(300);
    let run = psmc()
        .islands(1_000_000)
        .time_limit(limit)
        .run(&model)
        .unwrap();
    let made = run.groups.len();
    assert!((1..100_000).contains(&made), "{made} islands");
    // a busy machine may be slower than in the rehearsal
    assert!(start.elapsed() < Duration::from_secs(20));
}

#[test]
fn limits_that_cannot_be_kept_are_refused() {
    let model = NormalMean::reference();
    let pcn = psmc().kernel(Pcn::new()).gradient_limit(1000).run(&model);
    assert_eq!(
        pcn.unwrap_err().to_string(),
        "setting `gradient_limit` is 1000, must be used with a kernel that uses gradients"
    );
    let shard = psmc()
        .shard(0, 2)
        .time_limit(Duration::from_secs(1))
        .run(&model);
    let text = shard.unwrap_err().to_string();
    assert!(
        text.starts_with("setting `shard` is 0 of 2, must be used without"),
        "{text}"
    );
}

#[test]
fn islands_are_added_until_the_estimates_are_precise() {
    let model = NormalMean::reference();
    let start = psmc().islands(4).run(&model).unwrap();
    let wanted = 0.4 * start.log_evidence_se().unwrap();
    let run = psmc()
        .until(Precision::log_evidence(wanted))
        .run(&model)
        .unwrap();
    let made = run.groups.len();
    assert!(
        made > 16 && run.log_evidence_se().unwrap() <= wanted,
        "{made} islands"
    );
    let free = psmc().islands(made).run(&model).unwrap();
    assert_eq!(
        serde_json::to_string(&run).unwrap(),
        serde_json::to_string(&free).unwrap()
    );
    assert!(run.warnings().is_empty(), "{run}");
    // also of a mean; and what cannot be reached is told
    let name = run.layout.names()[0].clone();
    let both = psmc()
        .until(Precision::log_evidence(9.0))
        .until(Precision::mean(&name, 1e-9));
    let run = both.at_most(20).run(&model).unwrap();
    assert_eq!(run.groups.len(), 20);
    let told = format!(
        "20 islands do not give the wanted precision (log evidence ± 9, mean of {name} ± 0.000000001)"
    );
    assert!(run.to_string().contains(&told[..40]), "{run}");
    assert!(
        run.warnings()
            .iter()
            .any(|warning| warning.problem() == told),
        "{run}"
    );
    // with 44 more it may be
    let more = psmc().island_range(20..64).run(&model).unwrap();
    let merged = Run::merge([more, run]).unwrap();
    assert!(
        merged.warnings().is_empty() && merged.groups.len() == 64,
        "{merged}"
    );
}

#[test]
fn a_run_until_it_is_precise_goes_on_from_its_folder() {
    let folder = std::env::temp_dir().join(format!("bayes-until-{}", std::process::id()));
    let model = NormalMean::reference();
    let until = || {
        psmc()
            .checkpoint(&folder)
            .until(Precision::log_evidence(1e-9))
            .at_most(24)
    };
    let run = until().run(&model).unwrap();
    let again = until().run(&model).unwrap();
    assert_eq!(
        serde_json::to_string(&run).unwrap(),
        serde_json::to_string(&again).unwrap()
    );
    let parts = std::fs::read_dir(&folder).unwrap().count();
    assert_eq!(parts, 2, "16 islands, then 8");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn precision_that_cannot_be_had_is_refused_before_the_run() {
    let model = NormalMean::reference();
    let refused =
        |until: bayes_core::until::Until<Hmc, _>| until.run(&model).unwrap_err().to_string();
    let zero = refused(psmc().until(Precision::log_evidence(0.0)));
    assert_eq!(
        zero,
        "setting `until` is 0, must be a standard error above 0"
    );
    let unknown = refused(psmc().until(Precision::mean("nu", 0.1)));
    assert!(unknown.contains("no quantity is called `nu`"), "{unknown}");
    let shard = refused(psmc().shard(0, 2).until(Precision::log_evidence(0.1)));
    assert!(shard.contains("without `shard`"), "{shard}");
}
