//! How much memory a run will take, and which smaller run fits into a limit.

use super::builder::Common;
use super::save::checkpoint::WAITING;
use crate::density::LogDensity;
use crate::error::Error;
use crate::observe::{Memory, Observer};

/// Bytes of a number.
pub(super) const NUMBER: u64 = 8;

/// The sizes of a density on which memory depends.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// Coordinates.
    pub(super) dim: u64,
    /// Values of a draw.
    pub(super) elements: u64,
}

impl Sizes {
    pub(super) fn of(density: &dyn LogDensity) -> Self {
        Self {
            dim: density.dim() as u64,
            elements: density.describe().layout.elements() as u64,
        }
    }

    /// Bytes of a draw of a result: its values and its position, and so many numbers beside them.
    pub(super) fn draw(self, beside: u64) -> u64 {
        NUMBER * (self.elements + self.dim + beside)
    }

    /// Bytes of a particle: its position, its gradient and two densities.
    pub(super) fn particle(self) -> u64 {
        NUMBER * (2 * self.dim + 2)
    }

    /// Bytes of a draw while a result is made of particles: its values twice, once as a list of their own.
    pub(super) fn output(self) -> u64 {
        NUMBER * (2 * self.elements + 3)
    }
}

/// Groups of chains.
#[derive(Clone, Copy)]
pub(super) struct ChainGroups {
    pub(super) groups: u64,
    /// Chains of a group.
    pub(super) chains: u64,
    /// Draws of each.
    pub(super) draws: u64,
    /// Numbers that a group keeps for its tuning.
    pub(super) tuning: u64,
    /// Numbers that it keeps for each draw until it is done, beside the draw.
    pub(super) traces: u64,
    pub(super) finished: Finished,
}

/// Numbers of a draw of a chain beside its values and its position: two densities and five statistics.
const BESIDE: u64 = 7;

impl ChainGroups {
    pub(super) fn memory(self, sizes: Sizes) -> Memory {
        let each = self.chains.saturating_mul(self.draws);
        let at_work = at_once(self.groups);
        let traces = self.traces.saturating_mul(self.chains * self.draws);
        let numbers = self.tuning.saturating_add(traces);
        let group = NUMBER.saturating_mul(numbers) + self.chains * sizes.particle();
        Memory {
            draws: self.finished.draws(self.groups, at_work, each, sizes),
            draw: sizes.draw(BESIDE),
            at_work: at_work.saturating_mul(group),
        }
    }

    /// The most of these draws whose memory is within the limit, at least one.
    pub(super) fn within(self, common: &Common, sizes: Sizes) -> u64 {
        let of_draws = |draws| Self { draws, ..self }.memory(sizes);
        let limit = common.memory_limit.unwrap_or(u64::MAX);
        largest(self.draws, limit, &of_draws).unwrap_or(1)
    }

    /// Tells what they take.
    ///
    /// # Errors
    /// Those of [`Common::check_memory`].
    pub(super) fn check(
        self,
        common: &Common,
        observer: &dyn Observer,
        sizes: Sizes,
    ) -> Result<(), Error> {
        let of_groups = |groups| Self { groups, ..self }.memory(sizes);
        let of_draws = |draws| Self { draws, ..self }.memory(sizes);
        let draws = Smaller {
            setting: "`.draws(#)`",
            least: 1,
            now: self.draws,
            memory: &of_draws,
        };
        let groups = (self.groups, &of_groups as &dyn Fn(u64) -> Memory);
        common.check_memory(observer, groups, &[draws])
    }
}

/// Which finished units are in memory.
#[derive(Clone, Copy)]
pub(super) enum Finished {
    All,
    /// They are in a file.
    None,
    /// They are in a file once they are in the folder of checkpoints.
    Waiting,
}

impl Finished {
    /// Those of a run whose draws go to a file, or do not.
    pub(super) fn of(common: &Common, streams: bool) -> Self {
        match (streams, &common.checkpoint) {
            (false, _) => Self::All,
            (true, None) => Self::None,
            (true, Some(_)) => Self::Waiting,
        }
    }

    /// The most draws in memory of so many units with so many draws each, of which some are at work.
    pub(super) fn draws(self, units: u64, at_work: u64, each: u64, sizes: Sizes) -> u64 {
        let [all, now] = [units, at_work].map(|units| units.saturating_mul(each));
        match self {
            Self::All => all,
            Self::None => now,
            Self::Waiting => {
                let waiting = WAITING as u64 / (sizes.elements + sizes.dim).max(1);
                all.min(now.saturating_add(waiting))
            }
        }
    }
}

/// How many of these units are at work at the same time.
pub(super) fn at_once(units: u64) -> u64 {
    units.min(rayon::current_num_threads() as u64)
}

/// A smaller run: the setting as it is written, with the value in place of `#`, its least and its present value, and the memory at another.
pub(super) struct Smaller<'a> {
    pub(super) setting: &'static str,
    pub(super) least: u64,
    pub(super) now: u64,
    pub(super) memory: &'a dyn Fn(u64) -> Memory,
}

/// The largest value from 1 to `most` at which memory is within the limit; memory grows with it.
pub(super) fn largest(most: u64, limit: u64, memory: &dyn Fn(u64) -> Memory) -> Option<u64> {
    let fits = |value: u64| memory(value).total() <= limit;
    if most == 0 || !fits(1) {
        return None;
    }
    let (mut low, mut high) = (1, most + 1);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if fits(middle) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(low)
}

impl Common {
    /// Tells the observers what a run takes.
    ///
    /// # Errors
    /// [`Error::Memory`] if that is more than the limit, with those of the smaller runs that fit. `units` are the islands or groups
    /// of this process, and the memory of so many of them.
    pub(super) fn check_memory(
        &self,
        observer: &dyn Observer,
        (units, of_units): (u64, &dyn Fn(u64) -> Memory),
        smaller: &[Smaller<'_>],
    ) -> Result<(), Error> {
        let memory = of_units(units);
        observer.memory(&memory);
        let Some(limit) = self.memory_limit.filter(|limit| memory.total() > *limit) else {
            return Ok(());
        };
        let fit = |run: &Smaller<'_>| {
            let value = largest(run.now.saturating_sub(1), limit, run.memory)?;
            (value >= run.least).then(|| run.setting.replace('#', &value.to_string()))
        };
        let mut fits: Vec<String> = smaller.iter().filter_map(fit).collect();
        let part = largest(units.saturating_sub(1), limit, of_units);
        if let (Some(part), None) = (part, self.shard) {
            let parts = units.div_ceil(part);
            fits.push(format!(
                "`.shard(i, {parts})`, {parts} parts one after another, whose files `RunFile::merge` joins"
            ));
        }
        Err(Error::Memory {
            memory: memory.to_string(),
            limit,
            fits,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_value_that_fits_is_found() {
        let memory = |draws| Memory {
            draws,
            draw: 10,
            at_work: 7,
        };
        assert_eq!(largest(100, 107, &memory), Some(10));
        assert_eq!(largest(100, 106, &memory), Some(9));
        assert_eq!(largest(5, 1000, &memory), Some(5));
        assert_eq!(largest(100, 16, &memory), None);
        assert_eq!(largest(0, 1000, &memory), None);
    }
}
