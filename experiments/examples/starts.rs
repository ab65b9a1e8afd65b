//! Pathfinder on published posteriors, and as the start of NUTS.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example starts
//! cargo run --release -p bayes-experiments --example starts -- --only a,b    problems whose names contain one of these
//! cargo run --release -p bayes-experiments --example starts -- --chains no   Pathfinder alone
//! ```
//!
//! The problems are the posteriors of `posteriordb` and the programs of `vague`. First table: k-hat of Pathfinder at its defaults, its
//! gradients, failed paths, and the largest errors of the weighted moments: of a mean in reference standard deviations (`mean/sd`), of the
//! log standard deviation (`ln sd`), and of a mean in standard errors (`z`). Asserted: where a run does not warn, every mean is within
//! 5 standard errors.
//!
//! Second table: the gradients of NUTS, four chains, until R-hat of every quantity is below 1.01 (looked at after every 50 draws, at most
//! 1000), with a burn-in of 150 and of 1000 steps, started from prior draws and by Pathfinder, whose gradients count; and the number of
//! warnings after 1000 draws. Geometric means over the problems where both reach it.

use bayes::diagnose::rhat;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::AnyModel;
use bayes_experiments::bugs;
use bayes_experiments::common::{Options, Report, fail};
use bayes_experiments::published::{NAMES, Problem, Score};
use serde_json::json;

/// The lengths of the burn-in; with `--quick` the first alone.
const BURN_IN: [usize; 2] = [150, 1000];
/// R-hat is computed after so many draws of each chain, and all multiples.
const EVERY: usize = 50;
/// The largest error of a mean in standard errors where a run does not warn.
const LARGEST: f64 = 5.0;
/// Funnels that take NUTS minutes.
const SLOW: [&str; 2] = ["birats", "orange"];

struct Trial {
    options: Options,
    report: Report,
    chains: bool,
    /// The log of the gradients by Pathfinder's starts over those by prior draws, for each burn-in.
    ratios: [Vec<f64>; 2],
}

fn main() -> Result<(), Error> {
    let (options, [only, chains]) = Options::with(["--only", "--chains"]);
    let only: Vec<String> = only.map_or(Vec::new(), |list| {
        list.split(',').map(str::to_owned).collect()
    });
    let is_chosen = |name: &str| only.is_empty() || only.iter().any(|part| name.contains(part));
    let mut trial = Trial {
        options,
        report: Report::new("starts", options),
        chains: chains.as_deref() != Some("no"),
        ratios: [Vec::new(), Vec::new()],
    };
    trial.report.say(&header());
    for name in NAMES.into_iter().filter(|name| is_chosen(name)) {
        let problem = Problem::read(None, name).unwrap_or_else(|error| fail(&error));
        problem.model(&mut |model| trial.solve(name, model, Some(&problem)))?;
    }
    for program in bugs::programs().iter().filter(|p| is_chosen(p.name)) {
        if !SLOW.contains(&program.name) || !only.is_empty() {
            trial.solve(program.name, &*program.model, None)?;
        }
    }
    let ratios = trial.ratios.each_ref();
    let text = ratios.map(|logs| {
        let mean = logs.iter().sum::<f64>() / logs.len() as f64;
        format!("{:.2} of {} runs", mean.exp(), logs.len())
    });
    if trial.chains && !trial.options.quick {
        let [short, long] = text;
        trial.report.say(&format!(
            "gradients by Pathfinder's starts over those by prior draws: {short} with a burn-in of 150, {long} with 1000"
        ));
    }
    trial.report.finish();
    Ok(())
}

fn header() -> String {
    format!(
        "{:<26} {:>3} {:>6} {:>6} {:>9} {:>8} {:>6} {:>6}",
        "", "d", "k-hat", "failed", "gradients", "mean/sd", "ln sd", "z"
    )
}

