//! Are the estimates right? Evidence, means and variances of 8 observations of 8 coefficients against exact values, over many seeds.
//!
//! Each run has 8 islands of N = 128 particles, weighted by their evidence. Islands that replay a pilot have an unbiased evidence: the mean
//! of `Z / exact Z` must be 1, as for annealed importance sampling. Adaptive islands may have a bias of order 1/N.

use crate::Lab;
use crate::problem::{Name, Posterior};
use crate::statistics::mean_and_error;
use crate::trial::{Moves, finished, smc};
use bayes::prelude::*;
use bayes_experiments::cells::Cell;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

const PARTICLES: usize = 128;
const ISLANDS: usize = 8;
/// Particles of the pilot.
const PILOT: usize = 512;

/// The source of the islands' temperatures.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
enum Kind {
    /// SMC that replays a pilot.
    Replayed,
    /// SMC that adapts.
    Adaptive,
    /// Annealed importance sampling on the ladder of a pilot.
    Ais,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Replayed => "replayed",
            Self::Adaptive => "adaptive",
            Self::Ais => "AIS",
        }
    }
}

/// The settings: noise, kernel, moves at each temperature, and the kind of islands.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Setting {
    noise: f64,
    kernel: Moves,
    moves: usize,
    kind: Kind,
    /// The number of runs of a cell, and the number of the cell.
    runs: usize,
    batch: usize,
}

/// The estimates of a run minus the truth.
#[derive(Serialize, Deserialize)]
struct Deviation {
    log_evidence: f64,
    /// Deviations of the posterior means, in posterior standard deviations.
    means: Vec<f64>,
    /// Relative deviations of the posterior variances.
    variances: Vec<f64>,
}

pub fn run(lab: &Lab) -> Value {
    let (runs, batches) = (lab.options.size(8, 2), lab.options.size(16, 2));
    let mut settings = Vec::new();
    for kind in [Kind::Replayed, Kind::Adaptive] {
        for (noise, kernel, moves) in [
            (0.3, Moves::Pcn, 50),
            (0.3, Moves::JitteredHmc, 5),
            (0.01, Moves::JitteredHmc, 10),
        ] {
            settings.push(Setting {
                noise,
                kernel,
                moves,
                kind,
                runs,
                batch: 0,
            });
        }
    }
    settings.push(Setting {
        kind: Kind::Ais,
        moves: 1,
        ..settings[1]
    });
    let cell = |place: usize, setting: &Setting, batch| Cell {
        name: format!("exactness-{place}-{batch}"),
        settings: Setting { batch, ..*setting },
    };
    let cells: Vec<Cell<Setting>> = settings
        .iter()
        .enumerate()
        .flat_map(|(place, setting)| (0..batches).map(move |batch| cell(place, setting, batch)))
        .collect();
    let found = lab.cells.run(&cells, |setting| setting.run(lab.cells.seed));
    lab.say(&format!(
        "{} runs: mean of Z / exact Z, and the largest deviation of a mean and of a variance among 8, in standard errors",
        runs * batches
    ));
    let mut rows = Vec::new();
    for (setting, own) in settings.iter().zip(found.chunks(batches)) {
        let all: Vec<&Deviation> = own.iter().flatten().collect();
        rows.push(setting.report(lab, &all));
    }
    Value::Array(rows)
}

impl Setting {
    fn run(&self, seed: u64) -> Vec<Deviation> {
        let name = Name::Regression {
            rows: 8,
            columns: 8,
            noise: self.noise,
        };
        let posterior = Posterior::new(name, seed);
        let of = |run| self.deviation(&posterior, 1_000_000 * seed + run as u64);
        (self.batch * self.runs..(self.batch + 1) * self.runs)
            .map(of)
            .collect()
    }

    fn deviation(&self, posterior: &Posterior, seed: u64) -> Deviation {
        let islands = smc(self.kernel, PARTICLES, self.moves, seed).islands(ISLANDS);
        let smc = match self.kind {
            Kind::Replayed => islands.pilot(PILOT),
            Kind::Adaptive => islands,
            Kind::Ais => {
                let ais = Inference::ais().islands(ISLANDS).particles(PARTICLES);
                let ais = ais.pilot(PILOT).mutations(self.moves).seed(seed);
                ais.kernel(self.kernel.kernel()).progress(false)
            }
        };
        let run = finished(smc.run_on(posterior));
        let exact = posterior.regression().expect("the problem is a regression");
        let named = "a density by hand has the vector `x`, and islands an evidence";
        let mean = run.mean("x").expect(named);
        let sd = run.sd("x").expect(named);
        let coordinates = || exact.mean.iter().zip(exact.variance.iter()).enumerate();
        Deviation {
            log_evidence: run.log_evidence().expect(named) - exact.log_evidence,
            means: coordinates()
                .map(|(k, (m, v))| (mean[k] - m) / v.sqrt())
                .collect(),
            variances: coordinates()
                .map(|(k, (_, v))| sd[k] * sd[k] / v - 1.0)
                .collect(),
        }
    }

    fn report(&self, lab: &Lab, runs: &[&Deviation]) -> Value {
        let ratios: Vec<f64> = runs.iter().map(|run| run.log_evidence.exp()).collect();
        let (ratio, error) = mean_and_error(&ratios);
        let largest = |of: fn(&Deviation) -> &[f64]| {
            let score = |k: usize| {
                let values: Vec<f64> = runs.iter().map(|run| of(run)[k]).collect();
                let (mean, error) = mean_and_error(&values);
                (mean / error).abs()
            };
            (0..8).map(score).fold(0.0, f64::max)
        };
        let (means, variances) = (largest(|run| &run.means), largest(|run| &run.variances));
        let kind = self.kind.name();
        lab.say(&format!(
            "{kind}, noise {:<5} {:<16} M = {:<3} {ratio:.3} ± {error:.3}   {means:.1}   {variances:.1}",
            self.noise,
            self.kernel.name(),
            self.moves
        ));
        json!({ "kind": kind, "noise": self.noise, "kernel": self.kernel.name(), "ratio": [ratio, error], "means": means, "variances": variances })
    }
}
