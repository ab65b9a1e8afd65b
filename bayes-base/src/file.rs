//! Binary files that are whole or absent. Each is written beside its final path, synchronised with the disk and renamed. On
//! reading, a checksum shows whether the bytes are unchanged.
//!
//! ```text
//! 8 bytes   89 "bayes" 0d 0a; text mode would change it
//! 8 bytes   what the file holds, in ASCII
//!           the content in MessagePack; lists of numbers are binary, 8 bytes each, little endian
//! 4 bytes   CRC-32 of all bytes before, little endian
//! ```

use crate::codec;
use crate::error::FileError;
use crc32fast::Hasher;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A `Run`.
    Run,
    /// A part of the state of an unfinished run.
    Checkpoint,
    /// An `Elpd`; the number in its tag is the number of its format.
    Elpd,
}

const MAGIC: [u8; 8] = *b"\x89bayes\r\n";
/// Bytes before and after the content.
pub const HEAD: usize = 16;
pub const CHECKSUM: usize = 4;
/// Extension of a file that has not been renamed yet.
pub const UNFINISHED: &str = ".part";

impl Kind {
    fn tag(self) -> [u8; 8] {
        match self {
            Self::Run => *b"run     ",
            Self::Checkpoint => *b"state   ",
            Self::Elpd => *b"elpd 1  ",
        }
    }

    fn in_words(self) -> &'static str {
        match self {
            Self::Run => "a run that `Run::save` wrote",
            Self::Checkpoint => "the state of a run that goes on",
            Self::Elpd => {
                "an expected log predictive density that `Elpd::save` of this version wrote"
            }
        }
    }
}

/// Writes a file. An existing file is replaced, and is unchanged after an error.
///
/// # Errors
/// [`FileError::System`].
pub fn write<T: Serialize + ?Sized>(path: &Path, kind: Kind, content: &T) -> Result<(), FileError> {
    write_by(path, kind, |out| codec::write(out, content))
}

/// Like [`write`], with a function that writes the content.
pub fn write_by(
    path: &Path,
    kind: Kind,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    let beside = || -> io::Result<()> {
        let (file, name) = create_beside(path)?;
        let placed = fill(file, kind, content).and_then(|()| fs::rename(&name, path));
        if placed.is_err() {
            // the first error is the one to report
            let _ = fs::remove_file(&name);
        }
        placed?;
        sync_folder(path)
    };
    beside().map_err(|error| FileError::system(path, "written", &error))
}

