//! Quantities that are random given the parameters, drawn after the run.

use super::PredictionError;
use crate::error::Error;
use crate::parallel;
use crate::rng::{Key, Purpose, Stream};
use crate::run::{DrawView, Draws, Run};

/// The stage of the streams: predictions, ties and draws of the prior have smaller stages.
const STAGE: u32 = 3;

impl Run {
    /// Draws of a quantity that is random given the parameters: `function` draws it for each draw of the run, from the given random
    /// stream. The quantity is not part of the density and costs nothing before this call. The draws keep the weights of the run's draws.
    ///
    /// ```text
    /// // the effect of a coaching in a ninth school
    /// let ninth = run.generate(1, |draw, stream| {
    ///     vec![Normal::new(draw.scalar("mu"), draw.scalar("tau")).draw_one(stream)]
    /// })?;
    /// println!("{:?}", ninth.quantile(0.95)?);
    /// ```
    ///
    /// Draws depend only on `seed` and the run, not on the number of threads. Two quantities with the same seed share their random
    /// numbers. For new data of the model's own `observe` statements see [`Run::predict`].
    ///
    /// # Errors
    /// [`Error::Prediction`] if `function` returns different numbers of values for different draws.
    pub fn generate(
        &self,
        seed: u64,
        function: impl Fn(DrawView<'_>, &mut Stream) -> Vec<f64> + Sync,
    ) -> Result<Draws, Error> {
        let key = Key::new(seed, Purpose::Prediction).stage(STAGE);
        let views = self.groups.iter().flat_map(|group| {
            let key = key.group(group.index);
            let views = self.views(group).enumerate();
            views.map(move |(i, view)| (key.item(i as u64), view))
        });
        let tasks: Vec<(Key, DrawView<'_>)> = views.collect();
        let one = |(key, view): (Key, DrawView<'_>)| function(view, &mut key.stream());
        let found: Vec<Vec<f64>> = parallel::map(tasks, one);
        let elements = found.first().map_or(0, Vec::len);
        if let Some(draw) = found.iter().position(|values| values.len() != elements) {
            return Err(Error::Prediction {
                model: self.model.clone(),
                source: PredictionError::Lengths {
                    draw,
                    found: found[draw].len(),
                    first: elements,
                },
            });
        }
        Ok(Draws {
            weights: self.draw_weights(),
            values: found.concat(),
            elements,
            groups: self.group_sizes(),
        })
    }
}
