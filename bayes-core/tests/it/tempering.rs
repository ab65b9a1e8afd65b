//! Parallel tempering against exact evidences and moments.
//!
//! Tried mutations: with swaps that are always accepted every evidence is wrong by 7 to 24 errors. With even pairs alone the two
//! modes have no weights within the required error. With prior states that are kept in place of new draws the moments of the
//! conjugate posterior are wrong.

use crate::common::{BetaBinomial, HiddenCount, NormalMean};
use bayes_core::density::{Block, LogDensity, Posterior, Prior};
use bayes_core::diagnose::Warning;
use bayes_core::engine::{Inference, Tempering};
use bayes_core::kernel::{EllipticalSlice, Hmc, Kernel, Mala, Nuts, Pcn, RandomWalk, Walnuts};
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::Run;
use rand_distr::StandardNormal;

fn tempering<K: Kernel>(kernel: K) -> Tempering<K> {
    let engine = Inference::tempering().burn_in(400).draws(400);
    engine.kernel(kernel).seed(2).progress(false)
}

fn run<K: Kernel>(engine: &Tempering<K>, density: &dyn LogDensity) -> Run {
    engine
        .run_on(density)
        .expect("settings and density are valid")
}

/// Asserts that the evidence, and the mean and sd of the first element, are right within 3 standard errors.
fn assert_exact(run: &Run, log_evidence: f64, mean: f64, sd: f64) {
    let kernel = &run.kernel;
    let found = run.log_evidence_estimate().expect("it has evidence");
    let deviation = (found.mean - log_evidence) / found.se;
    println!("{kernel:16} log evidence {found}, {deviation:.1} errors off");
    assert!(
        deviation.abs() < 3.0,
        "{kernel}: {found}, exactly {log_evidence}"
    );
    assert!(found.se < 0.1, "{kernel}: {found}");
    let first = run.estimate(|draw| draw.values()[0]);
    let miss = (first.mean - mean).abs() / first.se;
    assert!(miss < 3.0, "{kernel}: mean {first}, exactly {mean}");
    let square = run.estimate(|draw| (draw.values()[0] - mean).powi(2));
    let miss = (square.mean - sd * sd).abs() / square.se;
    assert!(
        miss < 3.0,
        "{kernel}: variance {square}, exactly {}",
        sd * sd
    );
    for group in &run.groups {
        let ladder: Vec<f64> = group.history().iter().map(|stage| stage.lambda).collect();
        assert!(ladder.windows(2).all(|pair| pair[0] < pair[1]));
        assert_eq!((ladder.first(), ladder.last()), (Some(&0.0), Some(&1.0)));
    }
}

#[test]
fn every_kernel_finds_the_conjugate_normal_posterior_and_its_evidence() {
    let model = NormalMean::reference();
    let posterior = Posterior::new(&model, 1).expect("the model is valid");
    let check = |run: Run| {
        let (mean, sd) = (NormalMean::MEAN, NormalMean::SD);
        assert_exact(&run, NormalMean::LOG_EVIDENCE, mean, sd);
    };
    check(run(&tempering(Hmc::new()), &posterior));
    check(run(&tempering(Mala::new()), &posterior));
    check(run(&tempering(Nuts::new()), &posterior));
    check(run(&tempering(Walnuts::new()), &posterior));
    check(run(&tempering(Pcn::new()), &posterior));
    check(run(&tempering(EllipticalSlice::new()), &posterior));
    check(run(&tempering(RandomWalk::new()), &posterior));
    check(run(&tempering(Hmc::new()).temperatures(2), &posterior));
    check(run(
        &tempering(Hmc::new()).temperatures(20).chains(11),
        &posterior,
    ));
}

#[test]
fn a_prior_that_is_not_gaussian_and_a_discrete_one() {
    let posterior = Posterior::new(&BetaBinomial, 1).expect("the model is valid");
    let found = run(&tempering(Hmc::new()), &posterior);
    let (mean, sd) = (BetaBinomial::MEAN, BetaBinomial::SD);
    assert_exact(&found, BetaBinomial::LOG_EVIDENCE, mean, sd);
    let posterior = Posterior::new(&HiddenCount, 1).expect("the model is valid");
    let found = run(&tempering(RandomWalk::new()), &posterior);
    let (log_evidence, mean, variance) = HiddenCount::exact();
    assert_exact(&found, log_evidence, mean, variance.sqrt());
}

/// `x ~ N(0, 9 I)` in ten dimensions, and the likelihood `0.7 N(x; 2, ¼ I) + 0.3 N(x; -2, ¼ I)`: two modes, 25 standard
/// deviations apart.
struct Modes;

const DIM: usize = 10;

/// The log density of `N(mean, variance I)` at a point.
fn log_normal(x: &[f64], mean: f64, variance: f64) -> f64 {
    let squares: f64 = x.iter().map(|x| (x - mean).powi(2)).sum();
    -0.5 * (squares / variance + x.len() as f64 * (std::f64::consts::TAU * variance).ln())
}

