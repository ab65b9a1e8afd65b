//! Predictions against a covariate.

use super::predictive::{Check, observed};
use crate::axis::{Axis, range};
use crate::figure::{Figure, Symbol};
use crate::kernel_density::Sorted;
use crate::mark::{Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::predict::Prediction;
use bayes_core::run::{Draws, PictureError};

/// More data than this are small dots.
const MANY: usize = 200;

/// The quantiles 5%, 25%, 50%, 75% and 95% at a value of the covariate.
type Interval = (f64, [f64; 5]);

/// Predictions of `name` against a covariate: the median, the 50% and the 90% band, and the data where there are some. `name` is observed or
/// drawn by `generate`; of the covariate come its name, for the axis, and a value for each element, in any order.
///
/// ```no_run
/// # use bayes_core::{Error, predict::Prediction};
/// # use bayes_plot as plot;
/// # fn pictures(prediction: &Prediction<'_>, age: &[f64]) -> Result<(), Error> {
/// plot::band(prediction, "y", ("age", age))?.save("band.svg")?;
/// # Ok(())
/// # }
/// ```
///
/// For a smooth band with the data in it predict both: rows of data, and rows on a grid whose `y` is NaN. Elements at the same value of the
/// covariate count together, so that other covariates, if there are any, are averaged over. Draws that have weights count by them.
///
/// # Errors
/// As [`Prediction::draws`]; [`PictureError::Lengths`] if the covariate has another length; [`PictureError::NoPlace`] if one of its values is not
/// finite; [`PictureError::TooFew`] if all are the same.
pub fn band(
    prediction: &Prediction<'_>,
    name: &str,
    (covariate, x): (&str, &[f64]),
) -> Result<Figure, Error> {
    let draws = prediction.draws(name)?;
    if x.len() != draws.elements {
        return Err(PictureError::Lengths {
            picture: "band",
            name: name.to_owned(),
            needed: draws.elements,
            covariate: covariate.to_owned(),
            found: x.len(),
        }
        .into());
    }
    if let Some(index) = x.iter().position(|x| !x.is_finite()) {
        return Err(PictureError::NoPlace {
            covariate: covariate.to_owned(),
            index,
            value: x[index].to_string(),
        }
        .into());
    }
    let intervals = intervals(&draws, x);
    if intervals.len() < 2 {
        return Err(PictureError::TooFew {
            picture: "band",
            what: "different values of the covariate",
            needed: 2,
            found: intervals.len(),
        }
        .into());
    }
    let mut variables = prediction.observed().iter();
    let observed = variables.find(|variable| variable.name == name);
    let data = observed.map_or(&[][..], |variable| &variable.data);
    let check = Check::of(prediction, data);
    let figure = Figure::new(format!("Predictions of {name} by {covariate}"));
    let figure = figure.note(check.reading(
        "Nine in ten observations should lie in the light band, half of them in the dark one.",
    ));
    let figure = match observed {
        Some(variable) => check.with_limits(figure, variable.limits),
        None => figure,
    };
    Ok(drawn(figure, [covariate, name], &intervals, &dots(x, data)))
}

/// The data with their covariate, without those that are missing.
fn dots(x: &[f64], data: &[f64]) -> Vec<[f64; 2]> {
    let pairs = x.iter().zip(data).map(|(x, y)| [*x, *y]);
    pairs.filter(|[_, y]| y.is_finite()).collect()
}

/// The quantiles at every value of the covariate, in increasing order.
fn intervals(draws: &Draws, x: &[f64]) -> Vec<Interval> {
    let mut order: Vec<usize> = (0..x.len()).collect();
    order.sort_by(|a, b| x[*a].total_cmp(&x[*b]));
    let at_one_place = order.chunk_by(|a, b| x[*a] == x[*b]);
    let interval = |elements: &[usize]| {
        let rows = draws.rows().zip(&draws.weights);
        let pairs = rows.flat_map(|(row, weight)| elements.iter().map(|k| (row[*k], *weight)));
        let (values, weights): (Vec<f64>, Vec<f64>) = pairs.unzip();
        let sorted = Sorted::new(&values, &weights);
        let quantile = |p| sorted.as_ref().map_or(f64::NAN, |s| s.quantile(p));
        (x[elements[0]], [0.05, 0.25, 0.5, 0.75, 0.95].map(quantile))
    };
    at_one_place.map(interval).collect()
}

fn drawn(
    figure: Figure,
    [covariate, name]: [&str; 2],
    intervals: &[Interval],
    dots: &[[f64; 2]],
) -> Figure {
    let ends = intervals.iter().flat_map(|(_, q)| [q[0], q[4]]);
    let ends = ends.chain(dots.iter().map(|dot| dot[1]));
    let places = intervals.iter().map(|(x, _)| *x);
    let mut panel = Panel::new(
        "",
        Axis::linear(covariate, range(places, 0.02).unwrap_or([0.0, 1.0]), 6),
        Axis::linear(name, range(ends, 0.05).unwrap_or([0.0, 1.0]), 5),
    )
    .size(680.0, 380.0);
    let between = |low: usize, high: usize| {
        let point = |(x, q): &Interval| [*x, q[low], q[high]];
        Shape::Band(intervals.iter().map(point).collect())
    };
    panel.draw(light().meaning("predicted90"), between(0, 4));
    panel.draw(dark().meaning("predicted50"), between(1, 3));
    let medians = intervals.iter().map(|(x, q)| [*x, q[2]]).collect();
    panel.draw(median().meaning("median"), Shape::Line(medians));
    let figure = figure
        .key(Symbol::Line, median(), "predicted, median")
        .key(Symbol::Area, dark().opacity(0.5), "25% to 75%")
        .key(Symbol::Area, light(), "5% to 95%");
    if dots.is_empty() {
        return figure.in_columns(vec![panel], 1);
    }
    let dot = match dots.len() {
        0..=MANY => observed().width(6.0),
        _ => observed().width(3.0).opacity(0.6),
    };
    panel.draw(dot, Shape::Dots(dots.to_vec()));
    let figure = figure.key(Symbol::Dot, dot, "observed");
    figure.in_columns(vec![panel], 1)
}

fn median() -> Style {
    Style::series(0).width(2.0)
}

fn dark() -> Style {
    Style::series(0).opacity(0.3)
}

fn light() -> Style {
    Style::series(0).opacity(0.2)
}
