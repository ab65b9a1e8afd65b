//! The evaluation of a model: the mode of its gradients and the instruction set.

use super::TraceSize;
use crate::error::Error;
use bayes_autodiff::simd::InstructionSet;
use serde::{Deserialize, Serialize};
use std::fmt;

/// The mode of differentiation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GradientMode {
    /// Reverse mode, or forward mode for models without a trace. The run prints the choice and its reason.
    #[default]
    Automatic,
    /// Forward mode, one particle at a time: the model's operations are recorded at each position, and evaluated with dual numbers for up to
    /// 16 coordinates at once. A model of `#[model(forward)]` runs with dual numbers itself, which is faster.
    Forward,
    /// Reverse mode: the model's operations are recorded once, as a trace, and replayed for 32 particles at a time. A model without a
    /// trace is evaluated in [`GradientMode::Forward`].
    #[serde(alias = "traced")]
    Reverse,
}

impl GradientMode {
    /// `automatic`, `forward` or `reverse`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Forward => "forward",
            Self::Reverse => "reverse",
        }
    }
}

/// The user's settings; by default the library chooses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArithmeticSettings {
    /// The mode of differentiation.
    pub gradient: GradientMode,
    /// The instruction set; by default the fastest of the processor.
    pub instruction_set: Option<InstructionSet>,
}

/// The evaluation of a model, stored with the result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Arithmetic {
    /// [`GradientMode::Forward`] or [`GradientMode::Reverse`]; [`GradientMode::Automatic`] for a density written by hand.
    pub gradient: GradientMode,
    /// The reason for the choice.
    pub reason: String,
    /// The name of the instruction set; results may differ in the last bits between instruction sets.
    pub instruction_set: String,
    /// The size of the trace, in [`GradientMode::Reverse`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace: Option<TraceSize>,
    /// The reason why the model has no trace, with the statement that prevents it; `None` if it has one, or none was wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub untraceable: Option<String>,
    /// Whether the model is compiled for dual numbers too: `#[model(forward)]`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_dual_numbers: bool,
    /// Bytes of a recording at one position with its values, which each thread makes for each gradient of a model without a trace and without
    /// dual numbers; otherwise `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recording: Option<usize>,
}

impl Arithmetic {
    /// The arithmetic of a hand-written density.
    pub(super) fn by_hand() -> Self {
        Self {
            gradient: GradientMode::Automatic,
            reason: "by the density itself, or by differences if it has none".to_owned(),
            instruction_set: InstructionSet::detect().name().to_owned(),
            trace: None,
            untraceable: None,
            has_dual_numbers: false,
            recording: None,
        }
    }
}

impl fmt::Display for Arithmetic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mode = self.gradient.name();
        let (set, reason) = (&self.instruction_set, &self.reason);
        write!(f, "{set}, gradients in {mode} mode: {reason}")
    }
}

impl ArithmeticSettings {
    /// The instruction set to use.
    ///
    /// # Errors
    /// [`Error::Setting`] if the processor does not support it.
    pub(super) fn level(self) -> Result<InstructionSet, Error> {
        let Some(level) = self.instruction_set else {
            return Ok(InstructionSet::detect());
        };
        let available = InstructionSet::available();
        let names: Vec<&str> = available.map(InstructionSet::name).collect();
        let allowed = format!(
            "one that is compiled and that this processor has: {}",
            names.join(", ")
        );
        Error::setting("instruction_set", level, level.is_available(), &allowed)?;
        Ok(level)
    }
}

#[cfg(test)]
mod tests {
    use super::{Arithmetic, ArithmeticSettings};
    use bayes_autodiff::simd::InstructionSet;

    #[test]
    fn an_instruction_set_that_is_not_there_is_an_error() {
        for level in InstructionSet::ALL {
            let settings = ArithmeticSettings {
                instruction_set: Some(level),
                ..ArithmeticSettings::default()
            };
            assert_eq!(settings.level().is_ok(), level.is_available(), "{level}");
        }
    }

    #[test]
    fn it_is_printed_in_a_line() {
        let arithmetic = Arithmetic {
            instruction_set: "avx2".to_owned(),
            ..Arithmetic::by_hand()
        };
        assert_eq!(
            arithmetic.to_string(),
            "avx2, gradients in automatic mode: by the density itself, or by differences if it has none"
        );
    }
}