impl Trial {
    fn solve(
        &mut self,
        name: &str,
        model: &dyn AnyModel,
        problem: Option<&Problem>,
    ) -> Result<(), Error> {
        let short = name.split('-').next_back().unwrap_or_default();
        let pathfinder = Inference::pathfinder().draws(4000).seed(self.options.seed);
        let run = model.run(&pathfinder.progress(false));
        match run {
            Ok(run) => self.approximation(short, &run, problem),
            // a density of NaN at every draw of the prior
            Err(error) => self.report.say(&format!("{short:<26.26} {error}")),
        }
        if !self.chains {
            return Ok(());
        }
        for seed in self.options.seed..self.options.seed + self.options.size(3, 1) as u64 {
            let lengths = BURN_IN.into_iter().take(self.options.size(2, 1));
            for (k, burn_in) in lengths.enumerate() {
                self.pair(short, model, seed, (k, burn_in))?;
            }
        }
        Ok(())
    }

    /// Prints the errors of an approximation.
    fn approximation(&mut self, short: &str, run: &Run, problem: Option<&Problem>) {
        let found = run
            .importance()
            .map_or(f64::NAN, |weights| weights.pareto_k);
        let paths = run.pathfinder_paths().into_iter();
        let failed = paths.filter(|path| path.failure.is_some()).count();
        let score = problem.map(|problem| Score::of(run, problem));
        let errors = score.map_or(String::new(), |score| {
            format!(
                "{:>8.3} {:>6.3} {:>6.1}",
                score.location, score.scale, score.z_mean
            )
        });
        let gradients = run.counts().gradient_evaluations;
        let dim = run.layout.dim;
        let warns = if run.warnings().is_empty() {
            ""
        } else {
            "warns"
        };
        self.report.say(&format!(
            "{short:<26.26} {dim:>3} {found:>6.2} {failed:>6} {gradients:>9} {errors} {warns}"
        ));
        let z = score.map_or(0.0, |score| score.z_mean);
        assert!(
            !warns.is_empty() || z < LARGEST,
            "{short}: {z} standard errors"
        );
        let figures = json!({ "k_hat": found, "failed": failed, "gradients": gradients, "z": z });
        self.report.note(&format!("{short} pathfinder"), figures);
    }

    /// Runs NUTS with both starts.
    fn pair(
        &mut self,
        short: &str,
        model: &dyn AnyModel,
        seed: u64,
        (k, burn_in): (usize, usize),
    ) -> Result<(), Error> {
        let runs = [Starts::Prior, Starts::Pathfinder].map(|starts| {
            let nuts = Inference::nuts().burn_in(burn_in).starts(starts);
            model.run(&nuts.seed(seed).progress(false))
        });
        let [prior, pathfinder] = runs;
        let runs = [prior?, pathfinder?];
        let until = runs.each_ref().map(gradients_until);
        let warnings = runs.each_ref().map(|run| run.warnings().len());
        let text = until.map(|u| u.map_or("never".to_owned(), |gradients| gradients.to_string()));
        self.report.say(&format!(
            "    seed {seed}, burn-in {burn_in:>4}: prior {:>8}, {} warnings; pathfinder {:>8}, {} warnings",
            text[0], warnings[0], text[1], warnings[1]
        ));
        if let [Some(prior), Some(pathfinder)] = until {
            self.ratios[k].push((pathfinder as f64 / prior as f64).ln());
        }
        let figures = json!({ "gradients": until, "warnings": warnings });
        self.report
            .note(&format!("{short}, seed {seed}, burn-in {burn_in}"), figures);
        Ok(())
    }
}

/// The gradients of the start, the burn-in and the draws until R-hat of every quantity is below 1.01; `None` if it never is.
fn gradients_until(run: &Run) -> Option<u64> {
    let element = |k: usize| run.map_draws(|draw| draw.values()[k]);
    let elements: Vec<Vec<Vec<f64>>> = (0..run.layout.elements()).map(element).collect();
    let trajectories = run.groups.iter().filter_map(|group| group.trajectories());
    let sampling: u64 = trajectories.map(|found| found.leapfrogs).sum();
    let before = run.counts().gradient_evaluations - sampling;
    let draws = run.draws_per_group();
    let worst = |count: usize| {
        let r_hat = |chains: &Vec<Vec<f64>>| {
            let first = chains.iter().map(|chain| chain[..count].to_vec());
            rhat::chains(&first.collect::<Vec<Vec<f64>>>())
        };
        elements.iter().map(r_hat).fold(f64::NAN, f64::max)
    };
    let enough = (1..=draws / EVERY)
        .map(|i| i * EVERY)
        .find(|count| worst(*count) < 1.01)?;
    Some(before + sampling * enough as u64 / draws as u64)
}
