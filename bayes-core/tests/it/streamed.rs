//! Runs whose finished islands and chains leave memory for a file have the bytes of runs in memory.

use crate::common::NormalMean;
use bayes_core::Error;
use bayes_core::density::Posterior;
use bayes_core::engine::{Engine, Inference, Smc};
use bayes_core::kernel::{Hmc, Nuts};
use bayes_core::observe::{Memory, Observer, Steps};
use bayes_core::run::{FileError, Run, RunError, RunFile, Stage};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tempfile::TempDir;

/// A folder for one test, which is removed at its end.
pub(crate) struct Folder(pub(crate) TempDir);

impl Folder {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir();
        Self(folder.expect("the system has a folder for temporary files"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// The bytes that `Run::save` writes for a run.
    pub(crate) fn saved(&self, run: &Run) -> Vec<u8> {
        let path = self.path().join("saved.run");
        run.save(&path).expect("the folder is there");
        let bytes = fs::read(&path).expect("it was just written");
        fs::remove_file(path).expect("it was just written");
        bytes
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.path()).expect("the folder is there");
        let names = entries.map(|entry| entry.expect("it can be read").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    }
}

pub(crate) fn psmc(islands: usize) -> Smc<Hmc> {
    let psmc = Inference::psmc().islands(islands).particles(32);
    psmc.seed(3).progress(false)
}

/// Engines with several units; some have more than 15 groups in the list.
fn engines() -> Vec<(&'static str, Box<dyn Engine>)> {
    let nuts = Inference::chains(Nuts::new()).chains(37).burn_in(40);
    let tempering = Inference::tempering().chains(19).burn_in(40).draws(9);
    let nested = Inference::nested().islands(20).particles(32);
    vec![
        ("psmc", Box::new(psmc(20))),
        ("pilot", Box::new(psmc(4).pilot(64))),
        ("nested", Box::new(nested.seed(3).progress(false))),
        ("shard", Box::new(psmc(9).shard(1, 2))),
        ("limit", Box::new(psmc(50).gradient_limit(200_000))),
        ("together", Box::new(psmc(3).pilot(64).interacting(0.5))),
        (
            "until",
            Box::new(psmc(4).until(bayes_core::until::Precision::log_evidence(0.1))),
        ),
        ("nuts", Box::new(nuts.draws(10).seed(3).progress(false))),
        ("tempering", Box::new(tempering.seed(3).progress(false))),
    ]
}

#[test]
fn the_file_has_the_bytes_of_a_run_that_is_saved() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    for (name, engine) in engines() {
        let run = engine.run(&model).unwrap();
        let path = folder.path().join("all.run");
        let file = engine.run_to_file(&model, &path).unwrap();
        assert!(
            fs::read(&path).unwrap() == folder.saved(&run),
            "{name}: other bytes"
        );
        // the returned run equals the run that is read
        assert_eq!(
            format!("{file:?}"),
            format!("{:?}", RunFile::open(&path).unwrap()),
            "{name}"
        );
        let groups: Vec<_> = file.groups().unwrap().map(Result::unwrap).collect();
        assert_eq!(format!("{groups:?}"), format!("{:?}", run.groups));
    }
    assert_eq!(folder.names(), ["all.run"]);
}

/// Stops after `left` temperatures of all islands together.
#[derive(Debug)]
struct StopAfter {
    left: AtomicUsize,
    flag: Arc<AtomicBool>,
}

impl Observer for StopAfter {
    fn stage(&self, _: usize, _: &Stage, _: usize) {
        if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}

fn stopped_after(temperatures: usize, psmc: Smc<Hmc>) -> Smc<Hmc> {
    let flag = Arc::new(AtomicBool::new(false));
    let observer = StopAfter {
        left: AtomicUsize::new(temperatures),
        flag: Arc::clone(&flag),
    };
    psmc.stop_when(flag).observer(Arc::new(observer))
}

#[test]
fn stopped_and_started_again_it_gives_the_bytes_of_one_run() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let whole = folder.saved(&psmc(12).run(&model).unwrap());
    let path = folder.path().join("all.run");
    psmc(2).run_to_file(&model, &path).unwrap();
    let before = fs::read(&path).unwrap();
    for interval in [Duration::ZERO, Duration::from_secs(10)] {
        let saved = folder.path().join(format!("saved-{}", interval.as_secs()));
        // islands that the folder has and the run does not
        let more = psmc(14).checkpoint(&saved).run(&model).unwrap();
        assert_eq!(more.groups.len(), 14);
        for file in fs::read_dir(&saved).unwrap().map(Result::unwrap) {
            if file.file_name().to_string_lossy().contains("finished-0") {
                fs::remove_file(file.path()).unwrap();
            }
        }
        for again in 0.. {
            assert!(again < 500, "it does not end");
            let psmc = psmc(12).checkpoint(&saved).checkpoint_interval(interval);
            match stopped_after(8, psmc).run_to_file(&model, &path) {
                Ok(file) => {
                    assert!(!file.run().is_stopped && file.path() == path);
                    break;
                }
                Err(Error::Stopped { finished, .. }) => assert!(finished < 12),
                Err(error) => panic!("{error}"),
            }
            assert!(fs::read(&path).unwrap() == before, "replaced by a part");
        }
        assert!(fs::read(&path).unwrap() == whole, "{interval:?}");
        fs::write(&path, &before).unwrap();
    }
}

#[test]
fn a_run_that_is_stopped_leaves_what_is_finished() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let path = folder.path().join("part.run");
    psmc(2).run_to_file(&model, &path).unwrap();
    let before = fs::read(&path).unwrap();
    let one = psmc(1).run(&model).unwrap().groups[0].history().len();
    let file = stopped_after(4 * one, psmc(200)).run_to_file(&model, &path);
    let file = file.unwrap();
    assert!(file.run().is_stopped && (1..200).contains(&file.len()));
    // the whole run that was there stays
    assert!(fs::read(&path).unwrap() == before);
    assert_eq!(file.path(), folder.path().join("part.run.stopped"));
    let run = Run::load(file.path()).unwrap();
    let whole = psmc(200).run(&model).unwrap();
    for island in &run.groups {
        let wanted = &whole.groups[island.index as usize];
        assert_eq!(format!("{island:?}"), format!("{wanted:?}"));
    }
}

