//! Problems with known log evidence.

use bayes::engine::{self, Smc};
use bayes::kernel::Kernel;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::AnyModel;
use bayes_experiments::exact;
use bayes_experiments::published::Problem as Published;
use bayes_experiments::targets::targets;
use std::f64::consts::TAU;

/// pSMC with a kernel that is chosen at run time.
pub type Engine = Smc<Box<dyn Kernel>>;

/// A problem with its log evidence.
pub struct Problem {
    pub name: String,
    pub log_evidence: f64,
    pub run: Runs,
}

/// Runs an engine on the problem.
type Runs = Box<dyn Fn(&dyn engine::Engine) -> Result<Run, Error>>;

/// `x ~ Normal(0, 1)` in each coordinate, with the observation 2 of noise 0.3.
#[model]
fn shrunk(dim: usize) {
    let x = sample(Normal::new(0.0, 1.0).iid(dim));
    for k in 0..dim {
        observe(2.0, Normal::new(x[k], 0.3));
    }
}

/// Neal's funnel as a likelihood.
#[model]
fn funnel_likelihood(d: usize) {
    let v = sample(Normal::new(0.0, 3.0));
    let x = sample(Normal::new(0.0, 10.0).iid(d));
    factor(Normal::new(0.0, (0.5 * v).exp()).iid(d).log_density_at(&x));
}

/// The exact problems of the battery, and published targets.
const EXACT: [&str; 9] = [
    "normal_mean",
    "normal_mean_conflict",
    "blr_16x4_sigma_0.01",
    "blr_16x32",
    "beta_binomial",
    "banana_2d",
    "student_location_scale_2d",
    "student_likelihood_bimodal_1d",
    "local_level_1d",
];
const PUBLISHED: [&str; 3] = [
    "eight_schools-eight_schools_noncentered",
    "eight_schools-eight_schools_centered",
    "extra_brownian_unknown_scales",
];
const TARGETS: [&str; 7] = [
    "shells, 2 d",
    "shells, 10 d",
    "egg box, 2 d",
    "Rosenbrock, 2 d",
    "funnel, 10 d",
    "correlated normal, 25 d",
    "seeds, 26 d",
];

/// All problems.
pub fn problems() -> Vec<Problem> {
    let mut all: Vec<Problem> = [2, 10, 25].into_iter().map(normal).collect();
    all.push(funnel());
    for problem in exact::problems() {
        if EXACT.contains(&problem.name.as_str()) {
            all.push(Problem {
                name: problem.name.clone(),
                log_evidence: problem.log_evidence,
                run: Box::new(move |engine| problem.solve(engine)),
            });
        }
    }
    for name in PUBLISHED {
        let problem = Published::shipped(name);
        all.push(Problem {
            name: name.split('-').next_back().unwrap_or(name).to_owned(),
            log_evidence: problem.log_evidence().expect("its prior is proper"),
            run: Box::new(move |engine| problem.solve(engine)),
        });
    }
    let is_chosen = |name: &str| TARGETS.contains(&name);
    for target in targets()
        .into_iter()
        .filter(|target| is_chosen(target.name))
    {
        all.push(Problem {
            name: target.name.to_owned(),
            log_evidence: target.log_evidence,
            run: Box::new(move |engine| (target.run)(engine)),
        });
    }
    all
}

fn run(model: &dyn AnyModel, engine: &dyn engine::Engine) -> Result<Run, Error> {
    model.run(engine)
}

fn normal(dim: usize) -> Problem {
    let variance = 1.0 + 0.09;
    let each = -0.5 * ((TAU * variance).ln() + 4.0 / variance);
    Problem {
        name: format!("normal, {dim} d"),
        log_evidence: dim as f64 * each,
        run: Box::new(move |engine| run(&shrunk(dim), engine)),
    }
}

/// Integrating out x leaves `E Normal(0; 0, sqrt(100 + e^v))^9` over the prior of v.
fn funnel() -> Problem {
    let step = 0.01;
    let values = (-3000..=3000).map(|k| step * f64::from(k));
    let density = |v: f64| (-0.5 * (v / 3.0).powi(2)).exp() / (3.0 * TAU.sqrt());
    let term = |v: f64| density(v) * (TAU * (100.0 + v.exp())).powf(-4.5);
    let evidence: f64 = values.map(term).sum::<f64>() * step;
    Problem {
        name: "funnel_likelihood".to_owned(),
        log_evidence: evidence.ln(),
        run: Box::new(|engine| run(&funnel_likelihood(9), engine)),
    }
}
