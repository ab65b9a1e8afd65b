//! Leave-one-out probability integral transforms.

use super::loo::{PROBABILITIES, Sample};
use crate::error::{ComparisonError, Error};
use crate::model::Model;
use crate::predict::AtDraws;
use crate::rng::{Key, Purpose, RngExt};
use crate::run::Run;

impl Run {
    /// The leave-one-out probability integral transform of each element of an observed variable: the probability that a new
    /// observation is below the observed one, predicted without it. `[elements]`, uniform on 0 to 1 if the predictions are
    /// calibrated; concentrated at both ends if the predictions are too narrow.
    ///
    /// If a new observation can equal the observed one (counts, categories), the probability of a tie is multiplied by a
    /// uniform number, which keeps the transform uniform (Czado, Gneiting and Held 2009). New data are drawn with the seed of
    /// the run.
    ///
    /// The draws are thinned as by [`Run::loo`], unless they have weights, to at most 2²³ pairs (8.4 million) of a draw and an observation, but
    /// not below 500 draws. 500 independent draws of equal weight give a transform an error of at most 0.022, beside a standard deviation of 0.29
    /// of all transforms; unequal weights of leaving out give more.
    ///
    /// # Errors
    /// The errors of [`Run::loo`]; [`Error::Prediction`] if the model observes nothing of this name; [`Error::Comparison`] if
    /// its observations are not single numbers.
    pub fn loo_pit<Mo: Model>(&self, model: &Mo, name: &str) -> Result<Vec<f64>, Error> {
        let prediction = self.predict(model)?;
        prediction.check_data()?;
        prediction.observed_variable(name)?;
        let mut first = 0;
        for observed in prediction.observed() {
            let (elements, observations) = (observed.data.len(), observed.observations);
            if observed.name != name {
                first += observations;
                continue;
            }
            if elements != observations {
                return Err(Error::Comparison(ComparisonError::Elements {
                    variable: name.to_owned(),
                    elements,
                    observations,
                }));
            }
            let sample = Sample::within(self, &prediction, PROBABILITIES);
            let key = Key::new(self.seed, Purpose::Prediction).stage(1);
            let one = |at: AtDraws<'_>| {
                let i = at.observation - first;
                let (weights, total) = sample.weights_without(at.log_likelihood);
                let [below, equal] =
                    masses(at.new, &weights, observed.data[i]).map(|mass| mass / total);
                let uniform = key.item(i as u64).stream().random::<f64>();
                (below + if equal > 0.0 { uniform * equal } else { 0.0 }).min(1.0)
            };
            let mine = first..first + observations;
            return prediction.map_observations(&sample.draws, mine, true, one);
        }
        Ok(Vec::new())
    }
}

/// The weights of the numbers below `y`, and of the numbers equal to `y`.
pub(super) fn masses(new: &[f64], weights: &[f64], y: f64) -> [f64; 2] {
    let mut masses = [0.0; 2];
    for (x, weight) in new.iter().zip(weights) {
        // no branch: half of the numbers are below
        masses[0] += if *x < y { *weight } else { 0.0 };
        masses[1] += if *x == y { *weight } else { 0.0 };
    }
    masses
}
