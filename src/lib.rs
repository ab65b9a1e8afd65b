//! Bayesian models as annotated Rust functions.
//!
//! Write a model as a function with [`#[model]`](macro@model), call it with data, and run an engine on it:
//!
//! ```
//! use bayes::prelude::*;
//!
//! #[model]
//! fn eight_schools(y: &[f64], sigma: &[f64]) {
//!     let mu = sample(Normal::new(0.0, 5.0));
//!     let tau = sample(HalfCauchy::new(5.0));
//!     let z = sample(Normal::new(0.0, 1.0).iid(y.len()));
//!     for j in 0..y.len() {
//!         let theta = mu + tau * z[j];
//!         observe(y[j], Normal::new(theta, sigma[j]));
//!     }
//! }
//!
//! let y = [28.0, 8.0, -3.0, 7.0, -1.0, 1.0, 18.0, 12.0];
//! let sigma = [15.0, 10.0, 16.0, 11.0, 9.0, 11.0, 10.0, 18.0];
//! let run = Inference::psmc().islands(2).particles(64).seed(1).run(&eight_schools(&y, &sigma))?;
//! assert_eq!(run.model, "eight_schools");
//! # Ok::<(), bayes::Error>(())
//! ```

#![forbid(unsafe_code)]

// Code from `#[model]` uses paths from `::bayes`, also inside this package.
extern crate self as bayes;

#[doc = include_str!("model.md")]
pub use bayes_macros::model;

/// The trait that `#[model]` implements, and the interpreters that run a model's program.
pub use bayes_core::model;

/// Turns a function into one of random quantities that models can call.
///
/// In its signature and its body, `Real`, `Vector`, `Matrix`, `Complex`, `ComplexVector` and `ComplexMatrix` are the types of random
/// quantities, as in a model. The attribute appends the type parameter that they need, the mode of arithmetic, to the parameters of
/// the function. Generics, lifetimes, visibility, documentation and attributes do not change. If the function already has a
/// parameter with the bound `Mode`, the attribute uses it: `fn energy<M: Mode>(state: &State<M>, mass: Real) -> Real`.
///
/// ```
/// use bayes::prelude::*;
///
/// #[function]
/// fn growth(size: Real, rate: Real, capacity: f64) -> Real {
///     rate * size * (1.0 - size / capacity)
/// }
///
/// #[model]
/// fn population(counts: &[u64]) {
///     let rate = sample(LogNormal::new(-1.0, 1.0));
///     let mut size: Real = Real::from(10.0);
///     for &count in counts {
///         size += growth(size, rate, 200.0);
///         observe(count, Poisson::new(size));
///     }
/// }
///
/// let run = Inference::smc().particles(32).seed(1).run(&population(&[14, 21, 28]))?;
/// assert_eq!(run.model, "population");
/// # Ok::<(), bayes::Error>(())
/// ```
///
/// # What does not compile
///
/// A branch, a loop or an index that depends on a random value; `primal` of a random value; a statement (`sample`, `observe`,
/// ...); a function without a random argument or result.
pub use bayes_macros::function;

pub use bayes_check::{inspect, sbc};
/// A program per model: a command line that runs, merges, summarises and reports. With the feature `cli`.
#[cfg(feature = "cli")]
pub use bayes_cli as cli;
#[cfg(feature = "cli")]
pub use bayes_cli::main;
/// Data in parts: combines the posteriors of parts of the data. With the feature `combine`.
#[cfg(feature = "combine")]
#[doc(inline)]
pub use bayes_combine as combine;
#[doc(hidden)]
pub use bayes_core::edit_distance;
/// Bayesian neural networks: `Sequential::flat(4).layer(Dense::new(4, 3))`. With the feature `networks`.
#[cfg(feature = "networks")]
pub use bayes_core::nn;
pub use bayes_core::run::{DrawView, Run};
pub use bayes_core::{
    Error, FormulaError, basis, comparison, density, diagnose, dist, engine, kernel, metrics,
    numeric, observe, optimise, predict, report, rng, run, sensitivity, transform, until,
};
/// Tables of data: `Table::read_csv("schools.csv")?.reals("effect")?`. With the default feature `data`.
#[cfg(feature = "data")]
#[doc(inline)]
pub use bayes_data as data;
/// Makes a module of Python of the models of a crate: `bayes::python!(schools, radon);`. With the feature `python`.
///
/// The crate is a `cdylib`, the module has its name, and [maturin](https://www.maturin.rs) builds it. Each model is a function of `#[model]` in scope, whose arguments are data of
/// these types, by reference or, of single numbers, by value:
///
/// | argument | in Python |
/// |---|---|
/// | `f64`, `u64`, `usize`, `i64`, `bool`, `&str` | a number, a truth value, a text |
/// | `&[f64]`, `&[u64]`, `&[usize]`, `&[i64]`, `&[bool]`, `&[&str]`, and a `Vec` of each | a list, an array or a column of a frame, `[n]` |
/// | `&[Option<f64>]` | the same with `None` and NaN for missing values |
/// | `&DMatrix<f64>`, `DMatrix<f64>` | an array, `[rows, columns]` |
///
/// ```text
/// use bayes::prelude::*;
///
/// #[model]
/// fn schools(y: &[f64], sigma: &[f64]) {
///     ...
/// }
///
/// bayes::python!(schools);
/// ```
#[cfg(feature = "python")]
pub use bayes_macros::python;
#[cfg(feature = "python")]
#[doc(hidden)]
pub use bayes_module as module;
/// Pictures and reports of runs: `run.plot().trace()?.save("trace.svg")?`. With the default feature `plot`.
#[cfg(feature = "plot")]
#[doc(inline)]
pub use bayes_plot as plot;
pub use nalgebra;

