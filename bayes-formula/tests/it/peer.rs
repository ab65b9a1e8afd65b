//! Posterior means against Bambi 0.17.2 with the same priors; `tests/peer/with_bambi.py` writes Bambi's means.

use crate::table;
use bayes::diagnose::Estimate;
use bayes::prelude::*;
use bayes_formula::{Prior, formula};
use serde::Deserialize;
use std::collections::BTreeMap;

#[derive(Deserialize)]
struct Case {
    formula: String,
    family: String,
    priors: Vec<String>,
    /// Mean and Monte Carlo error by name.
    means: BTreeMap<String, [f64; 2]>,
}

#[test]
fn means_are_those_of_bambi() {
    let path = format!("{}/tests/data/bambi.json", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).expect("it is in the repository");
    let cases: BTreeMap<String, Case> = serde_json::from_str(&text).expect("it is JSON");
    let mut compared = 0;
    for (name, case) in cases {
        let family = case.family.parse().expect("a family");
        let mut said = formula(&case.formula).expect("a formula").family(family);
        for prior in &case.priors {
            let (target, prior) = prior.split_once(" ~ ").expect("a prior");
            said = said.prior(target, Prior::read(prior).expect("a prior"));
        }
        let regression = said.on(&table(&name)).expect("it fits the table");
        let run = Inference::nuts().seed(1).progress(false).run(&regression);
        let run = run.expect("it runs");
        let elements = run.layout.element_names();
        for (element, [mean, error]) in case.means {
            let place = elements.iter().position(|known| *known == element);
            let place = place.unwrap_or_else(|| panic!("{name}: no `{element}`"));
            let (variable, k) = variable_of(&run, place);
            let found: Estimate = run.estimate(|draw| draw.vector(&variable)[k]);
            let distance = (found.mean - mean) / found.se.hypot(error);
            assert!(
                distance.abs() < 4.0,
                "{name}: {element} is {found}, {mean} ± {error} by Bambi"
            );
            compared += 1;
        }
    }
    assert_eq!(compared, 50);
}

/// The quantity of an element, and the index of the element in it.
fn variable_of(run: &Run, place: usize) -> (String, usize) {
    let variables = run.layout.variables.iter();
    let mut of = variables.filter(|variable| variable.range().contains(&place));
    let variable = of.next().expect("every element is one of a quantity");
    (variable.name.clone(), place - variable.range().start)
}
