//! Many data: chains on ten parts and PAI, against chains on all data; the problem of [`multimodal`](crate::multimodal).

use crate::Task;
use crate::multimodal::{PROBLEM, data, multimodal, truth};
use crate::score::{self, Score, Truth};
use bayes::combine::{Combine, Pai, Parts};
use bayes::density::{LogDensity, Posterior, Subposterior};
use bayes::prelude::*;
use serde_json::{Value, json};
use std::time::Instant;

/// Number of burn-in steps, and of draws, of each of the four chains.
const CHAIN: usize = 150;

/// The seconds of each method, and the distance of its draws from the truth.
pub struct Large {
    rows: usize,
    /// Seconds of the slowest part's chains, and of PAI.
    parallel: [f64; 2],
    /// Seconds of the chains on all data.
    whole: f64,
    pai: Score,
    chains: Score,
    floor: Score,
}

/// Runs both methods, with the first seed.
pub fn solve(task: &Task, rows: usize) -> Result<Large, bayes::Error> {
    let y = data(rows);
    let model = multimodal(&y);
    let seed = task.seeds.start;
    let parts = model.parts(PROBLEM.parts, seed)?;
    let parts = Subposterior::of_parts(&parts)?;
    let posterior = Posterior::new(&model, seed)?;
    // one after the other: a thread that waits for its chains would run another part's chains, and count their time
    let chains = parts.iter().enumerate();
    let runs = chains.map(|(k, part)| timed(part, 1000 * seed + k as u64));
    let runs: Vec<(Run, f64)> = runs.collect::<Result<_, _>>()?;
    let (runs, seconds): (Vec<Run>, Vec<f64>) = runs.into_iter().unzip();
    let (whole, whole_seconds) = timed(&posterior, seed)?;
    let start = Instant::now();
    let pai = Pai::new()
        .subsampling_rounds(task.effort.rounds)
        .refinement_rounds(task.effort.rounds)
        .draws(task.effort.draws)
        .seed(seed);
    let combined = pai.combine(&Parts::new(&parts, &runs)?)?;
    let seconds_of_pai = start.elapsed().as_secs_f64();
    let effort = task.effort;
    let truth = Truth::new(truth(&y, 2 * effort.draws), effort.transported);
    let score = |name, run: &Run| {
        let draws = score::view(&PROBLEM, run, true);
        Score {
            regions: score::masses(&PROBLEM, &draws),
            ..truth.score(name, &draws)
        }
    };
    Ok(Large {
        rows,
        parallel: [seconds.into_iter().fold(0.0, f64::max), seconds_of_pai],
        whole: whole_seconds,
        pai: score("pai", &combined.run),
        chains: score("nuts, all data", &whole),
        floor: truth.floor.clone(),
    })
}

/// Four chains, and their seconds.
fn timed(density: &dyn LogDensity, seed: u64) -> Result<(Run, f64), bayes::Error> {
    let start = Instant::now();
    let nuts = Inference::nuts().burn_in(CHAIN).draws(CHAIN);
    let run = nuts.seed(seed).progress(false).run_on(density)?;
    Ok((run, start.elapsed().as_secs_f64()))
}

impl Large {
    /// The results as text.
    pub fn text(&self) -> String {
        let [chains, pai] = self.parallel;
        let mut text = format!(
            "\nmultimodal, {} data: chains of {CHAIN} draws on ten parts {chains:.1} s and PAI {pai:.1} s; on all data {:.1} s\n",
            self.rows, self.whole
        );
        for score in [&self.pai, &self.chains, &self.floor] {
            text += &format!(
                "{:<15} MMTV {:.3}  W2 {:.3}  GsKL {:.1e}  masses {:.3?}\n",
                score.method, score.mmtv, score.w2, score.gskl, score.regions
            );
        }
        text
    }

    /// All figures; seconds only if asked for.
    pub fn json(&self, with_times: bool) -> Value {
        let figures = |score: &Score| {
            json!({
                "mmtv": score.mmtv,
                "w2": score.w2,
                "gskl": score.gskl,
                "masses": score.regions,
            })
        };
        let mut object = json!({
            "rows": self.rows,
            "pai": figures(&self.pai),
            "nuts": figures(&self.chains),
            "floor": figures(&self.floor),
        });
        if with_times {
            object["seconds"] = json!({
                "parts": self.parallel[0],
                "pai": self.parallel[1],
                "nuts": self.whole,
            });
        }
        object
    }
}
