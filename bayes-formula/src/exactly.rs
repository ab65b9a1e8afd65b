//! The distribution of known values, by which `generate` returns quantities of a model unchanged.

use bayes::autodiff::PlainValue;
use bayes::dist::{Continuous, Data, DataError, Distribution, ParameterError, Shape};
use bayes::prelude::*;
use bayes::rng::Stream;

/// A point mass: probability 1 at these values, 0 elsewhere.
#[derive(Clone, Debug)]
pub(crate) struct Exactly<M: Mode>(pub(crate) Vector<M>);

impl<M: Mode> Distribution<M> for Exactly<M> {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "Exactly"
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.0.len())
    }

    /// A point mass has no free coordinates.
    fn dim(&self) -> usize {
        0
    }

    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        let mut known = self.0.iter().cycle().zip(elements);
        let is_there = known.all(|(known, x)| known.plain_value() == x.plain_value());
        Real::constant(if is_there { 0.0 } else { f64::NEG_INFINITY })
    }

    fn constrain(&self, _: &[Real<M>]) -> (Vector<M>, Real<M>) {
        (self.0.clone(), Real::constant(0.0))
    }

    fn unconstrain(&self, _: &[f64]) -> Vec<f64> {
        Vec::new()
    }

    fn draw(&self, _: &mut Stream) -> Vec<f64> {
        self.0.iter().map(|x| x.plain_value()).collect()
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        match data.shape().elements() {
            length if length == self.0.len() => Ok(()),
            length => Err(DataError::Length {
                distribution: "Exactly",
                length,
                allowed: format!("{}, the number of values", self.0.len()),
            }),
        }
    }
}
