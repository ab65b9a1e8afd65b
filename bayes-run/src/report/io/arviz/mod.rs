//! Draws, predictions and data in the schema of ArviZ, as a Zarr folder.

mod group;
mod names;
mod with_model;

pub(super) use names::unnamed;

use super::equal_draws::EqualDraws;
use super::zarr::{Numbers, Store};
use crate::error::Error;
use crate::model::{Dim, Layout, Variable};
use crate::run::{Run, VariableKind};
use group::Group;
use names::Names;
use serde_json::{Value, json};
use std::io;
use std::path::Path;

impl Run {
    /// With the feature `io`: writes draws and statistics to a folder that ArviZ, xarray and other readers of Zarr open:
    ///
    /// ```python
    /// data = arviz.from_zarr("schools.zarr")
    /// arviz.plot_trace(data, var_names=["mu"])
    /// ```
    ///
    /// (With ArviZ 0.23 `arviz.InferenceData.from_datatree(xarray.open_datatree("schools.zarr", engine="zarr"))`; `data.to_netcdf("schools.nc")`
    /// makes a NetCDF file.) The groups follow ArviZ's schema. `posterior` has an array `[chain, draw, ..]` for each quantity. `sample_stats` has
    /// `lp` (log prior with the Jacobian, plus log likelihood) and, for chains, `acceptance_rate`, `energy`, `n_steps`, `tree_depth` and
    /// `diverging`. A sampler without trajectories has no `energy`. [`Run::to_arviz_with`] also writes data and predictions.
    ///
    /// Named dimensions ([`Run::with_dims`]) become the dimensions and coordinates of the arrays.
    ///
    /// ArviZ knows no weights. So the draws of islands, and of any run with weights, are resampled to at most 4000 equal draws in four
    /// chains ([`Arviz`] takes other numbers). Each draw occurs as often as its weight says, up to one more or less. The chains take
    /// turns, so that each is a sample of the whole. These draws have no order, so ArviZ's R-hat, effective sizes and their errors mean
    /// nothing: use the values of [`Run::summary`] for such a run.
    ///
    /// A folder that this library wrote is replaced, unless something was added to it. [`Run::from_arviz`] reads it back.
    ///
    /// A quantity named like a coordinate of the file, `chain` or `draw`, is written as `chain_` or `draw_`; [`Run::from_arviz`] restores
    /// its name.
    ///
    /// # Errors
    /// [`Error::Write`] with the system's error, or if there is something else at `path`, such as a file that was added to draws of this
    /// library. After an error nothing is changed.
    pub fn to_arviz(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        Arviz::new(self).save(path)
    }
}

/// Writes the files of [`Run::to_arviz`] with another number of draws.
///
/// ```no_run
/// # use bayes_run as bayes;
/// # fn example(run: &bayes::run::Run) -> Result<(), bayes::Error> {
/// use bayes::report::Arviz;
///
/// Arviz::new(run).draws(20_000).save("run.zarr")?; // and `save_with(&model, "run.zarr")`
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Arviz<'a> {
    run: &'a Run,
    /// Number of draws to resample by their weights.
    number: usize,
}

impl<'a> Arviz<'a> {
    /// The files of this run, with at most 4000 draws if they are resampled.
    #[must_use]
    pub fn new(run: &'a Run) -> Self {
        let number = EqualDraws::usual(run);
        Self { run, number }
    }

    /// Number of draws to write for a run with weights, in four chains: a multiple of four, or it is rounded down. If it exceeds the draws
    /// of the run, draws are repeated. The chains of MCMC are written unchanged.
    #[must_use]
    pub fn draws(self, number: usize) -> Self {
        Self { number, ..self }
    }

    /// Writes the files of [`Run::to_arviz`].
    ///
    /// # Errors
    /// [`Error::Setting`] without draws; the errors of [`Run::to_arviz`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
        self.check()?;
        let mut store = Store::create(path.as_ref())?;
        let names = Names::of(arrays_of(&self.run.layout));
        write_run((&mut store, &names), self.run, &self.equal_draws())?;
        Ok(store.finish()?)
    }

    fn check(&self) -> Result<(), Error> {
        Error::setting("draws", self.number, self.number >= 1, "at least 1")
    }

    fn equal_draws(&self) -> EqualDraws<'a> {
        EqualDraws::new(self.run, self.number)
    }
}

