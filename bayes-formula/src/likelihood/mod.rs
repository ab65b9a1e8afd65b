//! The distributions of responses, given their linear predictors.

mod by_row;
mod families;
mod observed;
mod parameters;

pub(crate) use observed::{OfCounts, OfNumbers};
pub(crate) use parameters::{Others, Part, known_errors, with_exposures};

use crate::design::Design;
use bayes::prelude::*;

/// The family of a design at the parameters of its rows.
pub(crate) struct Given<'d, M: Mode> {
    d: &'d Design,
    /// The parameter of each row that the linear predictor gives, `[rows]`, as the constructor of the family takes it.
    first: Vector<M>,
    /// The other one, `[rows]`; empty where the linear predictor gives one parameter.
    second: Vector<M>,
    others: Others<M>,
}

impl<'d, M: Mode> Given<'d, M> {
    #[inline(always)]
    pub(crate) fn new(d: &'d Design, eta: &Vector<M>, others: Others<M>) -> Self {
        let (first, second) = parameters::of_rows(d, eta, &others);
        Self {
            d,
            first,
            second,
            others,
        }
    }

    /// Whether all rows together have a distribution of the library: none has an adjustment or parameters of its own.
    fn is_plain(&self) -> bool {
        self.d.adjustments.is_empty() && self.others.are_shared()
    }
}
