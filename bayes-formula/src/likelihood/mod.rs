//! The distributions of responses, given their linear predictors.

mod by_row;
mod columns;
mod families;
mod joint;
mod observed;
mod parameters;
mod written;

pub(crate) use columns::OfColumns;
pub(crate) use joint::OfResponses;
pub(crate) use observed::{OfCounts, OfNumbers};
pub(crate) use parameters::{Others, least};
pub(crate) use written::probabilities;

use crate::class::Class;
use crate::design::{Design, Margin};
use crate::link::Link;
use bayes::autodiff::PlainValue;
use bayes::dist::ParameterError;
use bayes::prelude::*;

/// The family of a response at the parameters of its rows.
pub(crate) struct Given<'d, M: Mode> {
    d: &'d Margin,
    /// The first parameter given by the linear predictor, `[rows]`, as the constructor of the family takes it.
    first: Vector<M>,
    /// The second parameter given by it, `[rows]`; empty if there is only one.
    second: Vector<M>,
    others: Others<M>,
    /// The linear predictors of all labels but the first one, each `[rows]`; empty for other families.
    levels: Vec<Vector<M>>,
    /// The linear predictor, `[rows]`, if its link may leave the range of the mean; otherwise empty.
    eta: Vector<M>,
}

impl<'d, M: Mode> Given<'d, M> {
    #[inline(always)]
    fn new(d: &'d Margin, etas: &[Vector<M>], others: Others<M>) -> Self {
        let eta = &etas[0];
        let (first, second) = parameters::of_rows(d, eta, &others);
        Self {
            d,
            first,
            second,
            others,
            levels: etas[..d.number_of_levels()].to_vec(),
            eta: match d.link.is_within(d.family) {
                true => Vector::zeros(0),
                false => eta.clone(),
            },
        }
    }

    /// The families of all responses.
    #[inline(always)]
    pub(crate) fn of_all(d: &'d Design, etas: &[Vector<M>], others: Vec<Others<M>>) -> Vec<Self> {
        let mut all = Vec::new();
        for (k, others) in others.into_iter().enumerate() {
            all.push(Self::new(&d.margins[k], d.etas_of(k, etas), others));
        }
        all
    }

    /// Checks that the means are in the range of the family.
    fn check_means(&self) -> Result<(), ParameterError> {
        let [low, high] = self.d.family.means();
        let is_outside = |eta: &Real<M>| {
            let mean = self.d.link.mean_at(eta.plain_value());
            mean.is_nan() || mean <= low || mean >= high
        };
        let outside = self.eta.iter().position(is_outside);
        outside.map_or(Ok(()), |row| {
            Err(ParameterError::Value {
                distribution: "the family with this link",
                parameter: "eta",
                index: Some(row),
                value: self.eta[row].plain_value(),
                allowed: "within the range of means; priors of `b` and `intercept` that keep it there, or the default link, are the way",
            })
        })
    }

    /// Adds to drawn responses the residuals that were drawn before them.
    fn carry(&self, y: &mut [f64]) {
        if let Some(residuals) = &self.d.residuals {
            let plain = |values: &Vector<M>| -> Vec<f64> {
                values.iter().map(|value| value.plain_value()).collect()
            };
            residuals.carry(&plain(&self.others.ar), &plain(&self.first), y);
        }
    }

    /// Whether the density is written out in `written`: the family has no other, or its grades have a link or a `disc` that the library's
    /// distribution does not have.
    fn is_written(&self) -> bool {
        let Margin { family, link, .. } = self.d;
        let has_own = *link == Link::CLogLog || self.d.line_of(Class::Discrimination).is_some();
        family.is_written() || family.has_cutpoints() && has_own
    }

    /// Whether one distribution of the library covers all rows: no row has adjustments or its own parameters.
    fn is_plain(&self) -> bool {
        self.d.adjustments.is_empty() && self.others.are_shared()
    }
}
