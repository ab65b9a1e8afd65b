//! Nested sampling: right evidences and posteriors, honest errors, and posteriors that tempering misses.
//!
//! Tried mutations: with the states at the level counted as survivors, the likelihoods of few values are wrong; with a survivor share of
//! 0.25 in place of the actual share, too. With the gains of families without the states above the level, intervals are three times too
//! wide.

use crate::common::NormalMean;
use bayes_core::Error;
use bayes_core::density::{Block, LogDensity, Posterior, Prior};
use bayes_core::diagnose::Warning;
use bayes_core::engine::{Inference, Nested};
use bayes_core::kernel::{EllipticalSlice, Hmc, Pcn, RandomWalk};
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::Run;
use std::f64::consts::TAU;

/// A uniform prior on a cube, and a log likelihood.
struct Cube<F> {
    dim: usize,
    half: f64,
    log_likelihood: F,
}

impl<F: Fn(&[f64]) -> f64 + Send + Sync> LogDensity for Cube<F> {
    fn dim(&self) -> usize {
        self.dim
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        let log_prior = -(self.dim as f64) * (2.0 * self.half).ln();
        block.fill(|x| match x.iter().all(|x| x.abs() < self.half) {
            true => [log_prior, (self.log_likelihood)(x)],
            false => [f64::NEG_INFINITY; 2],
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl<F: Send + Sync> Prior for Cube<F> {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position.fill_with(|| stream.random_range(-self.half..self.half));
    }
}

fn nested() -> Nested<RandomWalk> {
    Inference::nested().seed(3).progress(false)
}

/// The log evidence minus the exact log evidence, in standard errors.
fn z(run: &Run, exact: f64) -> f64 {
    let found = run.log_evidence_estimate().expect("islands have one");
    (found.mean - exact) / found.se
}

/// The first coordinate of all draws.
fn first(run: &Run) -> Vec<f64> {
    let islands = run.groups.iter();
    let positions = islands.flat_map(|island| island.positions.chunks(run.layout.dim));
    positions.map(|position| position[0]).collect()
}

#[test]
fn every_kernel_finds_the_conjugate_normal() {
    let model = NormalMean::reference();
    let posterior = Posterior::new(&model, 3).expect("the data fit");
    let runs = [
        nested().run_on(&posterior),
        nested().kernel(Pcn::new()).run_on(&posterior),
        nested().kernel(EllipticalSlice::new()).run_on(&posterior),
    ];
    for run in runs.map(|run| run.expect("the model is valid")) {
        let off = z(&run, NormalMean::LOG_EVIDENCE);
        assert!(off.abs() < 4.0, "{}: {off} errors", run.kernel);
        let mean = run.estimate(|draw| draw.scalar("mu"));
        let off = (mean.mean - NormalMean::MEAN) / mean.se;
        assert!(off.abs() < 4.0, "{}: {off} errors", run.kernel);
        let sd = run.estimate(|draw| (draw.scalar("mu") - NormalMean::MEAN).powi(2));
        let off = (sd.mean - NormalMean::SD.powi(2)) / sd.se;
        assert!(off.abs() < 4.0, "{}: {off} errors", run.kernel);
        assert_eq!(run.warnings(), [], "{}", run.kernel);
    }
}

/// A narrow mode with ten times the mass of the wide one around it, in five dimensions.
fn phase_transition() -> (Cube<impl Fn(&[f64]) -> f64 + Send + Sync>, f64) {
    let (dim, sd): (i32, f64) = (5, 0.1);
    let log_height = 10f64.ln() - f64::from(dim) * sd.ln();
    let log_likelihood = move |x: &[f64]| {
        let squares: f64 = x.iter().map(|x| x * x).sum();
        let narrow = log_height - 0.5 * squares / (sd * sd);
        bayes_core::numeric::log_sum_exp(&[-0.5 * squares, narrow])
    };
    let cube = Cube {
        dim: 5,
        half: 5.0,
        log_likelihood,
    };
    let exact = f64::from(dim) * (0.5 * TAU.ln() - 10f64.ln()) + 11f64.ln();
    (cube, exact)
}

#[test]
fn a_narrow_mode_inside_a_wide_one_has_its_mass() {
    let (cube, exact) = phase_transition();
    let run = nested().run_on(&cube).expect("the density is valid");
    let found = run.log_evidence_estimate().expect("islands have one");
    assert!((found.mean - exact).abs() < 4.0 * found.se, "{found:?}");
    assert!(found.se < 0.2, "{found:?}");
    // ten elevenths of the posterior, and a quarter of the rest
    let narrow = first(&run).iter().filter(|x| x.abs() < 0.3).count() as f64;
    let share = narrow / first(&run).len() as f64;
    assert!((share - 10.25 / 11.0).abs() < 0.05, "{share}");
    assert_eq!(run.warnings(), []);
}

/// A line through eight points with noise of 0.03: intercept, slope and the logarithm of the noise, with normal priors of scale 10 and a
/// half Cauchy prior of scale 5. The smaller the noise, the smaller is the region of the line, as in a funnel.
struct Line;

impl Line {
    /// By quadrature over the noise; the rest is conjugate.
    const LOG_EVIDENCE: f64 = -1.125_695;
    const NOISE: [f64; 8] = [0.35, -1.2, 0.9, 0.3, -0.6, 1.4, -0.9, 0.1];
}

impl LogDensity for Line {
    fn dim(&self) -> usize {
        3
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        let normal = |x: f64| -0.5 * x * x / 100.0 - 10f64.ln() - 0.5 * TAU.ln();
        block.fill(|x| {
            let scale = x[2].exp() / 5.0;
            let noise = (4.0 / TAU).ln() - (scale * scale).ln_1p() + scale.ln();
            let rows = Self::NOISE.iter().enumerate().map(|(row, noise)| {
                let at = -1.0 + 2.0 * row as f64 / 7.0;
                let off = 0.5 + 1.2 * at + 0.03 * noise - x[0] - x[1] * at;
                -0.5 * (off / x[2].exp()).powi(2) - x[2] - 0.5 * TAU.ln()
            });
            [normal(x[0]) + normal(x[1]) + noise, rows.sum()]
        });
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl Prior for Line {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        let mut normal = || {
            let radius = (-2.0 * (1.0 - stream.random::<f64>()).ln()).sqrt();
            10.0 * radius * (TAU * stream.random::<f64>()).cos()
        };
        (position[0], position[1]) = (normal(), normal());
        position[2] = (5.0 * (0.25 * TAU * stream.random::<f64>()).tan()).ln();
    }
}

/// Mutations meant to be detected: as many moves as leave a correlation of 0.37, and proposals that are fitted to the states below the level.
#[test]
fn a_line_through_few_points_is_right_or_has_a_warning() {
    for seed in 1..=6 {
        let run = nested().seed(seed).run_on(&Line);
        let run = run.expect("the density is valid");
        let (off, warnings) = (z(&run, Line::LOG_EVIDENCE), run.warnings());
        assert!(off.abs() < 3.5, "{seed}: {off} errors, {warnings:?}");
        assert_eq!(warnings, [], "{seed}");
    }
}

/// Mutation meant to be detected: ratios of gains that forget earlier levels.
#[test]
fn few_moves_of_a_line_are_named() {
    for seed in 1..=3 {
        let run = nested().seed(seed).mutations(8).run_on(&Line);
        let warnings = run.expect("the density is valid").warnings();
        let named = |warning: &Warning| matches!(warning, Warning::DependentLevels(_));
        assert!(warnings.iter().any(named), "{seed}: {warnings:?}");
    }
}

#[test]
fn islands_know_their_errors() {
    const ISLANDS: usize = 400;
    let model = NormalMean::reference();
    let run = nested().islands(ISLANDS).particles(64).run(&model);
    let run = run.expect("the model is valid");
    let single = run.groups.iter().map(|island| Run {
        groups: vec![island.clone()],
        ..run.clone()
    });
    let errors: Vec<f64> = single
        .map(|run| z(&run, NormalMean::LOG_EVIDENCE))
        .collect();
    let n = ISLANDS as f64;
    let mean = errors.iter().sum::<f64>() / n;
    let rms = (errors.iter().map(|z| z * z).sum::<f64>() / n).sqrt();
    let covered = errors.iter().filter(|z| z.abs() < 1.96).count() as f64 / n;
    // 3 errors of 400 runs, and a bias of a tenth of an error, which falls faster than the error
    assert!(mean.abs() < 0.25, "mean {mean}");
    assert!((0.85..1.15).contains(&rms), "{rms}");
    assert!((0.91..=0.98).contains(&covered), "{covered}");
}

#[test]
fn a_likelihood_of_few_values_is_exact_in_the_mean() {
    // zero in the left half, 2 in a quarter, 6 in the last
    let stairs = |x: &[f64]| match x[0] {
        x if x < 0.0 => f64::NEG_INFINITY,
        x if x < 0.5 => 2f64.ln(),
        _ => 6f64.ln(),
    };
    let cube = Cube {
        dim: 1,
        half: 1.0,
        log_likelihood: stairs,
    };
    let run = nested().run_on(&cube).expect("the density is valid");
    assert!(z(&run, 2f64.ln()).abs() < 4.0, "{run}");
    let right = first(&run).iter().filter(|x| **x > 0.5).count() as f64;
    let share = right / first(&run).len() as f64;
    assert!((share - 0.75).abs() < 0.05, "{share}");
    assert!(first(&run).iter().all(|x| *x > 0.0));
    let flat = Cube {
        dim: 1,
        half: 1.0,
        log_likelihood: |_: &[f64]| -3.0,
    };
    let run = nested().run_on(&flat).expect("the density is valid");
    assert!((run.log_evidence().expect("islands have one") + 3.0).abs() < 1e-12);
}

#[test]
fn a_run_shows_its_levels_and_is_read_again() {
    let run = nested().run(&NormalMean::reference());
    let run = run.expect("the model is valid");
    assert!(run.to_string().contains("levels         "), "{run}");
    for island in &run.groups {
        let levels = island.history().iter().filter_map(|stage| stage.level);
        let levels: Vec<f64> = levels.collect();
        assert!(levels.windows(2).all(|pair| pair[0] < pair[1]));
        // a state that never moved occurs twice, and then fewer are above the level
        assert!(
            island
                .history()
                .iter()
                .all(|stage| (256.0..=2048.0).contains(&stage.ess))
        );
        assert_eq!(island.log_likelihood.len(), 2048);
    }
    let text = serde_json::to_string(&run).expect("runs are JSON");
    let read = Run::from_json(&text).expect("it was just written");
    assert_eq!(serde_json::to_string(&read).expect("runs are JSON"), text);
}

#[test]
fn settings_out_of_range_are_refused() {
    let refused = |engine: Nested<RandomWalk>| {
        let error = engine.run(&NormalMean::reference());
        error.expect_err("a wrong setting").to_string()
    };
    let share = "must be above 0 and below 1";
    assert_eq!(
        refused(nested().survivors(1.0)),
        format!("setting `survivors` is 1, {share}")
    );
    assert_eq!(
        refused(nested().remaining(0.0)),
        format!("setting `remaining` is 0, {share}")
    );
    assert!(refused(nested().particles(1)).starts_with("setting `particles` is 1"));
    assert!(refused(nested().islands(0)).starts_with("setting `islands` is 0"));
    assert!(refused(nested().states_kept(0)).starts_with("setting `states_kept` is 0"));
    let error = nested().kernel(Hmc::new()).run(&NormalMean::reference());
    let error = error.expect_err("a kernel that follows the gradient");
    assert!(matches!(error, Error::Setting { .. }), "{error}");
    assert!(error.to_string().contains("`random_walk`"), "{error}");
}

#[test]
fn a_prior_that_never_meets_the_likelihood_is_an_error() {
    let nowhere = Cube {
        dim: 1,
        half: 1.0,
        log_likelihood: |_: &[f64]| f64::NEG_INFINITY,
    };
    assert!(matches!(
        nested().run_on(&nowhere),
        Err(Error::Start { .. })
    ));
}

#[test]
fn few_survivors_are_reported_with_the_level() {
    // one state in a hundred is above 0, and all others are equal
    let cliff = Cube {
        dim: 1,
        half: 1.0,
        log_likelihood: |x: &[f64]| if x[0] > 0.98 { 5.0 } else { 0.0 },
    };
    let run = nested().run_on(&cliff).expect("the density is valid");
    let told = run
        .warnings()
        .into_iter()
        .find_map(|warning| match warning {
            Warning::FewSurvivors(found) => Some(found),
            _ => None,
        });
    assert_eq!(told.expect("a warning").level, Some(0.0));
}
