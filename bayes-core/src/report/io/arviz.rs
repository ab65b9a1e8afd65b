//! Draws and their statistics in the schema of ArviZ, as a Zarr folder.

use super::zarr::{Numbers, Store};
use crate::dist::Shape;
use crate::run::{Group, Run, Variable, VariableKind};
use serde_json::json;
use std::io;
use std::path::Path;

impl Run {
    /// Writes draws and statistics to a folder that ArviZ, xarray and other readers of Zarr open:
    ///
    /// ```python
    /// data = arviz.InferenceData.from_datatree(xarray.open_datatree("schools.zarr", engine="zarr"))
    /// arviz.plot_trace(data, var_names=["mu"])
    /// ```
    ///
    /// (`arviz.from_zarr` does the same with zarr 2.) The groups are those of ArviZ's schema: `posterior` has an array `[chain, draw, ..]` for each quantity, `sample_stats` has `lp`
    /// (log prior with the Jacobian, plus log likelihood) and, for chains, `acceptance_rate`, `energy`, `n_steps`, `tree_depth` and
    /// `diverging`. A sampler without trajectories has no `energy`.
    ///
    /// Dimensions that have names ([`Run::with_dims`]) are the dimensions and coordinates of the arrays.
    ///
    /// ArviZ knows no weights. So the draws of islands, and of any run with weights, are resampled to as many equal ones: each draw is there as often
    /// as its weight says, up to one more or less, and all form one chain.
    ///
    /// # Errors
    /// Of the system; [`AlreadyExists`](io::ErrorKind::AlreadyExists) if there is something at `path`. What was written until then is
    /// beside it, in a folder whose name ends in `.part`.
    pub fn to_arviz(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let mut store = Store::create(path.as_ref())?;
        let attributes = json!({
            "created_by": format!("bayes {}", self.version),
            "inference_library": "bayes",
            "inference_library_version": self.version,
            "model": self.model,
            "engine": self.engine,
            "seed": self.seed,
            "resampled_by_weight": !self.is_chains(),
        });
        let table = Table::of(self);
        store.group("posterior", attributes.clone())?;
        table.write_coordinates(&mut store, "posterior")?;
        for variable in &self.layout.variables {
            table.write_variable(&mut store, variable)?;
        }
        store.group("sample_stats", attributes)?;
        table.write_coordinates(&mut store, "sample_stats")?;
        table.write_statistics(&mut store)?;
        store.finish()
    }
}

/// The draws to be written: for each its group and its place there.
struct Table<'a> {
    run: &'a Run,
    chains: usize,
    draws: usize,
    rows: Vec<(&'a Group, usize)>,
}

impl<'a> Table<'a> {
    fn of(run: &'a Run) -> Self {
        let elements = run.layout.elements();
        let all = run.groups.iter().flat_map(|group| {
            let length = group.len(elements);
            (0..length).map(move |draw| (group, draw))
        });
        if run.is_chains() {
            // chains that a merge has put together may differ in length: all are cut to that of the shortest
            let draws = run.draws_per_group();
            return Self {
                run,
                chains: run.groups.len(),
                draws,
                rows: all.filter(|(_, draw)| *draw < draws).collect(),
            };
        }
        let all: Vec<(&Group, usize)> = all.collect();
        let rows = repeated(&run.draw_weights(), all.len());
        Self {
            run,
            chains: 1,
            draws: all.len(),
            rows: rows.into_iter().map(|row| all[row]).collect(),
        }
    }

    /// The dimensions of an array with these further ones.
    fn dims(&self, more: &[(String, usize)]) -> Vec<(String, usize)> {
        let own = [
            ("chain".to_owned(), self.chains),
            ("draw".to_owned(), self.draws),
        ];
        own.into_iter().chain(more.iter().cloned()).collect()
    }

    fn write_coordinates(&self, store: &mut Store, group: &str) -> io::Result<()> {
        for dim in self.dims(&[]) {
            let numbers = Numbers::Whole((0..dim.1 as i64).collect());
            store.array(&format!("{group}/{}", dim.0), &[dim], numbers)?;
        }
        Ok(())
    }

