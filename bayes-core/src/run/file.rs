//! Runs in files whose draws need not fit into memory.

mod outline;
mod spool;
mod unsaved;

pub(crate) use spool::Spool;

use super::merge::{Joined, check_indices};
use super::{FileError, Group, Layout, Run, RunError, Stamp, Variable};
use crate::file::{self, CHANGED, CHECKSUM, HEAD, Kind};
use outline::{Outline, Place};
use serde::Deserialize;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};
use unsaved::Rest;

/// An empty list in MessagePack.
const EMPTY: u8 = 0x90;

/// A run that [`Run::save`] wrote, whose islands or chains are read one at a time.
///
/// ```text
/// let file = RunFile::open("all.run")?;
/// println!("{}", file.select(["mu", "tau"])?);     // a run with these quantities alone
/// for island in file.groups()? {                   // all that is stored of an island, and no other island
///     let island = island?;
/// }
/// RunFile::merge(["part-0.run", "part-1.run"], "all.run")?;
/// ```
#[derive(Clone, Debug)]
pub struct RunFile {
    path: PathBuf,
    /// All but the groups.
    run: Run,
    groups: Vec<Place>,
}

impl RunFile {
    /// Opens a file: reads it, checks that it is whole, and keeps no draws. A file that changes later is an error when its groups are read. It
    /// opens those that end in `.unsaved` too, in which a run stays that [could not be written](FileError::Unsaved).
    ///
    /// # Errors
    /// Those of [`Run::load`], but for what the groups hold, which is checked when they are read.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, RunError> {
        let path = path.as_ref();
        if let Some(Rest { run, groups }) = unsaved::rest(path) {
            let path = path.to_owned();
            return Ok(Self { path, run, groups });
        }
        let system = |error: &io::Error| FileError::system(path, "read", error);
        let file = File::open(path).map_err(|error| system(&error))?;
        let length = file.metadata().map_err(|error| system(&error))?.len();
        let Outline { list, groups } = Outline::of(path, file, length)?;
        let mut file = File::open(path).map_err(|error| system(&error))?;
        let mut head = part(&mut file, HEAD as u64..list.start).map_err(|error| system(&error))?;
        head.push(EMPTY);
        let rest = list.end..length - CHECKSUM as u64;
        head.extend(part(&mut file, rest).map_err(|error| system(&error))?);
        decoded::<Stamp>(path, &head)?.check()?;
        let run: Run = decoded(path, &head)?;
        run.layout.validate()?;
        if groups.is_empty() {
            return Err(RunError::NoGroups);
        }
        let path = path.to_owned();
        Ok(Self { path, run, groups })
    }

    /// All but the groups: model, settings, names of quantities.
    #[must_use]
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Number of islands or chains.
    #[must_use]
    pub fn len(&self) -> usize {
        self.groups.len()
    }

    /// Whether there are none, which no file has.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }

    /// The islands or chains, each read when it is asked for.
    ///
    /// # Errors
    /// [`RunError::File`] if the file can no longer be read; an item is also one of the errors of [`Run::from_json`] if the numbers of
    /// the group are not those of a run.
    pub fn groups(&self) -> Result<impl Iterator<Item = Result<Group, RunError>> + '_, RunError> {
        let mut file = self.file()?;
        let places = self.groups.iter().enumerate();
        Ok(places.map(move |(i, place)| Ok(self.read(&mut file, i, place)?.0)))
    }

    /// The run with some of its quantities alone, so that it takes their share of the memory.
    ///
    /// It has the evidence and the counts of the whole; its summary and its warnings are of these quantities alone, so it does not show whether
    /// others have converged. Positions in the unconstrained coordinates are left out: predictions and merges refuse it.
    ///
    /// # Errors
    /// [`RunError::UnknownName`], and those of [`groups`](Self::groups).
    pub fn select<N: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = N>,
    ) -> Result<Run, RunError> {
        let names = names.into_iter();
        let chosen = names.map(|name| self.run.variable(name.as_ref()));
        let chosen = chosen.collect::<Result<Vec<&Variable>, RunError>>()?;
        let width = self.run.layout.elements();
        let of_chosen = |values: &[f64]| {
            let rows = values.chunks_exact(width.max(1));
            rows.flat_map(|row| chosen.iter().flat_map(|variable| &row[variable.range()]))
                .copied()
                .collect::<Vec<f64>>()
        };
        let groups = self.groups()?.map(|group| {
            let mut group = group?;
            group.draws = of_chosen(&group.draws);
            group.positions = Vec::new();
            if let Some(trajectories) = &mut group.trajectories {
                trajectories.divergent_starts = of_chosen(&trajectories.divergent_starts);
            }
            Ok(group)
        });
        let groups = groups.collect::<Result<Vec<Group>, RunError>>()?;
        Ok(Run {
            layout: layout(&chosen),
            groups,
            ..self.run.clone()
        })
    }

    /// Writes the bytes that [`Run::save`] would write of this run to another file, and returns that. It makes the file of a run that
    /// [could not be written](FileError::Unsaved).
    ///
    /// # Errors
    /// Those of [`groups`](Self::groups) and [`Run::save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<Self, RunError> {
        Run::may_save(&path)?;
        let mut places: Vec<usize> = (0..self.groups.len()).collect();
        places.sort_by_key(|place| self.groups[*place].index);
        let index = |place: &usize| self.groups[*place].index;
        let indices: Vec<u64> = places.iter().map(index).collect();
        let mut source = None;
        write(self.run.clone(), &indices, path.as_ref(), |i| {
            self.bytes_of(places[i], &mut source)
        })
    }

    /// Makes one file of the files of all parts, in any order: the bytes that [`Run::save`] would write after [`Run::merge`], but with
    /// one island or chain in memory at a time. Returns that file.
    ///
    /// # Errors
    /// Those of [`open`](Self::open), [`groups`](Self::groups), [`Run::merge`] and [`Run::save`].
    pub fn merge<P: AsRef<Path>>(
        parts: impl IntoIterator<Item = P>,
        out: impl AsRef<Path>,
    ) -> Result<Self, RunError> {
        Run::may_save(&out)?;
        let parts = parts.into_iter().map(Self::open);
        let mut parts = parts.collect::<Result<Vec<Self>, RunError>>()?;
        let first = |part: &Self| part.groups.iter().map(|place| place.index).min();
        parts.sort_by_key(first);
        let heads = parts.iter().map(|part| part.run.clone()).collect();
        let Joined { run, wholes } = Run::joined(heads)?;
        let mut all: Vec<(&Self, usize)> = Vec::new();
        for part in &parts {
            all.extend((0..part.groups.len()).map(|i| (part, i)));
        }
        all.sort_by_key(|(part, i)| part.groups[*i].index);
        let indices = all.iter().map(|(part, i)| part.groups[*i].index);
        let indices: Vec<u64> = indices.collect();
        check_indices(run.kind, &indices, &wholes)?;
        let mut source: Option<(&Path, File)> = None;
        write(run, &indices, out.as_ref(), |i| {
            let (part, place) = all[i];
            part.bytes_of(place, &mut source)
        })
    }

    /// The bytes of a group, checked; `source` is the file that was read last.
    fn bytes_of<'a>(
        &'a self,
        i: usize,
        source: &mut Option<(&'a Path, File)>,
    ) -> Result<Vec<u8>, RunError> {
        let mut file = match source.take() {
            Some((path, file)) if path == self.path => file,
            _ => self.file()?,
        };
        let (_, bytes) = self.read(&mut file, i, &self.groups[i])?;
        *source = Some((&self.path, file));
        Ok(bytes)
    }

    fn file(&self) -> Result<File, RunError> {
        let opened = File::open(&self.path);
        Ok(opened.map_err(|error| FileError::system(&self.path, "read", &error))?)
    }

    /// A group, checked, and its bytes.
    fn read(&self, file: &mut File, i: usize, place: &Place) -> Result<(Group, Vec<u8>), RunError> {
        let bytes = part(file, place.bytes.clone());
        let bytes = bytes.map_err(|error| FileError::system(&self.path, "read", &error))?;
        if crc32fast::hash(&bytes) != place.checksum {
            return Err(damaged(&self.path, CHANGED.to_owned()).into());
        }
        let group: Group = decoded(&self.path, &bytes)?;
        self.run.validate_group(i, &group)?;
        Ok((group, bytes))
    }
}

