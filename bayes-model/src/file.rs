//! Binary files that are whole or absent: each is written beside its place, synchronised with the disk and renamed, and a checksum
//! tells when it is read whether it is what was written.
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

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A [`Run`](crate::run::Run).
    Run,
    /// A part of the state of a run that goes on.
    Checkpoint,
    /// An [`Elpd`](crate::comparison::Elpd); the number in its tag is that of the format.
    Elpd,
}

const MAGIC: [u8; 8] = *b"\x89bayes\r\n";
/// Bytes before and after the content.
pub const HEAD: usize = 16;
pub const CHECKSUM: usize = 4;
/// The end of the name of a file that is not yet in its place.
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

/// Writes a file; one that is there is replaced, and stays as it is after an error.
///
/// # Errors
/// [`FileError::System`].
pub fn write<T: Serialize + ?Sized>(path: &Path, kind: Kind, content: &T) -> Result<(), FileError> {
    write_by(path, kind, |out| codec::write(out, content))
}

/// As [`write`], with a content that is written by a function.
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

/// Checks that [`write`] can make a file, and that nothing is lost by it: there is none, it is empty, or it is of the same kind.
///
/// # Errors
/// [`FileError::System`] if the folder takes no files, or if there is a folder; [`FileError::Occupied`].
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
    // a file that is shorter, or cannot be read, is not ours
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
/// [`FileError::System`], [`FileError::Foreign`] if it holds something else, [`FileError::Damaged`].
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

/// How damage is told.
pub const CHANGED: &str = "its checksum does not fit, so it was cut or changed";

/// # Errors
/// [`FileError::Foreign`] unless the first bytes are those of a file of this kind.
pub fn check_head(path: &Path, kind: Kind, bytes: &[u8]) -> Result<(), FileError> {
    if bytes.starts_with(&[MAGIC, kind.tag()].concat()) {
        return Ok(());
    }
    Err(FileError::Foreign {
        path: path.display().to_string(),
        wanted: kind.in_words(),
    })
}

/// The content of a file whose checksum fits.
pub struct Content {
    path: String,
    bytes: Vec<u8>,
}

impl Content {
    /// Decodes it.
    ///
    /// # Errors
    /// [`FileError::Damaged`] if it is of another type.
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

/// Keeps other processes from an open file, as long as this one lives. `what` it stands for is named if another has it.
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
            // a process that was killed, or one of another machine, left it
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
        // what writes the content does not repeat the words of the system, such as that the disk is full
        return Err(out.failed.unwrap_or(error));
    }
    let Hashed {
        mut out, hasher, ..
    } = out;
    out.write_all(&hasher.finalize().to_le_bytes())?;
    out.into_inner()?.sync_all()
}

/// A writer that hashes what passes, and keeps the first error.
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
    // folders cannot be opened elsewhere
    if cfg!(unix) {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()?;
    }
    Ok(())
}