/// Checks that [`write`] can make a file without a loss: there is no file, it is empty, or it is of the same kind.
///
/// # Errors
/// [`FileError::System`] if the folder takes no files, or if the path is a folder; [`FileError::Occupied`].
pub fn may_write(path: &Path, kind: Kind) -> Result<(), FileError> {
    let beside = || -> io::Result<()> {
        if path.is_dir() {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        fs::remove_file(create_beside(path)?.1)
    };
    beside().map_err(|error| FileError::system(path, "written", &error))?;
    may_replace(path, kind)
}

fn may_replace(path: &Path, kind: Kind) -> Result<(), FileError> {
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
    if !is_file {
        return Ok(());
    }
    let mut head = [0; HEAD];
    let read = File::open(path).and_then(|mut file| file.read_exact(&mut head));
    // a file that is shorter, or cannot be read, is not of this library
    if read.is_ok() && check_head(path, kind, &head).is_ok() {
        return Ok(());
    }
    Err(FileError::Occupied {
        path: path.display().to_string(),
        wanted: kind.in_words(),
    })
}

/// The content of a file.
///
/// # Errors
/// [`FileError::System`], [`FileError::Foreign`] if the file is of another kind, [`FileError::Damaged`].
pub fn read(path: &Path, kind: Kind) -> Result<Content, FileError> {
    let bytes = fs::read(path).map_err(|error| FileError::system(path, "read", &error))?;
    check_head(path, kind, &bytes)?;
    let path = path.display().to_string();
    let content = Content { path, bytes };
    let checked = content.bytes.split_last_chunk::<CHECKSUM>();
    let fits = checked.is_some_and(|(bytes, checksum)| {
        bytes.len() >= HEAD && crc32fast::hash(bytes) == u32::from_le_bytes(*checksum)
    });
    match fits {
        true => Ok(content),
        false => Err(content.damaged(CHANGED.to_owned())),
    }
}

/// The message about damage.
pub const CHANGED: &str = "its checksum does not fit, so it was cut or changed";

/// # Errors
/// [`FileError::Foreign`] unless the first bytes mark a file of this kind.
pub fn check_head(path: &Path, kind: Kind, bytes: &[u8]) -> Result<(), FileError> {
    if bytes.starts_with(&[MAGIC, kind.tag()].concat()) {
        return Ok(());
    }
    Err(FileError::Foreign {
        path: path.display().to_string(),
        wanted: kind.in_words(),
    })
}

/// The content of a file with a matching checksum.
pub struct Content {
    path: String,
    bytes: Vec<u8>,
}

impl Content {
    /// Decodes the content.
    ///
    /// # Errors
    /// [`FileError::Damaged`] if the content is of another type.
    pub fn decode<T: DeserializeOwned>(&self) -> Result<T, FileError> {
        let content = &self.bytes[HEAD..self.bytes.len() - CHECKSUM];
        codec::decode(content).map_err(|error| self.damaged(error.to_string()))
    }

    pub fn damaged(&self, reason: String) -> FileError {
        FileError::Damaged {
            path: self.path.clone(),
            reason,
        }
    }
}

/// Locks an open file against other processes, as long as this process lives. The error names `what`, which the file stands for,
/// if another process has the lock.
///
/// # Errors
/// [`FileError::InUse`], [`FileError::System`].
pub fn lock(file: &File, path: &Path, what: &Path) -> Result<(), FileError> {
    match file.try_lock() {
        Ok(()) => Ok(()),
        Err(TryLockError::WouldBlock) => Err(FileError::InUse {
            path: what.display().to_string(),
        }),
        // Some network file systems have no locks. Two processes of the same run would write the same bytes.
        Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => Ok(()),
        Err(TryLockError::Error(error)) => Err(FileError::system(path, "locked", &error)),
    }
}

/// A new file in the folder of `path`, and its name.
fn create_beside(path: &Path) -> io::Result<(File, PathBuf)> {
    static NUMBER: AtomicU64 = AtomicU64::new(0);
    let name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?;
    loop {
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let mut own = name.to_owned();
        own.push(format!(".{}-{number}{UNFINISHED}", std::process::id()));
        let own = path.with_file_name(own);
        let mut options = OpenOptions::new();
        match options.read(true).write(true).create_new(true).open(&own) {
            // a killed process, or one on another machine, left the file
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            created => return Ok((created?, own)),
        }
    }
}

fn fill(
    file: File,
    kind: Kind,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut out = Hashed {
        out: BufWriter::with_capacity(1 << 16, file),
        hasher: Hasher::new(),
        failed: None,
    };
    out.write_all(&MAGIC)?;
    out.write_all(&kind.tag())?;
    if let Err(error) = content(&mut out) {
        // the serializer's error lacks the system's reason, such as a full disk
        return Err(out.failed.unwrap_or(error));
    }
    let Hashed {
        mut out, hasher, ..
    } = out;
    out.write_all(&hasher.finalize().to_le_bytes())?;
    out.into_inner()?.sync_all()
}

/// A writer that hashes the bytes, and keeps the first error.
struct Hashed<W> {
    out: W,
    hasher: Hasher,
    failed: Option<io::Error>,
}

impl<W: Write> Write for Hashed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes).inspect_err(|error| {
            let told = match error.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(error.kind(), error.to_string()),
            };
            self.failed.get_or_insert(told);
        })?;
        self.hasher.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Makes the new name of a file survive a loss of power.
fn sync_folder(path: &Path) -> io::Result<()> {
    // other systems cannot open folders
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
