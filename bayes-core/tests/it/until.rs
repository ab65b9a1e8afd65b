//! Runs that add islands until an estimate is precise, with their draws in a file.

use crate::common::NormalMean;
use crate::narrow_scale::Line;
use crate::streamed::{Folder, psmc};
use bayes_core::Error;
use bayes_core::engine::{Inference, Smc};
use bayes_core::kernel::Hmc;
use bayes_core::observe::Observer;
use bayes_core::run::Run;
use bayes_core::until::{Precision, Until};
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

/// The length of a file each time an island is finished.
#[derive(Debug)]
struct Lengths {
    path: PathBuf,
    seen: Mutex<Vec<u64>>,
}

impl Observer for Lengths {
    fn finish(&self, _: usize) {
        let length = fs::metadata(&self.path).map_or(0, |file| file.len());
        self.seen.lock().expect("no test panics here").push(length);
    }
}

#[test]
fn islands_leave_memory_while_others_are_added() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let path = folder.path().join("all.run");
    let precise = |se| psmc(16).pilot(64).until(Precision::log_evidence(se));
    let name = psmc(1).run(&model).unwrap().layout.names()[0].clone();
    let wanted = [
        precise(1e-9).at_most(60),
        precise(0.02).until(Precision::mean(name, 0.02)).at_most(60),
    ];
    for until in wanted {
        let run = until.run(&model).unwrap();
        let lengths = Arc::new(Lengths {
            path: path.with_added_extension("unsaved"),
            seen: Mutex::default(),
        });
        let mut watched = until.clone();
        let common = bayes_core::engine::Engine::common_mut(&mut watched);
        common.observers.push(lengths.clone());
        let file = watched.run_to_file(&model, &path).unwrap();
        assert!(file.len() > 16, "one round has no others after it");
        assert!(
            fs::read(&path).unwrap() == folder.saved(&run),
            "other bytes"
        );
        let seen = lengths.seen.lock().unwrap();
        assert_eq!(seen.len(), file.len());
        // each island was in the file when it was reported, and the file grew with every island
        assert!(seen.iter().all(|length| *length > 0), "{seen:?}");
        let most = seen.iter().max().expect("there are islands");
        assert!(2 * most > fs::metadata(&path).unwrap().len(), "{seen:?}");
    }
}

/// Detects a log evidence whose error in rounds depends on what the file keeps: integration around the mode joins the path.
#[test]
fn rounds_in_the_file_judge_as_rounds_in_memory() {
    let folder = Folder::new();
    let line = Line::with(0.01);
    let psmc = || Inference::psmc().islands(2).particles(32).progress(false);
    let until = || psmc().until(Precision::log_evidence(0.1)).at_most(12);
    let run = until().run_on(&line).unwrap();
    assert!(run.log_evidence_around_mode().is_some(), "{run}");
    let path = folder.path().join("all.run");
    let file = until().run_to_file_on(&line, &path).unwrap();
    assert_eq!(file.len(), run.groups.len());
}

#[test]
fn islands_in_the_file_are_not_in_the_limit_of_memory() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let path = folder.path().join("all.run");
    let limit = {
        let density = bayes_core::density::Posterior::new(&model, 1).unwrap();
        let engine: Box<dyn bayes_core::engine::Engine> = Box::new(psmc(20));
        engine.memory(&density).unwrap().total()
    };
    let until = psmc(4)
        .memory_limit(limit)
        .until(Precision::log_evidence(1e-9));
    let until = until.at_most(40);
    assert_eq!(until.run(&model).unwrap().groups.len(), 20);
    assert_eq!(until.run_to_file(&model, &path).unwrap().len(), 40);
}

/// Stops after `left` finished islands.
#[derive(Debug)]
struct StopAfter {
    left: AtomicUsize,
    flag: Arc<AtomicBool>,
}

impl Observer for StopAfter {
    fn finish(&self, _: usize) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

/// A run that is stopped after the 16 islands of its first round, when the flag is set, so that no island of the second round begins. With a
/// pilot the run stops within the next round.
fn stopped(
    pilot: Option<usize>,
    change: impl Fn(&mut bayes_core::engine::Common),
) -> Until<Hmc, bayes_core::engine::OwnPrior> {
    let flag = Arc::new(AtomicBool::new(false));
    let observer = StopAfter {
        left: AtomicUsize::new(16),
        flag: Arc::clone(&flag),
    };
    let psmc = piloted(16, pilot)
        .stop_when(flag)
        .observer(Arc::new(observer));
    let mut until = psmc.until(Precision::log_evidence(1e-9)).at_most(60);
    change(bayes_core::engine::Engine::common_mut(&mut until));
    until
}

fn piloted(islands: usize, pilot: Option<usize>) -> Smc<Hmc, bayes_core::engine::OwnPrior> {
    let psmc = psmc(islands);
    match pilot {
        Some(particles) => psmc.pilot(particles),
        None => psmc,
    }
}

#[test]
fn a_stop_between_rounds_costs_no_finished_island() {
    for pilot in [None, Some(64)] {
        let folder = Folder::new();
        let model = NormalMean::reference();
        let whole = piloted(16, pilot).run(&model).unwrap();
        let path = folder.path().join("all.run");
        let groups = |run: &Run| format!("{:?}", run.groups);
        let run = stopped(pilot, |_| {}).run(&model).unwrap();
        assert!(run.is_stopped && groups(&run) == groups(&whole));
        assert_eq!(run.part_of, Some(0..32));
        let file = stopped(pilot, |_| {}).run_to_file(&model, &path).unwrap();
        assert_eq!(file.path(), path.with_added_extension("stopped"));
        assert!(fs::read(file.path()).unwrap() == folder.saved(&run));
        // the folder of checkpoints has the islands, and the same command continues
        let saved = folder.path().join("saved");
        let until = stopped(pilot, |common| common.checkpoint = Some(saved.clone()));
        match until.run_to_file(&model, &path) {
            Err(Error::Stopped { finished, units }) => assert_eq!((finished, units), (16, 32)),
            other => panic!("want a stop, got {other:?}"),
        }
        let until = || {
            piloted(16, pilot)
                .until(Precision::log_evidence(1e-9))
                .at_most(60)
        };
        let mut again = until();
        bayes_core::engine::Engine::common_mut(&mut again).checkpoint = Some(saved);
        again.run_to_file(&model, &path).unwrap();
        assert!(fs::read(&path).unwrap() == folder.saved(&until().run(&model).unwrap()));
    }
}
