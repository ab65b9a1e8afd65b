//! Annealed importance sampling: every particle's weight is an unbiased estimate of the evidence, and the error is known.
//!
//! The kernel hardly moves, so that the weights matter. Tried mutations: with weights to the power 0.97, or with the particles
//! resampled and their weights kept, the mean of the evidence is wrong. With standard errors from equal weights no interval
//! contains the truth. Without the weights of the draws the posterior means are wrong.

use crate::common::{HiddenCount, NormalMean};
use bayes_core::density::{Block, LogDensity, Prior};
use bayes_core::engine::{Inference, Resampling, Schedule, Smc};
use bayes_core::kernel::{Hmc, RandomWalk};
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::Run;

const ISLANDS: usize = 400;

fn slow() -> Smc<RandomWalk> {
    let ais = Inference::ais().kernel(RandomWalk::new().step_size(0.3));
    ais.islands(ISLANDS).seed(3).progress(false)
}

fn run(ais: Smc<RandomWalk>) -> Run {
    let model = NormalMean::reference();
    ais.run(&model).expect("the model is valid")
}

/// 40 temperatures, most of them near the prior.
fn forty() -> Schedule {
    let fine = (1..=4).map(|k| 0.00025 * f64::from(k));
    let middle = (1..=7).map(|k| 0.001 * 10f64.powf(f64::from(k) / 7.0));
    let coarse = (1..=29).map(|k| 0.01 * 100f64.powf(f64::from(k) / 29.0));
    Schedule::fixed(fine.chain(middle).chain(coarse))
}

/// The mean of the particles' evidence divided by the exact evidence, minus 1, in standard errors.
fn deviation(run: &Run, exact: f64) -> f64 {
    let weights = run.groups.iter().flat_map(|island| island.log_weights());
    let ratios: Vec<f64> = weights.map(|log| (log - exact).exp()).collect();
    let n = ratios.len() as f64;
    let mean = ratios.iter().sum::<f64>() / n;
    let variance = ratios.iter().map(|r| (r - mean).powi(2)).sum::<f64>() / (n - 1.0);
    (mean - 1.0) / (variance / n).sqrt()
}

/// The islands of a run as separate runs.
fn single_islands(run: &Run) -> impl Iterator<Item = Run> + '_ {
    run.groups.iter().map(|island| Run {
        groups: vec![island.clone()],
        ..run.clone()
    })
}

#[test]
fn the_mean_weight_is_the_evidence() {
    for schedule in [forty(), Schedule::adaptive(0.9)] {
        let run = run(slow().particles(16).schedule(schedule));
        assert!(run.is_evidence_unbiased());
        let z = deviation(&run, NormalMean::LOG_EVIDENCE);
        assert!(z.abs() < 3.0, "{z} standard errors");
    }
}

#[test]
fn the_evidence_is_the_mean_weight() {
    let run = run(slow().particles(16).schedule(forty()));
    for island in &run.groups {
        assert_eq!(island.history().len(), 40);
        let own = island.island().expect("it is an island");
        assert_eq!(own.ancestors, (0..16).collect::<Vec<u32>>());
        let mean = bayes_core::numeric::log_mean_exp(island.log_weights());
        let found = island.log_evidence().expect("an island has evidence");
        assert!((found - mean).abs() < 1e-9, "{found} and {mean}");
        // effective number of particles by these weights
        let effective = island.weights(16).effective();
        let last = island.history().last().expect("40 temperatures");
        assert!((last.ess / effective - 1.0).abs() < 1e-9);
    }
}

#[test]
fn one_run_knows_its_errors() {
    let run = run(slow().particles(256).mutations(3));
    let runs: Vec<Run> = single_islands(&run).collect();
    let covered = |holds: &dyn Fn(&Run) -> bool| {
        runs.iter().filter(|run| holds(run)).count() as f64 / ISLANDS as f64
    };
    let evidence = covered(&|run| {
        let (low, high) = run.log_evidence_interval(0.95).expect("a standard error");
        (low..high).contains(&NormalMean::LOG_EVIDENCE)
    });
    let mean = covered(&|run| {
        let (low, high) = run.estimate(|draw| draw.scalar("mu")).interval(0.95);
        (low..high).contains(&NormalMean::MEAN)
    });
    // 0.95 ± 3 binomial errors of 400 runs
    let allowed = 0.917..=0.983;
    assert!(allowed.contains(&evidence), "evidence: {evidence}");
    assert!(allowed.contains(&mean), "mean: {mean}");
}

#[test]
fn a_discrete_posterior_is_weighted_rightly() {
    let ais = Inference::ais().kernel(RandomWalk::new()).particles(8192);
    let run = ais.seed(5).progress(false).run(&HiddenCount);
    let run = run.expect("the model is valid");
    let (log_evidence, mean, _) = HiddenCount::exact();
    let found = run.log_evidence_estimate().expect("evidence");
    assert!((found.mean - log_evidence).abs() < 3.0 * found.se);
    assert!(found.se < 0.05, "{}", found.se);
    let found = run.estimate(|draw| draw.scalar("k"));
    assert!((found.mean - mean).abs() < 3.0 * found.se, "{found:?}");
}

/// Uniform on (0, 1), with a likelihood of zero below 0.7 and 1 above it.
struct Step;

impl LogDensity for Step {
    fn dim(&self) -> usize {
        1
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        let log = |holds| if holds { 0.0 } else { f64::NEG_INFINITY };
        block.fill(|x| [log((0.0..1.0).contains(&x[0])), log(x[0] >= 0.7)]);
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Step {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position[0] = stream.random_range(0.0..1.0);
    }
}

// A particle that starts at likelihood zero may move to positive likelihood: its weight stays zero.
#[test]
fn a_weight_of_zero_stays_zero() {
    let ais = Inference::ais().kernel(RandomWalk::new()).particles(4096);
    let run = ais.schedule(forty()).seed(2).progress(false).run_on(&Step);
    let run = run.expect("some particles are alive");
    let found = run.log_evidence_estimate().expect("evidence");
    let error = found.mean - 0.3f64.ln();
    assert!(error.abs() < 3.0 * found.se, "{error} ± {}", found.se);
    let mean = run.estimate(|draw| draw.vector("x")[0]);
    assert!((mean.mean - 0.85).abs() < 3.0 * mean.se, "{mean:?}");
    let dead = |weight: &&f64| **weight == f64::NEG_INFINITY;
    let weights = run.groups[0].log_weights();
    assert!((0.65..0.75).contains(&(weights.iter().filter(dead).count() as f64 / 4096.0)));
}

#[test]
fn settings_that_contradict_each_other_are_refused() {
    let refusal = |smc: Smc<Hmc>| {
        let refused = smc.progress(false).run(&NormalMean::reference());
        refused
            .expect_err("the settings contradict each other")
            .to_string()
    };
    assert_eq!(
        refusal(
            Inference::smc()
                .resampling(Resampling::Never)
                .states_kept(1)
        ),
        "setting `resampling` is Never, must be `Never` only with `.pilot(..)`, which learns temperatures and moves from \
         particles that are resampled"
    );
    assert_eq!(
        refusal(Inference::ais().states_kept(4).mutations(8)),
        "setting `states_kept` is 4, must be 1 with `Resampling::Never`, since as many states stay as there are particles"
    );
}
