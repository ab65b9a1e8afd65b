//! Predictions as comma-separated values.

use bayes_core::Error;
use bayes_core::predict::{Prediction, PredictionError};
use bayes_core::run::Run;
use std::fmt::Write;

/// Probabilities of the quantiles of predictions.
const QUANTILES: [f64; 5] = [0.05, 0.25, 0.5, 0.75, 0.95];

/// What is written of a prediction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Elements {
    All,
    /// Those without an observed value. Generated quantities are not observed.
    Missing,
}

/// The columns with what is known of an element: the mean with its Monte Carlo error, the standard deviation and quantiles.
const NUMBERS: &str = "mean,mcse,sd,q5,q25,q50,q75,q95";

/// The columns of a table of predictions.
struct Layout {
    /// Whether the model was written as a formula, whose elements are rows of a table.
    is_of_rows: bool,
    /// The column of what several values of a row belong to, if rows have several: responses, or labels.
    within: Option<&'static str>,
}

impl Layout {
    fn of(run: &Run, prediction: &Prediction<'_>) -> Self {
        let is_of_rows = run.recipe.is_some();
        let dims = prediction.observed().iter().find_map(|o| o.dims.get(1));
        let within = dims.map(|dim| match &*dim.name {
            "response" => "response",
            _ => "label",
        });
        Self {
            is_of_rows,
            within: within.filter(|_| is_of_rows),
        }
    }

    fn header(&self) -> String {
        let place = match (self.is_of_rows, self.within) {
            (true, None) => "row".to_owned(),
            (true, Some(within)) => format!("row,{within}"),
            (false, _) => "name,element".to_owned(),
        };
        format!("{place},observed,{NUMBERS}\n")
    }

    /// The first cells of an element with this full name.
    fn place(&self, full_name: &str, name: &str) -> String {
        let place = place(full_name, name);
        match (self.is_of_rows, self.within) {
            (true, None) => place.to_owned(),
            // the number of a row has no comma
            (true, Some(_)) => {
                let (row, within) = place.split_once(',').unwrap_or((place, ""));
                format!("{row},{}", cell(within))
            }
            (false, _) => format!("{name},{}", cell(place)),
        }
    }
}

/// Means and quantiles of predicted elements, as comma-separated values. For a formula they have the columns of expected responses, and
/// `observed`.
///
/// # Errors
/// [`Error::Prediction`] if missing elements are asked for and none is.
pub(crate) fn predictions(
    run: &Run,
    prediction: &Prediction<'_>,
    of: Elements,
) -> Result<String, Error> {
    let is_asked = |value: f64| of == Elements::All || value.is_nan();
    let observed = prediction.observed().iter();
    let mut values = observed.clone().flat_map(|o| o.data.iter().copied());
    if !values.any(is_asked) && of == Elements::Missing {
        let observed = observed.map(|o| o.name.clone()).collect();
        return Err(Error::Prediction {
            model: run.title().to_owned(),
            source: PredictionError::NoneMissing { observed },
        });
    }
    let layout = Layout::of(run, prediction);
    let mut text = layout.header();
    // generated quantities have no data
    let generated = prediction.generated().iter();
    // without generated quantities of a loop that did not run
    let generated = generated.filter(|g| of == Elements::All && g.shape.elements() > 0);
    let generated = generated.map(|g| (&g.name, &[][..], g.element_names()));
    let observed = observed.map(|o| (&o.name, o.data.as_slice(), o.element_names()));
    for (name, data, elements) in observed.chain(generated) {
        let draws = prediction.draws(name)?;
        let moments = run.moments_of(&draws)?;
        let quantiles = QUANTILES.map(|probability| draws.quantile(probability));
        let [q5, q25, q50, q75, q95] = quantiles;
        let columns = [q5?, q25?, q50?, q75?, q95?];
        for (element, full_name) in elements.iter().enumerate() {
            let seen = data.get(element).copied().unwrap_or(f64::NAN);
            if !is_asked(seen) {
                continue;
            }
            let (mean, sd) = moments[element];
            let _ = write!(text, "{},{seen}", layout.place(full_name, name));
            let quantiles = columns.iter().map(|column| column[element]);
            for number in [mean.mean, mean.se, sd].into_iter().chain(quantiles) {
                let _ = write!(text, ",{}", rounded(number));
            }
            text.push('\n');
        }
    }
    Ok(text)
}

/// A number with ten digits: sums of weights leave rounding errors in the later ones, as in a quantile of counts of 46.49999999999779.
fn rounded(value: f64) -> f64 {
    format!("{value:.9e}").parse().unwrap_or(value)
}

/// The place of an element by its full name: `Choate` of `y[Choate]`, `2,0` of `y[2,0]`, 0 of a single number.
fn place<'n>(full_name: &'n str, name: &str) -> &'n str {
    let place = full_name.strip_prefix(name).unwrap_or_default();
    let place = place
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    place.unwrap_or("0")
}

/// A place as a cell. The name of a place has neither a quotation mark nor a comma; a comma separates the names of two places.
fn cell(place: &str) -> String {
    match place.contains(',') {
        true => format!("\"{place}\""),
        false => place.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn numbers_are_written_without_rounding_errors() {
        let found = [46.499_999_999_997_79, -1.0 / 3.0, 0.0, 1e300].map(rounded);
        assert_eq!(found, [46.5, -0.333_333_333_3, 0.0, 1e300]);
        assert!(rounded(f64::NAN).is_nan());
        assert_eq!(rounded(f64::NEG_INFINITY), f64::NEG_INFINITY);
    }
}