/// Counts the messages about sampling.
#[derive(Debug, Default)]
struct Begun(AtomicUsize);

impl Observer for Begun {
    fn stage(&self, _: usize, _: &Stage, _: usize) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
    fn step(&self, _: usize, _: Steps) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn a_place_that_cannot_be_written_is_reported_before_the_run() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let missing = folder.path().join("none").join("all.run");
    for (name, mut engine) in engines() {
        for (path, wanted) in [
            (missing.as_path(), "No such file"),
            (folder.path(), "directory"),
        ] {
            let begun = Arc::new(Begun::default());
            engine.common_mut().observers = vec![begun.clone()];
            let refused = match engine.run_to_file(&model, path) {
                Err(Error::Run(RunError::File(refused))) => refused,
                other => panic!("{name}: want a file that cannot be written, got {other:?}"),
            };
            let FileError::System { path: named, .. } = &refused else {
                panic!("{name}: want the system's error, got {refused:?}");
            };
            assert_eq!(Path::new(named), path);
            assert!(refused.to_string().contains(wanted), "{refused}");
            assert_eq!(begun.0.load(Ordering::Relaxed), 0, "{name} has begun");
            assert_eq!(Run::may_save(path), Err(RunError::File(refused)));
        }
    }
    assert!(folder.names().is_empty());
}

/// The messages about memory.
#[derive(Debug, Default)]
struct Told(Mutex<Vec<Memory>>);

impl Observer for Told {
    fn memory(&self, memory: &Memory) {
        self.0.lock().expect("no test panics here").push(*memory);
    }
}

#[test]
fn finished_groups_are_not_in_the_estimate_of_memory() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let density = Posterior::new(&model, 1).unwrap();
    let path = folder.path().join("all.run");
    let nuts = |chains| {
        let nuts = Inference::chains(Nuts::new()).chains(chains).burn_in(20);
        nuts.draws(200).progress(false)
    };
    let pairs: [(Box<dyn Engine>, Box<dyn Engine>); 2] = [
        (Box::new(psmc(1)), Box::new(psmc(60))),
        (Box::new(nuts(16)), Box::new(nuts(640))),
    ];
    for (one, mut many) in pairs {
        // as much as all threads need at the same time, and less than all groups
        let threads = rayon::current_num_threads() as u64;
        let limit = threads * one.memory(&density).unwrap().total();
        many.common_mut().memory_limit = Some(limit);
        let told = Arc::new(Told::default());
        many.common_mut().observers.push(told.clone());
        assert!(many.memory(&density).unwrap().total() > limit);
        let refused = many.run_on(&density).unwrap_err();
        assert!(matches!(refused, Error::Memory { .. }), "{refused}");
        let file = many.run_to_file_on(&density, &path).unwrap();
        assert_eq!(file.len(), file.groups().unwrap().count());
        let told: Vec<u64> = told.0.lock().unwrap().iter().map(Memory::total).collect();
        assert!(told[0] > limit && told[1] <= limit, "{told:?}");
        many.common_mut().memory_limit = Some(limit / (2 * threads));
        let refused = many.run_to_file_on(&density, &path).unwrap_err();
        assert!(matches!(refused, Error::Memory { .. }), "{refused}");
    }
}

#[test]
fn islands_that_wait_for_their_checkpoint_are_in_the_estimate_of_memory() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let density = Posterior::new(&model, 1).unwrap();
    let nuts = Inference::chains(Nuts::new()).chains(16_000).draws(10_000);
    let engines: [Box<dyn Engine>; 2] = [
        Box::new(psmc(1000).particles(10_000)),
        Box::new(nuts.progress(false)),
    ];
    for mut engine in engines {
        let told = Arc::new(Told::default());
        engine.common_mut().observers.push(told.clone());
        // refused, so that nothing runs
        engine.common_mut().memory_limit = Some(1);
        for checkpoint in [None, Some(folder.path().join("saved"))] {
            engine.common_mut().checkpoint = checkpoint;
            let path = folder.path().join("all.run");
            let refused = engine.run_to_file_on(&density, &path).unwrap_err();
            assert!(matches!(refused, Error::Memory { .. }), "{refused}");
        }
        let told = told.0.lock().unwrap();
        assert_eq!(told[0].at_work, told[1].at_work);
        // 64 MB of values and positions, for one coordinate
        assert_eq!(told[1].draws - told[0].draws, (64 << 20) / 16);
    }
}
