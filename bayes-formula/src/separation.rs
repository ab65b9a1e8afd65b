//! Columns that separate successes from failures: the data bound their coefficients on one side alone (Albert & Anderson 1984).

use crate::design::{Design, Margin};
use crate::family::Family;
use crate::line::Line;
use crate::text::ten_digits;
use nalgebra::DVector;

/// Sentences about columns whose values are all on one side for successes, and on the other for failures.
pub(crate) fn of_columns(design: &Design) -> Vec<String> {
    let margins = design.margins.iter();
    let margins =
        margins.filter(|margin| matches!(margin.family, Family::Bernoulli | Family::Binomial));
    margins.flat_map(of_margin).collect()
}

fn of_margin(margin: &Margin) -> Vec<String> {
    let trials = |row: usize| margin.trials.get(row).map_or(1.0, |trials| *trials as f64);
    let rows = || margin.counts.iter().map(|count| count.0).enumerate();
    let successes: Vec<usize> = rows()
        .filter(|(_, y)| *y > 0.0)
        .map(|(row, _)| row)
        .collect();
    let failures = rows().filter(|(row, y)| *y < trials(*row));
    let failures: Vec<usize> = failures.map(|(row, _)| row).collect();
    let line = &margin.lines[0];
    if successes.is_empty() || failures.is_empty() {
        return Vec::new();
    }
    let note = |k: usize| {
        let ends = |rows: &[usize]| {
            let values = || rows.iter().map(|row| line.x[(*row, k)]);
            let (least, largest) = (f64::INFINITY, f64::NEG_INFINITY);
            [
                values().fold(least, f64::min),
                values().fold(largest, f64::max),
            ]
        };
        let full = line.coefficients[k].as_str();
        let prefix = line.name.as_ref().map(|name| format!("{name}:"));
        let name = prefix.and_then(|prefix| full.strip_prefix(&prefix));
        let name = name.unwrap_or(full);
        let [success, failure] = [ends(&successes), ends(&failures)];
        let has_zero = |low: [f64; 2], high: [f64; 2]| low[1] <= 0.0 && high[0] >= 0.0;
        let is_free = line.has_intercept
            || has_zero(failure, success)
            || has_zero(success, failure)
            || others_hold_an_intercept(line, k);
        if !is_free {
            return None;
        }
        let at = |value: f64| ten_digits(value + line.means[k]);
        let sides = if failure[1] <= success[0] {
            format!(
                "{} or more, and all failures at {} or less",
                at(success[0]),
                at(failure[1])
            )
        } else if success[1] <= failure[0] {
            format!(
                "{} or less, and all failures at {} or more",
                at(success[1]),
                at(failure[0])
            )
        } else {
            return None;
        };
        Some(format!(
            "all successes have `{name}` at {sides}: the data bound `b[{full}]` on one side alone, and its prior on the other"
        ))
    };
    (0..line.x.ncols()).filter_map(note).collect()
}

/// Whether a sum of the other columns times numbers is 1 in all rows, as of a factor with all its labels.
fn others_hold_an_intercept(line: &Line, k: usize) -> bool {
    if line.x.ncols() < 2 {
        return false;
    }
    let ones = DVector::from_element(line.x.nrows(), 1.0);
    let basis = line.x.clone().remove_column(k).qr().q();
    let rest = &ones - &basis * basis.tr_mul(&ones);
    rest.norm() <= 1e-9 * ones.norm()
}
