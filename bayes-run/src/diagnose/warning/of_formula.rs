//! Tests that warnings of a formula speak of terms and priors, and not of a model that is written in Rust.

use super::testing::{change, healthy_trajectories, with_trajectories};
use crate::density::GradientFault;
use crate::model::{Recipe, TermScale};
use crate::run::Run;
use crate::run::example::{islands, of_chain, of_island};
use std::path::Path;

/// What means nothing to somebody who wrote a formula.
const FOREIGN: [&str; 17] = [
    "centred",
    "parametris",
    "statement",
    "#[",
    "sample(",
    "Real::",
    "`z`",
    "you wrote",
    "the model return",
    "Mixture",
    "multiplies",
    "observe(",
    "halvings",
    "energy_tolerance",
    ".step_size(",
    "RunFile",
    "the model's text",
];

/// The run, as that of `y ~ x + (1 | g)`, whose first element is a scale.
fn of_formula(mut run: Run) -> Run {
    let scale = TermScale {
        term: "(1 | g)".to_owned(),
        scale: "mu".to_owned(),
    };
    run.recipe = Some(Recipe {
        title: "y ~ x + (1 | g)".to_owned(),
        hidden: vec!["beta".to_owned()],
        scales: vec![scale],
        ..Recipe::default()
    });
    run.source = "let beta = sample(own_effects(mu).iid(2));".to_owned();
    run.statements[0].text = "let beta = sample(Normal::new(mu, 1.0).iid(2))".to_owned();
    run
}

fn texts(run: Run) -> Vec<String> {
    let run = of_formula(run);
    let texts: Vec<String> = run.warnings().iter().map(ToString::to_string).collect();
    for (text, word) in texts
        .iter()
        .flat_map(|text| FOREIGN.map(|word| (text, word)))
    {
        assert!(!text.contains(word), "`{word}` in: {text}");
    }
    texts
}

/// Chains that diverged eight times, where the first element and the hidden ones are these.
fn diverging(there: f64) -> Run {
    let mut run = with_trajectories(&healthy_trajectories());
    let trajectories = of_chain(&mut run.groups[2]).trajectories.as_mut();
    let trajectories = trajectories.expect("there are some");
    trajectories.divergent = 8;
    trajectories.divergent_starts = (0..8).flat_map(|_| [there, -3.0, 0.0]).collect();
    run
}

#[test]
fn divergences_of_a_formula_name_the_term_and_its_scale() {
    let low = texts(diverging(-2.5)).concat();
    assert!(
        low.contains("`mu`, the scale of `(1 | g)`, which averages -2.500 there"),
        "{low}"
    );
    assert!(low.contains("less mass near 0"), "{low}");
    let high = texts(diverging(2.5)).concat();
    assert!(high.contains("a tighter prior of it helps"), "{high}");
    // hidden coordinates are no place
    let unknown = texts(diverging(0.0)).concat();
    assert!(!unknown.contains("beta"), "{unknown}");
    assert!(
        unknown.contains("tighter priors (`mu` of `(1 | g)`)"),
        "{unknown}"
    );
}

/// That one of the warnings of a run contains a text.
fn warns(run: Run, text: &str) {
    let found = texts(run);
    assert!(found.iter().any(|one| one.contains(text)), "{found:?}");
}

#[test]
fn trajectories_of_a_formula_are_in_its_words() {
    let mut low_energy = with_trajectories(&healthy_trajectories());
    for group in &mut low_energy.groups {
        let trajectories = of_chain(group)
            .trajectories
            .as_mut()
            .expect("there are some");
        trajectories.e_bfmi = 0.1;
        trajectories.max_depth_hits = 400;
    }
    low_energy.not_compared = true;
    low_energy.gradient_fault = Some(GradientFault {
        met: 3,
        of: 20,
        gradient: 1.0,
        difference: 2.0,
    });
    for text in ["E-BFMI", "tree depth", "finite differences at 3"] {
        warns(low_energy.clone(), text);
    }
}

#[test]
fn labels_and_slow_moves_of_a_formula_are_in_its_words() {
    let place = |element: usize, group: usize| match (element + group).is_multiple_of(2) {
        true => 5.0,
        false => -5.0,
    };
    for mut run in [
        with_trajectories(&healthy_trajectories()),
        islands(&[-3.0; 8], 256),
    ] {
        for element in 1..3 {
            change(&mut run, element, |group, _, x| x + place(element, group));
        }
        warns(run, "switched labels");
    }
    let mut slow = islands(&[-3.0; 4], 64);
    for group in &mut slow.groups {
        let stage = of_island(group)
            .history
            .last_mut()
            .expect("there are stages");
        stage.relaxation_time = 100.0 * stage.mutations as f64;
    }
    warns(slow, "forget where they were");
}

#[test]
fn draws_of_a_formula_that_are_not_finite_are_in_its_words() {
    for wrong in [f64::NAN, f64::INFINITY] {
        let mut run = with_trajectories(&healthy_trajectories());
        change(&mut run, 1, |_, draw, x| if draw == 3 { wrong } else { x });
        warns(run, "Numbers overflowed");
    }
}

/// Would detect coordinates of the sampler in warnings, where a quantity of the summary is as bad or worse than the limit too.
#[test]
fn warnings_of_a_formula_are_about_what_it_shows() {
    let mut run = crate::run::example::chains(4, 60);
    change(&mut run, 1, |_, draw, x| {
        x + 5.0 * (draw as f64 / 10.0).sin()
    });
    let named = |texts: &[String]| {
        let mut found = texts.iter();
        let short = found.find(|text| text.contains("effective sample size of"));
        short.expect("the chains are short").clone()
    };
    let all: Vec<String> = run.warnings().iter().map(ToString::to_string).collect();
    assert!(named(&all).contains("`beta[0]`"), "{all:?}");
    let known = texts(run);
    assert!(named(&known).contains("`mu`"), "{known:?}");
}

/// The text of a rule before its tests, without comments.
fn rule(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"));
    lines.collect::<Vec<_>>().join("\n")
}

/// The remedies of a rule: from the first one to the end.
fn remedies(rule: &str) -> Option<&str> {
    let (_, rest) = rule.split_once("impl Message for")?;
    rest.split_once("fn remedy").map(|(_, remedies)| remedies)
}

/// A rule that is not run by the tests above may forget those who write formulas as well.
#[test]
fn every_remedy_with_foreign_words_has_another_one_for_formulas() {
    // the package of the tests may be another one
    let mut folders = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let folder = |place: &Path| place.join("bayes-run/src/diagnose/warning").read_dir().ok();
    let files = folders.find_map(folder).expect("the rules are there");
    let paths = files.map(|file| file.expect("it is listed").path());
    let mut rules = 0;
    for path in paths.filter(|path| path.is_file()) {
        let text = std::fs::read_to_string(&path).expect("it is text");
        let text = rule(&text);
        let Some(remedies) = remedies(&text) else {
            continue;
        };
        rules += 1;
        let is_foreign = FOREIGN.iter().any(|word| remedies.contains(word));
        let has_other = remedies.contains("fn remedy_of_formula");
        let never = ELSEWHERE.iter().any(|name| path.ends_with(name));
        assert!(!is_foreign || has_other || never, "{}", path.display());
    }
    assert!(rules > 40, "{rules}");
}

/// Rules of what no formula has: equations, and words of a formula in the same remedy.
const ELSEWHERE: [&str; 1] = ["inexact_equations.rs"];
