//! Engines on models written by hand, against exact answers.

use crate::common::{BetaBinomial, HiddenCount, NormalMean};
use bayes_core::engine::{Inference, Mutations, Resampling, Schedule};
use bayes_core::kernel::{Hmc, Mass, Moves, Mutation, Pcn, RandomWalk};
use bayes_core::model::Model;
use bayes_core::run::Run;

/// Mean over islands on the log scale and its standard error, and mean and sd of the first element with their
/// errors.
struct Answers {
    log_evidence: (f64, f64),
    mean: (f64, f64),
    sd: f64,
}

/// The exact numbers come first; standard errors are from the spread of the islands.
fn answers(run: &Run) -> Answers {
    let columns = run.layout.elements();
    let logs: Vec<f64> = run
        .groups
        .iter()
        .map(|g| g.log_evidence().unwrap_or(0.0))
        .collect();
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logs.iter().map(|l| (l - largest).exp()).collect();
    let total: f64 = weights.iter().sum();
    let p = logs.len() as f64;
    let mean_weight = total / p;
    let spread = weights
        .iter()
        .map(|w| (w / mean_weight - 1.0).powi(2))
        .sum::<f64>()
        / (p * (p - 1.0));
    let means: Vec<f64> = run
        .groups
        .iter()
        .map(|g| first(g, columns).sum::<f64>() / count(g, columns))
        .collect();
    let mean = weights.iter().zip(&means).map(|(w, m)| w * m).sum::<f64>() / total;
    let error = weights
        .iter()
        .zip(&means)
        .map(|(w, m)| (w / total * (m - mean)).powi(2))
        .sum::<f64>();
    let variance = weights
        .iter()
        .zip(&run.groups)
        .map(|(w, g)| {
            w / total * first(g, columns).map(|x| (x - mean).powi(2)).sum::<f64>()
                / count(g, columns)
        })
        .sum::<f64>();
    Answers {
        log_evidence: (largest + mean_weight.ln(), spread.sqrt()),
        mean: (mean, (error * p / (p - 1.0)).sqrt()),
        sd: variance.sqrt(),
    }
}

fn first(group: &bayes_core::run::Group, columns: usize) -> impl Iterator<Item = f64> + '_ {
    group.draws.iter().step_by(columns).copied()
}

fn count(group: &bayes_core::run::Group, columns: usize) -> f64 {
    (group.draws.len() / columns) as f64
}

fn check(run: &Run, log_evidence: Option<f64>, mean: f64, sd: f64) {
    let found = answers(run);
    if let Some(exact) = log_evidence {
        let (value, error) = found.log_evidence;
        assert!(
            (value - exact).abs() < 4.0 * error,
            "{}: log evidence {value} ± {error}, exactly {exact}",
            run.kernel
        );
        assert!(
            error < 0.2,
            "{}: standard error {error} of the log evidence",
            run.kernel
        );
    }
    let (value, error) = found.mean;
    assert!(
        (value - mean).abs() < 4.0 * error,
        "{} {}: mean {value} ± {error}, exactly {mean}",
        run.engine,
        run.kernel
    );
    assert!(
        (found.sd / sd - 1.0).abs() < 0.1,
        "{} {}: sd {}, exactly {sd}",
        run.engine,
        run.kernel,
        found.sd
    );
}

fn psmc<Mo: Model, K: Moves<Mo> + Mutation>(model: &Mo, kernel: K) -> Run {
    Inference::psmc()
        .islands(16)
        .particles(256)
        .kernel(kernel)
        .seed(3)
        .progress(false)
        .run(model)
        .expect("settings and model are valid")
}

#[test]
fn every_kernel_finds_the_conjugate_normal_posterior() {
    let model = NormalMean::reference();
    let exact = (
        Some(NormalMean::LOG_EVIDENCE),
        NormalMean::MEAN,
        NormalMean::SD,
    );
    check(&psmc(&model, Hmc::new()), exact.0, exact.1, exact.2);
    check(
        &psmc(&model, Hmc::new().leapfrog_steps(10).mass(Mass::Identity)),
        exact.0,
        exact.1,
        exact.2,
    );
    check(
        &psmc(&model, Hmc::new().mass(Mass::Diagonal(vec![10.0]))),
        exact.0,
        exact.1,
        exact.2,
    );
    check(&psmc(&model, Pcn::new()), exact.0, exact.1, exact.2);
    check(
        &psmc(&model, Pcn::new().unpreconditioned()),
        exact.0,
        exact.1,
        exact.2,
    );
    check(&psmc(&model, RandomWalk::new()), exact.0, exact.1, exact.2);
}

