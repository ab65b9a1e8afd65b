//! Parts of the posterior that the path from the prior misses: runs name them.

use bayes_core::density::{Block, LogDensity, Prior};
use bayes_core::diagnose::Warning;
use bayes_core::engine::Inference;
use bayes_core::rng::{RngExt, Stream};
use bayes_core::run::Run;
use rand_distr::StandardNormal;
use std::f64::consts::TAU;

/// A density of `DIM` independent coordinates with a standard normal prior; log likelihood and its gradient by a function.
struct Over<const DIM: usize> {
    log_likelihood: fn(&[f64]) -> f64,
    slope: fn(&[f64], usize) -> f64,
}

impl<const DIM: usize> LogDensity for Over<DIM> {
    fn dim(&self) -> usize {
        DIM
    }
    fn evaluate(&self, block: &mut Block<'_>) {
        let constant = 0.5 * DIM as f64 * TAU.ln();
        block.fill(|x| {
            let squares: f64 = x.iter().map(|x| x * x).sum();
            [-0.5 * squares - constant, (self.log_likelihood)(x)]
        });
    }
    fn evaluate_gradient(&self, [prior, likelihood]: [f64; 2], block: &mut Block<'_>) {
        self.evaluate(block);
        for i in 0..block.len() {
            let row = block.row(i);
            let x = block.positions[row.clone()].to_vec();
            for (k, at) in row.enumerate() {
                block.gradient[at] = -prior * x[k] + likelihood * (self.slope)(&x, k);
            }
        }
    }
    fn prior(&self) -> Option<&dyn Prior> {
        Some(self)
    }
}

impl<const DIM: usize> Prior for Over<DIM> {
    fn draw(&self, stream: &mut Stream, position: &mut [f64]) {
        position.fill_with(|| stream.sample(StandardNormal));
    }
    fn is_normalised(&self) -> bool {
        true
    }
}

/// A likelihood that is 1 but in a peak of width 0.1 at the origin, with ten times the mass of the rest. The prior is so wide that one draw in
/// hundreds is where the peak is above 1.
const WIDTH: f64 = 0.1;
const EXCESS: f64 = 10.0;

/// The centre of a peak off the centre: within two standard deviations of the prior.
const CENTRE: [f64; 5] = [1.0, 0.5, -0.5, 0.5, -0.5];

/// The log of the peak's part of the likelihood with the peak at [`CENTRE`], where the prior is smaller, so that its mass is the same.
fn off_centre(x: &[f64]) -> f64 {
    let squares: f64 = CENTRE.iter().map(|c| c * c).sum();
    let shifted: Vec<f64> = x.iter().zip(CENTRE).map(|(x, c)| x - c).collect();
    peak(&shifted) + 0.5 * squares / (1.0 + WIDTH * WIDTH)
}

fn above_off_centre(x: &[f64]) -> f64 {
    let peak = off_centre(x);
    peak.max(0.0) + (-peak.abs()).exp().ln_1p()
}

fn slope_off_centre(x: &[f64], k: usize) -> f64 {
    -(x[k] - CENTRE[k]) / (WIDTH * WIDTH) / (1.0 + (-off_centre(x)).exp())
}

/// The log of the peak's part of the likelihood.
fn peak(x: &[f64]) -> f64 {
    let squares: f64 = x.iter().map(|x| x * x).sum();
    EXCESS.ln() - x.len() as f64 * WIDTH.ln() - 0.5 * squares / (WIDTH * WIDTH)
}

fn above_plateau(x: &[f64]) -> f64 {
    let peak = peak(x);
    peak.max(0.0) + (-peak.abs()).exp().ln_1p()
}

fn slope_above_plateau(x: &[f64], k: usize) -> f64 {
    -x[k] / (WIDTH * WIDTH) / (1.0 + (-peak(x)).exp())
}

/// The log evidence: the product of the peak and the prior is a normal of variance w² / (1 + w²).
fn with_peak<const DIM: usize>() -> f64 {
    let lost = 0.5 * DIM as f64 * (1.0 + WIDTH * WIDTH).ln();
    (EXCESS * (-lost).exp()).ln_1p()
}

const DEGREES: f64 = 5.0;

