//! Simulation-based calibration of formulas: every family with a column and groups, by NUTS.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example family_sbc -- --only NAME    families whose name contains this
//! ```
//!
//! For each simulation parameters are drawn from the priors of the formula and responses given them, the regression is fitted to these
//! responses, and the truth is ranked among 100 draws. A wrong density, simulator, link or prior makes the ranks non-uniform.
//!
//! Asserts that no family is rejected at the 1% level (Bonferroni over all quantities of all families), with `--quick` at the 0.01% level,
//! and that a wrong prior is rejected, which `--quick` only shows. In a row with `N` quantities, p is their smallest p value times `N`.

mod cases;

use bayes::Error;
use bayes::prelude::*;
use bayes::sbc::SbcReport;
use bayes_experiments::common::{Options, Report, number, or_fail};
use bayes_formula::Regression;
use cases::{CASES, Case};
use serde_json::{Value, json};

/// The significance level over the whole table.
const LEVEL: f64 = 0.01;
/// The same for the few simulations of `--quick`, for which the asymptotic distribution of the statistic is inaccurate.
const QUICK_LEVEL: f64 = 1e-4;
/// Simulations of each family, and in quick mode.
const SIMULATIONS: [usize; 2] = [400, 10];

fn main() {
    let names = ["--simulations", "--only"];
    let (options, [simulations, only]) = Options::with(names);
    let simulations = number(
        "--simulations",
        simulations,
        options.size(SIMULATIONS[0], SIMULATIONS[1]),
    );
    let only = only.unwrap_or_default();
    let report = Report::new("family_sbc", options);
    report.say(&format!(
        "{:<32} {:>4} {:>9}  {:<20} {:>6}",
        "", "N", "p", "smallest of", "ESS"
    ));
    let cases = CASES.iter().filter(|case| case.name.contains(&only));
    let mut rows: Vec<(&str, SbcReport)> = Vec::new();
    for case in cases {
        let model = or_fail(case.regression());
        let found = or_fail(calibrated(&model, &model, options, simulations));
        tell(&report, case.name, &found);
        rows.push((case.name, found));
    }
    assert!(!rows.is_empty(), "no family has `{only}` in its name");
    let quantities: usize = rows.iter().map(|(_, found)| found.quantities.len()).sum();
    let p_values = rows.iter().flat_map(|(_, found)| &found.quantities);
    let smallest = p_values.map(|q| q.p_value).fold(1.0, f64::min) * quantities as f64;
    report.say(&format!(
        "\nall {quantities} quantities together: p = {:.4}",
        smallest.min(1.0)
    ));
    let level = if options.quick { QUICK_LEVEL } else { LEVEL };
    assert!(smallest >= level, "a family is rejected");
    if only.is_empty() {
        wrong(&report, options, simulations);
    }
    finish(report, simulations, &rows);
}

/// Ranks of the quantities of `simulated` among draws of `fitted`.
fn calibrated(
    simulated: &Regression,
    fitted: &Regression,
    options: Options,
    simulations: usize,
) -> Result<SbcReport, Error> {
    let [burn_in, draws] = if options.quick {
        [200, 100]
    } else {
        [400, 250]
    };
    let chains = options.size(4, 2);
    sbc(simulated, |data, seed| {
        let engine = Inference::nuts().kernel(Nuts::new().target_acceptance(0.9));
        let engine = engine.chains(chains).burn_in(burn_in).draws(draws);
        engine.seed(seed).progress(false).run(&data.model(fitted))
    })
    .simulations(simulations)
    .seed(options.seed)
    .progress(false)
    .run()
}

fn tell(report: &Report, name: &str, found: &SbcReport) {
    let smallest = found
        .quantities
        .iter()
        .min_by(|a, b| a.p_value.total_cmp(&b.p_value));
    let worst = smallest.map_or("", |quantity| quantity.name.as_str());
    report.say(&format!(
        "{name:<32} {:>4} {:>9.4}  {worst:<20} {:>6.0}",
        found.quantities.len(),
        found.p_value(),
        median(&found.ess),
    ));
}

fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Gaussian responses whose `sigma` is from a prior that is twice as wide as the one of the fit: they must be rejected.
fn wrong(report: &Report, options: Options, simulations: usize) {
    report.say("\na deliberate mistake:");
    let right = &CASES[0];
    let wider = Case {
        priors: &["Intercept ~ normal(0, 1)", "sigma ~ gamma(4, 2)"],
        ..*right
    };
    let [simulated, fitted] = [&wider, right].map(|case| or_fail(case.regression()));
    let found = or_fail(calibrated(&simulated, &fitted, options, simulations));
    tell(report, "gaussian, another prior of sigma", &found);
    assert!(
        options.quick || !found.is_calibrated(LEVEL),
        "a wrong prior is not rejected: {found}"
    );
}

fn finish(mut report: Report, simulations: usize, rows: &[(&str, SbcReport)]) {
    let row = |(name, found): &(&str, SbcReport)| {
        let quantities = found.quantities.iter();
        let quantities = quantities.map(|q| json!({ "name": q.name, "p": q.p_value }));
        json!({ "family": name, "p": found.p_value(), "quantities": quantities.collect::<Vec<_>>() })
    };
    report.note("simulations", json!(simulations));
    report.note("families", Value::Array(rows.iter().map(row).collect()));
    report.finish();
}
