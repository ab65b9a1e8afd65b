//! Quantities that are not finite in some draws have no mean; with NaN they have neither R-hat nor an effective sample size.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use crate::text::grouped;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// A quantity is not finite in some draws.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotFinite {
    /// The element with the most NaN draws; if there are none, with the most infinite draws.
    pub element: String,
    /// Number of its draws that are NaN.
    pub nan: usize,
    /// Number of its draws that are minus infinity.
    pub minus_infinity: usize,
    /// Number of its draws that are infinity.
    pub infinity: usize,
    /// Number of all draws.
    pub draws: usize,
    /// Number of elements that are not finite in some draws.
    pub elements: usize,
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<NotFinite> {
    let found = || {
        elements
            .iter()
            .filter(|element| element.not_finite != [0; 3])
    };
    let size = |element: &&ColumnDiagnostics| {
        let [nan, below, above] = element.not_finite;
        (nan, below + above)
    };
    // the first of several equal elements
    let worst = found().rev().max_by_key(size)?;
    let [nan, minus_infinity, infinity] = worst.not_finite;
    Some(NotFinite {
        element: worst.name.clone(),
        nan,
        minus_infinity,
        infinity,
        draws: run.total_draws(),
        elements: found().count(),
    })
}

impl Message for NotFinite {
    fn problem(&self) -> String {
        let kinds = [
            ("NaN", self.nan),
            ("infinite", self.infinity),
            ("minus infinity", self.minus_infinity),
        ];
        let counts = kinds.iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts
            .map(|(kind, count)| format!("{kind} in {}", grouped(*count as u64)))
            .collect();
        let others = match self.elements {
            0 | 1 => String::new(),
            2 => "; 1 other is not finite in some draws".to_owned(),
            n => format!("; {} others are not finite in some draws", n - 1),
        };
        let draws = grouped(self.draws as u64);
        format!(
            "`{}` is {} of {draws} draws{others}",
            self.element,
            counts.join(" and ")
        )
    }

    fn remedy(&self) -> &'static str {
        if self.nan > 0 {
            return "It has no mean, no R-hat and no effective sample size. Look in its statement for 0 / 0, infinity - infinity, or the logarithm \
                    or root of a negative number.";
        }
        "It has no mean; quantiles, R-hat and effective sample sizes are those of its ranks. Look in its statement for a division by 0, the logarithm \
         of 0, or a number that overflows."
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let remedy = match self.nan > 0 {
            true => {
                "It has no mean, no R-hat and no effective sample size. Numbers overflowed: look for columns of large values, and give coefficients and \
                 scales tighter priors."
            }
            false => {
                "It has no mean; quantiles, R-hat and effective sample sizes are those of its ranks. Numbers overflowed: look for columns of large \
                 values, and give coefficients and scales tighter priors."
            }
        };
        Some(remedy.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::ColumnDiagnostics;
    use crate::diagnose::rhat;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Run;
    use crate::run::example::chains;

    /// A run of chains whose first element is replaced.
    fn with_first(value: impl Fn(usize, f64) -> f64) -> Run {
        let mut run = chains(4, 1000);
        let elements = run.layout.elements();
        for group in &mut run.groups {
            for (i, draw) in group.draws.chunks_mut(elements).enumerate() {
                draw[0] = value(i, draw[0]);
            }
        }
        run
    }

    #[test]
    fn a_quantity_that_is_nan_has_no_r_hat_and_no_effective_size() {
        for nan in [f64::NAN, -f64::NAN] {
            let run = with_first(|_, _| nan);
            let first = &ColumnDiagnostics::of_run(&run)[0];
            for value in [first.r_hat, first.ess_bulk, first.ess_tail] {
                assert!(value.is_nan(), "{value}");
            }
            assert_warned(
                &run,
                "`mu` is NaN in 4 000 of 4 000 draws. It has no mean, no R-hat and no effective sample size. Look in its statement for 0 / 0, \
                 infinity - infinity, or the logarithm or root of a negative number.",
            );
        }
    }

    #[test]
    fn one_nan_is_counted() {
        let run = with_first(|i, x| if i == 17 { f64::NAN } else { x });
        let warnings = run.warnings();
        let text: Vec<String> = warnings.iter().map(ToString::to_string).collect();
        assert!(
            text.concat().contains("`mu` is NaN in 4 of 4 000 draws"),
            "{text:?}"
        );
    }

    // `posterior::rhat` and `ess_bulk` of R rank infinite values like any others; the distance from an infinite median says
    // nothing
    #[test]
    fn a_quantity_that_is_infinite_has_the_r_hat_of_its_sign() {
        let run = with_first(|_, x| 1.0 / (0.0 * x));
        let sign = with_first(|_, x| if x > 0.0 { 1.0 } else { -1.0 });
        let [infinite, finite] = [&run, &sign].map(|run| ColumnDiagnostics::of_run(run)[0].clone());
        let bulk = |run: &Run| {
            let column = run.column(0);
            rhat::plain(&super::super::super::rank::normal_scores(
                &super::super::super::rank::split(&column),
            ))
        };
        assert_eq!(infinite.r_hat, bulk(&sign));
        assert!(infinite.r_hat < 1.01, "{}", infinite.r_hat);
        assert_eq!(infinite.ess_bulk, finite.ess_bulk);
        let text: Vec<String> = run.warnings().iter().map(ToString::to_string).collect();
        assert!(text.concat().contains("`mu` is infinite in "), "{text:?}");
    }

    #[test]
    fn a_tail_at_infinity_changes_no_rank() {
        let far = with_first(|_, x| x + 1e6 * f64::from(u8::from(x > 1.5)));
        let infinite = with_first(|_, x| if x > 1.5 { f64::INFINITY } else { x });
        let [far, infinite] = [far, infinite].map(|run| ColumnDiagnostics::of_run(&run)[0].clone());
        assert!((far.ess_bulk / infinite.ess_bulk - 1.0).abs() < 0.02);
        assert!((far.r_hat - infinite.r_hat).abs() < 1e-3);
    }
}
