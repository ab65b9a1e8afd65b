//! Faults during a long run: each is a typed error or a counted event, and no finished island is lost. docs/faults.md lists them with
//! their tests, most of which are in other files.
//!
//! Seen to fail: with the data compared before the version and the model; with draws of the prior that are not caught; with the words of
//! MessagePack in place of the system's.

use crate::common::NormalMean;
use bayes_core::Error;
use bayes_core::density::{Block, Description, LogDensity, Prior, Quantities};
use bayes_core::diagnose::FailureKind;
use bayes_core::engine::{Engine, Inference, Smc};
use bayes_core::kernel::Hmc;
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::{FileError, Run, RunError, RunFile};
use rand_distr::StandardNormal;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tempfile::TempDir;

/// A folder for one test, which is removed at its end.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = tempfile::tempdir();
        Self(folder.expect("the system has a folder for temporary files"))
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn files(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.path()).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("it can be read").path());
        paths
            .filter(|path| path.extension().is_some_and(|end| end == "bayes"))
            .collect()
    }
}

fn psmc() -> Smc<Hmc> {
    let psmc = Inference::psmc().islands(4).particles(32);
    psmc.seed(3).progress(false)
}

/// A run that is saved completely.
fn saved(folder: &Folder) -> Run {
    let model = NormalMean::reference();
    psmc()
        .checkpoint(folder.path())
        .run(&model)
        .expect("the folder is new")
}

fn text(run: &Run) -> String {
    serde_json::to_string(run).expect("runs are JSON")
}

/// Replaces a text in a file by another text of the same length, and corrects the checksum, as a program of another version would have
/// written it.
fn rewrite(path: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let mut bytes = fs::read(path).expect("it was written");
    let found = bytes.windows(from.len()).position(|w| w == from.as_bytes());
    let start = found.expect("the text is there");
    bytes[start..start + to.len()].copy_from_slice(to.as_bytes());
    let end = bytes.len() - 4;
    let checksum = crc32fast::hash(&bytes[..end]).to_le_bytes();
    bytes[end..].copy_from_slice(&checksum);
    fs::write(path, bytes).expect("there is room");
}

#[test]
fn a_folder_of_a_newer_version_or_of_another_model_is_refused_by_that_name() {
    let folder = Folder::new();
    saved(&folder);
    let refused = |model: &NormalMean| {
        let refused = psmc().checkpoint(folder.path()).run(model).unwrap_err();
        assert!(matches!(refused, Error::Checkpoint { .. }), "{refused}");
        refused.to_string()
    };
    let version = env!("CARGO_PKG_VERSION");
    let newer = version.replacen('0', "9", 1);
    for path in folder.files() {
        rewrite(&path, version, &newer);
    }
    let told = refused(&NormalMean::reference());
    let wanted = format!("differs in `version`: {newer} and {version};");
    assert!(told.contains(&wanted), "{told}");

    let folder = Folder::new();
    saved(&folder);
    let name = bayes_core::model::Model::name(&NormalMean::reference());
    let other: String = name.chars().rev().collect();
    folder
        .files()
        .iter()
        .for_each(|path| rewrite(path, name, &other));
    let refused = psmc()
        .checkpoint(folder.path())
        .run(&NormalMean { y: vec![9.0] });
    let told = refused.unwrap_err().to_string();
    let wanted = format!("differs in `model`: {other} and {name};");
    assert!(told.contains(&wanted), "{told}");
}

#[test]
fn a_clock_that_was_turned_changes_nothing() {
    let folder = Folder::new();
    let whole = text(&saved(&folder));
    let ages = [
        SystemTime::UNIX_EPOCH,
        SystemTime::now() + Duration::from_secs(40 * 365 * 24 * 3600),
    ];
    for age in ages {
        for path in folder.files() {
            let file = File::options().write(true).open(path).unwrap();
            file.set_modified(age).unwrap();
        }
        assert!(text(&saved(&folder)) == whole);
        // the saved islands were read, and none was computed again
        for path in folder.files() {
            let changed = fs::metadata(&path).unwrap().modified().unwrap();
            assert!(changed == age, "{}", path.display());
        }
    }
}

