//! Everything that determines the bits of a run.

use crate::density::LogDensity;
use crate::engine::common::Common;
use crate::rng;
use crate::run::{FORMAT, difference};
use std::collections::BTreeMap;

/// Text by name: everything that determines the bits of a run.
pub(in crate::engine) type Provenance = BTreeMap<String, String>;

/// The names that are compared first: where they differ, much else differs.
const FIRST: [&str; 3] = ["version", "model", "engine"];

/// The first name whose texts differ, with both of them.
pub(in crate::engine) fn differing(found: &Provenance, wanted: &Provenance) -> Option<String> {
    let mut first = FIRST.iter();
    let Some(name) = first.find(|name| found.get(**name) != wanted.get(**name)) else {
        return difference(found, wanted);
    };
    let only = |texts: &Provenance| {
        let text = texts.get_key_value(*name);
        text.map(|(name, text)| (name.clone(), text.clone()))
            .into_iter()
            .collect()
    };
    difference(&only(found), &only(wanted))
}

/// Everything that determines the bits of a run, and the format in which its groups are saved.
pub(in crate::engine) fn origin(
    common: &Common,
    densities: &[&dyn LogDensity],
    settings: &BTreeMap<String, String>,
) -> Provenance {
    let description = densities[0].describe();
    let fingerprint = |density: &&dyn LogDensity| density.quantities().fingerprint();
    let fingerprints = densities.iter().map(fingerprint);
    let fingerprints: Vec<String> = fingerprints.map(|data| format!("{data:016x}")).collect();
    let arithmetic = description.arithmetic;
    let texts = [
        ("model", description.name),
        ("engine", common.engine.to_owned()),
        ("seed", common.seed.to_string()),
        ("data", fingerprints.join(", ")),
        ("version", env!("CARGO_PKG_VERSION").to_owned()),
        ("format", FORMAT.to_string()),
        ("random_numbers", rng::fingerprint().to_owned()),
        ("gradient", arithmetic.gradient.name().to_owned()),
        ("instruction_set", arithmetic.instruction_set),
        ("legs", densities[0].legs().len().to_string()),
    ];
    let texts = texts.map(|(name, text)| (name.to_owned(), text));
    texts.into_iter().chain(settings.clone()).collect()
}
