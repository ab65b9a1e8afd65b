//! The scales of a response and of columns, by which priors are chosen.

use crate::columns::{deviation, mean};
use crate::design::Design;
use crate::family::{Family, Response};
use crate::link::Link;

/// The place and the spread of a response on the scale of the linear predictor, and the spreads of the columns.
#[derive(Clone, Debug)]
pub(crate) struct Scales {
    /// The median.
    pub(crate) centre: f64,
    /// The median absolute deviation, that of a normal variable, or [`LEAST_SPREAD`].
    pub(crate) spread: f64,
    /// The standard deviation of a response with the identity link, 1 for other links.
    pub(crate) unit: f64,
    /// The standard deviations of the columns; without an intercept the roots of mean squares.
    pub(crate) columns: Vec<f64>,
}

/// The smallest spread that the defaults take for that of a response (brms).
const LEAST_SPREAD: f64 = 2.5;

impl Scales {
    /// The scales of a table.
    pub(crate) fn of(design: &Design) -> Self {
        let unit = match design.link {
            Link::Identity if has_responses(design) => spread(&responses(design), design),
            _ => 1.0,
        };
        let columns = design.x.column_iter();
        let [centre, spread_of_responses] = centre_and_spread(design);
        Self {
            centre,
            spread: spread_of_responses,
            unit,
            columns: columns.map(|x| spread(x.as_slice(), design)).collect(),
        }
    }
}

/// Whether the responses say something of the linear predictor one by one; those that are 0 and 1, or out of trials, do not.
fn has_responses(design: &Design) -> bool {
    let response = design.family.response();
    !design.link.is_of_probability() && !matches!(response, Response::Binary | Response::Trials)
}

/// The responses on the scale of the linear predictor, as well as it can be said.
fn responses(design: &Design) -> Vec<f64> {
    let counts = design.counts.iter().map(|count| count.0);
    let all = design.y.iter().copied().chain(counts);
    let is_log = design.family == Family::LogNormal;
    let one = |(y, offset): (f64, &f64)| {
        let y = if is_log { y.ln() } else { y };
        match design.link {
            // as brms
            Link::Log | Link::Inverse | Link::Softplus if y == 0.0 => design.link.of(0.1) - offset,
            link => link.of(y) - offset,
        }
    };
    all.zip(&design.offset).map(one).collect()
}

/// Median and median absolute deviation, those of a normal variable; of a probability the linear predictor has none.
fn centre_and_spread(design: &Design) -> [f64; 2] {
    if !has_responses(design) {
        return [0.0, LEAST_SPREAD];
    }
    let mut values = responses(design);
    let centre = median(&mut values);
    let mut distances: Vec<f64> = values.iter().map(|y| (y - centre).abs()).collect();
    let spread = 1.4826 * median(&mut distances);
    [
        if centre.is_finite() {
            tenth(centre)
        } else {
            0.0
        },
        // false for a NaN
        if spread > LEAST_SPREAD {
            tenth(spread)
        } else {
            LEAST_SPREAD
        },
    ]
}

/// The standard deviation, or without an intercept the root of the mean square; 1 if there is none.
fn spread(values: &[f64], design: &Design) -> f64 {
    let spread = match design.has_intercept {
        true => deviation(values),
        false => mean(&values.iter().map(|x| x * x).collect::<Vec<_>>()).sqrt(),
    };
    match spread.is_finite() && spread > 0.0 {
        true => spread,
        false => 1.0,
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len();
    match n {
        0 => f64::NAN,
        _ if n.is_multiple_of(2) => mean(&values[n / 2 - 1..=n / 2]),
        _ => values[n / 2],
    }
}

/// To one digit behind the point, as brms prints it.
fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// To three digits.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