#[test]
fn parts_of_other_runs_are_refused_in_memory_and_in_files() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let first = psmc().shard(0, 2).run(&model).unwrap();
    let second = || psmc().shard(1, 2);
    let other_data = NormalMean { y: vec![9.0] };
    let mut other_model = second().run(&model).unwrap();
    other_model.model = "another".to_owned();
    let mut newer = second().run(&model).unwrap();
    newer.version = "9.9.9".to_owned();
    let cases = [
        (
            second().run(&other_data).unwrap(),
            "SECOND and FIRST differ in their data",
        ),
        (
            second().seed(4).run(&model).unwrap(),
            "SECOND and FIRST differ in their seed: 4 and 3",
        ),
        (
            second().particles(33).run(&model).unwrap(),
            "SECOND and FIRST differ in their setting `particles`: 33 and 32",
        ),
        (
            other_model,
            "SECOND and FIRST differ in their model: another and normal_mean",
        ),
        (
            newer,
            "SECOND and FIRST differ in their version of bayes: 9.9.9 and 0.1.0",
        ),
        (first.clone(), "island 0 is in FIRST and in SECOND"),
    ];
    let paths = ["first.run", "second.run"].map(|name| folder.path().join(name));
    first.save(&paths[0]).unwrap();
    for (other, wanted) in cases {
        other.save(&paths[1]).unwrap();
        let by_file = RunFile::merge(&paths, folder.path().join("all.run")).unwrap_err();
        let in_memory = Run::merge([first.clone(), other]).unwrap_err();
        let files = paths.each_ref().map(|path| format!("`{}`", path.display()));
        let numbers = ["run 0", "run 1"].map(str::to_owned);
        for (refused, [one, other]) in [(by_file, files), (in_memory, numbers)] {
            let RunError::Merge { reason } = refused else {
                panic!("want what differs, got {refused}");
            };
            let wanted = wanted.replace("FIRST", &one).replace("SECOND", &other);
            assert_eq!(reason, wanted);
        }
        assert!(!folder.path().join("all.run").exists());
    }
}

#[test]
fn a_file_that_changes_while_it_is_read_is_reported() {
    let folder = Folder::new();
    let path = folder.path().join("all.run");
    psmc()
        .run(&NormalMean::reference())
        .unwrap()
        .save(&path)
        .unwrap();
    let file = RunFile::open(&path).unwrap();
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let read: Result<Vec<_>, RunError> = file.groups().unwrap().collect();
    let told = read.unwrap_err();
    assert!(
        matches!(
            &told,
            RunError::File(FileError::System { action: "read", .. })
        ),
        "{told}"
    );
    let mut other = bytes.clone();
    let middle = other.len() / 2;
    other[middle] ^= 1;
    fs::write(&path, &other).unwrap();
    let read: Result<Vec<_>, RunError> = file.groups().unwrap().collect();
    let told = read.unwrap_err();
    assert!(
        matches!(&told, RunError::File(FileError::Damaged { .. })),
        "{told}"
    );
    // the error names a damaged part, and the merged file is not begun
    let out = folder.path().join("merged.run");
    let told = RunFile::merge([&path], &out).unwrap_err().to_string();
    assert!(told.contains("all.run` is damaged"), "{told}");
    fs::remove_file(&path).unwrap();
    assert!(file.groups().is_err() && file.select(["mu"]).is_err());
    assert!(!out.exists());
}

/// Standard normal, with a fault beyond `edge`: a region of probability 1e-4.
#[derive(Clone, Copy)]
struct Edge {
    edge: f64,
    fault: Fault,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    Panic,
    Nan,
    Infinite,
    /// The fault occurs in the draw of the prior.
    Draw,
}

impl Edge {
    fn at(&self, x: &[f64]) -> [f64; 2] {
        let prior = -0.5 * x[0] * x[0];
        let likelihood = -0.5 * (x[0] - 1.0).powi(2);
        if x[0] <= self.edge {
            return [prior, likelihood];
        }
        match self.fault {
            Fault::Panic => panic!("beyond the edge"),
            Fault::Nan => [prior, f64::NAN],
            Fault::Infinite => [prior, f64::INFINITY],
            Fault::Draw => [prior, likelihood],
        }
    }
}

