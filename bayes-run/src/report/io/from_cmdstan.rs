//! Draws from the CSV files of CmdStan.

mod columns;
mod file;

use super::foreign::{self, Maker};
use crate::error::Error;
use crate::run::{Group, Run, TableError};
use columns::Quantity;
use file::ChainFile;
use std::path::Path;

impl Run {
    /// With the feature `io`: reads CSV files in CmdStan's format, one for each chain, from CmdStan, CmdStanPy, or [`Run::to_cmdstan`].
    ///
    /// ```text
    /// let run = Run::from_cmdstan(["schools_1.csv", "schools_2.csv"])?;
    /// println!("{run}");
    /// ```
    ///
    /// Summaries, diagnostics, warnings and pictures work as for chains made here. The files lack the positions, the model and its data,
    /// so the run predicts nothing. `lp__` stands for the log prior, with a log likelihood of 0. Saved draws of the warm-up are left out.
    ///
    /// # Errors
    /// [`Error::Table`] with the file, and the line and the column if they are known: the file cannot be read, has no draws, has other
    /// columns than the first file, or was not written by a sampling method; a cell is not a number; a row has another length; or a
    /// quantity has more than two dimensions.
    pub fn from_cmdstan<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Self, Error> {
        let files = paths.into_iter().map(|path| ChainFile::read(path.as_ref()));
        Self::of_chains(&files.collect::<Result<Vec<_>, _>>()?)
    }

    fn of_chains(files: &[ChainFile]) -> Result<Self, Error> {
        let Some(first) = files.first() else {
            return Err(Error::Run(crate::run::RunError::NoGroups));
        };
        if let Some(other) = files.iter().find(|file| file.columns != first.columns) {
            let reason = format!("its columns differ from `{}`", first.name);
            return Err(other.refused(reason).into());
        }
        let quantities = Quantity::all(&first.columns).map_err(|reason| first.refused(reason))?;
        let group = |(index, file): (usize, &ChainFile)| group(index as u64, file, &quantities);
        let groups = files.iter().enumerate().map(group).collect();
        let variables = quantities.iter().map(|q| q.variable.clone()).collect();
        let run = origin(first).run(variables, groups);
        run.validate()?;
        Ok(run)
    }
}

/// What the first file says about its run.
fn origin(first: &ChainFile) -> Maker {
    let setting = |name: &str| first.settings.get(name).map(String::as_str);
    let is_nuts = setting("engine") == Some("nuts");
    let kept = [("num_warmup", "burn_in"), ("thin", "thin")];
    let settings = kept
        .into_iter()
        .filter_map(|(theirs, ours)| Some((ours.to_owned(), setting(theirs)?.to_owned())));
    Maker {
        model: setting("model").unwrap_or("cmdstan").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        kernel: if is_nuts { "nuts" } else { "cmdstan" }.to_owned(),
        settings: settings.collect(),
        seed: setting("seed")
            .and_then(|seed| seed.parse().ok())
            .unwrap_or(0),
        read_from: "read from files of CmdStan",
    }
}

