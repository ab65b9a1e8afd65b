//! The place of a failed evaluation.

use crate::number;
use serde::{Deserialize, Serialize};

/// The first evaluation that failed: at the lowest power of the likelihood, and among equals the first in the order of coordinates. So it
/// does not depend on the order of work.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Occurrence {
    /// The power of the likelihood; NaN for a target above a level (nested sampling).
    #[serde(with = "number::one")]
    pub lambda: f64,
    /// The unconstrained position, `[dim]`.
    #[serde(with = "number::many")]
    pub position: Vec<f64>,
}

/// The target at this power of the likelihood, in words; NaN means above a level.
pub fn target_in_words(lambda: f64) -> String {
    match lambda.is_nan() {
        true => "above a level of the likelihood".to_owned(),
        false => format!("at power {lambda:.2e} of the likelihood"),
    }
}

impl Occurrence {
    /// Keeps the first of the two.
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
