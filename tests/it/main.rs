//! The tests of models, from the macro to the results.
//!
//! There are few test programs, because each compiles the distributions of its models once. Tests that depend on the
//! instruction set are in `arithmetic.rs`; all others are listed here.

mod absent;
mod allocations;
mod anchored;
mod approximations;
mod arviz;
mod censored;
mod changing;
mod comparison;
mod controls;
mod counts;
mod dims;
mod divergences;
mod errors;
mod examples;
mod expansion;
mod fixes;
mod flat;
mod function;
mod generate;
mod given;
mod impossible;
mod impute;
mod inspect;
mod language;
mod marginal;
mod minibatches;
mod new_groups;
mod non_centred;
mod notes;
mod observed_data;
mod ode;
mod outputs;
mod pages;
mod param;
mod partial;
mod places;
mod point_estimates;
mod predict;
mod prior_mass;
mod prior_predictive;
mod ragged;
mod rejections;
mod rows;
mod sbc;
mod seam;
mod series;
mod slices;
mod start_at;
mod support_loo;
mod tomography;
mod unnormalised;
mod untraced;
mod vague;
