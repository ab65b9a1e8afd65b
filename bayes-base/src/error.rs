//! Every error of an inference: errors before sampling starts, and errors of queries to its result.
//!
//! Each kind has its own type, in a file of its own. [`enum@Error`] has a variant for each, which a user can match after one `?`. An enum names
//! its variants where it is declared, and every crate returns it, so the types are declared here too, below the crates in which they arise.

mod approximation;
mod combine;
mod comparison;
mod distribution;
mod file;
mod fit;
mod formula;
mod improper;
mod kept;
mod metrics;
mod neighbours;
mod picture;
mod prediction;
mod problem;
mod rows;
mod run;
mod table;
mod values;

pub use approximation::ApproximationError;
pub use combine::CombineError;
pub use comparison::ComparisonError;
pub use distribution::{DataError, ParameterError};
pub use file::FileError;
pub use fit::FitError;
pub use formula::FormulaError;
pub use improper::{Edge, Improper};
pub use kept::Kept;
pub use metrics::MetricsError;
pub use neighbours::NeighboursError;
pub use picture::PictureError;
pub use prediction::PredictionError;
pub use problem::{PriorDraws, Problem, ProblemKind};
pub use rows::{RowCount, RowsError};
pub use run::{RunError, edit_distance};
pub use table::{QuoteFault, RowUnit, TableError};
pub use values::ValuesError;

use std::fmt;
use thiserror::Error;

