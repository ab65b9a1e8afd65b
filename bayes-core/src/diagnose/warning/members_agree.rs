//! Deep ensembles: all members found the same point.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::rhat::{mean, variance};
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// The spread of the members, as a share of their size, below which they are the same point.
const SAME: f64 = 1e-3;

/// All members of a deep ensemble found the same point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MembersAgree {
    /// Number of members.
    pub members: usize,
    /// `√(Σ sd² / Σ mean²)` over the elements.
    pub spread: f64,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<MembersAgree> {
    let (members, elements) = (run.total_draws(), run.layout.elements());
    if run.engine != "ensemble" || members < 2 {
        return None;
    }
    let draws: Vec<f64> = run
        .groups
        .iter()
        .flat_map(|group| &group.draws)
        .copied()
        .collect();
    let (mut spread, mut size) = (0.0, 0.0);
    for element in 0..elements {
        let values: Vec<f64> = draws
            .iter()
            .skip(element)
            .step_by(elements)
            .copied()
            .collect();
        spread += variance(&values);
        size += mean(&values).powi(2);
    }
    let spread = (spread / size).sqrt();
    (spread < SAME).then_some(MembersAgree { members, spread })
}

impl Message for MembersAgree {
    fn problem(&self) -> String {
        let Self { members, spread } = self;
        format!(
            "the {members} members are the same point: they differ by {spread:.1e} of their size"
        )
    }

    fn remedy(&self) -> &'static str {
        "Their spread says nothing about the uncertainty: an ensemble has one only where the optimiser has several ends. Use \
         `fit.laplace()` or an engine that samples, such as `Inference::nuts()`."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::approximation;

    /// The draws of an approximation as the members of an ensemble, drawn together at a point by this factor.
    fn ensemble(factor: f64) -> Run {
        let mut run = approximation(8, 1.0);
        run.engine = "ensemble".to_owned();
        for group in &mut run.groups {
            group.log_approximation.clear();
            group.draws.iter_mut().for_each(|x| *x = 2.0 + factor * *x);
        }
        run
    }

    #[test]
    fn members_at_one_point() {
        let run = ensemble(1e-6);
        let spread = find(&run, &[]).expect("they agree").spread;
        assert!((1e-7..1e-6).contains(&spread), "{spread}");
        assert_warned(
            &run,
            &format!(
                "the 8 members are the same point: they differ by {spread:.1e} of their size. Their spread says nothing about the \
                 uncertainty: an ensemble has one only where the optimiser has several ends. Use `fit.laplace()` or an engine that \
                 samples, such as `Inference::nuts()`."
            ),
        );
        assert_eq!(find(&ensemble(0.1), &[]), None);
    }
}
