//! Draws from the folders of [`Run::to_arviz`].

use super::arviz::unnamed;
use super::foreign::{self, Maker};
use super::zarr::{Numbers, Stored};
use crate::dist::Shape;
use crate::error::Error;
use crate::model::{Dim, Variable, VariableKind};
use crate::run::{FileError, Run, RunError, Statistics};
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::Path;

impl Run {
    /// With the feature `io`: reads the chains in a folder that [`Run::to_arviz`] or [`Run::to_arviz_with`] wrote: the groups `posterior` and `sample_stats`.
    ///
    /// ```text
    /// let run = Run::from_arviz("schools.zarr")?;
    /// println!("{run}");
    /// ```
    ///
    /// Draws, names of dimensions, statistics, summaries, diagnostics, warnings and pictures equal those of the original run. The folder
    /// lacks the positions, the model and its data, so the run predicts nothing. `lp` stands for the log prior, with a log likelihood of
    /// 0. [`Run::save`] and [`Run::load`] keep everything. Folders of other programs, which may have any chunks and compression, are not
    /// read.
    ///
    /// # Errors
    /// [`FileError::System`] if the folder cannot be read; [`FileError::Foreign`] if another program wrote it, or if its draws were
    /// resampled by their weights and so are neither chains nor the draws of the run; [`FileError::Damaged`] if files are missing or
    /// malformed.
    pub fn from_arviz(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        let store = Stored::open(path).map_err(RunError::from)?;
        Ok(read(&store, path)?)
    }
}

fn read(store: &Stored, path: &Path) -> Result<Run, RunError> {
    let origin = store.attributes("posterior");
    if origin["resampled_by_weight"] != 0 {
        return Err(RunError::from(FileError::Foreign {
            path: path.display().to_string(),
            wanted: "a run of chains: its draws were resampled by their weights, which `run.save(path)` keeps",
        }));
    }
    let [chains, draws] = samples(store)?;
    let quantities = quantities(store, [chains, draws])?;
    let statistics = statistics(store, [chains, draws])?;
    let log_density = reals(store, "lp", [chains, draws])?.unwrap_or_default();
    let group = |chain: usize| {
        let rows = chain * draws..(chain + 1) * draws;
        let values = rows
            .clone()
            .flat_map(|row| quantities.iter().map(move |q| q.row(row)));
        let values = (values.flatten().copied().collect(), draws);
        let density = log_density.get(rows.clone()).unwrap_or_default().to_vec();
        let statistics = of_chain(&statistics, rows);
        foreign::chain(chain as u64, values, density, statistics, None)
    };
    let groups = (0..chains).map(group).collect();
    let variables = quantities.iter().map(|q| q.variable.clone()).collect();
    let run = self::origin(origin).run(variables, groups);
    run.validate()?;
    Ok(run)
}

/// What the folder says about its run.
fn origin(attributes: &Value) -> Maker {
    let text = |name: &str| attributes[name].as_str().unwrap_or_default().to_owned();
    Maker {
        model: text("model"),
        version: text("inference_library_version"),
        kernel: text("engine"),
        settings: BTreeMap::new(),
        seed: attributes["seed"].as_u64().unwrap_or(0),
        read_from: "read from a folder of ArviZ's schema",
    }
}

/// The numbers of chains and of draws.
fn samples(store: &Stored) -> Result<[usize; 2], FileError> {
    let length = |name: &str| match store.dims(&format!("posterior/{name}"))?.as_slice() {
        [(_, length)] => Ok(*length),
        _ => Err(store.damaged(format!("`posterior/{name}` is no list"))),
    };
    Ok([length("chain")?, length("draw")?])
}

/// A quantity and its values, `[chains, draws, elements]`.
struct Quantity {
    variable: Variable,
    values: Vec<f64>,
}

impl Quantity {
    fn row(&self, draw: usize) -> &[f64] {
        let elements = self.variable.shape.elements();
        &self.values[draw * elements..(draw + 1) * elements]
    }
}

