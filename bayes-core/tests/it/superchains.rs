//! Superchains: chains that start from one point, and nested R-hat.
//!
//! Mutations meant to be detected: starts that are not shared, superchains numbered in another order than their starts, and R-hat in
//! place of nested R-hat.

use crate::common::NormalMean;
use crate::common::targets::TwoModes;
use bayes_core::diagnose::{Warning, rhat};
use bayes_core::engine::{Chains, Inference};
use bayes_core::kernel::Hmc;
use bayes_core::run::Run;

/// 256 chains that keep only their last state.
fn short(burn_in: usize) -> Chains<Hmc> {
    let chains = Inference::hmc().chains(256).burn_in(burn_in).draws(1);
    chains.seed(5).progress(false)
}

fn has_not_converged(run: &Run) -> bool {
    let warnings = run.warnings();
    warnings
        .iter()
        .any(|warning| matches!(warning, Warning::ChainsDisagree(found) if found.nested))
}

#[test]
fn chains_of_a_superchain_start_together_and_others_as_ever() {
    let still = Hmc::new().step_size(1e-9).leapfrog_steps(1);
    let starts = |chains: Chains<Hmc>| {
        let chains = chains.kernel(still.clone());
        let run = chains.run(&NormalMean::reference()).expect("it is valid");
        let numbers: Vec<_> = run
            .groups
            .iter()
            .map(|group| group.chain()?.superchain)
            .collect();
        let starts = run.map_draws(|draw| draw.values()[0]).concat();
        (starts, numbers)
    };
    let (apart, numbers) = starts(short(0));
    assert_eq!(numbers, [None; 256]);
    let (together, numbers) = starts(short(0).superchains(8));
    for (chain, start) in together.iter().enumerate() {
        assert_eq!(numbers[chain], Some(chain as u64 % 8));
        assert!((start - apart[chain % 8]).abs() < 1e-6, "{chain}");
    }
}

#[test]
fn chains_of_one_draw_show_whether_they_have_converged() {
    let converged = short(100).superchains(16).run(&NormalMean::reference());
    let converged = converged.expect("it is valid");
    assert_eq!(converged.warnings(), []);
    // a normal posterior whose variances between and within superchains have the ratio 1/16
    let r_hat = converged.summary().rows[0].r_hat;
    assert!((1.005..1.1).contains(&r_hat), "{r_hat}");
    // no chain leaves the mode in which it starts
    let stuck = short(100)
        .superchains(16)
        .run(&TwoModes)
        .expect("it is valid");
    assert!(has_not_converged(&stuck), "{stuck}");
    assert!(
        stuck
            .to_string()
            .contains("(r_hat is nested: 256 chains started from 16 points)")
    );
    // without superchains nothing reveals it
    let unknown = short(100).run(&TwoModes).expect("it is valid");
    assert!(
        matches!(unknown.warnings()[..], [Warning::ConvergenceUnknown(_)]),
        "{unknown}"
    );
}

#[test]
fn superchains_of_a_part_and_of_the_merged_run_are_those_of_the_whole() {
    let chains = || short(20).superchains(4);
    let model = NormalMean::reference();
    let whole = chains().run(&model).expect("it is valid");
    let parts = (0..2).map(|i| chains().shard(i, 2).run(&model).expect("it is valid"));
    let merged = Run::merge(parts).expect("they fit");
    let column = |run: &Run| run.map_draws(|draw| draw.values()[0]);
    assert_eq!(column(&merged), column(&whole));
    let numbers: Vec<usize> = (0..256).map(|chain| chain % 4).collect();
    let wanted = rhat::superchains(&column(&whole), &numbers);
    assert_eq!(merged.summary().rows[0].r_hat, wanted);
}
