//! Messages for users of formulas: in their words, without names of the library's model.

use crate::{of, table};
use bayes::Error;
use bayes::prelude::*;
use bayes_formula::{Averaging, Regression, formula};

/// Names of the model, of its quantities and of their dimensions.
const INTERNAL: [&str; 4] = ["`regression`", "`z`", "`effect`", "statement"];

fn sleep() -> (Regression, Run) {
    let made = formula("Reaction ~ Days + (1 | Subject)").expect("a formula");
    let regression = made.on(&table("sleepstudy")).expect("it fits the table");
    let engine = Inference::nuts().chains(2).burn_in(50).draws(50);
    let run = engine.seed(1).progress(false).run(&regression);
    (regression, run.expect("it runs"))
}

/// Would detect quantities and dimensions of the model in the message, and an option that the answer has not.
#[test]
fn groups_that_the_run_has_not_seen_are_effects_in_the_words_of_the_summary() {
    let (regression, run) = sleep();
    let rows = of("Reaction,Days,Subject\n250,0,999\n260,1,308\n");
    let new = regression.of(&rows).expect("it fits");
    let drawn = |error: Error| (error.to_string(), true);
    let refused = |error: Error| (error.to_string(), false);
    let days = || new.contrasts(&run, "Days", &Averaging::new());
    for (text, may_draw) in [
        drawn(
            run.predict_with(&new, NewGroups::Refuse)
                .expect_err("it is new"),
        ),
        refused(run.loo(&new).expect_err("it is new")),
        refused(days().expect_err("it is new")),
        refused(new.r2(&run).expect_err("it is new")),
    ] {
        assert!(
            text.contains("`Reaction ~ Days + (1 | Subject), gaussian, 180 rows`"),
            "{text}"
        );
        assert!(
            text.contains("no effects `Subject:999:Intercept`;"),
            "{text}"
        );
        assert_eq!(text.contains("`--new-groups`"), may_draw, "{text}");
        assert_eq!(text.contains("the table of the fit"), !may_draw, "{text}");
        for word in INTERNAL {
            assert!(!text.contains(word), "`{word}` in: {text}");
        }
    }
}

/// Would detect standardised effects among the priors that are scaled: their distribution is part of what is learnt.
#[test]
fn the_sensitivity_scales_the_priors_of_a_formula_alone() {
    let (regression, run) = sleep();
    let found = run.sensitivity(&regression).expect("it is its run");
    for name in ["b", "intercept_at_means", "sd", "sigma"] {
        assert!(found.priors.iter().any(|p| p == name), "{:?}", found.priors);
    }
    assert!(!found.priors.iter().any(|p| p == "z"), "{:?}", found.priors);
    assert!(found.left_out.iter().any(|p| p == "z"), "{found:?}");
}

/// Would detect columns of JSON and of data frames that are there and cannot be found.
#[test]
fn a_column_with_a_blank_at_an_end_is_named_with_it() {
    let rows = bayes::data::Table::from_json(
        r#"[{"y ": 1, "Dose": 2}, {"y ": 2, "Dose": 3}, {"y ": 4, "Dose": 1}]"#,
    );
    let rows = rows.expect("it is a table");
    let refused = |text: &str| {
        let made = formula(text).expect("a formula");
        let error = made.on(&rows).err();
        error.expect("it is not there").to_string()
    };
    let blank = refused("y ~ Dose");
    assert!(
        blank.contains(
            "no column `y`; it has \"y \", whose name has blanks at an end: in backquotes, `y `"
        ),
        "{blank}"
    );
    let capital = refused("`y ` ~ dose");
    assert!(capital.contains("did you mean `Dose`?"), "{capital}");
    let other = refused("`y ` ~ something");
    assert!(other.contains("the table has Dose, \"y \""), "{other}");
    let made = formula("`y ` ~ Dose").expect("a formula");
    made.on(&rows).expect("the message says so");
}
