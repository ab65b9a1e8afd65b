//! A model in which some random quantities have given values.

use super::fixed::{Fixed, fixed_model};
use super::rows::{RowCount, Rows};
use super::{
    AllSampled, DataArgument, Differentiable, GaussianPrior, GaussianReference, Interpreter, Model,
    Statement, StatementDims, StatementKind, Variable, VariableKind, outside, signature,
};
use crate::dist::Shape;
use crate::error::{Error, ValuesError};
use crate::rng::{Key, Purpose};
use bayes_autodiff::Mode;
use std::fmt;

/// A model with some random quantities at given values, made by [`Model::given`].
///
/// It has the other random quantities, the data and the rows of the model. The values count as data: other values give another
/// fingerprint.
pub struct Given<'m, Mo> {
    model: &'m Mo,
    fixed: Fixed,
}

fixed_model!(Given, "given");

#[diagnostic::do_not_recommend]
impl<Mo: AllSampled> AllSampled for Given<'_, Mo> {}
// the remaining independent normal quantities are still normal
#[diagnostic::do_not_recommend]
impl<Mo: GaussianReference> GaussianReference for Given<'_, Mo> {}
#[diagnostic::do_not_recommend]
impl<Mo: GaussianPrior> GaussianPrior for Given<'_, Mo> {}

impl<'m, Mo: Model> Given<'m, Mo> {
    /// Implements [`Model::given`].
    pub(super) fn new(model: &'m Mo, values: &[(&str, &[f64])]) -> Result<Self, Error> {
        let error = |source| Error::Values {
            model: model.name().to_owned(),
            source,
        };
        let mut random = signature(model)?.random;
        random.retain(|variable| variable.kind != VariableKind::Param);
        check_values(&random, values).map_err(error)?;
        let is_left = |random: &Variable| !values.iter().any(|(name, _)| *name == random.name);
        if !random.iter().any(is_left) {
            return Err(error(ValuesError::NothingLeft));
        }
        let is_given = |statement: &Statement| {
            statement.kind == StatementKind::Sample
                && values.iter().any(|(name, _)| *name == statement.name)
        };
        let fixed = Fixed::new(model, is_given, values)?;
        let owned = values
            .iter()
            .map(|(name, x)| ((*name).to_owned(), x.to_vec()));
        let mut stream = Key::new(0, Purpose::Validation).stream();
        match outside(model, &owned.collect::<Vec<_>>(), &mut stream) {
            Some(Statement { name, text, .. }) => Err(error(ValuesError::Outside {
                name,
                statement: text,
            })),
            None => Ok(Self { model, fixed }),
        }
    }
}

/// Checks the names and the numbers of elements of given values.
///
/// # Errors
/// The first name that is unknown or given twice, or whose number of elements differs.
pub fn check_values(random: &[Variable], values: &[(&str, &[f64])]) -> Result<(), ValuesError> {
    for (place, (name, elements)) in values.iter().enumerate() {
        if values[..place].iter().any(|(other, _)| other == name) {
            return Err(ValuesError::Twice {
                name: (*name).to_owned(),
            });
        }
        let Some(variable) = random.iter().find(|variable| variable.name == *name) else {
            return Err(ValuesError::Unknown {
                name: (*name).to_owned(),
                known: random
                    .iter()
                    .map(|variable| variable.name.clone())
                    .collect(),
            });
        };
        if elements.len() != variable.shape.elements() {
            return Err(ValuesError::Elements {
                name: variable.name.clone(),
                given: elements.len(),
                elements: variable.shape.elements(),
                matrix: match variable.shape {
                    Shape::Matrix(rows, columns) => Some([rows, columns]),
                    Shape::Scalar | Shape::Vector(_) => None,
                },
            });
        }
    }
    Ok(())
}
