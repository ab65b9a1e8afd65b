//! The precision of methods for their cost, and for the number P of their islands, chains or nodes: repeated runs, and their spread.

mod figure;
mod spread;

pub use figure::svg;

use bayes::density::LogDensity;
use bayes::prelude::*;
use bayes::run::Group;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use spread::Spread;
use std::collections::BTreeMap;

/// Log evidence of the credit data by importance sampling from long NUTS chains, standard error 0.0014.
pub const LOG_EVIDENCE: f64 = -274.0255;

/// The results of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Answer {
    /// `None` for chains.
    pub log_evidence: Option<f64>,
    /// Posterior means of the coefficients.
    pub mean: Vec<f64>,
    /// Gradients, including a pilot's; densities if the kernel has no gradient.
    pub evaluations: f64,
}

/// An engine with its settings.
pub struct Member {
    /// The names of the member in the table, each with a weighting of the same islands.
    pub names: &'static [(&'static str, Weighting)],
    /// Runs the member with P islands, chains or nodes.
    pub run: fn(&dyn LogDensity, usize, u64) -> Run,
    /// The smallest P.
    pub smallest: usize,
    /// Number of groups of a run per island, chain or node.
    pub groups: usize,
    /// Whether islands are independent, so that any P islands of the largest run form a run with P.
    pub is_independent: bool,
}

/// The ladder of 40 temperatures of "SMC Is All You Need", after Neal (2001).
pub fn forty() -> Schedule {
    let fine = (1..=4).map(|k| 0.00025 * f64::from(k));
    let middle = (1..=7).map(|k| 0.001 * 10f64.powf(f64::from(k) / 7.0));
    let coarse = (1..=29).map(|k| 0.01 * 100f64.powf(f64::from(k) / 29.0));
    Schedule::fixed(fine.chain(middle).chain(coarse))
}

/// The answers of repeated runs with P islands or chains: a name, P and the runs.
pub type Answers = BTreeMap<(usize, usize), Vec<Answer>>;

impl Member {
    /// The answers with P = 1, 2, 4, ... up to the largest, by the index of the name and P.
    pub fn answers(
        &self,
        density: &dyn LogDensity,
        (largest, repeats): (usize, usize),
        seed: u64,
    ) -> Answers {
        let sizes: Vec<usize> = (0..)
            .map(|k| self.smallest << k)
            .take_while(|size| *size <= largest)
            .collect();
        let seeds = (0..repeats as u64).into_par_iter();
        let one = |repeat| {
            let seed = 1000 * seed + repeat;
            let mut answers = Vec::new();
            let pool = self
                .is_independent
                .then(|| (self.run)(density, largest, seed));
            for size in &sizes {
                let own = || (self.run)(density, *size, seed);
                let run = pool.clone().unwrap_or_else(own);
                for (place, (_, weighting)) in self.names.iter().enumerate() {
                    let run = run.clone().reweighted(*weighting);
                    let own: Vec<Answer> = parts(&run, *size * self.groups).collect();
                    answers.push(((place, *size), own));
                }
            }
            answers
        };
        let found: Vec<Vec<_>> = seeds.map(one).collect();
        let mut answers = Answers::new();
        for (key, own) in found.into_iter().flatten() {
            answers.entry(key).or_default().extend(own);
        }
        answers
    }
}

/// The answers of the first `size` groups of a run, the next ones, and so on.
fn parts(run: &Run, size: usize) -> impl Iterator<Item = Answer> + '_ {
    // the work of the first island includes the pilot's, which every run would need
    let others: f64 = run.groups[1..].iter().map(evaluations).sum();
    let island = others / (run.groups.len() - 1).max(1) as f64;
    let has_pilot = run.is_evidence_unbiased();
    let pilot = if has_pilot {
        evaluations(&run.groups[0]) - island
    } else {
        0.0
    };
    let all: f64 = run.groups.iter().map(evaluations).sum();
    run.groups.chunks(size).map(move |islands| {
        let part = Run {
            groups: islands.to_vec(),
            ..run.clone()
        };
        let evaluations = if size >= run.groups.len() {
            all
        } else {
            pilot + size as f64 * island
        };
        let variable = &run.layout.variables[0].name;
        Answer {
            log_evidence: part.log_evidence(),
            mean: part.mean(variable).expect("the run has the variable"),
            evaluations,
        }
    })
}

fn evaluations(group: &Group) -> f64 {
    match group.counts.gradient_evaluations {
        0 => group.counts.density_evaluations as f64,
        gradients => gradients as f64,
    }
}

/// Posterior means and standard deviations of the coefficients.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Truth {
    pub mean: Vec<f64>,
    pub sd: Vec<f64>,
}

impl Truth {
    /// Scales means to posterior standard deviations.
    fn scaled(&self, means: &[f64]) -> Vec<f64> {
        means.iter().zip(&self.sd).map(|(m, sd)| m / sd).collect()
    }
}

/// The results of a member with P islands or chains.
pub struct Row {
    pub member: &'static str,
    /// P.
    pub size: usize,
    /// Number of runs.
    runs: usize,
    /// Millions of gradients, or densities, per run.
    evaluations: f64,
    pub mean: Spread,
    pub log_evidence: Option<Spread>,
}

impl Row {
    pub fn of(member: &'static str, size: usize, answers: &[Answer], truth: &Truth) -> Self {
        let means: Vec<Vec<f64>> = answers.iter().map(|a| truth.scaled(&a.mean)).collect();
        let logs: Option<Vec<Vec<f64>>> = answers
            .iter()
            .map(|a| a.log_evidence.map(|log| vec![log]))
            .collect();
        let evaluations = answers.iter().map(|a| a.evaluations).sum::<f64>();
        Self {
            member,
            size,
            runs: answers.len(),
            evaluations: evaluations / answers.len() as f64 / 1e6,
            mean: Spread::of(&means, &truth.scaled(&truth.mean)),
            log_evidence: logs.map(|logs| Spread::of(&logs, &[LOG_EVIDENCE])),
        }
    }

    /// The two header lines of a table, with this name of the cost.
    pub fn head(cost: &str) -> [String; 2] {
        let columns = "variance  error       MSE";
        [
            format!(
                "{:<24} {:>3} {:>5} {:>8}   {:<34} {}",
                "", "", "", "million", "posterior mean", "log evidence"
            ),
            format!(
                "{:<24} {:>3} {:>5} {cost:>8}   {columns:<34} {columns}",
                "member", "P", "runs"
            ),
        ]
    }

    pub fn line(&self) -> String {
        let log_evidence = self.log_evidence.as_ref().map(Spread::text);
        format!(
            "{:<24} {:>3} {:>5} {:>8.3}   {} {}",
            self.member,
            self.size,
            self.runs,
            self.evaluations,
            self.mean.text(),
            log_evidence.unwrap_or_default()
        )
    }

    pub fn json(&self) -> Value {
        json!({
            "member": self.member,
            "size": self.size,
            "runs": self.runs,
            "million_gradients": self.evaluations,
            "mean": self.mean.json(),
            "log_evidence": self.log_evidence.as_ref().map(Spread::json),
        })
    }
}
