//! Merging runs of the same model that were made separately.

use super::{PRECISION_MISSED, Run, RunError};
use std::collections::BTreeMap;
use std::ops::Range;

impl Run {
    /// Merges the groups of all `runs` into one run, in the order of their indices: the parts of [`shard`](crate::engine::Smc::shard),
    /// or islands that were added by [`island_range`](crate::engine::Smc::island_range). In any order the runs give the bytes that
    /// one process would have given.
    ///
    /// A density written by hand needs [`Quantities::fingerprint`](crate::density::Quantities::fingerprint) for it. If
    /// processors had different instruction sets, the merged run names all of them: its last bits may then differ from those of
    /// one process.
    ///
    /// # Errors
    /// [`RunError::Merge`] without runs, if they differ in model, data, engine, kernel, settings, seed, weighting or layout,
    /// if two of them hold the same group, or if groups are missing between others or from the whole of which they are parts.
    pub fn merge(runs: impl IntoIterator<Item = Self>) -> Result<Self, RunError> {
        let mut runs: Vec<Self> = runs.into_iter().collect();
        // with others it may be precise enough
        for run in &mut runs {
            run.settings.remove(PRECISION_MISSED);
        }
        // whatever is taken from the first is then the same in any order
        runs.sort_by_key(|run| run.groups.iter().map(|group| group.index).min());
        let wholes: Vec<Range<u64>> = runs.iter().filter_map(|run| run.part_of.clone()).collect();
        let mut runs = runs.into_iter();
        let mut merged = runs.next().ok_or_else(|| mismatch("there is none"))?;
        if merged.fingerprint == NO_FINGERPRINT {
            return Err(mismatch(
                "nothing tells whether their densities are the same; implement `Quantities::fingerprint`",
            ));
        }
        let mut instruction_sets = vec![merged.arithmetic.instruction_set.clone()];
        for run in runs {
            if let Some(what) = merged.difference(&run) {
                return Err(mismatch(&format!("they differ in {what}")));
            }
            if !instruction_sets.contains(&run.arithmetic.instruction_set) {
                instruction_sets.push(run.arithmetic.instruction_set);
            }
            merged.groups.extend(run.groups);
        }
        merged.groups.sort_by_key(|group| group.index);
        merged.check_indices(&wholes)?;
        merged.arithmetic.instruction_set = instruction_sets.join(", ");
        merged.part_of = None;
        merged.is_stopped = false;
        Ok(merged)
    }

    /// Checks that every group of the `wholes`, and between the first and the last, is there once.
    fn check_indices(&self, wholes: &[Range<u64>]) -> Result<(), RunError> {
        let mut indices = self.groups.iter().map(|group| group.index);
        let Some(first) = indices.next() else {
            return Ok(());
        };
        let mut next = wholes.iter().map(|whole| whole.start).fold(first, u64::min);
        let end = wholes.iter().map(|whole| whole.end).max();
        for index in std::iter::once(first).chain(indices) {
            if index < next {
                let twice = format!("{} in two of them", self.named(index..index + 1));
                return Err(mismatch(&twice));
            }
            self.missing(next..index)?;
            next = index + 1;
        }
        self.missing(next..end.unwrap_or(next))
    }

    fn missing(&self, groups: Range<u64>) -> Result<(), RunError> {
        if groups.is_empty() {
            return Ok(());
        }
        Err(mismatch(&format!("{} missing", self.named(groups))))
    }

    /// Groups by their numbers, with the verb.
    fn named(&self, groups: Range<u64>) -> String {
        let name = self.kind.name();
        match groups.end - groups.start {
            1 => format!("{name} {} is", groups.start),
            _ => format!("{name}s {} to {} are", groups.start, groups.end - 1),
        }
    }

    /// Why two runs cannot be merged.
    fn difference(&self, other: &Self) -> Option<String> {
        let texts = [
            ("version of bayes", &self.version, &other.version),
            ("model", &self.model, &other.model),
            ("engine", &self.engine, &other.engine),
            ("kernel", &self.kernel, &other.kernel),
        ];
        if let Some((what, mine, theirs)) = texts.into_iter().find(|text| text.1 != text.2) {
            return Some(format!("their {what}: {mine} and {theirs}"));
        }
        if let Some(setting) = difference(&self.settings, &other.settings) {
            return Some(format!("their setting {setting}"));
        }
        if self.seed != other.seed {
            return Some(format!("their seed: {} and {}", self.seed, other.seed));
        }
        let parts = [
            ("data", self.fingerprint == other.fingerprint),
            (
                "gradients",
                self.arithmetic.gradient == other.arithmetic.gradient,
            ),
            ("kind of groups", self.kind == other.kind),
            ("weighting", self.weighting == other.weighting),
            (
                "quantities",
                self.layout.without_dims() == other.layout.without_dims(),
            ),
        ];
        let part = parts.into_iter().find(|(_, same)| !same)?;
        Some(format!("their {}", part.0))
    }
}

