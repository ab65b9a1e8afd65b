//! A fixed number of moves against an adaptive one (the comparison, figure 9): pCN on 32 observations of 16 coefficients with noise of 1.
//!
//! The adaptive number reduces the correlation of a particle with its start to η; the library measures it at the previous temperatures.
//! Published: for N = 200 both have the same error at the same cost, and the curve of η turns at η = 0.05.

use crate::Lab;
use crate::problem::Name;
use crate::trial::{self, Method, Moves, Scatter, Trial};
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};
use serde_json::{Value, json};

const CORRELATIONS: [f64; 6] = [0.5, 0.2, 0.1, 0.05, 0.02, 0.01];

pub fn run(lab: &Lab) -> Value {
    let quick = lab.options.quick;
    let sizes: &[usize] = if quick { &[32] } else { &[16, 64, 200] };
    let most = if quick { 4 } else { 9 };
    let fixed = (2..=most).map(|k| 1usize << k);
    let mut trials = Vec::new();
    for particles in sizes {
        let smc = |moves| Method::Smc {
            islands: 1,
            particles: *particles,
            moves,
        };
        let fixed = fixed
            .clone()
            .map(|moves| (format!("M = {moves}"), smc(moves)));
        let adaptive = CORRELATIONS[..if quick { 2 } else { 6 }]
            .iter()
            .map(|correlation| {
                let method = Method::Adaptive {
                    particles: *particles,
                    correlation: *correlation,
                };
                (format!("η = {correlation}"), method)
            });
        trials.extend(fixed.chain(adaptive).map(|(name, m)| (*particles, name, m)));
    }
    let named: Vec<(String, Trial)> = trials
        .iter()
        .map(|(particles, name, method)| {
            let trial = Trial {
                problem: Name::Ones,
                kernel: Moves::Pcn,
                method: *method,
                repeats: lab.options.size(50, 2),
                batch: 0,
            };
            let name = name.replace(" = ", "-").replace('η', "correlation");
            (format!("adaptive-{particles}-{name}"), trial)
        })
        .collect();
    let found = trial::run(&lab.cells, &named, lab.options.size(4, 1));
    lab.say(&format!(
        "{:>5}  {:<10}{:<22}{:>8} {:>8} {:>10} {:>12}",
        "N", "moves", "mean squared error", "epochs", "last M", "seconds", "MSE x epochs"
    ));
    let mut rows = Vec::new();
    for ((particles, name, _), scatter) in trials.iter().zip(&found) {
        let (mse, error) = scatter.mse();
        lab.say(&format!(
            "{particles:>5}  {name:<10}{:<22}{:>8.0} {:>8.0} {:>10.1e} {:>12.2}",
            format!("{mse:.3e} ± {error:.1e}"),
            scatter.epochs,
            scatter.last_moves,
            scatter.seconds,
            mse * scatter.epochs
        ));
        rows.push(json!({ "particles": particles, "moves": name, "mse": mse, "error": error, "epochs": scatter.epochs }));
    }
    draw(lab, sizes, &trials, &found);
    Value::Array(rows)
}

fn draw(lab: &Lab, sizes: &[usize], trials: &[(usize, String, Method)], found: &[Scatter]) {
    let panel = |particles: &usize| {
        let curve = |name: &str, is_fixed: bool| {
            let own = trials.iter().zip(found).filter(|((n, _, method), _)| {
                n == particles && matches!(method, Method::Smc { .. }) == is_fixed
            });
            let point = |(_, scatter): (_, &Scatter)| {
                let (y, error) = scatter.mse();
                Point {
                    x: scatter.epochs,
                    y,
                    error,
                }
            };
            Curve {
                name: name.to_owned(),
                points: own.map(point).collect(),
            }
        };
        Panel {
            title: format!("N = {particles}"),
            x: Quantity::new("likelihoods one after the other"),
            y: Quantity::new("mean squared error, summed"),
            curves: vec![curve("fixed M", true), curve("adaptive M", false)],
        }
    };
    let panels: Vec<Panel> = sizes.iter().map(panel).collect();
    lab.draw("adaptive", &panels, 3);
}
