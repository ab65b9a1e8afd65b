//! Log densities, both log tails, log probabilities of intervals, and all their slopes, from one end of f64 to the other, against
//! the references that `data/scan/scan.py` computes with mpmath; of categories, vectors, series and matrices log densities and slopes.
//!
//! An error counts relative to the scale that the script gives with each number: the size of the number plus its change when the
//! arguments are rounded. No formula in doubles could be more exact than this scale.

use crate::battery::{First, Subject, WithTails, reference};
use crate::structured;
use bayes_autodiff::{Dual, Real};
use bayes_model::dist::*;
use serde_json::Value as Json;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The largest allowed errors, relative to the scale: for log densities, and for log tails, whose series and continued fractions
/// have errors too.
const TOLERANCES: [f64; 2] = [1e-13, 1e-12];

/// The environment variable that names a folder written by `scan.py --full`.
const FOLDER: &str = "BAYES_SCAN";

/// A family with or without a distribution function.
enum Entry {
    Density(Subject),
    Tails(WithTails),
}

impl Entry {
    /// Whether `x` and each of the parameters are whole numbers.
    fn is_whole(&self) -> Vec<bool> {
        let subject = match self {
            Self::Density(subject) => subject,
            Self::Tails(both) => &both.subject,
        };
        let parameters = subject.allowed().into_iter().map(|p| p.is_whole());
        std::iter::once(subject.is_discrete())
            .chain(parameters)
            .collect()
    }
}

macro_rules! entry {
    ($all:ident, structured, $($ignored:tt)*) => {};
    ($all:ident, scalar, $($line:tt)*) => { entry!($all, Density, Subject, $($line)*); };
    ($all:ident, cumulative, $($line:tt)*) => { entry!($all, Tails, WithTails, $($line)*); };
    ($all:ident, $kind:ident, $type:ident, $name:expr, |$($parameter:ident),*| $constructor:expr) => {{
        const NAMES: &[&str] = &[$(stringify!($parameter)),*];
        let name = $name;
        let found = $type::new(&name, NAMES, |[$($parameter),*]: [f64; NAMES.len()]| $constructor);
        $all.insert(name, Entry::$kind(found));
    }};
}

macro_rules! entries {
    ($($file:ident: $family:ident { $($name:ident($($parameter:ident),*)),* } $domain:ident $tests:ident;)*) => {
        fn entries() -> BTreeMap<String, Entry> {
            let mut all = BTreeMap::new();
            $($(entry!(
                all, $tests, reference(stringify!($file), stringify!($name)),
                |$($parameter),*| $family::$name($($parameter),*)
            );)*)*
            entry!(all, scalar, "zero_inflated.negative_binomial".to_owned(),
                |pi, mu, phi| ZeroInflated::new(pi, NegativeBinomial::mean_dispersion(mu, phi)));
            entry!(all, scalar, "hurdle.poisson".to_owned(),
                |pi, rate| Hurdle::new(pi, Poisson::new(rate)));
            entry!(all, scalar, "hurdle.negative_binomial".to_owned(),
                |pi, r, p| Hurdle::new(pi, NegativeBinomial::successes_probability(r, p)));
            entry!(all, scalar, "hurdle.binomial".to_owned(),
                |pi, n, p| Hurdle::new(pi, Binomial::new(n, p)));
            all
        }
    };
}
bayes_catalogue::distributions!(entries);

/// A reference: a quantity of a family at arguments, with its slopes in `x` and the parameters.
struct Reference {
    family: String,
    quantity: String,
    region: String,
    x: Vec<f64>,
    parameters: Vec<f64>,
    /// The value and the slopes; `None` if there is no slope, or no double for it.
    wanted: Vec<Option<f64>>,
    scales: Vec<f64>,
}

impl Reference {
    /// The size of the argument of slope `k`: a slope counts by what it makes of the value when the argument changes by its own size. The
    /// slopes that were wrong once count whatever the argument is.
    fn size(&self, k: usize) -> f64 {
        let size = match k {
            0 => 1.0,
            1 => self.x[0].abs(),
            _ => self.parameters[k - 2].abs(),
        };
        if self.region == "named" { 1.0 } else { size }
    }
}

fn numbers(json: &Json) -> Vec<Option<f64>> {
    json.as_array().unwrap().iter().map(Json::as_f64).collect()
}

fn all(json: &Json) -> Vec<f64> {
    let each = numbers(json).into_iter();
    each.map(|x| x.unwrap_or(f64::INFINITY)).collect()
}

impl From<&Json> for Reference {
    fn from(json: &Json) -> Self {
        let text = |name: &str| json[name].as_str().unwrap().to_owned();
        Self {
            family: text("family"),
            quantity: text("quantity"),
            region: text("region"),
            x: all(&json["x"]),
            parameters: all(&json["parameters"]),
            wanted: numbers(&json["values"]),
            scales: all(&json["scales"]),
        }
    }
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The references of a file of the scan, a line each.
fn references(path: &Path) -> Vec<Reference> {
    let row = |line: &str| Reference::from(&serde_json::from_str(line).unwrap());
    read(path).lines().map(row).collect()
}

/// The references of the scan in the families' own files.
fn own_references() -> Vec<Reference> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/distributions");
    let files = std::fs::read_dir(folder).expect("it is in the repository");
    let mut files: Vec<PathBuf> = files.map(|file| file.unwrap().path()).collect();
    files.retain(|file| file.extension().is_some_and(|end| end == "json"));
    files.sort();
    let rows = |file: &PathBuf| -> Vec<Reference> {
        let json: Json = serde_json::from_str(&read(file)).unwrap();
        let rows = json["scan"].as_array();
        rows.map_or_else(Vec::new, |rows| rows.iter().map(Reference::from).collect())
    };
    files.iter().flat_map(rows).collect()
}

