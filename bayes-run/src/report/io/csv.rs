//! Draws as comma-separated values.

use super::Format;
use crate::run::{Layout, Run};
use std::io::{self, BufWriter, Write};

/// One row for each draw, after a header.
///
/// Columns: `.island`, `.chain` or `.group`, and `.draw` (both from 0), `.log_weight` (of the draw among all
/// draws; the weights sum to 1), then the elements by name. Names with a comma, as `w[2,0]`, are quoted. Finite
/// numbers are written so that reading them gives back the same bits; others as `NaN`, `inf`, `-inf`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Csv;

impl Format for Csv {
    fn write(&self, run: &Run, writer: &mut dyn Write) -> io::Result<()> {
        let mut out = BufWriter::new(writer);
        write_header(run, &mut out)?;
        let elements = run.layout.elements();
        let mut weights = run.draw_weights().into_iter();
        for group in &run.groups {
            let index = group.index;
            for (draw, values) in group.rows(elements).enumerate() {
                let log_weight = weights.next().unwrap_or(f64::NAN).ln();
                write!(out, "{index},{draw},{log_weight:?}")?;
                for value in values {
                    write!(out, ",{value:?}")?;
                }
                writeln!(out)?;
            }
        }
        out.flush()
    }
}

fn write_header(run: &Run, out: &mut impl Write) -> io::Result<()> {
    write!(out, ".{},.draw,.log_weight", run.kind.name())?;
    write_names(&run.layout, out)
}

/// Writes the names of the elements after other columns, and ends the line.
pub(super) fn write_names(layout: &Layout, out: &mut impl Write) -> io::Result<()> {
    for name in layout.element_names() {
        if name.contains(',') {
            write!(out, ",\"{name}\"")?;
        } else {
            write!(out, ",{name}")?;
        }
    }
    writeln!(out)
}

impl Run {
    /// Writes the draws as [`Csv`].
    ///
    /// # Errors
    /// An error of the writer.
    pub fn to_csv(&self, mut writer: impl Write) -> io::Result<()> {
        Csv.write(self, &mut writer)
    }
}

#[cfg(test)]
mod tests {
    use crate::dist::Shape;
    use crate::run::Run;
    use crate::run::example::{chains, islands};

    fn written(run: &Run) -> Vec<String> {
        let mut bytes = Vec::new();
        run.to_csv(&mut bytes).expect("memory takes all");
        String::from_utf8(bytes)
            .expect("plain text")
            .lines()
            .map(str::to_owned)
            .collect()
    }

    #[test]
    fn islands_carry_their_weights() {
        let run = islands(&[0.0, 3f64.ln()], 2);
        let lines = written(&run);
        assert_eq!(lines[0], ".island,.draw,.log_weight,mu,beta[0],beta[1]");
        assert_eq!(lines.len(), 5);
        let fields: Vec<f64> = lines[4]
            .split(',')
            .map(|f| f.parse().expect("a number"))
            .collect();
        assert_eq!(fields[..2], [1.0, 1.0]);
        assert!((fields[2] - 0.375f64.ln()).abs() < 1e-12);
        // The same bits come back.
        assert_eq!(fields[3..], run.groups[1].draws[3..]);
    }

    #[test]
    fn names_with_a_comma_are_quoted_and_odd_numbers_are_words() {
        let mut run = chains(1, 1);
        run.layout.variables[1].shape = Shape::Matrix(1, 2);
        run.groups[0].draws = vec![f64::NAN, f64::NEG_INFINITY, 1e300];
        let lines = written(&run);
        assert_eq!(
            lines[0],
            ".chain,.draw,.log_weight,mu,\"beta[0,0]\",\"beta[0,1]\""
        );
        assert_eq!(lines[1], "0,0,0.0,NaN,-inf,1e300");
    }
}
