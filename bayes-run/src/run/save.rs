//! A run in a compact binary file.

use super::file::unsaved;
use super::{FileError, Run, RunError, RunFile, saved};
use crate::file::{self, Kind};
use std::path::{Path, PathBuf};

impl Run {
    /// Writes the whole run to a binary file, with all bits of every number; [`Run::load`] reads it back.
    ///
    /// The file exists as a whole or not at all: it is written beside its final path, synchronised with the disk and renamed. It holds
    /// MessagePack between a head of 16 bytes and a checksum of 4 bytes, so that other languages can read it:
    ///
    /// ```python
    /// run = msgpack.unpackb(open("run.bayes", "rb").read()[16:-4])
    /// draws = numpy.frombuffer(run["groups"][0]["draws"], "<f8")   # [draws, elements], row by row
    /// ```
    ///
    /// An existing run is replaced. [`Run::may_save`] checks before hours of work whether the file can be written.
    ///
    /// # Errors
    /// [`RunError::File`] with the system's error, or if the file that is there is not a run.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), RunError> {
        self.save_at(path.as_ref())
    }

    fn save_at(&self, path: &Path) -> Result<(), RunError> {
        Self::may_save(path)?;
        Ok(file::write(path, Kind::Run, self)?)
    }

    /// Checks that [`Run::save`] would find a free path, or a run to replace.
    ///
    /// # Errors
    /// [`RunError::File`] with [`FileError::System`] if the folder does not exist or takes no files, or if `path` is a folder; with
    /// [`FileError::Occupied`] if another kind of file is there.
    pub fn may_save(path: impl AsRef<Path>) -> Result<(), RunError> {
        Ok(file::may_write(path.as_ref(), Kind::Run)?)
    }

    /// Path at which to save a run meant for `path`: `path` itself, or, if the run was stopped before it was finished, a separate file
    /// whose name ends in `.stopped`, so that it replaces no whole run.
    #[must_use]
    pub fn file_for(&self, path: &Path) -> PathBuf {
        match self.is_stopped {
            true => path.with_added_extension("stopped"),
            false => path.to_owned(),
        }
    }

    /// Reads a run that [`Run::save`] wrote, or a file that ends in `.unsaved`, which holds a run that [could not be
    /// written](FileError::Unsaved).
    ///
    /// # Errors
    /// [`RunError::File`] if the file cannot be read, is not a run, is damaged, or holds an [unfinished](FileError::Unfinished) run;
    /// [`RunError::Format`] if another version wrote it in another format; the errors of [`Run::from_json`] if no engine can have written
    /// its numbers.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, RunError> {
        Self::load_from(path.as_ref())
    }

    fn load_from(path: &Path) -> Result<Self, RunError> {
        let content = match file::read(path, Kind::Run) {
            Err(FileError::Foreign { .. }) if unsaved::is_named(path) => {
                return RunFile::open(path)?.load();
            }
            content => content?,
        };
        saved::of_format(|| content.decode(), || content.decode())
    }
}

#[cfg(test)]
mod tests {
    use crate::file::{self, Kind};
    use crate::run::example::{chains, damaged_places, islands, of_island, tempered};
    use crate::run::{FileError, Run, RunError, RunFile};
    use std::fs;
    use std::path::Path;
    use tempfile::TempDir;

    /// An empty folder for one test, which is removed at its end.
    fn folder() -> TempDir {
        tempfile::tempdir().expect("the system has a folder for temporary files")
    }

    fn text(run: &Run) -> String {
        serde_json::to_string(run).expect("runs are JSON")
    }

    fn refusal(path: &Path) -> RunError {
        Run::load(path).expect_err("it is no run")
    }

    #[test]
    fn a_run_is_replaced_and_nothing_else() {
        let folder = folder();
        let path = folder.path().join("notes.txt");
        chains(2, 3).save(&path).expect("there is nothing");
        chains(2, 4).save(&path).expect("there is a run");
        fs::write(&path, "").expect("the folder is there");
        chains(2, 4)
            .save(&path)
            .expect("an empty file holds nothing");
        for content in ["notes", "notes that are longer than the head of a run"] {
            fs::write(&path, content).expect("the folder is there");
            let error = chains(2, 3).save(&path).expect_err("these are notes");
            let wanted = "is there already and is not a run that `Run::save` wrote; remove it, or choose another name";
            assert!(error.to_string().ends_with(wanted), "{error}");
            assert_eq!(fs::read_to_string(&path).expect("it is there"), content);
        }
        let part = folder.path().join("part");
        chains(2, 3).save(&part).expect("there is nothing");
        let error = crate::run::RunFile::merge([&part], &path).expect_err("these are notes");
        assert!(error.to_string().contains("is there already"), "{error}");
    }

