//! Bases of smooth functions: matrices of data, whose products with random coefficients are curves.
//!
//! A basis is made from data before the model runs, and its matrix, `[values, functions]`, is an argument of the model.

mod b_spline;
mod hilbert;
mod natural;

pub use b_spline::BSpline;
pub use hilbert::HilbertBasis;
pub use natural::NaturalSpline;

use crate::error::Error;

/// An argument of a basis that is not allowed.
fn refused(setting: &'static str, value: String, allowed: &str) -> Error {
    Error::Setting {
        setting,
        value,
        allowed: allowed.to_owned(),
    }
}

/// A number of things that is too small.
fn number_of(setting: &'static str, value: usize, least: usize) -> Error {
    refused(setting, value.to_string(), &format!("at least {least}"))
}

/// An interval that is none.
fn check_interval(setting: &'static str, [low, high]: [f64; 2]) -> Result<(), Error> {
    if low.is_finite() && high.is_finite() && low < high {
        return Ok(());
    }
    let value = format!("from {low:?} to {high:?}");
    Err(refused(
        setting,
        value,
        "from a finite number to a larger one",
    ))
}

/// The first of some values that is not in an interval.
fn check_inside(setting: &'static str, x: &[f64], [low, high]: [f64; 2]) -> Result<(), Error> {
    let Some(i) = x.iter().position(|x| !(low..=high).contains(x)) else {
        return Ok(());
    };
    let value = format!("{:?} at index {i}", x[i]);
    Err(refused(setting, value, &format!("from {low} to {high}")))
}
