//! `Display` of the draws of a quantity.

use crate::diagnose::weighted_quantiles;
use crate::run::Draws;
use crate::text::Style;
use crate::text::table::{self, Line};
use std::fmt;

const HEADER: [&str; 6] = ["", "mean", "sd", "5%", "50%", "95%"];

/// A row for each element: its number, mean, standard deviation and quantiles, weighted. The middle of many elements is left out,
/// unless printed by `{:#}`. [`Draws::rows`] has the draws themselves.
impl fmt::Display for Draws {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let elements: Vec<usize> = (0..self.elements).collect();
        let line = |element: &usize| self.line(*element);
        let left_out = |hidden: &[usize]| {
            let (first, last, count) = (hidden[0], hidden[hidden.len() - 1], hidden.len());
            format!(
                "...  [{first}] to [{last}] ({count} rows) are left out; `{{draws:#}}` prints them all"
            )
        };
        let lines = match f.alternate() {
            true => elements.iter().map(line).collect(),
            false => table::abbreviated(&elements, line, left_out),
        };
        table::write(f, &HEADER, &lines)
    }
}

impl Draws {
    fn line(&self, element: usize) -> Line {
        let column: Vec<f64> = self.rows().map(|row| row[element]).collect();
        // a draw without weight does not count, whatever its value
        let counted = || column.iter().zip(&self.weights).filter(|(_, w)| **w > 0.0);
        let mean: f64 = counted().map(|(x, w)| w * x).sum();
        let variance: f64 = counted().map(|(x, w)| w * (x - mean).powi(2)).sum();
        let [q5, q50, q95] = weighted_quantiles(&column, &self.weights, [0.05, 0.5, 0.95]);
        let sd = variance.sqrt();
        let statistics = [mean, sd, q5, q50, q95];
        let finite = statistics.into_iter().filter(|value| value.is_finite());
        let largest = finite.map(f64::abs).fold(0.0, f64::max);
        // the digits that this number of independent draws justifies, and a thousandth of the sd at best
        let error = sd / (self.weights.len().max(1) as f64).sqrt();
        let style = Style::for_error(error.max(1e-3 * sd), largest);
        let statistics = statistics.map(|value| style.write(value));
        Line::Cells(
            std::iter::once(format!("[{element}]"))
                .chain(statistics)
                .collect(),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::run::Draws;

    #[test]
    fn draws_are_printed_element_by_element() {
        let draws = Draws {
            weights: vec![0.25; 4],
            values: vec![1.0, 10.0, 2.0, 20.0, 3.0, 30.0, 4.0, 40.0],
            elements: 2,
            groups: vec![4],
        };
        let text = draws.to_string();
        let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
        assert_eq!(
            lines[0].split_whitespace().collect::<Vec<_>>(),
            super::HEADER[1..]
        );
        let cells: Vec<&str> = lines[2].split_whitespace().collect();
        assert_eq!((cells[0], lines.len()), ("[1]", 3));
        let numbers: Vec<f64> = cells[1..].iter().filter_map(|c| c.parse().ok()).collect();
        assert!((numbers[0] - 25.0).abs() < 0.5 && (numbers[1] - 11.2).abs() < 0.5);
        assert!(numbers[2] < numbers[3] && numbers[3] < numbers[4]);
    }

    #[test]
    fn the_middle_of_many_elements_is_left_out_unless_all_are_wanted() {
        let draws = Draws {
            weights: vec![0.5; 2],
            values: (0..200).map(f64::from).collect(),
            elements: 100,
            groups: vec![2],
        };
        let text = draws.to_string();
        assert_eq!(text.lines().count(), 1 + 4 + 1 + 4);
        assert!(
            text.contains("...  [4] to [95] (92 rows) are left out"),
            "{text}"
        );
        assert_eq!(format!("{draws:#}").lines().count(), 1 + 100);
    }
}
