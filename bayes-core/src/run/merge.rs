//! Merging runs of the same model that were made separately.

use super::{GroupKind, LIMITED, PRECISION_MISSED, Run, RunError};
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
    /// [`RunError::Merge`] without runs, if they differ in model, data, engine, kernel, settings, seed, random numbers, weighting or layout,
    /// if two of them hold the same group, or if groups are missing between others or from the whole of which they are parts.
    pub fn merge(runs: impl IntoIterator<Item = Self>) -> Result<Self, RunError> {
        let mut runs: Vec<Self> = runs.into_iter().collect();
        // whatever is taken from the first is then the same in any order
        runs.sort_by_key(|run| run.groups.iter().map(|group| group.index).min());
        let mut groups = Vec::new();
        for run in &mut runs {
            groups.append(&mut run.groups);
        }
        let Joined { mut run, wholes } = Self::joined(runs)?;
        groups.sort_by_key(|group| group.index);
        let indices: Vec<u64> = groups.iter().map(|group| group.index).collect();
        check_indices(run.kind, &indices, &wholes)?;
        run.groups = groups;
        Ok(run)
    }

    /// What parts without their groups have in common; the first part is that with the first group.
    pub(super) fn joined(parts: Vec<Self>) -> Result<Joined, RunError> {
        let wholes = parts.iter().filter_map(|run| run.part_of.clone()).collect();
        let mut parts = parts.into_iter();
        let mut run = parts.next().ok_or_else(|| mismatch("there is none"))?;
        forget_alone(&mut run);
        if run.fingerprint == NO_FINGERPRINT {
            return Err(mismatch(
                "nothing tells whether their densities are the same; implement `Quantities::fingerprint`",
            ));
        }
        if run.layout.dim == 0 {
            return Err(mismatch("they have some of their quantities alone"));
        }
        let mut instruction_sets = vec![run.arithmetic.instruction_set.clone()];
        for mut part in parts {
            forget_alone(&mut part);
            if let Some(what) = run.difference(&part) {
                return Err(mismatch(&format!("they differ in {what}")));
            }
            if !instruction_sets.contains(&part.arithmetic.instruction_set) {
                instruction_sets.push(part.arithmetic.instruction_set);
            }
        }
        run.arithmetic.instruction_set = instruction_sets.join(", ");
        run.part_of = None;
        run.is_stopped = false;
        Ok(Joined { run, wholes })
    }

    /// Why two runs cannot be merged.
    fn difference(&self, other: &Self) -> Option<String> {
        let texts = [
            ("version of bayes", &self.version, &other.version),
            (
                "random numbers (the versions of `rand`, `rand_chacha` or `rand_distr`)",
                &self.random_numbers,
                &other.random_numbers,
            ),
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

/// Removes what is said of a part alone: with others it may be precise enough, and there are more islands.
fn forget_alone(part: &mut Run) {
    part.settings.remove(PRECISION_MISSED);
    part.settings.remove(LIMITED);
}

/// Parts of a run as one, without groups.
pub(super) struct Joined {
    pub(super) run: Run,
    /// The groups of the wholes of which they are parts.
    pub(super) wholes: Vec<Range<u64>>,
}

/// Checks that every group of the `wholes`, and between the first and the last, is there once.
///
/// # Errors
/// [`RunError::Merge`] with the first that are missing or there twice.
pub(super) fn check_indices(
    kind: GroupKind,
    sorted: &[u64],
    wholes: &[Range<u64>],
) -> Result<(), RunError> {
    let Some(first) = sorted.first() else {
        return Ok(());
    };
    let missing = |groups: Range<u64>| match groups.is_empty() {
        true => Ok(()),
        false => Err(mismatch(&format!("{} missing", named(kind, groups)))),
    };
    let mut next = wholes
        .iter()
        .map(|whole| whole.start)
        .fold(*first, u64::min);
    let end = wholes.iter().map(|whole| whole.end).max();
    for index in sorted {
        if *index < next {
            let twice = format!("{} in two of them", named(kind, *index..index + 1));
            return Err(mismatch(&twice));
        }
        missing(next..*index)?;
        next = index + 1;
    }
    missing(next..end.unwrap_or(next))
}

/// Groups by their numbers, with the verb.
fn named(kind: GroupKind, groups: Range<u64>) -> String {
    let name = kind.name();
    match groups.end - groups.start {
        1 => format!("{name} {} is", groups.start),
        _ => format!("{name}s {} to {} are", groups.start, groups.end - 1),
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
            edited(|other| other.random_numbers = "ffffffff".to_owned()),
            "they differ in their random numbers (the versions of `rand`, `rand_chacha` or `rand_distr`): 0a1b2c3d and ffffffff"
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
