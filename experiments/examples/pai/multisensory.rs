//! Causal inference from two senses, table 4: do the felt and the seen motion have the same direction?
//!
//! ```text
//! P(same) = λ/2 + (1 - λ) (Φ((d + κ)/S) - Φ((d - κ)/S))    d = s_vest - s_vis    S² = σ_vis(c)² + σ_vest²
//! ```
//!
//! c is one of three coherence levels; some 1000 trials of a subject, 1069 of S1, the paper's (Acerbi, Dokka, Angelaki and Ma 2018). The priors are uniform within
//! bounds: each parameter is a standard normal coordinate mapped to the bounds by its distribution function. With log odds as coordinates
//! the parts have tails exp(x/5), and PAI fails. The draws are compared in ln σ, logit λ and ln κ; the paper does not print its transform.
//! The truth is a long run of NUTS.

use crate::Task;
use crate::problem::{Problem, nuts};
use crate::solve::{Solved, solve_model};
use bayes::autodiff::special::{norm_cdf, norm_quantile};
use bayes::prelude::*;
use bayes_experiments::common::read_csv;

const PROBLEM: Problem = Problem {
    name: "multisensory",
    parts: 5,
    chains: nuts,
    bounds: &[],
    coordinates: &[
        "ln sigma_vis_1",
        "ln sigma_vis_2",
        "ln sigma_vis_3",
        "ln sigma_vest",
        "logit lambda",
        "ln kappa",
    ],
    view: |z| {
        let x = values(z);
        let share = (x[4] - LAPSE[0]) / (LAPSE[1] - LAPSE[0]);
        let logit = (share / (1.0 - share)).ln();
        vec![x[0].ln(), x[1].ln(), x[2].ln(), x[3].ln(), logit, x[5].ln()]
    },
    region: None,
    published: &[
        ("parametric", [[0.40, 0.05], [4.8, 0.6], [12.0, 4.0]]),
        ("semiparametric", [[0.68, 0.07], [9.7, 9.6], [56.0, 32.0]]),
        ("nonparametric", [[0.26, 0.02], [0.52, 0.14], [5.3, 0.3]]),
        ("partition_trees", [[0.24, 0.04], [1.5, 0.5], [8.0, 5.4]]),
        ("gp", [[0.49, 0.25], [17.0, 23.0], [63.0, 89.0]]),
        ("gp_dis", [[0.07, 0.03], [0.16, 0.07], [0.87, 1.4]]),
        ("pai", [[0.16, 0.04], [0.56, 0.21], [2.0, 1.7]]),
        ("pai_dis", [[0.05, 0.04], [0.14, 0.13], [0.29, 0.36]]),
    ],
};

/// Bounds of the uniform priors.
const SIGMA: [f64; 2] = [0.5, 80.0];
const LAPSE: [f64; 2] = [0.005, 0.5];
const KAPPA: [f64; 2] = [0.25, 180.0];
/// The bounds of all parameters: sigma_vis, sigma_vest, lambda, kappa.
const BOUNDS: [[f64; 2]; 6] = [SIGMA, SIGMA, SIGMA, SIGMA, LAPSE, KAPPA];

/// The parameters at standard normal coordinates.
fn values(z: &[f64]) -> Vec<f64> {
    let pairs = z.iter().zip(BOUNDS);
    let value = |(z, [low, high]): (&f64, [f64; 2])| low + (high - low) * norm_cdf(*z);
    pairs.map(value).collect()
}

/// The mode for subject 1, and its published log likelihood (Acerbi 2020).
const MODE: [f64; 6] = [
    6.20058541794124,
    5.88061641083698,
    10.1912429256554,
    4.04744822755874,
    0.0252735866538809,
    10.1385937945795,
];
const LOG_LIKELIHOOD: f64 = -483.51334;

/// A standard deviation at a standard normal coordinate.
#[function]
fn sigma(z: Real) -> Real {
    SIGMA[0] + (SIGMA[1] - SIGMA[0]) * z.norm_cdf()
}

#[model]
fn multisensory(#[rows] level: &[usize], #[rows] difference: &[f64], #[rows] same: &[bool]) {
    let z = sample(Normal::new(0.0, 1.0).iid(6));
    let visual = [sigma(z[0]), sigma(z[1]), sigma(z[2])];
    let vestibular = sigma(z[3]);
    let lambda = LAPSE[0] + (LAPSE[1] - LAPSE[0]) * z[4].norm_cdf();
    let kappa = KAPPA[0] + (KAPPA[1] - KAPPA[0]) * z[5].norm_cdf();
    for i in 0..same.len() {
        let visual = visual[level[i]];
        let sd = (visual * visual + vestibular * vestibular).sqrt();
        let (low, high) = (difference[i] - kappa, difference[i] + kappa);
        let within = (high / sd).norm_cdf() - (low / sd).norm_cdf();
        observe(
            same[i],
            Bernoulli::new(0.5 * lambda + (1.0 - lambda) * within),
        );
    }
}

/// The problem of a subject: the published figures are of the first.
pub fn problem_of(subject: usize) -> Problem {
    match subject {
        1 => PROBLEM,
        _ => Problem {
            published: &[],
            ..PROBLEM
        },
    }
}

/// Number of subjects in the file.
pub const SUBJECTS: usize = 6;

/// Of a subject: coherence levels from 0, differences of the headings in degrees, and whether the answer was "same".
fn trials(subject: usize) -> (Vec<usize>, Vec<f64>, Vec<bool>) {
    let table = read_csv(include_str!("../../data/multisensory.csv"));
    let rows = table.row_iter().filter(|row| row[0] as usize == subject);
    let trial = rows.map(|row| ((row[1] as usize - 1, row[2] - row[3]), row[4] == 1.0));
    let (stimuli, same): (Vec<(usize, f64)>, Vec<bool>) = trial.unzip();
    let (level, difference) = stimuli.into_iter().unzip();
    (level, difference, same)
}

/// Nearly independent draws.
fn truth<Mo: Rows>(model: &Mo, count: usize) -> Result<Vec<Vec<f64>>, bayes::Error> {
    let run = Inference::nuts()
        .chains(16)
        .burn_in(1000)
        .draws(count.div_ceil(16))
        .thin(4)
        .seed(1)
        .progress(false)
        .run_on(&bayes::density::Posterior::new(model, 1)?)?;
    let rows = run.groups.iter();
    let rows = rows.flat_map(|group| group.rows(run.layout.elements()));
    Ok(rows.map(PROBLEM.view).take(count).collect())
}

/// Asserts that the log likelihood at the mode is the published one.
fn check<Mo: Model>(model: &Mo) -> Result<(), bayes::Error> {
    let quantile = |(x, [low, high]): (f64, [f64; 2])| norm_quantile((x - low) / (high - low));
    let z: Vec<f64> = MODE.into_iter().zip(BOUNDS).map(quantile).collect();
    let found = model.log_density_at(&[("z", &z)])?.log_likelihood;
    assert!((found - LOG_LIKELIHOOD).abs() < 1e-3, "{found}");
    Ok(())
}

/// The answers of all seeds.
pub fn solve(task: &Task) -> Result<Solved, bayes::Error> {
    let (level, difference, same) = trials(task.subject);
    let model = multisensory(&level, &difference, &same);
    if task.subject == 1 {
        check(&model)?;
    }
    let rows = truth(&model, 2 * task.effort.draws)?;
    solve_model(&PROBLEM, task, &model, |_| rows)
}
