//! A run with a limit makes as many islands as fit, and each island equals the island of a run without a limit.
//!
//! A limit causes no bias, because the number of islands is decided without their results. The tests check that the number does not
//! depend on which islands are run, and that these islands are the first of the whole run. Seen to fail: with the cost of the first
//! island of the run in place of the rehearsal's.

use crate::common::NormalMean;
use bayes_core::Error;
use bayes_core::density::{ArithmeticSettings, GradientMode, LogDensity, Posterior};
use bayes_core::engine::{Engine, Inference, Smc};
use bayes_core::kernel::{Hmc, Pcn};
use bayes_core::run::{Group, Run};
use bayes_core::until::Precision;
use std::time::{Duration, Instant};

fn psmc() -> Smc<Hmc> {
    Inference::psmc().particles(64).seed(5).progress(false)
}

/// The groups, without the counts, which include the rehearsal.
fn islands(run: &Run) -> String {
    let mut groups = run.groups.clone();
    let clear = |group: &mut bayes_core::run::Group| group.counts = Default::default();
    groups.iter_mut().for_each(clear);
    serde_json::to_string(&groups).expect("runs are JSON")
}

#[test]
fn a_limit_of_gradients_is_kept_and_leaves_the_islands_as_they_are() {
    let model = NormalMean::reference();
    // with a limit of gradients particles do not walk
    let psmc = || psmc().kernel(Hmc::new().random_walk(false));
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
        // nor do they where the kernel would let them
        let walking = psmc().kernel(Hmc::new()).islands(50);
        let walking = walking.gradient_limit(10 * cost).run(&model).unwrap();
        assert!(islands(&walking) == islands(&run));
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
    let warning = run.warnings().into_iter().map(|w| w.problem());
    let wanted = "the limits left room for one of 4 islands";
    assert!(warning.into_iter().any(|text| text == wanted), "{run}");
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
    let limit = Duration::from_secs(2);
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
    // a sixth of the squared error of 4 islands
    assert!(
        (16..40).contains(&made) && run.log_evidence_se().unwrap() <= wanted,
        "{made} islands"
    );
    let free = psmc().islands(made).run(&model).unwrap();
    assert_eq!(
        serde_json::to_string(&run).unwrap(),
        serde_json::to_string(&free).unwrap()
    );
    assert!(run.warnings().is_empty(), "{run}");
    // also for a mean; unreachable precision is reported
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
    // with 44 more islands it may be precise
    let more = psmc().island_range(20..64).run(&model).unwrap();
    let merged = Run::merge([more, run]).unwrap();
    assert!(
        merged.warnings().is_empty() && merged.groups.len() == 64,
        "{merged}"
    );
}