/// The first name whose texts differ, with both of them.
pub(crate) fn difference(
    mine: &BTreeMap<String, String>,
    theirs: &BTreeMap<String, String>,
) -> Option<String> {
    let names = mine.keys().chain(theirs.keys());
    let text = |texts: &BTreeMap<String, String>, name| {
        texts.get(name).map_or("none", String::as_str).to_owned()
    };
    let pairs = names.map(|name| (name, text(mine, name), text(theirs, name)));
    let (name, mine, theirs) = pairs.into_iter().find(|(_, mine, theirs)| mine != theirs)?;
    Some(format!("`{name}`: {mine} and {theirs}"))
}

/// The fingerprint of a density that has none.
const NO_FINGERPRINT: &str = "0000000000000000";

fn mismatch(reason: &str) -> RunError {
    RunError::Merge {
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::run::example::{chains, islands};
    use crate::run::{Run, RunError};

    /// The groups `range` of `run`.
    fn part(run: &Run, range: std::ops::Range<usize>) -> Run {
        Run {
            groups: run.groups[range].to_vec(),
            ..run.clone()
        }
    }

    fn refusal(runs: Vec<Run>) -> String {
        match Run::merge(runs) {
            Err(RunError::Merge { reason }) => reason,
            other => panic!("want a refusal, got {other:?}"),
        }
    }

    fn text(run: &Run) -> String {
        serde_json::to_string(run).expect("runs are JSON")
    }

    #[test]
    fn parts_in_any_order_make_the_whole() {
        let whole = islands(&[-1.0, -2.0, -3.0], 4);
        let merged = Run::merge([part(&whole, 2..3), part(&whole, 0..2)]).expect("they fit");
        assert_eq!(text(&merged), text(&whole));
    }

    #[test]
    fn instruction_sets_are_all_named_in_any_order() {
        let whole = islands(&[-1.0, -2.0, -3.0], 4);
        let mut first = part(&whole, 0..1);
        first.arithmetic.instruction_set = "avx512".to_owned();
        let rest = part(&whole, 1..3);
        let [one, other] = [[first.clone(), rest.clone()], [rest, first]]
            .map(|runs| Run::merge(runs).expect("they fit"));
        assert_eq!(one.arithmetic.instruction_set, "avx512, avx2");
        assert_eq!(text(&one), text(&other));
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let run = islands(&[-1.0, -2.0], 4);
        assert_eq!(refusal(Vec::new()), "there is none");
        assert_eq!(
            refusal(vec![run.clone(), run.clone()]),
            "island 0 is in two of them"
        );
        let edited = |change: fn(&mut Run)| {
            let mut other = run.clone();
            change(&mut other);
            refusal(vec![run.clone(), other])
        };
        assert_eq!(
            edited(|other| other.fingerprint = "0".to_owned()),
            "they differ in their data"
        );
        assert_eq!(
            edited(|other| other.seed = 7),
            "they differ in their seed: 1 and 7"
        );
        assert_eq!(
            edited(|other| {
                other
                    .settings
                    .insert("particles".to_owned(), "8".to_owned());
            }),
            "they differ in their setting `particles`: none and 8"
        );
        assert_eq!(
            refusal(vec![run, chains(2, 4)]),
            "they differ in their engine: psmc and hmc"
        );
    }

    #[test]
    fn groups_that_are_missing_are_named() {
        let whole = islands(&[-1.0; 9], 4);
        let shard = |range| Run {
            part_of: Some(0..9),
            ..part(&whole, range)
        };
        let hole = vec![part(&whole, 6..9), part(&whole, 0..2)];
        assert_eq!(refusal(hole), "islands 2 to 5 are missing");
        assert_eq!(
            refusal(vec![shard(0..4), shard(4..8)]),
            "island 8 is missing"
        );
        assert_eq!(refusal(vec![shard(3..9)]), "islands 0 to 2 are missing");
        // islands that were added to others have no whole
        assert!(Run::merge([part(&whole, 3..9)]).is_ok());
        let merged = Run::merge([shard(4..9), shard(0..4)]).expect("they fit");
        assert_eq!(text(&merged), text(&whole));
    }
}
