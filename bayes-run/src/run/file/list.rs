//! The list of groups of a file that is written.

use super::outline::Place;
use super::{EMPTY, RunFile};
use crate::codec;
use crate::file::{self, HEAD, Kind};
use crate::run::{Run, RunError};
use std::io;
use std::path::Path;

/// Writes a run without groups, then the groups with these numbers. `bytes_of` returns the bytes of a group by its place in the list. Its
/// errors are passed on unchanged.
pub(super) fn write(
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

/// All fields of a run up to its groups, which are its last field, and the number of groups that follow.
fn begin(run: &Run, groups: usize) -> io::Result<Vec<u8>> {
    let mut head = codec::encode(run)?;
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