/// The quantities one after another, at no coordinates.
fn layout(chosen: &[&Variable]) -> Layout {
    let mut offset = 0;
    let moved = |variable: &&Variable| {
        let moved = Variable {
            offset,
            ..(*variable).clone()
        };
        offset += variable.shape.elements();
        moved
    };
    Layout {
        variables: chosen.iter().map(moved).collect(),
        dim: 0,
    }
}

/// Writes a run, which has no groups, with the groups of these numbers: the bytes of each are asked for by their places in the list. An error
/// of theirs is told as it is.
fn write(
    run: Run,
    indices: &[u64],
    path: &Path,
    mut bytes_of: impl FnMut(usize) -> Result<Vec<u8>, RunError>,
) -> Result<RunFile, RunError> {
    let mut refused: Option<RunError> = None;
    let mut groups = Vec::with_capacity(indices.len());
    let written = file::write_by(path, Kind::Run, |to| {
        let head = begin(&run, indices.len())?;
        to.write_all(&head)?;
        let mut start = (HEAD + head.len()) as u64;
        for (i, index) in indices.iter().enumerate() {
            let bytes = bytes_of(i).map_err(|error| {
                let told = io::Error::other(error.to_string());
                refused = Some(error);
                told
            })?;
            to.write_all(&bytes)?;
            let end = start + bytes.len() as u64;
            groups.push(Place {
                index: *index,
                bytes: start..end,
                checksum: crc32fast::hash(&bytes),
            });
            start = end;
        }
        Ok(())
    });
    if let Some(error) = refused {
        return Err(error);
    }
    written?;
    let path = path.to_owned();
    Ok(RunFile { path, run, groups })
}

