//! NaN during the burn-in of chains.

use bayes_core::density::{Block, LogDensity, Prior};
use bayes_core::diagnose::Warning;
use bayes_core::engine::Inference;
use bayes_core::rng::Stream;
use bayes_core::run::Run;

/// A standard normal density without a value above 12, where chains start at 11.9.
struct Cliff;

impl LogDensity for Cliff {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(|x| {
            let likelihood = if x[0] > 12.0 { f64::NAN } else { 0.0 };
            [-0.5 * x[0] * x[0], likelihood]
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Cliff {
    fn draw(&self, _: &mut Stream, position: &mut [f64]) {
        position[0] = 11.9;
    }
}

fn run(draws: usize) -> Run {
    let engine = Inference::hmc().chains(8).burn_in(300).draws(draws);
    let run = engine.seed(1).progress(false).run_on(&Cliff);
    run.expect("the start has a density")
}

fn warns(run: &Run) -> bool {
    let mut warnings = run.warnings().into_iter();
    warnings.any(|warning| matches!(warning, Warning::NanDensity(_)))
}

/// Mutations meant to be detected: no record of the end of the burn-in, and a record if the
/// burn-in is the whole run.
#[test]
fn they_are_no_warning_where_draws_follow() {
    let long = run(200);
    let count = &long.counts().non_finite[&0];
    assert!(
        count.nan > 0 && count.nan == count.nan_in_burn_in,
        "{count:?}"
    );
    assert!(count.first_nan_in_burn_in.is_some(), "{count:?}");
    assert!(!warns(&long), "{long}");
    assert!(
        long.to_string().contains("too rare after the burn-in"),
        "{long}"
    );
    // the table of failures lists them all the same
    let failure = &long.failures().rows[0];
    assert!(failure.times == count.nan && failure.first.is_some());
    // chains that keep only their last state consist of a burn-in
    let last = run(1);
    assert_eq!(last.counts().non_finite[&0].nan_in_burn_in, 0);
    assert!(warns(&last), "{last}");
}
