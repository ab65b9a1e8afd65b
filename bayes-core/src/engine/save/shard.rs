//! A part of a run that is spread over several processes.

use crate::error::Error;
use std::ops::Range;

/// Part `index`, from 0, of the `of` parts of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of this part, from 0.
    pub index: usize,
    /// Number of parts.
    pub of: usize,
}

impl Shard {
    /// The name of its subfolder within the common folder of checkpoints.
    pub(in crate::engine) fn folder(self) -> String {
        format!("shard-{}-of-{}", self.index, self.of)
    }

    /// The part whose folder has this name.
    pub(in crate::engine) fn of_folder(name: &str) -> Option<Self> {
        let (index, of) = name.strip_prefix("shard-")?.split_once("-of-")?;
        Some(Self {
            index: index.parse().ok()?,
            of: of.parse().ok()?,
        })
    }

    /// The share of this part among whole units: islands, or groups of chains. The units of a part are consecutive, and two parts differ
    /// by at most one unit.
    ///
    /// # Errors
    /// [`Error::Setting`] if there is no such part, or if there are fewer units than parts. `units` names the kind of unit.
    pub(in crate::engine) fn share(
        self,
        all: Range<u64>,
        units: &str,
    ) -> Result<Range<u64>, Error> {
        let Self { index, of } = self;
        let length = all.end - all.start;
        let holds = index < of && of as u64 <= length;
        let allowed = format!("below the number of parts, which is at most {length}: {units}");
        Error::setting("shard", format!("{index} of {of}"), holds, &allowed)?;
        // in u128, because a product may be above 2^64
        let begin = |part: usize| (u128::from(length) * part as u128 / of as u128) as u64;
        Ok(all.start + begin(index)..all.start + begin(index + 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_consecutive_and_of_equal_size() {
        for length in [1, 2, 7, 16, 1000] {
            for of in 1..=length.min(20) as usize {
                let mut end = 3;
                for index in 0..of {
                    let part = Shard { index, of };
                    let share = part.share(3..3 + length, "islands").expect("it exists");
                    assert_eq!(share.start, end);
                    let size = share.end - share.start;
                    assert!((length / of as u64..=length.div_ceil(of as u64)).contains(&size));
                    end = share.end;
                }
                assert_eq!(end, 3 + length);
            }
        }
    }

    #[test]
    fn parts_that_do_not_exist_are_refused() {
        for (index, of) in [(0, 0), (2, 2), (0, 9)] {
            let refused = Shard { index, of }.share(0..8, "there are 8 islands");
            assert_eq!(
                refused.expect_err("there is no such part").to_string(),
                format!(
                    "setting `shard` is {index} of {of}, must be below the number of parts, which is at most 8: there are 8 islands"
                )
            );
        }
    }
}
