//! Regressions by formulas.

#![forbid(unsafe_code)]

mod coding;
mod columns;
mod defaults;
mod design;
mod family;
mod model;
mod prior;
mod regression;
mod syntax;
mod terms;

pub use defaults::PriorTable;
pub use family::Family;
pub use prior::Prior;
pub use regression::{Formula, Regression, formula};
