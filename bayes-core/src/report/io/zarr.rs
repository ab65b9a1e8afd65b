//! A folder of arrays in the Zarr format, version 2, which Python, R and Julia read.
//!
//! An array is a file of metadata and a file of numbers, in one chunk that is compressed by zlib, which every reader knows. Writing that, and
//! reading what was written, takes less than a library for the whole format would add to the time of compilation.

mod stored;

pub(super) use stored::Stored;

use super::at;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The level of compression: higher ones take longer and save little of numbers in double precision.
const LEVEL: u32 = 1;

/// The attribute for the name of an array that is written under another, as plots of xarray show it.
const NAME: &str = "long_name";
/// The file of all metadata.
const METADATA: &str = ".zmetadata";
/// Its list of the files that were written with it.
const FILES: &str = "bayes_files";

/// The contents of an array, the last index fastest.
#[derive(Debug)]
pub(super) enum Numbers {
    /// In double precision.
    Real(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Yes or no.
    Flags(Vec<bool>),
    /// Text.
    Names(Vec<String>),
}

impl Numbers {
    /// The name of the type, and the bytes.
    fn encode(self) -> (String, Vec<u8>) {
        let (kind, bytes) = match self {
            Self::Real(values) => ("<f8", values.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Self::Whole(values) => ("<i8", values.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Self::Flags(values) => ("|b1", values.into_iter().map(u8::from).collect()),
            Self::Names(values) => return encode_names(&values),
        };
        (kind.to_owned(), bytes)
    }
}

/// Texts of one length in UTF-32, filled up with zeros.
fn encode_names(names: &[String]) -> (String, Vec<u8>) {
    let longest = names.iter().map(|name| name.chars().count()).max();
    let length = longest.unwrap_or(0).max(1);
    let letters = |name: &String| {
        let filled = name.chars().map(u32::from).chain(std::iter::repeat(0));
        let filled: Vec<u32> = filled.take(length).collect();
        filled.into_iter().flat_map(u32::to_le_bytes)
    };
    (
        format!("<U{length}"),
        names.iter().flat_map(letters).collect(),
    )
}

/// `group/name` with a name that a file can have: data may be called by an expression, such as `y / scale`.
fn in_a_file_name(path: &str) -> String {
    let (group, name) = path.split_once('/').unwrap_or(("", path));
    let safe = |c: char| {
        if c == '/' || c == '\\' || c.is_control() {
            '_'
        } else {
            c
        }
    };
    let name: String = name.chars().map(safe).take(60).collect();
    format!("{group}/{name}")
}

/// A folder that is being written; it is at its place when it is finished, and not before.
pub(super) struct Store {
    place: PathBuf,
    /// Beside its place until it is finished.
    folder: PathBuf,
    is_finished: bool,
    /// All metadata once more, so that a reader opens one file.
    metadata: Map<String, Value>,
    /// The paths of the files that were written.
    files: Vec<String>,
}

impl Store {
    /// # Errors
    /// If there is something at `place` that no [`Store`] wrote, such as a file that a user added to it, or its parent is not there.
    pub(super) fn create(place: &Path) -> io::Result<Self> {
        if let Some(other) = of_others(place) {
            let message = format!(
                "`{}` is there already, and this library did not write `{}`; remove it, or choose another name",
                place.display(),
                other.display()
            );
            return Err(io::Error::new(ErrorKind::AlreadyExists, message));
        }
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(format!(".{}.part", std::process::id()));
        let mut store = Self {
            place: place.to_owned(),
            folder: place.with_file_name(name),
            is_finished: false,
            metadata: Map::new(),
            files: Vec::new(),
        };
        fs::create_dir(&store.folder).map_err(|error| at(place, &error))?;
        store.describe("", ".zgroup", json!({ "zarr_format": 2 }))?;
        Ok(store)
    }

    /// A group of arrays.
    pub(super) fn group(&mut self, name: &str, attributes: Value) -> io::Result<()> {
        self.make(name)?;
        self.describe(name, ".zgroup", json!({ "zarr_format": 2 }))?;
        self.describe(name, ".zattrs", attributes)
    }

    /// An array `group/name` with the names and lengths of its dimensions. Where `name`, by which the model calls it, is another, it is among the
    /// attributes.
    pub(super) fn array(
        &mut self,
        path: &str,
        name: &str,
        dims: &[(String, usize)],
        numbers: Numbers,
    ) -> io::Result<()> {
        let (kind, bytes) = numbers.encode();
        let shape: Vec<usize> = dims.iter().map(|(_, length)| *length).collect();
        let names: Vec<&str> = dims.iter().map(|(name, _)| name.as_str()).collect();
        if self.has_array(path) {
            let message = format!("two arrays would be called `{path}`");
            return Err(io::Error::new(ErrorKind::AlreadyExists, message));
        }
        let path = &in_a_file_name(path);
        self.make(path)?;
        let array = json!({
            "zarr_format": 2,
            "shape": shape,
            "chunks": shape,
            "dtype": kind,
            "compressor": { "id": "zlib", "level": LEVEL },
            "fill_value": null,
            "order": "C",
            "filters": null,
        });
        self.describe(path, ".zarray", array)?;
        let mut attributes = json!({ "_ARRAY_DIMENSIONS": names });
        if path
            .split_once('/')
            .is_some_and(|(_, written)| written != name)
        {
            attributes[NAME] = json!(name);
        }
        self.describe(path, ".zattrs", attributes)?;
        // a number has one chunk too
        let chunk = vec!["0"; dims.len().max(1)].join(".");
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(LEVEL));
        encoder.write_all(&bytes)?;
        self.put(&format!("{path}/{chunk}"), &encoder.finish()?)
    }

    pub(super) fn has_array(&self, path: &str) -> bool {
        let path = in_a_file_name(path);
        self.metadata.contains_key(&format!("{path}/.zarray"))
    }

    /// Moves the folder to its place; one that is there is kept until then.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let metadata = std::mem::take(&mut self.metadata);
        let mut all = json!({ "zarr_consolidated_format": 1, "metadata": metadata });
        // readers look at the first two; who adds an array writes this file anew, without the list
        all[FILES] = json!(self.files);
        self.put(METADATA, all.to_string().as_bytes())?;
        let placed = self.take_place();
        placed.map_err(|error| at(&self.place, &error))?;
        self.is_finished = true;
        Ok(())
    }

