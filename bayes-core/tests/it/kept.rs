//! Runs whose result cannot be written at the end are kept: beside its path, in the folder for temporary files, or in the error.

use crate::common::NormalMean;
use crate::streamed::{Folder, psmc};
use bayes_core::Error;
use bayes_core::density::{LogDensity, Posterior};
use bayes_core::engine::{Common, Engine, Smc};
use bayes_core::kernel::Hmc;
use bayes_core::observe::Observer;
use bayes_core::run::{FileError, Group, Run, RunError, RunFile, RunWriter, Stage};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The path at which a run was kept, and the reason.
fn kept_by(refused: Result<RunFile, Error>) -> (String, String) {
    match refused {
        Err(Error::Run(RunError::File(FileError::Unsaved { kept, message }))) => (kept, message),
        Err(Error::File(FileError::Unsaved { kept, message })) => (kept, message),
        other => panic!("want what was kept, got {other:?}"),
    }
}

/// Creates a folder at the path of the result, so that the result cannot be written.
#[derive(Debug)]
struct InTheWay(PathBuf);

impl Observer for InTheWay {
    fn stage(&self, _: usize, _: &Stage, _: usize) {
        let _ = fs::create_dir(&self.0);
    }
}

#[test]
fn a_run_whose_file_cannot_be_written_at_the_end_is_kept() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let path = folder.path().join("all.run");
    // with a pilot, whose counts are added to an island that is in the file
    let psmc = || psmc(5).pilot(64);
    let whole = folder.saved(&psmc().run(&model).unwrap());
    let fails = || psmc().observer(Arc::new(InTheWay(path.clone())));
    // the file of a killed process
    fs::write(folder.path().join("all.run.unsaved"), [7; 40]).unwrap();
    let (kept, message) = kept_by(fails().run_to_file(&model, &path));
    assert!(message.contains("all.run` cannot be written"), "{message}");
    fs::remove_dir(&path).unwrap();
    let other = folder.path().join("other.run");
    let saved = RunFile::open(&kept).unwrap().save(&other).unwrap();
    assert!(fs::read(&other).unwrap() == whole && saved.path() == other);
    RunFile::merge([&kept], &other).unwrap();
    assert!(fs::read(&other).unwrap() == whole);
    // the next run does not replace it
    let (again, message) = kept_by(psmc().run_to_file(&model, &path));
    assert!(again == kept && message.contains("before"), "{message}");
    fs::remove_file(&kept).unwrap();
    // with checkpoints nothing is lost in any case
    let refused = fails().checkpoint(folder.path().join("saved"));
    let refused = refused.run_to_file(&model, &path).unwrap_err();
    assert!(
        refused.to_string().contains("cannot be written"),
        "{refused}"
    );
    fs::remove_dir(&path).unwrap();
    assert!(!Path::new(&kept).exists());
    // no two processes write to the file
    let other = fs::File::create(&kept).unwrap();
    other.lock().unwrap();
    let refused = psmc().run_to_file(&model, &path).unwrap_err();
    let in_use = matches!(refused, Error::File(FileError::InUse { .. }));
    assert!(in_use, "{refused}");
    other.unlock().unwrap();
    psmc().run_to_file(&model, &path).unwrap();
    assert!(fs::read(&path).unwrap() == whole && !Path::new(&kept).exists());
}

/// Removes the folder of the result.
#[derive(Debug)]
struct Remover(PathBuf);

impl Observer for Remover {
    fn stage(&self, _: usize, _: &Stage, _: usize) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// An engine without its own way to write to a file.
#[derive(Debug)]
struct Own(Smc<Hmc>);

impl Engine for Own {
    fn common(&self) -> &Common {
        Engine::common(&self.0)
    }
    fn common_mut(&mut self) -> &mut Common {
        Engine::common_mut(&mut self.0)
    }
    fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        self.0.run_on(density)
    }
}

