//! Locations of the groups of a run in its file.

use super::damaged;
use crate::error::FileError;
use crate::file::{self, CHANGED, CHECKSUM, HEAD, Kind};
use crc32fast::Hasher;
use serde::de::{DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use std::cell::RefCell;
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::ops::Range;
use std::path::Path;

/// The field of a run that lists its groups.
const GROUPS: &str = "groups";

/// Location of the list of groups, and of each group.
pub(super) struct Outline {
    pub(super) list: Range<u64>,
    pub(super) groups: Vec<Place>,
}

/// Location of a group in a file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Place {
    pub(super) index: u64,
    pub(super) bytes: Range<u64>,
    /// Checksum of the bytes of the group.
    pub(super) checksum: u32,
}

/// The fields of a group that are read to know its number; other formats may lack them.
#[derive(Deserialize)]
struct Numbered {
    index: Option<u64>,
}

impl Outline {
    /// Reads a file of `length` bytes once, to its end, where its checksum must match.
    pub(super) fn of(path: &Path, file: File, length: u64) -> Result<Self, FileError> {
        let system = |error: std::io::Error| FileError::system(path, "read", &error);
        let changed = || damaged(path, CHANGED.to_owned());
        let seen = RefCell::new(Seen::default());
        let mut bytes = Counted {
            from: BufReader::with_capacity(1 << 16, file),
            seen: &seen,
        };
        let mut head = Vec::with_capacity(HEAD);
        let whole = (&mut bytes).take(HEAD as u64).read_to_end(&mut head);
        whole.map_err(system)?;
        file::check_head(path, Kind::Run, &head)?;
        let mut content = rmp_serde::Deserializer::new(&mut bytes);
        let found = content.deserialize_map(Fields(&seen));
        let (_, end) = seen.borrow_mut().cut();
        if end + CHECKSUM as u64 != length {
            return Err(changed());
        }
        let hash = seen.borrow().all.clone().finalize();
        let mut checksum = [0; CHECKSUM];
        bytes.read_exact(&mut checksum).map_err(system)?;
        match found {
            Ok(found) if hash == u32::from_le_bytes(checksum) => Ok(found),
            _ => Err(changed()),
        }
    }
}

/// The part of a file that was read so far, in pieces that are hashed separately.
#[derive(Default)]
struct Seen {
    /// All bytes before the present piece.
    all: Hasher,
    piece: Hasher,
    place: u64,
}

impl Seen {
    /// Ends a piece: its checksum, and its end.
    fn cut(&mut self) -> (u32, u64) {
        let piece = std::mem::take(&mut self.piece);
        self.all.combine(&piece);
        (piece.finalize(), self.place)
    }
}

/// A reader that counts and hashes what it reads.
struct Counted<'a, R> {
    from: R,
    seen: &'a RefCell<Seen>,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.from.read(buffer)?;
        let mut seen = self.seen.borrow_mut();
        seen.piece.update(&buffer[..read]);
        seen.place += read as u64;
        Ok(read)
    }
}

/// Finds the list of groups among the fields of a run.
struct Fields<'a>(&'a RefCell<Seen>);

impl<'de> Visitor<'de> for Fields<'_> {
    type Value = Outline;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a run")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<Self::Value, A::Error> {
        let mut found = None;
        while let Some(field) = fields.next_key::<String>()? {
            if field == GROUPS {
                let start = self.0.borrow().place;
                let groups = fields.next_value_seed(Elements(self.0))?;
                let list = start..self.0.borrow().place;
                found = Some(Outline { list, groups });
            } else {
                fields.next_value::<IgnoredAny>()?;
            }
        }
        found.ok_or_else(|| serde::de::Error::missing_field(GROUPS))
    }
}

/// Finds the groups of a list.
struct Elements<'a>(&'a RefCell<Seen>);

impl<'de> DeserializeSeed<'de> for Elements<'_> {
    type Value = Vec<Place>;

    fn deserialize<D: Deserializer<'de>>(self, list: D) -> Result<Self::Value, D::Error> {
        list.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Elements<'_> {
    type Value = Vec<Place>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
        let mut groups = Vec::new();
        let (_, mut start) = self.0.borrow_mut().cut();
        while let Some(Numbered { index }) = list.next_element()? {
            let (checksum, end) = self.0.borrow_mut().cut();
            groups.push(Place {
                index: index.unwrap_or(u64::MAX),
                bytes: start..end,
                checksum,
            });
            start = end;
        }
        Ok(groups)
    }
}
