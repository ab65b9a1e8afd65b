//! The native part of the Python package `bayes`: formulas, densities, tables and runs as classes, whose users are the modules of `python/bayes`.

// `density/pointer.rs` and `density/program.rs` alone call C functions, whose addresses three methods of `density` give them
#![deny(unsafe_code)]

mod arrow;
mod density;
mod draws;
mod estimates;
mod formula;
mod questions;
mod run;
mod settings;
mod table;

/// The module.
#[pyo3::pymodule(name = "_native")]
mod native {
    #[pymodule_export]
    use crate::density::{Density, Function, together};
    #[pymodule_export]
    use crate::draws::Draws;
    #[pymodule_export]
    use crate::estimates::{Elpd, compare};
    #[pymodule_export]
    use crate::formula::{Formula, Regression};
    #[pymodule_export]
    use crate::questions::{
        Effects, Expected, contrasts, effects, fitted, fitted_draws, hypothesis, r2, slopes,
    };
    #[pymodule_export]
    use crate::run::Run;
    #[pymodule_export]
    use crate::settings::settings;
    #[pymodule_export]
    use crate::table::Table;
}