impl LogDensity for Modes {
    fn dim(&self) -> usize {
        DIM
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        block.fill(densities);
    }
    fn evaluate_gradient(&self, weights: [f64; 2], block: &mut Block<'_>) {
        block.fill_gradient(|x, slopes| {
            let [low, high] = [-2.0, 2.0].map(|mean| log_normal(x, mean, 0.25));
            let share = 1.0 / (1.0 + (low - high).exp() * 3.0 / 7.0);
            let centre = 2.0 * share - 2.0 * (1.0 - share);
            for (slope, x) in slopes.iter_mut().zip(x) {
                *slope = -weights[0] * x / 9.0 + weights[1] * (centre - x) / 0.25;
            }
            densities(x)
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

fn densities(x: &[f64]) -> [f64; 2] {
    let [low, high] =
        [(0.3, -2.0), (0.7, 2.0)].map(|(weight, mean)| f64::ln(weight) + log_normal(x, mean, 0.25));
    let most = low.max(high);
    let likelihood = most + ((low - most).exp() + (high - most).exp()).ln();
    [log_normal(x, 0.0, 9.0), likelihood]
}

impl Prior for Modes {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        let normals = position.iter_mut();
        normals.for_each(|x| *x = 3.0 * stream.sample::<f64, _>(StandardNormal));
    }
}

#[test]
fn two_modes_far_apart_have_their_weights_and_their_evidence() {
    let log_evidence = log_normal(&[2.0; DIM], 0.0, 9.25);
    let centre = 2.0 * 9.0 / 9.25;
    let mean = 0.4 * centre;
    let variance = 9.0 * 0.25 / 9.25 + centre * centre - mean * mean;
    let engine = tempering(Hmc::new()).burn_in(500).draws(1500);
    let found = run(&engine, &Modes);
    assert_exact(&found, log_evidence, mean, variance.sqrt());
    let share = found.estimate(|draw| f64::from(draw.values()[0] > 0.0));
    assert!(
        (share.mean - 0.7).abs() < 3.0 * share.se && share.se < 0.05,
        "{share}"
    );
    let exchange =
        |warning: &Warning| matches!(warning, Warning::FewRoundTrips(_) | Warning::RareSwaps(_));
    assert!(!found.warnings().iter().any(exchange), "{found}");
    let trips = |run: &Run| -> u64 {
        let exchanges = run.groups.iter().filter_map(|group| group.exchanges());
        exchanges.map(|exchanges| exchanges.round_trips).sum()
    };
    let possible: f64 = found
        .groups
        .iter()
        .filter_map(|g| g.exchanges())
        .map(bayes_core::run::Exchanges::possible_round_trips)
        .sum();
    println!("{} round trips, {possible:.0} possible", trips(&found));
    assert!(trips(&found) as f64 > 0.4 * possible);
}

#[test]
fn the_ladder_adapts_to_equal_rejections() {
    let found = run(&tempering(Hmc::new()), &Modes);
    let exchanges = found.groups.iter().filter_map(|group| group.exchanges());
    let pairs: Vec<&[f64]> = exchanges.map(|e| e.swap_acceptance.as_slice()).collect();
    let mean = |k: usize| pairs.iter().map(|pair| pair[k]).sum::<f64>() / pairs.len() as f64;
    let acceptance: Vec<f64> = (0..pairs[0].len()).map(mean).collect();
    println!("{acceptance:.2?}");
    let middle = acceptance.iter().sum::<f64>() / acceptance.len() as f64;
    assert!((0.4..0.6).contains(&middle), "{acceptance:?}");
    assert!(
        acceptance.iter().all(|a| (a - middle).abs() < 0.1),
        "{acceptance:?}"
    );
}

#[test]
fn settings_are_named() {
    let model = NormalMean::reference();
    let refusal = |engine: Tempering<Hmc>| {
        let error = engine.run(&model).expect_err("a setting is out of range");
        error.to_string()
    };
    let engine = || Inference::tempering().progress(false);
    let cases = [
        (
            engine().chains(0),
            "setting `chains` is 0, must be from 1 to 1000000",
        ),
        (
            engine().draws(0),
            "setting `draws` is 0, must be from 1 to 1000000000 in all chains together",
        ),
        (
            engine().mutations(0),
            "setting `mutations` is 0, must be from 1 to 1000000000",
        ),
        (
            engine().temperatures(1),
            "setting `temperatures` is 1, must be from 2 to 1000",
        ),
        (
            engine().temperatures(1001),
            "setting `temperatures` is 1001, must be from 2 to 1000",
        ),
    ];
    for (engine, wanted) in cases {
        assert_eq!(refusal(engine), wanted);
    }
}

#[test]
fn the_smallest_runs_are_runs() {
    let model = NormalMean::reference();
    for (burn_in, draws) in [(0, 1), (1, 1), (3, 2), (20, 5)] {
        let engine = Inference::tempering()
            .chains(1)
            .burn_in(burn_in)
            .draws(draws);
        let run = engine.temperatures(2).progress(false).run(&model);
        let run = run.expect("one chain is allowed");
        assert_eq!(run.total_draws(), draws);
        assert!(run.log_evidence().is_some_and(f64::is_finite));
        assert_eq!(run.log_evidence_se(), None);
        assert!(run.to_string().contains("standard error unknown"), "{run}");
        let mut text = Vec::new();
        run.to_json(&mut text).expect("memory takes all");
        let text = String::from_utf8(text).expect("JSON is text");
        let back = Run::from_json(&text).expect("it was just written");
        assert_eq!(back.groups[0].exchanges(), run.groups[0].exchanges());
    }
}
