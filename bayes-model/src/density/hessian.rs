//! The second derivatives of a model's log density.

use crate::model::{Compiled, Model};
use nalgebra::DMatrix;

/// The Hessian of the log posterior density of a model in its unconstrained coordinates, `[dim, dim]`, at a position; by second-order
/// dual numbers, exact to rounding.
///
/// # Panics
/// If the position does not have the model's dimension.
#[must_use]
pub fn hessian<Mo: Model>(model: &Mo, position: &[f64]) -> DMatrix<f64> {
    let dim = position.len();
    let mut entries = vec![0.0; dim * dim];
    let model: &dyn Compiled = model;
    model.hessian(position, &mut entries);
    DMatrix::from_row_slice(dim, dim, &entries)
}
