//! With a pilot the estimate of the evidence is unbiased: its mean over many small islands is the exact evidence.
//!
//! The kernel hardly moves, so that the resampling matters. Tried mutations: with resampling by the weights to the power 0.9
//! the mean is wrong; with temperatures that each island chooses itself, the islands do not replay the pilot.

use crate::common::NormalMean;
use bayes_core::engine::Inference;
use bayes_core::kernel::RandomWalk;
use bayes_core::run::Run;
use std::sync::LazyLock;

const PARTICLES: usize = 32;
const ISLANDS: usize = 4000;

/// Four thousand islands that replay a pilot, shared by two tests.
static RUN: LazyLock<Run> = LazyLock::new(|| run(ISLANDS, true));

fn run(islands: usize, pilot: bool) -> Run {
    let psmc = Inference::psmc().islands(islands).particles(PARTICLES);
    let slow = RandomWalk::new().step_size(0.3);
    let psmc = psmc.kernel(slow).mutations(4).ess_target(0.5);
    let psmc = psmc.seed(3).progress(false);
    let psmc = if pilot { psmc.pilot(256) } else { psmc };
    let model = NormalMean::reference();
    psmc.run(&model).expect("the model is valid")
}

/// The mean of the islands' evidence divided by the exact evidence, minus 1, in standard errors.
fn deviation(run: &Run) -> f64 {
    let evidence = run.groups.iter().filter_map(|island| island.log_evidence());
    let ratios: Vec<f64> = evidence
        .map(|z| (z - NormalMean::LOG_EVIDENCE).exp())
        .collect();
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let variance = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean - 1.0) / (variance / n).sqrt()
}

#[test]
fn the_mean_of_the_evidence_is_the_evidence() {
    let run = &*RUN;
    assert!(run.is_evidence_unbiased());
    assert!(
        run.to_string()
            .contains("an unbiased estimate of the evidence")
    );
    let z = deviation(run);
    assert!(z.abs() < 3.0, "{z} standard errors");
}

#[test]
fn islands_replay_the_pilot() {
    let run = &*RUN;
    let plan = |island: usize| -> Vec<(f64, usize, f64)> {
        let stages = run.groups[island].history().iter();
        stages
            .map(|s| (s.lambda, s.mutations, s.step_size))
            .collect()
    };
    assert!(plan(0).len() > 1);
    assert!((1..ISLANDS).all(|island| plan(island) == plan(0)));
    // the pilot's evaluations are counted with the first island's
    let evaluations = |island: usize| run.groups[island].counts.density_evaluations;
    assert!(evaluations(0) > evaluations(1));
}

#[test]
fn without_a_pilot_the_run_does_not_claim_to_be_unbiased() {
    assert!(!run(2, false).is_evidence_unbiased());
}

#[test]
fn a_pilot_of_one_particle_is_refused() {
    let refused = Inference::smc().pilot(1).run(&NormalMean::reference());
    let text = refused
        .expect_err("one particle learns nothing")
        .to_string();
    assert!(text.contains("`pilot` is 1, must be from 2"), "{text}");
}
