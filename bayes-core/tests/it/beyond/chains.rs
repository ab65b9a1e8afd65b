//! Chains that are all in one mode: R-hat is 1, and climbs from draws of the prior find the others.
//!
//! Mutations meant to be detected: a share that takes the draws for the whole posterior, a mass that is not divided by the share of the draws in
//! the ellipsoid, climbs from the draws alone, and a search that a setting or a short run does not leave out.

use super::posteriors::{Posterior, everyday, mixture, spike, two_modes};
use super::{lacked, lacks_maxima};
use bayes_core::density::LogDensity;
use bayes_core::diagnose::Warning;
use bayes_core::engine::{Chains, Inference};
use bayes_core::kernel::Nuts;
use bayes_core::run::Run;

fn nuts(seed: u64) -> Chains<Nuts> {
    Inference::nuts().seed(seed).progress(false)
}

fn run_on(posterior: &Posterior, seed: u64) -> Run {
    nuts(seed).run_on(posterior).expect("it runs")
}

fn has_converged(run: &Run) -> bool {
    let differ = |warning: &Warning| matches!(warning, Warning::ChainsDisagree(_));
    !run.warnings().iter().any(differ)
}

/// Each run has chains in both modes, which R-hat tells, or lacks one, which the search tells.
#[test]
fn a_mode_that_all_chains_miss_is_told_with_its_share() {
    let posterior = two_modes(2);
    let mut missed = 0;
    for seed in 1..=16 {
        let run = run_on(&posterior, seed);
        if !has_converged(&run) {
            continue;
        }
        missed += 1;
        let found = lacked(&run);
        let mean = run.mean("x").expect("it has draws")[0];
        let right = if mean > 0.0 { 0.3 } else { 0.7 };
        assert!((found.share - right).abs() < 0.03, "{seed} {found:?}");
        assert!(found.of_chains && !found.are_copies && found.log_evidence.is_none());
        let told = run.to_string();
        assert!(told.contains("R-hat does not show it"), "{told}");
    }
    assert!(missed >= 2, "{missed}");
}

#[test]
fn the_draws_do_not_depend_on_the_search() {
    let posterior = two_modes(2);
    let searched = run_on(&posterior, 1);
    let alone = nuts(1).search_beyond(false).run_on(&posterior);
    let alone = alone.expect("it runs");
    assert_eq!(searched.draws("x").unwrap(), alone.draws("x").unwrap());
    let [all, own] = [&searched, &alone].map(|run| run.counts().gradient_evaluations);
    // at most a 25th, or 1000
    assert!(
        own < all && all <= own + (own / 25).max(1000),
        "{own} {all}"
    );
    let climbs = |run: &Run| {
        run.groups[0]
            .chain()
            .expect("it is a chain")
            .climbs
            .is_some()
    };
    assert!(climbs(&searched) && !climbs(&alone));
    // MCMC∥: a mode may lack draws by chance
    let many = nuts(1).chains(64).draws(1).run_on(&posterior);
    assert!(!climbs(&many.expect("it runs")));
}

#[test]
fn copies_of_a_mixture_are_called_copies() {
    let posterior = mixture();
    let run = (1..=16)
        .map(|seed| run_on(&posterior, seed))
        .find(has_converged);
    let found = lacked(&run.expect("the chains of a seed are in one order"));
    assert!(found.are_copies, "{found:?}");
    assert!((found.share - 0.5).abs() < 0.05, "{found:?}");
}

/// Climbs that spend all gradients of a short run leave none for the curvature of their ends, and then nothing is told.
#[test]
fn short_runs_measure_the_maxima_that_they_find() {
    let posterior = two_modes(1);
    let mut searched = 0;
    for seed in 1..=8 {
        let run = nuts(seed).draws(250).run_on(&posterior).expect("it runs");
        let climbs = run.groups[0]
            .chain()
            .and_then(|chain| chain.climbs.as_ref());
        let found = climbs.map(|climbs| climbs.maxima.len());
        assert!(found.is_none_or(|found| found > 0), "{seed} {climbs:?}");
        searched += usize::from(found.is_some());
    }
    assert!(searched > 0);
}

/// Posteriors of one mode, and one whose modes the chains visit.
#[test]
fn chains_that_miss_nothing_are_not_warned() {
    let mut all = everyday();
    all.push(spike());
    for posterior in &all {
        for seed in 1..=3 {
            let run = run_on(posterior, seed);
            let climbs = run.groups[0]
                .chain()
                .and_then(|chain| chain.climbs.as_ref());
            assert!(climbs.is_some(), "{} {}", posterior.name, posterior.dim());
            assert!(!lacks_maxima(&run), "{} {seed} {run}", posterior.name);
        }
    }
}
