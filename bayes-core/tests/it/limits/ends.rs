//! The end of a run, and the burn-in of later groups of chains, under a limit of time.

use super::{AT_WORK, Late, QUICK, own_threads, psmc, slowing};
use bayes_core::Error;
use bayes_core::engine::{Engine, Inference};
use bayes_core::observe::{Observer, Steps};
use bayes_core::until::Precision;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// Makes a density slow as soon as this number of islands, or groups of chains, is finished.
#[derive(Debug)]
struct SlowEnd {
    units: usize,
    finished: AtomicUsize,
    made: Arc<AtomicUsize>,
}

impl Observer for SlowEnd {
    fn finish(&self, _place: usize) {
        if self.finished.fetch_add(1, Ordering::Relaxed) + 1 == self.units {
            self.made.store(QUICK, Ordering::Relaxed);
        }
    }
}

/// A run ends with comparisons of the gradient, a hundred evaluations. Would detect comparisons without a limit: half a minute each, at the
/// end of every round; and a run that is silent about those that were cut. A busy machine may end a run before its comparisons, but not all.
#[test]
fn the_comparisons_at_the_end_of_a_run_have_a_limit() {
    type Make = fn(Duration, Arc<SlowEnd>) -> Box<dyn Engine>;
    let engines: [(&str, usize, Make); 5] = [
        ("islands", 4, |limit, slow| {
            let psmc = psmc().islands(4).check_propriety(false);
            Box::new(psmc.time_limit(limit).observer(slow))
        }),
        ("rounds", 16, |limit, slow| {
            let psmc = psmc().islands(16).check_propriety(false);
            let psmc = psmc.time_limit(limit).observer(slow);
            Box::new(psmc.until(Precision::log_evidence(1e-9)))
        }),
        ("chains", 1, |limit, slow| {
            let nuts = Inference::nuts().burn_in(20).draws(20);
            let nuts = nuts.progress(false).check_propriety(false);
            Box::new(nuts.time_limit(limit).observer(slow))
        }),
        ("tempering", 1, |limit, slow| {
            let tempering = Inference::tempering().burn_in(20).draws(20);
            let tempering = tempering.progress(false).check_propriety(false);
            Box::new(tempering.time_limit(limit).observer(slow))
        }),
        ("nested", 2, |limit, slow| {
            let nested = Inference::nested().islands(2).particles(64);
            let nested = nested.progress(false).check_propriety(false);
            Box::new(nested.time_limit(limit).observer(slow))
        }),
    ];
    let limit = Duration::from_secs(2);
    let mut cut = 0;
    for (name, units, engine) in engines {
        let slow = slowing(QUICK, 300, false);
        let observer = SlowEnd {
            units,
            finished: AtomicUsize::new(0),
            made: Arc::clone(&slow.made),
        };
        let late = Late::after(2 * limit, &slow);
        let outcome = own_threads().install(|| engine(limit, Arc::new(observer)).run_on(&late));
        let counted = late.late.into_inner();
        assert!(counted <= AT_WORK, "{name}: {counted} evaluations too late");
        match outcome {
            Ok(run) => {
                assert!(run.gradient_fault.is_none(), "{name}");
                cut += u32::from(run.not_compared);
            }
            // a machine that is so busy
            Err(error) => assert!(matches!(error, Error::TimeLimit { .. }), "{name}: {error}"),
        }
    }
    assert!(cut > 0, "no run came to its comparisons");
}

/// The first group of chains burns in quickly, the second one slowly. Would detect a burn-in that looks at the clock between its windows
/// alone: a window of a thousand steps takes minutes.
#[test]
fn the_burn_in_of_every_group_of_chains_has_a_limit() {
    let limit = Duration::from_secs(2);
    let nuts = Inference::nuts().chains(20).burn_in(4000).draws(50);
    let nuts = nuts.progress(false).check_propriety(false);
    let slow = slowing(QUICK, 20, false);
    let observer = SlowSecondGroup {
        made: Arc::clone(&slow.made),
    };
    let nuts = nuts.time_limit(limit).observer(Arc::new(observer));
    let late = Late::after(2 * limit, &slow);
    let outcome = own_threads().install(|| nuts.run_on(&late));
    let counted = late.late.into_inner();
    assert!(counted <= AT_WORK, "{counted} evaluations too late");
    match outcome {
        Ok(run) => assert!(run.groups.iter().all(|group| group.index < 16)),
        Err(error) => assert!(matches!(error, Error::TimeLimit { .. }), "{error}"),
    }
}

/// Makes a density slow when the second group of chains begins its burn-in.
#[derive(Debug)]
struct SlowSecondGroup {
    made: Arc<AtomicUsize>,
}

impl Observer for SlowSecondGroup {
    fn step(&self, place: usize, steps: Steps) {
        if place == 1 && steps.is_burn_in {
            self.made.fetch_max(QUICK, Ordering::Relaxed);
        }
    }
}
