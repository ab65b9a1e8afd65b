//! A program per model: one binary that a laptop, a Slurm array or a Kubernetes job runs, and that needs no Rust where it runs.
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
//! A program ends with 0, with 1 if its work failed or was stopped, and with 2 if an option, a file or the data are wrong.

mod command;
mod data;
mod engine;
mod exit;
mod export;
mod number;
mod output;
mod prediction;
mod program;
mod room;
mod stop;
mod task;
#[cfg(test)]
mod tests;
mod words;

pub use bayes_core::Error;
pub use bayes_data::Table;
pub use program::Program;
pub use task::{Outcome, Task};

/// Makes the current program one that runs a model.
///
/// It takes what looks like a closure from a [`Table`], the data of the option `--data`, to the call of the model: statements
/// `let name = value;` with plain names and without types, then the call. `?` ends the program with the table's message and exit code 2.
///
/// ```text
/// bayes::main!(|data| schools(&data.reals("effect")?, &data.reals("error")?));
///
/// bayes::main!(|data| {
///     let county = data.categories("county")?;
///     radon(county.names.len(), &county.indices, &data.reals("log_radon")?)
/// });
///
/// // `--data images=train-images-idx3-ubyte.gz --data labels=labels.npy`
/// bayes::main!(|data| digits(&data.array("images")?.matrix()?, &data.array("labels")?.indices()?));
///
/// bayes::main!(funnel(10)); // a model without data
/// ```
///
/// The commands are `check`, `sbc`, `run`, `sample`, `resume`, `merge`, `summary`, `report`, `predict`, `explain`, `loo`, `compare` and `export`.
#[macro_export]
macro_rules! main {
    (|$data:ident| { $($body:tt)+ }) => { $crate::main!(@let $data [] [] $($body)+); };
    (|$data:ident| $model:expr) => { $crate::main!(@let $data [] [] $model); };
    (@let $data:ident [$($text:expr,)*] [$($done:ident = $found:expr;)*] let $name:ident = $value:expr; $($rest:tt)+) => {
        $crate::main!(
            @let $data
            [$($text,)* concat!("let ", stringify!($name), " = ", stringify!($value), ";"),]
            [$($done = $found;)* $name = $value;]
            $($rest)+
        );
    };
    (@let $data:ident [$($text:expr,)*] [$($done:ident = $found:expr;)*] $model:expr) => {
        fn main() -> ::std::process::ExitCode {
            let program = $crate::Program {
                version: env!("CARGO_PKG_VERSION"),
                data: Some(&[$($text,)* stringify!($model)]),
            };
            program.main(|$data: &$crate::Table, task: &mut $crate::Task| {
                $(let $done = $found;)*
                task.perform(&$model)
            })
        }
    };
    ($model:expr) => {
        fn main() -> ::std::process::ExitCode {
            let program = $crate::Program { version: env!("CARGO_PKG_VERSION"), data: None };
            program.main(|_: &$crate::Table, task: &mut $crate::Task| task.perform(&$model))
        }
    };
}
