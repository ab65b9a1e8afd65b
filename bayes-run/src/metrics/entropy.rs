//! Entropies of predictions: total, aleatoric and epistemic.

use super::probabilities::{ClassProbabilities, MeanProbabilities, entropy};
use super::score::Score;

/// The entropies of the predictions, in nats.
///
/// ```text
/// total      H(Σ w pₛ)           of the mean over members
/// aleatoric  Σ w H(pₛ)           mean of the members' entropies: noise in the data
/// epistemic  total − aleatoric   disagreement of the members: what more data could teach (mutual information)
/// ```
///
/// Source: Depeweg, Hernández-Lobato, Doshi-Velez and Udluft (2018), section 3.
#[derive(Clone, Debug, PartialEq)]
pub struct Entropies {
    /// `[observations]`.
    pub total: Vec<f64>,
    /// `[observations]`.
    pub aleatoric: Vec<f64>,
    /// `[observations]`.
    pub epistemic: Vec<f64>,
    /// Mean over observations of the total entropy.
    pub mean_total: Score,
    /// Mean over observations of the aleatoric entropy.
    pub mean_aleatoric: Score,
    /// Mean over observations of the epistemic entropy. It is biased low for few members: with a single member it is
    /// zero.
    pub mean_epistemic: Score,
}

/// The entropies of the predictions of all observations, and their means.
#[must_use]
pub fn entropies(probabilities: &ClassProbabilities) -> Entropies {
    let means = probabilities.jackknife();
    let score = |of: fn(&MeanProbabilities) -> Vec<f64>| Score::mean_over_data(&means, of);
    Entropies {
        total: total(&means.0),
        aleatoric: aleatoric(&means.0),
        epistemic: epistemic(&means.0),
        mean_total: score(total),
        mean_aleatoric: score(aleatoric),
        mean_epistemic: score(epistemic),
    }
}

fn total(means: &MeanProbabilities) -> Vec<f64> {
    means.rows().map(entropy).collect()
}

fn aleatoric(means: &MeanProbabilities) -> Vec<f64> {
    means.member_entropies().to_vec()
}

/// Clamped at zero: for members that agree, rounding could make it negative.
fn epistemic(means: &MeanProbabilities) -> Vec<f64> {
    let both = total(means).into_iter().zip(means.member_entropies());
    both.map(|(total, aleatoric)| (total - aleatoric).max(0.0))
        .collect()
}