/// The chain in a file.
fn group(index: u64, file: &ChainFile, quantities: &[Quantity]) -> Group {
    let elements: Vec<usize> = quantities.iter().flat_map(|q| q.columns.clone()).collect();
    let rows = || file.values.chunks_exact(file.columns.len());
    let draws = rows().flat_map(|row| elements.iter().map(|column| row[*column]));
    let list = |name: &str| -> Vec<f64> {
        let column = file.columns.iter().position(|column| column == name);
        column.map_or_else(Vec::new, |column| rows().map(|row| row[column]).collect())
    };
    let log_density = list("lp__");
    let names = [
        "accept_stat__",
        "energy__",
        "n_leapfrog__",
        "treedepth__",
        "divergent__",
    ];
    let statistics = foreign::statistics(names.map(list));
    let draws = (draws.collect(), rows().count());
    let limit = file.number("max_depth");
    foreign::chain(index, draws, log_density, statistics, limit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::Shape;
    use crate::run::example::nuts_chains;

    fn folder() -> tempfile::TempDir {
        tempfile::tempdir().expect("the system has a folder for temporary files")
    }

    /// The run read from a file with this text.
    fn read(text: &str) -> Result<Run, Error> {
        let folder = folder();
        let path = folder.path().join("draws.csv");
        std::fs::write(&path, text).expect("it can be written");
        Run::from_cmdstan([path])
    }

    const STAN: &str = "# stan_version_major = 2\n# model = m\n# method = sample (Default)\n#   sample (Default)\n\
        #     num_samples = 2\n#     num_warmup = 2\n#     save_warmup = true\n#     thin = 1 (Default)\n\
        #     algorithm = hmc (Default)\n#       hmc\n#         engine = nuts (Default)\n#           nuts\n\
        #             max_depth = 3\n# random\n#   seed = 7\n\
        lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__,mu,w.1.1,w.2.1,w.1.2,w.2.2\n\
        -9,0,1,0,1,1,1,9,9,9,9,9\n-9,0,1,0,1,1,1,9,9,9,9,9\n\
        # Adaptation terminated\n# Step size = 0.5\n# Diagonal elements of inverse mass matrix:\n# 1, 1, 1, 1, 1\n\
        -1.5,0.75,0.5,3,7,0,2.5,0.25,11,21,12,22\n-2.5,1,0.5,2,3,1,4.5,-inf,111,121,112,nan\n# \n#  Elapsed Time: 1 seconds\n";

    #[test]
    fn what_was_written_is_read_back() {
        let mut run = nuts_chains(3);
        run.kernel = "nuts".to_owned();
        let folder = folder();
        let path = folder.path().join("draws.csv");
        let paths = run.to_cmdstan(path).expect("it can be written");
        let back = Run::from_cmdstan(&paths).expect("it was just written");
        assert_eq!(back.layout.element_names(), run.layout.element_names());
        assert_eq!((back.model, back.seed), (run.model, run.seed));
        for (mine, theirs) in back.groups.iter().zip(&run.groups) {
            assert_eq!(
                (&mine.draws, &mine.statistics),
                (&theirs.draws, &theirs.statistics)
            );
            let density = theirs.log_prior.iter().zip(&theirs.log_likelihood);
            let density: Vec<f64> = density.map(|(a, b)| a + b).collect();
            assert_eq!(mine.log_prior, density);
            assert_eq!(mine.trajectories().map(|t| t.divergent), Some(1));
        }
    }

    #[test]
    fn a_file_of_stan_is_read_without_its_warm_up_and_matrices_by_rows() {
        let run = read(STAN).expect("it is a file of Stan");
        assert_eq!(
            (run.model.as_str(), run.kernel.as_str(), run.seed),
            ("m", "nuts", 7)
        );
        assert_eq!(run.layout.variables[1].shape, Shape::Matrix(2, 2));
        let draws = &run.groups[0].draws;
        assert_eq!(draws[..5], [0.25, 11.0, 12.0, 21.0, 22.0]);
        assert!(draws[5] == f64::NEG_INFINITY && draws[9].is_nan() && draws.len() == 10);
        let found = run.groups[0].trajectories().expect("it is NUTS");
        assert_eq!(
            (found.divergent, found.max_depth_hits, found.leapfrogs),
            (1, 1, 10)
        );
        assert_eq!(run.summary().rows.len(), 5);
    }

    #[test]
    fn what_is_no_file_of_draws_says_where() {
        let refused = |text: &str| read(text).expect_err("it is no file of draws").to_string();
        let text = refused("# thin = 1\nlp__,mu\n-1,2\n-1,two\n");
        assert!(
            text.contains("line 4, column `mu`: `two` is not a number"),
            "{text}"
        );
        let text = refused("lp__,mu\n-1\n");
        assert!(text.contains("line 2 has 1 of 2 columns"), "{text}");
        let text = refused("# thin = 1\n");
        assert!(text.contains("it has no draws"), "{text}");
        let text = refused("lp__,x.1.1.1\n-1,2\n");
        assert!(text.contains("`x` has 3 dimensions"), "{text}");
        let text = refused("lp__,x.1,x.3\n-1,2,3\n");
        assert!(
            text.contains("`x.3` stands where `x.2` is expected"),
            "{text}"
        );
        for last in ["18446744073709551615", "9999999999", "99999.99999"] {
            let text = refused(&format!("lp__,x.{last}\n-1,2\n"));
            assert!(text.contains("is expected"), "{text}");
        }
        let text = refused("lp__,w.1.1,w.2.1,w.1.2\n-1,2,3,4\n");
        assert!(
            text.contains("`w.2.1` stands where `w.1.2` is expected"),
            "{text}"
        );
        let text = refused("# method = optimize\nlp__,mu\n-1,2\n");
        assert!(text.contains("its method is `optimize`"), "{text}");
        let missing = Run::from_cmdstan(["nowhere.csv"]).expect_err("there is no such file");
        assert!(missing.to_string().contains("cannot be read"), "{missing}");
    }
}
