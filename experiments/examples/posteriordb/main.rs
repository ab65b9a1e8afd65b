//! Published posteriors: 17 models with reference moments, by NUTS and, if the prior is proper, by pSMC.
//!
//! ```text
//! cargo run --release -p bayes-experiments --example posteriordb -- DIR           the files of a folder instead of the shipped files
//! cargo run --release -p bayes-experiments --example posteriordb -- --only a,b    models whose file names contain one of these
//! cargo run --release -p bayes-experiments --example posteriordb -- --modes yes   point estimates in place of samples
//! ```
//!
//! Asserts that the log joint density agrees with the files to 1e-10 at three points of each model, relative to the larger of 1
//! and itself. Then prints the distance of each posterior from its reference, and whether it passes: every mean within 0.1
//! reference standard deviations and 4 Monte Carlo standard errors, every standard deviation within 10%. Without `--quick` it
//! asserts that all pass, except NUTS on the centred eight schools, whose run warns of divergences and recommends parallel
//! tempering, which must pass.
//!
//! With `--modes yes` it compares the modes that L-BFGS and Adam find with the mode of a long optimisation, in the unconstrained
//! coordinates and, for L-BFGS, also on the scale of the values, where some of the models have no mode. It asserts that the log
//! densities agree to 1e-6, relative to the larger of 1 and themselves.

mod modes;

use bayes::density::ArithmeticSettings;
use bayes::prelude::*;
use bayes::{Error, Run};
use bayes_experiments::AnyModel;
use bayes_experiments::common::{Options, Report, fail};
use bayes_experiments::published::{NAMES, Problem, Score};
use serde_json::{Map, Value, json};

/// Relative to the larger of 1 and the log joint density.
const TOLERANCE: f64 = 1e-10;

/// NUTS may fail on this posterior: no trajectory enters the narrow part of its funnel.
const FUNNEL: &str = "eight_schools-eight_schools_centered";

const ENGINES: [&str; 3] = ["nuts", "tempering", "psmc"];

/// The steps shared by all models.
struct Trial<'a> {
    problem: &'a Problem,
    options: Options,
    /// Whether to find modes instead of sampling.
    modes: bool,
    report: &'a mut Report,
    figures: &'a mut Map<String, Value>,
}

fn main() -> Result<(), Error> {
    let (options, [data, only, modes]) = Options::with(["DIR", "--only", "--modes"]);
    let only: Vec<String> = only.map_or(Vec::new(), |list| {
        list.split(',').map(str::to_owned).collect()
    });
    let chosen = NAMES
        .into_iter()
        .filter(|name| only.is_empty() || only.iter().any(|part| name.contains(part.as_str())));
    let mut report = Report::new("posteriordb", options);
    report.say(&match modes {
        Some(_) => modes::HEADER.to_owned(),
        None => header(),
    });
    let mut figures = Map::new();
    for name in chosen {
        let problem = Problem::read(data.as_deref(), name).unwrap_or_else(|error| fail(&error));
        let mut trial = Trial {
            problem: &problem,
            options,
            modes: modes.is_some(),
            report: &mut report,
            figures: &mut figures,
        };
        trial.solve()?;
    }
    let passes = |engine: &str| {
        let scores: Vec<&Value> = figures.values().filter_map(|f| f.get(engine)).collect();
        let passed = scores
            .iter()
            .filter(|score| score["passes"] == true)
            .count();
        format!("{engine}: {passed} of {} pass", scores.len())
    };
    if modes.is_none() {
        report.say(&ENGINES.map(passes).join("\n"));
    }
    let failed: Vec<String> = figures
        .iter()
        .flat_map(|(name, f)| ENGINES.map(|engine| (name, engine, f.get(engine))))
        .filter(|(.., score)| score.is_some_and(|score| score["passes"] == false))
        .map(|(name, engine, _)| format!("{name} {engine}"))
        .collect();
    let unknown = failed
        .iter()
        .find(|label| **label != format!("{FUNNEL} nuts"));
    assert!(options.quick || unknown.is_none(), "fails: {failed:?}");
    report.note("problems", Value::Object(figures));
    report.finish();
    Ok(())
}

