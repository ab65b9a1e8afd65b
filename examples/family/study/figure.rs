//! The figure: mean squared errors against gradients and against P.

use super::Row;
use crate::chart::{self, Curve, Panel, Point, Quantity};

/// What an axis shows of a row.
type Of = (Quantity, fn(&Row) -> Option<f64>);

const GRADIENTS: Of = (Quantity::new("gradients of a run, millions"), |row| {
    Some(row.evaluations)
});
const SIZE: Of = (Quantity::counted("P, islands or chains"), |row| {
    Some(row.size as f64)
});
const MEAN: Of = (
    Quantity::new("mean squared error, posterior variances"),
    |row| Some(row.mean.mean_squared_error),
);
const EVIDENCE: Of = (Quantity::new("mean squared error, nats²"), |row| {
    Some(row.log_evidence.as_ref()?.mean_squared_error)
});

const PANELS: [(&str, Of, Of); 4] = [
    ("Posterior mean against gradients", GRADIENTS, MEAN),
    ("Posterior mean against P", SIZE, MEAN),
    ("Log evidence against gradients", GRADIENTS, EVIDENCE),
    ("Log evidence against P", SIZE, EVIDENCE),
];

/// The whole figure.
pub fn svg(rows: &[Row]) -> String {
    let mut names: Vec<&str> = rows.iter().map(|row| row.member).collect();
    names.dedup();
    let panel = |(title, (x, x_of), (y, y_of)): &(&str, Of, Of)| {
        let curve = |name: &&str| {
            let own = rows.iter().filter(|row| row.member == *name);
            let point = |row| {
                Some(Point {
                    x: x_of(row)?,
                    y: y_of(row)?,
                    error: 0.0,
                })
            };
            Curve {
                name: (*name).to_owned(),
                points: own.filter_map(point).collect(),
            }
        };
        Panel {
            title: (*title).to_owned(),
            x: *x,
            y: *y,
            curves: names.iter().map(curve).collect(),
        }
    };
    let panels: Vec<Panel> = PANELS.iter().map(panel).collect();
    chart::svg(&panels, 2)
}
