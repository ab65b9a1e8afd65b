//! Where something went wrong.

use crate::number;
use serde::{Deserialize, Serialize};

/// The evaluation at which something went wrong first: of all the one at the lowest power of the likelihood, and of these the first in the
/// order of their coordinates, so that it does not depend on the order of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The power of the likelihood; NaN above a level of it (nested sampling).
    #[serde(with = "number::one")]
    pub lambda: f64,
    /// The unconstrained position, `[dim]`.
    #[serde(with = "number::many")]
    pub position: Vec<f64>,
}

/// The target at this power of the likelihood, in words; NaN is above a level.
pub fn target_in_words(lambda: f64) -> String {
    match lambda.is_nan() {
        true => "above a level of the likelihood".to_owned(),
        false => format!("at power {lambda:.2e} of the likelihood"),
    }
}

impl Occurrence {
    /// Keeps the first of both.
    pub(super) fn merge(mine: &mut Option<Self>, theirs: Option<&Self>) {
        let Some(theirs) = theirs else { return };
        match mine {
            Some(mine) if !theirs.comes_before(mine) => {}
            _ => *mine = Some(theirs.clone()),
        }
    }

    pub(super) fn comes_before(&self, other: &Self) -> bool {
        let pairs = self.position.iter().zip(&other.position);
        let coordinates = pairs.map(|(mine, theirs)| mine.total_cmp(theirs));
        let mut orders = std::iter::once(self.lambda.total_cmp(&other.lambda)).chain(coordinates);
        orders
            .find(|order| order.is_ne())
            .is_some_and(std::cmp::Ordering::is_lt)
    }
}
