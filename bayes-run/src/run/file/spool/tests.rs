//! Finished groups when the result cannot be written.

use super::{Spool, Spooled, unsaved};
use crate::error::{Error, FileError};
use crate::run::example::islands;
use crate::run::{KeptRun, Run, RunError, RunFile};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A folder for one test, removed at its end, and the path of a result in a folder within it.
fn place() -> (TempDir, PathBuf) {
    let base = tempfile::tempdir().expect("the system has a folder for temporary files");
    let folder = base.path().join("results");
    fs::create_dir(&folder).expect("it is new");
    (base, folder.join("all.run"))
}

/// A run without its groups, and a spool with them: the second group is held in memory.
fn begun(run: &Run, path: &Path) -> (Run, Spool) {
    let mut spool = Spool::beside(path).expect("the folder is there");
    let [first, second, third] = run.groups.as_slice() else {
        panic!("three groups");
    };
    let one = std::slice::from_ref;
    spool.add_all(2, one(third)).expect("there is room");
    spool.hold(1, one(second)).expect("there is memory");
    spool.add_all(0, one(first)).expect("there is room");
    let head = Run {
        groups: Vec::new(),
        ..run.clone()
    };
    (head, spool)
}

/// The bytes that `Run::save` writes.
fn saved(run: &Run, base: &TempDir) -> Vec<u8> {
    let path = base.path().join("saved.run");
    run.save(&path).expect("the folder is there");
    fs::read(path).expect("it was just written")
}

fn text(run: &Run) -> String {
    serde_json::to_string(run).expect("runs are JSON")
}

#[test]
fn groups_in_memory_and_in_the_file_are_one_result() {
    let (base, path) = place();
    let run = islands(&[-1.0, -2.0, -1.5], 6);
    let (head, spool) = begun(&run, &path);
    spool.finish(head).expect("there is room");
    assert!(fs::read(&path).expect("it is there") == saved(&run, &base));
}

#[test]
fn a_result_that_cannot_be_written_stays_beside_its_place() {
    let (base, path) = place();
    let run = islands(&[-1.0, -2.0, -1.5], 6);
    let (head, spool) = begun(&run, &path);
    fs::create_dir(&path).expect("nothing is there");
    let refused = spool.finish_or_keep(head, Path::new("/no/such/folder"));
    let Err(Error::File(FileError::Unsaved { kept, .. })) = refused else {
        panic!("want the place, got {refused:?}");
    };
    assert!(kept.ends_with("results/all.run.unsaved"), "{kept}");
    let other = base.path().join("other.run");
    let file = RunFile::open(&kept).expect("it is whole");
    file.save(&other).expect("there is room");
    assert!(fs::read(&other).expect("it is there") == saved(&run, &base));
    let loaded = Run::load(&kept).expect("it is whole");
    assert_eq!(text(&loaded), text(&run));
}

#[test]
fn without_its_folder_it_goes_elsewhere_or_into_the_error() {
    let (base, path) = place();
    let run = islands(&[-1.0, -2.0, -1.5], 6);
    let other = base.path().join("all.run");
    fs::write(&other, "of others").expect("the folder is there");
    let without_folder = |fallback: &Path| {
        let folder = path.parent().expect("it has one");
        fs::create_dir_all(folder).expect("it can be made");
        let (head, spool) = begun(&run, &path);
        fs::remove_dir_all(folder).expect("it was made here");
        spool
            .finish_or_keep(head, fallback)
            .expect_err("there is no folder")
    };
    let Error::File(FileError::Unsaved { kept, message }) = without_folder(base.path()) else {
        panic!("want the place");
    };
    // the file that was there stays
    assert_eq!(fs::read(&other).expect("it is there"), b"of others");
    assert!(fs::read(&kept).expect("it is there") == saved(&run, &base));
    assert!(message.contains("all.run` cannot be written"), "{message}");
    let error = without_folder(Path::new("/no/such/folder"));
    assert!(error.to_string().contains("the run is in memory"));
    let Error::NotSaved { run: kept, .. } = error.clone() else {
        panic!("want the run, got {error}");
    };
    assert_eq!(text(kept.run()), text(&run));
    let Error::NotSaved { run: same, .. } = &error else {
        panic!("it is the same error");
    };
    assert_eq!(&kept, same);
    assert_eq!(text(&kept.into_run()), text(&run));
}

/// The result of hours of work must survive an error at the end.
#[test]
fn what_another_version_could_not_save_is_not_replaced() {
    let (_base, path) = place();
    let own = path.with_added_extension("unsaved");
    let rest = b"a rest that this version does not read";
    let mut bytes = b"groups".to_vec();
    bytes.extend(rest);
    bytes.extend((rest.len() as u64).to_le_bytes());
    bytes.extend(crc32fast::hash(rest).to_le_bytes());
    bytes.extend(b"unsaved.");
    fs::write(&own, &bytes).expect("the folder is there");
    assert!(unsaved::is_whole(&own) && RunFile::open(&own).is_err());
    // it is not a file that was left unfinished
    let told = Run::load(&own).expect_err("it cannot be read");
    assert!(
        matches!(told, RunError::File(FileError::Foreign { .. })),
        "{told}"
    );
    let refused = Spool::beside(&path).expect_err("it is there");
    assert!(
        matches!(refused, FileError::Unsaved { .. }),
        "want the file, got {refused}"
    );
    assert_eq!(fs::read(&own).expect("it is there"), bytes);
    // the file of a killed process is not whole
    bytes[8] ^= 1;
    for left in [&bytes[..], &[]] {
        fs::write(&own, left).expect("the folder is there");
        let loaded = Run::load(&own).map(drop);
        let opened = RunFile::open(&own).map(drop);
        for refused in [loaded, opened, RunFile::merge([&own], &path).map(drop)] {
            let told = refused.expect_err("it is not whole").to_string();
            assert!(told.contains("all.run.unsaved` is incomplete: "), "{told}");
        }
    }
    drop(Spool::beside(&path).expect("nothing is lost"));
    assert!(!own.exists());
}

/// The records of a million islands take little memory beside the islands at work.
#[test]
fn the_record_of_a_group_is_small() {
    assert!(size_of::<Spooled>() <= 40);
}