/// Student's t with 5 degrees of freedom in each coordinate in place of the prior; the log evidence is 0.
fn student(x: &[f64]) -> f64 {
    // Γ(3) / Γ(5/2) = 2 / (3 √π / 4)
    let gamma = 8.0 / (3.0 * std::f64::consts::PI.sqrt());
    let constant = gamma.ln() - 0.5 * (DEGREES * std::f64::consts::PI).ln() + 0.5 * TAU.ln();
    let each = |x: &f64| constant + 0.5 * x * x - 0.5 * (DEGREES + 1.0) * (x * x / DEGREES).ln_1p();
    x.iter().map(each).sum()
}

fn slope_of_student(x: &[f64], k: usize) -> f64 {
    x[k] - (DEGREES + 1.0) * x[k] / (DEGREES + x[k] * x[k])
}

fn run<const DIM: usize>(density: &Over<DIM>, seed: u64) -> Run {
    let psmc = Inference::psmc().islands(4).particles(64);
    let run = psmc.seed(seed).progress(false).run_on(density);
    run.expect("the density is valid")
}

/// The log evidence with the missed mass, and its error.
fn missed(warnings: &[Warning]) -> Option<[f64; 2]> {
    warnings.iter().find_map(|warning| match warning {
        Warning::MissedMass(missed) => Some(missed.with_it),
        _ => None,
    })
}

/// The initial particles see a constant likelihood, so the ladder jumps to the posterior. Leapfrog steps there touch the peak.
///
/// Mutation meant to be detected: no climbs from the falls of the energy.
#[test]
fn a_peak_on_a_plateau_is_named() {
    let density = Over::<5> {
        log_likelihood: above_plateau,
        slope: slope_above_plateau,
    };
    for seed in 1..=20 {
        let run = run(&density, seed);
        let warnings = run.warnings();
        assert!(!warnings.is_empty(), "seed {seed}: {run}");
        if let Some([with_it, se]) = missed(&warnings) {
            let off = (with_it - with_peak::<5>()).abs();
            assert!(off < (5.0 * se).max(0.1), "seed {seed}: {warnings:?}");
        }
    }
}

/// The first island finds the maximum of the prior alone, and its ellipsoid contains the peak that another island finds.
///
/// Would detect a rule by which a maximum in the ellipsoid of one found before is no mode of its own.
#[test]
fn a_peak_in_the_ellipsoid_of_a_broad_mode_is_named() {
    let density = Over::<5> {
        log_likelihood: above_off_centre,
        slope: slope_off_centre,
    };
    for seed in [3, 11] {
        let psmc = Inference::psmc().islands(4).particles(128);
        let run = psmc.seed(seed).progress(false).run_on(&density);
        let run = run.expect("the density is valid");
        let first = run.groups[0].island().expect("it is an island");
        assert_eq!(first.local_masses.len(), 1, "seed {seed}");
        let named = missed(&run.warnings());
        let [with_it, se] = named.expect("another island found the peak");
        let off = (with_it - with_peak::<5>()).abs();
        assert!(off < 5.0 * se, "seed {seed}: {with_it} ± {se}");
    }
}

/// Mutation meant to be detected: no warning of heavy weights.
#[test]
fn a_posterior_with_heavier_tails_than_the_prior_is_named() {
    let density = Over::<4> {
        log_likelihood: student,
        slope: slope_of_student,
    };
    for seed in 1..=20 {
        let warnings = run(&density, seed).warnings();
        let is_named = |warning: &Warning| matches!(warning, Warning::HeavyWeights(_));
        assert!(warnings.iter().any(is_named), "seed {seed}: {warnings:?}");
    }
}

/// Mutation meant to be detected: the weights of the whole likelihood in place of those of a step.
#[test]
fn a_posterior_with_light_tails_has_no_heavy_weights() {
    let density = Over::<4> {
        log_likelihood: |x| -50.0 * x.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>(),
        slope: |x, k| -100.0 * (x[k] - 1.0),
    };
    for seed in 1..=20 {
        let warnings = run(&density, seed).warnings();
        assert!(warnings.is_empty(), "seed {seed}: {warnings:?}");
    }
}
