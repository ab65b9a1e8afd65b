//! Predicted data beside the data.

use super::rootogram;
use crate::axis::{Axis, range};
use crate::figure::{Figure, Symbol};
use crate::kernel_density::{Sorted, View};
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use crate::thin;
use bayes_core::Error;
use bayes_core::predict::{Limits, Observed, Prediction};
use bayes_core::run::Draws;

/// Up to this many observations are shown one by one, more of them as distributions.
const ONE_BY_ONE: usize = 60;
/// Number of predicted data sets whose distributions are drawn.
const SETS: usize = 40;
/// Number of predicted data sets for intervals of frequencies: a quantile of 5% needs many, and counting them is cheap.
const COUNTED_SETS: usize = 4000;
/// Up to this many distinct whole numbers, data are counts and drawn as bars.
const COUNTS: f64 = 40.0;
/// A curve is cut off above this many times the height of the other curves and of the data's curve.
const HIGHEST: f64 = 1.7;

/// The data with which the predictions are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Check {
    /// The data from which the posterior was computed, or others.
    Posterior,
    /// Data that the prior has not seen.
    Prior,
    /// No data.
    Nothing,
}

impl Check {
    pub(super) fn of(prediction: &Prediction<'_>, data: &[f64]) -> Self {
        match data.iter().any(|y| y.is_finite()) {
            false => Self::Nothing,
            true if prediction.is_of_prior() => Self::Prior,
            true => Self::Posterior,
        }
    }

    pub(super) fn title(self, name: &str) -> String {
        match self {
            Self::Posterior => format!("Predictive check of {name}"),
            Self::Prior => format!("Prior predictive check of {name}"),
            Self::Nothing => format!("Predictions of {name}"),
        }
    }

    /// Adds a note if predictions and data are censored differently.
    pub(super) fn with_limits(self, figure: Figure, limits: Limits) -> Figure {
        match limits.differ() && self != Self::Nothing {
            true => figure.note(format!("Not comparable: {limits}.")),
            false => figure,
        }
    }

