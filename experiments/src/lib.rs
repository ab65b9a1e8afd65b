//! Shared parts of the experiments: problems with known answers, data, tables, charts and options.
//!
//! The problems are compiled once, here: a program that uses them only sees [`AnyModel`].

mod any_model;
#[allow(
    missing_docs,
    reason = "a model's documentation is its function's, and the macro makes a type and a function"
)]
pub mod bugs;
pub mod cells;
pub mod chart;
pub mod classification;
pub mod common;
pub mod exact;
pub mod frozen;
pub mod laboratory;
pub mod mnist;
pub mod published;
pub mod random_models;
#[allow(
    missing_docs,
    reason = "a model's documentation is its function's, and the macro makes a type and a function"
)]
pub mod regression;
pub mod targets;
#[allow(
    missing_docs,
    reason = "a model's documentation is its function's, and the macro makes a type and a function"
)]
pub mod tomography;

pub use any_model::{AnyModel, Visit};