/// The computed value and slopes in `x` and the parameters.
fn got(entries: &BTreeMap<String, Entry>, reference: &Reference) -> Vec<f64> {
    let found = structured::got(&reference.family, &reference.x, &reference.parameters);
    found.unwrap_or_else(|| got_of_scalar(&entries[&reference.family], reference))
}

fn got_of_scalar(entry: &Entry, reference: &Reference) -> Vec<f64> {
    let is_whole = entry.is_whole();
    // whole numbers have no slopes
    let variable = |(k, x): (usize, &f64)| match is_whole[k] {
        true => Real::constant(*x),
        false => Dual::variable(*x, k),
    };
    let parameters: Vec<First> = (1..).zip(&reference.parameters).map(variable).collect();
    let x: First = variable((0, &reference.x[0]));
    let found = match (reference.quantity.as_str(), entry) {
        ("density", Entry::Density(subject)) => subject.first(x, &parameters),
        ("density", Entry::Tails(both)) => both.subject.first(x, &parameters),
        ("cdf", Entry::Tails(both)) => both.tails.log_tails(x, &parameters)[0],
        ("sf", Entry::Tails(both)) => both.tails.log_tails(x, &parameters)[1],
        ("interval", Entry::Tails(both)) => {
            let ends = [reference.x[0], reference.x[1]];
            both.tails.log_interval(ends, &parameters)
        }
        (other, _) => panic!("{} has no {other}", reference.family),
    };
    let slopes = Dual::gradient(found);
    let slopes = slopes.into_iter().take(1 + parameters.len());
    std::iter::once(found.primal()).chain(slopes).collect()
}

/// The largest error of a reference relative to its scale, and its index.
fn error(got: &[f64], reference: &Reference) -> (f64, usize) {
    let mut largest = (0.0, 0);
    for (k, wanted) in reference.wanted.iter().enumerate() {
        let Some(wanted) = *wanted else { continue };
        let (got, scale) = (got[k], reference.scales[k]);
        // subnormal numbers have fewer digits
        let near = got == wanted || (got - wanted).abs() * reference.size(k) <= 1e-290;
        let error = if near {
            0.0
        } else {
            (got - wanted).abs() / scale
        };
        // NaN counts as the largest error
        let error = if error.is_nan() { f64::INFINITY } else { error };
        if error > largest.0 {
            largest = (error, k);
        }
    }
    largest
}

/// One row of the scan's table, for a region.
#[derive(Default)]
struct Row {
    families: BTreeSet<String>,
    points: usize,
    numbers: usize,
    largest: f64,
}

/// Compares all references, with those in the files of families, prints a table of the regions, and fails if an error is above the tolerance.
fn scan(paths: &[PathBuf]) {
    let entries = entries();
    let mut table: BTreeMap<(String, String), Row> = BTreeMap::new();
    let mut failures = Vec::new();
    let of_files = paths.iter().flat_map(|path| references(path));
    for reference in of_files.chain(own_references()) {
        let got = got(&entries, &reference);
        let (error, k) = error(&got, &reference);
        let key = (reference.quantity.clone(), reference.region.clone());
        let row = table.entry(key).or_default();
        row.families.insert(reference.family.clone());
        row.points += 1;
        row.numbers += reference.wanted.iter().flatten().count();
        row.largest = row.largest.max(error);
        if error > TOLERANCES[usize::from(reference.quantity != "density")] {
            let Reference {
                family,
                quantity,
                region,
                x,
                parameters,
                ..
            } = &reference;
            let (got, wanted) = (got[k], reference.wanted[k].unwrap_or(f64::NAN));
            failures.push(format!(
                "{family} {quantity} ({region}) at {x:?}, {parameters:?}: number {k} is {got:e}, want {wanted:e}, {error:.1e} off"
            ));
        }
    }
    println!("| quantity | region | families | points | numbers | largest error |");
    println!("|---|---|---|---|---|---|");
    for ((quantity, region), row) in &table {
        let Row {
            families,
            points,
            numbers,
            largest,
        } = row;
        let families = families.len();
        println!("| {quantity} | {region} | {families} | {points} | {numbers} | {largest:.1e} |");
    }
    assert!(
        failures.is_empty(),
        "{} errors\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn sample() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("data/scan/sample.jsonl")
}

#[test]
fn sample_of_the_scan_agrees() {
    scan(&[sample()]);
}

#[test]
fn every_family_of_numbers_is_in_the_sample_of_the_scan() {
    let references = references(&sample()).into_iter().chain(own_references());
    let names: BTreeSet<String> = references.map(|reference| reference.family).collect();
    for name in entries().into_keys() {
        let advice = "give `scan=` to `write` in the script of its references, and run it";
        assert!(names.contains(&name), "{name}: {advice}");
    }
}

/// `BAYES_SCAN=<folder> cargo test -p bayes-dist-tests --test distributions full_scan -- --ignored --nocapture`.
#[test]
#[ignore = "needs a folder written by data/scan/scan.py --full"]
fn full_scan_agrees() {
    let folder = std::env::var(FOLDER).unwrap_or_else(|_| panic!("{FOLDER} names no folder"));
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|e| panic!("{folder}: {e}"));
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    paths.sort();
    scan(&paths);
}
