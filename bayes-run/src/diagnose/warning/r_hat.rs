//! The common part of the rules on R-hat: its upper limit by chance, the worst element, and the text.

use super::known;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::rhat::written;
use crate::run::Run;

/// An R-hat that is always accepted (Vehtari et al. 2021).
pub(super) const R_HAT: f64 = 1.01;

/// The element with the largest R-hat among the elements above their limits, and the number of these elements,
/// if there are any. Of a formula, it is one of the elements that it shows, if one of them is above its limit.
pub(super) fn largest<'e>(
    run: &Run,
    elements: &'e [ColumnDiagnostics],
    limit: impl Fn(&ColumnDiagnostics) -> f64,
) -> Option<(&'e ColumnDiagnostics, usize)> {
    let above = elements
        .iter()
        .filter(|element| element.r_hat > limit(element));
    let above: Vec<&ColumnDiagnostics> = above.collect();
    let count = above.len();
    let known = known(run, above).into_iter();
    let worst = known.max_by(|a, b| a.r_hat.total_cmp(&b.r_hat))?;
    Some((worst, count))
}

/// `R-hat is .. for ..`.
pub(super) fn text(r_hat: f64, element: &str, elements: usize, limit: f64) -> String {
    let others = match elements {
        0 | 1 => String::new(),
        2 => " (and too high for 1 other)".to_owned(),
        n => format!(" (and too high for {} others)", n - 1),
    };
    // one digit more, if rounding would make the two equal
    let places = if format!("{r_hat:.3}") == format!("{limit:.3}") {
        4
    } else {
        3
    };
    let r_hat = written(r_hat, places).unwrap_or_else(|| "above 1000".to_owned());
    format!("R-hat is {r_hat} for `{element}`{others}; it should be below {limit:.3}")
}