/// All of a run but its groups, and how many of them follow, which are its last field.
fn begin(run: &Run, groups: usize) -> io::Result<Vec<u8>> {
    let mut head = rmp_serde::to_vec_named(run).map_err(io::Error::other)?;
    let end = head.pop();
    debug_assert_eq!(end, Some(EMPTY), "the groups are the last field");
    // the markers of a list in MessagePack
    match (u8::try_from(groups), u16::try_from(groups)) {
        (Ok(few), _) if few < 16 => head.push(EMPTY | few),
        (_, Ok(some)) => {
            head.push(0xdc);
            head.extend(some.to_be_bytes());
        }
        _ => {
            let many = u32::try_from(groups).map_err(io::Error::other)?;
            head.push(0xdd);
            head.extend(many.to_be_bytes());
        }
    }
    Ok(head)
}

/// Some bytes of a file.
fn part(file: &mut File, bytes: Range<u64>) -> io::Result<Vec<u8>> {
    file.seek(SeekFrom::Start(bytes.start))?;
    let mut found = vec![0; (bytes.end - bytes.start) as usize];
    file.read_exact(&mut found)?;
    Ok(found)
}

fn decoded<'a, T: Deserialize<'a>>(path: &Path, bytes: &'a [u8]) -> Result<T, FileError> {
    rmp_serde::from_slice(bytes).map_err(|error| damaged(path, error.to_string()))
}

