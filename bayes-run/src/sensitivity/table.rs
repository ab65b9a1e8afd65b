//! The table of sensitivities.

use super::{Diagnosis, Sensitivity, SensitivityRow};
use crate::text::Style;
use crate::text::table::{self, Line};
use std::fmt;

impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Fine => "-",
            Self::PriorDataConflict => "prior-data conflict?",
            Self::StrongPrior => "strong prior or weak likelihood?",
        })
    }
}

impl Sensitivity {
    /// Why the numbers may be wrong, in plain words; empty if there is no reason for doubt.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let worst = |what: &str, k: f64| {
            // k is NaN for a term that does not vary, which needs no smoothing
            (k > self.good_k).then(|| {
                format!(
                    "k-hat is {k:.2} for the {what}, above {:.2}: the draws say little about a posterior with another power of it. Use \
                     more draws",
                    self.good_k
                )
            })
        };
        let found = [
            worst("prior", self.prior_k),
            worst("likelihood", self.likelihood_k),
        ];
        found.into_iter().flatten().collect()
    }
}

impl fmt::Display for Sensitivity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |row: &SensitivityRow| {
            let [prior, likelihood] = [row.prior, row.likelihood].map(|x| Style::Fixed(3).write(x));
            Line::Cells(vec![
                row.name.clone(),
                prior,
                likelihood,
                row.diagnosis().to_string(),
            ])
        };
        let lines: Vec<Line> = self.rows.iter().map(line).collect();
        writeln!(
            f,
            "sensitivity to power scaling of the prior of {} and of the likelihood; sensitive from {} on",
            self.priors.join(", "),
            SensitivityRow::THRESHOLD
        )?;
        table::write(f, &["", "prior", "likelihood", "diagnosis"], &lines)?;
        if !self.left_out.is_empty() {
            let left_out = self.left_out.join(", ");
            writeln!(
                f,
                "not scaled, because it depends on other random quantities: {left_out}"
            )?;
        }
        for warning in self.warnings() {
            writeln!(f, "warning: {warning}")?;
        }
        Ok(())
    }
}
