//! Names of quantities in hypotheses.

use crate::of;
use bayes::prelude::*;
use bayes_formula::{Family, formula, hypothesis};

/// A table with labels, columns and levels of unusual names.
fn rows() -> String {
    let mut text = String::from("y,x,\"my column\",grade,label,site,plot\n");
    for row in 0..24_usize {
        let x = (row as f64 * 1.3).sin();
        let label = ["a [b]", "c, d", "e > 1"][row % 3];
        let y = x + (row as f64 * 0.7).cos();
        let site = ["north = 1", "south"][row / 12];
        text += &format!(
            "{y},{x},{},{},\"{label}\",{site},{}\n",
            (row as f64).cos(),
            1 + row % 4,
            row / 4
        );
    }
    text
}

fn run(text: &str) -> Run {
    let made = formula(text).expect("a formula").family(Family::Gaussian);
    let regression = made.on(&of(&rows()));
    let regression = regression.unwrap_or_else(|error| panic!("{text}: {error}"));
    let engine = Inference::nuts().chains(1).draws(20).burn_in(20).seed(1);
    engine.progress(false).run(&regression).expect("it runs")
}

/// Would detect short names that are refused.
#[test]
fn the_beginning_of_a_name_is_enough_where_one_quantity_has_it() {
    let run = run("y ~ x + (1 | site)");
    for (short, whole) in [
        ("sd[site]", "sd[site:Intercept]"),
        ("sd", "sd[site:Intercept]"),
        ("r[site:south]", "r[site:south:Intercept]"),
        ("x", "b[x]"),
        ("Intercept", "intercept"),
        ("b", "b[x]"),
    ] {
        let [short, whole] = [short, whole].map(|name| {
            let asked = hypothesis(&run, &format!("{name} > .5"));
            let found = asked.unwrap_or_else(|error| panic!("{name}: {error}"));
            found.difference
        });
        assert_eq!(short, whole);
    }
    let error = hypothesis(&run, "r[site] > 0").expect_err("there are two sites");
    let text = error.to_string();
    assert!(
        text.contains("name one of r[site:north = 1:Intercept], r[site:south:Intercept]"),
        "{text}"
    );
    // coordinates of the sampler are not proposed
    let error = hypothesis(&run, "nothing > 0").expect_err("there is none");
    let text = error.to_string();
    assert!(!text.contains("at_means") && !text.contains("z["), "{text}");
}

/// Would detect a name of a column that leads to none of its coefficients.
#[test]
fn a_column_leads_to_the_coefficients_of_its_labels_and_functions() {
    let run = run("y ~ label + scale(x) + grade:label");
    for (asked, wanted) in [
        (
            "label",
            "no quantity `label`; the coefficients of this column are b[labelc; d], b[labele > 1], b[labela (b):grade]",
        ),
        ("x", "the coefficients of this column are b[scale(x)]"),
        ("b[x]", "the coefficients of this column are b[scale(x)]"),
        ("site", "no quantity `site`; there are"),
    ] {
        let error = hypothesis(&run, &format!("{asked} > 0")).expect_err("there are several");
        let text = error.to_string();
        assert!(text.contains(wanted), "{text}");
    }
}

/// Would detect a scale of larger groups that cannot be told from the one of the smaller ones.
#[test]
fn scales_of_nested_groups_are_told_apart() {
    let nested = run("y ~ x + (1 | site/plot)");
    for (short, whole) in [
        ("sd[site]", "sd[site:Intercept]"),
        ("sd[site:plot]", "sd[site:plot:Intercept]"),
    ] {
        let [short, whole] = [short, whole].map(|name| {
            let found = hypothesis(&nested, &format!("{name} > 0.5"));
            found.expect("it is a quantity").difference
        });
        assert_eq!(short, whole);
    }
    // a term as its user wrote it, without blanks
    let written = run("y ~ x + (1|site) + (1|site:plot)");
    let [short, whole] = ["sd[site]", "sd[site:Intercept]"].map(|name| {
        let found = hypothesis(&written, &format!("{name} > 0.5"));
        found.expect("it is a quantity").difference
    });
    assert_eq!(short, whole);
    // two scales of one group
    let slopes = run("y ~ x + (1 + x | site)");
    let error = hypothesis(&slopes, "sd[site] > 0.5").expect_err("there are two");
    assert!(error.to_string().contains("several elements"), "{error}");
}

/// Would detect an answer about the groups of the spread to a question about the ones of the response.
#[test]
fn scales_of_the_spread_have_its_name() {
    let spread = run("y ~ x; sigma ~ 1 + (1 | plot)");
    let error = hypothesis(&spread, "sd[plot] > 0.5").expect_err("the response has no groups");
    let text = error.to_string();
    assert!(text.contains("no quantity `sd[plot]`"), "{text}");
    let both = run("y ~ x + (1 | plot); sigma ~ 1 + (1 | plot)");
    for (short, whole) in [
        ("sd[plot]", "sd[plot:Intercept]"),
        ("sd[sigma:plot]", "sd[sigma:plot:Intercept]"),
    ] {
        let [short, whole] = [short, whole].map(|name| {
            let found = hypothesis(&both, &format!("{name} > 0.5"));
            found.expect("it is a quantity").difference
        });
        assert_eq!(short, whole);
    }
}

/// Whatever a summary prints as a row can be asked about.
#[test]
fn every_row_of_a_summary_is_a_quantity_of_hypotheses() {
    let run = run(
        "y ~ factor(label, base = \"c, d\") + poly(x, 2) + mo(grade) + s(`my column`, k = 4) \
         + (1 + x | site/plot); sigma ~ 1 + (1 | plot)",
    );
    let summary = run.summary();
    assert!(summary.rows.len() > 30, "{summary}");
    for row in &summary.rows {
        let asked = hypothesis(&run, &format!("{} > 0.5", row.name));
        let found = asked.unwrap_or_else(|error| panic!("{}: {error}", row.name));
        let mean = found.difference.mean.mean + 0.5;
        assert!(
            (mean - row.mean).abs() < 1e-9 * (1.0 + mean.abs()),
            "{}",
            row.name
        );
    }
}
