//! The command `export`: draws for other programs.

use crate::command::required;
use crate::output;
use crate::task::Outcome;
use bayes_core::Error;
use bayes_core::run::{FileError, Run};
use clap::ArgMatches;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// Whether the format also holds data and predictions, which need the model.
pub(crate) fn needs_model(matches: &ArgMatches) -> bool {
    ending(&required(matches, "out")) == "zarr"
}

fn ending(path: &Path) -> String {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    ending.to_string_lossy().into_owned()
}

/// Writes the draws in the format of the path's ending.
pub(crate) fn draws(matches: &ArgMatches) -> Result<Outcome, Error> {
    let run = Run::load(required(matches, "run"))?;
    let out: PathBuf = required(matches, "out");
    let file = || output::create(&out);
    match ending(&out).as_str() {
        "csv" => run.to_csv(file()?)?,
        "json" => run.to_json(file()?)?,
        "" => drop(run.to_cmdstan(&out)?),
        #[cfg(feature = "parquet")]
        "parquet" => bayes_data::Parquet.save(&run, &out)?,
        _ => {
            return Err(Error::File(FileError::System {
                path: out.display().to_string(),
                action: "written",
                message: format!(
                    "its ending is none of .csv, .json, .zarr{}, and not empty",
                    match cfg!(feature = "parquet") {
                        true => ", .parquet",
                        false => "",
                    }
                ),
                kind: ErrorKind::InvalidInput,
            }));
        }
    }
    Ok(Outcome::of(String::new()))
}
