//! Simulation-based calibration: ranks against the uniform distribution.

use crate::axis::Axis;
use crate::figure::{Figure, Symbol};
use crate::label::{count, number};
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use crate::theme::COLOURS;
use bayes_check::sbc::{Calibration, SbcReport};

/// The 95% point of Kolmogorov's distribution: the band contains a whole curve with this probability, for many ranks.
const BAND: f64 = 1.358;
/// Number of steps of a curve. With more ranks, the curve is drawn at this many places, which is finer than the width of the lines.
const STEPS: usize = 200;

/// Shows whether the posteriors of simulated data are right on average. For each quantity of a calibration, the curve is the distribution
/// function of the ranks of its true values, minus the uniform distribution function. A single calibrated curve stays within the band with
/// a probability of 95%; of many curves, one in twenty leaves it.
///
/// With more than seven quantities, only the six with the smallest p values have a colour.
///
/// ```text
/// plot::sbc(&sbc(&model, infer).run()?).save("ranks.svg")?;
/// ```
#[must_use]
pub fn sbc(report: &SbcReport) -> Figure {
    let curves: Vec<Vec<[f64; 2]>> = report.quantities.iter().map(curve).collect();
    let band = BAND / (report.simulations().max(1) as f64).sqrt();
    let heights = curves.iter().flatten().map(|point| point[1].abs());
    let reach = 1.1 * heights.fold(band, f64::max);
    let mut panel = Panel::new(
        "",
        Axis::linear(
            "rank of the true value among the draws, 0 to 1",
            [0.0, 1.0],
            5,
        )
        .without_grid(),
        Axis::linear("share of ranks below, minus uniform", [-reach, reach], 5),
    )
    .size(680.0, 340.0)
    .with(area(), Shape::Bars(vec![[0.0, -band, 1.0, band]]));
    let coloured = coloured(report);
    // coloured lines are above the others
    for (k, curve) in curves.iter().enumerate() {
        if !coloured.contains(&k) {
            panel.draw(other(), Shape::Line(curve.clone()));
        }
    }
    for (colour, k) in coloured.iter().enumerate() {
        panel.draw(line(colour), Shape::Line(curves[*k].clone()));
    }
    let figure = Figure::new(format!("Simulation-based calibration of {}", report.model))
        .note(format!(
            "{}, ranks among {} each. Smallest p value times the quantities: {}.",
            count(report.simulations(), "simulated data set"),
            count(report.draws, "draw"),
            number(report.p_value())
        ))
        .note(
            "Within the band: the ranks are uniform. A hill: the draws are too high; a valley: too low; a hill, then a valley: the \
             posteriors are too narrow; a valley, then a hill: too wide.",
        );
    let figure = report.notes.iter().fold(figure, Figure::note);
    with_legend(figure.in_columns(vec![panel], 1), report, &coloured)
}

fn with_legend(figure: Figure, report: &SbcReport, coloured: &[usize]) -> Figure {
    let named = coloured.iter().enumerate();
    let figure = named.fold(figure, |figure, (colour, k)| {
        let Calibration { name, p_value, .. } = &report.quantities[*k];
        let text = format!("{name}, p = {}", number(*p_value));
        figure.key(Symbol::Line, line(colour), text)
    });
    let others = report.quantities.len() - coloured.len();
    let figure = match others {
        0 => figure,
        n => figure.key(Symbol::Line, other(), format!("{n} more quantities")),
    };
    figure.key(
        Symbol::Area,
        area(),
        "where 95% of the curves of calibrated draws stay",
    )
}

/// The quantities with a colour: all, or the ones with the smallest p values.
fn coloured(report: &SbcReport) -> Vec<usize> {
    let p_value = |k: &usize| report.quantities[*k].p_value;
    let mut all: Vec<usize> = (0..report.quantities.len()).collect();
    if all.len() > COLOURS {
        all.sort_by(|a, b| p_value(a).total_cmp(&p_value(b)));
        all.truncate(COLOURS - 1);
    }
    all
}

