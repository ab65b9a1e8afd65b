//! The number types that users see, in every mode. A new file of tests is a line here. The package bayes-dist-tests compiles them, without
//! optimisation.

mod complex;
mod deviance;
mod edges;
mod gradient;
mod incomplete;
mod matrices;
mod mixing;
// functions that the other programs have too
#[path = "../it/trace/run.rs"]
mod run;
