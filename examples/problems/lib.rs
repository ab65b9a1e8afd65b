//! Problems with known answers, for the examples and the tests of `bayes`.
//!
//! A package of its own, so that their models are compiled once: a program that uses them meets only [`AnyModel`].

mod any_model;
pub mod exact;
pub mod published;

pub use any_model::{AnyModel, Visit};
