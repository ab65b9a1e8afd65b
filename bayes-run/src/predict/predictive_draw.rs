//! New data given one draw.

use super::Prediction;
use crate::model::Observations;

/// New data given one draw of the posterior.
#[derive(Clone, Copy, Debug)]
pub struct PredictiveDraw<'a> {
    /// The weight of the draw; the weights of all draws sum to 1.
    pub weight: f64,
    pub(super) prediction: &'a Prediction<'a>,
    pub(super) values: &'a [Observations],
}

impl<'a> PredictiveDraw<'a> {
    /// The only element of an observed variable, or of a quantity of `generate` or `deterministic`.
    ///
    /// # Panics
    /// Like [`vector`](Self::vector); if there are several elements.
    #[must_use]
    pub fn scalar(&self, name: &str) -> f64 {
        match self.vector(name) {
            [value] => *value,
            values => panic!(
                "`{name}` has {} elements; `vector` gives them",
                values.len()
            ),
        }
    }

    /// The new data of an observed variable, or a quantity of `generate` or `deterministic`, row-major.
    ///
    /// # Panics
    /// If the model neither observes, generates nor computes anything of this name.
    #[must_use]
    pub fn vector(&self, name: &str) -> &'a [f64] {
        match self.prediction.place(name) {
            Some(place) => &self.values[place].draws,
            None => panic!("the model neither observes, generates nor computes `{name}`"),
        }
    }
}
