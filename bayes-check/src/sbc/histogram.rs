//! Ranks as a line of text.

const BARS: usize = 20;
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The histogram of the numbers in twenty bins; a bar of half the height is the expected count.
pub(super) fn line(positions: &[f64]) -> String {
    let mut counts = [0.0; BARS];
    for u in positions {
        counts[((u * BARS as f64) as usize).min(BARS - 1)] += 1.0;
    }
    let expected = positions.len() as f64 / BARS as f64;
    let bar = |count: &f64| {
        let height = (0.5 * (HEIGHTS.len() - 1) as f64 * count / expected).round();
        HEIGHTS[(height as usize).min(HEIGHTS.len() - 1)]
    };
    counts.iter().map(bar).collect()
}