/// The arrays `[chain, draw, ..]` in the order in which they were written, which is the order of the run.
fn quantities(store: &Stored, samples: [usize; 2]) -> Result<Vec<Quantity>, FileError> {
    let (mut all, mut offset) = (Vec::new(), 0);
    for name in store.arrays("posterior") {
        let path = format!("posterior/{name}");
        let dims = store.dims(&path)?;
        let [(first, chains), (second, draws), rest @ ..] = dims.as_slice() else {
            continue;
        };
        if [first, second] != ["chain", "draw"] {
            continue;
        }
        let shape = match rest {
            [] => Shape::Scalar,
            [(_, n)] => Shape::Vector(*n),
            [(_, rows), (_, columns)] => Shape::Matrix(*rows, *columns),
            _ => return Err(store.damaged(format!("`{path}` has more than four dimensions"))),
        };
        if [*chains, *draws] != samples {
            return Err(store.damaged(format!(
                "`{path}` has other chains or draws than `posterior`"
            )));
        }
        let (kind, values) = match store.numbers(&path)? {
            // the coordinates of continuous quantities are not in the folder
            Numbers::Real(values) => (VariableKind::Deterministic, values),
            Numbers::Whole(values) => {
                let values = values.into_iter().map(|value| value as f64);
                (VariableKind::Discrete, values.collect())
            }
            _ => return Err(store.damaged(format!("`{path}` has no numbers"))),
        };
        let name = store.name("posterior", name);
        let variable = Variable {
            name: name.to_owned(),
            shape,
            kind,
            offset,
            dims: named_dims(store, name, rest)?,
            turns: Vec::new(),
            is_angle: false,
        };
        offset += shape.elements();
        all.push(Quantity { variable, values });
    }
    match all.is_empty() {
        true => Err(store.damaged("it has no draws".to_owned())),
        false => Ok(all),
    }
}

/// The dimensions with the names of their places; empty if the dimensions are named after the quantity, as unnamed ones are.
fn named_dims(
    store: &Stored,
    quantity: &str,
    dims: &[(String, usize)],
) -> Result<Vec<Dim>, FileError> {
    let is_plain = |(i, (name, _)): (usize, &(String, usize))| *name == unnamed(quantity, i);
    if dims.iter().enumerate().all(is_plain) {
        return Ok(Vec::new());
    }
    let dim = |(name, _): &(String, usize)| {
        Ok(match store.numbers(&format!("posterior/{name}"))? {
            Numbers::Real(places) => Dim::new(name, places),
            Numbers::Whole(places) => Dim::new(name, places),
            Numbers::Flags(places) => Dim::new(name, places),
            Numbers::Names(places) => Dim::new(name, places),
        })
    };
    dims.iter().map(dim).collect()
}

/// The statistics of all draws, chain by chain.
fn statistics(store: &Stored, samples: [usize; 2]) -> Result<Statistics, FileError> {
    let list = |name: &str| Ok(reals(store, name, samples)?.unwrap_or_default());
    Ok(foreign::statistics([
        list("acceptance_rate")?,
        list("energy")?,
        list("n_steps")?,
        list("tree_depth")?,
        list("diverging")?,
    ]))
}

/// The statistics of some draws.
fn of_chain(all: &Statistics, rows: std::ops::Range<usize>) -> Statistics {
    fn part<T: Clone>(list: &[T], rows: &std::ops::Range<usize>) -> Vec<T> {
        list.get(rows.clone()).unwrap_or_default().to_vec()
    }
    Statistics {
        acceptance: part(&all.acceptance, &rows),
        energy: part(&all.energy, &rows),
        leapfrogs: part(&all.leapfrogs, &rows),
        depth: part(&all.depth, &rows),
        divergent: part(&all.divergent, &rows),
    }
}

