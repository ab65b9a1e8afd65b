//! Predicted data beside the data.

use crate::axis::{Axis, range};
use crate::figure::{Figure, Symbol};
use crate::kernel_density::{Sorted, View};
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use crate::thin;
use bayes_core::Error;
use bayes_core::model::Dim;
use bayes_core::predict::{Observed, Prediction};
use bayes_core::run::Draws;

/// Up to so many observations are shown one by one, more of them as distributions.
const ONE_BY_ONE: usize = 60;
/// Predicted data sets whose distributions are drawn.
const SETS: usize = 40;
/// Distinct whole numbers up to which data are counts, drawn as bars.
const COUNTS: f64 = 40.0;

/// Predicted data of an observed variable beside the data: `run.predict(&model)?` gives a posterior predictive check,
/// `prior_predictive(&model, 1000)?` a prior predictive one.
///
/// Up to 60 observations are shown one by one, with their predictive intervals; more as a distribution beside those of predicted data
/// sets. Draws that have weights count by them. A note tells if some rows have a limit of censoring and others have none.
///
/// # Errors
/// [`Error::Prediction`] if the model observes nothing of this name.
pub fn predictive(prediction: &Prediction<'_>, name: &str) -> Result<Figure, Error> {
    let draws = prediction.draws(name)?;
    let Observed {
        data, dims, limits, ..
    } = prediction.observed_variable(name)?;
    let places = dims.first().filter(|dim| dim.places.len() == data.len());
    let mut figure = Figure::new(format!("Predictive check of {name}"));
    if limits.differ() {
        figure = figure.note(format!("Not comparable: {limits}."));
    }
    if data.len() <= ONE_BY_ONE {
        return one_by_one(figure, name, &draws, data, places);
    }
    let sets = thin::resampled(&draws.weights, SETS);
    let sets: Vec<&[f64]> = {
        let rows: Vec<&[f64]> = draws.rows().collect();
        sets.into_iter().map(|i| rows[i]).collect()
    };
    let values = || sets.iter().copied().flatten().chain(data).copied();
    let is_whole = values().all(|value| value.fract() == 0.0);
    let ends = range(values(), 0.0).unwrap_or([0.0, 1.0]);
    Ok(if is_whole && ends[1] - ends[0] < COUNTS {
        frequencies(figure, name, &sets, data)
    } else {
        distributions(figure, name, &sets, data)
    })
}

fn one_by_one(
    figure: Figure,
    name: &str,
    draws: &Draws,
    data: &[f64],
    places: Option<&Dim>,
) -> Result<Figure, Error> {
    let mut quantiles = Vec::new();
    for probability in [0.05, 0.25, 0.5, 0.75, 0.95] {
        quantiles.push(draws.quantile(probability)?);
    }
    let numbers = || (0..data.len()).map(|i| i.to_string()).collect();
    let names = places.map_or_else(numbers, |dim| dim.places.clone());
    let title = places.map_or_else(|| format!("observation of {name}"), |dim| dim.name.clone());
    let ends = quantiles.iter().flatten().chain(data).copied();
    let mut panel = Panel::new(
        "",
        Axis::places(title, &names),
        Axis::linear(name, range(ends, 0.06).unwrap_or([0.0, 1.0]), 5),
    )
    .size(680.0, 340.0);
    let lines = |from: usize, to: usize| {
        let line = |i: usize| [i as f64, quantiles[from][i], i as f64, quantiles[to][i]];
        Shape::Segments((0..data.len()).map(line).collect())
    };
    panel.draw(
        Style::series(0).width(1.5).meaning("predicted90"),
        lines(0, 4),
    );
    panel.draw(
        Style::series(0)
            .width(5.0)
            .opacity(0.6)
            .meaning("predicted50"),
        lines(1, 3),
    );
    let points = data
        .iter()
        .enumerate()
        .map(|(i, y)| [i as f64, *y])
        .collect();
    panel.draw(observed().width(8.0), Shape::Dots(points));
    Ok(figure
        .note("Most observations should lie within their predictive intervals, one in ten outside of the thin line.")
        .in_columns(vec![panel], 1)
        .key(Symbol::Dot, observed().width(8.0), "observed")
        .key(Symbol::Line, Style::series(0).width(5.0).opacity(0.6), "predicted, 25% to 75%")
        .key(Symbol::Line, Style::series(0).width(1.5), "predicted, 5% to 95%"))
}

