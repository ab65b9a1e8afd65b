//! Checks of the settings, and the settings as text.

use super::ParallelSmc;
use crate::density::LogDensity;
use crate::engine::builder::Runner;
use crate::engine::common::named_texts;
use crate::engine::smc::interaction::Interaction;
use crate::engine::smc::resample::Resampling;
use crate::engine::smc::schedule::Schedule;
use crate::error::Error;
use std::collections::BTreeMap;

impl Runner<ParallelSmc> {
    /// Checks all settings.
    pub(super) fn validate(&self) -> Result<(), Error> {
        self.own.islands.validate()?;
        self.own.settings.validate_particles()?;
        if let Some(pilot) = self.own.pilot {
            let holds = (2..=u32::MAX as usize).contains(&pilot);
            Error::setting("pilot", pilot, holds, "from 2 to 4294967295 particles")?;
        }
        self.own.settings.validate_states()?;
        self.validate_resampling()?;
        self.validate_interaction()?;
        let kernel = self.own.kernel.name();
        Error::setting(
            "kernel",
            kernel,
            self.own.kernel.moves_together(),
            "`hmc`, `pcn` or `random_walk`; NUTS is for chains only, because its trajectories differ in length",
        )?;
        let range = self.own.settings.step_size_mixture;
        let holds = range >= 0.0 && range.is_finite();
        Error::setting(
            "step_size_mixture",
            range,
            holds,
            "a finite number, at least 0",
        )?;
        if let Some(limit) = self.own.budget.gradients {
            let holds = self.own.kernel.needs_gradient();
            let allowed = "used with a kernel that uses gradients";
            Error::setting("gradient_limit", limit, holds, allowed)?;
        }
        if let Some(shard) = self.common.shard {
            let holds = !self.own.budget.is_limited();
            let allowed = "used without `time_limit` and `gradient_limit`: the parts would not know how many islands the others make";
            Error::setting(
                "shard",
                format!("{} of {}", shard.index, shard.of),
                holds,
                allowed,
            )?;
        }
        self.own.settings.path.validate()?;
        self.own.settings.mutations.validate()?;
        self.own.settings.schedule.validate()
    }

    /// Without resampling, particles do not adapt to each other, and each has one state.
    fn validate_resampling(&self) -> Result<(), Error> {
        let is_resampled = self.own.settings.resampling != Resampling::Never;
        let learns_first = self.own.pilot.is_some();
        let allowed = "`Never` only with `.pilot(..)`, which learns temperatures and moves from particles that are resampled";
        let scheme = format!("{:?}", self.own.settings.resampling);
        Error::setting("resampling", scheme, is_resampled || learns_first, allowed)?;
        let kept = self.own.settings.kept();
        let allowed =
            "1 with `Resampling::Never`, since as many states stay as there are particles";
        Error::setting("states_kept", kept, is_resampled || kept == 1, allowed)
    }

    /// Interacting islands need common temperatures and must all be in one run.
    fn validate_interaction(&self) -> Result<(), Error> {
        let Some(interaction) = self.own.interaction else {
            return Ok(());
        };
        interaction.validate()?;
        let is_common =
            self.own.pilot.is_some() || matches!(self.own.settings.schedule, Schedule::Fixed(_));
        let given = format!("{:?}", self.own.settings.schedule);
        let allowed = "fixed, or learnt by `.pilot(..)`, where islands interact: their temperatures are the same";
        Error::setting("schedule", given, is_common, allowed)?;
        let given = format!("{:?}", self.own.islands.range);
        let allowed = "all islands of the run where they interact";
        Error::setting("island_range", given, !self.own.islands.is_part, allowed)?;
        let given = format!("{:?}", self.common.shard);
        let allowed = "none where islands interact";
        Error::setting("shard", given, self.common.shard.is_none(), allowed)?;
        if let Some(folder) = &self.common.checkpoint {
            Error::setting("checkpoint", folder.display(), false, allowed)?;
        }
        if self.common.stop.is_some() {
            Error::setting("stop_when", "a flag", false, allowed)?;
        }
        let islands = self.own.islands.range.end;
        Error::setting(
            "islands",
            islands,
            islands >= 2,
            "at least 2 where they interact",
        )
    }

    /// The settings that determine a result, except the range of islands.
    pub(super) fn settings_as_text(&self, density: &dyn LogDensity) -> BTreeMap<String, String> {
        let settings = &self.own.settings;
        let mut texts = named_texts([
            ("particles", settings.particles.to_string()),
            ("states_kept", settings.states_kept.to_string()),
            (
                "posterior_states",
                // the default may keep fewer
                match settings.posterior_states {
                    Some(states) => states.to_string(),
                    None => format!("up to {}", settings.wanted_states(density.dim())),
                },
            ),
            ("kernel", format!("{:?}", self.own.kernel)),
            ("path", format!("{:?}", settings.path)),
            ("mutations", format!("{:?}", settings.mutations)),
            ("schedule", format!("{:?}", settings.schedule)),
            ("resampling", format!("{:?}", settings.resampling)),
            ("step_size_rule", format!("{:?}", settings.step_size_rule)),
            (
                "step_size_mixture",
                format!("{:?}", settings.step_size_mixture),
            ),
            (
                "control_variates",
                settings
                    .control_variates
                    .map_or("automatic".to_owned(), |control| control.to_string()),
            ),
            (
                "pilot",
                self.own.pilot.map_or("none".to_owned(), |n| n.to_string()),
            ),
        ]);
        if let Some(Interaction { threshold }) = self.own.interaction {
            texts.insert("interacting".to_owned(), threshold.to_string());
        }
        if let Some(anchors) = &self.own.anchors {
            anchors.describe(&mut texts);
        }
        texts
    }
}
