//! Recognises a density that has no mode because it rises towards the edge of the space.

use crate::density::LogDensity;
use crate::model::VariableKind;

/// A change of a value below this share of 1 plus its size counts as no change.
const NOTHING: f64 = 1e-6;
/// If the log density rises by more than this in the last half of the epochs, it has not settled.
const RISING: f64 = 0.5;
/// In fewer epochs, an optimisation that used all of them may only be on its way to a mode with a scale far below 1: to one of 1e-7 it takes
/// up to 200.
const FEWEST: usize = 500;

/// Whether an optimisation that used all its epochs was cut short, so that it may be on its way to a mode.
pub(super) fn is_cut_short(losses: &[f64]) -> bool {
    losses.len() < FEWEST
}

/// Whether an optimisation that did not converge ran towards the edge of the space. Its log density still rose in the last half of the
/// epochs, and some coordinate is so far out that one more step of length 1 changes no value: a scale near 0, for example. `losses` has
/// the loss of all rows for each epoch.
pub(super) fn runs_to_the_edge(
    density: &dyn LogDensity,
    position: &[f64],
    losses: &[f64],
    rows: usize,
) -> bool {
    let (Some(last), Some(half)) = (losses.last(), losses.get(losses.len() / 2)) else {
        return false;
    };
    let is_rising = (half - last) * rows as f64 > RISING;
    is_rising && (0..position.len()).any(|k| is_at_the_edge(density, position, k))
}

/// Whether no random value changes if coordinate `k` moves away from 0.
fn is_at_the_edge(density: &dyn LogDensity, position: &[f64], k: usize) -> bool {
    // a coordinate nearer to 0 has a value that changes
    if position[k].abs() < -NOTHING.ln() {
        return false;
    }
    let mut moved = position.to_vec();
    moved[k] += position[k].signum();
    let quantities = density.quantities();
    let (here, there) = (quantities.output(position), quantities.output(&moved));
    let layout = density.describe().layout;
    let random = layout.variables.iter();
    let mut random = random.filter(|v| v.kind != VariableKind::Deterministic);
    random.all(|variable| {
        let mut pairs = variable.range().map(|i| (here[i], there[i]));
        pairs.all(|(a, b)| (a - b).abs() <= NOTHING * (1.0 + a.abs()))
    })
}
