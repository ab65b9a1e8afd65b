//! Sensitivity from the draws of one run: of a posterior to its prior and its likelihood, by power scaling (Kallioinen et al. 2024), and
//! of the evidence to the prior.
//!
//! ```text
//! println!("{}", run.sensitivity(&model)?);
//! println!("{}", run.evidence_sensitivity(&model, others)?);
//! ```

mod distance;
mod evidence;
mod power_scaling;
mod table;
mod terms;
#[cfg(test)]
mod tests;

pub use distance::cjs_distance;
pub use evidence::{EvidenceRow, EvidenceSensitivity};
use terms::at_draws;

/// How much the posterior of each element changes if the prior, or the likelihood, is raised to a power near 1.
///
/// Printing it shows the table with its diagnoses, and whether the numbers can be trusted.
#[derive(Clone, Debug, PartialEq)]
pub struct Sensitivity {
    /// One row for each element, in the order of the model.
    pub rows: Vec<SensitivityRow>,
    /// The random quantities whose priors were scaled.
    pub priors: Vec<String>,
    /// The random quantities whose priors depend on other random quantities, and were not scaled.
    pub left_out: Vec<String>,
    /// The largest k-hat of the importance weights that scale the prior. NaN if there was no prior to scale.
    pub prior_k: f64,
    /// The largest k-hat of the importance weights that scale the likelihood.
    pub likelihood_k: f64,
    /// The largest k-hat that is good for the number of draws.
    pub good_k: f64,
}

/// The sensitivities of one element: the distance between the posterior and the scaled posterior, for each doubling of the power. NaN for
/// an element that does not vary.
#[derive(Clone, Debug, PartialEq)]
pub struct SensitivityRow {
    /// The element: `mu`, `beta[3]`.
    pub name: String,
    /// Sensitivity to the prior.
    pub prior: f64,
    /// Sensitivity to the likelihood.
    pub likelihood: f64,
}

/// The joint diagnosis of an element's two sensitivities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Diagnosis {
    /// The likelihood determines the element, or it is sensitive to neither.
    Fine,
    /// Both change the element: they may contradict each other.
    PriorDataConflict,
    /// The prior changes the element and the likelihood does not.
    StrongPrior,
}

impl SensitivityRow {
    /// Sensitivity from which on an element is called sensitive (Kallioinen et al. 2024). A normal distribution reaches it if its mean
    /// moves by about a quarter of a standard deviation for each doubling of the power.
    pub const THRESHOLD: f64 = 0.05;

    /// The joint diagnosis of the sensitivities.
    #[must_use]
    pub fn diagnosis(&self) -> Diagnosis {
        match (
            self.prior >= Self::THRESHOLD,
            self.likelihood >= Self::THRESHOLD,
        ) {
            (true, true) => Diagnosis::PriorDataConflict,
            (true, false) if self.likelihood.is_finite() => Diagnosis::StrongPrior,
            _ => Diagnosis::Fine,
        }
    }
}

impl Sensitivity {
    /// The row of an element, by its full name (`beta[3]`).
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&SensitivityRow> {
        self.rows.iter().find(|row| row.name == name)
    }
}
