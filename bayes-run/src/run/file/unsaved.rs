//! The file of a run whose result could not be written: its groups in any order, then the rest of the run, and the
//! offset of the rest.
//!
//! ```text
//!           groups in MessagePack, perhaps with others between them that count no more
//!           the rest in MessagePack: the run without groups, and the places of the groups
//! 8 bytes   the length of the rest, little endian
//! 4 bytes   CRC-32 of the rest, little endian
//! 8 bytes   "unsaved."
//! ```

use super::outline::Place;
use super::{decoded, part};
use crate::codec;
use crate::error::FileError;
use crate::run::Run;
use crc32fast::Hasher;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

/// Extension of the file's name.
pub(super) const EXTENSION: &str = "unsaved";
const MARK: [u8; 8] = *b"unsaved.";
/// Bytes after the rest of the run.
const TAIL: u64 = 20;

/// The run without its groups.
#[derive(Serialize, Deserialize)]
pub(super) struct Rest {
    pub(super) run: Run,
    pub(super) groups: Vec<Place>,
}

/// Writes the rest of the run behind the groups, which end at `end`.
pub(super) fn end(file: &mut File, end: u64, run: Run, groups: Vec<Place>) -> io::Result<()> {
    let rest = codec::encode(&Rest { run, groups })?;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    file.write_all(&rest)?;
    file.write_all(&(rest.len() as u64).to_le_bytes())?;
    file.write_all(&crc32fast::hash(&rest).to_le_bytes())?;
    file.write_all(&MARK)?;
    file.sync_all()
}

/// Whether the name of a file has this extension.
pub(in crate::run) fn is_named(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == EXTENSION)
}

/// The error for a file that is not a run. It says so if the file is an unfinished one of this kind.
pub(super) fn explained(path: &Path, error: FileError) -> FileError {
    match error {
        FileError::Foreign { path: named, .. } if is_named(path) && !is_whole(path) => {
            FileError::Unfinished { path: named }
        }
        error => error,
    }
}

/// The rest of the run in a file of this kind; `None` for other files.
pub(super) fn rest(path: &Path) -> Option<Rest> {
    let mut file = File::open(path).ok()?;
    let (place, checksum) = outline(&mut file)?;
    let rest = part(&mut file, place).ok()?;
    let is_whole = crc32fast::hash(&rest) == checksum;
    is_whole.then(|| decoded(path, &rest).ok()).flatten()
}

/// Whether this is a whole file of this kind, perhaps of another version. The rest of the run, which may be long, is
/// not decoded.
pub(super) fn is_whole(path: &Path) -> bool {
    let whole = || {
        let mut file = File::open(path).ok()?;
        let (place, checksum) = outline(&mut file)?;
        file.seek(SeekFrom::Start(place.start)).ok()?;
        let mut hashed = Hashed(Hasher::new());
        io::copy(&mut file.take(place.end - place.start), &mut hashed).ok()?;
        Some(hashed.0.finalize() == checksum)
    };
    whole().unwrap_or(false)
}

/// Range and checksum of the rest of the run, from the last bytes.
fn outline(file: &mut File) -> Option<(Range<u64>, u32)> {
    let length = file.metadata().ok()?.len();
    let end = length.checked_sub(TAIL)?;
    let tail = part(file, end..length).ok()?;
    let (size, tail) = tail.split_first_chunk()?;
    let (checksum, mark) = tail.split_first_chunk()?;
    if mark != MARK {
        return None;
    }
    let start = end.checked_sub(u64::from_le_bytes(*size))?;
    Some((start..end, u32::from_le_bytes(*checksum)))
}

struct Hashed(Hasher);

impl Write for Hashed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// The error that names the file, after the reason.
pub(super) fn told(own: &Path, message: String) -> FileError {
    FileError::Unsaved {
        kept: own.display().to_string(),
        message,
    }
}
