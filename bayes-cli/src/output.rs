//! Files and streams that a program writes.

use crate::words::spoken;
use bayes_core::Error;
use bayes_core::report::in_words;
use bayes_core::run::{FileError, Run};
use clap::ArgMatches;
use std::fs::{self, File};
use std::io::{ErrorKind, IsTerminal, Write, stderr, stdout};
use std::path::{Path, PathBuf};

/// Writes to standard output, in the words of the command line. A closed reader, such as `head`, is not an error.
pub(crate) fn print(text: &str) -> Result<(), Error> {
    let mut out = stdout().lock();
    match out
        .write_all(in_words(text, spoken).as_bytes())
        .and_then(|()| out.flush())
    {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}

/// A run in words, with a small histogram of each element for people at a terminal.
pub(crate) fn shown(run: &Run) -> String {
    match stdout().is_terminal() {
        true => format!("{run:#}\n"),
        false => format!("{run}\n"),
    }
}

/// Like [`shown`], for a run with only some of its quantities.
pub(crate) fn shown_in_part(run: &Run) -> String {
    format!(
        "{}\nonly these quantities were checked; `summary` without `--only` checks all\n",
        shown(run).trim_end()
    )
}

/// Writes a line to standard error, in the words of the command line, if possible.
pub(crate) fn complain(text: &str) {
    let _ = writeln!(stderr(), "{}", spoken(text));
}

/// The file of the result, checked to be writable.
pub(crate) fn file(matches: &ArgMatches) -> Result<Option<PathBuf>, Error> {
    let out = matches.get_one::<PathBuf>("out").cloned();
    out.map(checked).transpose()
}

/// A path, checked to be writable.
pub(crate) fn checked(path: PathBuf) -> Result<PathBuf, Error> {
    check(&path)?;
    Ok(path)
}

/// The folder of checkpoints, which need not exist yet.
pub(crate) fn checkpoint(matches: &ArgMatches) -> Result<Option<PathBuf>, Error> {
    let Some(path) = matches.get_one::<PathBuf>("checkpoint") else {
        return Ok(None);
    };
    match path.is_file() {
        false => Ok(Some(path.clone())),
        true => Err(Error::File(FileError::System {
            path: path.display().to_string(),
            action: "written",
            message: "it is a file; name a folder".to_owned(),
            kind: ErrorKind::NotADirectory,
        })),
    }
}

/// Checks that a file can be written, before hours of work whose result goes there.
fn check(path: &Path) -> Result<(), Error> {
    let refused = |error: std::io::Error| unwritten(path, &error);
    if path.is_dir() {
        return Err(refused(ErrorKind::IsADirectory.into()));
    }
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.try", std::process::id()));
    let probe = PathBuf::from(name);
    File::create(&probe).map_err(refused)?;
    fs::remove_file(&probe).map_err(refused)
}

fn unwritten(path: &Path, error: &std::io::Error) -> Error {
    FileError::system(path, "written", error).into()
}

/// Writes a text to a file.
pub(crate) fn write(path: &Path, text: &str) -> Result<(), Error> {
    fs::write(path, text).map_err(|error| unwritten(path, &error))
}

/// Creates a file, for a writer with its own buffer.
pub(crate) fn create(path: &Path) -> Result<File, Error> {
    File::create(path).map_err(|error| unwritten(path, &error))
}
