//! Pictures of several runs.

use super::*;

#[test]
fn several_runs_lie_side_by_side() {
    let (a, b) = (islands(&[-1.0; 2]), chains(2, 40, 1));
    let figure = runs([("psmc", &a), ("nuts", &b)])
        .forest()
        .expect("two runs");
    let medians = marks(&figure, "median");
    // the second run has no `beta[1]`
    assert_eq!(medians.iter().map(|m| m.len()).collect::<Vec<_>>(), [3, 2]);
    assert_eq!(
        figure
            .legend
            .iter()
            .map(|k| k.text.as_str())
            .collect::<Vec<_>>(),
        ["psmc", "nuts"]
    );
    assert!(message(runs([]).forest()).contains("at least 1 runs, got 0"));
}

fn rows(figure: &Figure) -> Vec<&str> {
    let ticks = figure.panels[0].y.ticks.iter();
    ticks.map(|(_, text)| text.as_str()).collect()
}

#[test]
fn elements_of_runs_side_by_side_are_chosen_by_name() {
    let (a, b) = (chains(2, 40, 60), islands(&[-1.0; 2]));
    let both = runs([("nuts", &a), ("psmc", &b)]);
    let figure = both.forest().expect("two runs");
    assert!(
        figure
            .description()
            .contains("40 of 61 elements are shown.")
    );
    assert!(
        figure
            .description()
            .ends_with("`plot::runs([..]).of([..]).forest()` shows others.")
    );
    let chosen = both.of(["beta[50]", "mu"]).forest().expect("two runs");
    assert_eq!(rows(&chosen), ["beta[50]", "mu"]);
    assert!(!chosen.description().contains("are shown"));
    // the shorter run has no `beta[50]`
    let medians = marks(&chosen, "median");
    assert_eq!(medians.iter().map(|m| m.len()).collect::<Vec<_>>(), [2, 1]);
    // an element of the second run only has a row too
    let turned = runs([("psmc", &b), ("nuts", &a)]).of(["beta[50]"]);
    assert_eq!(rows(&turned.forest().expect("nuts has it")), ["beta[50]"]);
    let unknown = runs([("psmc", &b), ("nuts", &a)]).of(["bta"]).forest();
    assert!(message(unknown).contains("did you mean `beta`?"));
}