#[test]
fn a_run_until_it_is_precise_goes_on_from_its_folder() {
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let folder = folder.path();
    let model = NormalMean::reference();
    let until = || {
        psmc()
            .checkpoint(folder)
            .until(Precision::log_evidence(1e-9))
            .at_most(24)
    };
    let run = until().run(&model).unwrap();
    let again = until().run(&model).unwrap();
    assert_eq!(
        serde_json::to_string(&run).unwrap(),
        serde_json::to_string(&again).unwrap()
    );
    let parts = std::fs::read_dir(folder).unwrap().count();
    assert_eq!(parts, 5, "2, 4, 8, 16, and 24 islands");
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

/// The typed error of a run that would take too much memory.
fn too_much(refused: Result<Run, Error>) -> (u64, Vec<String>) {
    match refused {
        Err(Error::Memory { limit, fits, .. }) => (limit, fits),
        other => panic!("want the memory, got {other:?}"),
    }
}

/// The digits of a text as a number.
fn number(text: &str) -> usize {
    let digits = text.chars().filter(char::is_ascii_digit);
    let number = digits.collect::<String>().parse();
    number.expect("the text has a number")
}

#[test]
fn the_smaller_runs_of_the_advice_fit() {
    let model = NormalMean::reference();
    // fewer particles keep more states each, and the advice accounts for this
    let wide = || psmc().islands(50).particles(1024).memory_limit(5_000_000);
    let (_, fits) = too_much(wide().run(&model));
    assert!(
        wide().particles(number(&fits[0])).run(&model).is_ok(),
        "{fits:?}"
    );
    assert!(
        wide().islands(number(&fits[1])).run(&model).is_ok(),
        "{fits:?}"
    );
    assert!(
        wide()
            .posterior_states(number(&fits[2]))
            .run(&model)
            .is_ok(),
        "{fits:?}"
    );
    // if a limit decides the number of draws, no more than fit
    let chains = Inference::nuts()
        .draws(100_000_000)
        .gradient_limit(u64::MAX);
    let run = chains
        .memory_limit(2_000_000)
        .progress(false)
        .run(&model)
        .unwrap();
    assert!(run.draws_per_group() > 1000, "{}", run.draws_per_group());
}

#[test]
fn a_run_that_takes_too_much_memory_is_refused_with_what_fits() {
    let model = NormalMean::reference();
    let limit = 10_000_000;
    let large = || psmc().islands(400).memory_limit(limit);
    let (told, fits) = too_much(large().run(&model));
    assert_eq!((told, fits.len()), (limit, 4), "{fits:?}");
    // each advised setting fits, and nothing larger does
    let islands = number(&fits[1]);
    assert!(islands > 1 && large().islands(islands).run(&model).is_ok());
    too_much(large().islands(islands + 1).run(&model));
    let parts = number(
        fits[3]
            .split(',')
            .nth(1)
            .unwrap()
            .split(')')
            .next()
            .unwrap(),
    );
    assert!(large().shard(0, parts).run(&model).is_ok(), "{fits:?}");
    too_much(large().shard(0, parts / 2).run(&model));
    // if a limit of gradients decides the number of islands, no more than fit
    let run = large().gradient_limit(u64::MAX).run(&model).unwrap();
    assert_eq!(run.groups.len(), islands);
    let until = large().until(Precision::log_evidence(1e-9)).run(&model);
    assert_eq!(until.unwrap().groups.len(), islands);
    let density = Posterior::new(&model, 5).unwrap();
    let until = large().until(Precision::log_evidence(1e-9));
    let memory = until.memory(&density).unwrap().total();
    let largest = large().islands(islands);
    assert_eq!(memory, Engine::memory(&largest, &density).unwrap().total());
    // two particles are the minimum
    let (_, fits) = too_much(large().memory_limit(1_000_000).run(&model));
    assert!(fits[0].starts_with("`.islands("), "{fits:?}");
    let limit = 1_000_000;
    let chains = Inference::nuts().draws(20_000).memory_limit(limit);
    let (_, fits) = too_much(chains.progress(false).run(&model));
    let draws = number(&fits[0]);
    let nuts = |draws| {
        let nuts = Inference::nuts().draws(draws).memory_limit(limit);
        nuts.progress(false).run(&model)
    };
    assert!(nuts(draws).is_ok());
    too_much(nuts(draws + 1));
    let tempering = Inference::tempering().draws(20_000).memory_limit(limit);
    let (_, fits) = too_much(tempering.progress(false).run(&model));
    assert!(fits[0].starts_with("`.draws("), "{fits:?}");
}

#[test]
fn the_memory_of_draws_is_that_of_their_lists() {
    let model = NormalMean::reference();
    let engines: [Box<dyn Engine>; 3] = [
        Box::new(psmc()),
        Box::new(Inference::nuts().draws(100).progress(false)),
        Box::new(Inference::tempering().draws(100).progress(false)),
    ];
    for engine in engines {
        let density = Posterior::new(&model, 1).unwrap();
        let memory = engine.memory(&density).unwrap();
        let run = engine.run_on(&density).unwrap();
        assert_eq!(memory.draws, run.total_draws() as u64, "{}", engine.name());
        let bytes: usize = run.groups.iter().map(stored).sum();
        let told = memory.draws * memory.draw;
        // an upper estimate, but not much too large
        assert!(
            (bytes as u64..2 * bytes as u64).contains(&told),
            "{}: {told} and {bytes}",
            engine.name()
        );
    }
}

/// Would detect memory without the recording that each thread makes for a gradient of a model without a trace.
#[test]
fn recordings_at_single_positions_count_in_the_memory() {
    let model = NormalMean::reference();
    let in_mode = |gradient| {
        let settings = ArithmeticSettings {
            gradient,
            ..ArithmeticSettings::default()
        };
        Posterior::with(&model, 1, settings).unwrap()
    };
    let [traced, recorded] = [GradientMode::Reverse, GradientMode::Forward].map(in_mode);
    let recording = (&recorded as &dyn LogDensity)
        .describe()
        .arithmetic
        .recording;
    let recording = recording.expect("it has neither a trace nor dual numbers") as u64;
    let threads = rayon::current_num_threads() as u64;
    let engines: [Box<dyn Engine>; 4] = [
        Box::new(psmc()),
        Box::new(Inference::nuts().draws(100).progress(false)),
        Box::new(Inference::tempering().draws(100).progress(false)),
        Box::new(Inference::nested().progress(false)),
    ];
    for engine in engines {
        let memory = |density| engine.memory(density).unwrap().at_work;
        let more = memory(&recorded) - memory(&traced);
        assert!(
            recording > 0 && more == threads * recording,
            "{}",
            engine.name()
        );
    }
}

/// The bytes of all lists of a group with an entry for each draw.
fn stored(group: &Group) -> usize {
    let numbers = [
        &group.draws,
        &group.positions,
        &group.log_prior,
        &group.log_likelihood,
        &group.statistics.acceptance,
        &group.statistics.energy,
    ];
    let numbers: usize = numbers.iter().map(|list| 8 * list.len()).sum();
    let ancestors = group.island().map_or(0, |island| island.ancestors.len());
    let small = ancestors + group.statistics.depth.len();
    let flags = group.statistics.divergent.len();
    numbers + 8 * group.statistics.leapfrogs.len() + 4 * small + flags
}

#[test]
fn chains_make_as_many_draws_as_fit_and_are_those_of_a_run_with_so_many() {
    let model = NormalMean::reference();
    for chains in [4, 40] {
        let nuts = || Inference::nuts().chains(chains).seed(5).progress(false);
        let free = nuts().draws(1000).run(&model).unwrap();
        let cost = free.counts().gradient_evaluations;
        let limited = nuts()
            .draws(100_000)
            .gradient_limit(cost)
            .run(&model)
            .unwrap();
        let draws = limited.draws_per_group();
        assert!((500..2000).contains(&draws), "{draws} draws");
        let spent = limited.counts().gradient_evaluations as f64 / cost as f64;
        assert!((0.7..1.4).contains(&spent), "{spent} of the limit");
        let same = nuts().draws(draws).run(&model).unwrap();
        assert_eq!(
            serde_json::to_string(&limited).unwrap(),
            serde_json::to_string(&same).unwrap()
        );
    }
    let start = Instant::now();
    let nuts = || Inference::nuts().seed(5).progress(false);
    let limit = Duration::from_secs(2);
    let run = nuts()
        .draws(100_000_000)
        .time_limit(limit)
        .run(&model)
        .unwrap();
    let draws = run.draws_per_group();
    assert!((1..10_000_000).contains(&draws), "{draws} draws");
    // a busy machine may be slower than in the burn-in
    assert!(start.elapsed() < Duration::from_secs(20));
    let refused = |chains: bayes_core::engine::Chains<bayes_core::kernel::Nuts>| {
        chains
            .time_limit(limit)
            .run(&model)
            .unwrap_err()
            .to_string()
    };
    let wanted = [
        (nuts().burn_in(0), "used with a burn-in"),
        (nuts().chains(40).shard(0, 2), "used without `shard`"),
        (nuts().checkpoint("none"), "used without `checkpoint`"),
    ];
    for (chains, wanted) in wanted {
        let told = refused(chains);
        assert!(told.contains(wanted), "{told}");
    }
}
