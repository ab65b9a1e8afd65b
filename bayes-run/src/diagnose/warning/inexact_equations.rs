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
        "Write the times at which rates jump into `.stop_at(..)`, or more `.steps(..)`."
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        self.equations.remedy().into()
    }
}

/// Equations at 200 draws.
#[cfg(test)]
pub(super) fn example() -> Equations {
    Equations {
        file: "drug.rs".to_owned(),
        line: 12,
        steps: 4,
        order: 5,
        tolerance: 1e-4,
        draws: 200,
        inexact: 0,
        unsolved: 0,
        unknown: String::new(),
        stiff: 0,
        rough: 0,
        unseen: String::new(),
        error: 3.2e-5,
        change: 0.01,
    }
}

#[cfg(test)]
mod tests {
    use super::example;
    use crate::density::Equations;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Run;
    use crate::run::example::chains;

    fn run_of(equations: Equations) -> Run {
        Run {
            equations: vec![equations],
            ..chains(4, 250)
        }
    }

    #[test]
    fn equations_within_their_tolerance_are_not_told() {
        assert!(run_of(example()).warnings().is_empty());
    }

    #[test]
    fn inexact_states_are_reported_with_the_steps_that_would_do() {
        let inexact = Equations {
            inexact: 46,
            error: 3.2e-3,
            ..example()
        };
        assert_warned(
            &run_of(inexact),
            "the differential equations in drug.rs:12 are not solved within their tolerance of 1e-4 at 23% of the draws, by 4 steps from one stop \
             to the next: a state is off by up to 3.2e-3 of its largest size, and the log density by up to 1.0e-2. Results use \
             the inexact states. Write `.steps(10)`, or end a step by `.stop_at(..)` where the solution changes fast. If such \
             states are exact enough, since the log density hardly changes, say so by `.tolerance(..)`.",
        );
    }

    /// The mutation that it detects: a number of steps is advised where rates jump between stops.
    #[test]
    fn rates_that_jump_between_stops_need_a_stop_and_no_steps() {
        let rough = Equations {
            inexact: 150,
            rough: 150,
            error: 0.02,
            ..example()
        };
        assert_warned(
            &run_of(rough),
            "the differential equations in drug.rs:12 are not solved within their tolerance of 1e-4 at 75% of the draws, by 4 steps from one stop \
             to the next: a state is off by up to 2.0e-2 of its largest size, and the log density by up to 1.0e-2. Results use \
             the inexact states. Twice or three times as many steps are hardly more exact, as where rates jump or bend between two stops: a step \
             across a jump is as wrong as it is long, whatever the order of the method. Write the times of the jumps into `.stop_at(..)`. If the rates \
             are smooth but change fast, write many more `.steps(..)`.",
        );
    }

    #[test]
    fn states_that_nobody_knows_have_a_reason() {
        let unknown = Equations {
            inexact: 200,
            unsolved: 200,
            unknown: "the steps give states that are not finite".to_owned(),
            ..example()
        };
        assert_warned(
            &run_of(unknown),
            "the differential equations in drug.rs:12 are not solved within their tolerance of 1e-4 at 100.0% of the draws, by 4 steps from one stop \
             to the next; how far the states are off is not known at any of them, because the steps give states that are not finite. Results use \
             the inexact states. Write more `.steps(..)`, or end a step by `.stop_at(..)` where the solution changes fast.",
        );
    }

    #[test]
    fn a_change_of_the_density_is_reported_by_itself() {
        let changed = Equations {
            inexact: 2,
            change: 0.4,
            ..example()
        };
        assert_warned(
            &run_of(changed),
            "the log density changes by up to 4.0e-1 if the differential equations in drug.rs:12 are solved exactly, and by more than 0.1 at 1.0% of \
             the draws: 4 steps from one stop to the next give states that are off by up to 3.2e-5 of their largest size. Results use \
             the inexact states. Write `.steps(7)`, or end a step by `.stop_at(..)` where the solution changes fast.",
        );
    }

    #[test]
    fn stiff_equations_are_reported_as_stiff() {
        let stiff = Equations {
            inexact: 150,
            unsolved: 140,
            unknown: "the steps give states that are not finite".to_owned(),
            stiff: 120,
            ..example()
        };
        assert_warned(
            &run_of(stiff),
            "the differential equations in drug.rs:12 are not solved within their tolerance of 1e-4 at 75% of the draws, by 4 steps from one stop \
             to the next: a state is off by up to 3.2e-5 of its largest size, and the log density by up to 1.0e-2, where that is known; at 70% of the draws it is \
             not, because the steps give states that are not finite. The equations are stiff: something in them settles much faster than the solution \
             changes, and explicit steps that are not as short as that are unstable. Write `.stiff()`: its steps are implicit.",
        );
    }
}