/// The attributes of a group about its origin. `is_resampled`: whether its draws were taken by their weights.
fn attributes(run: &Run, is_resampled: bool) -> Value {
    json!({
        "created_by": format!("bayes {}", run.version),
        "inference_library": "bayes",
        "inference_library_version": run.version,
        "model": run.model,
        "engine": run.engine,
        "seed": run.seed,
        // a number, because NetCDF has no booleans
        "resampled_by_weight": u8::from(is_resampled),
    })
}

/// Values of a discrete quantity as whole numbers, unless one of them is not whole.
fn numbers(values: Vec<f64>, is_discrete: bool) -> Numbers {
    // 2^53: up to here whole numbers are exact
    let is_whole = |value: &f64| value.fract() == 0.0 && value.abs() < 9_007_199_254_740_992.0;
    match is_discrete && values.iter().all(is_whole) {
        true => Numbers::Whole(values.into_iter().map(|value| value as i64).collect()),
        false => Numbers::Real(values),
    }
}

/// The arrays of a layout: their names, numbers of dimensions, and named dimensions.
fn arrays_of(layout: &Layout) -> impl Iterator<Item = (&str, usize, &[Dim])> {
    let of = |v: &'_ Variable| v.shape.lengths().len();
    let variables = layout.variables.iter();
    variables.map(move |v| (v.name.as_str(), of(v), v.dims.as_slice()))
}

/// The groups `posterior` and `sample_stats`.
fn write_run(
    (store, names): (&mut Store, &Names),
    run: &Run,
    draws: &EqualDraws<'_>,
) -> io::Result<()> {
    let (samples, attributes) = (
        [draws.chains, draws.each],
        attributes(run, !run.is_chains()),
    );
    let mut posterior = Group::of_draws((store, names), "posterior", samples, attributes.clone())?;
    let elements = run.layout.elements();
    for variable in &run.layout.variables {
        let values = draws.rows.iter().flat_map(|(group, draw)| {
            group.draws[draw * elements..(draw + 1) * elements][variable.range()]
                .iter()
                .copied()
        });
        let numbers = numbers(values.collect(), variable.kind == VariableKind::Discrete);
        let lengths = variable.shape.lengths();
        posterior.array(&variable.name, &lengths, &variable.dims, numbers)?;
    }
    let mut statistics = Group::of_draws((store, names), "sample_stats", samples, attributes)?;
    for (name, numbers) in statistics_of(run, draws) {
        statistics.array(name, &[], &[], numbers)?;
    }
    Ok(())
}

/// The statistics that the draws have.
fn statistics_of(run: &Run, draws: &EqualDraws<'_>) -> Vec<(&'static str, Numbers)> {
    let mut all = vec![("lp", Numbers::Real(draws.log_densities()))];
    if !run.is_chains() {
        return all;
    }
    let acceptance = draws.listed(|group| &group.statistics.acceptance);
    let energy = draws.listed(|group| &group.statistics.energy);
    let steps = draws.listed(|group| &group.statistics.leapfrogs);
    let depth = draws.listed(|group| &group.statistics.depth);
    let diverging = draws.listed(|group| &group.statistics.divergent);
    let whole = |steps: Vec<u64>| Numbers::Whole(steps.into_iter().map(|n| n as i64).collect());
    let deep = |depth: Vec<u32>| Numbers::Whole(depth.into_iter().map(i64::from).collect());
    let known = [
        ("acceptance_rate", acceptance.map(Numbers::Real)),
        ("energy", energy.map(Numbers::Real)),
        ("n_steps", steps.map(whole)),
        ("tree_depth", depth.map(deep)),
        ("diverging", diverging.map(Numbers::Flags)),
    ];
    all.extend(
        known
            .into_iter()
            .filter_map(|(name, numbers)| Some((name, numbers?))),
    );
    all
}

#[cfg(test)]
mod tests {
    use super::with_model::{Array, series};
    use super::*;
    use crate::dist::Shape;
    use crate::model::Observations;
    use crate::run::example::{chains, islands, normals, of_chain, stage};
    use crate::run::{Group, Statistics};
    use serde_json::Value;
    use std::fs;
    use std::io::Read;
    use std::path::PathBuf;
    use tempfile::TempDir;

