//! The figure: mean squared errors against cost and against P.

use super::Row;
use bayes_experiments::chart::{self, Curve, Panel, Point, Quantity};

/// The quantity that an axis shows for a row.
type Of = (Quantity, fn(&Row) -> Option<f64>);

const SIZE: Quantity = Quantity::counted("P, islands or chains");
const MEAN: Of = (
    Quantity::new("mean squared error, posterior variances"),
    |row| Some(row.mean.mean_squared_error),
);
const EVIDENCE: Of = (Quantity::new("mean squared error, nats²"), |row| {
    Some(row.log_evidence.as_ref()?.mean_squared_error)
});

/// The whole figure; `cost` is counted in millions.
pub fn svg(rows: &[Row], cost: Quantity) -> String {
    let cost: Of = (cost, |row| Some(row.evaluations));
    let size: Of = (SIZE, |row| Some(row.size as f64));
    let all = [
        ("Posterior mean against cost", cost, MEAN),
        ("Posterior mean against P", size, MEAN),
        ("Log evidence against cost", cost, EVIDENCE),
        ("Log evidence against P", size, EVIDENCE),
    ];
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
    let panels: Vec<Panel> = all.iter().map(panel).collect();
    chart::svg(&panels, 2)
}
