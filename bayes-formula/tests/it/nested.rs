//! Groups within groups, whose coordinates are about the effects of the larger ones: predictions, effects, and runs of another version.

use crate::of;
use bayes::prelude::*;
use bayes_formula::{Conditions, Regression, formula};

/// Broods within locations, whose labels do not say so; the effects of both are large beside the errors.
fn rows(location: impl Fn(usize) -> usize) -> String {
    let wave = |k: usize, by: f64| (by * (k as f64 + 1.0)).sin();
    let mut text = String::from("LOCATION,BROOD,x,y\n");
    for row in 0..6 * 4 * 5 {
        let (place, brood) = (row / 20, row / 5);
        let y = 5.0 * wave(place, 1.7) + 5.0 * wave(brood, 2.3) + wave(row, 4.1);
        text += &format!("l{},b{brood},{},{y}\n", location(place), wave(row, 0.37));
    }
    text
}

fn fitted() -> (Regression, Run) {
    let made = formula("y ~ x + (1 | BROOD) + (1 | LOCATION)").expect("it is a formula");
    let regression = made.on(&of(&rows(|place| place))).expect("it fits");
    let engine = Inference::nuts().chains(1).draws(8).burn_in(60).seed(2);
    let run = engine.progress(false).run(&regression).expect("it runs");
    (regression, run)
}

/// Would detect coordinates that are read as about the effects of the larger groups of the new table.
#[test]
fn effects_of_groups_stay_those_of_the_run_where_a_new_table_nests_them_otherwise() {
    let (regression, run) = fitted();
    let text = &run.recipe.as_ref().expect("of a formula").text;
    assert!(text.contains("\"b7\":\"l1\""), "not nested: {text}");
    let swapped = of(&rows(|place| [1, 0, 2, 3, 4, 5][place]));
    let names = run.layout.element_names();
    let at = |name: String| {
        let place = names.iter().position(|known| *known == name);
        place.unwrap_or_else(|| panic!("no `{name}` in {names:?}"))
    };
    let x = swapped.reals("x").expect("numbers");
    let found = regression.of(&swapped).expect("its columns");
    let found = found.fitted(&run).draws().expect("its run");
    let draws = run.groups[0].draws.chunks(run.layout.elements());
    for (found, draw) in found.values.chunks(x.len()).zip(draws) {
        for (row, found) in found.iter().enumerate() {
            let location = [1, 0, 2, 3, 4, 5][row / 20];
            let wanted = draw[at("intercept".to_owned())]
                + draw[at("b[x]".to_owned())] * x[row]
                + draw[at(format!("r[BROOD:b{}:Intercept]", row / 5))]
                + draw[at(format!("r[LOCATION:l{location}:Intercept]"))];
            assert!((found - wanted).abs() < 1e-9, "{row}: {found}, {wanted}");
        }
    }
}

/// Would detect coordinates about the effects of groups that are left out.
#[test]
fn effects_of_the_smaller_group_alone_need_no_larger_one() {
    let (regression, run) = fitted();
    let conditions = Conditions::new().at("BROOD", "b7");
    let effects = regression.effects_at(&run, "x", &conditions);
    let first = effects.expect("it is a term").rows[0].clone();
    let x = match &first.at[0] {
        bayes_formula::Level::Number(x) => *x,
        level => panic!("a number: {level}"),
    };
    let mean = |name: &str| {
        let names = run.layout.element_names();
        let place = names.iter().position(|known| known == name);
        let place = place.unwrap_or_else(|| panic!("no `{name}` in {names:?}"));
        let draws = run.groups[0].draws.chunks(run.layout.elements());
        let values: Vec<f64> = draws.map(|draw| draw[place]).collect();
        values.iter().sum::<f64>() / values.len() as f64
    };
    let wanted = mean("intercept") + mean("b[x]") * x + mean("r[BROOD:b7:Intercept]");
    let found = first.summary.mean.mean;
    assert!((found - wanted).abs() < 1e-9, "{found}, {wanted}");
}

/// Would detect shares of an older form that count as none, so that the positions of the run have another meaning.
#[test]
fn a_run_of_the_older_form_is_refused() {
    let (_, mut run) = fitted();
    let recipe = run.recipe.as_mut().expect("of a formula");
    assert!(recipe.text.contains("\"shares\":"), "{}", recipe.text);
    recipe.text = recipe.text.replace("\"shares\":", "\"share\":");
    let error = Regression::of_run(&run, &of(&rows(|place| place)))
        .err()
        .expect("it has no shares")
        .to_string();
    assert!(
        error.contains("cannot be read by this version: missing field `shares`")
            && error.contains("fit it again"),
        "{error}"
    );
}
