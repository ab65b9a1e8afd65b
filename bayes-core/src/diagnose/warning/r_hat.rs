//! The common part of the rules on R-hat: its upper limit by chance, the worst element, and the text.

use crate::diagnose::ColumnDiagnostics;
use bayes_autodiff::special::norm_quantile;

/// An R-hat that is always accepted (Vehtari et al. 2021).
pub(super) const R_HAT: f64 = 1.01;
/// False-positive rate of the warning that chains or islands disagree.
const FALSE_ALARMS: f64 = 0.01;

/// The normal score that the largest of all R-hats (bulk and folded, of each element) exceeds in 1% of runs.
pub(super) fn rarity(elements: usize) -> f64 {
    norm_quantile(1.0 - FALSE_ALARMS / (2 * elements.max(1)) as f64)
}

/// The element with the largest R-hat, its R-hat, and the number of elements above the limit, if there are any.
pub(super) fn largest(elements: &[ColumnDiagnostics], limit: f64) -> Option<(String, f64, usize)> {
    let above = || elements.iter().filter(|element| element.r_hat > limit);
    let worst = above().max_by(|a, b| a.r_hat.total_cmp(&b.r_hat))?;
    Some((worst.name.clone(), worst.r_hat, above().count()))
}

/// `R-hat is .. for ..`.
pub(super) fn text(r_hat: f64, element: &str, elements: usize, limit: f64) -> String {
    let others = match elements {
        0 | 1 => String::new(),
        2 => " (and too high for 1 other)".to_owned(),
        n => format!(" (and too high for {} others)", n - 1),
    };
    format!("R-hat is {r_hat:.3} for `{element}`{others}; it should be below {limit:.3}")
}