impl LogDensity for Edge {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| self.at(x));
    }
    fn evaluate_gradient(&self, [a, b]: [f64; 2], block: &mut Block<'_>) {
        block.fill_gradient(|x, slopes| {
            slopes[0] = -a * x[0] - b * (x[0] - 1.0);
            self.at(x)
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
    fn quantities(&self) -> &dyn Quantities {
        self
    }
}

impl Prior for Edge {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position[0] = stream.sample(StandardNormal);
        let fails = self.fault == Fault::Draw && position[0] > self.edge;
        assert!(!fails, "no draw beyond the edge");
    }
}

impl Quantities for Edge {
    fn describe(&self) -> Option<Description> {
        Some(Description::unnamed(1))
    }
}

/// Every engine, with enough evaluations that some are beyond the edge.
fn engines() -> Vec<Box<dyn Engine>> {
    let particles = || Inference::psmc().islands(4).particles(2500);
    let mut engines: Vec<Box<dyn Engine>> = vec![
        Box::new(particles()),
        Box::new(particles().pilot(1000)),
        Box::new(particles().pilot(1000).interacting(0.5)),
        Box::new(Inference::ais().particles(5000)),
        Box::new(Inference::nuts().chains(16).draws(3000)),
        Box::new(Inference::tempering().chains(16).draws(3000)),
    ];
    for engine in &mut engines {
        engine.common_mut().progress = false;
        engine.common_mut().seed = 2;
    }
    engines
}

#[test]
fn a_fault_in_one_of_ten_thousand_particles_costs_that_move_and_is_counted() {
    for engine in engines() {
        for fault in [Fault::Panic, Fault::Nan, Fault::Infinite] {
            let name = format!("{} {fault:?}", engine.name());
            // 1e-4 of the prior, from which particles start, lies beyond the edge; for chains 2e-4 of the posterior
            let is_chains = ["nuts", "tempering"].contains(&engine.name());
            let edge = if is_chains { 3.0 } else { 3.72 };
            let run = engine.run_on(&Edge { edge, fault }).unwrap();
            let counts = run.counts();
            let of = counts.density_evaluations + counts.gradient_evaluations;
            let told = run.failures();
            let times: u64 = told.rows.iter().map(|row| row.times).sum();
            // trajectories reach further than the particles; steps of a walk in one coordinate are longer than two standard deviations, so that
            // more than a tenth of its proposals are beyond the edge
            let most = if ["psmc", "ais"].contains(&engine.name()) {
                of / 4
            } else {
                of / 50
            };
            assert!(times > 0 && times < most, "{name}: {times} of {of}");
            let first = told.rows[0].first.as_ref().expect("it is kept");
            assert!(first.position[0] > edge, "{name}: {first:?}");
            assert!((0.0..=1.0).contains(&first.lambda), "{name}");
            // the posterior is N(1/2, 1/2)
            let mean = run.mean("x").unwrap()[0];
            assert!((mean - 0.5).abs() < 0.05, "{name}: {mean}");
            if let Some(log_evidence) = run.log_evidence_estimate() {
                let exact = -0.25 - 0.5 * 2f64.ln();
                let far = (log_evidence.mean - exact).abs();
                assert!(far < 0.05, "{name}: {log_evidence:?}");
            }
        }
    }
}

#[test]
fn a_draw_of_the_prior_that_panics_is_one_that_is_lost() {
    for engine in engines() {
        let name = engine.name();
        let density = Edge {
            edge: 3.0,
            fault: Fault::Draw,
        };
        let run = engine.run_on(&density).unwrap();
        let mean = run.mean("x").unwrap()[0];
        assert!((mean - 0.5).abs() < 0.05, "{name}: {mean}");
        if run.counts().density_evaluations > 10_000 && name != "nuts" {
            let told = run.failures();
            let panic = &told.rows[0];
            assert_eq!(panic.kind, FailureKind::Panic, "{name}: {told}");
            let words = panic.cause.as_deref();
            let wanted = Some("in a draw of the prior: no draw beyond the edge");
            assert_eq!(words, wanted, "{name}");
        }
    }
}

#[test]
fn draws_of_the_prior_that_are_never_finite_are_reported_with_their_words() {
    let edge = f64::NEG_INFINITY;
    let density = Edge {
        edge,
        fault: Fault::Draw,
    };
    let told = psmc().run_on(&density).unwrap_err().to_string();
    let wanted =
        "NaN at 64 of 64 prior draws, since the draw panicked: no draw beyond the edge; a prior";
    assert!(told.contains(wanted), "{told}");
    // a Gaussian is fitted to the draws, before a run checks them
    let density: &dyn LogDensity = &density;
    let refused = density.reference("a test").unwrap_err();
    assert!(
        matches!(&refused, Error::NoFiniteDraw { of: 400, .. }),
        "{refused}"
    );
    assert_eq!(
        refused.to_string(),
        "none of 400 draws of the prior of `density` is finite, since the draw panicked: no draw beyond the edge; a prior must draw \
         finite numbers"
    );
}

#[test]
fn a_density_that_always_fails_is_an_error_at_once() {
    for engine in engines() {
        for fault in [Fault::Panic, Fault::Nan, Fault::Draw] {
            let edge = f64::NEG_INFINITY;
            let refused = engine.run_on(&Edge { edge, fault });
            let told = refused.expect_err("there is no starting point");
            let is_typed = matches!(told, Error::Start { .. } | Error::NanPrior { .. });
            assert!(is_typed, "{} {fault:?}: {told}", engine.name());
        }
    }
}

#[test]
fn islands_that_interact_can_be_saved_as_a_whole_and_not_on_the_way() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let together = || psmc().pilot(64).interacting(0.5);
    let refused = together()
        .checkpoint(folder.path())
        .run(&model)
        .unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("must be none where islands interact"),
        "{refused}"
    );
    let run = together().run(&model).unwrap();
    let path = folder.path().join("all.run");
    run.save(&path).unwrap();
    assert!(text(&Run::load(&path).unwrap()) == text(&run));
    let read = RunFile::open(&path).unwrap().select(["mu"]).unwrap();
    assert_eq!(read.log_evidence_estimate(), run.log_evidence_estimate());
}
