//! The memory that a run will need, and smaller runs that fit into a limit.

use super::chains::mean_slopes;
use super::common::Common;
use super::save::checkpoint::WAITING;
use crate::density::LogDensity;
use crate::error::Error;
use crate::observe::{Memory, Observer};

/// Bytes of a number.
pub(super) const NUMBER: u64 = 8;

/// The sizes of a density that determine memory.
#[derive(Clone, Copy)]
pub(super) struct Sizes {
    /// Coordinates.
    pub(super) dim: u64,
    /// Values of a draw.
    pub(super) elements: u64,
    /// Bytes of the recordings that all threads make at the same time, of a model without a trace.
    pub(super) recordings: u64,
}

impl Sizes {
    pub(super) fn of(density: &dyn LogDensity) -> Self {
        let description = density.describe();
        let recording = description.arithmetic.recording.unwrap_or(0) as u64;
        Self {
            dim: density.dim() as u64,
            elements: description.layout.elements() as u64,
            recordings: recording.saturating_mul(rayon::current_num_threads() as u64),
        }
    }

    /// Bytes of a draw of a result: its values, its position, and `beside` further numbers.
    pub(super) fn draw(self, beside: u64) -> u64 {
        NUMBER * (self.elements + self.dim + beside)
    }

    /// Bytes of a particle: its position, its gradient and two densities.
    pub(super) fn particle(self) -> u64 {
        NUMBER * (2 * self.dim + 2)
    }

    /// Bytes of the sums of the slopes along a chain.
    fn slopes(self) -> u64 {
        NUMBER.saturating_mul(self.dim.saturating_mul(mean_slopes::NUMBERS as u64))
    }

    /// Bytes of a draw while a result is made from particles: its values twice, once as a separate list.
    pub(super) fn output(self) -> u64 {
        NUMBER * (2 * self.elements + 3)
    }
}

/// Groups of chains.
#[derive(Clone, Copy)]
pub(super) struct ChainGroups {
    pub(super) groups: u64,
    /// Number of chains in a group.
    pub(super) chains: u64,
    /// Number of draws of each chain.
    pub(super) draws: u64,
    /// Numbers stored for the tuning of a group.
    pub(super) tuning: u64,
    /// Numbers stored for each draw until the group is finished, beside the draw.
    pub(super) traces: u64,
    pub(super) finished: Finished,
}

/// Numbers stored with a draw of a chain beside its values and its position: two densities and five statistics.
const BESIDE: u64 = 7;

impl ChainGroups {
    pub(super) fn memory(self, sizes: Sizes) -> Memory {
        let each = self.chains.saturating_mul(self.draws);
        let at_work = at_once(self.groups);
        let traces = self.traces.saturating_mul(self.chains * self.draws);
        let numbers = self.tuning.saturating_add(traces);
        let chain = sizes.particle() + sizes.slopes();
        let group = NUMBER
            .saturating_mul(numbers)
            .saturating_add(self.chains.saturating_mul(chain));
        Memory {
            draws: self.finished.draws(self.groups, at_work, each, sizes),
            draw: sizes.draw(BESIDE),
            at_work: at_work
                .saturating_mul(group)
                .saturating_add(sizes.recordings),
        }
    }

    /// The maximum number of these draws whose memory is within the limit, at least one.
    pub(super) fn within(self, common: &Common, sizes: Sizes) -> u64 {
        let of_draws = |draws| Self { draws, ..self }.memory(sizes);
        let limit = common.memory_limit.unwrap_or(u64::MAX);
        largest(self.draws, limit, &of_draws).unwrap_or(1)
    }

    /// Reports the memory of these groups.
    ///
    /// # Errors
    /// The errors of [`Common::check_memory`].
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

/// The finished units that stay in memory.
#[derive(Clone, Copy)]
pub(super) enum Finished {
    All,
    /// None of them: they are in a file.
    None,
    /// Those that wait for the folder of checkpoints; afterwards they go to a file.
    Waiting,
}

impl Finished {
    /// The finished units in memory of a run whose draws go to a file if `streams` is true.
    pub(super) fn of(common: &Common, streams: bool) -> Self {
        match (streams, &common.checkpoint) {
            (false, _) => Self::All,
            (true, None) => Self::None,
            (true, Some(_)) => Self::Waiting,
        }
    }

    /// The maximum number of draws in memory, of `units` units with `each` draws, `at_work` of them running.
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

/// The number of these units that run at the same time.
pub(super) fn at_once(units: u64) -> u64 {
    units.min(rayon::current_num_threads() as u64)
}

/// A smaller run: the text of the setting with `#` for the value, its minimum and its present value, and the memory at another value.
pub(super) struct Smaller<'a> {
    pub(super) setting: &'static str,
    pub(super) least: u64,
    pub(super) now: u64,
    pub(super) memory: &'a dyn Fn(u64) -> Memory,
}

/// The largest value from 1 to `most` whose memory is within the limit; memory grows with the value.
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
    /// Reports the memory of a run to the observers.
    ///
    /// # Errors
    /// [`Error::Memory`] if the memory is above the limit, with the smaller runs that fit. `units` has the number of islands or groups of
    /// this process, and the memory as a function of their number.
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
            of: "the run".to_owned(),
            memory: memory.to_string(),
            limit,
            fits,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Would detect sums of slopes that are not counted.
    #[test]
    fn each_chain_at_work_sums_its_slopes() {
        let sizes = Sizes {
            dim: 100,
            elements: 100,
            recordings: 5,
        };
        let groups = ChainGroups {
            groups: 1,
            chains: 4,
            draws: 10,
            tuning: 0,
            traces: 0,
            finished: Finished::All,
        };
        let particle = 2 * 100 + 2;
        let sums = 33 * 100;
        assert_eq!(groups.memory(sizes).at_work, 4 * 8 * (particle + sums) + 5);
    }

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
