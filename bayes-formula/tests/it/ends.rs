//! Ends of observation: what would have been censored where it was not.

use crate::of;
use crate::refusals::refusal;
use bayes::prelude::*;
use bayes_formula::{Family, Regression, formula};

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
        let draws = prediction.draws("time").expect("the response");
        let beyond = draws.rows().flatten().filter(|time| **time > 2.0).count();
        (beyond, prediction.notes().len())
    };
    let (beyond, notes) = predicted(&run, &plain);
    assert!(beyond > 0 && notes == 1, "{beyond}, {notes}");
    assert_eq!(predicted(&other, &ended), (0, 0));

    let late = TIMES.replace("1.7,1,2.0", "1.7,1,1.6");
    let message = refusal(
        "time | cens(1 - status, end = stop) ~ x",
        Family::Weibull,
        &late,
    );
    assert!(
        message.contains("the observation of row 6 ended at 1.6 (`stop`), and its response is 1.7 and not censored"),
        "{message}"
    );
}
