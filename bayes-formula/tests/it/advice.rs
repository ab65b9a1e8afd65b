//! Advice about a formula: in the words of formulas, without statements, coordinates or Rust of a model.

use crate::table;
use bayes::model::Recipe;
use bayes::prelude::*;
use bayes_formula::formula;

/// What means nothing to somebody who wrote a formula.
const FOREIGN: [&str; 7] = [
    "centred",
    "parametris",
    "statement",
    "sample(",
    "observe(",
    "#[",
    "line ",
];

fn assert_own(text: &str) {
    for word in FOREIGN {
        assert!(!text.contains(word), "`{word}` in: {text}");
    }
}

fn terms_and_scales(recipe: &Recipe) -> Vec<(&str, &str)> {
    let scales = recipe.scales.iter();
    let pairs = scales.map(|found| (found.term.as_str(), found.scale.as_str()));
    pairs.collect()
}

/// Would detect warnings that tell to write the library's model in another form.
#[test]
fn divergences_are_explained_by_terms_and_scales() {
    let regression = formula("Reaction ~ Days + (1 + Days | Subject)").expect("a formula");
    let regression = regression
        .on(&table("sleepstudy"))
        .expect("it fits the table");
    let kernel = Nuts::new().target_acceptance(0.5);
    let run = Inference::nuts().kernel(kernel).burn_in(150).draws(150);
    let run = run
        .seed(1)
        .progress(false)
        .run(&regression)
        .expect("it runs");
    let texts: Vec<String> = run.warnings().iter().map(ToString::to_string).collect();
    texts.iter().for_each(|text| assert_own(text));
    let diverged = texts.iter().find(|text| text.contains("diverged"));
    let diverged = diverged.unwrap_or_else(|| panic!("{texts:?}"));
    assert!(
        diverged.contains("`(1 + Days | Subject)`") && diverged.contains("`sd[Subject:"),
        "{diverged}"
    );
    assert!(diverged.contains("target_acceptance"), "{diverged}");
}

#[test]
fn the_scales_of_terms_are_named_with_their_terms() {
    let text =
        "Reaction ~ s(Days, k = 4) + gp(Days) + (1 + Days || Subject); sigma ~ (1 | Subject)";
    let regression = formula(text).expect("a formula");
    let regression = regression
        .on(&table("sleepstudy"))
        .expect("it fits the table");
    let recipe = Model::recipe(&regression).expect("it has one");
    let wanted = [
        ("(1 + Days || Subject)", "sd[Subject:Intercept]"),
        ("(1 + Days || Subject)", "sd[Subject:Days]"),
        ("(1 | Subject)", "sd[sigma:Subject:Intercept]"),
        ("s(Days)", "sds[s(Days)]"),
        ("gp(Days)", "sdgp[Days]"),
    ];
    assert_eq!(terms_and_scales(&recipe), wanted);
    let draws = Inference::nuts().chains(1).burn_in(5).draws(5).seed(1);
    let run = draws.progress(false).run(&regression).expect("it runs");
    let elements = run.layout.element_names();
    for (_, scale) in wanted {
        assert!(
            elements.iter().any(|name| name == scale),
            "{scale} of {elements:?}"
        );
    }
}

/// Would detect both scales as those of `(1 + Days || Subject/Half)`.
#[test]
fn the_scales_of_nested_groups_have_terms_of_their_own() {
    let text = "Reaction ~ Days + (1 + Days || Subject/Half)";
    let sleep = table("sleepstudy");
    let halves: Vec<String> = (0..sleep.rows()).map(|row| (row % 2).to_string()).collect();
    let halves: Vec<&str> = halves.iter().map(String::as_str).collect();
    let sleep = sleep.with_column("Half", halves).expect("a column");
    let regression = formula(text).expect("a formula").on(&sleep);
    let recipe = Model::recipe(&regression.expect("it fits the table")).expect("it has one");
    let wanted = [
        ("(1 + Days || Subject)", "sd[Subject:Intercept]"),
        ("(1 + Days || Subject)", "sd[Subject:Days]"),
        ("(1 + Days || Subject:Half)", "sd[Subject:Half:Intercept]"),
        ("(1 + Days || Subject:Half)", "sd[Subject:Half:Days]"),
    ];
    assert_eq!(terms_and_scales(&recipe), wanted);
}

/// Would detect explanations by lines of the library's source, and coordinates by number.
#[test]
fn checks_and_explanations_speak_of_the_formula() {
    let regression = formula("Reaction ~ Days + (1 | Subject)").expect("a formula");
    let regression = regression
        .on(&table("sleepstudy"))
        .expect("it fits the table");
    let check = Check::new().draws(20).forecast(false);
    let report = regression.check(check).expect("it is a model");
    assert!(report.own_calls.is_empty(), "{:?}", report.own_calls);
    let text = report.to_string();
    assert_own(&text);
    assert!(
        text.starts_with("Reaction ~ Days + (1 | Subject), gaussian, 180 rows"),
        "{text}"
    );
    assert!(
        report.names.iter().any(|name| name == "b[Days]"),
        "{:?}",
        report.names
    );
    let dim = report.dim;
    let explained = regression
        .explain(&vec![0.1; dim])
        .expect("it has a density there");
    let text = explained.to_string();
    assert_own(&text);
    assert!(
        text.contains("the likelihood of `Reaction` (gaussian, link identity)"),
        "{text}"
    );
    assert!(text.contains("the prior of `sigma`"), "{text}");
}
