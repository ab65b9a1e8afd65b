//! Data simulated from a model: parameters from the prior, observations given them.

use super::forward::{Forward, Start, Wanted};
use super::variables::observed_names;
use super::{Model, StatementKind};
use crate::rng::Stream;
use std::collections::BTreeMap;

/// A data set simulated from a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Simulated {
    /// The unconstrained coordinates of the parameters, `[dim]`.
    pub position: Vec<f64>,
    /// The simulated observations, row-major, by the name of the data in `observe(data, ..)`.
    pub values: BTreeMap<&'static str, Vec<f64>>,
}

/// Simulates parameters and data.
///
/// For each `observe` statement, as many values are drawn as the model has data. The model's data do not matter, unless a
/// statement uses earlier values (an autoregression): it is then drawn given the model's data.
///
/// # Errors
/// The text of a `factor` statement, from which data cannot be simulated.
pub fn simulate<Mo: Model>(model: &Mo, stream: &mut Stream) -> Result<Simulated, &'static str> {
    let statements = model.statements();
    let factor = statements.iter().find(|s| s.kind == StatementKind::Factor);
    if let Some(factor) = factor {
        return Err(factor.text);
    }
    let wanted = Wanted {
        draws: true,
        ..Wanted::default()
    };
    let mut forward = Forward::new(statements, Start::Prior(&[]), wanted, stream);
    forward.run(model);
    let draws = forward.observations.into_iter().map(|found| found.draws);
    Ok(Simulated {
        position: forward.position,
        values: observed_names(statements).into_iter().zip(draws).collect(),
    })
}
