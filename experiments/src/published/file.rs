//! A posterior with its data, checks and reference, read from a file with the numbers of posteriordb.

use flate2::read::GzDecoder;
use nalgebra::DMatrix;
use serde_json::Value;
use std::io::Read;
use std::path::Path;

/// One file.
pub struct Problem {
    /// The name of the file.
    pub name: &'static str,
    file: Value,
}

/// A posterior mean and standard deviation, with their errors if they were estimated.
#[derive(Clone, Copy, Debug)]
pub struct Moments {
    /// The posterior mean.
    pub mean: f64,
    /// The posterior standard deviation.
    pub sd: f64,
    /// The standard error of the mean; 0 if it is exact.
    pub mean_se: f64,
    /// The standard error of the standard deviation; 0 if it is exact.
    pub sd_se: f64,
}

/// Values with known log prior and log likelihood.
pub struct Point {
    /// The elements of every random quantity by its name.
    pub values: Vec<(String, Vec<f64>)>,
    /// The log prior, up to the same constant as the model's.
    pub log_prior: f64,
    /// The log likelihood.
    pub log_likelihood: f64,
}

impl Problem {
    /// Reads the file `name` from `folder`, or the shipped copy.
    ///
    /// # Errors
    /// A description of the fault in the file.
    pub fn read(folder: Option<&str>, name: &'static str) -> Result<Self, String> {
        let text = match folder {
            Some(folder) => read_file(&Path::new(folder).join(format!("{name}.json")))?,
            None => unpack(shipped(name)),
        };
        match serde_json::from_str(&text) {
            Ok(file) => Ok(Self { name, file }),
            Err(error) => Err(format!("`{name}.json`: {error}")),
        }
    }

    /// Reads the shipped copy.
    ///
    /// # Panics
    /// If `name` is not in [`NAMES`].
    #[must_use]
    pub fn shipped(name: &'static str) -> Self {
        Self::read(None, name).expect("the shipped file is whole")
    }

    /// A number among the data.
    pub fn number(&self, field: &str) -> f64 {
        self.get::<f64>(field)
    }

    /// A list of numbers among the data.
    pub fn vector(&self, field: &str) -> Vec<f64> {
        self.get(field)
    }

    /// A list of zeros and ones among the data.
    pub fn flags(&self, field: &str) -> Vec<bool> {
        self.vector(field).iter().map(|y| *y != 0.0).collect()
    }

    /// A list of rows among the data.
    pub fn rows(&self, field: &str) -> Vec<Vec<f64>> {
        self.get(field)
    }

    /// A list of rows among the data, as a matrix.
    pub fn matrix(&self, field: &str) -> DMatrix<f64> {
        let rows = self.rows(field);
        DMatrix::from_fn(rows.len(), rows[0].len(), |i, k| rows[i][k])
    }

    /// The trials of `dogs`: earlier avoidances and earlier shocks of the same dog, and whether it was shocked.
    pub fn trials_of_dogs(&self) -> (DMatrix<f64>, Vec<bool>) {
        let trials = self.rows("y");
        let shocks = |dog: usize, t: usize| trials[dog][..t].iter().sum::<f64>();
        let length = trials[0].len();
        let place = |i: usize| (i / length, i % length);
        let x = Self::design(
            trials.len() * length,
            [
                &|i| place(i).1 as f64 - shocks(place(i).0, place(i).1),
                &|i| shocks(place(i).0, place(i).1),
            ],
        );
        (x, trials.concat().iter().map(|y| *y != 0.0).collect())
    }

    /// The homes of `radon`: uranium and floor of each, and its county from 0.
    pub fn homes(&self) -> (DMatrix<f64>, Vec<usize>) {
        let (uranium, floor) = (self.vector("log_uppm"), self.vector("floor_measure"));
        let x = DMatrix::from_fn(uranium.len(), 2, |i, k| [uranium[i], floor[i]][k]);
        let county = self.vector("county_idx");
        (x, county.iter().map(|j| *j as usize - 1).collect())
    }

    /// Indices and values of the observations in a list with gaps.
    pub fn seen(&self, field: &str) -> (Vec<usize>, Vec<f64>) {
        let all: Vec<Option<f64>> = self.get(field);
        let seen = all.into_iter().enumerate();
        seen.filter_map(|(t, y)| Some((t, y?))).unzip()
    }

    /// A column of ones, and the functions `columns` of the index.
    pub fn design<const K: usize>(
        rows: usize,
        columns: [&dyn Fn(usize) -> f64; K],
    ) -> DMatrix<f64> {
        DMatrix::from_fn(rows, K + 1, |i, k| match k {
            0 => 1.0,
            _ => columns[k - 1](i),
        })
    }

    /// The log evidence, for proper priors.
    pub fn log_evidence(&self) -> Option<f64> {
        self.file["exact"]["log_evidence"].as_f64()
    }

