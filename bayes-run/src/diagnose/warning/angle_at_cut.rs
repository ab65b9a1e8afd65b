//! Chains of an angle whose posterior lies across the cut of the circle.
//!
//! A random angle is within π of the mean of its prior, and its coordinate runs to infinity at both ends. There the circle is cut: no chain
//! crosses it, and chains that start on one side see half of a mode that lies there. R-hat does not see it if all start on one side.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::model::VariableKind;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The draws of an angle gather at the cut of its circle.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AngleAtCut {
    /// The angle.
    pub name: String,
    /// The share of its draws that are within π/10 of the cut.
    pub share: f64,
}

/// The logit of the angle beyond which it is within π/10 of the cut: ln 19.
const NEAR: f64 = 2.944_438_979_166_440_5;
/// The share of draws near the cut from which on it matters: twice the share of a uniform angle, which is 1/10.
const MANY: f64 = 0.2;

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Vec<AngleAtCut> {
    let mut found = Vec::new();
    let is_random =
        |kind: VariableKind| matches!(kind, VariableKind::Continuous | VariableKind::Discrete);
    let random = || run.layout.variables.iter().filter(|v| is_random(v.kind));
    let elements: usize = random().map(|variable| variable.range().len()).sum();
    // otherwise elements have no coordinate of their own, and the places of the angles are unknown
    if elements != run.layout.dim {
        return found;
    }
    let mut first = 0;
    for variable in random() {
        let names = variable.element_names().into_iter();
        for (name, coordinate) in names.zip(first..).filter(|_| variable.is_angle) {
            let share = share_near_the_cut(run, coordinate);
            if share > MANY {
                found.push(AngleAtCut { name, share });
            }
        }
        first += variable.range().len();
    }
    found
}

/// The share of the draws whose coordinate is that near to one of the ends.
fn share_near_the_cut(run: &Run, coordinate: usize) -> f64 {
    let positions = || {
        let groups = run.groups.iter();
        groups.flat_map(|group| group.positions.chunks_exact(run.layout.dim))
    };
    let near = positions().filter(|position| position[coordinate].abs() > NEAR);
    near.count() as f64 / positions().count().max(1) as f64
}

impl Message for AngleAtCut {
    fn problem(&self) -> String {
        format!(
            "{:.1}% of the draws of the angle `{}` are within 0.31 of the cut of its circle, opposite the mean of its prior",
            100.0 * self.share,
            self.name
        )
    }

    fn remedy(&self) -> &'static str {
        "Chains do not cross the cut, and may have seen one of its sides only. Turn the circle: write the angle as `sample(Uniform::new(a, a + TAU))` \
         with its ends where the posterior has no mass, and its prior as `factor(VonMises::new(mean, kappa).log_density_at(angle) + TAU.ln())`; or use \
         `Inference::psmc()`, whose islands see both sides."
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let remedy = "Chains do not cross the cut, and may have seen one of its sides only. Use `Inference::psmc()`, whose islands see both sides.";
        Some(remedy.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Run;
    use crate::run::example::chains;

    /// Chains whose `mu` is an angle or not, with a tenth or half of the draws at the end of the coordinate.
    fn run(is_angle: bool, half: bool) -> Run {
        let mut run = chains(4, 250);
        run.layout.variables[0].is_angle = is_angle;
        for group in &mut run.groups {
            let positions = group.positions.chunks_mut(3).enumerate();
            for (draw, position) in positions {
                let is_near = draw % 10 == 0 || half && draw % 2 == 0;
                position[0] = if is_near { 4.0 } else { 1.0 };
            }
        }
        run
    }

    // Seen to detect: no warning of angles at the cut, and a warning of other quantities of an interval.
    #[test]
    fn angles_that_gather_at_the_cut_are_reported() {
        assert_warned(
            &run(true, true),
            "50.0% of the draws of the angle `mu` are within 0.31 of the cut of its circle, opposite the mean of its prior. Chains do not cross the \
             cut, and may have seen one of its sides only. Turn the circle: write the angle as `sample(Uniform::new(a, a + TAU))` with its ends where \
             the posterior has no mass, and its prior as `factor(VonMises::new(mean, kappa).log_density_at(angle) + TAU.ln())`; or use \
             `Inference::psmc()`, whose islands see both sides.",
        );
        assert!(run(true, false).warnings().is_empty());
        assert!(run(false, true).warnings().is_empty());
    }
}
