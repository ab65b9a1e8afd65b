//! Rootograms: counts beside their predicted frequencies, on the scale of square roots.

use super::band::{check_length, labelled};
use super::predictive::{Check, observed};
use crate::axis::{Axis, range};
use crate::figure::{Figure, Symbol};
use crate::kernel_density::Sorted;
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use crate::thin;
use bayes_core::Error;
use bayes_core::predict::Prediction;
use bayes_core::run::{Draws, PictureError};

/// Number of predicted data sets that are counted.
const SETS: usize = 4000;
/// Maximum number of bars of a panel; with more different counts, several counts share a bar.
const BARS: f64 = 40.0;
/// Counts are skewed if their 99.5% quantile is more than this many times the median.
const SKEWED: f64 = 10.0;
/// Predicted counts above this quantile, and above the data, share the last bar.
const HIGHEST: f64 = 0.995;

/// Observed counts as bars that hang from their expected frequencies, on the scale of square roots (Kleiber and Zeileis 2016, section 2):
/// a hanging rootogram. A bar that ends above 0 means fewer such counts than expected, a bar that ends below 0 more. For 90% of the
/// predicted data sets, bars end within the interval around 0. `run.predict(&model)?` gives a check of the posterior,
/// `prior_predictive(&model, 1000)?` a check of the prior.
///
/// ```no_run
/// # use bayes_core::{Error, predict::Prediction};
/// # use bayes_plot as plot;
/// # fn pictures(prediction: &Prediction<'_>) -> Result<(), Error> {
/// plot::rootogram(prediction, "y")?.save("rootogram.svg")?;
/// # Ok(())
/// # }
/// ```
///
/// If there are more than 40 different counts, several share a bar. The bars have one width, or, if the counts are skewed (their 99.5%
/// quantile is more than ten times the median), widths that grow with the counts, on an axis of `ln(1 + y)`. Expected frequencies are
/// means over at most 4000 predicted data sets. Weights of draws count.
///
/// # Errors
/// The errors of [`Prediction::draws`]; [`Error::Prediction`] if `name` is not observed; [`PictureError::NotCounts`] if a number is not a
/// count; [`PictureError::TooFew`] without data.
pub fn rootogram(prediction: &Prediction<'_>, name: &str) -> Result<Figure, Error> {
    let draws = prediction.draws(name)?;
    let all = vec![(String::new(), (0..draws.elements).collect())];
    of_groups(prediction, (name, &draws), all)
}

/// [`rootogram`] for each group of elements, in panels. The groups are given by a name, and one label for each element. The panels stand
/// in the order in which the labels appear.
///
/// ```no_run
/// # use bayes_core::{Error, predict::Prediction};
/// # use bayes_plot as plot;
/// # fn pictures(prediction: &Prediction<'_>, site: &[&str]) -> Result<(), Error> {
/// plot::rootogram_by(prediction, "y", ("site", site))?.save("rootograms.svg")?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The errors of [`rootogram`], where each group needs data; [`PictureError::Lengths`] unless there is one label for each element.
pub fn rootogram_by<L: ToString>(
    prediction: &Prediction<'_>,
    name: &str,
    (groups, labels): (&str, &[L]),
) -> Result<Figure, Error> {
    let draws = prediction.draws(name)?;
    check_length("rootogram", [name, groups], draws.elements, labels.len())?;
    of_groups(prediction, (name, &draws), labelled(groups, labels))
}

fn of_groups(
    prediction: &Prediction<'_>,
    (name, draws): (&str, &Draws),
    groups: Vec<(String, Vec<usize>)>,
) -> Result<Figure, Error> {
    let variable = prediction.observed_variable(name)?;
    let check = Check::of(prediction, &variable.data);
    let rows: Vec<&[f64]> = draws.rows().collect();
    let chosen = thin::resampled(&draws.weights, SETS);
    let mut panels = Vec::new();
    for (title, members) in groups {
        let of = |row: &[f64]| members.iter().map(|k| row[*k]).collect::<Vec<f64>>();
        let data: Vec<f64> = of(&variable.data)
            .into_iter()
            .filter(|y| !y.is_nan())
            .collect();
        let sets: Vec<Vec<f64>> = chosen.iter().map(|row| of(rows[*row])).collect();
        let wrong = |y: &&f64| **y < 0.0 || y.fract() != 0.0;
        if let Some(value) = data.iter().chain(sets.iter().flatten()).find(wrong) {
            return Err(PictureError::NotCounts {
                name: name.to_owned(),
                value: value.to_string(),
            }
            .into());
        }
        if data.is_empty() {
            return Err(PictureError::TooFew {
                picture: "rootogram",
                what: "observations",
                needed: 1,
                found: 0,
            }
            .into());
        }
        panels.push(panel(title, name, &data, &sets));
    }
    let figure = figure(check, name, chosen.len()).of_alike(panels);
    Ok(check.with_limits(figure, variable.limits))
}

