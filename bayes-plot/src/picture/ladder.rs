//! The temperatures on the way from the prior to the posterior.

use super::Plots;
use crate::axis::Axis;
use crate::columns::{is_chains, source};
use crate::figure::Figure;
use crate::mark::Shape;
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::run::{Group, Stage};

impl Plots<'_> {
    /// The temperature ladder of SMC or of parallel tempering, temperature by temperature: the power of the likelihood, the acceptance of
    /// the moves, and the effective sample size or the acceptance of the swaps. A dot is a temperature of an island or chain.
    ///
    /// # Errors
    /// [`PictureError::Lacks`](bayes_core::run::PictureError::Lacks) for a run without temperatures.
    pub fn ladder(&self) -> Result<Figure, Error> {
        let groups = &self.run.groups;
        let is_tempered = groups.iter().any(|group| group.exchanges().is_some());
        let has_history = groups.iter().any(|group| !group.history().is_empty());
        if !has_history || (is_chains(self.run) && !is_tempered) {
            return Err(self.lacks(
                "ladder",
                "the temperatures between the prior and the posterior",
                "use `Inference::psmc()` or `Inference::tempering()`",
            ));
        }
        // the share of the evidence below the first levels may underflow
        let lambda = self.stages().map(|stage| stage.lambda);
        let lambda: Vec<f64> = lambda.filter(|lambda| *lambda > 0.0).collect();
        let [title, name] = match self.has_levels() {
            true => ["Levels", "share of the evidence below"],
            false => ["Temperatures", "power of the likelihood"],
        };
        let least = lambda.iter().copied().fold(1.0, f64::min);
        let mut panels = vec![
            self.ladder_panel(title, Axis::log(name, &lambda), |stage| {
                stage.lambda.max(least)
            }),
            self.ladder_panel("Moves", share("acceptance of the moves"), |stage| {
                stage.acceptance
            }),
        ];
        if is_tempered {
            panels.push(self.swaps_panel());
        } else {
            let sizes = self
                .stages()
                .map(|stage| stage.ess)
                .filter(|ess| ess.is_finite());
            let most = sizes.fold(1.0, f64::max);
            let ess = Axis::linear("effective states", [0.0, 1.06 * most], 4);
            panels.push(self.ladder_panel("Reweighting", ess, |stage| stage.ess));
        }
        let figure = Figure::new(match self.has_levels() {
            true => "Levels of the likelihood",
            false => "Temperature ladder",
        });
        let figure = figure.note(source(self.run)).of_alike(panels);
        Ok(self.with_groups(figure))
    }

    /// Whether the islands climbed levels of the likelihood, as in nested sampling.
    fn has_levels(&self) -> bool {
        self.stages().any(|stage| stage.level.is_some())
    }

    fn stages(&self) -> impl Iterator<Item = &Stage> {
        self.run.groups.iter().flat_map(Group::history)
    }

    fn ladder_panel(&self, title: &str, y: Axis, value: impl Fn(&Stage) -> f64) -> Panel {
        let longest = self
            .run
            .groups
            .iter()
            .map(|group| group.history().len())
            .max();
        let last = longest.unwrap_or(1) as f64;
        let name = match self.has_levels() {
            true => "number of the level",
            false => "number of the temperature",
        };
        let x = Axis::linear(name, [0.5, last + 0.5], 5);
        let mut panel = Panel::new(title, x.without_grid(), y);
        for (k, group) in self.run.groups.iter().enumerate() {
            let stages = group.history().iter().enumerate();
            let points: Vec<[f64; 2]> = stages
                .map(|(i, stage)| [i as f64 + 1.0, value(stage)])
                .collect();
            self.draw_steps(&mut panel, k, points);
        }
        panel
    }

    fn swaps_panel(&self) -> Panel {
        let swaps = |group: &Group| {
            let exchanges = group.exchanges();
            exchanges.map_or(Vec::new(), |exchanges| exchanges.swap_acceptance.clone())
        };
        let pairs = self.run.groups.iter().map(|group| swaps(group).len()).max();
        let last = pairs.unwrap_or(1) as f64;
        let x = Axis::linear("pair of neighbouring temperatures", [0.5, last + 0.5], 5);
        let mut panel = Panel::new("Swaps", x.without_grid(), share("acceptance of the swaps"));
        for (k, group) in self.run.groups.iter().enumerate() {
            let acceptance = swaps(group).into_iter().enumerate();
            let points = acceptance
                .map(|(i, share)| [i as f64 + 1.0, share])
                .collect();
            self.draw_steps(&mut panel, k, points);
        }
        panel
    }

    fn draw_steps(&self, panel: &mut Panel, k: usize, points: Vec<[f64; 2]>) {
        let style = self.group_style(k);
        panel.draw(style, Shape::Line(points.clone()));
        panel.draw(style.width(4.5).meaning("temperature"), Shape::Dots(points));
    }
}

fn share(label: &str) -> Axis {
    Axis::linear(label, [0.0, 1.04], 4)
}
