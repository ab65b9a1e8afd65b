//! Runs with a gradient: it disagrees with finite differences.

use super::{Message, is_of_formula};
use crate::density::{GradientFault, own_calls};
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use crate::text::{quoted, short};
use serde::{Deserialize, Serialize};

/// The gradient disagrees with finite differences of the density at prior draws.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct WrongGradient {
    /// The place of the disagreement, and its size.
    pub fault: GradientFault,
    /// The functions and distributions of the user's own that the model calls.
    #[serde(default)]
    pub own: Vec<String>,
    /// Whether the density and its gradient are written by hand.
    #[serde(default)]
    pub by_hand: bool,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<WrongGradient> {
    run.gradient_fault.map(|fault| WrongGradient {
        fault,
        // the source of a formula's model is the library's
        own: match is_of_formula(run) {
            true => Vec::new(),
            false => own_calls(&run.source),
        },
        by_hand: run.source.is_empty(),
    })
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
        let calls = match self.own.as_slice() {
            [] => String::new(),
            own => format!(". The model calls {}, which you wrote", quoted(own)),
        };
        format!(
            "the gradient disagrees with finite differences at {met} of {of} prior draws: in the direction that was tried the \
             derivative is {gradient} by the gradient and {difference} by differences{calls}"
        )
    }

    fn remedy(&self) -> &'static str {
        if self.by_hand || !self.own.is_empty() {
            "The density itself decides which moves are accepted, so the draws are valid, but they mix more slowly. A function of \
             your own has a wrong derivative, hides a random value from it, or changes from one call to the next; \
             `model.check(Check::new())` names the quantity."
        } else {
            "The density itself decides which moves are accepted, so the draws are valid, but they mix more slowly. The density \
             has a jump or a kink there, or changes so little or so much that one of the two has too few digits; \
             `model.check(Check::new())` names the quantity."
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::density::GradientFault;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::islands;

    const FAULT: GradientFault = GradientFault {
        met: 9,
        of: 10,
        gradient: 1.25,
        difference: 4.25,
    };

    #[test]
    fn a_wrong_gradient_is_reported() {
        let mut run = islands(&[-3.0; 4], 64);
        run.gradient_fault = Some(FAULT);
        assert_warned(
            &run,
            "the gradient disagrees with finite differences at 9 of 10 prior draws: in the direction that was tried the \
             derivative is 1.250 by the gradient and 4.250 by differences. The density itself decides which moves are \
             accepted, so the draws are valid, but they mix more slowly. A function of your own has a wrong derivative, hides \
             a random value from it, or changes from one call to the next; `model.check(Check::new())` names the quantity.",
        );
    }

    #[test]
    fn only_a_function_of_ones_own_is_accused() {
        let mut run = islands(&[-3.0; 4], 64);
        run.gradient_fault = Some(FAULT);
        run.source =
            "fn level() { let x = sample(Normal::new(0.0, 1.0)); factor(-x.abs()); }".to_owned();
        assert_warned(
            &run,
            "the gradient disagrees with finite differences at 9 of 10 prior draws: in the direction that was tried the \
             derivative is 1.250 by the gradient and 4.250 by differences. The density itself decides which moves are \
             accepted, so the draws are valid, but they mix more slowly. The density has a jump or a kink there, or changes so \
             little or so much that one of the two has too few digits; `model.check(Check::new())` names the quantity.",
        );
        run.source =
            "fn level() { let x = sample(Normal::new(0.0, 1.0)); factor(steep(x)); }".to_owned();
        assert_warned(
            &run,
            "the gradient disagrees with finite differences at 9 of 10 prior draws: in the direction that was tried the \
             derivative is 1.250 by the gradient and 4.250 by differences. The model calls `steep`, which you wrote. The \
             density itself decides which moves are accepted, so the draws are valid, but they mix more slowly. A function of \
             your own has a wrong derivative, hides a random value from it, or changes from one call to the next; \
             `model.check(Check::new())` names the quantity.",
        );
    }
}
