//! Regressions of the families that the crate writes out, and regressions whose coefficients are shrunk together, against posteriors by
//! importance sampling in numpy and scipy (`tests/data/posteriors.py`, `tests/data/shrinkage.py`).

use crate::of;
use bayes::prelude::*;
use bayes_formula::{Family, Link, Prior, Regression, formula};
use serde_json::Value as Json;

fn cases(name: &str) -> Vec<Json> {
    let path = format!("{}/tests/data/{name}.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("it is in the repository");
    serde_json::from_str(&text).expect("it is JSON")
}

fn list(case: &Json, key: &str) -> Vec<Json> {
    case[key].as_array().cloned().unwrap_or_default()
}

fn numbers(case: &Json, key: &str) -> Vec<f64> {
    let list = list(case, key);
    list.iter().filter_map(Json::as_f64).collect()
}

fn table(case: &Json) -> bayes::data::Table {
    let columns = case["columns"].as_object().expect("columns");
    let names: Vec<&str> = columns.keys().map(String::as_str).collect();
    let rows = columns["y"].as_array().expect("a list").len();
    let mut text = names.join(",") + "\n";
    for row in 0..rows {
        let cell = |name: &&str| match &columns[*name][row] {
            Json::String(label) => label.clone(),
            other => other.to_string(),
        };
        let cells: Vec<String> = names.iter().map(cell).collect();
        text += &(cells.join(",") + "\n");
    }
    of(&text)
}

/// Compares the means of a run with the ones of a case.
fn compare(case: &Json, regression: &Regression, context: &str) {
    let run = Inference::nuts().draws(500).seed(5).progress(false);
    let run = run
        .run(regression)
        .unwrap_or_else(|error| panic!("{context}: {error}"));
    let effective = case["effective"].as_f64().expect("a number");
    let pairs = numbers(case, "mean").into_iter().zip(numbers(case, "sd"));
    for (name, (mean, sd)) in list(case, "names").iter().zip(pairs) {
        let name = name.as_str().expect("a name");
        let (quantity, place) = match name.split_once('[') {
            Some((quantity, rest)) => (quantity, rest.trim_end_matches(']')),
            None => (name, "0"),
        };
        let place: usize = place.parse().expect("a number");
        let found = run.estimate(|draw| draw.vector(quantity)[place]);
        let error = found.se.hypot(sd / effective.sqrt());
        assert!(
            (found.mean - mean).abs() < 4.0 * error,
            "{context}: {name} is {} ± {error}, and not {mean}",
            found.mean
        );
    }
}

#[test]
fn written_families_have_the_posteriors_of_their_definitions() {
    let cases = cases("posteriors");
    assert_eq!(cases.len(), 16);
    for case in &cases {
        let text = |key: &str| case[key].as_str().unwrap_or("");
        let family: Family = text("family").parse().expect("a family");
        let mut made = formula(text("formula"))
            .expect("it is a formula")
            .family(family);
        if let Ok(link) = text("link").parse::<Link>() {
            made = made.link(link);
        }
        let names = list(case, "names");
        let has = |name: &str| names.iter().any(|known| known == name);
        made = made.prior("b", Prior::normal(0.0, 1.0));
        for (name, prior) in [
            ("intercept", Prior::normal(0.0, 2.0)),
            ("sigma", Prior::exponential(1.0)),
            ("shape", Prior::exponential(1.0)),
            ("phi", Prior::exponential(1.0)),
            ("kappa", Prior::exponential(1.0)),
            ("beta", Prior::exponential(1.0)),
            ("alpha", Prior::normal(0.0, 2.0)),
        ] {
            if has(name) {
                made = made.prior(name, prior);
            }
        }
        if has("intercepts[0]") {
            made = made.prior("intercepts", Prior::normal(0.0, 2.0));
        }
        if text("formula").contains("disc") {
            made = made.prior("b[disc]", Prior::normal(0.0, 0.5));
        }
        let regression = made.on(&table(case)).expect("it fits");
        let context = format!("{family} {} {}", text("link"), text("formula"));
        compare(case, &regression, &context);
    }
}

#[test]
fn shrunk_coefficients_have_the_posteriors_of_their_definitions() {
    let cases = cases("shrinkage");
    assert_eq!(cases.len(), 2);
    for case in &cases {
        let prior = case["prior"].as_str().expect("a text");
        let made = formula("y | se(s) ~ x + z + w")
            .expect("it is a formula")
            .prior("intercept", Prior::normal(0.0, 2.0))
            .prior_of_text(prior)
            .expect("it is a prior");
        let regression = made.on(&table(case)).expect("it fits");
        compare(case, &regression, prior);
        // the priors are proper, so that the evidence exists
        let engine = Inference::psmc().islands(8).particles(64).seed(4);
        let evidence = engine.progress(false).run(&regression).expect("it runs");
        let evidence = evidence.log_evidence_estimate().expect("it has one");
        let wanted = case["log_evidence"].as_f64().expect("a number");
        assert!(
            (evidence.mean - wanted).abs() < 4.0 * evidence.se,
            "{prior}: {evidence:?}, {wanted}"
        );
    }
}
