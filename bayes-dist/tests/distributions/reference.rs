//! Log densities against 50-digit references.
//!
//! Each file of `tests/data/distributions` was computed for this project with mpmath at 50 digits and rounded to the
//! nearest doubles; no outside data.

use crate::battery::Subject;
use serde_json::Value as Json;
use std::path::{Path, PathBuf};

/// A point of a file, with `[cdf, sf, log_cdf, log_sf]` if the file has them.
#[derive(Clone, Debug)]
pub struct Point {
    pub parameters: Vec<f64>,
    pub x: f64,
    pub log_density: f64,
    pub tails: Option<[f64; 4]>,
}

/// Parameters and their points.
#[derive(Clone, Debug)]
pub struct Case {
    pub parameters: Vec<f64>,
    /// Whether so much of the mass lies below the smallest double that neither draws nor quadrature in doubles
    /// reach it.
    pub out_of_reach: bool,
    pub points: Vec<Point>,
}

/// The file of a scalar family.
pub struct References {
    pub parameters: Vec<String>,
    /// The parameter at which the density has a kink in `x`.
    pub kink: Option<usize>,
    pub cases: Vec<Case>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/distributions")
}

/// The file named `name`.
pub fn file(name: &str) -> Json {
    let path = folder().join(format!("{name}.json"));
    let text = std::fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("references {}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A number of the file, where infinities are strings.
pub fn number(value: &Json) -> f64 {
    match value.as_str() {
        Some("inf") => f64::INFINITY,
        Some("-inf") => f64::NEG_INFINITY,
        Some(other) => panic!("{other} is no number"),
        None => value.as_f64().unwrap(),
    }
}

/// The file of the scalar family named `name`.
pub fn references(name: &str) -> References {
    let file = file(name);
    let names = file["parameters"].as_array().unwrap();
    let names: Vec<String> = names
        .iter()
        .map(|name| name.as_str().unwrap().to_owned())
        .collect();
    let kink = file["kink"].as_str();
    let kink = kink.map(|kink| names.iter().position(|name| name == kink).unwrap());
    let cases = file["cases"].as_array().unwrap();
    let cases = cases.iter().map(|json| case(json, &names)).collect();
    References {
        parameters: names,
        kink,
        cases,
    }
}

fn case(json: &Json, names: &[String]) -> Case {
    let parameters: Vec<f64> = names
        .iter()
        .map(|name| number(&json["params"][name]))
        .collect();
    let point = |point: &Json| {
        let tails = ["cdf", "sf", "log_cdf", "log_sf"];
        Point {
            parameters: parameters.clone(),
            x: number(&point["x"]),
            log_density: number(&point["log_density"]),
            tails: (!point["cdf"].is_null()).then(|| tails.map(|name| number(&point[name]))),
        }
    };
    Case {
        points: json["points"]
            .as_array()
            .unwrap()
            .iter()
            .map(point)
            .collect(),
        out_of_reach: json["out_of_reach"] == true,
        parameters: parameters.clone(),
    }
}

/// Relative 1e-12, absolute 1e-14 near zero; infinities exactly.
pub fn agrees(got: f64, wanted: f64) -> bool {
    got == wanted || (got - wanted).abs() <= (1e-12 * wanted.abs()).max(1e-14)
}

pub fn density_agrees(subject: &Subject) {
    for point in subject.points() {
        let got = subject.log_density(point.x, &point.parameters);
        assert!(agrees(got, point.log_density), "{point:?}: got {got}");
    }
}

/// Files of distributions that are composed from families of the table.
const COMPOSED: &[&str] = &[
    "hurdle.binomial",
    "hurdle.negative_binomial",
    "hurdle.poisson",
    "truncated",
    "zero_inflated.negative_binomial",
];

#[test]
fn every_file_belongs_to_a_line_of_the_table() {
    for entry in std::fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let name = name.strip_suffix(".json").unwrap_or_else(|| {
            name.strip_suffix(".py")
                .unwrap_or_else(|| panic!("{name} is no file of references"))
        });
        let listed = crate::LISTED
            .iter()
            .any(|(file, constructor)| crate::battery::reference(file, constructor) == name);
        assert!(listed || COMPOSED.contains(&name), "{name} has no family");
    }
}
