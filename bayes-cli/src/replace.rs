//! A file with the run of another command is not replaced unless the user says so.

use bayes_core::Error;
use bayes_core::density::LogDensity;
use bayes_core::engine::Engine;
use bayes_core::run::{FileError, Run, RunFile};
use std::io::ErrorKind;
use std::path::Path;

/// What tells the runs of different commands apart, before the work is done.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    model: String,
    /// A hash of the text of the model and of its data.
    fingerprint: String,
    engine: String,
    seed: u64,
    /// Whether it is a part of a run.
    is_part: bool,
}

impl Identity {
    /// That of a run that is there.
    pub(crate) fn of(run: &Run) -> Self {
        Self {
            model: run.model.clone(),
            fingerprint: run.fingerprint.clone(),
            engine: run.engine.clone(),
            seed: run.seed,
            is_part: run.part_of.is_some(),
        }
    }

    /// That of a run that is about to begin.
    pub(crate) fn to_be(engine: &dyn Engine, density: &dyn LogDensity) -> Self {
        let common = engine.common();
        Self {
            model: density.describe().name,
            fingerprint: format!("{:016x}", density.quantities().fingerprint()),
            engine: engine.name().to_owned(),
            seed: common.seed,
            is_part: common.shard.is_some(),
        }
    }

    /// In what `other` differs, in words: what it is, and what is wanted.
    fn difference(&self, other: &Self) -> Option<String> {
        let texts = [
            ("model", &other.model, &self.model),
            ("engine", &other.engine, &self.engine),
        ];
        let differing = texts.iter().find(|(_, found, wanted)| found != wanted);
        if let Some((what, found, wanted)) = differing {
            return Some(format!(
                "of the {what} `{found}`, and this is one of `{wanted}`"
            ));
        }
        if self.fingerprint != other.fingerprint {
            return Some("of other data, or of another text of the model".to_owned());
        }
        if self.seed != other.seed {
            return Some(format!(
                "with the seed {}, and this has {}",
                other.seed, self.seed
            ));
        }
        match (other.is_part, self.is_part) {
            (true, false) => Some("which is a part of one".to_owned()),
            (false, true) => Some("which is a whole one, and this is a part".to_owned()),
            _ => None,
        }
    }
}

/// Checks that a file has no run, or one that the same command made, perhaps longer or shorter.
///
/// # Errors
/// [`Error::File`] in words.
pub(crate) fn check(out: &Path, wanted: &Identity) -> Result<(), Error> {
    // a file that is damaged, or none, is nobody's work
    let Ok(file) = RunFile::open(out) else {
        return Ok(());
    };
    let Some(difference) = wanted.difference(&Identity::of(file.run())) else {
        return Ok(());
    };
    Err(Error::File(FileError::System {
        path: out.display().to_string(),
        action: "written",
        message: format!("it has a run {difference}; name another file, or say --replace"),
        kind: ErrorKind::AlreadyExists,
    }))
}

#[cfg(test)]
mod tests {
    use super::Identity;

    fn identity() -> Identity {
        Identity {
            model: "line".to_owned(),
            fingerprint: "00".to_owned(),
            engine: "nuts".to_owned(),
            seed: 1,
            is_part: false,
        }
    }

    #[test]
    fn runs_of_other_commands_are_told_apart() {
        let same = identity();
        assert_eq!(same.difference(&identity()), None);
        let others = [
            (
                Identity {
                    model: "curve".to_owned(),
                    ..identity()
                },
                "of the model `curve`, and this is one of `line`",
            ),
            (
                Identity {
                    fingerprint: "01".to_owned(),
                    ..identity()
                },
                "of other data, or of another text of the model",
            ),
            (
                Identity {
                    engine: "psmc".to_owned(),
                    ..identity()
                },
                "of the engine `psmc`, and this is one of `nuts`",
            ),
            (
                Identity {
                    seed: 2,
                    ..identity()
                },
                "with the seed 2, and this has 1",
            ),
            (
                Identity {
                    is_part: true,
                    ..identity()
                },
                "which is a part of one",
            ),
        ];
        for (other, words) in others {
            assert_eq!(same.difference(&other).as_deref(), Some(words));
        }
    }
}
