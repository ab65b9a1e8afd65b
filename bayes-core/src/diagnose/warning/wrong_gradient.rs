//! Runs with a gradient: it disagrees with finite differences.

use super::Message;
use crate::density::GradientFault;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use crate::text::short;
use serde::{Deserialize, Serialize};

/// The gradient disagrees with finite differences of the density at prior draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrongGradient {
    /// Where, and by how much.
    pub fault: GradientFault,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<WrongGradient> {
    run.gradient_fault.map(|fault| WrongGradient { fault })
}

impl Message for WrongGradient {
    fn problem(&self) -> String {
        let GradientFault {
            met,
            of,
            gradient,
            difference,
        } = self.fault;
        let (gradient, difference) = (short(gradient), short(difference));
        format!(
            "the gradient disagrees with finite differences at {met} of {of} prior draws: in the direction that was tried the \
             derivative is {gradient} by the gradient and {difference} by differences"
        )
    }

    fn remedy(&self) -> &'static str {
        "The density itself decides which moves are accepted, so the draws are valid, but they mix more slowly. A function of \
         your own has a wrong derivative, hides a random value from it, or changes from one call to the next; \
         `model.check(Check::new())` names the quantity."
    }
}

#[cfg(test)]
mod tests {
    use crate::density::GradientFault;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::islands;

    #[test]
    fn a_wrong_gradient_is_told() {
        let mut run = islands(&[-3.0; 4], 64);
        run.gradient_fault = Some(GradientFault {
            met: 9,
            of: 10,
            gradient: 1.25,
            difference: 4.25,
        });
        assert_warned(
            &run,
            "the gradient disagrees with finite differences at 9 of 10 prior draws: in the direction that was tried the \
             derivative is 1.250 by the gradient and 4.250 by differences. The density itself decides which moves are \
             accepted, so the draws are valid, but they mix more slowly. A function of your own has a wrong derivative, hides \
             a random value from it, or changes from one call to the next; `model.check(Check::new())` names the quantity.",
        );
    }
}
