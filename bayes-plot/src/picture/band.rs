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

/// With more data than this, their dots are small.
const MANY: usize = 200;

/// The 90% bands are shown up to this many times the range of the data and the 50% bands beyond that range.
const REACH: f64 = 1.0;

/// The quantiles 5%, 25%, 50%, 75% and 95% at a value of the covariate.
type Interval = (f64, [f64; 5]);

/// Predictions of `name` against a covariate: the median, the 50% and the 90% band, and the data where there are some. `name` is observed
/// or drawn by `generate`. The covariate is given by its name, for the axis, and a value for each element, in any order.
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
/// For a smooth band together with the data, predict both: rows of data, and rows on a grid whose `y` is NaN. Elements at the same value
/// of the covariate count together, so that other covariates are averaged over. Elements at different values are joined, so the band is a
/// zigzag if they differ in other covariates too. Then predict on a grid with the others at fixed values, or draw a panel for each group
/// by [`band_by`]. Weights of draws count.
///
/// The axis of the predictions shows the data, the medians and the 50% bands in full. The 90% bands are cut where they reach much further,
/// as for heavy tails.
///
/// # Errors
/// The errors of [`Prediction::draws`]; [`PictureError::Lengths`] if the covariate has another length; [`PictureError::NoPlace`] if one of
/// its values is not finite; [`PictureError::TooFew`] if all values are equal.
pub fn band(
    prediction: &Prediction<'_>,
    name: &str,
    covariate: (&str, &[f64]),
) -> Result<Figure, Error> {
    let draws = prediction.draws(name)?;
    let all = vec![(String::new(), (0..draws.elements).collect())];
    of_groups(prediction, (name, &draws), covariate, all)
}

/// [`band`] for each group of elements, in panels with the same axes. The groups are given by a name, and one label for each element. The
/// panels stand in the order in which the labels appear.
///
/// ```no_run
/// # use bayes_core::{Error, predict::Prediction};
/// # use bayes_plot as plot;
/// # fn pictures(prediction: &Prediction<'_>, age: &[f64], sex: &[&str]) -> Result<(), Error> {
/// plot::band_by(prediction, "y", ("age", age), ("sex", sex))?.save("bands.svg")?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The errors of [`band`], where each group needs two values of the covariate; [`PictureError::Lengths`] unless there is one label for
/// each element.
pub fn band_by<L: ToString>(
    prediction: &Prediction<'_>,
    name: &str,
    covariate: (&str, &[f64]),
    (groups, labels): (&str, &[L]),
) -> Result<Figure, Error> {
    let draws = prediction.draws(name)?;
    check_length("band", [name, groups], draws.elements, labels.len())?;
    let parts = labelled(groups, labels);
    of_groups(prediction, (name, &draws), covariate, parts)
}

/// The titles of the groups with these labels, and their elements.
pub(super) fn labelled<L: ToString>(groups: &str, labels: &[L]) -> Vec<(String, Vec<usize>)> {
    let mut parts: Vec<(String, Vec<usize>)> = Vec::new();
    for (element, label) in labels.iter().enumerate() {
        let title = format!("{groups} {}", label.to_string());
        match parts.iter_mut().find(|(other, _)| *other == title) {
            Some((_, members)) => members.push(element),
            None => parts.push((title, vec![element])),
        }
    }
    parts
}

/// Checks that a covariate has a value, or the groups a label, for each element.
pub(super) fn check_length(
    picture: &'static str,
    [name, covariate]: [&str; 2],
    needed: usize,
    found: usize,
) -> Result<(), Error> {
    if found == needed {
        return Ok(());
    }
    Err(PictureError::Lengths {
        picture,
        name: name.to_owned(),
        needed,
        covariate: covariate.to_owned(),
        found,
    }
    .into())
}

/// The elements of a group with their quantiles and data.
struct Part {
    title: String,
    intervals: Vec<Interval>,
    dots: Vec<[f64; 2]>,
}

