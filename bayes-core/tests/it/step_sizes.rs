//! The two rules by which SMC finds step sizes.

use crate::common::NormalMean;
use bayes_core::engine::{Inference, Schedule, StepSizeRule};
use bayes_core::kernel::{Hmc, Moves, Mutation, Pcn};
use bayes_core::run::Run;

fn run<K: Mutation + Moves<NormalMean>>(kernel: K, rule: StepSizeRule, seed: u64) -> Run {
    let smc = Inference::psmc().islands(8).particles(64).kernel(kernel);
    let smc = smc.step_size_rule(rule).step_size_mixture(0.0).mutations(4);
    let run = smc.seed(seed).progress(false).run(&NormalMean::reference());
    run.expect("the model is valid")
}

fn short() -> Hmc {
    Hmc::new()
        .target_acceptance(0.65)
        .leapfrog_steps(3)
        .jitter(0.0)
        .halvings(0)
}

/// The ratios of each step size to that of the temperature before, beside the acceptance there.
fn ratios(run: &Run) -> Vec<[f64; 2]> {
    let histories = run.groups.iter().map(|group| &group.history);
    let pairs = histories.flat_map(|history| history.windows(2));
    pairs
        .map(|pair| [pair[1].step_size / pair[0].step_size, pair[0].acceptance])
        .collect()
}

#[test]
fn the_last_moves_decide_by_their_acceptance() {
    let found = ratios(&run(short(), StepSizeRule::LastMoves, 1));
    assert!(found.len() > 40, "{}", found.len());
    for [ratio, acceptance] in found {
        let wanted = (acceptance - 0.65).exp();
        assert!((ratio / wanted - 1.0).abs() < 1e-12, "{ratio} {wanted}");
    }
}

#[test]
fn they_cost_nothing_after_the_first_temperature() {
    let (trials, last) = (
        run(short(), StepSizeRule::Trials, 1),
        run(short(), StepSizeRule::LastMoves, 1),
    );
    let spent = |run: &Run| {
        let moves = run.groups.iter().flat_map(|group| &group.history);
        let moves: usize = moves.map(|stage| stage.mutations * 64 * 3).sum();
        run.counts().gradient_evaluations as f64 / moves as f64
    };
    let (trials, last) = (spent(&trials), spent(&last));
    assert!(last < trials - 0.1, "{last} {trials}");
    // the gradients of the prior draws, of the first trials, and before the first of each temperature's moves
    assert!(last < 1.3, "{last}");
}

#[test]
fn the_posterior_is_the_same() {
    for seed in 1..=2 {
        for run in [
            run(short(), StepSizeRule::LastMoves, seed),
            run(Hmc::new(), StepSizeRule::LastMoves, seed),
        ] {
            let found = run.log_evidence_estimate();
            let found = found.expect("SMC has an evidence");
            let miss = (found.mean - NormalMean::LOG_EVIDENCE).abs();
            assert!(miss < 4.0 * found.se, "{found:?}");
            let mean = run.mean("mu").expect("it is sampled")[0];
            assert!((mean - NormalMean::MEAN).abs() < 0.04, "{mean}");
        }
    }
}

#[test]
fn the_bound_of_a_kernel_holds() {
    // near the prior pCN accepts more than is wanted with any step, and its beta times the standard deviations of the particles is at most 1
    let ladder = Schedule::fixed([0.001, 0.002, 0.003, 0.004, 1.0]);
    let smc = Inference::smc().particles(256).kernel(Pcn::new());
    let smc = smc.step_size_rule(StepSizeRule::LastMoves).mutations(4);
    let smc = smc.schedule(ladder).step_size_mixture(0.0).progress(false);
    let run = smc.run(&NormalMean::reference());
    let run = run.expect("the model is valid");
    let near_prior = &run.groups[0].history[..4];
    for stage in near_prior {
        assert!(stage.acceptance > 0.5, "{}", stage.acceptance);
        assert!((0.8..1.3).contains(&stage.step_size), "{}", stage.step_size);
    }
}
