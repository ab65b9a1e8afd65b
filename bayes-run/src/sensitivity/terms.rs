//! The terms of a model's log density at the draws of a run.

use crate::error::Error;
use crate::model::{Model, VariableKind, score, validate};
use crate::parallel;
use crate::run::{Group, Run};

/// Applies `of` to the log densities of the statements at every draw, group by group. The densities are in the model's own coordinates:
/// without Jacobians.
pub(super) fn at_draws<Mo: Model, T: Send>(
    run: &Run,
    model: &Mo,
    of: impl Fn(&[f64]) -> T + Sync,
) -> Result<Vec<Vec<T>>, Error> {
    validate(model)?;
    let variables = run.layout.variables.iter();
    let random: Vec<_> = variables
        .filter(|variable| variable.kind != VariableKind::Deterministic)
        .collect();
    let at = |draw: &[f64]| {
        let values = random.iter();
        let values: Vec<(&str, &[f64])> = values
            .map(|variable| (variable.name.as_str(), &draw[variable.range()]))
            .collect();
        let scored = score(model, &values).map_err(|source| Error::Values {
            model: model.name().to_owned(),
            source,
        })?;
        Ok(of(&scored.terms))
    };
    let width = run.layout.elements().max(1);
    let of_group = |group: &Group| {
        let draws: Vec<&[f64]> = group.draws.chunks_exact(width).collect();
        parallel::map(draws, at).into_iter().collect()
    };
    run.groups.iter().map(of_group).collect()
}