    /// Takes the place of a folder that is there, which comes back after an error.
    fn take_place(&self) -> io::Result<()> {
        if !self.place.exists() {
            return fs::rename(&self.folder, &self.place);
        }
        let old = self.folder.with_extension("old");
        fs::rename(&self.place, &old)?;
        match fs::rename(&self.folder, &self.place) {
            Ok(()) => fs::remove_dir_all(old),
            Err(error) => {
                // the first error is the one to report
                let _ = fs::rename(old, &self.place);
                Err(error)
            }
        }
    }

    fn describe(&mut self, path: &str, file: &str, content: Value) -> io::Result<()> {
        let key = if path.is_empty() {
            file.to_owned()
        } else {
            format!("{path}/{file}")
        };
        self.put(&key, content.to_string().as_bytes())?;
        self.metadata.insert(key, content);
        Ok(())
    }

    /// A folder within the store; an error names the place of the store.
    fn make(&self, path: &str) -> io::Result<()> {
        fs::create_dir(self.folder.join(path)).map_err(|error| at(&self.place, &error))
    }

    /// A file within the store; an error names the place of the store.
    fn put(&mut self, path: &str, bytes: &[u8]) -> io::Result<()> {
        self.files.push(path.to_owned());
        fs::write(self.folder.join(path), bytes).map_err(|error| at(&self.place, &error))
    }
}

/// Something at `place` that no [`Store`] wrote; `None` if all was, or nothing is there.
fn of_others(place: &Path) -> Option<PathBuf> {
    let read = fs::read(place.join(METADATA)).ok();
    let all: Option<Value> = read.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    let listed = all.and_then(|all| serde_json::from_value(all[FILES].clone()).ok());
    let mut ours: Vec<String> = listed.unwrap_or_default();
    if !ours.is_empty() {
        ours.push(METADATA.to_owned());
    }
    let ours: BTreeSet<PathBuf> = ours.iter().map(|path| place.join(path)).collect();
    first_other(place, &ours)
}

/// The first file at or within `path` that is not in the list.
fn first_other(path: &Path, ours: &BTreeSet<PathBuf>) -> Option<PathBuf> {
    if !path.is_dir() {
        let is_other = path.symlink_metadata().is_ok() && !ours.contains(path);
        return is_other.then(|| path.to_owned());
    }
    let Ok(entries) = fs::read_dir(path) else {
        // it cannot be looked into
        return Some(path.to_owned());
    };
    let mut paths = entries.map(|entry| entry.map_or_else(|_| path.to_owned(), |e| e.path()));
    paths.find_map(|path| first_other(&path, ours))
}

impl Drop for Store {
    fn drop(&mut self) {
        if !self.is_finished {
            // the error that ended the writing is the one to report
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}
