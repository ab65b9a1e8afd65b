//! Predictions as comma-separated values.

use bayes_core::Error;
use bayes_core::predict::Prediction;
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

/// Means and quantiles of predicted elements, as comma-separated values.
///
/// # Errors
/// [`Error::Setting`] if missing elements are asked for and none is.
pub(crate) fn predictions(prediction: &Prediction<'_>, of: Elements) -> Result<String, Error> {
    let is_asked = |value: f64| of == Elements::All || value.is_nan();
    let observed = prediction.observed().iter();
    let mut values = observed.clone().flat_map(|o| o.data.iter().copied());
    if !values.any(is_asked) && of == Elements::Missing {
        return Err(Error::Setting {
            setting: "missing",
            value: "given".to_owned(),
            allowed: "left out: the table has all observed values".to_owned(),
        });
    }
    let mut text = "name,element,observed,mean,q5,q25,q50,q75,q95\n".to_owned();
    // generated quantities have no data
    let generated = prediction.generated().iter();
    // without generated quantities of a loop that did not run
    let generated = generated.filter(|g| of == Elements::All && g.shape.elements() > 0);
    let generated = generated.map(|g| (&g.name, &[][..], g.element_names()));
    let observed = observed.map(|o| (&o.name, o.data.as_slice(), o.element_names()));
    for (name, data, elements) in observed.chain(generated) {
        let draws = prediction.draws(name)?;
        let mean = draws.mean();
        let quantiles = QUANTILES.map(|probability| draws.quantile(probability));
        let [q5, q25, q50, q75, q95] = quantiles;
        let columns = [q5?, q25?, q50?, q75?, q95?];
        for (element, full_name) in elements.iter().enumerate() {
            let seen = data.get(element).copied().unwrap_or(f64::NAN);
            if !is_asked(seen) {
                continue;
            }
            let place = place(full_name, name);
            let _ = write!(text, "{name},{place},{seen},{}", rounded(mean[element]));
            for column in &columns {
                let _ = write!(text, ",{}", rounded(column[element]));
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

/// The place of an element by its full name, as a cell: `Choate` of `y[Choate]`, `"2,0"` of `y[2,0]`, 0 of a single
/// number.
fn place(full_name: &str, name: &str) -> String {
    let place = full_name.strip_prefix(name).unwrap_or_default();
    let place = place
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'));
    match place {
        None => "0".to_owned(),
        // the name of a place has neither a quotation mark nor a comma; a comma separates the names of two places
        Some(place) if place.contains(',') => format!("\"{place}\""),
        Some(place) => place.to_owned(),
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
