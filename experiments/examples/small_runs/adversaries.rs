//! Shapes that are difficult for tempering, with log evidences by closed forms and sums.

use super::problems::{Problem, run};
use bayes::prelude::*;
use bayes_experiments::targets::models::two_phases;
use bayes_experiments::targets::truth;
use std::f64::consts::TAU;

/// A flat likelihood with a peak of width 0.3 in the middle, x uniform in (-5, 5)⁴. A climb starts at one prior draw of 400.
#[model]
fn plateau(height: f64) {
    let x = sample(Uniform::new(-5.0, 5.0).iid(4));
    let mut peak: Real = Real::from(height);
    for k in 0..4 {
        peak -= 0.5 * (x[k] / WIDTH).square();
    }
    factor(peak.log1p_exp());
}

const WIDTH: f64 = 0.3;

/// Student's t in each coordinate, with a normal reference: the weights have no variance.
#[model]
fn heavy_tails(dim: usize) {
    let x = sample(Normal::new(0.0, 1.0).iid(dim));
    let student = StudentT::new(5.0, 0.0, 1.0).iid(dim).log_density_at(&x);
    factor(student - Normal::new(0.0, 1.0).iid(dim).log_density_at(&x));
}

/// Measurements of a level plus 0, 4 or 8, by choices that are not seen. The levels 4 and 0 explain them nearly as well.
#[model]
fn choices(y: &[f64], weights: &[f64]) {
    let level = sample(Normal::new(0.0, LEVEL));
    let choice = sample(Categorical::new(weights).iid(y.len()));
    for i in 0..y.len() {
        observe(y[i], Normal::new(level + 4.0 * choice[i], NOISE));
    }
}

const LEVEL: f64 = 3.0;
const NOISE: f64 = 0.3;
const SEEN: [f64; 6] = [4.1, 3.8, 8.2, 4.0, 7.9, 4.3];
const CHOICES: [f64; 3] = [0.5, 0.3, 0.2];

/// A ridge of width 0.02 along a sine.
#[model]
fn ridge() {
    let x = sample(Normal::new(0.0, 2.0));
    let y = sample(Normal::new(0.0, 3.0));
    observe(0.0, Normal::new(y - 2.0 * (2.0 * x).sin(), RIDGE));
}

const RIDGE: f64 = 0.02;

/// Sampled: the spike is above the wide mode in a ball of radius 0.69 about it.
const SPIKE: &str = "one prior draw of 118,000 lies where the density rises towards the spike, and at the best temperature one \
    independent particle of 48,000. A search by prior draws with a climb from each needs 354,000 of them to find it in 95% of the runs, and \
    733,000 to miss it in 2 of 1000; 4 islands of 64 particles evaluate the density at 109,000 places, 8 of 256 at 760,000.";

/// All of them.
pub fn adversaries() -> Vec<Problem> {
    // the narrow modes have ten and nine times the mass of the rest
    let volume = 2.0 * (0.5 * TAU.ln() + WIDTH.ln()) * 2.0 - 4.0 * 10f64.ln();
    let above = 10f64.ln() - volume;
    let height = 9f64.ln() - 5.0 * 0.1f64.ln();
    let make =
        |name: &str, log_evidence: f64, model: Box<dyn bayes_experiments::AnyModel>| Problem {
            is_adversary: true,
            ..Problem::new(name, log_evidence, move |engine| run(&*model, engine))
        };
    vec![
        make("plateau, 4 d", 11f64.ln(), Box::new(plateau(above))),
        Problem {
            undetectable: Some(SPIKE),
            ..make(
                "spike off centre, 5 d",
                truth::two_phases(5, height, 0.1),
                Box::new(two_phases(5, height, 0.1, 2.0)),
            )
        },
        make("heavy tails, 4 d", 0.0, Box::new(heavy_tails(4))),
        Problem {
            moves: "kernel random_walk",
            ..make(
                "choices, 7 d",
                of_choices(),
                Box::new(choices(&SEEN, &CHOICES)),
            )
        },
        make("ridge, 2 d", of_ridge(), Box::new(ridge())),
    ]
}

/// The sum over all choices of normal densities with a common level.
fn of_choices() -> f64 {
    let n = SEEN.len() as f64;
    let (noise, level) = (NOISE * NOISE, LEVEL * LEVEL);
    let log_determinant = (n - 1.0) * noise.ln() + (noise + n * level).ln();
    let term = |code: usize| {
        let choice = |i: usize| code / 3usize.pow(i as u32) % 3;
        let rest = (0..SEEN.len()).map(|i| SEEN[i] - 4.0 * choice(i) as f64);
        let (sum, squares) = rest.fold((0.0, 0.0), |(sum, squares), r| (sum + r, squares + r * r));
        let quadratic = (squares - sum * sum * level / (noise + n * level)) / noise;
        let weights = (0..SEEN.len()).map(|i| CHOICES[choice(i)].ln());
        (weights.sum::<f64>() - 0.5 * (quadratic + log_determinant + n * TAU.ln())).exp()
    };
    (0..3usize.pow(SEEN.len() as u32))
        .map(term)
        .sum::<f64>()
        .ln()
}

/// The integral along the ridge.
fn of_ridge() -> f64 {
    let variance = 9.0 + RIDGE * RIDGE;
    let step = 1e-3;
    let term = |k: i32| {
        let x = step * f64::from(k);
        let y = 2.0 * (2.0 * x).sin();
        (-x * x / 8.0 - y * y / (2.0 * variance)).exp() / (TAU * 2.0 * variance.sqrt())
    };
    (step * (-20_000..=20_000).map(term).sum::<f64>()).ln()
}
