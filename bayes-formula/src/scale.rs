//! The scales of responses and of columns, used to choose priors.

use crate::class::{Class, Of};
use crate::columns::{deviation, mean};
use crate::design::{Design, Margin};
use crate::family::{Family, Response};
use crate::link::Link;
use crate::prior::Prior;

/// Location and spread of responses on the scale of their linear predictors, and the spreads of the columns.
#[derive(Clone, Debug)]
pub(crate) struct Scales {
    /// The median of the first response.
    pub(crate) centre: f64,
    /// Its median absolute deviation, scaled to the standard deviation of a normal variable, or [`LEAST_SPREAD`].
    pub(crate) spread: f64,
    /// The same for each response with a `sigma`.
    pub(crate) sigmas: Vec<f64>,
    /// The priors of the intercepts with names.
    pub(crate) intercepts: Vec<Prior>,
    /// For each coefficient the scale of its linear predictor: the standard deviation of a response with the identity link, 1 for
    /// other links.
    pub(crate) units: Vec<f64>,
    /// Whether the scale of the first response's linear predictor is the standard deviation of the response.
    pub(crate) has_unit: bool,
    /// The standard deviations of the columns; without an intercept their root mean squares.
    pub(crate) columns: Vec<f64>,
    /// The prior scale of each curve's spread.
    pub(crate) curves: Vec<f64>,
    /// The same for each Gaussian process, with half the range of its column.
    pub(crate) processes: Vec<(f64, f64)>,
    /// The same for each standard deviation of group effects.
    pub(crate) deviations: Vec<f64>,
    /// The number of residuals before a row that it depends on.
    pub(crate) lags: usize,
}

/// The smallest spread of a response that the defaults use (brms).
const LEAST_SPREAD: f64 = 2.5;

impl Scales {
    /// The scales of a table.
    pub(crate) fn of(design: &Design) -> Self {
        let first = design.first();
        let [centre, spread] = centre_and_spread(first);
        let of_owner = |one: &Margin| centre_and_spread(one)[1];
        let mut scales = Self {
            centre,
            spread,
            sigmas: design.owners(Class::Sigma).map(of_owner).collect(),
            intercepts: Vec::new(),
            units: Vec::new(),
            has_unit: has_unit(first),
            columns: Vec::new(),
            curves: Vec::new(),
            processes: Vec::new(),
            deviations: Vec::new(),
            lags: design.lags().len(),
        };
        design.margins.iter().for_each(|one| scales.add(one));
        scales
    }

    /// Adds the scales of the linear predictors of a response.
    fn add(&mut self, margin: &Margin) {
        let [centre, own] = centre_and_spread(margin);
        let unit = match has_unit(margin) {
            true => spread(&responses(margin), margin.lines[0].has_intercept),
            false => 1.0,
        };
        for line in &margin.lines {
            let (unit, spread_of_line) = match line.of {
                Of::Response => (unit, own),
                _ => (1.0, LEAST_SPREAD),
            };
            if line.has_named_intercept() {
                self.intercepts
                    .push(prior_of_intercept(&line.of, [centre, own]));
            }
            for x in line.x.column_iter() {
                self.units.push(unit);
                self.columns.push(spread(x.as_slice(), line.has_intercept));
            }
            for steps in &line.steps {
                let grades: Vec<f64> = steps.of.iter().map(|k| *k as f64).collect();
                self.units.push(unit);
                self.columns.push(spread(&grades, line.has_intercept));
            }
            let curves = line.curves.iter().map(|_| spread_of_line);
            self.curves.extend(curves);
            let halves = line.processes.iter().map(|process| process.half);
            self.processes
                .extend(halves.map(|half| (spread_of_line, half)));
            let deviations = line.groups.iter().flat_map(|group| &group.columns);
            self.deviations.extend(deviations.map(|_| spread_of_line));
        }
    }
}

/// The prior of the intercept of a parameter on the scale of its link: around the logarithm of the spread of the response for `sigma`, flat
/// in the probability for probabilities, and as in brms for others. That of a response is around its centre.
fn prior_of_intercept(of: &Of, [centre, spread]: [f64; 2]) -> Prior {
    match of {
        Of::Response => Prior::student_t(3.0, centre, spread),
        Of::Parameter(Class::Sigma) => Prior::student_t(3.0, tenth(spread.ln()), LEAST_SPREAD),
        Of::Parameter(class) if class.link() == Link::Logit => Prior::logistic(0.0, 1.0),
        _ => Prior::student_t(3.0, 0.0, LEAST_SPREAD),
    }
}

/// Whether the scale of the linear predictor is the standard deviation of the response.
fn has_unit(margin: &Margin) -> bool {
    margin.link == Link::Identity && has_responses(margin)
}

/// Whether each response by itself informs the linear predictor; 0/1 responses, counts out of trials and times of a hazard do not.
fn has_responses(margin: &Margin) -> bool {
    let response = margin.family.response();
    !margin.link.is_of_probability()
        && margin.link != Link::TanHalf
        && margin.family != Family::Cox
        && !matches!(response, Response::Binary | Response::Trials)
}

/// The responses mapped to the scale of the linear predictor, approximately. Zeros of a hurdle in front of numbers tell nothing about them,
/// and are left out.
fn responses(margin: &Margin) -> Vec<f64> {
    let counts = margin.counts.iter().map(|count| count.0);
    let all = margin.y.iter().copied().chain(counts);
    let is_log = margin.family.is_of_logarithm();
    let has_hurdle = margin.family.response() == Response::NonNegative;
    let is_told = |(y, _): &(f64, &f64)| !(has_hurdle && *y == 0.0);
    let one = |(y, offset): (f64, &f64)| {
        let y = if is_log { y.ln() } else { y };
        match margin.link {
            // as in brms
            Link::Log | Link::Inverse | Link::Softplus if y == 0.0 => margin.link.of(0.1) - offset,
            link => link.of(y) - offset,
        }
    };
    let rows = all.zip(&margin.lines[0].offset);
    rows.filter(is_told).map(one).collect()
}

/// Median and median absolute deviation, scaled to the standard deviation of a normal variable; fixed values for probabilities.
fn centre_and_spread(margin: &Margin) -> [f64; 2] {
    if !has_responses(margin) {
        return [0.0, LEAST_SPREAD];
    }
    let mut values = responses(margin);
    let centre = median(&mut values);
    let mut distances: Vec<f64> = values.iter().map(|y| (y - centre).abs()).collect();
    let spread = 1.4826 * median(&mut distances);
    [
        if centre.is_finite() {
            tenth(centre)
        } else {
            0.0
        },
        // false for NaN
        if spread > LEAST_SPREAD {
            tenth(spread)
        } else {
            LEAST_SPREAD
        },
    ]
}

/// The standard deviation, or without an intercept the root mean square; 1 if undefined.
fn spread(values: &[f64], has_intercept: bool) -> f64 {
    let spread = match has_intercept {
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

/// Rounds to one decimal place, as brms prints.
fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// Rounds to three significant digits.
pub(crate) fn rounded(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}
