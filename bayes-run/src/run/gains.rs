//! The gain of each family of an island by reweighting: see [`Island::gains`](super::Island::gains).

/// Adds to the gains of the initial particles what the shares of their descendants gained in one reweighting. `shares` has the share of
/// each state before and after.
///
/// Shares add up to 1, so a family takes part in the mean with which it is compared. The gains are divided by √(1 − Σ s²), where the s
/// are the families' shares before; then their squares have the right expectation all the same. If one family is left, the gains are NaN.
pub fn add_gains(gains: &mut [f64], ancestors: &[u32], shares: impl Iterator<Item = [f64; 2]>) {
    let (mut families, mut gained) = (vec![0.0; gains.len()], vec![0.0; gains.len()]);
    for (ancestor, [before, after]) in ancestors.iter().zip(shares) {
        families[*ancestor as usize] += before;
        gained[*ancestor as usize] += after - before;
    }
    let squares: f64 = families.iter().map(|share| share * share).sum();
    let scale = if squares < 1.0 {
        1.0 / (1.0 - squares).sqrt()
    } else {
        f64::NAN
    };
    for (sum, gain) in gains.iter_mut().zip(gained) {
        *sum += scale * gain;
    }
}
