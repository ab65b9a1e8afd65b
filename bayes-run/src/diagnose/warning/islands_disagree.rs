//! Islands: they differ by more than the noise of their particles explains.

use super::advice::MOST;
use super::labels;
use super::r_hat::{self, R_HAT, largest};
use super::{Advice, Message};
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::rhat::{noise_limit, rarity};
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Autocorrelation time assumed for islands, because their particles share ancestors.
const PARTICLE_KINSHIP: f64 = 4.0;

/// Islands differ by more than the noise of their particles explains.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct IslandsDisagree {
    /// The element with the largest R-hat.
    pub element: String,
    /// The R-hat of that element.
    pub r_hat: f64,
    /// The upper limit of R-hat for this run.
    pub limit: f64,
    /// Number of elements above the limit.
    pub elements: usize,
    /// Whether the elements of a vector changed places, and agree once they are sorted.
    #[serde(default)]
    pub labels: bool,
    /// The number of particles that would bring R-hat below its limit, if the islands differ by the noise of their particles; `None` where it would
    /// be more than 64 times as many, as of islands in different modes.
    #[serde(default)]
    pub advice: Option<Advice>,
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<IslandsDisagree> {
    let (islands, particles) = (run.groups.len(), run.particles_per_group());
    // the states of a particle count as one draw, because their correlation is unknown
    let noise = noise_limit(islands, particles, PARTICLE_KINSHIP, rarity(elements.len()));
    let limit = R_HAT.max(noise);
    let (worst, elements) = largest(run, elements, |_| limit)?;
    let labels = labels::change_places(run, &worst.name, worst.r_hat);
    let advice = Advice::particles_of_r_hat(run, worst.r_hat, R_HAT);
    Some(IslandsDisagree {
        element: worst.name.clone(),
        r_hat: worst.r_hat,
        limit,
        elements,
        labels,
        advice: advice.filter(|_| !labels),
    })
}

impl Message for IslandsDisagree {
    fn problem(&self) -> String {
        let r_hat = r_hat::text(self.r_hat, &self.element, self.elements, self.limit);
        format!("the islands disagree: {r_hat}")
    }

    fn remedy(&self) -> &'static str {
        if self.labels {
            return labels::REMEDY;
        }
        "The particles of an island stay correlated after resampling, or islands found different modes. Use \
         more mutation steps or more particles."
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        if self.labels || self.advice.is_some() {
            return self.remedy().into();
        }
        format!(
            "The particles of an island stay correlated after resampling, or islands found different modes. By the noise of particles alone \
             more than {MOST} times as many would be needed, so different modes are likely: compare the islands' means, and use more mutation steps, or \
             more islands, whose weights average over the modes."
        )
        .into()
    }

    fn advice(&self) -> Option<&Advice> {
        self.advice.as_ref()
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        self.labels.then(|| labels::OF_FORMULA.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::Told;
    use crate::diagnose::warning::testing::change;
    use crate::run::example::islands;

    #[test]
    fn islands_in_different_modes() {
        let mut run = islands(&[-3.0; 8], 256);
        change(&mut run, 1, |island, _, value| {
            value + if island < 4 { 5.0 } else { -5.0 }
        });
        let warnings = run.warnings();
        let [
            Warning::IslandsDisagree(Told {
                found:
                    IslandsDisagree {
                        r_hat,
                        limit,
                        elements: 1,
                        ..
                    },
                ..
            }),
        ] = warnings.as_slice()
        else {
            panic!("{warnings:?}");
        };
        assert_eq!(
            warnings[0].to_string(),
            format!(
                "the islands disagree: R-hat is {r_hat:.3} for `beta[0]`; it should be below {limit:.3}. \
             The particles of an island stay correlated after resampling, or islands found different \
             modes. By the noise of particles alone more than 64 times as many would be needed, so different modes are likely: compare the \
             islands' means, and use more mutation steps, or more islands, whose weights average over the modes."
            )
        );
        assert!(*r_hat > 1.5 && *limit < 1.05);
    }

    /// Would detect advice without a number.
    #[test]
    fn islands_that_differ_a_little_need_a_number_of_particles() {
        let mut run = islands(&[-3.0; 8], 256);
        change(&mut run, 1, |island, _, value| {
            value + if island < 4 { 0.3 } else { -0.3 }
        });
        let warnings = run.warnings();
        let [Warning::IslandsDisagree(found)] = warnings.as_slice() else {
            panic!("{warnings:?}");
        };
        let advice = found.advice.as_ref().expect("a few times as many");
        let factor = (found.r_hat.powi(2) - 1.0) / (R_HAT * R_HAT - 1.0);
        assert!(advice.times as f64 >= factor && (advice.times as f64) < 2.0 * factor);
        let text = warnings[0].to_string();
        let wanted = format!(
            "Use more mutation steps or more particles. Try `.particles({})`",
            256 * advice.times
        );
        assert!(text.contains(&wanted), "{text}");
    }
}
