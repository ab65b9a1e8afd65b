//! Deep ensembles: all members found the same point.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};

/// Members agree in an element up to this range of their values, relative to the largest value.
const SAME: f64 = 1e-3;

/// All members of a deep ensemble found the same point.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MembersAgree {
    /// Number of members.
    pub members: usize,
    /// The largest range of an element, relative to its largest value.
    pub range: f64,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<MembersAgree> {
    let (members, elements) = (run.total_draws(), run.layout.elements());
    if run.engine != "ensemble" || members < 2 {
        return None;
    }
    let mut ranges = vec![(f64::INFINITY, f64::NEG_INFINITY); elements];
    for draw in run.groups.iter().flat_map(|group| group.rows(elements)) {
        for ((low, high), value) in ranges.iter_mut().zip(draw) {
            (*low, *high) = (low.min(*value), high.max(*value));
        }
    }
    let share = |(low, high): (f64, f64)| match low.abs().max(high.abs()) {
        0.0 => 0.0,
        largest => (high - low) / largest,
    };
    let range = ranges.into_iter().map(share).fold(0.0, f64::max);
    (range < SAME).then_some(MembersAgree { members, range })
}

impl Message for MembersAgree {
    fn problem(&self) -> String {
        let Self { members, range } = self;
        format!(
            "the {members} members are the same point: no value differs by more than {range:.1e} of its size"
        )
    }

    fn remedy(&self) -> &'static str {
        "Their spread says nothing about the uncertainty: the members of an ensemble differ only if the optimiser ends at \
         different points. Use `fit.laplace()` or an engine that samples, such as `Inference::nuts()`."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{approximation, of_draws};

    /// The draws of an approximation as the members of an ensemble, shrunk towards a point by `factor`.
    fn ensemble(factor: f64) -> Run {
        let mut run = approximation(8, 1.0);
        run.engine = "ensemble".to_owned();
        for group in &mut run.groups {
            of_draws(group).log_approximation.clear();
            group.draws.iter_mut().for_each(|x| *x = 2.0 + factor * *x);
        }
        run
    }

    #[test]
    fn members_at_one_point() {
        let run = ensemble(1e-6);
        let range = find(&run, &[]).expect("they agree").range;
        assert!((1e-7..1e-5).contains(&range), "{range}");
        assert_warned(
            &run,
            &format!(
                "the 8 members are the same point: no value differs by more than {range:.1e} of its size. Their spread says \
                 nothing about the uncertainty: the members of an ensemble differ only if the optimiser ends at different points. Use \
                 `fit.laplace()` or an engine that samples, such as `Inference::nuts()`."
            ),
        );
    }

    #[test]
    fn members_that_differ_in_one_value() {
        assert_eq!(find(&ensemble(0.1), &[]), None);
        let mut run = ensemble(0.0);
        assert!(find(&run, &[]).is_some());
        run.groups[0].draws[0] = 2.1;
        assert_eq!(find(&run, &[]), None);
        run.groups[0].draws.fill(0.0);
        assert_eq!(find(&run, &[]).expect("all are zero").range, 0.0);
    }
}
