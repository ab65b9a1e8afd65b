//! Runs of models whose differential equations are solved by too few steps.

use super::Message;
use crate::density::Equations;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Differential equations are not solved within their tolerance at draws of the run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InexactEquations {
    /// The equations, and at how many draws.
    pub equations: Equations,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Vec<InexactEquations> {
    let inexact = run.equations.iter().filter(|found| found.inexact > 0);
    inexact
        .cloned()
        .map(|equations| InexactEquations { equations })
        .collect()
}

impl Message for InexactEquations {
    fn problem(&self) -> String {
        self.equations.problem("the draws")
    }

    fn remedy(&self) -> &'static str {
        "Write more `.steps(..)`."
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        self.equations.remedy().into()
    }
}

#[cfg(test)]
mod tests {
    use crate::density::Equations;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Run;
    use crate::run::example::chains;

    /// Equations at 200 draws.
    fn equations() -> Equations {
        Equations {
            line: 12,
            steps: 4,
            order: 5,
            tolerance: 1e-4,
            draws: 200,
            inexact: 0,
            unsolved: 0,
            stiff: 0,
            error: 3.2e-5,
            change: 0.01,
        }
    }

    fn run_of(equations: Equations) -> Run {
        Run {
            equations: vec![equations],
            ..chains(4, 250)
        }
    }

    #[test]
    fn equations_within_their_tolerance_are_not_told() {
        assert!(run_of(equations()).warnings().is_empty());
    }

    #[test]
    fn inexact_states_are_told_with_the_steps_that_would_do() {
        let inexact = Equations {
            inexact: 46,
            error: 3.2e-3,
            ..equations()
        };
        assert_warned(
            &run_of(inexact),
            "the differential equations in line 12 are not solved within their tolerance of 1e-4 at 23% of the draws, by 4 steps from one stop \
             to the next: a state is off by up to 3.2e-3 of its largest size, and the log density by up to 1.0e-2. Results are those \
             of the inexact states. Write `.steps(10)`; if rates jump, or the solution changes fast, between the times, end a step there by `.stop_at(..)`. If such \
             states are exact enough, since the log density hardly changes, say so by `.tolerance(..)`.",
        );
    }

    #[test]
    fn a_change_of_the_density_is_told_by_itself() {
        let changed = Equations {
            inexact: 2,
            change: 0.4,
            ..equations()
        };
        assert_warned(
            &run_of(changed),
            "the log density changes by up to 4.0e-1 if the differential equations in line 12 are solved exactly, and by more than 0.1 at 1.0% of \
             the draws: 4 steps from one stop to the next give states that are off by up to 3.2e-5 of their largest size. Results \
             are those of the inexact states. Write `.steps(7)`; if rates jump, or the solution changes fast, between the times, end a step there by `.stop_at(..)`.",
        );
    }

    #[test]
    fn stiff_equations_are_told_to_be_stiff() {
        let stiff = Equations {
            inexact: 150,
            unsolved: 140,
            stiff: 120,
            ..equations()
        };
        assert_warned(
            &run_of(stiff),
            "the differential equations in line 12 are not solved within their tolerance of 1e-4 at 75% of the draws, by 4 steps from one stop \
             to the next: a state is off by up to 3.2e-5 of its largest size, and the log density by up to 1.0e-2, where that is known; at 70% of the draws it is \
             not. The equations are stiff: something in them settles much faster than the solution changes, and explicit steps that are not as \
             short as that are unstable. Write `.stiff()`: its steps are implicit.",
        );
    }
}
