//! The two rules by which SMC finds step sizes.

use crate::common::NormalMean;
use bayes_core::density::Posterior;
use bayes_core::engine::{Inference, Island, Sampler, Schedule, Smc, StepSizeRule};
use bayes_core::kernel::{Hmc, Mass, Pcn};
use bayes_core::run::Run;

/// HMC whose step sizes are all equal.
fn plain() -> Hmc {
    let hmc = Hmc::new().target_acceptance(0.65).leapfrog_steps(3);
    hmc.jitter(0.0).halvings(0)
}

/// Eight islands of 64 particles: at least two blocks.
fn smc(kernel: Hmc, rule: StepSizeRule) -> Smc<Hmc> {
    let smc = Inference::psmc().islands(8).particles(64).kernel(kernel);
    let smc = smc.step_size_rule(rule).step_size_mixture(0.0).mutations(4);
    smc.seed(1).progress(false)
}

fn run(smc: &Smc<Hmc>) -> Run {
    let run = smc.run(&NormalMean::reference());
    run.expect("the model is valid")
}

/// Moves an island to the posterior, and passes on the known facts between two temperatures.
fn advance(sampler: &Sampler<'_>, mut tell: impl FnMut(&Island, &Island)) -> Island {
    let mut island = sampler.start(0).expect("the prior is proper");
    while !island.is_done() {
        let before = island.clone();
        sampler.advance(&mut island);
        tell(&before, &island);
    }
    island
}

fn steps(island: &Island) -> [f64; 2] {
    island.tunings.each_ref().map(|tuning| tuning.step_size)
}

#[test]
fn the_last_moves_of_a_half_decide_by_their_acceptance() {
    let model = NormalMean::reference();
    let posterior = Posterior::new(&model, 1).expect("the model is valid");
    let smc = smc(plain(), StepSizeRule::LastMoves);
    let sampler = smc.sampler(&posterior).expect("the settings are right");
    let mut temperatures = 0;
    advance(&sampler, |before, after| {
        let Some(found) = before.tuning_acceptance else {
            return;
        };
        temperatures += 1;
        assert_ne!(found[0], found[1]);
        let pairs = steps(after).into_iter().zip(steps(before));
        for ((after, before), found) in pairs.zip(found) {
            let ratio = after / before;
            let wanted = (found - 0.65).exp();
            assert!((ratio / wanted - 1.0).abs() < 1e-12, "{ratio} {wanted}");
        }
        // no step is halved: both acceptances belong to the same moves
        let all: f64 = before.acceptance.iter().sum();
        let mean = all / before.acceptance.len() as f64;
        assert!((mean - 0.5 * (found[0] + found[1])).abs() < 1e-12);
    });
    assert!(temperatures > 5, "{temperatures}");
}

#[test]
fn they_cost_nothing_after_the_first_temperature() {
    let spent = |rule| {
        let run = run(&smc(plain(), rule));
        let moves = run.groups.iter().flat_map(|group| group.history());
        let moves: usize = moves.map(|stage| stage.mutations * 64 * 3).sum();
        run.counts().gradient_evaluations as f64 / moves as f64
    };
    let (trials, last) = (spent(StepSizeRule::Trials), spent(StepSizeRule::LastMoves));
    assert!(last < trials - 0.1, "{last} {trials}");
    // the gradients of the prior draws, of the first trials, and before the first move of each temperature
    assert!(last < 1.3, "{last}");
}

/// A trajectory with a halved step is accepted with any step size, and does not count.
#[test]
fn steps_that_had_to_be_halved_were_too_long() {
    let last_step = |rule| {
        let hmc = Hmc::new().leapfrog_steps(3).mass(Mass::Identity);
        let smc = smc(hmc, rule);
        // the posterior is a quarter as wide at the second temperature, and then changes little
        let ladder = (20..=60).map(|k| f64::from(k) / 60.0);
        let ladder = Schedule::fixed([1e-4].into_iter().chain(ladder));
        let run = run(&smc.schedule(ladder));
        let last = run.groups.iter().filter_map(|group| group.history().last());
        last.map(|stage| stage.step_size).sum::<f64>() / 8.0
    };
    let [trials, last] = [StepSizeRule::Trials, StepSizeRule::LastMoves].map(last_step);
    assert!((0.6..1.6).contains(&(last / trials)), "{last} {trials}");
}

#[test]
fn the_posterior_is_the_same() {
    let rule = StepSizeRule::LastMoves;
    for smc in [
        smc(plain(), rule),
        smc(Hmc::new(), rule),
        smc(Hmc::new(), rule).step_size_mixture(2.0),
        smc(plain(), rule).pilot(128),
    ] {
        let run = run(&smc);
        let found = run.log_evidence_estimate();
        let found = found.expect("SMC has an evidence");
        let miss = (found.mean - NormalMean::LOG_EVIDENCE).abs();
        assert!(miss < 4.0 * found.se, "{found:?}");
        let mean = run.mean("mu").expect("it is sampled")[0];
        assert!((mean - NormalMean::MEAN).abs() < 0.04, "{mean}");
    }
}

#[test]
fn the_bits_are_the_same_for_any_number_of_threads() {
    for rule in [StepSizeRule::Trials, StepSizeRule::LastMoves] {
        let of = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            let pool = pool.expect("threads can be started");
            pool.install(|| run(&smc(plain(), rule))).log_evidence()
        };
        assert_eq!(of(1), of(4));
    }
}

#[test]
fn an_island_that_was_saved_goes_on_with_the_same_steps() {
    let model = NormalMean::reference();
    let posterior = Posterior::new(&model, 1).expect("the model is valid");
    let smc = smc(plain(), StepSizeRule::LastMoves);
    let sampler = smc.sampler(&posterior).expect("the settings are right");
    let whole = advance(&sampler, |_, _| {});
    let mut island = sampler.start(0).expect("the prior is proper");
    while !island.is_done() {
        sampler.advance(&mut island);
        let text = serde_json::to_string(&island).expect("it is plain data");
        let read = serde_json::from_str(&text).expect("it was written");
        island = sampler.restore(read).expect("it is of this sampler");
    }
    assert_eq!(steps(&island), steps(&whole));
    assert_eq!(island.log_evidence, whole.log_evidence);
}

#[test]
fn a_single_block_is_tuned_once() {
    let model = NormalMean::reference();
    let posterior = Posterior::new(&model, 1).expect("the model is valid");
    for rule in [StepSizeRule::Trials, StepSizeRule::LastMoves] {
        let smc = smc(plain(), rule).particles(8).states_kept(1);
        let smc = smc.posterior_states(1);
        let sampler = smc.sampler(&posterior).expect("the settings are right");
        advance(&sampler, |_, island| {
            assert_eq!(steps(island)[0], steps(island)[1]);
        });
    }
}

#[test]
fn the_bound_of_a_kernel_holds() {
    // near the prior pCN accepts more than wanted with any step, and its beta times the standard deviations of the particles is at most 1
    let ladder = Schedule::fixed([0.001, 0.002, 0.003, 0.004, 1.0]);
    let smc = Inference::smc().particles(256).kernel(Pcn::new());
    let smc = smc.step_size_rule(StepSizeRule::LastMoves).mutations(4);
    let smc = smc.schedule(ladder).step_size_mixture(0.0).progress(false);
    let run = smc.run(&NormalMean::reference());
    let run = run.expect("the model is valid");
    let near_prior = &run.groups[0].history()[..4];
    for stage in near_prior {
        assert!(stage.acceptance > 0.5, "{}", stage.acceptance);
        assert!((0.8..1.3).contains(&stage.step_size), "{}", stage.step_size);
    }
}