/// A list of `sample_stats`; `None` if it is missing.
fn reals(
    store: &Stored,
    name: &str,
    [chains, draws]: [usize; 2],
) -> Result<Option<Vec<f64>>, FileError> {
    let path = format!("sample_stats/{name}");
    if !store.arrays("sample_stats").contains(&name) {
        return Ok(None);
    }
    let values: Vec<f64> = match store.numbers(&path)? {
        Numbers::Real(values) => values,
        Numbers::Whole(values) => values.into_iter().map(|value| value as f64).collect(),
        Numbers::Flags(flags) => flags
            .into_iter()
            .map(|flag| f64::from(u8::from(flag)))
            .collect(),
        Numbers::Names(_) => return Err(store.damaged(format!("`{path}` has no numbers"))),
    };
    match values.len() == chains.saturating_mul(draws) {
        true => Ok(Some(values)),
        false => Err(store.damaged(format!("`{path}` has other draws than `posterior`"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example::{chains, islands, nuts_chains};
    use std::fs;
    use std::path::PathBuf;
    use tempfile::TempDir;

    /// A run with every part that is written: names of places, a discrete quantity, statistics.
    fn run() -> Run {
        let mut run = nuts_chains(3);
        run.layout.variables[0].kind = VariableKind::Discrete;
        run.layout.variables[1].shape = Shape::Matrix(1, 2);
        for group in &mut run.groups {
            group
                .draws
                .chunks_exact_mut(3)
                .for_each(|draw| draw[0] = draw[0].round() + 0.0);
        }
        let dims = [
            ("sex", vec!["all"]),
            ("school", vec!["Chöate", "Deerfield"]),
        ];
        run.with_dims("beta", dims).expect("one row of two")
    }

    /// The folder of a run.
    fn written(run: &Run) -> (TempDir, PathBuf) {
        let folder = tempfile::tempdir();
        let folder = folder.expect("the system has a folder for temporary files");
        let place = folder.path().join("run.zarr");
        run.to_arviz(&place).expect("the folder can be written");
        (folder, place)
    }

    fn refusal(place: &Path) -> String {
        let error = Run::from_arviz(place).expect_err("it cannot be read");
        error.to_string()
    }

    #[test]
    fn what_was_written_is_read_back() {
        let run = run();
        let (_folder, place) = written(&run);
        let back = Run::from_arviz(&place).expect("it was just written");
        let names = back.layout.element_names();
        assert_eq!(names, ["mu", "beta[all,Chöate]", "beta[all,Deerfield]"]);
        assert_eq!(back.layout.variables[1].dims, run.layout.variables[1].dims);
        assert_eq!(back.layout.variables[0].kind, VariableKind::Discrete);
        assert_eq!((&back.model, back.seed), (&run.model, run.seed));
        assert_eq!((&back.engine, &back.version), (&run.engine, &run.version));
        assert_eq!(back.groups.len(), 3);
        for (mine, theirs) in back.groups.iter().zip(&run.groups) {
            assert_eq!(mine.draws, theirs.draws);
            assert_eq!(mine.statistics, theirs.statistics);
            let density = theirs.log_prior.iter().zip(&theirs.log_likelihood);
            let density: Vec<f64> = density.map(|(a, b)| a + b).collect();
            assert_eq!(mine.log_prior, density);
            assert_eq!(mine.trajectories().map(|t| t.divergent), Some(1));
        }
        let rows = [&back, &run].map(|run| format!("{:?}", run.summary().rows));
        assert_eq!(rows[0], rows[1]);
        // the run that was read can be written, to the same files
        let (_other, again) = written(&back);
        let chunk = |place: &Path| fs::read(place.join("posterior/beta/0.0.0.0"));
        let both = [&place, &again].map(|place| chunk(place).expect("it is there"));
        assert!(both[0] == both[1]);
    }

    #[test]
    fn quantities_without_names_or_statistics_are_read_in_their_order() {
        let mut run = chains(2, 3);
        // in the order of the file system, `z` would come after `beta`
        run.layout.variables[0].name = "z".to_owned();
        let (_folder, place) = written(&run);
        let back = Run::from_arviz(&place).expect("it was just written");
        assert_eq!(back.layout.element_names(), ["z", "beta[0]", "beta[1]"]);
        assert!(back.layout.variables[1].dims.is_empty());
        assert_eq!(back.groups[1].draws, run.groups[1].draws);
        assert_eq!(back.groups[0].trajectories(), None);
    }

    #[test]
    fn what_is_no_folder_of_chains_says_why() {
        let (_folder, place) = written(&islands(&[0.0, 1.0], 8));
        let text = refusal(&place);
        assert!(text.contains("resampled by their weights"), "{text}");
        let (_folder, place) = written(&run());
        let text = refusal(&place.join("posterior"));
        assert!(text.contains("cannot be read"), "{text}");
        let metadata = place.join(".zmetadata");
        let text = fs::read_to_string(&metadata).expect("it was written");
        fs::write(&metadata, text.replace("bayes_files", "files")).expect("it is ours");
        let found = refusal(&place);
        assert!(found.contains("wrote"), "{found}");
        let other = text.replace("[3,4,1,2]", "[3,4,1,3]");
        fs::write(&metadata, other).expect("it is ours");
        let found = refusal(&place);
        assert!(found.contains("is not of 288 bytes"), "{found}");
        let many = text.replace("[3,4,1,2]", "[3,4,1,18446744073709551615]");
        fs::write(&metadata, many).expect("it is ours");
        assert!(refusal(&place).contains("is damaged"));
        fs::write(&metadata, text).expect("it is ours");
        let chunk = place.join("sample_stats/energy/0.0");
        fs::write(&chunk, b"no numbers").expect("it is ours");
        let found = refusal(&place);
        assert!(
            found.contains("is damaged") && found.contains("energy"),
            "{found}"
        );
        fs::remove_file(&chunk).expect("it is there");
        assert!(refusal(&place).contains("cannot be read"));
    }
}
