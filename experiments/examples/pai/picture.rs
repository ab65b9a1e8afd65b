//! The pictures: a column for each method, with its draws over draws of the truth, and its marginal densities.

use crate::problem::Problem;
use crate::solve::Solved;
use bayes::run::Draws;
use std::fmt::Write;

/// Width and height of a panel, and the space between panels, in pixels.
const PANEL: [f64; 2] = [150.0, 110.0];
const GAP: f64 = 12.0;
/// Space for the names of coordinates and methods.
const EDGE: [f64; 2] = [96.0, 30.0];
/// Number of draws in a panel.
const DOTS: usize = 600;
/// Number of bins of a histogram.
const BINS: usize = 48;
const TRUTH: &str = "#bbbbbb";
const METHOD: &str = "#0072b2";

/// The picture of a problem, of its first seed.
pub fn svg(problem: &Problem, solved: &Solved) -> String {
    let truth = &solved.truth.draws;
    let methods = &solved.answers[0].draws;
    let rows = 1 + truth.elements;
    let width = EDGE[0] + methods.len() as f64 * (PANEL[0] + GAP);
    let height = EDGE[1] + rows as f64 * (PANEL[1] + GAP);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" font-size=\"11\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    let sides: Vec<[f64; 2]> = (0..truth.elements).map(|k| side(truth, k)).collect();
    for row in 0..rows {
        let name = match row {
            0 => "draws; truth grey",
            _ => problem.coordinates[row - 1],
        };
        let middle = EDGE[1] + row as f64 * (PANEL[1] + GAP) + 0.5 * PANEL[1];
        let _ = writeln!(svg, "<text x=\"2\" y=\"{middle:.0}\">{name}</text>");
    }
    for (column, (name, draws)) in methods.iter().enumerate() {
        let x = EDGE[0] + column as f64 * (PANEL[0] + GAP);
        let _ = writeln!(svg, "<text x=\"{x:.0}\" y=\"20\">{name}</text>");
        for row in 0..rows {
            let y = EDGE[1] + row as f64 * (PANEL[1] + GAP);
            let panel = match row {
                0 => dots(truth, &sides, TRUTH) + &dots(draws, &sides, METHOD),
                _ => histograms(truth, draws, row - 1, sides[row - 1]),
            };
            let _ = writeln!(
                svg,
                "<svg x=\"{x:.0}\" y=\"{y:.0}\" width=\"{}\" height=\"{}\">{panel}\
                 <rect width=\"100%\" height=\"100%\" fill=\"none\" stroke=\"#888888\"/></svg>",
                PANEL[0], PANEL[1]
            );
        }
    }
    svg + "</svg>\n"
}

/// The range of coordinate `k`, with a margin.
fn side(draws: &Draws, k: usize) -> [f64; 2] {
    let values = || draws.rows().map(|row| row[k]);
    let low = values().fold(f64::INFINITY, f64::min);
    let high = values().fold(f64::NEG_INFINITY, f64::max);
    let margin = 0.15 * (high - low);
    [low - margin, high + margin]
}

/// Some draws, resampled by their weights, in the first two coordinates.
fn dots(draws: &Draws, sides: &[[f64; 2]], colour: &str) -> String {
    let share = |x: f64, [low, high]: [f64; 2]| (x - low) / (high - low);
    let (mut sum, mut next) = (0.5 / DOTS as f64, 1);
    let mut path = String::new();
    for (row, weight) in draws.rows().zip(&draws.weights) {
        sum += weight;
        let is_chosen = sum * DOTS as f64 >= next as f64;
        next = next.max((sum * DOTS as f64) as usize + 1);
        if is_chosen {
            let x = PANEL[0] * share(row[0], sides[0]);
            let y = PANEL[1] * (1.0 - share(row[1], sides[1]));
            // points far outside would only make the file larger
            if (-9.0..PANEL[0] + 9.0).contains(&x) && (-9.0..PANEL[1] + 9.0).contains(&y) {
                let _ = write!(path, "M{x:.1} {y:.1}h0");
            }
        }
    }
    format!(
        "<path d=\"{path}\" stroke=\"{colour}\" stroke-width=\"2.2\" stroke-linecap=\"round\" stroke-opacity=\"0.6\"/>"
    )
}

/// The marginal density of the method as a line over the density of the truth.
fn histograms(truth: &Draws, draws: &Draws, k: usize, side: [f64; 2]) -> String {
    let (truth, draws) = (shares(truth, k, side), shares(draws, k, side));
    // a method with all draws in one place must not flatten the truth
    let top = 2.0 * truth.iter().copied().fold(0.0, f64::max);
    let outline = |shares: &[f64]| {
        let mut path = format!("M0 {}", PANEL[1]);
        for (i, share) in shares.iter().enumerate() {
            let bin = PANEL[0] / BINS as f64;
            let y = PANEL[1] * (1.0 - (share / top).min(1.0));
            let _ = write!(path, "L{:.1} {y:.1}h{bin:.2}", i as f64 * bin);
        }
        format!("{path}L{} {}", PANEL[0], PANEL[1])
    };
    format!(
        "<path d=\"{}\" fill=\"{TRUTH}\"/><path d=\"{}\" fill=\"none\" stroke=\"{METHOD}\" stroke-width=\"1.4\"/>",
        outline(&truth),
        outline(&draws)
    )
}

/// Masses of the bins of coordinate `k`.
fn shares(draws: &Draws, k: usize, [low, high]: [f64; 2]) -> Vec<f64> {
    let mut shares = vec![0.0; BINS];
    for (row, weight) in draws.rows().zip(&draws.weights) {
        let place = (row[k] - low) / (high - low) * BINS as f64;
        if (0.0..BINS as f64).contains(&place) {
            shares[place as usize] += weight;
        }
    }
    shares
}