/// A panel for each group of elements, given by its title and its elements.
fn of_groups(
    prediction: &Prediction<'_>,
    (name, draws): (&str, &Draws),
    (covariate, x): (&str, &[f64]),
    groups: Vec<(String, Vec<usize>)>,
) -> Result<Figure, Error> {
    check_length("band", [name, covariate], draws.elements, x.len())?;
    if let Some(index) = x.iter().position(|x| !x.is_finite()) {
        return Err(PictureError::NoPlace {
            covariate: covariate.to_owned(),
            index,
            value: x[index].to_string(),
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
    let part = |(title, mut members): (String, Vec<usize>)| Part {
        title,
        dots: dots(x, data, &members),
        intervals: intervals(draws, x, &mut members),
    };
    let parts: Vec<Part> = groups.into_iter().map(part).collect();
    let fewest = parts.iter().map(|part| part.intervals.len()).min();
    match fewest.unwrap_or(0) {
        found @ (0 | 1) => Err(PictureError::TooFew {
            picture: "band",
            what: "different values of the covariate",
            needed: 2,
            found,
        }
        .into()),
        _ => Ok(drawn(figure, [covariate, name], &parts)),
    }
}

/// The data with their covariate, without missing data.
fn dots(x: &[f64], data: &[f64], members: &[usize]) -> Vec<[f64; 2]> {
    let known = members.iter().filter_map(|k| Some([x[*k], *data.get(*k)?]));
    known.filter(|[_, y]| y.is_finite()).collect()
}

/// The quantiles at every value of the covariate, in increasing order.
fn intervals(draws: &Draws, x: &[f64], order: &mut [usize]) -> Vec<Interval> {
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

/// The ends of the axis of the predictions.
///
/// The data and the 50% bands are shown in full; the 90% bands up to [`REACH`] times this range on each side.
fn ends(parts: &[Part]) -> [f64; 2] {
    let of = |low: usize, high: usize| {
        let all = parts.iter().flat_map(|part| &part.intervals);
        all.flat_map(move |(_, q)| [q[low], q[high]])
    };
    let data = || {
        parts
            .iter()
            .flat_map(|part| part.dots.iter().map(|dot| dot[1]))
    };
    let Some([low, high]) = range(of(1, 3).chain(data()), 0.0) else {
        return [0.0, 1.0];
    };
    let reach = REACH * (high - low);
    let cut = of(0, 4).map(|end| end.clamp(low - reach, high + reach));
    range(cut.chain(data()), 0.05).unwrap_or([0.0, 1.0])
}

fn drawn(figure: Figure, [covariate, name]: [&str; 2], parts: &[Part]) -> Figure {
    let places = parts
        .iter()
        .flat_map(|part| part.intervals.iter().map(|(x, _)| *x));
    let x = range(places, 0.02).unwrap_or([0.0, 1.0]);
    let y = ends(parts);
    let size = match parts.len() {
        1 => [680.0, 380.0],
        _ => [340.0, 250.0],
    };
    let dots = parts.iter().map(|part| part.dots.len()).sum();
    let dot = match dots {
        0..=MANY => observed().width(6.0),
        _ => observed().width(3.0).opacity(0.6),
    };
    let panel = |part: &Part| {
        let axes = [Axis::linear(covariate, x, 6), Axis::linear(name, y, 5)];
        let [x, y] = axes;
        let panel = Panel::new(&part.title, x, y).size(size[0], size[1]);
        in_panel(panel, part, dot)
    };
    let figure = figure
        .key(Symbol::Line, median(), "predicted, median")
        .key(Symbol::Area, dark().opacity(0.5), "25% to 75%")
        .key(Symbol::Area, light(), "5% to 95%");
    let figure = match dots {
        0 => figure,
        _ => figure.key(Symbol::Dot, dot, "observed"),
    };
    let columns = parts.len().min(2);
    figure.in_columns(parts.iter().map(panel).collect(), columns)
}

fn in_panel(mut panel: Panel, part: &Part, dot: Style) -> Panel {
    let between = |low: usize, high: usize| {
        let point = |(x, q): &Interval| [*x, q[low], q[high]];
        Shape::Band(part.intervals.iter().map(point).collect())
    };
    panel.draw(light().meaning("predicted90"), between(0, 4));
    panel.draw(dark().meaning("predicted50"), between(1, 3));
    let medians = part.intervals.iter().map(|(x, q)| [*x, q[2]]).collect();
    panel.draw(median().meaning("median"), Shape::Line(medians));
    if !part.dots.is_empty() {
        panel.draw(dot, Shape::Dots(part.dots.clone()));
    }
    panel
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
