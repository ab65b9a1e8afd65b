//! Parallel MCMC without embarrassing failures: ten parts of the data, sampled separately, and every method to combine them.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example pai
//! cargo run --release -p bayes-experiments --example pai -- --seeds 2 --only student --svg DIR
//! cargo run --release -p bayes-experiments --example pai -- --only multisensory --subject 2
//! cargo run --release -p bayes-experiments --example pai -- --ablation
//! cargo run --release -p bayes-experiments --example pai -- --large --rows 100000
//! ```
//!
//! De Souza, Mesquita, Kaski and Acerbi 2022, tables 1 to 4: the four problems, every method on the same draws of the parts, compared with
//! the published figures and with pSMC on all data with as many gradients. A seed determines the rows of each part, the chains, and the
//! random numbers of the methods; the data are the same for all seeds. The floor compares independent draws of the truth with each other.
//!
//! The table has the number of warnings of each seed, beyond those about the chains.
//!
//! Asserted: on every problem PAI is nearer to the truth than a product of Gaussians, over the seeds with no warning that PAI may lie at a
//! wrong place.

mod grid;
mod large;
mod multimodal;
mod multisensory;
mod picture;
mod problem;
mod rare;
mod score;
mod solve;
mod student;
mod table;

use bayes_experiments::common::{Options, Report, fail, number};
use score::Score;
use serde_json::json;
use solve::{Answer, Effort, Solved};

/// Runs a problem with all seeds.
type Solve = fn(&Task) -> Result<Solved, bayes::Error>;

/// The problems with their published figures.
fn problems(task: &Task) -> [(problem::Problem, Solve); 4] {
    [
        (multimodal::PROBLEM, multimodal::solve),
        (student::PROBLEM, student::solve),
        (rare::PROBLEM, rare::solve),
        (multisensory::problem_of(task.subject), multisensory::solve),
    ]
}

/// The choice of seeds, effort and stages.
pub struct Task {
    /// The seeds.
    pub seeds: std::ops::Range<u64>,
    /// Numbers of draws.
    pub effort: Effort,
    /// The subject of the multisensory problem, from 1; the paper's is the first.
    pub subject: usize,
    /// Whether to compare the stages of PAI instead of the methods.
    pub is_ablation: bool,
}

fn main() {
    let names = ["--seeds", "--only", "--svg", "--rows", "--subject"];
    let flags = ["--ablation", "--large"];
    let (options, [seeds, only, svg, rows, subject], [is_ablation, is_large]) =
        Options::with_flags(names, flags);
    let seeds: u64 = number("--seeds", seeds, options.size(10, 1) as u64);
    if seeds == 0 {
        fail("`--seeds` takes a number from 1");
    }
    let subject = number("--subject", subject, 1);
    if !(1..=multisensory::SUBJECTS).contains(&subject) {
        fail(&format!(
            "`--subject` takes a number from 1 to {}",
            multisensory::SUBJECTS
        ));
    }
    let task = Task {
        subject,
        seeds: options.seed..options.seed + seeds,
        effort: Effort::of(options),
        is_ablation,
    };
    let mut report = Report::new("pai", options);
    if is_large {
        let rows = number("--rows", rows, options.size(1_000_000, 10_000));
        let large = large::solve(&task, rows).unwrap_or_else(|error| fail(&error.to_string()));
        report.say(&large.text());
        report.note("large", large.json(options.times));
        return report.finish();
    }
    let chosen = |name: &str| match &only {
        Some(only) => name.contains(only),
        // the problem of the paper's ablation
        None if is_ablation => name == multimodal::PROBLEM.name,
        // the other problems take minutes
        None => !options.quick || ["student", "rare"].contains(&name),
    };
    let mut all = Vec::new();
    for (problem, solve) in problems(&task) {
        if !chosen(problem.name) {
            continue;
        }
        let solved = solve(&task).unwrap_or_else(|error| fail(&error.to_string()));
        report.say(&table::text(&problem, &task, &solved));
        report.note(problem.name, table::json(&solved, options.times));
        if let Some(folder) = &svg {
            let path = std::path::Path::new(folder).join(format!("{}.svg", problem.name));
            let written = std::fs::write(&path, picture::svg(&problem, &solved));
            written.unwrap_or_else(|error| fail(&format!("cannot write {path:?}: {error}")));
        }
        all.push((problem, solved));
    }
    report.note("seeds", json!(seeds));
    report.finish();
    // after the figures, so that they are printed even if the check fails
    for (problem, solved) in &all {
        check(problem, solved, &task);
    }
}

/// Asserts that PAI is nearer to the truth than a product of Gaussians, over the seeds at which PAI does not distrust itself; tells the
/// others.
fn check(problem: &problem::Problem, solved: &Solved, task: &Task) {
    // a few rounds are too few for four modes or six dimensions
    let is_hard = problem.coordinates.len() > 2 || problem.region.is_some();
    if task.is_ablation || (task.effort.is_quick && is_hard) {
        return;
    }
    let score = |answer: &Answer, method: &str| {
        let mut scores = answer.scores.iter();
        let found = scores.find(|score| score.method == method);
        found.cloned().unwrap_or_else(|| Score::worst("none"))
    };
    let is_trusted = |answer: &&Answer| !score(answer, "pai").is_distrusted;
    let trusted: Vec<&Answer> = solved.answers.iter().filter(is_trusted).collect();
    let (all, left) = (solved.answers.len(), trusted.len());
    if left < all {
        let out = all - left;
        eprintln!(
            "{}: PAI warns at {out} of {all} seeds that it may lie at a wrong place; they are not compared",
            problem.name
        );
    }
    if trusted.is_empty() {
        return;
    }
    let mean = |method: &str| {
        let scores = trusted.iter().map(|answer| score(answer, method).mmtv);
        scores.sum::<f64>() / left as f64
    };
    let (pai, parametric) = (mean("pai"), mean("parametric"));
    assert!(
        pai < parametric,
        "{}: MMTV {pai} of PAI, {parametric} of Gaussians",
        problem.name
    );
}