    fn write_variable(&self, store: &mut Store, variable: &Variable) -> io::Result<()> {
        let lengths = match variable.shape {
            Shape::Scalar => Vec::new(),
            Shape::Vector(n) => vec![n],
            Shape::Matrix(rows, columns) => vec![rows, columns],
        };
        if lengths.contains(&0) || self.draws == 0 {
            return Ok(());
        }
        let name = |i: usize| match variable.dims.get(i) {
            Some(dim) => dim.name.clone(),
            None => format!("{}_dim_{i}", variable.name),
        };
        let lengths = lengths.into_iter().enumerate();
        let more: Vec<(String, usize)> = lengths.map(|(i, n)| (name(i), n)).collect();
        for (i, dim) in more.iter().enumerate() {
            let places = match variable.dims.get(i) {
                Some(dim) => Numbers::Names(dim.places.clone()),
                None => Numbers::Whole((0..dim.1 as i64).collect()),
            };
            // quantities may share a dimension
            let path = format!("posterior/{}", dim.0);
            if !store.has_array(&path) {
                store.array(&path, std::slice::from_ref(dim), places)?;
            }
        }
        let elements = self.run.layout.elements();
        let values = self.rows.iter().flat_map(|(group, draw)| {
            group.draws[draw * elements..(draw + 1) * elements][variable.range()]
                .iter()
                .copied()
        });
        let numbers = match variable.kind {
            VariableKind::Discrete => Numbers::Whole(values.map(|value| value as i64).collect()),
            VariableKind::Continuous | VariableKind::Param | VariableKind::Deterministic => {
                Numbers::Real(values.collect())
            }
        };
        store.array(
            &format!("posterior/{}", variable.name),
            &self.dims(&more),
            numbers,
        )
    }

    fn write_statistics(&self, store: &mut Store) -> io::Result<()> {
        if self.draws == 0 {
            return Ok(());
        }
        let lp = self
            .rows
            .iter()
            .map(|(group, draw)| group.log_prior[*draw] + group.log_likelihood[*draw]);
        self.write_statistic(store, "lp", Numbers::Real(lp.collect()))?;
        if !self.run.is_chains() {
            return Ok(());
        }
        let acceptance = self.listed(|group| &group.statistics.acceptance);
        let energy = self.listed(|group| &group.statistics.energy);
        let steps = self.listed(|group| &group.statistics.leapfrogs);
        let depth = self.listed(|group| &group.statistics.depth);
        let diverging = self.listed(|group| &group.statistics.divergent);
        let whole = |steps: Vec<u64>| Numbers::Whole(steps.into_iter().map(|n| n as i64).collect());
        let deep = |depth: Vec<u32>| Numbers::Whole(depth.into_iter().map(i64::from).collect());
        let all = [
            ("acceptance_rate", acceptance.map(Numbers::Real)),
            ("energy", energy.map(Numbers::Real)),
            ("n_steps", steps.map(whole)),
            ("tree_depth", depth.map(deep)),
            ("diverging", diverging.map(Numbers::Flags)),
        ];
        for (name, numbers) in all {
            if let Some(numbers) = numbers {
                self.write_statistic(store, name, numbers)?;
            }
        }
        Ok(())
    }

    /// A statistic of every draw; `None` if some group does not have it.
    fn listed<T: Copy + 'a>(&self, list: impl Fn(&'a Group) -> &'a [T]) -> Option<Vec<T>> {
        let value = |(group, draw): &(&'a Group, usize)| list(group).get(*draw).copied();
        self.rows.iter().map(value).collect()
    }

    fn write_statistic(&self, store: &mut Store, name: &str, numbers: Numbers) -> io::Result<()> {
        store.array(&format!("sample_stats/{name}"), &self.dims(&[]), numbers)
    }
}

