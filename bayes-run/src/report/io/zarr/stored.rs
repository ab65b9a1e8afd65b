//! A store that this library wrote, for reading.

use super::{FILES, METADATA, NAME, Numbers};
use crate::run::FileError;
use flate2::read::ZlibDecoder;
use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder of a store.
pub(in super::super) struct Stored {
    place: PathBuf,
    /// All metadata, by the path of their file.
    metadata: Value,
    /// The files in the order in which they were written.
    files: Vec<String>,
}

impl Stored {
    /// # Errors
    /// If the folder cannot be read, or this library did not write it.
    pub(in super::super) fn open(place: &Path) -> Result<Self, FileError> {
        let file = place.join(METADATA);
        let text = std::fs::read(&file);
        let text = text.map_err(|error| FileError::system(&file, "read", &error))?;
        let all = serde_json::from_slice::<Value>(&text).ok();
        let files = all.as_ref().and_then(|all| all[FILES].as_array());
        let files = files.map(|files| {
            let names = files.iter().filter_map(Value::as_str);
            names.map(str::to_owned).collect::<Vec<String>>()
        });
        match (all, files) {
            (Some(mut all), Some(files)) => Ok(Self {
                place: place.to_owned(),
                metadata: all["metadata"].take(),
                files,
            }),
            _ => Err(FileError::Foreign {
                path: place.display().to_string(),
                wanted: "a Zarr folder that `run.to_arviz(path)` wrote",
            }),
        }
    }

    /// The attributes of a group or an array.
    pub(in super::super) fn attributes(&self, path: &str) -> &Value {
        &self.metadata[format!("{path}/.zattrs")]
    }

    /// The names of the arrays of a group, in the order in which they were written.
    pub(in super::super) fn arrays(&self, group: &str) -> Vec<&str> {
        let files = self.files.iter().map(String::as_str);
        files
            .filter_map(|file| {
                file.strip_prefix(group)?
                    .strip_prefix('/')?
                    .strip_suffix("/.zarray")
            })
            .collect()
    }

    /// The name of an array in the model.
    pub(in super::super) fn name<'a>(&'a self, group: &str, array: &'a str) -> &'a str {
        let given = self.attributes(&format!("{group}/{array}"));
        given[NAME].as_str().unwrap_or(array)
    }

    /// The names and lengths of the dimensions of an array.
    ///
    /// # Errors
    /// If the dimensions are missing.
    pub(in super::super) fn dims(&self, path: &str) -> Result<Vec<(String, usize)>, FileError> {
        let names = self.attributes(path)["_ARRAY_DIMENSIONS"].as_array();
        let shape = self.metadata[format!("{path}/.zarray")]["shape"].as_array();
        let (Some(names), Some(shape)) = (names, shape) else {
            return Err(self.damaged(format!("`{path}` has no dimensions")));
        };
        let dim = |(name, length): (&Value, &Value)| {
            let length = usize::try_from(length.as_u64()?).ok()?;
            Some((name.as_str()?.to_owned(), length))
        };
        let dims: Option<Vec<_>> = names.iter().zip(shape).map(dim).collect();
        let dims = dims.filter(|dims| dims.len() == names.len() && dims.len() == shape.len());
        dims.ok_or_else(|| self.damaged(format!("`{path}` has dimensions that are no numbers")))
    }

    /// The elements of an array.
    ///
    /// # Errors
    /// If the file is missing, or has another number of elements than the array.
    pub(in super::super) fn numbers(&self, path: &str) -> Result<Numbers, FileError> {
        let dims = self.dims(path)?;
        let kind = self.metadata[format!("{path}/.zarray")]["dtype"].as_str();
        let kind = kind.unwrap_or("missing");
        let letters = kind
            .strip_prefix("<U")
            .and_then(|n| n.parse::<usize>().ok());
        let size = match (kind, letters) {
            ("<f8" | "<i8", _) => 8,
            ("|b1", _) => 1,
            (_, Some(letters)) if letters > 0 => letters.saturating_mul(4),
            _ => return Err(self.damaged(format!("`{path}` has elements of type {kind}"))),
        };
        let lengths = dims.iter().map(|dim| dim.1);
        let wanted = lengths.fold(size, usize::saturating_mul);
        let chunk = vec!["0"; dims.len().max(1)].join(".");
        let bytes = self.bytes(&self.place.join(path).join(chunk), wanted)?;
        let eight = |bytes: &[u8]| bytes.try_into().unwrap_or_default();
        let words = || bytes.chunks_exact(8).map(eight);
        Ok(match kind {
            "<f8" => Numbers::Real(words().map(f64::from_le_bytes).collect()),
            "<i8" => Numbers::Whole(words().map(i64::from_le_bytes).collect()),
            "|b1" => Numbers::Flags(bytes.iter().map(|byte| *byte != 0).collect()),
            _ => Numbers::Names(bytes.chunks_exact(size).map(name).collect()),
        })
    }

    /// The contents of a chunk, which must be `wanted` bytes.
    fn bytes(&self, file: &Path, wanted: usize) -> Result<Vec<u8>, FileError> {
        let refused = |error: &std::io::Error| FileError::system(file, "read", error);
        let compressed = std::fs::read(file).map_err(|error| refused(&error))?;
        let mut bytes = Vec::new();
        // one byte more than wanted shows that there are too many
        let most = (wanted as u64).saturating_add(1);
        let mut read = ZlibDecoder::new(compressed.as_slice()).take(most);
        match read.read_to_end(&mut bytes) {
            Ok(found) if found == wanted => Ok(bytes),
            Ok(_) => Err(self.damaged(format!("`{}` is not of {wanted} bytes", file.display()))),
            Err(error) => Err(self.damaged(format!("`{}`: {error}", file.display()))),
        }
    }

    /// The error for this folder.
    pub(in super::super) fn damaged(&self, reason: String) -> FileError {
        FileError::Damaged {
            path: self.place.display().to_string(),
            reason,
        }
    }
}

/// A text in UTF-32, padded with zeros.
fn name(bytes: &[u8]) -> String {
    let letters = bytes.chunks_exact(4).map(|letter| {
        let letter = u32::from_le_bytes(letter.try_into().unwrap_or_default());
        char::from_u32(letter).unwrap_or(char::REPLACEMENT_CHARACTER)
    });
    letters.take_while(|letter| *letter != '\0').collect()
}
