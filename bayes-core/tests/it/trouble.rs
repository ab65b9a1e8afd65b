//! Runs that cannot succeed, and their messages to the user.
//!
//! `a_step_that_leads_nowhere_is_reported` fails without the rule, and with a bound of 0 on the distance.
//! `a_ladder_that_would_not_end_is_stopped` runs into 10 000 temperatures without the forecast, and
//! `a_ladder_of_least_steps_is_stopped_at_once` into 500 of 200 mutation steps without its early forecast.
//! `log_likelihoods_that_rounding_makes_equal_are_no_end_of_a_ladder` ends in a run of prior draws if the end of the ladder is not
//! checked, and `a_count_of_any_size_is_found_from_any_prior` with a least step of 1e-12.

use crate::common::{Counted, NormalMean};
use bayes_core::Error;
use bayes_core::diagnose::Warning;
use bayes_core::engine::{Inference, Schedule, Smc};
use bayes_core::kernel::Hmc;

fn smc() -> Smc<Hmc> {
    let smc = Inference::psmc().islands(2).particles(64);
    smc.kernel(Hmc::new()).seed(1).progress(false)
}

#[test]
fn a_step_that_leads_nowhere_is_reported() {
    for step_size in [1e-6, 1e-300] {
        let run = smc().kernel(Hmc::new().step_size(step_size));
        let run = run.run(&NormalMean::reference()).expect("a valid setting");
        let warnings = run.warnings();
        let found = warnings.iter().find_map(|warning| match warning {
            Warning::StuckParticles(found) => Some(found),
            _ => None,
        });
        let found = found.expect("no particle moves");
        assert_eq!((found.islands, found.of), (2, 2), "{run}");
        assert!(found.moved < 1e-3, "{found:?}");
    }
}

#[test]
fn a_step_that_is_tuned_is_not_stuck() {
    let run = Inference::psmc().seed(1).run(&NormalMean::reference());
    let run = run.expect("a valid run");
    let stuck = |warning: &Warning| matches!(warning, Warning::StuckParticles(_));
    assert!(!run.warnings().iter().any(stuck), "{run}");
}

#[test]
fn a_ladder_that_would_not_end_is_stopped() {
    let model = NormalMean { y: vec![1e8] };
    let error = smc()
        .run(&model)
        .map(|_| ())
        .expect_err("the datum is too far away");
    let Error::Ladder {
        temperatures,
        forecast,
        ..
    } = &error
    else {
        panic!("another error: {error}");
    };
    assert_eq!(*temperatures, 500);
    assert!(*forecast > 1e6, "{error}");
    assert!(
        error
            .to_string()
            .contains("Use a prior that covers the data"),
        "{error}"
    );
}

#[test]
fn a_ladder_of_least_steps_is_stopped_at_once() {
    let outcome = smc().run(&NormalMean { y: vec![1e12] }).map(|_| ());
    let Err(Error::Ladder { temperatures, .. }) = &outcome else {
        panic!("the datum is too far away: {outcome:?}");
    };
    assert_eq!(*temperatures, 100);
    let text = outcome.expect_err("as above").to_string();
    assert!(text.contains(" alone is -"), "{text}");
}

#[test]
fn log_likelihoods_that_rounding_makes_equal_are_no_end_of_a_ladder() {
    // the log likelihoods of all prior draws are -7.8e299
    let model = NormalMean { y: vec![1e150] };
    let interacting = smc().schedule(Schedule::fixed([1e-300, 1.0]));
    for smc in [smc(), interacting.interacting(0.5)] {
        let outcome = smc.run(&model).map(|_| ());
        let Err(Error::Resolution { spacing, .. }) = &outcome else {
            panic!("the datum is too far away: {outcome:?}");
        };
        assert!(*spacing > 1e283, "{outcome:?}");
    }
}

#[test]
fn a_count_of_any_size_is_found_from_any_prior() {
    // the log likelihood rises by 1.8e19 for each unit of the log rate, whose prior draws end at 15 or at 55
    for expected in [0.0, 40.0] {
        let run = smc().run(&Counted {
            k: u64::MAX,
            expected,
        });
        let run = run.expect("a posterior");
        let mean = run.mean("log_rate").expect("it is random")[0];
        let right = 64.0 * std::f64::consts::LN_2;
        assert!((mean - right).abs() < 1e-8, "{mean}");
    }
}