/// Whether data are counts of many sizes, which a rootogram shows better than a density.
pub(super) fn suits(values: impl Iterator<Item = f64>, data: &[f64]) -> bool {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let are_counts = values.iter().all(|y| *y >= 0.0 && y.fract() == 0.0);
    are_counts && !data.is_empty() && is_skewed(&values)
}

/// The rootogram of all data, for the predictive check of skewed counts.
pub(super) fn of_all(check: Check, name: &str, sets: &[&[f64]], data: &[f64]) -> Figure {
    let copies: Vec<Vec<f64>> = sets.iter().map(|set| set.to_vec()).collect();
    let panel = panel(String::new(), name, data, &copies);
    figure(check, name, sets.len()).of_alike(vec![panel])
}

fn figure(check: Check, name: &str, sets: usize) -> Figure {
    Figure::new(check.title(name))
        .note("Bars of observed counts hang from the expected frequencies, all by their square roots: one that ends below 0 has more counts than expected, above 0 fewer.")
        .note(check.reading("The bars should end within the intervals around 0."))
        .key(Symbol::Line, expected(), "expected")
        .key(Symbol::Area, observed().opacity(0.35), "observed")
        .key(
            Symbol::Line,
            interval(),
            format!("5% to 95% of {sets} predicted data sets"),
        )
}

fn expected() -> Style {
    Style::series(0).width(2.0).meaning("expected")
}

fn interval() -> Style {
    Style::series(1).width(3.0).meaning("predicted90")
}

/// The range of counts of a bar, from the first to the last.
type Bar = [f64; 2];

fn panel(title: String, name: &str, data: &[f64], sets: &[Vec<f64>]) -> Panel {
    let mut predicted: Vec<f64> = sets.iter().flatten().copied().collect();
    predicted.sort_by(f64::total_cmp);
    let (bars, is_log) = bars(data, &predicted);
    let frequencies: Vec<Vec<f64>> = sets.iter().map(|set| count(&bars, set)).collect();
    let own = count(&bars, data);
    let weights = vec![1.0; sets.len()];
    let (mut line, mut hanging, mut limits) = (Vec::new(), Vec::new(), Vec::new());
    for (k, [first, last]) in bars.iter().enumerate() {
        let of_sets: Vec<f64> = frequencies.iter().map(|set| set[k]).collect();
        let root = (of_sets.iter().sum::<f64>() / of_sets.len().max(1) as f64).sqrt();
        let middle = match is_log {
            true => ((first + 1.0) * (last + 1.0)).sqrt() - 1.0,
            false => 0.5 * (first + last),
        };
        line.push([middle, root]);
        let gap = if is_log {
            0.5
        } else {
            0.5 - 0.1 * (last - first + 1.0)
        };
        hanging.push([first - gap, root - own[k].sqrt(), last + gap, root]);
        if let Some(sorted) = Sorted::new(&of_sets, &weights) {
            let [low, high] = [0.95, 0.05].map(|p| root - sorted.quantile(p).sqrt());
            limits.push([middle, low, middle, high]);
        }
    }
    let ends = [bars[0][0], bars[bars.len() - 1][1]];
    let x = match is_log {
        true => Axis::log_counts(name, ends),
        false => Axis::whole(name, ends, 8),
    };
    let heights = hanging.iter().flat_map(|bar| [bar[1], bar[3]]);
    let heights = heights.chain(limits.iter().flat_map(|limit| [limit[1], limit[3]]));
    let ends_of_y = range(heights.chain([0.0]), 0.05).unwrap_or([0.0, 1.0]);
    let zero = vec![[ends[0] - 0.6, 0.0], [ends[1] + 0.6, 0.0]];
    let y = Axis::linear("√ frequency", ends_of_y, 5);
    let panel = Panel::new(title, x.without_grid(), y)
        .with(observed().opacity(0.35), Shape::Bars(hanging))
        .with(Style::of(Colour::Ink).width(1.0), Shape::Line(zero))
        .with(interval(), Shape::Segments(limits))
        .with(expected(), Shape::Line(line.clone()))
        .with(expected().width(5.0), Shape::Dots(line));
    match predicted.last().is_some_and(|most| *most > ends[1]) {
        true => panel.note(format!(
            "Larger counts than {} are in the last bar.",
            ends[1]
        )),
        false => panel,
    }
}

