//! A setting on a problem: error, cost and coverage over many runs.

use crate::problems::{Case, Moment};
use crate::setting::{Setting, Size};
use bayes::Run;
use bayes_experiments::common::fail;
use serde_json::{Value, json};
use std::ops::Range;
use std::time::Instant;

/// Largest number of posterior means of a problem that are judged, evenly spaced.
const MEANS: usize = 16;

/// The figures of a setting on a problem.
#[derive(Clone, Debug)]
pub struct Trial {
    /// Log of the mean evidence of all islands minus the truth, with its standard error.
    mean: (f64, f64),
    /// Mean log evidence of the islands minus the truth, with its standard error.
    mean_log: (f64, f64),
    /// Mean squared error of an island's log evidence.
    mse: f64,
    /// Mean squared error of a run's posterior means, in posterior standard deviations; NaN where these are not known.
    means_mse: f64,
    /// Shares of the 95% intervals that hold the truth.
    covers: f64,
    means_cover: f64,
    /// Mean printed standard error of the log evidence.
    error: f64,
    /// Millions of gradients (or densities, without gradients) per run.
    cost: f64,
    islands: f64,
    seconds: f64,
}

/// The results of one run.
struct Answer {
    log_evidence: Vec<f64>,
    holds: bool,
    error: f64,
    squares: Vec<f64>,
    means_hold: Vec<bool>,
    evaluations: u64,
}

impl Trial {
    /// The names of the columns of [`Trial::line`].
    pub const HEADER: &'static str = "       mean Z          mean ln Z     error   covers  means    mse x Mg  means x Mg    Mg     s";

    /// Solves the problem once for each seed.
    ///
    /// `each` gets every run, with its seed, before its results are added.
    pub fn of(
        case: &Case,
        setting: &Setting,
        size: Size,
        seeds: Range<u64>,
        each: &mut dyn FnMut(u64, &Run),
    ) -> Self {
        let start = Instant::now();
        let answers: Vec<Answer> = seeds
            .map(|seed| {
                let run = case.solve(&setting.engine(size, seed));
                let run = run.unwrap_or_else(|error| fail(&format!("{}: {error}", case.name)));
                each(seed, &run);
                answer(case, &run)
            })
            .collect();
        let runs = answers.len() as f64;
        let all: Vec<f64> = answers
            .iter()
            .flat_map(|a| a.log_evidence.iter().copied())
            .collect();
        let deviations: Vec<f64> = all.iter().map(|log| log - case.log_evidence).collect();
        let (mean_log, spread) = moments(&deviations);
        let scaled: Vec<f64> = deviations.iter().map(|d| d.exp()).collect();
        let (mean, spread_of_mean) = moments(&scaled);
        let count = deviations.len() as f64;
        let average = |of: &dyn Fn(&Answer) -> f64| answers.iter().map(of).sum::<f64>() / runs;
        let share =
            |flags: &[bool]| flags.iter().filter(|f| **f).count() as f64 / flags.len() as f64;
        let mean_of = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
        Self {
            mean: (mean.ln(), spread_of_mean / count.sqrt() / mean),
            mean_log: (mean_log, spread / count.sqrt()),
            mse: deviations.iter().map(|d| d * d).sum::<f64>() / count,
            means_mse: average(&|a| mean_of(&a.squares)),
            covers: average(&|a| f64::from(a.holds)),
            means_cover: average(&|a| share(&a.means_hold)),
            error: average(&|a| a.error),
            cost: average(&|a| a.evaluations as f64) / 1e6,
            islands: count / runs,
            seconds: start.elapsed().as_secs_f64() / runs,
        }
    }

    /// Mean squared error of the log evidence times cost, of an island.
    pub fn evidence_score(&self) -> f64 {
        self.mse * self.cost / self.islands
    }

    /// Mean squared error of the posterior means times cost, of a run.
    pub fn means_score(&self) -> f64 {
        self.means_mse * self.cost
    }

    /// Share of the intervals of the log evidence that hold the truth.
    pub fn coverage(&self) -> f64 {
        self.covers
    }

    /// The figures under [`Trial::HEADER`].
    pub fn line(&self, name: &str) -> String {
        format!(
            "{:>+8.3} ± {:<6.3} {:>+8.3} ± {:<6.3} {:>7.3} {:>7.3} {:>6.3} {:>11} {:>11} {:>6.2} {:>5.1}  {name}",
            self.mean.0,
            self.mean.1,
            self.mean_log.0,
            self.mean_log.1,
            self.error,
            self.covers,
            self.means_cover,
            score(self.evidence_score()),
            score(self.means_score()),
            self.cost,
            self.seconds,
        )
    }

    /// The figures, without seconds.
    pub fn json(&self) -> Value {
        json!({
            "mean": self.mean.0,
            "mean_se": self.mean.1,
            "mean_log": self.mean_log.0,
            "mean_log_se": self.mean_log.1,
            "error": self.error,
            "covers": self.covers,
            "means_cover": self.means_cover,
            "evidence_score": self.evidence_score(),
            "means_score": self.means_score(),
            "millions_of_gradients": self.cost,
        })
    }
}

fn answer(case: &Case, run: &Run) -> Answer {
    let controlled = run.log_evidence_without_controls().is_some();
    let log_evidence = run.groups.iter().filter_map(|group| {
        let known = group.island().and_then(|island| island.controlled.as_ref());
        let known = known.filter(|_| controlled);
        known.map_or(group.log_evidence(), |known| Some(known.log_evidence))
    });
    let interval = run.log_evidence_interval(0.95);
    let counts = run.counts();
    let stride = case.moments.len().div_ceil(MEANS).max(1);
    let judged: Vec<(f64, bool)> = case
        .moments
        .iter()
        .step_by(stride)
        .map(|m| judge(run, m))
        .collect();
    Answer {
        log_evidence: log_evidence.collect(),
        holds: interval.is_some_and(|(low, high)| (low..=high).contains(&case.log_evidence)),
        error: run.log_evidence_se().unwrap_or(f64::NAN),
        squares: judged.iter().map(|j| j.0).collect(),
        means_hold: judged.iter().map(|j| j.1).collect(),
        evaluations: match counts.gradient_evaluations {
            0 => counts.density_evaluations,
            gradients => gradients,
        },
    }
}

/// The squared error of a mean in squared posterior standard deviations, and whether its interval holds the truth.
fn judge(run: &Run, moment: &Moment) -> (f64, bool) {
    let names = run.layout.element_names();
    let element = moment.of.place(&names);
    let element = element.unwrap_or_else(|| fail(&format!("no {:?} in {names:?}", moment.of)));
    let estimate = run.estimate(|draw| draw.values()[element]);
    let (low, high) = estimate.interval(0.95);
    let error = (estimate.mean - moment.mean) / moment.sd;
    // the reference has an error too
    let slack = 2.0 * moment.mean_se;
    (
        error * error,
        low - slack <= moment.mean && moment.mean <= high + slack,
    )
}

/// A mean squared error times cost as text, also for small values.
pub fn score(value: f64) -> String {
    if value < 1e-3 {
        format!("{value:.1e}")
    } else {
        format!("{value:.4}")
    }
}

/// Mean and standard deviation.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0)).sqrt())
}