/// Densities of the predicted data sets and of the data.
fn distributions(figure: Figure, name: &str, sets: &[&[f64]], data: &[f64]) -> Figure {
    let sorted = |values: &[f64]| Sorted::new(values, &vec![1.0; values.len()]);
    let predicted: Vec<Sorted> = sets.iter().filter_map(|set| sorted(set)).collect();
    let all = sorted(&sets.concat());
    let views = all
        .iter()
        .chain(&sorted(data))
        .map(View::of)
        .collect::<Vec<_>>();
    let Some(view) = views.into_iter().reduce(View::with) else {
        return figure.note("There is no finite number to draw.");
    };
    let curves: Vec<Vec<[f64; 2]>> = predicted.iter().filter_map(|s| view.density(s)).collect();
    let own = sorted(data)
        .and_then(|s| view.density(&s))
        .unwrap_or_default();
    let points = curves.iter().flatten().chain(&own);
    let height = 1.05 * points.map(|point| point[1]).fold(0.0, f64::max);
    let mut panel = Panel::new(
        "",
        Axis::linear(name, view.ends, 6).without_grid(),
        Axis::bare("density", [0.0, height]),
    )
    .size(680.0, 340.0);
    let count = curves.len();
    for curve in curves {
        panel.draw(predicted_set(), Shape::Line(curve));
    }
    panel.draw(observed().width(2.5), Shape::Line(own));
    figure
        .note("The line of the data should look like one of the others.")
        .in_columns(vec![panel], 1)
        .key(Symbol::Line, observed().width(2.5), "observed")
        .key(
            Symbol::Line,
            predicted_set().opacity(0.8),
            format!("{count} predicted data sets"),
        )
}

/// Frequencies of counts: the observed share of each value beside the shares in predicted data sets.
pub(super) fn frequencies(figure: Figure, name: &str, sets: &[&[f64]], data: &[f64]) -> Figure {
    let values = || sets.iter().copied().flatten().chain(data).copied();
    let [low, high] = range(values(), 0.0).unwrap_or([0.0, 1.0]);
    let share = |set: &[f64], value: f64| {
        set.iter().filter(|x| **x == value).count() as f64 / set.len().max(1) as f64
    };
    let (mut intervals, mut bars) = (Vec::new(), Vec::new());
    let mut value = low.round();
    while value <= high {
        let mut shares: Vec<f64> = sets.iter().map(|set| share(set, value)).collect();
        shares.sort_by(f64::total_cmp);
        let at = |p: f64| {
            shares
                .get((p * (shares.len() - 1) as f64).round() as usize)
                .copied()
        };
        let [Some(least), Some(most)] = [at(0.05), at(0.95)] else {
            break;
        };
        intervals.push([value, least, value, most]);
        bars.push([value - 0.4, 0.0, value + 0.4, share(data, value)]);
        value += 1.0;
    }
    let tops = intervals.iter().chain(&bars).map(|line| line[3]);
    let top = 1.05 * tops.fold(0.0, f64::max);
    let panel = Panel::new(
        "",
        Axis::linear(name, [low - 0.6, high + 0.6], 8).without_grid(),
        Axis::linear("share of the observations", [0.0, top], 4),
    )
    .size(680.0, 340.0)
    .with(observed().opacity(0.35), Shape::Bars(bars))
    .with(
        Style::series(0).width(3.0).meaning("predicted90"),
        Shape::Segments(intervals),
    );
    figure
        .note("The bars should end within the lines.")
        .in_columns(vec![panel], 1)
        .key(Symbol::Area, observed().opacity(0.35), "observed")
        .key(
            Symbol::Line,
            Style::series(0).width(3.0),
            format!("5% to 95% of {} predicted data sets", sets.len()),
        )
}

fn observed() -> Style {
    Style::of(Colour::Ink).meaning("observed")
}

fn predicted_set() -> Style {
    Style::series(0)
        .width(0.9)
        .opacity(0.4)
        .meaning("predicted")
}
