//! Log densities against 50-digit references.
//!
//! `tests/data/distributions.json` was computed for this project with mpmath at 50 digits and rounded to
//! the nearest doubles; no outside data.

use crate::battery::Subject;
use serde_json::Value as Json;

/// The file's families.
pub fn families() -> Vec<Json> {
    let file: Json = serde_json::from_str(include_str!("../data/distributions.json")).unwrap();
    file["families"].as_array().unwrap().clone()
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

/// A point of a family of the file.
#[derive(Clone, Copy, Debug)]
pub struct Point<const K: usize> {
    pub parameters: [f64; K],
    pub x: f64,
    pub log_density: f64,
}

/// The parameters of each case of a family.
pub fn cases<S: Subject<K>, const K: usize>() -> Vec<[f64; K]> {
    let mut cases: Vec<_> = points::<S, K>().iter().map(|p| p.parameters).collect();
    cases.dedup();
    cases
}

/// All points of a family.
pub fn points<S: Subject<K>, const K: usize>() -> Vec<Point<K>> {
    let families = families();
    let family = families
        .iter()
        .find(|f| f["family"] == S::REFERENCE)
        .expect("the family is in the file");
    let names = family["parameters"].as_array().unwrap();
    assert_eq!(names.len(), K);
    let mut points = Vec::new();
    for case in family["cases"].as_array().unwrap() {
        let parameters =
            std::array::from_fn(|k| number(&case["params"][names[k].as_str().unwrap()]));
        for point in case["points"].as_array().unwrap() {
            points.push(Point {
                parameters,
                x: number(&point["x"]),
                log_density: number(&point["log_density"]),
            });
        }
    }
    points
}

/// Relative 1e-12, absolute 1e-14 near zero; infinities exactly.
pub fn agrees(got: f64, wanted: f64) -> bool {
    got == wanted || (got - wanted).abs() <= (1e-12 * wanted.abs()).max(1e-14)
}

pub fn density_agrees<S: Subject<K>, const K: usize>() {
    for point in points::<S, K>() {
        let got = S::log_density(point.x, point.parameters);
        assert!(agrees(got, point.log_density), "{point:?}: got {got}");
    }
}

/// Families of the file that this crate does not have yet.
const NOT_YET: &[&str] = &[];

/// Families of the file with tests of their own, in the other files of this folder.
const ELSEWHERE: &[&str] = &[
    "Categorical",
    "CategoricalLogits",
    "Multinomial",
    "Dirichlet",
    "MultivariateNormal",
    "MultivariateNormalCholesky",
    "MvStudentT",
    "LKJ",
    "LKJCholesky",
    "Wishart",
    "InverseWishart",
    "NormalMixture",
    "TruncatedNormal",
    "OrderedLogistic",
];

#[test]
fn every_family_of_the_file_is_accounted_for() {
    for family in families() {
        let name = family["family"].as_str().unwrap();
        let places = [crate::COVERED, NOT_YET, ELSEWHERE];
        let count = places.iter().filter(|list| list.contains(&name)).count();
        assert_eq!(count, 1, "{name} must be in exactly one list");
    }
}
