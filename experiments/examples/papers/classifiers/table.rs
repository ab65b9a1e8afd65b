//! The scores of several units together, printed and drawn with the published ones.

use super::data::Data;
use super::published::{Published, Row, Sampler};
use super::unit::Unit;
use crate::Lab;
use crate::statistics::mean_and_error;
use bayes_experiments::chart::{Curve, PUBLISHED, Panel, Point, Quantity};
use bayes_experiments::classification::Scores;
use serde_json::{Value, json};

/// A row of a table: the results for each published number of units that was run.
pub struct Found<'a> {
    row: &'a Row,
    epochs: f64,
    seconds: f64,
    lines: Vec<Line>,
}

/// Several units together: means over groups of units, with their standard errors.
struct Line {
    published: Published,
    groups: usize,
    /// Accuracy in percent, negative log likelihood, epistemic and total entropy.
    scores: [(f64, f64); 4],
}

impl<'a> Found<'a> {
    pub fn new(row: &'a Row, units: &[Unit], data: &Data) -> Self {
        let average = |of: fn(&Unit) -> f64| units.iter().map(of).sum::<f64>() / units.len() as f64;
        let known = row.published.iter().filter(|known| known.0 <= units.len());
        Self {
            row,
            epochs: average(|unit| unit.epochs),
            seconds: average(|unit| unit.seconds),
            lines: known.map(|known| Line::new(*known, units, data)).collect(),
        }
    }

    pub fn print(&self, lab: &Lab) {
        let published = self.row.epochs;
        let published =
            published.map_or(String::new(), |epochs| format!(" (published {epochs:.0})"));
        let seconds = match lab.options.json {
            true => String::new(),
            false => format!(", {:.0} s on a core", self.seconds),
        };
        lab.say(&format!(
            "\n{}: {:.0} epochs with tuning{published}{seconds}",
            self.row.label(),
            self.epochs
        ));
        lab.say("   P        accuracy             NLL    epistemic        total   published");
        self.lines.iter().for_each(|line| line.print(lab));
    }

    pub fn json(&self) -> Value {
        let line = |line: &Line| json!({ "nodes": line.published.0, "groups": line.groups, "found": line.scores });
        let lines: Vec<Value> = self.lines.iter().map(line).collect();
        json!({ "row": self.row.label(), "epochs": self.epochs, "lines": lines })
    }

    /// The negative log likelihoods, and the published ones.
    fn curves(&self) -> [Curve; 2] {
        let curve = |name: String, value: fn(&Line) -> (f64, f64)| {
            let point = |line: &Line| {
                let (y, error) = value(line);
                let x = line.published.0 as f64;
                Point { x, y, error }
            };
            let points = self
                .lines
                .iter()
                .map(point)
                .filter(|point| !point.y.is_nan());
            let points = points.collect();
            Curve { name, points }
        };
        let name = match self.row.sampler {
            Sampler::Smc => format!("SMC, M = {}", self.row.moves),
            Sampler::Chains => format!("HMC, B = {}", self.row.moves),
        };
        [
            curve(name.clone(), |line| line.scores[1]),
            curve(format!("{name}{PUBLISHED}"), |line| (line.published.2, 0.0)),
        ]
    }
}

impl Line {
    fn new(published: Published, units: &[Unit], data: &Data) -> Self {
        let groups = units.chunks_exact(published.0);
        let groups: Vec<Scores> = groups.map(|group| Unit::scores(group, data)).collect();
        let of = |value: fn(&Scores) -> f64| {
            mean_and_error(&groups.iter().map(value).collect::<Vec<f64>>())
        };
        Self {
            published,
            groups: groups.len(),
            scores: [
                of(|s| 100.0 * s.accuracy),
                of(|s| s.negative_log_likelihood),
                of(|s| s.epistemic_entropy),
                of(|s| s.total_entropy),
            ],
        }
    }

    fn print(&self, lab: &Lab) {
        let (nodes, accuracy, nll, entropies) = self.published;
        let [a, n, e, t] = self.scores;
        let mut text = format!(
            "{nodes:4}  {:6.2} ± {:4.2}  {:.4} ± {:.4}  {:11.4}  {:11.4}",
            a.0, a.1, n.0, n.1, e.0, t.0
        );
        if !accuracy.is_nan() {
            text += &format!("   {accuracy:.2} {nll:.4}");
        }
        if let Some([epistemic, total]) = entropies {
            text += &format!(" {epistemic:.4} {total:.4}");
        }
        lab.say(&text);
    }
}

/// Draws the negative log likelihood against P, a panel for each length of trajectories.
pub fn draw(lab: &Lab, name: &str, all: &[Found<'_>]) {
    let mut panels: Vec<Panel> = Vec::new();
    for found in all.iter().filter(|found| found.lines.len() > 1) {
        let path = found.row.path.name().replace('=', " = ");
        let title = format!("{path}, N = {}", found.row.particles);
        let place = panels.iter().position(|panel| panel.title == title);
        let place = place.unwrap_or_else(|| {
            panels.push(Panel {
                title,
                x: Quantity::counted("islands P"),
                y: Quantity::linear("negative log likelihood of a test row"),
                curves: Vec::new(),
            });
            panels.len() - 1
        });
        panels[place].curves.extend(found.curves());
    }
    if !panels.is_empty() {
        lab.draw(name, &panels, 2);
    }
}