/// Why an inference could not start, or a query to its result could not be answered.
#[derive(Clone, PartialEq, Error)]
pub enum Error {
    /// A setting of the engine or kernel outside its range.
    #[error("setting `{setting}` is {value}, must be {allowed}")]
    Setting {
        /// The builder method.
        setting: &'static str,
        /// The value received.
        value: String,
        /// What it must be, in words.
        allowed: String,
    },
    /// The model does not fit its data; every problem found is listed.
    #[error("the model `{model}` cannot be run:{}", problem::list(problems))]
    Model {
        /// The model function's name.
        model: String,
        /// What is wrong, statement by statement.
        problems: Vec<Problem>,
    },
    /// No starting point with a finite log density was found.
    #[error(
        "the log density of the model `{model}` is not finite at any of {tried} prior draws; at the last of them {term}; {}",
        cause.as_deref().unwrap_or("check that the data are possible under the prior")
    )]
    Start {
        /// The model function's name.
        model: String,
        /// Draws from the prior that were tried.
        tried: usize,
        /// The statement that was not finite at the last draw, and its value.
        term: String,
        /// Differential equations that are not solved there, and what to do, in words; `None` if the model has none, or they are.
        cause: Option<String>,
    },
    /// The log density is not finite at given starting values (`start_at`).
    #[error(
        "the log density of the model `{model}` is not finite at the values of `start_at`, with {tried} draws of the other quantities; at the last \
         of them {term}; {}",
        cause.as_deref().unwrap_or("give other values")
    )]
    StartAt {
        /// The model function's name.
        model: String,
        /// Draws of the other quantities that were tried.
        tried: usize,
        /// The statement that was not finite at the last draw, and its value.
        term: String,
        /// Differential equations that are not solved there, and what to do, in words; `None` if the model has none, or they are.
        cause: Option<String>,
    },
    /// A prior whose density is NaN at many of its own draws.
    #[error(
        "the prior density of `{model}` is NaN at {draws}{cause}; a prior must have a density wherever it draws, so keep every \
         parameter inside its range at all draws"
    )]
    NanPrior {
        /// The model function's name.
        model: String,
        /// The number of draws with NaN.
        draws: PriorDraws,
        /// The statement, its line and the parameter that is out of range, in words; empty if they are unknown.
        cause: String,
    },
    /// A prior without finite draws, where a Gaussian must be fitted to them.
    #[error(
        "none of {of} draws of the prior of `{density}` is finite{cause}; a prior must draw finite numbers"
    )]
    NoFiniteDraw {
        /// The density's name.
        density: String,
        /// Number of draws.
        of: u64,
        /// The message of the first draw that panicked, in words; empty if none did.
        cause: String,
    },
    /// A model with too many operations for a trace, and without dual numbers.
    #[error(
        "the model `{model}` has too many operations for a trace (2^24 different ones, or 2^26 in all), and a recording at each position would \
         take gigabytes for each thread. Write `#[model(forward)]`: the model is compiled for dual numbers too, which takes more compile time \
         but no such memory. A statement about a whole vector has fewer operations than a loop. What needs no gradients runs with \
         `.gradient(GradientMode::Forward)` too"
    )]
    TooLong {
        /// The model function's name.
        model: String,
    },
    /// A temperature ladder that would not end.
    #[error(
        "SMC would not reach the posterior of `{model}`: after {temperatures} temperatures the power of the likelihood is \
         {lambda:.1e}, and at this rate it would take {forecast:.0e} of them{statement}. The data are far outside of what the prior expects, \
         or a term of the likelihood is extremely large. Use a prior that covers the data, or other units; chains, such as \
         `Inference::nuts()`, can move far away from the prior"
    )]
    Ladder {
        /// The model function's name.
        model: String,
        /// Temperatures so far.
        temperatures: usize,
        /// The power of the likelihood that the ladder reached.
        lambda: f64,
        /// The forecast number of temperatures.
        forecast: f64,
        /// The statement with the largest term, in words; empty if it is unknown.
        statement: String,
    },
    /// A log likelihood so large that its differences between particles are lost to rounding.
    #[error(
        "SMC cannot tell the particles of `{model}` apart: the largest log likelihood is {log_likelihood:.1e}, where neighbouring numbers are \
         {spacing:.0e} apart{statement}. The data are far outside of what the prior expects, or a term of the likelihood is extremely large. \
         Use a prior that covers the data, or other units"
    )]
    Resolution {
        /// The model function's name.
        model: String,
        /// The largest log likelihood of a particle at the end of the ladder.
        log_likelihood: f64,
        /// The distance between neighbouring doubles at that size.
        spacing: f64,
        /// The statement with the largest term, in words; empty if it is unknown.
        statement: String,
    },
    /// A posterior whose density has no finite integral, so there is nothing to sample and no evidence.
    #[error(
        "the model `{model}` has no posterior: {found}. This was found by climbs from draws of the prior; if you know the posterior to be \
         proper, `.check_propriety(false)` runs it all the same"
    )]
    Improper {
        /// The model function's name.
        model: String,
        /// The quantity that goes to an edge of its support, and why.
        found: Improper,
    },
    /// A density without a prior, where one is needed.
    #[error(
        "`{density}` has no prior, but {needed_for}; implement `LogDensity::prior`, or use `Inference::nuts()`"
    )]
    NoPrior {
        /// The density's name.
        density: String,
        /// What needs a prior, in words.
        needed_for: &'static str,
    },
    /// A saved state that cannot be read.
    #[error("this is not {what}: {message}")]
    Saved {
        /// What was expected.
        what: &'static str,
        /// What does not match.
        message: String,
    },
    /// Values whose names or lengths do not match the model's random quantities.
    #[error("the values do not fit the model `{model}`: {source}")]
    Values {
        /// The model function's name.
        model: String,
        /// What does not match.
        source: ValuesError,
    },
    /// A model that cannot be calibrated by simulated data.
    #[error("the model `{model}` cannot be calibrated by simulation: {reason}")]
    Simulation {
        /// The model function's name.
        model: String,
        /// Why not.
        reason: String,
    },
    /// A density whose parts do not fit together.
    #[error("the density `{density}` does not fit together: {what} is {found}, must be {wanted}")]
    Density {
        /// The density's name.
        density: String,
        /// What does not fit.
        what: &'static str,
        /// The value found.
        found: usize,
        /// The value needed, in words.
        wanted: String,
    },
    /// A neural network whose layers do not fit together.
    #[error(transparent)]
    #[cfg(feature = "networks")]
    Network(#[from] bayes_autodiff::network::NetworkError),
    /// A parameter that is not allowed, of something that is made before the model.
    #[error(transparent)]
    Parameter(#[from] ParameterError),
    /// Data that are not allowed, in something that is made before the model.
    #[error(transparent)]
    Data(#[from] DataError),
    /// Pairs of places that are no map of neighbours.
    #[error(transparent)]
    Neighbours(#[from] NeighboursError),
    /// A file or another writer that cannot be written. This variant lets `run.to_json(file)?` work in the same function.
    #[error("the results could not be written: {message}")]
    Write {
        /// The system's error message.
        message: String,
    },
    /// Rows that a model does not have, or data with different numbers of rows.
    #[error("the rows of the model `{model}`: {source}")]
    Rows {
        /// The model function's name.
        model: Box<str>,
        /// What is wrong.
        source: RowsError,
    },
    /// A model with params, in an engine that samples every unknown.
    #[error(
        "the model `{model}` has params, `{}`, which are learnt and not sampled; learn them first, \
         `let learnt = Inference::ohsmc().run(&model)?`, and run this engine on `&model.with_params(&learnt.values())?`",
        names.join("`, `")
    )]
    Params {
        /// The model function's name.
        model: String,
        /// The names of the params.
        names: Vec<String>,
    },
    /// A fit that does not suit the model or the question.
    #[error("the fit does not suit the model `{model}`: {source}")]
    Fit {
        /// The model function's name.
        model: String,
        /// What is wrong.
        source: FitError,
    },
    /// An optimisation that ended without the results for an ensemble or a Gaussian approximation.
    #[error("there is no approximation of the posterior of `{model}`: {source}")]
    Approximation {
        /// The model function's name.
        model: String,
        /// Why not.
        source: ApproximationError,
    },
    /// A model on which a run cannot predict, or a question about the prediction that has no answer.
    #[error("prediction of `{model}`: {source}")]
    Prediction {
        /// The model function's name.
        model: String,
        /// Why not.
        source: PredictionError,
    },
    /// Models that cannot be compared, or cross-validated.
    #[error(transparent)]
    Comparison(#[from] ComparisonError),
    /// Runs of parts of the data that cannot be combined.
    #[error(transparent)]
    Combine(#[from] CombineError),
    /// Inconsistent input of a metric. This variant lets `?` work in the same function.
    #[error(transparent)]
    Metrics(#[from] MetricsError),
    /// A picture that cannot be made of a run.
    #[error(transparent)]
    Picture(#[from] PictureError),
    /// A table of data that cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
    /// A formula that cannot be read, or that does not fit its table.
    #[error(transparent)]
    Formula(#[from] FormulaError),
    /// A folder of checkpoints that belongs to another run.
    #[error("the folder `{folder}` cannot be used for this run: {reason}")]
    Checkpoint {
        /// The folder.
        folder: String,
        /// What differs.
        reason: String,
    },
    /// A run, or what is asked of one, that would take more memory than the limit.
    #[error(
        "{of} would take {memory}; `memory_limit` is {}. {}", crate::text::bytes(*limit), fitting(fits)
    )]
    Memory {
        /// What would take the memory, in words.
        of: String,
        /// The memory, in words.
        memory: String,
        /// The limit in bytes.
        limit: u64,
        /// Settings that would fit, each alone, as written in code.
        fits: Vec<String>,
    },
    /// A run that was stopped without a result: nothing was finished, or the finished islands are in the folder of checkpoints.
    #[error(
        "the run was stopped when {finished} of its {units} islands or groups of chains were finished; with `.checkpoint(folder)` the same command goes on from here"
    )]
    Stopped {
        /// Number of finished islands or groups: 0, or the number in the folder of checkpoints.
        finished: usize,
        /// Number of all islands or groups.
        units: usize,
    },
    /// Work that a time limit cut. Engines turn it into [`Error::TimeLimit`], or into a shorter run.
    #[doc(hidden)]
    #[error("the time of the run was over")]
    Cut,
    /// A time limit that ended before anything was finished.
    #[error(
        "the time limit of {limit:?} for `{model}` was over before anything was ready: {reached}. Allow more time, or make the run smaller: fewer \
         particles or chains, a shorter burn-in"
    )]
    TimeLimit {
        /// The model function's name.
        model: String,
        /// The limit.
        limit: std::time::Duration,
        /// How far the run came, in words.
        reached: String,
    },
    /// A run that could be written neither to its path nor to the folder for temporary files, as on a full disk. Nothing is lost: this
    /// error holds the run with all its draws, to be saved elsewhere.
    #[error(
        "{message}, nor can it be written in the folder for temporary files; the run is in memory, as the `run` of this error"
    )]
    NotSaved {
        /// The run.
        run: Kept,
        /// Why.
        message: String,
    },
    /// A part of a run that failed in another process of an MPI program.
    #[error("process {rank} of the MPI program failed: {message}")]
    Process {
        /// The rank of the process.
        rank: usize,
        /// Its error.
        message: String,
    },
    /// A file that cannot be written or read.
    #[error(transparent)]
    File(#[from] FileError),
    /// A query that a finished run cannot answer. This variant lets `?` work for both errors in one function.
    #[error(transparent)]
    Run(#[from] RunError),
}

/// The settings that fit, in words.
fn fitting(fits: &[String]) -> String {
    match fits {
        [] => "It does not fit with fewer draws either".to_owned(),
        _ => format!("It would fit with one of: {}", fits.join("; ")),
    }
}

/// Shows the message itself, because `main` prints the returned error by `Debug`.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl From<std::io::Error> for Error {
    fn from(error: std::io::Error) -> Self {
        Self::Write {
            message: error.to_string(),
        }
    }
}

impl Error {
    /// `Ok` if a setting is valid, otherwise the error that names it.
    ///
    /// # Errors
    /// [`Error::Setting`] unless `holds`.
    pub fn setting(
        setting: &'static str,
        value: impl fmt::Display,
        holds: bool,
        allowed: &str,
    ) -> Result<(), Self> {
        if holds {
            return Ok(());
        }
        Err(Self::Setting {
            setting,
            value: value.to_string(),
            allowed: allowed.to_owned(),
        })
    }
}