#[test]
fn every_kernel_is_right_for_a_prior_that_is_not_gaussian() {
    let exact = (
        Some(BetaBinomial::LOG_EVIDENCE),
        BetaBinomial::MEAN,
        BetaBinomial::SD,
    );
    check(&psmc(&BetaBinomial, Hmc::new()), exact.0, exact.1, exact.2);
    check(&psmc(&BetaBinomial, Pcn::new()), exact.0, exact.1, exact.2);
    check(
        &psmc(&BetaBinomial, RandomWalk::new()),
        exact.0,
        exact.1,
        exact.2,
    );
}

#[test]
fn the_random_walk_moves_a_discrete_value() {
    let (log_evidence, mean, variance) = HiddenCount::exact();
    check(
        &psmc(&HiddenCount, RandomWalk::new()),
        Some(log_evidence),
        mean,
        variance.sqrt(),
    );
}

#[test]
fn every_resampling_and_schedule_gives_the_same_answer() {
    let model = NormalMean::reference();
    let engine = || {
        Inference::psmc()
            .islands(16)
            .particles(256)
            .seed(5)
            .progress(false)
    };
    for scheme in [
        Resampling::Multinomial,
        Resampling::Residual,
        Resampling::Stratified,
        Resampling::Systematic,
    ] {
        let run = engine().resampling(scheme).run(&model).unwrap();
        check(
            &run,
            Some(NormalMean::LOG_EVIDENCE),
            NormalMean::MEAN,
            NormalMean::SD,
        );
    }
    let ladder = Schedule::fixed([0.001, 0.01, 0.05, 0.2, 0.5, 1.0]);
    let run = engine().schedule(ladder).mutations(5).run(&model).unwrap();
    assert_eq!(run.groups[0].history().len(), 6);
    check(
        &run,
        Some(NormalMean::LOG_EVIDENCE),
        NormalMean::MEAN,
        NormalMean::SD,
    );
    let run = engine()
        .mutations(Mutations::adaptive().correlation(0.2))
        .run(&model)
        .unwrap();
    check(
        &run,
        Some(NormalMean::LOG_EVIDENCE),
        NormalMean::MEAN,
        NormalMean::SD,
    );
}

#[test]
fn chains_serial_and_parallel() {
    let model = NormalMean::reference();
    let (mean, sd) = (NormalMean::MEAN, NormalMean::SD);
    check(
        &Inference::hmc()
            .chains(8)
            .progress(false)
            .run(&model)
            .unwrap(),
        None,
        mean,
        sd,
    );
    check(
        &Inference::pcn()
            .chains(8)
            .progress(false)
            .run(&model)
            .unwrap(),
        None,
        mean,
        sd,
    );
    check(
        &Inference::random_walk()
            .chains(8)
            .progress(false)
            .run(&model)
            .unwrap(),
        None,
        mean,
        sd,
    );
    let short = Inference::hmc()
        .chains(1000)
        .burn_in(100)
        .draws(1)
        .progress(false)
        .run(&model)
        .unwrap();
    assert_eq!(short.groups.len(), 1000);
    check(&short, None, mean, sd);
    check(
        &Inference::pcn()
            .chains(1000)
            .burn_in(300)
            .draws(1)
            .progress(false)
            .run(&model)
            .unwrap(),
        None,
        mean,
        sd,
    );
}

#[test]
fn the_step_size_is_tuned_to_the_target_acceptance() {
    let run = Inference::hmc()
        .chains(4)
        .progress(false)
        .run(&NormalMean::reference())
        .unwrap();
    let acceptance: f64 = run
        .groups
        .iter()
        .map(|g| g.history()[0].acceptance)
        .sum::<f64>()
        / 4.0;
    // In one dimension a quarter-period trajectory cannot have a larger step: the step is capped, and the kernel
    // accepts more.
    assert!(
        (0.55..0.95).contains(&acceptance),
        "acceptance {acceptance}"
    );
    let run = Inference::pcn()
        .chains(4)
        .progress(false)
        .run(&NormalMean::reference())
        .unwrap();
    let acceptance: f64 = run
        .groups
        .iter()
        .map(|g| g.history()[0].acceptance)
        .sum::<f64>()
        / 4.0;
    assert!((acceptance - 0.3).abs() < 0.1, "acceptance {acceptance}");
}

#[test]
fn same_seed_same_bits_for_any_number_of_threads() {
    let model = NormalMean::reference();
    let runs = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let islands = Inference::psmc()
                .islands(5)
                .particles(100)
                .seed(9)
                .progress(false)
                .run(&model)
                .unwrap();
            let chains = Inference::hmc()
                .chains(20)
                .burn_in(50)
                .draws(5)
                .seed(9)
                .progress(false)
                .run(&model)
                .unwrap();
            let walk = Inference::smc()
                .kernel(RandomWalk::new())
                .particles(200)
                .progress(false)
                .run(&model)
                .unwrap();
            [islands, chains, walk].map(|run| serde_json::to_string(&run).unwrap())
        })
    };
    let one = runs(1);
    assert_eq!(one, runs(2));
    assert_eq!(one, runs(7));
}
