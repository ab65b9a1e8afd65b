//! The memory of islands.

use super::ParallelSmc;
use crate::density::LogDensity;
use crate::engine::builder::Runner;
use crate::engine::memory::{Finished, NUMBER, Sizes, Smaller, at_once, largest};
use crate::engine::smc::resample::Resampling;
use crate::engine::smc::settings::Settings;
use crate::error::Error;
use crate::observe::{Memory, Observer};
use std::ops::Range;

/// Numbers stored with a draw beside its values and its position: two densities, the acceptance, and up to one ancestor and one weight.
const BESIDE: u64 = 5;

/// The sizes of islands that determine memory.
#[derive(Clone, Copy)]
struct Islands {
    islands: u64,
    particles: u64,
    /// States of each particle at the posterior.
    states: u64,
    /// States of each particle on the way there.
    kept: u64,
    /// Functions of control variates at each state on the way; 0 without them.
    functions: u64,
    /// Whether all islands run at the same time.
    together: bool,
    finished: Finished,
}

impl Islands {
    fn memory(self, sizes: Sizes) -> Memory {
        let each = self.particles.saturating_mul(self.states);
        let most = self.particles.saturating_mul(self.states.max(self.kept));
        // the states one after another and side by side, then their values
        let made = (2 * sizes.particle()).max(sizes.particle() + sizes.output());
        // twice, once transposed
        let controls = sizes.particle() + 2 * NUMBER * self.functions;
        let controlled = self
            .particles
            .saturating_mul(self.kept)
            .saturating_mul(controls);
        let at_once = match self.together {
            true => self.islands,
            false => at_once(self.islands),
        };
        Memory {
            draws: self.finished.draws(self.islands, at_once, each, sizes),
            draw: sizes.draw(BESIDE),
            at_work: at_once
                .saturating_mul(most.saturating_mul(made).max(controlled))
                .saturating_add(sizes.recordings),
        }
    }

    /// The maximum number of these islands whose memory is within the limit, at least one.
    fn within(self, limit: u64, sizes: Sizes) -> u64 {
        let memory = |islands| Self { islands, ..self }.memory(sizes);
        largest(self.islands, limit, &memory).unwrap_or(1)
    }
}

impl Runner<ParallelSmc> {
    /// The memory that the islands of this process need.
    pub(super) fn memory(&self, density: &dyn LogDensity) -> Memory {
        let sizes = Sizes::of(density);
        let all = self
            .share()
            .unwrap_or_else(|_| self.own.islands.range.clone());
        self.islands_of(all.end - all.start, sizes).memory(sizes)
    }

    /// The maximum number of islands, from 1 to `islands`, whose memory is within the limit, and their memory; with `streams`, finished
    /// islands leave memory.
    pub(crate) fn within_memory(
        &self,
        density: &dyn LogDensity,
        islands: u64,
        streams: bool,
    ) -> (u64, Memory) {
        let sizes = Sizes::of(density);
        let limit = self.common.memory_limit.unwrap_or(u64::MAX);
        let all = Islands {
            finished: Finished::of(&self.common, streams),
            ..self.islands_of(islands, sizes)
        };
        let islands = all.within(limit, sizes);
        (islands, Islands { islands, ..all }.memory(sizes))
    }

    fn islands_of(&self, islands: u64, sizes: Sizes) -> Islands {
        self.islands_with(&self.own.settings, islands, sizes)
    }

    fn islands_with(&self, settings: &Settings, islands: u64, sizes: Sizes) -> Islands {
        Islands {
            islands,
            particles: settings.particles as u64,
            states: settings.wanted_states(sizes.dim as usize) as u64,
            kept: settings.kept() as u64,
            functions: self.functions(settings, sizes.dim as usize) as u64,
            together: self.own.interaction.is_some(),
            finished: Finished::All,
        }
    }

    /// Reports the memory of the islands of this process; with `streams`, finished islands leave memory. If a limit of time or gradients
    /// decides their number, that number is reduced until they fit.
    pub(super) fn check_memory(
        &self,
        density: &dyn LogDensity,
        share: &mut Range<u64>,
        streams: bool,
        observer: &dyn Observer,
    ) -> Result<(), Error> {
        let sizes = Sizes::of(density);
        let finished = Finished::of(&self.common, streams);
        let mut all = Islands {
            finished,
            ..self.islands_of(share.end - share.start, sizes)
        };
        if self.own.budget.is_limited() {
            let limit = self.common.memory_limit.unwrap_or(u64::MAX);
            all.islands = all.within(limit, sizes);
            share.end = share.start + all.islands;
        }
        let of_islands = |islands| Islands { islands, ..all }.memory(sizes);
        // fewer particles may keep more states each
        let of_particles = |particles| {
            let settings = Settings {
                particles: particles as usize,
                ..self.own.settings.clone()
            };
            let islands = self.islands_with(&settings, all.islands, sizes);
            Islands {
                finished,
                ..islands
            }
            .memory(sizes)
        };
        let of_states = |states| Islands { states, ..all }.memory(sizes);
        let mut smaller = vec![
            Smaller {
                setting: "`.particles(#)`",
                least: 2,
                now: all.particles,
                memory: &of_particles,
            },
            Smaller {
                setting: "`.islands(#)`",
                least: 1,
                now: all.islands,
                memory: &of_islands,
            },
        ];
        if self.own.settings.resampling != Resampling::Never {
            smaller.push(Smaller {
                setting: "`.posterior_states(#)`",
                least: 1,
                now: all.states,
                memory: &of_states,
            });
        }
        let units = (all.islands, &of_islands as &dyn Fn(u64) -> Memory);
        self.common.check_memory(observer, units, &smaller)
    }
}
