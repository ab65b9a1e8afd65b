//! A folder of arrays in the Zarr format, version 2, which Python, R and Julia read.
//!
//! An array is a file of metadata and a file of numbers, in one chunk that is compressed by zlib, which every reader knows; draws that
//! would fill the memory are in several chunks. This writer, and the reader for its files, cost less compile time than a library for the whole format.

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

/// The level of compression: higher levels take longer and save little for numbers in double precision.
const LEVEL: u32 = 1;

/// The type of numbers in double precision.
const REAL: &str = "<f8";
/// The attribute with the original name of an array that is written under another name; plots of xarray show it.
const NAME: &str = "long_name";
/// The file of all metadata.
const METADATA: &str = ".zmetadata";
/// Key in the metadata: the list of the files that were written.
const FILES: &str = "bayes_files";

/// The contents of an array, the last index fastest.
#[derive(Debug)]
pub(super) enum Numbers {
    /// Numbers in double precision.
    Real(Vec<f64>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Booleans.
    Flags(Vec<bool>),
    /// Text.
    Names(Vec<String>),
}

impl Numbers {
    /// The name of the type, and the bytes.
    fn encode(self) -> (String, Vec<u8>) {
        let (kind, bytes) = match self {
            Self::Real(values) => (REAL, values.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Self::Whole(values) => ("<i8", values.iter().flat_map(|v| v.to_le_bytes()).collect()),
            Self::Flags(values) => ("|b1", values.into_iter().map(u8::from).collect()),
            Self::Names(values) => return encode_names(&values),
        };
        (kind.to_owned(), bytes)
    }
}

/// Texts of one length in UTF-32, padded with zeros.
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

/// `group/name` with characters that a file name can have: the name of data may be an expression, such as `y / scale`.
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

/// A folder that is being written. It appears at its final path when it is finished, and not before.
pub(super) struct Store {
    place: PathBuf,
    /// Path beside the final path, until the folder is finished.
    folder: PathBuf,
    is_finished: bool,
    /// A copy of all metadata, so that a reader opens one file.
    metadata: Map<String, Value>,
    /// The paths of the files that were written.
    files: Vec<String>,
}

impl Store {
    /// # Errors
    /// If there is something at `place` that no [`Store`] wrote, such as a file that a user added to it, or its parent folder does not
    /// exist.
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

    /// Writes an array `group/name` with the names and lengths of its dimensions. If the model uses another name, that name becomes an
    /// attribute.
    pub(super) fn array(
        &mut self,
        path: &str,
        name: &str,
        dims: &[(String, usize)],
        numbers: Numbers,
    ) -> io::Result<()> {
        let (kind, bytes) = numbers.encode();
        let chunk = dims.iter().map(|(_, length)| *length).collect();
        self.header((path, name), dims, &kind, chunk)?;
        // the array of a single number has one chunk too
        self.chunk(path, &vec![0; dims.len().max(1)], &bytes)
    }

    /// Begins an array of numbers in double precision whose first two dimensions are chains and draws, in chunks of this number of draws
    /// of one chain. [`Store::draws`] writes each of them.
    pub(super) fn array_in_parts(
        &mut self,
        path: &str,
        name: &str,
        dims: &[(String, usize)],
        draws: usize,
    ) -> io::Result<()> {
        let lengths = dims.iter().map(|(_, length)| *length);
        let chunk = [1, draws].into_iter().chain(lengths.skip(2)).collect();
        self.header((path, name), dims, REAL, chunk)
    }

    /// Writes chunk `part` of the draws of a chain, `[draws, ..]` with `dims` dimensions in the array; a chunk at the end of a chain is
    /// filled up to `length` numbers.
    pub(super) fn draws(
        &mut self,
        path: &str,
        dims: usize,
        [chain, part]: [usize; 2],
        (mut values, length): (Vec<f64>, usize),
    ) -> io::Result<()> {
        values.resize(length, 0.0);
        let mut place = vec![0; dims];
        (place[0], place[1]) = (chain, part);
        self.chunk(path, &place, &Numbers::Real(values).encode().1)
    }

    /// The metadata of an array of elements of this kind, in chunks of these lengths.
    fn header(
        &mut self,
        (path, name): (&str, &str),
        dims: &[(String, usize)],
        kind: &str,
        chunk: Vec<usize>,
    ) -> io::Result<()> {
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
            "chunks": chunk,
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
        self.describe(path, ".zattrs", attributes)
    }

    /// Writes the bytes of the chunk at this place.
    fn chunk(&mut self, path: &str, place: &[usize], bytes: &[u8]) -> io::Result<()> {
        let place: Vec<String> = place.iter().map(usize::to_string).collect();
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(LEVEL));
        encoder.write_all(bytes)?;
        let path = format!("{}/{}", in_a_file_name(path), place.join("."));
        self.put(&path, &encoder.finish()?)
    }

    pub(super) fn has_array(&self, path: &str) -> bool {
        let path = in_a_file_name(path);
        self.metadata.contains_key(&format!("{path}/.zarray"))
    }

    /// Moves the folder to its final path; an existing folder is kept until then.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let metadata = std::mem::take(&mut self.metadata);
        let mut all = json!({ "zarr_consolidated_format": 1, "metadata": metadata });
        // readers look at the first two keys; a program that adds an array rewrites this file, without the list
        all[FILES] = json!(self.files);
        self.put(METADATA, all.to_string().as_bytes())?;
        let placed = self.take_place();
        placed.map_err(|error| at(&self.place, &error))?;
        self.is_finished = true;
        Ok(())
    }

    /// Replaces an existing folder, which is restored after an error.
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

/// A path at `place` that no [`Store`] wrote; `None` if there is no such path.
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
        // the folder cannot be read
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