    /// How to read a picture, given the text for a posterior.
    pub(super) fn reading(self, posterior: &'static str) -> &'static str {
        match self {
            Self::Posterior => posterior,
            Self::Prior => {
                "The prior should allow what is plausible before the data are seen, and rarely what is impossible. It need not look like the data."
            }
            Self::Nothing => "",
        }
    }
}

/// Predicted data of an observed variable beside the data: `run.predict(&model)?` gives a posterior predictive check,
/// `prior_predictive(&model, 1000)?` a prior predictive check.
///
/// Up to 60 observations are shown one by one, with their predictive intervals. More are shown as a distribution beside the distributions
/// of predicted data sets, and skewed counts as a [`rootogram`](fn@super::rootogram). Weights of draws count. Without data (a real
/// observation that is NaN, or all after [`Prediction::without_data`]) the predictions stand alone. [`band`](super::band) draws them
/// against a covariate. A note warns if limits of censoring were most likely left out for observed values.
///
/// # Errors
/// [`Error::Prediction`] if the model observes nothing of this name.
pub fn predictive(prediction: &Prediction<'_>, name: &str) -> Result<Figure, Error> {
    let draws = prediction.draws(name)?;
    let observed = prediction.observed_variable(name)?;
    let check = Check::of(prediction, &observed.data);
    let figure = if observed.data.len() <= ONE_BY_ONE {
        one_by_one(check, observed, &draws)?
    } else {
        together(check, name, &draws, &observed.data)
    };
    Ok(check.with_limits(figure, observed.limits))
}

/// The axis of the observations: their places in the data (`3`, `2,0`, `Choate`), with the names of the dimensions.
fn places(observed: &Observed) -> Axis {
    let name = &observed.name;
    let place = |element: String| {
        let index = element.strip_prefix(name.as_str());
        let index = index.and_then(|index| index.strip_prefix('[')?.strip_suffix(']'));
        // a single number
        index.unwrap_or("0").to_owned()
    };
    let places: Vec<String> = observed.element_names().into_iter().map(place).collect();
    let dims: Vec<&str> = observed.dims.iter().map(|dim| dim.name.as_str()).collect();
    let label = match dims.is_empty() {
        false => dims.join(", "),
        true if places.iter().any(|place| place.contains(',')) => {
            format!("observation of {name}, by row and column")
        }
        true => format!("observation of {name}"),
    };
    Axis::places(label, &places)
}

/// Many observations, as frequencies or densities.
fn together(check: Check, name: &str, draws: &Draws, data: &[f64]) -> Figure {
    let observed: Vec<f64> = data.iter().copied().filter(|y| y.is_finite()).collect();
    let rows: Vec<&[f64]> = draws.rows().collect();
    let resampled = |number| {
        let chosen = thin::resampled(&draws.weights, number);
        chosen.into_iter().map(|i| rows[i]).collect::<Vec<&[f64]>>()
    };
    let sets = resampled(SETS);
    let values = || sets.iter().copied().flatten().chain(&observed).copied();
    let is_whole = values().all(|value| value.fract() == 0.0);
    let ends = [f64::INFINITY, f64::NEG_INFINITY];
    let ends = values().fold(ends, |[low, high], y| [low.min(y), high.max(y)]);
    if is_whole && ends[1] - ends[0] < COUNTS {
        frequencies(check, name, ends, &resampled(COUNTED_SETS), &observed)
    } else if is_whole && rootogram::suits(values(), &observed) {
        rootogram::of_all(check, name, &resampled(COUNTED_SETS), &observed)
    } else {
        distributions(check, name, &sets, &observed)
    }
}

fn one_by_one(check: Check, variable: &Observed, draws: &Draws) -> Result<Figure, Error> {
    let (name, data) = (&variable.name, &variable.data);
    let mut quantiles = Vec::new();
    for probability in [0.05, 0.25, 0.5, 0.75, 0.95] {
        quantiles.push(draws.quantile(probability)?);
    }
    let ends = quantiles.iter().flatten().chain(data).copied();
    let mut panel = Panel::new(
        "",
        places(variable),
        Axis::linear(name.as_str(), range(ends, 0.06).unwrap_or([0.0, 1.0]), 5),
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
    let figure = Figure::new(check.title(name))
        .note(check.reading("Most observations should lie within their predictive intervals, one in ten outside of the thin line."))
        .key(Symbol::Line, Style::series(0).width(5.0).opacity(0.6), "predicted, 25% to 75%")
        .key(Symbol::Line, Style::series(0).width(1.5), "predicted, 5% to 95%");
    if check == Check::Nothing {
        return Ok(figure.in_columns(vec![panel], 1));
    }
    let points = data.iter().enumerate().map(|(i, y)| [i as f64, *y]);
    let points = points.filter(|[_, y]| y.is_finite()).collect();
    panel.draw(observed().width(8.0), Shape::Dots(points));
    Ok(figure
        .key(Symbol::Dot, observed().width(8.0), "observed")
        .in_columns(vec![panel], 1))
}

/// Densities of the predicted data sets and of the data.
fn distributions(check: Check, name: &str, sets: &[&[f64]], data: &[f64]) -> Figure {
    let figure = Figure::new(check.title(name))
        .note(check.reading("The line of the data should look like one of the others."));
    let sorted = |values: &[f64]| Sorted::new(values, &vec![1.0; values.len()]);
    let predicted: Vec<Sorted> = sets.iter().filter_map(|set| sorted(set)).collect();
    let own = sorted(data);
    let views = View::of_sets(&predicted).into_iter();
    let views = views.chain(own.as_ref().map(View::of));
    let Some(view) = views.reduce(View::with) else {
        return figure.note("There is no finite number to draw.");
    };
    let curves: Vec<Vec<[f64; 2]>> = predicted.iter().filter_map(|s| view.density(s)).collect();
    let own = own.and_then(|s| view.density(&s)).unwrap_or_default();
    let (height, is_high) = height(&curves, &own);
    let mut panel = Panel::new(
        "",
        Axis::linear(name, view.ends, 6).without_grid(),
        Axis::bare("density", [0.0, 1.05 * height]),
    )
    .size(680.0, 340.0);
    let count = curves.len();
    for curve in curves {
        panel.draw(predicted_set(), Shape::Line(curve));
    }
    let cut = match (view.is_cut(), is_high) {
        (true, true) => "Long tails and high peaks are cut.",
        (true, false) => "Long tails are cut.",
        (false, true) => "High peaks are cut.",
        (false, false) => "",
    };
    let figure = figure.note(cut).key(
        Symbol::Line,
        predicted_set().opacity(0.8),
        format!("{count} predicted data sets"),
    );
    if own.is_empty() {
        return figure.in_columns(vec![panel], 1);
    }
    panel.draw(observed().width(2.5), Shape::Line(own));
    figure
        .key(Symbol::Line, observed().width(2.5), "observed")
        .in_columns(vec![panel], 1)
}

/// The height of the panel, and whether some curves are cut off there: data sets of a small scale would flatten all other curves.
fn height(curves: &[Vec<[f64; 2]>], own: &[[f64; 2]]) -> (f64, bool) {
    let highest = |curve: &[[f64; 2]]| curve.iter().map(|point| point[1]).fold(0.0, f64::max);
    let mut peaks: Vec<f64> = curves.iter().map(|curve| highest(curve)).collect();
    peaks.sort_by(f64::total_cmp);
    let quartile = peaks.get(3 * peaks.len() / 4).copied().unwrap_or(0.0);
    let top = peaks.last().copied().unwrap_or(0.0);
    let most = HIGHEST * quartile.max(highest(own));
    let own_or_top = top.max(highest(own));
    (own_or_top.min(most), own_or_top > most)
}

/// Frequencies of counts between two ends: the observed share of each value beside its shares in predicted data sets.
pub(super) fn frequencies(
    check: Check,
    name: &str,
    [low, high]: [f64; 2],
    sets: &[&[f64]],
    data: &[f64],
) -> Figure {
    let width = (high - low) as usize + 1;
    let shares = |set: &[f64]| {
        let mut shares = vec![0.0; width];
        for place in set.iter().map(|value| value - low) {
            if (0.0..width as f64).contains(&place) {
                shares[place as usize] += 1.0 / set.len() as f64;
            }
        }
        shares
    };
    let predicted: Vec<Vec<f64>> = sets.iter().map(|set| shares(set)).collect();
    let observed_shares = shares(data);
    let (mut intervals, mut bars) = (Vec::new(), Vec::new());
    for (k, share) in observed_shares.into_iter().enumerate() {
        let value = low + k as f64;
        let column: Vec<f64> = predicted.iter().map(|shares| shares[k]).collect();
        if let Some(sorted) = Sorted::new(&column, &vec![1.0; column.len()]) {
            intervals.push([value, sorted.quantile(0.05), value, sorted.quantile(0.95)]);
        }
        bars.push([value - 0.4, 0.0, value + 0.4, share]);
    }
    let tops = intervals.iter().chain(&bars).map(|line| line[3]);
    let top = 1.05 * tops.fold(0.0, f64::max);
    let mut panel = Panel::new(
        "",
        Axis::whole(name, [low, high], 8).without_grid(),
        Axis::linear("share of the observations", [0.0, top], 4),
    )
    .size(680.0, 340.0);
    let figure = Figure::new(check.title(name))
        .note(check.reading("The bars should end within the lines."))
        .key(
            Symbol::Line,
            Style::series(0).width(3.0),
            format!("5% to 95% of {} predicted data sets", sets.len()),
        );
    let figure = if check == Check::Nothing {
        figure
    } else {
        panel.draw(observed().opacity(0.35), Shape::Bars(bars));
        figure.key(Symbol::Area, observed().opacity(0.35), "observed")
    };
    panel.draw(
        Style::series(0).width(3.0).meaning("predicted90"),
        Shape::Segments(intervals),
    );
    figure.in_columns(vec![panel], 1)
}

pub(super) fn observed() -> Style {
    Style::of(Colour::Ink).meaning("observed")
}

fn predicted_set() -> Style {
    Style::series(0)
        .width(0.9)
        .opacity(0.4)
        .meaning("predicted")
}
