//! The file of a run whose result could not be written: its groups in any order, then all else, and where that begins.
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
use crate::error::FileError;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

/// The end of its name.
pub(super) const EXTENSION: &str = "unsaved";
const MARK: [u8; 8] = *b"unsaved.";
/// Bytes after the rest.
const TAIL: u64 = 20;

/// All but the groups.
#[derive(Serialize, Deserialize)]
pub(super) struct Rest {
    pub(super) run: Run,
    pub(super) groups: Vec<Place>,
}

/// Writes the rest behind the groups, which end at `end`.
pub(super) fn end(file: &mut File, end: u64, run: Run, groups: Vec<Place>) -> io::Result<()> {
    let rest = rmp_serde::to_vec_named(&Rest { run, groups }).map_err(io::Error::other)?;
    file.set_len(end)?;
    file.seek(SeekFrom::Start(end))?;
    file.write_all(&rest)?;
    file.write_all(&(rest.len() as u64).to_le_bytes())?;
    file.write_all(&crc32fast::hash(&rest).to_le_bytes())?;
    file.write_all(&MARK)?;
    file.sync_all()
}

/// The rest of a file of this kind; `None` if it is none.
pub(super) fn rest(path: &Path) -> Option<Rest> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    let begin = length.checked_sub(TAIL)?;
    let tail = part(&mut file, begin..length).ok()?;
    let (size, tail) = tail.split_first_chunk()?;
    let (checksum, mark) = tail.split_first_chunk()?;
    if mark != MARK {
        return None;
    }
    let rest = begin.checked_sub(u64::from_le_bytes(*size))?;
    let rest = part(&mut file, rest..begin).ok()?;
    let is_whole = crc32fast::hash(&rest) == u32::from_le_bytes(*checksum);
    is_whole.then(|| decoded(path, &rest).ok()).flatten()
}

/// Whether it is a whole file of this kind.
pub(super) fn is_whole(path: &Path) -> bool {
    rest(path).is_some()
}

/// How it is told, after why.
pub(super) fn told(own: &Path, message: String) -> FileError {
    FileError::Unsaved {
        kept: own.display().to_string(),
        message,
    }
}