/// `count` places, each as often as its weight says, up to one more or less: systematic resampling from the middle of its
/// first step, so that the same run gives the same file.
fn repeated(weights: &[f64], count: usize) -> Vec<usize> {
    let total: f64 = weights.iter().sum();
    let (mut sum, mut rows) = (0.0, Vec::with_capacity(count));
    for (row, weight) in weights.iter().enumerate() {
        sum += weight / total;
        while rows.len() < count && (rows.len() as f64 + 0.5) < sum * count as f64 {
            rows.push(row);
        }
    }
    // rounding may leave the last one out
    let last = rows.last().copied().unwrap_or(0);
    rows.resize(count, last);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::Statistics;
    use crate::run::example::{chains, islands, normals};
    use serde_json::Value;
    use std::fs;
    use std::path::PathBuf;

    /// A place for the folder of one test, where there is nothing.
    fn place(name: &str) -> PathBuf {
        let place =
            std::env::temp_dir().join(format!("bayes-arviz-{name}-{}.zarr", std::process::id()));
        let _ = fs::remove_dir_all(&place);
        place
    }

    fn reals(file: PathBuf) -> Vec<f64> {
        let bytes = fs::read(file).expect("the array is there");
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
        let place = place("chains");
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
        let flags = fs::read(place.join("sample_stats/diverging/0.0")).expect("it is there");
        assert_eq!(flags, [0, 1, 0, 0, 1, 0]);
        // no trajectories, no energies
        assert!(!place.join("sample_stats/energy").exists());
        let all = json(place.join(".zmetadata"));
        assert_eq!(all["metadata"]["posterior/beta/.zarray"]["dtype"], "<f8");
        fs::remove_dir_all(place).expect("it was made here");
    }

    #[test]
    fn islands_are_resampled_by_their_weights() {
        let run = islands(&[0.0, 3f64.ln()], 8);
        let place = place("islands");
        run.to_arviz(&place).expect("the folder can be written");
        let written = reals(place.join("posterior/mu/0.0"));
        let of = |island: usize| -> Vec<f64> {
            run.groups[island]
                .draws
                .iter()
                .step_by(3)
                .copied()
                .collect()
        };
        let count = |island: usize| written.iter().filter(|mu| of(island).contains(mu)).count();
        // a quarter and three quarters of 16
        assert_eq!((count(0), count(1)), (4, 12));
        fs::remove_dir_all(place).expect("it was made here");
    }

    #[test]
    fn nothing_is_overwritten() {
        let (run, place) = (chains(1, 2), place("twice"));
        run.to_arviz(&place).expect("the folder can be written");
        let error = run.to_arviz(&place).expect_err("it is there");
        assert_eq!(error.kind(), io::ErrorKind::AlreadyExists);
        fs::remove_dir_all(place).expect("it was made here");
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
        for group in &mut run.groups {
            let acceptance = normals(3, 100);
            group.statistics = Statistics {
                energy: normals(4, 100),
                leapfrogs: vec![7; 100],
                depth: vec![3; 100],
                divergent: acceptance.iter().map(|x| *x > 2.0).collect(),
                acceptance,
            };
        }
        let place = place("python");
        let table = place.with_extension("csv");
        run.to_arviz(&place).expect("the folder can be written");
        let file = fs::File::create(&table).expect("the folder can be written");
        run.to_csv(file).expect("the folder can be written");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/read_by_arviz.py");
        let mut command = std::process::Command::new(python);
        let status = command.arg(script).arg(&place).arg(&table).status();
        assert!(status.expect("BAYES_PYTHON is a program").success());
        fs::remove_dir_all(place).expect("it was made here");
        fs::remove_file(table).expect("it was made here");
    }

    #[test]
    fn weights_are_met_up_to_one() {
        let weights = [0.05, 0.5, 0.0, 0.45];
        let rows = repeated(&weights, 40);
        let count = |row| rows.iter().filter(|found| **found == row).count();
        assert_eq!([0, 1, 2, 3].map(count), [2, 20, 0, 18]);
        assert_eq!(repeated(&[1.0; 5], 5), [0, 1, 2, 3, 4]);
    }
}
