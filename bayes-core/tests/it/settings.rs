//! Impossible settings and data are refused by name before anything is sampled.

use crate::common::NormalMean;
use bayes_autodiff::simd::InstructionSet;
use bayes_core::density::GradientMode;
use bayes_core::engine::{Chains, Inference, Smc};
use bayes_core::kernel::{Hmc, Kernel, Mass, Moves, Pcn};

fn smc_refusal<K: Kernel + Moves<NormalMean>>(engine: Smc<K>) -> String {
    engine
        .run(&NormalMean::reference())
        .expect_err("a setting is out of range")
        .to_string()
}

fn chains_refusal<K: Kernel + Moves<NormalMean>>(engine: Chains<K>) -> String {
    engine
        .run(&NormalMean::reference())
        .expect_err("a setting is out of range")
        .to_string()
}

#[test]
fn settings_of_smc_are_named() {
    let cases = [
        (
            smc_refusal(Inference::psmc().islands(0)),
            "setting `islands` is 0, must be from 1 to 1000000",
        ),
        (
            smc_refusal(Inference::smc().particles(1)),
            "setting `particles` is 1, must be from 2 to 4294967295",
        ),
        (
            smc_refusal(Inference::smc().mutations(0)),
            "setting `mutations` is 0, must be at least 1",
        ),
        (
            smc_refusal(Inference::smc().ess_target(1.5)),
            "setting `ess_target` is 1.5, must be above 0 and at most 1",
        ),
    ];
    for (found, wanted) in cases {
        assert_eq!(found, wanted);
    }
}

#[test]
fn settings_of_kernels_are_named() {
    let smc = Inference::smc;
    let cases = [
        (
            smc_refusal(smc().kernel(Hmc::new().step_size(-0.1))),
            "setting `step_size` is -0.1, must be a finite number above 0",
        ),
        (
            smc_refusal(smc().kernel(Pcn::new().step_size(1.5))),
            "setting `step_size` is 1.5, must be above 0 and at most 1 (pCN's beta)",
        ),
        (
            smc_refusal(smc().kernel(Hmc::new().mass(Mass::Diagonal(vec![1.0, 2.0])))),
            "setting `mass` is of length 2, must be a diagonal of 1 numbers, one for each unconstrained coordinate",
        ),
        (
            smc_refusal(smc().kernel(Hmc::new().mass(Mass::LowRank))),
            "setting `mass` is learnt from gradients, must be `Mass::Identity`, `Mass::Diagonal(..)`, `Mass::Variance` or `Mass::Covariance`: only chains keep the gradients of their burn-in",
        ),
        (
            chains_refusal(Inference::hmc().kernel(Hmc::new().leapfrog_steps(0))),
            "setting `leapfrog_steps` is 0, must be from 1 to 100000",
        ),
        (
            chains_refusal(Inference::hmc().kernel(Hmc::new().leapfrog_steps(1_000_000))),
            "setting `leapfrog_steps` is 1000000, must be from 1 to 100000",
        ),
        (
            smc_refusal(Inference::psmc().islands(usize::MAX)),
            "setting `islands` is 18446744073709551615, must be from 1 to 1000000",
        ),
    ];
    for (found, wanted) in cases {
        assert_eq!(found, wanted);
    }
}

#[test]
fn settings_of_chains_are_named() {
    let cases = [
        (
            chains_refusal(Inference::hmc().chains(0)),
            "setting `chains` is 0, must be from 1 to 1000000",
        ),
        (
            chains_refusal(Inference::hmc().draws(0)),
            "setting `draws` is 0, must be from 1 to 1000000000 in all chains together",
        ),
        (
            chains_refusal(Inference::pcn().thin(0)),
            "setting `thin` is 0, must be at least 1, and at most 1000000000 / `draws`",
        ),
        (
            chains_refusal(Inference::hmc().chains(usize::MAX)),
            "setting `chains` is 18446744073709551615, must be from 1 to 1000000",
        ),
        (
            chains_refusal(Inference::nuts().draws(usize::MAX)),
            "setting `draws` is 18446744073709551615, must be from 1 to 1000000000 in all chains together",
        ),
        (
            chains_refusal(Inference::nuts().draws(10).burn_in(usize::MAX)),
            "setting `burn_in` is 18446744073709551615, must be at most 1000000000",
        ),
        (
            chains_refusal(Inference::pcn().draws(10).thin(usize::MAX / 10)),
            "setting `thin` is 1844674407370955161, must be at least 1, and at most 1000000000 / `draws`",
        ),
        (
            chains_refusal(Inference::hmc().chains(64).superchains(24)),
            "setting `superchains` is 24, must be at least 2, with equally many of the 64 chains each, at least 2",
        ),
        (
            chains_refusal(Inference::hmc().chains(64).superchains(64)),
            "setting `superchains` is 64, must be at least 2, with equally many of the 64 chains each, at least 2",
        ),
    ];
    for (found, wanted) in cases {
        assert_eq!(found, wanted);
    }
}

#[test]
fn bad_data_are_named_before_sampling() {
    let mut model = NormalMean::reference();
    model.y[3] = f64::NAN;
    let text = Inference::smc().run(&model).unwrap_err().to_string();
    assert!(
        text.contains("`y` in `observe(y, Normal::new(mu, 0.8))`"),
        "{text}"
    );
    assert!(
        text.contains(":4): Normal: observation at index 3 is NaN"),
        "{text}"
    );
}

#[test]
fn the_arithmetic_can_be_chosen_and_is_kept() {
    let smc = || Inference::smc().particles(8).seed(1).progress(false);
    let chains = || {
        Inference::hmc()
            .chains(2)
            .burn_in(10)
            .draws(4)
            .progress(false)
    };
    let model = NormalMean::reference();
    let recorded = "recorded once, are replayed for 32 particles at a time";
    for (gradient, name, reason) in [
        (GradientMode::Forward, "forward", "set by `.gradient(..)`"),
        (GradientMode::Reverse, "reverse", recorded),
    ] {
        let by_smc = smc().gradient(gradient).run(&model).expect("a valid run");
        let by_hmc = chains()
            .gradient(gradient)
            .run(&model)
            .expect("a valid run");
        for run in [by_smc, by_hmc] {
            assert_eq!(run.arithmetic.gradient, gradient);
            assert!(run.arithmetic.reason.ends_with(reason));
            let line = format!("gradients      {name} mode: {}", run.arithmetic.reason);
            assert!(run.to_string().contains(&line), "{run}");
        }
    }
    let automatic = smc().run(&model).expect("a valid run").arithmetic;
    assert_eq!(automatic.gradient, GradientMode::Reverse);
    assert_eq!(automatic.instruction_set, InstructionSet::detect().name());
}

#[test]
fn the_instruction_set_is_pinned_or_refused() {
    let model = NormalMean::reference();
    for level in InstructionSet::ALL {
        let smc = Inference::smc().particles(8).instruction_set(level);
        let chains = Inference::hmc().chains(2).burn_in(10).draws(4);
        let runs = [
            smc.progress(false).run(&model),
            chains.instruction_set(level).progress(false).run(&model),
        ];
        for run in runs {
            match run {
                Ok(run) => {
                    assert!(level.is_available());
                    assert_eq!(run.arithmetic.instruction_set, level.name());
                }
                Err(error) => {
                    assert!(!level.is_available());
                    let text = error.to_string();
                    assert!(text.contains("setting `instruction_set`"), "{text}");
                }
            }
        }
    }
}
