//! Runs that are fitted again, to other data or with a part of the formula changed.

use crate::{of, table};
use bayes::prelude::*;
use bayes_formula::{Family, Formula, Link, Prior, Regression, formula};

const DOSES: &str =
    "cured,dose,clinic\n0,1,a\n1,3,a\n0,2,b\n1,2.5,b\n0,1.5,c\n1,2,c\n1,3,c\n0,2.5,a\n";

fn run(regression: &Regression) -> Run {
    let nuts = Inference::nuts().chains(2).draws(20).burn_in(20);
    nuts.seed(3)
        .progress(false)
        .run(regression)
        .expect("it runs")
}

#[test]
fn a_run_is_fitted_again_with_its_formula_family_link_and_priors() {
    let first = formula("cured ~ . - clinic + (1 | clinic)")
        .and_then(|said| said.link_of_text("probit"))
        .expect("it is read")
        .family(Family::Bernoulli)
        .prior("b[dose]", Prior::normal(0.5, 0.1))
        .drop_missing(true);
    let run = run(&first.on(&of(DOSES)).expect("it fits"));
    // a column that `.` did not mean, doses of another scale, and a row without a dose
    let more = "cured,dose,clinic,late\n0,10,a,1\n1,30,a,2\n0,20,b,1\n1,25,b,0\n0,,c,1\n1,20,c,3\n";
    let again = Formula::of_run(&run).expect("it has all");
    let again = again.on(&of(more)).expect("it fits");
    assert_eq!((again.rows(), again.family()), (5, Family::Bernoulli));
    let by_hand = formula("cured ~ dose + (1 | clinic)").expect("it is read");
    let by_hand = by_hand.family(Family::Bernoulli).link(Link::Probit);
    let by_hand = by_hand
        .prior("b[dose]", Prior::normal(0.5, 0.1))
        .drop_missing(true);
    let by_hand = by_hand.on(&of(more)).expect("it fits");
    assert_eq!(again.priors().to_string(), by_hand.priors().to_string());
    assert_eq!(
        crate::updates::run(&again).draws("b").expect("there are"),
        crate::updates::run(&by_hand).draws("b").expect("there are")
    );
}

#[test]
fn what_is_changed_takes_the_place_of_what_was_there() {
    let first = formula("cured ~ dose + (1 + dose | clinic)").expect("it is read");
    let first = first
        .prior("b", Prior::normal(0.0, 0.1))
        .correlation_prior(3.0);
    let run = run(&first.on(&of(DOSES)).expect("it fits"));
    let kept = || Formula::of_run(&run).expect("it has all");
    assert_eq!(
        kept().to_string(),
        "cured ~ dose + (1 + dose | clinic), gaussian; b ~ normal(0, 0.1), cor ~ lkj(3), and default priors"
    );
    // the default link of the new family, in place of that of the first
    let other = kept().family(Family::Bernoulli).with_default_priors();
    assert_eq!(
        other.to_string(),
        "cured ~ dose + (1 + dose | clinic), bernoulli; default priors"
    );
    let other = other.on(&of(DOSES)).expect("it fits");
    let prior = |of: &Regression, name: &str| {
        let all = of.priors().to_string();
        let line = all.lines().find(|line| line.starts_with(name));
        line.unwrap_or_else(|| panic!("{name}: {all}")).to_owned()
    };
    assert!(prior(&other, "b[dose]").contains("~ normal(0, 3."));
    let text = kept()
        .with_text("cured ~ dose + I(dose^2) + (1 + dose | clinic)")
        .expect("it is read");
    let text = text
        .prior("b[dose]", Prior::normal(1.0, 2.0))
        .on(&of(DOSES))
        .expect("it fits");
    assert!(prior(&text, "b[dose]").ends_with("~ normal(1, 2)"));
    assert!(prior(&text, "b[I(dose^2)]").ends_with("~ normal(0, 0.1)"));
}

#[test]
fn several_responses_keep_their_families() {
    let said = formula("Reaction ~ Days; Days ~ 1").expect("it is read");
    let said = said
        .family_of("Days", Family::Poisson)
        .link_of("Days", Link::Sqrt);
    let run = run(&said.on(&table("sleepstudy")).expect("it fits"));
    let kept = Formula::of_run(&run).expect("it has all");
    assert_eq!(
        kept.to_string(),
        "Reaction ~ Days; Days ~ 1, Reaction: gaussian, Days: poisson, link sqrt; default priors"
    );
    // one family for all forgets those of some
    let all = kept
        .family_of_text("gaussian")
        .and_then(|said| said.link_of_text("identity"));
    let all = all.expect("they are read").to_string();
    assert_eq!(
        all,
        "Reaction ~ Days; Days ~ 1, Reaction: gaussian, Days: gaussian; default priors"
    );
}

#[test]
fn a_run_of_an_earlier_version_is_refused() {
    let mut run = run(&formula("cured ~ dose")
        .expect("it is read")
        .on(&of(DOSES))
        .expect("it fits"));
    let recipe = run.recipe.as_mut().expect("it is of a formula");
    recipe.text = recipe.text.replace("\"chosen\":[]", "\"chosen\":null");
    let error = Formula::of_run(&run)
        .expect_err("it does not know them")
        .to_string();
    assert!(
        error.contains("did not keep which of its priors were chosen"),
        "{error}"
    );
}

/// Would detect an intercept whose prior seems to hold where the columns are 0.
#[test]
fn the_list_of_priors_says_where_intercepts_have_theirs() {
    let listed = |text: &str| {
        let regression = formula(text).and_then(|said| said.on(&of(DOSES)));
        regression.expect("it fits").priors().to_string()
    };
    let wanted = "(the priors of intercepts hold where all columns are at their means: dose = 2.1875, clinicb = 0.25, clinicc = 0.375, sigma:dose = 2.1875)\n";
    assert!(listed("cured ~ dose + clinic; sigma ~ dose").contains(wanted));
    for without in ["cured ~ 1", "cured ~ 0 + dose"] {
        assert!(!listed(without).contains("at their means"), "{without}");
    }
}