    /// An empty folder for one test, and a place in it.
    fn place() -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir();
        let folder = folder.expect("the system has a folder for temporary files");
        let place = folder.path().join("run.zarr");
        (folder, place)
    }

    /// The bytes of a compressed chunk.
    fn bytes(file: PathBuf) -> Vec<u8> {
        let compressed = fs::read(file).expect("the array is there");
        let mut bytes = Vec::new();
        let mut reader = flate2::read::ZlibDecoder::new(compressed.as_slice());
        reader.read_to_end(&mut bytes).expect("it is zlib");
        bytes
    }

    fn reals(file: PathBuf) -> Vec<f64> {
        let bytes = bytes(file);
        let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        bytes.chunks_exact(8).map(number).collect()
    }

    fn json(file: PathBuf) -> Value {
        serde_json::from_slice(&fs::read(file).expect("it is there")).expect("it is JSON")
    }

    #[test]
    fn chains_keep_their_draws_and_statistics() {
        let mut run = chains(2, 3);
        for group in &mut run.groups {
            group.statistics.divergent = vec![false, true, false];
        }
        let (_folder, place) = place();
        run.to_arviz(&place).expect("the folder can be written");
        let beta = place.join("posterior/beta");
        let wanted = |group: &Group| {
            group
                .draws
                .chunks_exact(3)
                .flat_map(|d| d[1..].to_vec())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            reals(beta.join("0.0.0")),
            run.groups.iter().flat_map(wanted).collect::<Vec<_>>()
        );
        assert_eq!(json(beta.join(".zarray"))["shape"], json!([2, 3, 2]));
        let dims = &json(beta.join(".zattrs"))["_ARRAY_DIMENSIONS"];
        assert_eq!(*dims, json!(["chain", "draw", "beta_dim_0"]));
        let flags = bytes(place.join("sample_stats/diverging/0.0"));
        assert_eq!(flags, [0, 1, 0, 0, 1, 0]);
        // no trajectories, no energies
        assert!(!place.join("sample_stats/energy").exists());
        let all = json(place.join(".zmetadata"));
        assert_eq!(all["metadata"]["posterior/beta/.zarray"]["dtype"], "<f8");
    }

    #[test]
    fn islands_are_resampled_by_their_weights() {
        let run = islands(&[0.0, 3f64.ln()], 8);
        let (_folder, place) = place();
        run.to_arviz(&place).expect("the folder can be written");
        let written = reals(place.join("posterior/mu/0.0"));
        assert_eq!(written.len(), 16);
        let of = |island: usize| -> Vec<f64> {
            run.groups[island]
                .draws
                .iter()
                .step_by(3)
                .copied()
                .collect()
        };
        let count = |island: usize| written.iter().filter(|mu| of(island).contains(mu)).count();
        // a quarter and three quarters of the 16 draws
        assert_eq!((count(0), count(1)), (4, 12));
    }

    /// Seen to detect a chunk that begins at the wrong draw, and one of the next chain.
    #[test]
    fn draws_that_fill_the_memory_are_written_in_chunks() {
        let (_folder, place) = place();
        let array = || Array {
            name: "y",
            lengths: vec![3],
            dims: &[],
            is_discrete: true,
            place: 0,
            of: |found| &found.draws,
        };
        let at = |rows: std::ops::Range<usize>| {
            let one = |row: usize| Observations {
                draws: vec![row as f64, 0.5, -(row as f64)],
                ..Observations::default()
            };
            rows.map(|row| vec![one(row)]).collect::<Vec<_>>()
        };
        let written = |room: usize| {
            let mut store = Store::create(&place).expect("the folder can be written");
            let names = Names::of(std::iter::empty());
            let group = (&mut store, &names);
            let group = crate::report::io::arviz::group::Group::of_draws(
                group,
                "posterior_predictive",
                [2, 5],
                json!({}),
            );
            let group = group.expect("the folder can be written");
            series(group, ([2, 5], room), &[array()], at).expect("the folder can be written");
            store.finish().expect("the folder can be written");
            place.join("posterior_predictive/y")
        };
        let all = reals(written(usize::MAX).join("0.0.0"));
        assert_eq!(all[27..], [9.0, 0.5, -9.0]);
        // two draws of 24 bytes
        let parts = written(50);
        assert_eq!(json(parts.join(".zarray"))["chunks"], json!([1, 2, 3]));
        for chain in 0..2 {
            for part in 0..3 {
                let chunk = reals(parts.join(format!("{chain}.{part}.0")));
                let first = chain * 15 + part * 6;
                let mut wanted = all[first..(first + 6).min(chain * 15 + 15)].to_vec();
                // the last chunk of a chain is filled up
                wanted.resize(6, 0.0);
                assert_eq!(chunk, wanted, "{chain}.{part}");
            }
        }
    }

    #[test]
    fn resampled_draws_are_few_unless_more_are_wanted() {
        let run = islands(&[0.0, 3f64.ln()], 3000);
        let (_folder, place) = place();
        let shape = || json(place.join("posterior/mu/.zarray"))["shape"].clone();
        run.to_arviz(&place).expect("the folder can be written");
        assert_eq!(shape(), json!([4, 1000]));
        let all = Arviz::new(&run).draws(6000);
        all.save(&place).expect("it was written before");
        assert_eq!(shape(), json!([4, 1500]));
        let none = Arviz::new(&run).draws(0).save(&place);
        assert!(
            none.expect_err("no draws")
                .to_string()
                .contains("at least 1")
        );
        assert_eq!(shape(), json!([4, 1500]));
    }

    #[test]
    fn what_this_library_wrote_is_replaced_and_nothing_else() {
        let (run, (folder, place)) = (chains(1, 2), place());
        run.to_arviz(&place).expect("the folder can be written");
        chains(1, 5).to_arviz(&place).expect("it is ours");
        assert_eq!(
            json(place.join("posterior/mu/.zarray"))["shape"],
            json!([1, 5])
        );
        let beside = fs::read_dir(folder.path()).expect("it is there");
        assert_eq!(beside.count(), 1);
        let refused = || run.to_arviz(&place).expect_err("it is not ours");
        // an array that a user added
        let added = place.join("posterior/log_mu");
        fs::create_dir(&added).expect("it can be made");
        fs::write(added.join(".zarray"), "{}").expect("it can be written");
        let message = refused().to_string();
        assert!(message.contains("did not write"), "{message}");
        assert!(message.contains("log_mu"), "{message}");
        assert!(added.join(".zarray").exists());
        fs::remove_dir_all(added).expect("it was made here");
        run.to_arviz(&place).expect("all is ours again");
        fs::write(place.join(".zmetadata"), "{}").expect("it can be written");
        let wanted = "remove it, or choose another name";
        assert!(refused().to_string().contains(wanted));
        fs::remove_dir_all(&place).expect("it was made here");
        fs::write(&place, "notes").expect("it can be written");
        assert!(refused().to_string().contains(wanted));
        assert_eq!(fs::read_to_string(&place).expect("it is there"), "notes");
        fs::remove_file(&place).expect("it was made here");
    }

    /// With `BAYES_PYTHON` set to a Python that has ArviZ and zarr, ArviZ reads the draws back.
    #[test]
    fn arviz_reads_the_draws_back() {
        let Ok(python) = std::env::var("BAYES_PYTHON") else {
            println!("skipped: BAYES_PYTHON is not set");
            return;
        };
        let mut run = chains(4, 100);
        run.layout.variables[1].shape = Shape::Matrix(1, 2);
        let dims = [
            ("sex", vec!["all"]),
            ("school", vec!["Chöate", "Deerfield"]),
        ];
        let mut run = run.with_dims("beta", dims).expect("one row of two");
        run.kernel = "nuts".to_owned();
        for group in &mut run.groups {
            of_chain(group).history = vec![stage(1.0, 1)];
            let acceptance = normals(3, 100);
            group.statistics = Statistics {
                energy: normals(4, 100),
                leapfrogs: vec![7; 100],
                depth: vec![3; 100],
                divergent: acceptance.iter().map(|x| *x > 1.0).collect(),
                acceptance,
            };
        }
        let (_folder, place) = place();
        let table = place.with_extension("csv");
        run.to_arviz(&place).expect("the folder can be written");
        let file = fs::File::create(&table).expect("the folder can be written");
        run.to_csv(file).expect("the folder can be written");
        let files = run
            .to_cmdstan(place.with_extension(""))
            .expect("the folder can be written");
        let folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
        let mut scripts = folders.map(|folder| folder.join("bayes-core/tests/read_by_arviz.py"));
        let script = scripts.find(|script| script.exists());
        let script = script.expect("the tests run where their sources are");
        let mut command = std::process::Command::new(python);
        let command = command.arg(script).arg(&place).arg(&table).args(&files);
        let output = command.output().expect("BAYES_PYTHON is a program");
        let [said, errors] =
            [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
        assert!(output.status.success(), "{errors}");
        // `mu` and two elements of `beta` in four chains of 100 draws
        let wanted = "compared 1200 values";
        assert!(said.lines().any(|line| line == wanted), "{said}{errors}");
    }
}
