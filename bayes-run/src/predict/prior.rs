//! Predictions from the prior, or at given values of random quantities.

use super::{Prediction, Source};
use crate::error::{Error, ValuesError};
use crate::model::{Model, Statement, check_values, outside, signature};
use crate::rng::{Key, Purpose};

/// The prior predictive distribution of `model`: what the model expects before it has seen data, for `draws` independent draws of its
/// parameters from the prior. The observed numbers do not matter, but their count sets how many are predicted. The seed is 0 unless
/// [`Prediction::seed`] sets another.
///
/// A statement that uses earlier data, such as `observe(y[t], Normal::new(phi * y[t - 1], sd))`, is drawn given the model's data: one step
/// ahead. The result is not a data set from the prior. Carry the drawn values instead: in a loop, `let step = generate(..)` and `past =
/// step`.
///
/// ```text
/// let y = prior_predictive(&eight_schools(&y, &sigma), 1000)?.draws("y")?;
/// println!("{:?}", y.quantile(0.95)?); // could a school's effect be that large?
/// ```
///
/// # Errors
/// [`Error::Setting`] without draws; [`Error::Model`] if a prior is improper, shapes do not fit, or an index is out of range;
/// [`Error::Prediction`] if the model observes nothing; [`Error::Rows`] if data marked `#[rows]` have different numbers of rows.
pub fn prior_predictive<'a, Mo: Model + 'a>(
    model: Mo,
    draws: usize,
) -> Result<Prediction<'a>, Error> {
    prior_predictive_at(model, &[], draws)
}

/// [`prior_predictive`] with given values of some or all random quantities; the others are drawn from their prior given these values. If
/// all are given, this is a simulation from known parameters, unless a statement uses earlier data (see [`prior_predictive`]).
///
/// `values` are the elements of each quantity by its name, row-major; the elements of a quantity in a loop follow one another. A quantity
/// with an improper prior, or a param, needs a value.
///
/// ```text
/// let y = prior_predictive_at(&eight_schools(&y, &sigma), &[("mu", &[4.0]), ("tau", &[10.0])], 1000)?.draws("y")?;
/// ```
///
/// # Errors
/// The errors of [`prior_predictive`]; [`Error::Values`] for a name that no quantity has, for another number of elements, or for a value
/// that the quantity's distribution cannot have.
pub fn prior_predictive_at<'a, Mo: Model + 'a>(
    model: Mo,
    values: &[(&str, &[f64])],
    draws: usize,
) -> Result<Prediction<'a>, Error> {
    Error::setting("draws", draws, draws >= 1, "at least 1")?;
    let mut found = signature(&model)?;
    let error = |source: ValuesError| Error::Values {
        model: model.name().to_owned(),
        source,
    };
    check_values(&found.random, values).map_err(error)?;
    found
        .improper
        .retain(|problem| !values.iter().any(|(name, _)| *name == problem.variable));
    if !found.improper.is_empty() {
        return Err(Error::Model {
            model: model.name().to_owned(),
            problems: found.improper,
        });
    }
    let given = values
        .iter()
        .map(|(name, x)| ((*name).to_owned(), x.to_vec()));
    let given: Vec<(String, Vec<f64>)> = given.collect();
    let mut stream = Key::new(0, Purpose::Validation).stream();
    if let Some(Statement { name, text, .. }) = outside(&model, &given, &mut stream) {
        return Err(error(ValuesError::Outside {
            name,
            statement: text,
        }));
    }
    let mut prediction = Prediction::new(model, Source::Prior(draws), 0, found)?;
    prediction.given = given;
    Ok(prediction)
}