    #[test]
    fn a_run_comes_back_with_all_bits_and_nothing_else_is_left() {
        let folder = folder();
        let path = folder.path().join("run.bayes");
        let mut odd = islands(&[f64::NEG_INFINITY, -2.0], 1);
        odd.groups[0].draws = vec![f64::NAN, f64::INFINITY, -0.0];
        of_island(&mut odd.groups[0]).history[0].acceptance = f64::NAN;
        odd.part_of = Some(0..7);
        for run in [
            odd,
            islands(&[-1.25, -2.5], 5),
            chains(2, 3),
            tempered(2, 8, 0.5, 9),
        ] {
            run.save(&path).expect("the folder is there");
            let back = Run::load(&path).expect("it was just written");
            assert_eq!(text(&back), text(&run));
        }
        assert_eq!(fs::read_dir(folder.path()).expect("it is there").count(), 1);
    }

    #[test]
    fn bytes_that_are_lost_or_changed_are_seen() {
        let folder = folder();
        let path = folder.path().join("run.bayes");
        chains(1, 2).save(&path).expect("the folder is there");
        let bytes = fs::read(&path).expect("it was just written");
        let refused = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("the folder is there");
            match refusal(&path) {
                RunError::File(error @ (FileError::Damaged { .. } | FileError::Foreign { .. })) => {
                    error
                }
                other => panic!("want a damaged file, got {other:?}"),
            }
        };
        for length in damaged_places(bytes.len()) {
            refused(&bytes[..length]);
        }
        for place in damaged_places(bytes.len()) {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            refused(&changed);
        }
        let twice = refused(&[bytes.clone(), bytes.clone()].concat()).to_string();
        assert!(twice.contains("is damaged: its checksum"), "{twice}");
        let foreign = refused(b"{\"model\": 3}").to_string();
        assert!(
            foreign.ends_with("is not a run that `Run::save` wrote"),
            "{foreign}"
        );
    }

    #[test]
    fn another_format_is_named_with_its_version() {
        let folder = folder();
        let path = folder.path().join("run.bayes");
        let mut run = chains(1, 2);
        run.format += 1;
        run.version = "9.9.9".to_owned();
        run.save(&path).expect("the folder is there");
        let refused = refusal(&path);
        let RunError::Format { found, version, .. } = &refused else {
            panic!("want the format, got {refused:?}");
        };
        assert_eq!((*found, version.as_str()), (run.format, "9.9.9"));
    }

    /// Detects a file that is decoded before its format is compared, which would be called damaged.
    #[test]
    fn a_file_of_the_format_before_origins_is_named() {
        let folder = folder();
        let path = folder.path().join("run.bayes");
        let mut run = serde_json::to_value(islands(&[-1.0], 4)).expect("runs are JSON");
        run["format"] = 3.into();
        let group = run["groups"][0].as_object_mut().expect("a group");
        let origin = group.remove("origin").expect("format 4 has one");
        // format 3 had the fields of an island beside the draws
        group.extend(origin["island"].as_object().expect("an island").clone());
        file::write(&path, Kind::Run, &run).expect("the folder is there");
        let refused = [
            Run::load(&path).map(|_| ()),
            RunFile::open(&path).map(|_| ()),
            Run::from_json(&run.to_string()).map(|_| ()),
        ];
        for refused in refused {
            let Err(RunError::Format { found, reads, .. }) = refused else {
                panic!("want the format, got {refused:?}");
            };
            assert_eq!([found, reads], [3, 4]);
        }
    }

    #[test]
    fn a_run_that_was_edited_is_refused_like_json() {
        let folder = folder();
        let path = folder.path().join("run.bayes");
        let mut run = islands(&[-1.0, -2.0], 4);
        run.groups[1].draws.pop();
        run.save(&path).expect("the folder is there");
        assert!(matches!(refusal(&path), RunError::Ragged { group: 1, .. }));
    }

    #[test]
    fn what_the_system_refuses_names_the_file() {
        let folder = folder();
        let path = folder.path().join("none").join("run.bayes");
        let run = chains(1, 2);
        for refused in [
            run.save(&path).expect_err("there is no folder"),
            refusal(&path),
        ] {
            let RunError::File(FileError::System { path: named, .. }) = refused else {
                panic!("want the system's error, got {refused:?}");
            };
            assert!(named.ends_with("run.bayes"));
        }
    }
}
