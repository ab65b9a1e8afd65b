//! The prior of cutpoints.

use crate::design::Design;
use crate::family::Family;
use bayes::dist::{Continuous, Data, DataError, Distribution, Drawn, ParameterError, Shape};
use bayes::prelude::*;
use bayes::rng::Stream;

/// Cutpoints with the prior `StudentT(3, 0, 2.5)` each; in order for the family `cumulative`, whose probabilities need it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cutpoints {
    count: usize,
    are_ordered: bool,
}

/// Evaluates `$body` with `$one` as the distribution of `$of`.
macro_rules! chosen {
    ($of:expr, $one:ident => $body:expr) => {{
        let each = StudentT::new(3.0, 0.0, 2.5).iid($of.count);
        match $of.are_ordered {
            true => {
                let $one = each.ordered();
                $body
            }
            false => {
                let $one = each;
                $body
            }
        }
    }};
}

impl Cutpoints {
    pub(crate) fn of(d: &Design) -> Self {
        Self {
            count: d.grades - 1,
            are_ordered: d.family == Family::Cumulative,
        }
    }
}

impl<M: Mode> Distribution<M> for Cutpoints {
    type Value = Vector<M>;
    type Domain = Continuous;

    fn name(&self) -> &'static str {
        "Cutpoints"
    }

    fn shape(&self) -> Shape {
        Shape::Vector(self.count)
    }

    fn dim(&self) -> usize {
        self.count
    }

    fn check(&self) -> Result<(), ParameterError> {
        Ok(())
    }

    fn log_density_of(&self, elements: &[Real<M>]) -> Real<M> {
        chosen!(self, one => one.log_density_of(elements))
    }

    fn constrain(&self, coordinates: &[Real<M>]) -> (Vector<M>, Real<M>) {
        chosen!(self, one => one.constrain(coordinates))
    }

    fn unconstrain(&self, elements: &[f64]) -> Vec<f64> {
        chosen!(self, one => Distribution::<M>::unconstrain(&one, elements))
    }

    fn draw(&self, stream: &mut Stream) -> Vec<f64> {
        chosen!(self, one => Distribution::<M>::draw(&one, stream))
    }

    fn draw_with_coordinates(&self, stream: &mut Stream) -> Drawn {
        chosen!(self, one => Distribution::<M>::draw_with_coordinates(&one, stream))
    }

    fn check_data<T: Data<Continuous> + ?Sized>(&self, data: &T) -> Result<(), DataError> {
        chosen!(self, one => Distribution::<M>::check_data(&one, data))
    }
}