fn damaged(path: &Path, reason: String) -> FileError {
    FileError::Damaged {
        path: path.display().to_string(),
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::RunFile;
    use crate::run::example::{chains, islands};
    use crate::run::{FileError, Run, RunError};
    use std::fs;
    use std::path::PathBuf;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let name = format!("bayes-file-{name}-{}", std::process::id());
            let folder = std::env::temp_dir().join(name);
            let _ = fs::remove_dir_all(&folder);
            fs::create_dir_all(&folder).expect("the system has a folder for temporary files");
            Self(folder)
        }

        fn save(&self, run: &Run, name: &str) -> PathBuf {
            let path = self.0.join(name);
            run.save(&path).expect("the folder is there");
            path
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn text<T: serde::Serialize>(value: &T) -> String {
        serde_json::to_string(value).expect("it is JSON")
    }

    #[test]
    fn groups_are_read_one_at_a_time() {
        let folder = Folder::new("groups");
        // lists of up to 15, 65535 and more elements have different heads
        for count in [1, 15, 16, 70_000] {
            let run = islands(&vec![-1.5; count], 1);
            let file = RunFile::open(folder.save(&run, "all.run")).expect("it was just written");
            assert_eq!(file.len(), count);
            let groups = file.groups().expect("it is there");
            for (found, wanted) in groups.zip(&run.groups) {
                assert_eq!(text(&found.expect("it is whole")), text(wanted));
            }
            let head = Run {
                groups: Vec::new(),
                ..run
            };
            assert_eq!(text(file.run()), text(&head));
        }
    }

    #[test]
    fn some_quantities_are_those_of_the_whole() {
        let folder = Folder::new("select");
        for run in [islands(&[-1.0, -2.0, -1.5], 40), chains(4, 50)] {
            let file = RunFile::open(folder.save(&run, "all.run")).expect("it was just written");
            let part = file.select(["beta"]).expect("it has beta");
            assert_eq!(part.draws("beta"), run.draws("beta"));
            assert_eq!(part.log_evidence(), run.log_evidence());
            let line = |run: &Run| {
                let summary = run.summary();
                format!("{:?}", summary.rows.last())
            };
            assert_eq!(line(&part), line(&run));
            assert!(!part.to_string().is_empty() && part.quantile("mu", 0.5).is_err());
            let told = Run::merge([part.clone()]).expect_err("a part of the quantities");
            assert!(
                told.to_string().contains("some of their quantities"),
                "{told}"
            );
            let refused = file.select(["betta"]).expect_err("no betta");
            assert!(matches!(refused, RunError::UnknownName { .. }), "{refused}");
        }
    }

    #[test]
    fn files_merge_to_the_bytes_of_a_merge_in_memory() {
        let folder = Folder::new("merge");
        for count in [3, 40] {
            let whole = islands(&vec![-1.25; count], 4);
            let part = |range: std::ops::Range<usize>| Run {
                groups: whole.groups[range].to_vec(),
                part_of: Some(0..count as u64),
                ..whole.clone()
            };
            let paths = [2..count, 0..1, 1..2].map(|range| {
                let name = format!("part-{}.run", range.start);
                folder.save(&part(range), &name)
            });
            let out = folder.0.join("merged.run");
            RunFile::merge(&paths, &out).expect("they fit");
            let bytes = fs::read(&out).expect("it was just written");
            assert!(bytes == fs::read(folder.save(&whole, "whole.run")).expect("it is there"));
            let refused = RunFile::merge(&paths[..2], &out).expect_err("one is missing");
            assert_eq!(
                refused.to_string(),
                "the runs cannot be merged: island 1 is missing"
            );
            // the file is still there
            assert!(bytes == fs::read(&out).expect("it is there"));
        }
    }

    #[test]
    fn no_byte_can_be_lost_or_changed_unseen() {
        let folder = Folder::new("bytes");
        let path = folder.save(&chains(1, 2), "all.run");
        let bytes = fs::read(&path).expect("it was just written");
        let refused = |bytes: &[u8]| {
            fs::write(&path, bytes).expect("the folder is there");
            match RunFile::open(&path).expect_err("it is damaged") {
                RunError::File(FileError::Damaged { .. } | FileError::Foreign { .. }) => {}
                other => panic!("want a damaged file, got {other:?}"),
            }
        };
        (0..bytes.len()).for_each(|length| refused(&bytes[..length]));
        for place in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[place] ^= 1 << (place % 8);
            refused(&changed);
        }
        refused(&[bytes.clone(), vec![0]].concat());
    }
}
