//! The tests of what models see of integrals and equations. A new file of tests is a line here.

mod numeric;
mod ode;
/// Programs as traces and in forward mode, as in the tests of `bayes-autodiff`.
#[path = "../../../bayes-autodiff/tests/it/trace/run.rs"]
mod run;
