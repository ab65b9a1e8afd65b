//! Regressions by formulas in the notation of lme4 and brms, as a library and as the program `bayes`.
//!
//! ```
//! use bayes::data::Table;
//! use bayes::prelude::*;
//! use bayes_formula::{Family, Prior, formula};
//!
//! let table = Table::from_csv("killed,dose\n0,1.69\n0,1.72\n0,1.75\n1,1.78\n1,1.81\n0,1.83\n1,1.86\n1,1.88\n".as_bytes())?;
//! let regression = formula("killed ~ dose")?
//!     .family(Family::Bernoulli)
//!     .prior("b[dose]", Prior::normal(0.0, 20.0))
//!     .on(&table)?;
//! let run = Inference::nuts().draws(200).seed(1).progress(false).run(&regression)?;
//! assert!(run.mean("b")?[0] > 0.0);
//!
//! // the same columns of another table, whose response is not known
//! let new = regression.of(&Table::from_csv("dose\n1.6\n1.95\n".as_bytes())?)?;
//! let killed = run.predict(&new)?.draws("y")?.mean();
//! assert!(killed[0] < killed[1]);
//! # Ok::<(), bayes::Error>(())
//! ```
//!
//! A [`Regression`] is a [`Model`](bayes::prelude::Model): every engine runs it, and every method of a run works with it. The model itself
//! is one `#[model]`, in `model.rs`. The page `docs/formulas.md` describes the language, the families and the priors.

#![forbid(unsafe_code)]

mod above;
mod adjustments;
mod angles;
mod arguments;
mod averages;
mod baseline;
mod blocks;
mod cbind;
mod centring;
mod choices;
mod class;
mod coding;
mod coefficients;
mod columns;
mod cutpoints;
mod defaults;
mod design;
mod effects;
mod exactly;
mod family;
mod fitted;
mod formula;
mod groups;
mod hypothesis;
mod independence;
mod inside;
mod likelihood;
mod line;
mod link;
mod model;
mod moments;
mod monotonic;
mod notes;
mod outcome;
mod population;
mod predictor;
mod prior;
mod processes;
mod r2;
mod reading;
mod recipe;
mod regression;
mod residuals;
mod response;
mod scale;
mod separation;
mod several;
mod shrinkage;
mod signatures;
mod smooths;
mod suggest;
mod summary;
mod syntax;
mod terms;
mod text;
mod vagueness;
mod validation;
mod words;

pub use averages::{Average, Averages, Averaging};
pub use defaults::PriorTable;
pub use effects::{Conditions, EffectRow, Effects, Level};
pub use family::Family;
pub use fitted::{Fitted, FittedRow, FittedTable};
pub use formula::{Formula, formula};
pub use hypothesis::{Hypothesis, hypothesis};
pub use link::Link;
pub use prior::Prior;
pub use r2::{LeftOutR2, R2};
pub use regression::{Regression, RegressionRows};
pub use shrinkage::Shrinkage;
pub use summary::Summary;

/// The examples on the page about formulas.
#[cfg(doctest)]
#[doc = include_str!("../../docs/formulas.md")]
mod page {}