fn header() -> String {
    format!(
        "{:<28} {:>3} {:>8}   {:<9} {:>8} {:>8} {:>6} {:>6} {:>9} {:>7}  {:>16}",
        "",
        "d",
        "joint",
        "",
        "mean/sd",
        "ln sd",
        "z mean",
        "z sd",
        "gradients",
        "seconds",
        "log evidence, z"
    )
}

impl Trial<'_> {
    /// Runs the checks, the chains, and the particles if the prior is proper.
    fn solve(&mut self) -> Result<(), Error> {
        let problem = self.problem;
        problem.model(&mut |model| self.chains(model))?;
        if self.modes || problem.log_evidence().is_none() {
            return Ok(());
        }
        problem.model_for_particles(&mut |model| self.particles(model))
    }

    fn particles(&mut self, model: &dyn AnyModel) -> Result<(), Error> {
        let (islands, particles) = (self.options.size(8, 4), self.options.size(1024, 128));
        let psmc = Inference::psmc().islands(islands).particles(particles);
        let psmc = psmc.seed(self.options.seed);
        let name = format!("{} psmc", self.problem.name);
        let run = if self.problem.name == "extra_brownian_unknown_scales" {
            // the narrow part of the posterior, where all noise is attributed to the walk, needs many small steps
            let small = Hmc::new().target_acceptance(0.95);
            let psmc = psmc.kernel(small).mutations(100);
            self.report.keep(&name, || model.run(&psmc))
        } else {
            self.report.keep(&name, || model.run(&psmc))
        };
        self.say("psmc", &name, &run);
        Ok(())
    }

    fn chains(&mut self, model: &dyn AnyModel) -> Result<(), Error> {
        let error = self.worst_joint(model)?;
        let figures = json!({ "log_joint_error": error });
        self.figures.insert(self.problem.name.to_owned(), figures);
        let short = self.problem.name.split('-').next_back().unwrap_or_default();
        let dim = model.density(0, ArithmeticSettings::default())?.dim();
        self.report
            .say(&format!("{short:<28.28} {dim:>3} {error:>8.0e}"));
        assert!(
            error <= TOLERANCE,
            "{}: the log joint density is off by {error:e}",
            self.problem.name
        );
        if self.modes {
            return modes::compare(self, model);
        }
        let draws = self.options.size(2500, 500);
        let seed = self.options.seed;
        let name = format!("{} nuts", self.problem.name);
        let nuts = Inference::nuts().draws(draws).seed(seed);
        let run = self.report.keep(&name, || model.run(&nuts));
        self.say("nuts", &name, &run);
        if self.problem.name == FUNNEL {
            let name = format!("{FUNNEL} tempering");
            let tempering = Inference::tempering().draws(draws).seed(seed);
            let run = self.report.keep(&name, || model.run(&tempering));
            self.say("tempering", &name, &run);
        }
        Ok(())
    }

    /// The largest error of the log joint density at the file's points, relative to the larger of 1 and itself.
    fn worst_joint(&self, model: &dyn AnyModel) -> Result<f64, Error> {
        let mut worst = 0.0f64;
        for point in self.problem.points() {
            let values: Vec<(&str, &[f64])> = point
                .values
                .iter()
                .map(|(name, x)| (name.as_str(), x.as_slice()))
                .collect();
            let want = point.log_prior + point.log_likelihood;
            let error = (model.log_joint(&values)? - want).abs();
            worst = worst.max(error / want.abs().max(1.0));
        }
        Ok(worst)
    }

    /// Prints and stores the score of a run.
    fn say(&mut self, engine: &str, key: &str, run: &Run) {
        let score = Score::of(run, self.problem);
        let evidence = run
            .log_evidence()
            .zip(run.log_evidence_se())
            .zip(self.problem.log_evidence());
        let evidence = evidence.map_or(String::new(), |((found, se), exact)| {
            format!("{found:.3} ± {se:.3}, {:.1}", (found - exact) / se)
        });
        self.report.say(&format!(
            "{:<28} {:>3} {:>8}   {engine:<9} {:>8.3} {:>8.3} {:>6.1} {:>6.1} {:>9} {:>7.1}  {evidence:>16} {}",
            "",
            "",
            "",
            score.location,
            score.scale,
            score.z_mean,
            score.z_sd,
            run.counts().gradient_evaluations,
            self.report.seconds(key),
            if score.passes() { "" } else { "FAILS" }
        ));
        self.figures[self.problem.name][engine] = score.json();
    }
}
