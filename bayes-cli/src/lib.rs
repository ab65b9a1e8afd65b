//! A program per model: one binary for a laptop, a Slurm array or a Kubernetes job, which needs no Rust where it runs.
//!
//! ```text
//! use bayes::prelude::*; // the crate `bayes` with the feature `cli`
//!
//! #[model]
//! fn schools(effect: &[f64], error: &[f64]) {
//!     ...
//! }
//!
//! bayes::main!(|data| schools(&data.reals("effect")?, &data.reals("error")?));
//! ```
//!
//! [`main!`](crate::main) writes `fn main`. `schools --help` lists the commands:
//!
//! ```text
//! schools run --data schools.csv --engine psmc --islands 128 --shard 3/10 --out part3.run
//! schools merge part*.run --out all.run
//! schools summary all.run
//! ```
//!
//! A program ends with 0; with 1 if its work failed or was stopped; and with 2 if an option, a file or the data are wrong.

#![forbid(unsafe_code)]

mod again;
mod command;
mod completions;
mod data;
mod dialect;
mod engine;
mod exit;
mod export;
mod number;
mod options;
mod output;
mod prediction;
mod program;
mod replace;
mod room;
mod running;
mod settings;
mod stop;
mod task;
#[cfg(test)]
mod tests;
mod words;

pub use bayes_core::Error;
pub use bayes_data::Table;
#[doc(hidden)]
pub use bayes_macros::main_function as __main_function;
pub use dialect::{Dialect, Question};
pub use exit::is_of_input;
pub use program::Program;
pub use settings::Settings;
pub use task::{Exact, Outcome, Task, explained};

/// Makes the current program one that runs a model.
///
/// The macro takes a closure from a [`Table`], the data of the option `--data`, to the call of the model. Any statements may stand in a
/// block before the call. `?` ends the program with the table's message and exit code 2.
///
/// ```text
/// bayes::main!(|data| schools(&data.reals("effect")?, &data.reals("error")?));
///
/// bayes::main!(|data| {
///     let county = data.categories("county")?;
///     radon(county.names.len(), &county.indices, &data.reals("log_radon")?)
/// });
///
/// // values may be computed first, and held in several statements
/// bayes::main!(|data| {
///     let mut dose = data.reals("dose")?;
///     for value in &mut dose {
///         *value = value.ln();
///     }
///     response(&dose, &data.reals("reply")?)
/// });
///
/// // `--data images=train-images-idx3-ubyte.gz --data labels=labels.npy`
/// bayes::main!(|data| digits(&data.array("images")?.matrix()?, &data.array("labels")?.indices()?));
///
/// bayes::main!(funnel(10)); // a model without data
/// ```
///
/// The commands are `check`, `sbc`, `run`, `sample`, `resume`, `merge`, `summary`, `report`, `predict`, `explain`, `loo`, `compare`, `export` and `completions`.
#[macro_export]
macro_rules! main {
    ($($call:tt)*) => { $crate::__main_function! { [$crate] $($call)* } };
}
