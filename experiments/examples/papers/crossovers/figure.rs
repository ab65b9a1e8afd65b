//! The figures.

use super::{Crossover, PARTICLES, Row};
use crate::Lab;
use crate::nodes::Found;
use crate::problem::Name;
use crate::statistics::mean;
use bayes_experiments::chart::{Curve, Panel, Point, Quantity};

/// Errors against samples, nodes and seconds, a panel for each problem.
pub fn draw(lab: &Lab, rows: &[Row<'_>], kernels: usize, name: &str) {
    let axes = [
        ("samples", "N P samples, or steps of a chain"),
        ("nodes", "P nodes"),
        ("seconds", "seconds on a node"),
    ];
    for (file, label) in axes {
        let panels: Vec<Panel> = rows
            .chunks(kernels)
            .map(|pair| Panel {
                title: format!(
                    "{} observations x {} coefficients",
                    pair[0].size.rows, pair[0].size.columns
                ),
                x: Quantity::new(label),
                y: Quantity::new(pair[0].error_label()),
                curves: pair.iter().rev().flat_map(|row| row.curves(file)).collect(),
            })
            .collect();
        lab.draw(&format!("{name}-{file}"), &panels, 3);
    }
}

impl Row<'_> {
    fn error_label(&self) -> &'static str {
        match self.size.problem {
            Name::Iris | Name::BiMnist(_) => "divergence of predictions, nats",
            _ => "mean squared error, summed",
        }
    }

    fn curves(&self, axis: &str) -> Vec<Curve> {
        let kernel = self.kernel.name();
        let of_nodes = |name: String, found: &[Found]| {
            let seconds = mean(found.iter().map(|f| f.seconds));
            let point = |[p, y, error]: [f64; 3]| Point {
                x: match axis {
                    "samples" => p * PARTICLES as f64,
                    "nodes" => p,
                    _ => seconds,
                },
                y,
                error,
            };
            let points = self.by_nodes(found).into_iter().map(point).collect();
            Curve { name, points }
        };
        let mut curves = vec![
            of_nodes(format!("pSMC-{kernel}"), &self.smc),
            of_nodes(format!("{kernel}∥"), &self.chains),
        ];
        let seconds = mean(self.serial.iter().map(|walk| walk.seconds));
        let chain = |x: fn(f64, f64) -> f64| -> Vec<Point> {
            let point = |[n, y, error]: [f64; 3]| Point {
                x: x(n, seconds),
                y,
                error,
            };
            self.by_steps().into_iter().map(point).collect()
        };
        let name = format!("{kernel}, one chain");
        let points = match axis {
            "samples" => chain(|n, _| n),
            "seconds" => chain(|n, seconds| n * seconds),
            _ => Vec::new(),
        };
        if axis == "nodes" {
            // the same at every P: a node's time
            let Crossover { mse, .. } = self.crossover();
            let ends = curves[0].points.iter().map(|point| Point {
                y: mse,
                error: 0.0,
                ..*point
            });
            let points = ends.collect();
            curves.push(Curve { name, points });
        } else {
            curves.push(Curve { name, points });
        }
        curves
    }
}
