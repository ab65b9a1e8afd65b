//! The change of the evidence if default priors are twice as wide, against regressions with these priors.

use crate::{of, table};
use bayes::data::Table;
use bayes::prelude::*;
use bayes::sensitivity::EvidenceSensitivity;
use bayes_formula::{Formula, Regression, formula};

/// A prior whose parameter with this number, from 0, is multiplied by this factor.
const WIDTHS: [(&str, usize, f64); 6] = [
    ("normal", 1, 2.0),
    ("student_t", 2, 2.0),
    ("logistic", 1, 2.0),
    ("half_student_t", 1, 2.0),
    ("inverse_gamma", 1, 2.0),
    ("gamma", 1, 0.5),
];

/// `normal(0, 2)` as `normal(0, 4)`; `None` for a prior without a width.
fn wider(prior: &str) -> Option<String> {
    let (name, rest) = prior.split_once('(')?;
    let (_, place, factor) = WIDTHS.iter().find(|(known, ..)| *known == name)?;
    let parameters = rest.split_once(')')?.0.split(", ").enumerate();
    let parameters = parameters.map(|(k, text)| {
        let number: f64 = text.parse().expect("it is a number");
        let factor = if k == *place { *factor } else { 1.0 };
        (number * factor).to_string()
    });
    Some(format!(
        "{name}({})",
        parameters.collect::<Vec<_>>().join(", ")
    ))
}

fn grades() -> Table {
    let rows = (0..30).map(|k| format!("{},{}\n", 1 + (7 * k) % 3, f64::from(k % 11) / 3.0));
    of(&format!("y,x\n{}", rows.collect::<String>()))
}

fn series() -> Table {
    let rows = (0..30).map(|k| {
        format!(
            "{},{},{k}\n",
            f64::from((k * k * 7) % 13),
            f64::from(k % 11) / 3.0
        )
    });
    of(&format!("y,x,time\n{}", rows.collect::<String>()))
}

fn said(text: &str, family: &str, priors: &[&str]) -> Formula {
    let said = formula(text).and_then(|said| said.family_of_text(family));
    let mut priors = priors.iter();
    let said = priors.try_fold(said.expect("it is read"), |said, prior| {
        said.prior_of_text(prior)
    });
    said.expect("they are read")
}

/// Formulas and tables, with the parameters whose priors were chosen.
fn cases() -> [(Formula, Table, &'static [&'static str]); 8] {
    let numbers = |text: &str, priors: &[&str]| said(text, "gaussian", priors);
    let inflated = "zero-inflated-negative-binomial";
    [
        (
            numbers("Reaction ~ Days + (1 | Subject)", &["b ~ normal(0, 20)"]),
            table("sleepstudy"),
            &["b[Days]"],
        ),
        (
            said("Reaction ~ Days", "frechet", &[]),
            table("sleepstudy"),
            &[],
        ),
        (
            said("y ~ x", "cumulative", &["cutpoints[1] ~ normal(-1, 1)"]),
            grades(),
            &["cutpoints[1]"],
        ),
        (numbers("y ~ x + ar(time, p = 2)", &[]), series(), &[]),
        (said("y ~ x; shape ~ x", inflated, &[]), series(), &[]),
        (
            numbers("y ~ x + I(x^2)", &["b ~ horseshoe()"]),
            series(),
            &["b[x]", "b[I(x^2)]"],
        ),
        (numbers("y ~ s(x) + gp(time)", &[]), series(), &[]),
        (
            numbers("y ~ x; time ~ x", &["sigma[y] ~ exponential(1)"]),
            series(),
            &["sigma[y]"],
        ),
    ]
}

/// The same formula with all priors but the chosen ones twice as wide.
fn with_wider_priors(said: &Formula, regression: &Regression, chosen: &[&str]) -> Formula {
    let listed = regression.priors().to_string();
    let pairs = listed.lines().filter_map(|line| line.split_once('~'));
    pairs.fold(said.clone(), |said, (name, prior)| {
        let (name, prior) = (name.trim(), prior.trim());
        match wider(prior).filter(|_| !chosen.contains(&name)) {
            Some(prior) => said
                .prior_of_text(&format!("{name} ~ {prior}"))
                .expect("it is a prior"),
            None => said,
        }
    })
}

/// Would detect a class of parameters that is left out or taken twice, and bounds that are forgotten.
#[test]
fn the_change_of_the_evidence_is_that_of_regressions_with_wider_priors() {
    for (said, table, chosen) in cases() {
        let regression = said.on(&table).expect("it fits");
        let nuts = Inference::nuts().chains(2).draws(40).burn_in(60);
        let run = nuts
            .seed(1)
            .progress(false)
            .run(&regression)
            .expect("it runs");
        let other = with_wider_priors(&said, &regression, chosen)
            .on(&table)
            .expect("it fits");
        let wanted = run
            .evidence_sensitivity(&regression, [("wide", other)])
            .expect("they fit");
        let found = regression.evidence_sensitivity(&run).expect("it fits");
        let found = found.expect("there are defaults");
        let numbers = |all: &EvidenceSensitivity| {
            let row = &all.rows[0];
            [
                row.log_bayes_factor.mean,
                row.log_bayes_factor.se,
                row.pareto_k,
            ]
        };
        let text = regression.formula();
        for (wanted, found) in numbers(&wanted).into_iter().zip(numbers(&found)) {
            let allowed = 1e-6 * (1.0 + wanted.abs());
            assert!((wanted - found).abs() < allowed, "{text}: {wanted} {found}");
        }
        assert!(numbers(&wanted)[0].abs() > 0.01, "{text}");
        // chains have no evidence
        assert_eq!(regression.evidence_in_words(&run).expect("it fits"), None);
    }
}

#[test]
fn without_default_priors_there_is_no_change() {
    let mut said = formula("y ~ x").expect("it is read");
    for prior in [
        "b ~ normal(0, 1)",
        "intercept ~ normal(0, 9)",
        "sigma ~ exponential(1)",
    ] {
        said = said.prior_of_text(prior).expect("it is a prior");
    }
    let regression = said.on(&series()).expect("it fits");
    let run = Inference::psmc()
        .islands(2)
        .particles(32)
        .seed(1)
        .progress(false)
        .run(&regression)
        .expect("it runs");
    assert_eq!(
        regression.evidence_sensitivity(&run).expect("it fits"),
        None
    );
    let line = regression.evidence_in_words(&run).expect("it fits");
    assert_eq!(line, None);
}
