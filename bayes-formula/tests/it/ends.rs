//! Ends of observation: what would have been censored where it was not.

use crate::refusals::refusal;
use crate::{log_likelihood, of};
use bayes::model::OnData;
use bayes::prelude::*;
use bayes_formula::{Family, Regression, formula};
use std::collections::BTreeMap;

const TIMES: &str = "\
time,status,stop,x
0.4,1,2.0,-1.0
1.1,1,2.0,0.3
2.0,0,2.0,0.8
0.9,1,2.0,1.4
1.5,0,1.5,-0.2
1.7,1,2.0,2.1
";

/// The mutations that it detects: an observed row with an end has the likelihood of a censored one; predictions go beyond the end.
#[test]
fn ends_of_observation_change_predictions_and_no_likelihood() {
    let made = |text: &str| {
        let made = formula(text).and_then(|formula| formula.family(Family::Weibull).on(&of(TIMES)));
        made.unwrap_or_else(|error| panic!("{text}: {error}"))
    };
    let plain = made("time | cens(1 - status) ~ x");
    let ended = made("time | cens(1 - status, end = stop) ~ x");
    let engine = || Inference::nuts().chains(1).draws(200).burn_in(200).seed(2);
    let [run, other] = [&plain, &ended].map(|model| {
        let run = engine().progress(false).run(model);
        run.expect("the posterior is proper")
    });
    // draws of the two would part at the least difference of their densities
    assert_eq!(run.groups[0].draws, other.groups[0].draws);
    let predicted = |run: &Run, model: &Regression| {
        let prediction = run.predict(model).expect("its own model");
        let draws = prediction.draws("y").expect("the response");
        let beyond = draws.rows().flatten().filter(|time| **time > 2.0).count();
        (beyond, prediction.notes().len())
    };
    let (beyond, notes) = predicted(&run, &plain);
    assert!(beyond > 0 && notes == 1, "{beyond}, {notes}");
    assert_eq!(predicted(&other, &ended), (0, 0));
}

fn ended(rows: &str) -> Regression {
    let formula = formula("time | cens(1 - status, end = stop) ~ x").expect("it is a formula");
    let made = formula.family(Family::Weibull).on(&of(rows));
    made.unwrap_or_else(|error| panic!("{error}"))
}

fn run(model: &Regression) -> Run {
    let engine = Inference::nuts().chains(1).draws(200).burn_in(200).seed(2);
    let run = engine.progress(false).run(model);
    run.expect("the posterior is proper")
}

/// The largest prediction of each row.
fn largest(run: &Run, model: &Regression) -> Vec<f64> {
    let prediction = run.predict(model).expect("its own columns");
    let draws = prediction.draws("y").expect("the response");
    let rows = 0..model.rows();
    rows.map(|i| draws.rows().map(|draw| draw[i]).fold(0.0, f64::max))
        .collect()
}

/// The mutations that it detects: a response at the end has no end; it has the likelihood of a censored one; a simulated response there
/// has the likelihood of one that was seen.
#[test]
fn a_response_at_its_end_was_seen() {
    let at = TIMES.replace("1.7,1,2.0", "2.0,1,2.0");
    let plain = formula("time | cens(1 - status) ~ x").expect("it is a formula");
    let plain = plain.family(Family::Weibull).on(&of(&at));
    let plain = plain.expect("it fits the table");
    let model = ended(&at);
    let draws = run(&model);
    assert_eq!(run(&plain).groups[0].draws, draws.groups[0].draws);
    // among 200 draws of each row some are beyond, unless they are censored
    assert_eq!(largest(&draws, &model), [2.0, 2.0, 2.0, 2.0, 1.5, 2.0]);

    // simulated data say nothing else of a response at the end than that it is censored there
    let simulated = |model: &Regression, last: f64| {
        let times = vec![0.41, 1.1, 2.0, 0.9, 1.5, last];
        let model = OnData::new(model, BTreeMap::from([("y", times)]));
        let positions = draws.groups[0].positions.chunks(draws.layout.dim);
        let all = positions.map(|position| log_likelihood(&model, position));
        all.collect::<Vec<f64>>()
    };
    let censored = ended(&TIMES.replace("1.7,1,2.0", "2.0,0,2.0"));
    assert_eq!(simulated(&model, 2.0), simulated(&censored, 2.0));
    assert_eq!(simulated(&model, 1.9), simulated(&censored, 1.9));
    assert_ne!(simulated(&model, 2.0), simulated(&model, 1.9));
    assert_ne!(draws.groups[0].draws, run(&censored).groups[0].draws);
}

/// The mutation that it detects: responses are accepted after the end of their observation, seen or censored.
#[test]
fn responses_after_their_end_are_refused() {
    for status in [0, 1] {
        let late = TIMES.replace("1.7,1,2.0", &format!("1.7,{status},1.6"));
        let text = "time | cens(1 - status, end = stop) ~ x";
        let message = refusal(text, Family::Weibull, &late);
        let wanted = "the observation of row 6 ended at 1.6 (`stop`), before its response 1.7";
        assert!(message.contains(wanted), "{status}: {message}");
    }
}

/// The mutations that it detects: ends are lost where the status is missing, or where the response is.
#[test]
fn new_rows_keep_their_ends() {
    let draws = run(&ended(TIMES));
    for table in [
        "x,stop\n2.0,0.5\n-1.0,0.25\n",
        "x,stop,time,status\n2.0,0.5,,0\n-1.0,0.25,,1\n",
    ] {
        let new = Regression::of_run_to_predict(&draws, &of(table));
        let new = new.unwrap_or_else(|error| panic!("{table}: {error}"));
        assert_eq!(largest(&draws, &new), [0.5, 0.25], "{table}");
    }
    let without = Regression::of_run_to_predict(&draws, &of("x\n2.0\n"));
    let without = without.expect("predictions need no end");
    assert!(largest(&draws, &without)[0] > 2.0);
}
