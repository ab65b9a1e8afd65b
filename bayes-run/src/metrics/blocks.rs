//! Blocks of draws that are left out in turn: the jackknife over draws.

use std::ops::Range;

/// Intended number of blocks: enough for an error within a tenth or so, few enough to compute a metric for each.
const BLOCKS: usize = 32;

/// Blocks of consecutive draws, which are as independent as islands and chains are: whole groups if there are enough,
/// otherwise pieces of groups. Pieces must be longer than the autocorrelation of a chain.
pub(super) fn blocks(groups: &[usize]) -> Vec<Range<usize>> {
    let sizes: Vec<usize> = groups.iter().copied().filter(|size| *size > 0).collect();
    if sizes.is_empty() {
        return Vec::new();
    }
    let pieces = BLOCKS.div_ceil(sizes.len());
    let mut ends = vec![0];
    let mut start = 0;
    for size in &sizes {
        let pieces = pieces.min(*size);
        ends.extend((1..=pieces).map(|piece| start + size * piece / pieces));
        start += size;
    }
    let pieces = ends.len() - 1;
    // very many groups are joined with their neighbours
    let count = if pieces > 2 * BLOCKS { BLOCKS } else { pieces };
    let end = |block: usize| ends[pieces * block / count];
    (0..count).map(|block| end(block)..end(block + 1)).collect()
}

/// The standard error of a statistic from its values with one block left out at a time (Quenouille 1949; Tukey 1958):
///
/// ```text
/// se² = (B − 1)/B Σ (θ_(b) − mean θ_(·))²
/// ```
///
/// NaN for fewer than two blocks.
pub(super) fn jackknife(without: &[f64]) -> f64 {
    let count = without.len() as f64;
    if without.len() < 2 {
        return f64::NAN;
    }
    let mean = without.iter().sum::<f64>() / count;
    let squares: f64 = without.iter().map(|value| (value - mean).powi(2)).sum();
    ((count - 1.0) / count * squares).sqrt()
}
