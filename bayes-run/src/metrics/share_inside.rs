//! The Monte Carlo error of the share of data inside central intervals of their draws.

use super::blocks::jackknife;
use super::regression::Predicted;
use bayes_autodiff::special::norm_cdf;

/// The standard error over draws of the share of data between two quantiles of their draws, with the probabilities `ends`.
///
/// ```text
/// se² = 1/n² Σᵢⱼ ρᵢⱼ sᵢ sⱼ √(pᵢ (1 − pᵢ)) √(pⱼ (1 − pⱼ)),    pᵢ = Φ(−|Fᵢ − e| / seᵢ)
/// ```
///
/// `Fᵢ` is the share of the draws of datum i up to it, and `e` the nearer of the ends. So `pᵢ` is the probability that an infinite run has
/// the datum on the other side of the end. `seᵢ` and the correlations `ρᵢⱼ` come from the jackknife. `s` is 1 at the lower end, where more
/// draws below the datum bring it in, and −1 at the upper end.
pub(super) fn error_of_share(predicted: &Predicted<'_>, ends: [f64; 2]) -> f64 {
    let below = |column: &[f64], weights: &[f64], y: f64| share(column, weights, |x| x < y);
    let up_to = |column: &[f64], weights: &[f64], y: f64| share(column, weights, |x| x <= y);
    // `[1 + blocks][observations]`: draws up to a datum decide whether it is above the lower end, draws below it whether it is below the
    // upper end
    let shares = [predicted.terms(up_to), predicted.terms(below)];
    let blocks = shares[0].len() - 1;
    let mut moved = vec![0.0; blocks];
    let observations = shares[0][0].len();
    for i in 0..observations {
        let sides = [(0, 1.0), (1, -1.0)].map(|(side, sign)| {
            let without: Vec<f64> = shares[side][1..].iter().map(|shares| shares[i]).collect();
            let se = jackknife(&without);
            let distance = (shares[side][0][i] - ends[side]).abs();
            let p = if se > 0.0 {
                norm_cdf(-distance / se)
            } else {
                0.0
            };
            (p, sign / se, without)
        });
        let [low, high] = sides;
        let (p, scale, without) = if low.0 >= high.0 { low } else { high };
        if p > 0.0 {
            let size = (p * (1.0 - p)).sqrt() * scale / observations as f64;
            let pairs = moved.iter_mut().zip(without);
            pairs.for_each(|(moved, share)| *moved += size * share);
        }
    }
    jackknife(&moved)
}

/// The weight of the draws for which `holds` is true.
fn share(column: &[f64], weights: &[f64], holds: impl Fn(f64) -> bool) -> f64 {
    let pairs = column.iter().zip(weights);
    pairs.filter(|(x, _)| holds(**x)).map(|(_, w)| w).sum()
}
