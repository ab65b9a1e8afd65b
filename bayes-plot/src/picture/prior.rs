//! Priors beside posteriors.

use super::{PANELS, Plots};
use crate::axis::Axis;
use crate::columns::Column;
use crate::figure::{Figure, Symbol};
use crate::kernel_density::{Sorted, View};
use crate::mark::{Colour, Shape, Style};
use crate::panel::Panel;
use bayes_core::Error;
use bayes_core::density::{LogDensity, Posterior};
use bayes_core::model::Model;
use bayes_core::rng::{Key, Purpose};

/// Number of draws of the prior.
const DRAWS: u64 = 4000;
/// The stage of the streams of prior draws; predictions use smaller stages.
const STAGE: u32 = 3;

impl Plots<'_> {
    /// Prior and posterior density of each element, which show what was learnt from the data. `model` is the model of the run; 4000
    /// draws are taken from its prior, by the seed of the run.
    ///
    /// # Errors
    /// [`Error::Model`] if the model does not fit its data or a prior is improper; otherwise the errors of [`Plots::density`].
    pub fn prior<Mo: Model>(&self, model: &Mo) -> Result<Figure, Error> {
        self.prior_of(&Posterior::new(model, self.run.seed)?)
    }

    fn prior_of(&self, density: &dyn LogDensity) -> Result<Figure, Error> {
        let columns = self.columns(PANELS)?;
        let Some(prior) = density.prior() else {
            return Err(self.lacks("prior", "draws of the prior", "give the density a prior"));
        };
        prior.require_proper("the picture of its draws needs a proper prior")?;
        let key = Key::new(self.run.seed, Purpose::Prediction).stage(STAGE);
        let mut position = vec![0.0; density.dim()];
        let draw = |i: u64| {
            prior.draw(&mut key.item(i).stream(), &mut position);
            density.quantities().output(&position)
        };
        let draws: Vec<Vec<f64>> = (0..DRAWS).map(draw).collect();
        let panel = |column: &Column| prior_panel(column, &columns.weights, &draws);
        let panels = columns.columns.iter().map(panel).collect();
        Ok(self
            .figure("Prior and posterior", &columns)
            .note("A posterior like its prior: the data say little about this element.")
            .of_alike(panels)
            .key(Symbol::Line, before(), "prior")
            .key(Symbol::Area, after().opacity(0.4), "posterior"))
    }
}

fn prior_panel(column: &Column, weights: &[f64], draws: &[Vec<f64>]) -> Panel {
    let own: Vec<f64> = draws
        .iter()
        .filter_map(|draw| draw.get(column.element).copied())
        .collect();
    let prior = Sorted::new(&own, &vec![1.0; own.len()]);
    let posterior = Sorted::new(&column.all(), weights);
    let view = match (&prior, &posterior) {
        (Some(prior), Some(posterior)) => View::of(posterior).widened_to(View::of(prior)),
        (_, Some(posterior)) => View::of(posterior),
        _ => {
            return Panel::new(
                &column.name,
                Axis::bare("", [0.0, 1.0]),
                Axis::bare("", [0.0, 1.0]),
            );
        }
    };
    let curve = |sorted: Option<Sorted>| sorted.and_then(|s| view.density(&s)).unwrap_or_default();
    let (prior, posterior) = (curve(prior), curve(posterior));
    let points = prior.iter().chain(&posterior);
    let height = 1.05 * points.map(|point| point[1]).fold(0.0, f64::max);
    let area = posterior.iter().map(|[x, y]| [*x, 0.0, *y]).collect();
    Panel::new(
        &column.name,
        Axis::linear(&column.name, view.ends, 4).without_grid(),
        Axis::bare("density", [0.0, height]),
    )
    .with(after().opacity(0.22), Shape::Band(area))
    .with(after().width(2.0), Shape::Line(posterior))
    .with(before(), Shape::Line(prior))
}

fn before() -> Style {
    Style::of(Colour::Ink).dashed().meaning("prior")
}

fn after() -> Style {
    Style::series(0).meaning("posterior")
}