    /// The reference moments by the names of the library's elements; exact moments if available.
    ///
    /// # Panics
    /// If the file has none.
    pub fn moments(&self) -> Vec<(String, Moments)> {
        let reference = object(&self.file["reference"]);
        let entry = |(name, drawn): (&String, &Value)| {
            let exact = &self.file["exact"]["params"][name];
            let number = |key: &str| exact[key].as_f64().or_else(|| drawn[key].as_f64());
            let error = |key: &str| {
                if exact.is_object() {
                    0.0
                } else {
                    drawn[key].as_f64().unwrap_or(0.0)
                }
            };
            let moments = Moments {
                mean: number("mean").expect("every reference has a mean"),
                sd: number("sd").expect("every reference has a standard deviation"),
                mean_se: error("mean_se"),
                sd_se: error("sd_se"),
            };
            (self.renamed(&from_zero(name)), moments)
        };
        reference.iter().map(entry).collect()
    }

    /// The points at which the densities are known.
    ///
    /// # Panics
    /// If the file has none.
    pub fn points(&self) -> Vec<Point> {
        let checks = self.file["logp_checks"]
            .as_array()
            .expect("a list of points");
        checks.iter().map(|check| self.point(check)).collect()
    }

    fn point(&self, check: &Value) -> Point {
        let values = object(&check["params"]).iter().flat_map(|(name, value)| {
            let elements = elements(value);
            match (self.name, name.as_str()) {
                ("hmm_example-hmm_example", "mu") => vec![
                    ("low".to_owned(), vec![elements[0]]),
                    ("high".to_owned(), vec![elements[1]]),
                ],
                _ => vec![(name.clone(), elements)],
            }
        });
        Point {
            values: values.collect(),
            log_prior: check["log_prior"].as_f64().expect("a number"),
            log_likelihood: check["log_likelihood"].as_f64().expect("a number"),
        }
    }

    /// The name of an element in the model.
    fn renamed(&self, name: &str) -> String {
        match (self.name, name) {
            ("hmm_example-hmm_example", "mu[0]") => "low".to_owned(),
            ("hmm_example-hmm_example", "mu[1]") => "high".to_owned(),
            _ => name.to_owned(),
        }
    }

    fn get<T: serde::de::DeserializeOwned>(&self, field: &str) -> T {
        let value = serde_json::from_value(self.file["data"][field].clone());
        value.unwrap_or_else(|error| panic!("`{}`, data `{field}`: {error}", self.name))
    }
}

/// Maps indices from 1 to indices from 0: `beta[3]` to `beta[2]`.
fn from_zero(name: &str) -> String {
    let Some((start, index)) = name.split_once('[') else {
        return name.to_owned();
    };
    let index: usize = index.trim_end_matches(']').parse().expect("one index");
    format!("{start}[{}]", index - 1)
}

fn elements(value: &Value) -> Vec<f64> {
    match value {
        Value::Array(values) => values.iter().flat_map(elements).collect(),
        other => vec![other.as_f64().expect("a number")],
    }
}

fn object(value: &Value) -> &serde_json::Map<String, Value> {
    value.as_object().expect("an object")
}

fn read_file(path: &Path) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| {
        format!(
            "{}: {error}; the folder must hold the {} files of numbers, `NAME.json`; without it the copies that come \
             with the experiments are read",
            path.display(),
            NAMES.len()
        )
    })
}

fn unpack(packed: &[u8]) -> String {
    let mut text = String::new();
    let outcome = GzDecoder::new(packed).read_to_string(&mut text);
    outcome.expect("the shipped numbers are whole");
    text
}

macro_rules! shipped {
    ($($name:literal),* $(,)?) => {
        /// The names of the files: data set and model.
        pub const NAMES: [&str; 17] = [$($name),*];

        fn shipped(name: &str) -> &'static [u8] {
            match name {
                $($name => include_bytes!(concat!("../../data/posteriordb/", $name, ".json.gz")),)*
                _ => panic!("no file `{name}` is shipped"),
            }
        }
    };
}
shipped!(
    "arK-arK",
    "dogs-dogs",
    "earnings-logearn_height_male",
    "eight_schools-eight_schools_centered",
    "eight_schools-eight_schools_noncentered",
    "extra_brownian_known_scales",
    "extra_brownian_unknown_scales",
    "garch-garch11",
    "gp_pois_regr-gp_regr",
    "hmm_example-hmm_example",
    "kidiq-kidscore_momiq",
    "low_dim_gauss_mix-low_dim_gauss_mix",
    "mesquite-logmesquite_logvas",
    "nes2000-nes",
    "radon_mn-radon_hierarchical_intercept_noncentered",
    "sblrc-blr",
    "wells_data-wells_dist",
);