/// Rows: data with one row for each observation, and models of some of the rows.
///
/// [`#[model]`](macro@crate::model#rows) turns a function with arguments marked `#[rows]` into a model with rows. The methods
/// of [`Model`](prelude::Model) are `rows`, `subset` and `parts`.
pub mod rows {
    pub use bayes_core::model::rows::{RowCount, RowData, Rows, RowsError, Subset, partition};
    pub use bayes_macros::RowData;
}

/// Everything needed to write a model and run inference.
pub mod prelude {
    pub use crate::rows::{Rows, Subset};
    pub use crate::{function, model};
    pub use bayes_autodiff::simd::InstructionSet;
    pub use bayes_autodiff::{
        Complex, Complex64, ComplexMatrix, ComplexVector, Matrix, Mode, Real, RealSlice, Vector,
        dot, log_sum_exp,
    };
    pub use bayes_calculus::{integrate, ode, solve};
    pub use bayes_check::inspect::{Check, Inspect};
    pub use bayes_check::sbc::{SimulatedData, sbc};
    pub use bayes_core::comparison::{choose, compare, k_fold};
    pub use bayes_core::density::GradientMode;
    pub use bayes_core::dist::families::*;
    pub use bayes_core::dist::{
        Autoregression, Censored, Cumulative, Cycle, Distribution, IntervalCensored, Level,
        Matern12, Matern32, Matern52, MaternGrid, Neighbours, Regression, Season, SparsePattern,
        SquaredExponential, States, Trend, Truncated,
    };
    pub use bayes_core::engine::{
        ApproximateFit, Inference, Mutations, Resampling, Schedule, Starts, StepSizeRule,
    };
    pub use bayes_core::kernel::Mass;
    pub use bayes_core::kernel::all::*;
    pub use bayes_core::model::{
        AllSampled, Differentiable, GaussianPrior, GaussianReference, Model,
    };
    pub use bayes_core::optimise::all::*;
    pub use bayes_core::optimise::{EarlyStopping, KeptWeights, LearningRate};
    pub use bayes_core::predict::{NewGroups, prior_predictive, prior_predictive_at};
    pub use bayes_core::run::{DrawView, Fit, KeptRun, Learnt, Run, RunFile, Weighting};
    pub use bayes_core::until::Precision;
    pub use bayes_macros::RowData;
    #[cfg(feature = "plot")]
    pub use bayes_plot::Plot;
    pub use nalgebra::{DMatrix, DVector};
}

/// The number types, and the functions that are composed of them.
pub mod autodiff {
    pub use bayes_autodiff::*;
    pub use bayes_calculus::*;
}

/// The examples of the guide to model comparison, which compile and run as tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/model_comparison.md")]
mod model_comparison {}

/// The example of the guide to data in parts.
#[cfg(all(doctest, feature = "combine"))]
#[doc = include_str!("../docs/parts.md")]
mod parts {}

/// The examples of the guide to params.
#[cfg(doctest)]
#[doc = include_str!("../docs/param.md")]
mod params {}

/// The examples of the guide to tables of data.
#[cfg(all(doctest, feature = "data"))]
#[doc = include_str!("../docs/data.md")]
mod tables {}

/// Items that code from `#[model]` refers to; not for users, and not stable.
#[doc(hidden)]
pub mod __private {
    pub use bayes_autodiff::{Complex, ComplexMatrix, ComplexVector, Matrix, Mode, Real, Vector};
    pub use bayes_core::model::rows::{RowCount, RowData, Rows};
    pub use bayes_core::model::{
        AllSampled, Checked, CheckedPlaces, DataArgument, Differentiable, Dim, GaussianPrior,
        GaussianReference, InDualNumbers, Interpreter, Known, Model, Statement, StatementDims,
        StatementKind, Unchecked, UncheckedPlaces, Unknown, describe, site,
    };
}
