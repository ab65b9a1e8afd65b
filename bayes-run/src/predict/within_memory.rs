//! The memory limit of a run, for what is asked of it.

use super::{Prediction, Source};
use crate::error::Error;
use crate::run::{Group, Run};
use crate::text;

/// Bytes of a number.
const NUMBER: u64 = 8;
/// Numbers stored with a draw of a run beside its values and its position: two densities and five statistics.
const BESIDE: usize = 7;
/// Bytes of an observation or element in a result: its name and its numbers.
const OF_RESULT: u64 = 128;
/// The numbers of a draw that is evaluated are in its own lists of densities and of new data.
const COPIES: u64 = 2;
/// Lists with a number for each draw that a thread fills for an observation: ratios, their order, smoothed weights, and sums.
const LISTS: u64 = 8;
/// The numbers of the draws that are evaluated together may take one part in so many of what the limit leaves.
const TOGETHER: u64 = 8;

impl Run {
    /// Bytes of the draws and of what is stored with each of them.
    fn bytes(&self) -> u64 {
        let of = |g: &Group| g.draws.len() + g.positions.len() + BESIDE * g.log_prior.len();
        let numbers: usize = self.groups.iter().map(of).sum();
        NUMBER * numbers as u64
    }

    /// Bytes of [`Run::memory_limit`] that the run itself leaves; `None` without a limit.
    pub(crate) fn memory_left(&self) -> Option<u64> {
        Some(self.memory_limit?.saturating_sub(self.bytes()))
    }

    /// Checks that the limit leaves this many bytes for `what`.
    ///
    /// # Errors
    /// [`Error::Memory`] with the limit that would be enough.
    pub(crate) fn require_memory(&self, bytes: u64, what: &str) -> Result<(), Error> {
        let (Some(limit), Some(left)) = (self.memory_limit, self.memory_left()) else {
            return Ok(());
        };
        if bytes <= left {
            return Ok(());
        }
        let [more, own] = [bytes, self.bytes()].map(text::bytes);
        let enough = bytes.saturating_add(self.bytes());
        Err(Error::Memory {
            of: "what is asked of the run".to_owned(),
            memory: format!("{more} for {what} beside {own} for the run"),
            limit,
            fits: vec![format!("`run.memory_limit = Some({enough})`")],
        })
    }
}

impl Prediction<'_> {
    /// Bytes that the limit of the run leaves; `None` without a limit.
    pub(super) fn left(&self) -> Option<u64> {
        match self.source {
            Source::Run(run) => run.memory_left(),
            Source::Prior(_) => None,
        }
    }

    /// [`Run::require_memory`] of the run, if there is one.
    ///
    /// # Errors
    /// [`Error::Memory`].
    pub(super) fn require_memory(&self, bytes: u64, what: &str) -> Result<(), Error> {
        match self.source {
            Source::Run(run) => run.require_memory(bytes, what),
            Source::Prior(_) => Ok(()),
        }
    }

    /// Bytes for the numbers of some elements at this number of draws, at least those of one element, which take `each` bytes. The result has
    /// a row for each of `results` elements; `what` names one.
    ///
    /// # Errors
    /// [`Error::Memory`] if the limit of the run leaves fewer.
    pub(super) fn room_for(
        &self,
        draws: usize,
        results: usize,
        each: u64,
        what: &str,
    ) -> Result<usize, Error> {
        let Some(left) = self.left() else {
            return Ok(self.room);
        };
        let threads = rayon::current_num_threads() as u64;
        let lists = NUMBER * draws as u64 * (LISTS * threads + LISTS);
        let results = OF_RESULT * results as u64;
        let fixed = lists + results + self.bytes_of_tasks();
        let observed = self.observed.iter().map(|o| o.data.len());
        let generated = self.generated.iter().map(|g| g.shape.elements());
        let data: usize = observed.chain(generated).sum();
        let of_draw = COPIES * NUMBER * data as u64;
        let least = fixed.saturating_add(each).saturating_add(of_draw);
        let what = format!("{what} at {draws} draws");
        self.require_memory(least + least / (TOGETHER - 1) + 1, &what)?;
        let others = fixed + of_draw.max(left / TOGETHER);
        let room = usize::try_from(left - others).unwrap_or(usize::MAX);
        Ok(self.room.min(room))
    }

    /// The most bytes of the draws that are evaluated together, by the limit of the run.
    pub(super) fn most_together(&self) -> Option<usize> {
        let bytes = self.left()? / TOGETHER / COPIES;
        Some(usize::try_from(bytes).unwrap_or(usize::MAX))
    }
}