#[test]
fn a_run_whose_folder_went_away_is_in_that_for_temporary_files() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let whole = folder.saved(&psmc(4).run(&model).unwrap());
    let results = folder.path().join("results");
    let path = results.join("bayes-folder-that-went-away.run");
    let engines: [Box<dyn Engine>; 2] = [Box::new(psmc(4)), Box::new(Own(psmc(4)))];
    for mut engine in engines {
        fs::create_dir(&results).unwrap();
        let remover = Arc::new(Remover(results.clone()));
        engine.common_mut().observers.push(remover);
        let (kept, message) = kept_by(engine.run_to_file(&model, &path));
        assert!(message.contains("No such file"), "{message}");
        assert!(Path::new(&kept).starts_with(std::env::temp_dir()), "{kept}");
        assert!(fs::read(&kept).unwrap() == whole);
        fs::remove_file(kept).unwrap();
    }
}

#[test]
fn a_run_in_memory_is_saved_elsewhere_and_replaces_nothing() {
    let folder = Folder::new();
    let run = psmc(2).run(&NormalMean::reference()).unwrap();
    let bytes = folder.saved(&run);
    let path = folder.path().join("bayes-is-occupied.run");
    fs::write(&path, "notes").unwrap();
    let places: Vec<String> = (0..2)
        .map(|_| match run.save_or_keep(&path) {
            Err(RunError::File(FileError::Unsaved { kept, message })) => {
                assert!(message.contains("is there already"), "{message}");
                kept
            }
            other => panic!("want what was kept, got {other:?}"),
        })
        .collect();
    assert_ne!(places[0], places[1]);
    for kept in places {
        assert!(fs::read(&kept).unwrap() == bytes);
        fs::remove_file(kept).unwrap();
    }
    assert_eq!(fs::read(&path).unwrap(), b"notes");
}

/// An engine that writes islands to the file one after another, the last first.
#[derive(Debug)]
struct OneByOne(Smc<Hmc>);

impl OneByOne {
    fn islands<'a>(
        &'a self,
        density: &'a dyn LogDensity,
    ) -> impl Iterator<Item = Result<Group, Error>> + 'a {
        (0..self.0.units() as u64).rev().map(|number| {
            let sampler = self.0.sampler(density)?;
            let mut island = sampler.start(number)?;
            while !island.is_done() {
                sampler.advance(&mut island);
            }
            Ok(sampler.finish(island))
        })
    }
}

impl Engine for OneByOne {
    fn common(&self) -> &Common {
        Engine::common(&self.0)
    }
    fn common_mut(&mut self) -> &mut Common {
        Engine::common_mut(&mut self.0)
    }
    fn run_on(&self, density: &dyn LogDensity) -> Result<Run, Error> {
        let mut groups = self
            .islands(density)
            .collect::<Result<Vec<Group>, Error>>()?;
        groups.reverse();
        Ok(self.0.collect(density, groups))
    }
    fn run_to_file_on(&self, density: &dyn LogDensity, path: &Path) -> Result<RunFile, Error> {
        let mut file = RunWriter::new(path)?;
        for island in self.islands(density) {
            file.add(&island?)?;
        }
        file.finish(self.0.collect(density, Vec::new()))
    }
}

#[test]
fn an_engine_of_ones_own_streams_by_a_writer() {
    let folder = Folder::new();
    let model = NormalMean::reference();
    let engine = OneByOne(psmc(5));
    let whole = folder.saved(&psmc(5).run(&model).unwrap());
    let path = folder.path().join("all.run");
    let file = (&engine as &dyn Engine).run_to_file(&model, &path).unwrap();
    assert!(fs::read(file.path()).unwrap() == whole);
    let run = (&engine as &dyn Engine).run(&model).unwrap();
    assert!(folder.saved(&run) == whole);
    // groups that the run itself has are in the file too
    let mut writer = RunWriter::new(&path).unwrap();
    writer.add(&run.groups[3]).unwrap();
    assert!(path.with_added_extension("unsaved").exists());
    let mut rest = run.clone();
    rest.groups.remove(3);
    writer.finish(rest).unwrap();
    assert!(fs::read(&path).unwrap() == whole);
    // an abandoned run leaves nothing, and a run without groups is not a run
    drop(RunWriter::new(&path).unwrap());
    let posterior = Posterior::new(&model, 1).unwrap();
    let none = psmc(1).collect(&posterior, Vec::new());
    let refused = RunWriter::new(&path).unwrap().finish(none).unwrap_err();
    assert!(
        matches!(refused, Error::Run(RunError::NoGroups)),
        "{refused}"
    );
    assert!(!path.with_added_extension("unsaved").exists());
    assert!(fs::read(&path).unwrap() == whole);
}
