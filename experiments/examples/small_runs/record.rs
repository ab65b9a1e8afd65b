//! A run as a line of JSON, and the summary of many.

use crate::problems::Problem;
use bayes::Run;
use bayes_experiments::common::fail;
use serde::{Deserialize, Deserializer, Serialize};

/// The numbers of a run; log evidences are less the truth.
#[derive(Serialize, Deserialize)]
pub struct Record {
    pub problem: String,
    /// The words of `--setting`.
    pub setting: String,
    pub size: [usize; 2],
    pub seed: u64,
    pub off: f64,
    #[serde(deserialize_with = "or_nan")]
    pub error: f64,
    #[serde(deserialize_with = "or_nan")]
    pub degrees: f64,
    #[serde(deserialize_with = "pair_or_nan")]
    pub interval: [f64; 2],
    #[serde(deserialize_with = "pair_or_nan")]
    pub wide: [f64; 2],
    pub warnings: Vec<String>,
    pub calls: [u64; 2],
    pub controlled: bool,
    /// Seconds of the clock.
    pub seconds: f64,
    /// For other programs; the table does not need them.
    #[serde(skip_deserializing)]
    pub islands: Vec<Island>,
}

/// The numbers of an island.
#[derive(Serialize)]
pub struct Island {
    plain: f64,
    plain_squares: f64,
    controlled: Option<f64>,
    controlled_squares: Option<f64>,
    bias: f64,
    stages: usize,
    /// The relaxation time and the moves at the posterior.
    time: f64,
    moves: usize,
    families: usize,
    /// The relaxation times, moves and effective sample sizes of the last temperatures.
    last: Vec<(f64, usize, f64)>,
}

/// What decides the numbers of a run of a problem.
pub struct Cell<'a> {
    pub problem: &'a str,
    pub setting: &'a str,
    pub size: [usize; 2],
    pub seed: u64,
}

/// JSON has no NaN.
fn or_nan<'de, D: Deserializer<'de>>(source: D) -> Result<f64, D::Error> {
    Ok(Option::deserialize(source)?.unwrap_or(f64::NAN))
}

fn pair_or_nan<'de, D: Deserializer<'de>>(source: D) -> Result<[f64; 2], D::Error> {
    let pair: [Option<f64>; 2] = Deserialize::deserialize(source)?;
    Ok(pair.map(|end| end.unwrap_or(f64::NAN)))
}

/// The records of a file, none if there is no file. A last line that was not finished is taken out of the file.
pub fn read(file: &str) -> Vec<Record> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let end = text.rfind('\n').map_or(0, |end| end + 1);
    if end < text.len() {
        std::fs::write(file, &text[..end]).expect("the file can be written");
    }
    let read = |line| {
        serde_json::from_str(line).unwrap_or_else(|error| fail(&format!("{file}: {error}: {line}")))
    };
    text[..end].lines().map(read).collect()
}

impl Record {
    /// Whether it is the run of this cell.
    pub fn is_of(&self, cell: &Cell) -> bool {
        self.problem == cell.problem
            && self.setting == cell.setting
            && self.size == cell.size
            && self.seed == cell.seed
    }

    /// The numbers of a run.
    pub fn of(run: &Run, problem: &Problem, cell: &Cell, seconds: f64) -> Self {
        let truth = problem.log_evidence;
        let found = run.log_evidence_estimate().expect("islands have evidence");
        let ends = |level| {
            let (low, high) = run
                .log_evidence_interval(level)
                .unwrap_or((f64::NAN, f64::NAN));
            [low - truth, high - truth]
        };
        let squares = |gains: &[f64]| gains.iter().map(|g| g * g).sum::<f64>();
        let island = |group: &bayes::run::Group| {
            let group = group.island().expect("it is an island");
            let last = group.history.last().expect("it has temperatures");
            let mut ancestors = group.ancestors.clone();
            ancestors.sort_unstable();
            ancestors.dedup();
            Island {
                plain: group.log_evidence.unwrap_or(f64::NAN) - truth,
                plain_squares: squares(&group.gains),
                controlled: group.controlled.as_ref().map(|c| c.log_evidence - truth),
                controlled_squares: group.controlled.as_ref().map(|c| squares(&c.gains)),
                bias: group.adaptation_bias,
                stages: group.history.len(),
                time: last.relaxation_time,
                moves: last.mutations,
                families: ancestors.len(),
                last: group
                    .history
                    .iter()
                    .rev()
                    .take(6)
                    .map(|s| (s.relaxation_time, s.mutations, s.ess / s.states as f64))
                    .collect(),
            }
        };
        let counts = run.counts();
        Self {
            problem: problem.name.clone(),
            setting: cell.setting.to_owned(),
            size: cell.size,
            seed: cell.seed,
            off: found.mean - truth,
            error: found.se,
            degrees: found.degrees_of_freedom,
            interval: ends(0.95),
            wide: ends(0.998),
            warnings: run.warnings().iter().map(kind).collect(),
            calls: [counts.density_evaluations, counts.gradient_evaluations],
            controlled: run.log_evidence_without_controls().is_some(),
            seconds,
            islands: run.groups.iter().map(island).collect(),
        }
    }

    /// Whether the 95% interval holds the truth.
    pub fn holds(&self) -> bool {
        self.interval[0] <= 0.0 && 0.0 <= self.interval[1]
    }

    /// Whether the run is wrong without a warning of the evidence.
    pub fn is_silent(&self) -> bool {
        let is_within = self.wide[0] <= 0.0 && 0.0 <= self.wide[1];
        !self.is_warned() && self.off.abs() > 3.5 * self.error && !is_within
    }

    /// Whether a warning says that the evidence may be wrong.
    pub fn is_warned(&self) -> bool {
        let mut warnings = self.warnings.iter();
        warnings.any(|warning| OF_EVIDENCE.contains(&warning.as_str()))
    }
}

/// The warnings that say that the evidence may be wrong.
const OF_EVIDENCE: [&str; 15] = [
    "LadderIncomplete",
    "MissedMass",
    "IslandDominates",
    "IslandsDisagree",
    "LadderStalled",
    "StuckParticles",
    "FewSurvivors",
    "HeavyWeights",
    "SlowMoves",
    "DependentLevels",
    "SlowLikelihood",
    "FewAncestors",
    "EvidenceImprecise",
    "EvidenceScattered",
    "ControlsDisagree",
];

fn kind(warning: &bayes::diagnose::Warning) -> String {
    let value = serde_json::to_value(warning).ok();
    let name = value.and_then(|value| value.as_object()?.keys().next().cloned());
    name.unwrap_or_else(|| warning.to_string())
}
