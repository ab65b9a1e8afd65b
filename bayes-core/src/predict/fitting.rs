//! Whether the model of a prediction has the random quantities of the run.

use super::PredictionError;
use crate::dist::Shape;
use crate::model::{Variable, VariableKind};
use crate::run::Run;

/// Compares the random quantities of a model with those of the run.
pub(super) fn same_quantities(run: &Run, random: &[Variable]) -> Result<(), PredictionError> {
    if run.layout.dim == 0 && !random.is_empty() {
        return Err(PredictionError::Selected);
    }
    let in_run = run.layout.variables.iter();
    let in_run: Vec<&Variable> = in_run
        .filter(|variable| variable.kind != VariableKind::Deterministic)
        .collect();
    let same =
        |a: &Variable, b: &Variable| (&a.name, a.shape, a.kind) == (&b.name, b.shape, b.kind);
    for place in 0..in_run.len().max(random.len()) {
        let (mine, theirs) = (in_run.get(place).copied(), random.get(place));
        if !mine.zip(theirs).is_some_and(|(a, b)| same(a, b)) {
            return Err(PredictionError::Quantity {
                place,
                run: mine.map(in_words),
                model: theirs.map(in_words),
            });
        }
        if let Some((a, b)) = mine.zip(theirs) {
            same_places(a, b)?;
        }
    }
    Ok(())
}

/// A dimension of one name has the same places in the run and in the model, or predictions would be of other groups.
fn same_places(run: &Variable, model: &Variable) -> Result<(), PredictionError> {
    for (mine, theirs) in run.dims.iter().zip(&model.dims) {
        let mut pairs = mine.places.iter().zip(&theirs.places);
        if mine.name == theirs.name
            && let Some((a, b)) = pairs.find(|(a, b)| a != b)
        {
            return Err(PredictionError::Places {
                name: run.name.clone(),
                dim: mine.name.clone(),
                run: a.clone(),
                model: b.clone(),
            });
        }
    }
    Ok(())
}

/// Name and shape of a quantity.
fn in_words(variable: &Variable) -> String {
    let name = &variable.name;
    match variable.shape {
        Shape::Scalar => format!("`{name}`, a scalar"),
        Shape::Vector(n) => format!("`{name}`, a vector of {n}"),
        Shape::Matrix(rows, columns) => format!("`{name}`, a matrix of {rows} x {columns}"),
    }
}
