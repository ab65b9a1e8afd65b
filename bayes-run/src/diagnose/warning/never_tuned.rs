//! Chains without a burn-in, whose kernel was never tuned.

use super::Message;
use crate::diagnose::ColumnDiagnostics;
use crate::run::Run;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The step size of the chains is the first guess of the kernel: there was no burn-in to tune it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NeverTuned {
    /// The first guess.
    pub step_size: f64,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<NeverTuned> {
    let setting = |name: &str| run.settings.get(name).map(String::as_str);
    // a step size that the user chose is not tuned in any case
    let is_tuned_by_burn_in = setting("kernel").is_some_and(|k| k.contains("step_size: None"));
    if setting("burn_in") != Some("0") || !is_tuned_by_burn_in {
        return None;
    }
    let stage = run.groups.first()?.history().last()?;
    Some(NeverTuned {
        step_size: stage.step_size,
    })
}

impl Message for NeverTuned {
    fn problem(&self) -> String {
        let step_size = crate::text::short(self.step_size);
        format!(
            "the chains were never tuned: without a burn-in the step size stays at the first guess, {step_size}"
        )
    }

    fn remedy(&self) -> &'static str {
        "Steps may be far too long, so that hardly any is accepted, or far too short. A burn-in (`.burn_in(1000)`) tunes the kernel, and the \
         temperatures of parallel tempering; if you know a good step size, give it to the kernel (`.step_size(..)`)."
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let remedy = "Steps may be far too long, so that hardly any is accepted, or far too short. A burn-in (`.burn_in(1000)`) tunes the kernel, and the \
                      temperatures of parallel tempering.";
        Some(remedy.into())
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::Run;
    use crate::run::example::chains;

    fn with(burn_in: &str, kernel: &str) -> Run {
        let mut run = chains(4, 500);
        let settings = [("burn_in", burn_in), ("kernel", kernel)];
        let settings = settings.map(|(name, text)| (name.to_owned(), text.to_owned()));
        run.settings.extend(settings);
        run
    }

    #[test]
    fn chains_without_burn_in() {
        let run = with("0", "Nuts { step_size: None, max_depth: 10 }");
        assert_warned(
            &run,
            "the chains were never tuned: without a burn-in the step size stays at the first guess, 0.3000. Steps may be far too long, so \
             that hardly any is accepted, or far too short. A burn-in (`.burn_in(1000)`) tunes the kernel, and the temperatures of parallel \
             tempering; if you know a good step size, give it to the kernel (`.step_size(..)`).",
        );
        for healthy in [
            with("1", "Nuts { step_size: None }"),
            with("0", "Nuts { step_size: Some(0.1) }"),
            with("0", "EllipticalSlice"),
        ] {
            assert!(healthy.warnings().is_empty(), "{:?}", healthy.warnings());
        }
    }
}
