//! What is said of a regression before it is fitted.

use crate::of;
use bayes_formula::{Family, formula};

/// Sixteen rows, with a group for each, groups of four, and groups of which four have two rows.
fn notes(text: &str, family: Family) -> Vec<String> {
    let mut rows = String::from("y,z,k,n,x,s,id,g,some\n");
    for row in 0..16_usize {
        let x = (row as f64 * 1.3).sin();
        let some = if row < 8 { row / 2 } else { row };
        rows += &format!(
            "{x},{},{},1,{x},0.3,i{row},g{},s{some}\n",
            x.cos(),
            row % 2,
            row / 4
        );
    }
    let regression = formula(text)
        .expect("a formula")
        .family(family)
        .on(&of(&rows));
    let regression = regression.unwrap_or_else(|error| panic!("{text}: {error}"));
    regression.notes()
}

#[test]
fn groups_of_a_row_each_are_told_before_the_run() {
    assert_eq!(
        notes("y ~ x + (1 | id)", Family::Gaussian),
        [
            "`(1 | id)` has a single row in all of its 16 groups: the data tell `sd[id:Intercept]` and `sigma` only together, and the priors divide the \
             spread between them"
        ]
    );
    assert_eq!(
        notes("y ~ x + (1 | some)", Family::StudentT),
        [
            "`(1 | some)` has a single row in 8 of its 12 groups: the data hardly tell `sd[some:Intercept]` and `sigma` apart, and the priors divide the \
             spread between them"
        ]
    );
    assert_eq!(
        notes("k ~ x + (1 | g/id)", Family::Bernoulli),
        [
            "`(1 | g:id)` has a single row in all of its 16 groups: the data say hardly anything about `sd[g:id:Intercept]`, which stays near its prior"
        ]
    );
    // with a linear predictor the spread is no quantity of its own
    assert_eq!(
        notes("y ~ x + (1 | id); sigma ~ x", Family::Gaussian),
        [
            "`(1 | id)` has a single row in all of its 16 groups: the data tell `sd[id:Intercept]` and the spread of a row only together, and the priors \
             divide the spread between them"
        ]
    );
    let two = notes("y ~ x + (1 | id); z ~ x", Family::Gaussian);
    let words = "`sd[y:id:Intercept]` and `sigma[y]` only together";
    assert!(two.len() == 1 && two[0].contains(words), "{two:?}");
    let one_of_two = notes("y ~ x + (1 | id); z ~ x; sigma ~ x", Family::Gaussian);
    let words = "`sd[y:id:Intercept]` and `sigma` only together";
    assert!(one_of_two.concat().contains(words), "{one_of_two:?}");
    let trials = notes("k | trials(n) ~ x + (1 | id)", Family::Binomial);
    assert!(trials.concat().contains("hardly anything"), "{trials:?}");
    let counts = notes("k ~ x + (1 | id)", Family::NegativeBinomial);
    assert!(
        counts.concat().contains("`shape` only together"),
        "{counts:?}"
    );
}

/// Counts with the mean as variance and known errors leave a larger spread to the groups; repeated rows tell both apart.
#[test]
fn groups_whose_scale_the_data_tell_have_no_note() {
    for (text, family) in [
        ("y ~ x + (1 | g)", Family::Gaussian),
        ("k ~ x + (1 | id)", Family::Poisson),
        ("y | se(s) ~ x + (1 | id)", Family::Gaussian),
        ("y ~ x + (0 + x | id)", Family::Gaussian),
    ] {
        assert_eq!(notes(text, family), [""; 0], "{text}");
    }
    let added = notes("y | se(s, sigma = TRUE) ~ x + (1 | id)", Family::Gaussian);
    assert_eq!(added.len(), 1, "{added:?}");
}

/// Would detect separation without a note, and false alarms where one row is on the other side.
#[test]
fn columns_that_separate_successes_are_told_before_the_run() {
    let notes = |text: &str, family: Family, rows: &str| {
        let made = formula(text).expect("a formula").family(family);
        made.on(&of(rows)).expect("it fits").notes()
    };
    let table = |last: &str| {
        format!("y,n,x,g\n0,2,1,a\n0,2,2,a\n0,2,3.5,b\n1,2,4,b\n1,2,6,c\n{last},2,5,c\n")
    };
    assert_eq!(
        notes("y ~ x", Family::Bernoulli, &table("1")),
        [
            "all successes have `x` at 4 or more, and all failures at 3.5 or less: the data bound `b[x]` on one side alone, and its prior on the other"
        ]
    );
    // no failure among the labels `c`
    assert_eq!(
        notes("y ~ g", Family::Bernoulli, &table("1")),
        [
            "all successes have `gc` at 0 or more, and all failures at 0 or less: the data bound `b[gc]` on one side alone, and its prior on the other"
        ]
    );
    assert!(notes("y ~ x", Family::Bernoulli, &table("0")).is_empty());
    assert!(notes("y | trials(n) ~ x", Family::Binomial, &table("2")).is_empty());
    assert!(notes("y ~ x", Family::Gaussian, &table("1")).is_empty());
}

/// Would detect names of coefficients that no run of several responses has.
#[test]
fn separated_columns_of_several_responses_have_the_names_of_the_run() {
    let rows = of("u,v,x\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n");
    let made = formula("u ~ x; v ~ x").expect("a formula");
    let made = made.family(Family::Bernoulli);
    let notes = made.on(&rows).expect("it fits").notes();
    assert_eq!(
        notes,
        [
            "all successes have `x` at 3 or more, and all failures at 2 or less: the data bound `b[u:x]` on one side alone, and its prior on the other"
        ]
    );
}

/// Would detect an alarm where no intercept moves along with the coefficient: `b` towards infinity makes the failures impossible.
#[test]
fn without_an_intercept_zero_is_between_successes_and_failures() {
    let notes = |text: &str, rows: &str| {
        let made = formula(text).expect("a formula").family(Family::Bernoulli);
        made.on(&of(rows)).expect("it fits").notes().concat()
    };
    let positive = "y,x\n0,1\n0,2\n1,3\n1,4\n";
    assert_eq!(notes("y ~ 0 + x", positive), "");
    assert!(notes("y ~ x", positive).contains("`b[x]`"));
    let both = "y,x\n0,-1\n0,-2\n1,3\n1,4\n";
    assert!(notes("y ~ 0 + x", both).contains("`b[x]`"));
    // the labels are an intercept
    let labels = "y,x,g\n0,1,a\n0,2,b\n1,3,a\n1,4,b\n";
    let found = notes("y ~ 0 + g + x", labels);
    assert!(
        found.contains("`b[x]`") && !found.contains("`b[g"),
        "{found}"
    );
    let one_side = "y,g\n0,a\n1,a\n1,b\n1,b\n";
    let found = notes("y ~ 0 + g", one_side);
    assert!(
        found.contains("`b[gb]`") && !found.contains("`b[ga]`"),
        "{found}"
    );
}