/// The distribution function of the ranks minus the uniform distribution function.
fn curve(quantity: &Calibration) -> Vec<[f64; 2]> {
    let mut ranks = quantity.positions.clone();
    ranks.sort_by(f64::total_cmp);
    let n = ranks.len();
    if n > STEPS {
        let at = |k: usize| {
            let u = k as f64 / STEPS as f64;
            let below = ranks.partition_point(|rank| *rank <= u);
            [u, below as f64 / n as f64 - u]
        };
        return (0..=STEPS).map(at).collect();
    }
    let mut points = vec![[0.0, 0.0]];
    for (i, u) in ranks.iter().enumerate() {
        points.extend([i, i + 1].map(|k| [*u, k as f64 / n as f64 - u]));
    }
    points.push([1.0, 0.0]);
    points
}

fn line(colour: usize) -> Style {
    Style::series(colour).width(1.8).meaning("ranks")
}

fn other() -> Style {
    Style::of(Colour::Muted)
        .width(0.9)
        .opacity(0.6)
        .meaning("ranks")
}

fn area() -> Style {
    Style::of(Colour::Muted).opacity(0.22)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks at the middles of equal parts, bent by `power`; the first quantity has the smallest p value.
    fn report(quantities: usize, simulations: usize, power: f64) -> SbcReport {
        let rank = |i: usize| ((i as f64 + 0.5) / simulations as f64).powf(power);
        let quantity = |k: usize| Calibration {
            name: format!("theta[{k}]"),
            positions: (0..simulations).map(rank).collect(),
            p_value: (k + 1) as f64 / (quantities + 1) as f64,
        };
        SbcReport {
            model: "schools".to_owned(),
            draws: 100,
            quantities: (0..quantities).map(quantity).collect(),
            ess: vec![200.0; simulations],
            notes: vec!["`y` is drawn one step ahead.".to_owned()],
        }
    }

    #[test]
    fn uniform_ranks_stay_near_zero_and_low_ones_make_a_hill() {
        for simulations in [50, 1000] {
            let height = |power| {
                let curve = curve(&report(1, simulations, power).quantities[0]);
                let heights = curve.iter().map(|point| point[1]);
                let ends = [curve[0], curve[curve.len() - 1]];
                assert!(ends.iter().all(|end| end[1].abs() < 1e-12), "{ends:?}");
                heights.fold([0.0, 0.0], |[low, high]: [f64; 2], y| {
                    [low.min(y), high.max(y)]
                })
            };
            let [low, high] = height(1.0);
            let half = 0.51 / simulations as f64 + 1e-12;
            assert!(-half < low && high < half, "{low} {high}");
            // squared ranks: u^(1/2) - u is 1/4 at u = 1/4
            let [low, high] = height(2.0);
            assert!((high - 0.25).abs() < 2.0 / simulations as f64, "{high}");
            assert!(low > -1.0 / simulations as f64, "{low}");
        }
    }

    #[test]
    fn a_few_quantities_have_a_colour_each_and_of_many_the_worst() {
        let figure = sbc(&report(7, 50, 1.0));
        // seven curves and the band
        assert_eq!((figure.panels[0].marks.len(), figure.legend.len()), (8, 8));
        let figure = sbc(&report(30, 50, 1.0));
        let texts: Vec<&str> = figure.legend.iter().map(|key| key.text.as_str()).collect();
        assert_eq!(texts.len(), 8);
        assert_eq!(texts[0], "theta[0], p = 0.0323");
        assert_eq!(texts[6], "24 more quantities");
        assert_eq!(figure.panels[0].marks.len(), 31);
    }

    #[test]
    fn axes_and_what_is_to_be_known_are_printed() {
        let figure = sbc(&report(2, 1000, 1.0));
        let panel = &figure.panels[0];
        assert_eq!(
            panel.x.label,
            "rank of the true value among the draws, 0 to 1"
        );
        assert_eq!(panel.y.label, "share of ranks below, minus uniform");
        let text = figure.description();
        for wanted in ["1000 simulated data sets", "100 draws", "one step ahead"] {
            assert!(text.contains(wanted), "{text}");
        }
        // the lines have equally many points for any number of ranks
        assert_eq!(panel.marks[1].len(), STEPS + 1);
    }
}