/// The bars, and whether their widths grow with the counts.
fn bars(data: &[f64], predicted: &[f64]) -> (Vec<Bar>, bool) {
    let place = (HIGHEST * predicted.len() as f64) as usize;
    let usual = predicted.get(place).or(predicted.last()).copied();
    let [low, high] = data
        .iter()
        .chain(predicted.first())
        .chain(&usual)
        .fold([f64::INFINITY, 0.0], |[low, high]: [f64; 2], y| {
            [low.min(*y), high.max(*y)]
        });
    let mut sorted = data.to_vec();
    sorted.sort_by(f64::total_cmp);
    let is_log = high - low >= BARS && (is_skewed(&sorted) || is_skewed(predicted));
    let width = ((high - low + 1.0) / BARS).ceil();
    // the ends of the bars grow by this factor, if it exceeds 1
    let growth = ((high + 1.0) / (low + 1.0)).powf(1.5 / BARS);
    let (mut bars, mut first) = (Vec::new(), low);
    while first <= high {
        let next = match is_log {
            true => ((first + 1.0) * growth).floor().max(first + 1.0),
            false => first + width,
        };
        bars.push([first, next - 1.0]);
        first = next;
    }
    (bars, is_log)
}

/// Whether the 99.5% quantile of sorted counts is many times their median, and at least [`BARS`].
fn is_skewed(sorted: &[f64]) -> bool {
    let place = (HIGHEST * sorted.len() as f64) as usize;
    let high = sorted.get(place).or(sorted.last()).copied().unwrap_or(0.0);
    let median = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    high >= BARS && high > SKEWED * median
}

/// The number of counts in each bar; the last bar includes all larger counts too.
fn count(bars: &[Bar], counts: &[f64]) -> Vec<f64> {
    let mut frequencies = vec![0.0; bars.len()];
    for y in counts {
        let bar = bars.partition_point(|bar| bar[1] < *y);
        frequencies[bar.min(bars.len() - 1)] += 1.0;
    }
    frequencies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_hold_every_count_once() {
        let skewed: Vec<f64> = (0..200).map(|k| f64::from(k * k / 8 % 700)).collect();
        let mut sorted = skewed.clone();
        sorted.sort_by(f64::total_cmp);
        let wide: Vec<f64> = (0..300).map(|k| f64::from(900 + k)).collect();
        let few: Vec<f64> = (0..30).map(|k| f64::from(k % 7)).collect();
        for (data, predicted) in [(&skewed, &sorted), (&wide, &wide), (&few, &few)] {
            let (bars, _) = bars(data, predicted);
            assert!(bars.len() <= 2 * BARS as usize, "{}", bars.len());
            for pair in bars.windows(2) {
                assert_eq!(pair[0][1] + 1.0, pair[1][0], "{bars:?}");
            }
            let counted: f64 = count(&bars, data).iter().sum();
            assert_eq!(counted, data.len() as f64);
        }
        assert_eq!(bars(&few, &few).0.len(), 7);
    }

    #[test]
    fn skewed_counts_have_bars_that_grow() {
        let mut tail: Vec<f64> = (0..100).map(|k| f64::from(k % 5)).collect();
        tail.extend([100.0, 400.0, 1500.0, 2000.0]);
        let (bars, is_log) = bars(&tail, &[0.0, 3.0, 2000.0]);
        assert!(is_log);
        assert_eq!(bars[..3], [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]);
        let widths = bars.iter().map(|[first, last]| last - first);
        assert!(
            widths.clone().zip(widths.skip(1)).all(|(a, b)| a <= b),
            "{bars:?}"
        );
    }
}
