//! Merging runs of the same model that were made separately.

use super::{GroupKind, LIMITED, PRECISION_MISSED, Run, RunError};
use crate::density::equations;
use std::collections::BTreeMap;
use std::ops::Range;

impl Run {
    /// Merges the groups of all `runs` into one run, in the order of their indices. The runs are the parts of
    /// `Smc::shard`, or islands that were added by `Smc::island_range`. In any
    /// order the result has the bytes that one process would have given.
    ///
    /// A density written by hand needs [`Quantities::fingerprint`](crate::density::Quantities::fingerprint) to be merged. If processors
    /// had different instruction sets, the merged run names all of them: its last bits may then differ from the result of one process.
    ///
    /// # Errors
    /// [`RunError::Merge`] without runs; if they differ in model, data, engine, kernel, settings, seed, random numbers, weighting or
    /// layout; if two of them hold the same group; or if groups are missing between others or from the whole. The error names the runs by
    /// their places, from 0.
    pub fn merge(runs: impl IntoIterator<Item = Self>) -> Result<Self, RunError> {
        Self::merge_all(runs.into_iter().collect())
    }

    fn merge_all(runs: Vec<Self>) -> Result<Self, RunError> {
        let (mut parts, mut groups) = (Vec::new(), Vec::new());
        for (i, mut run) in runs.into_iter().enumerate() {
            let own = std::mem::take(&mut run.groups);
            parts.push(Part {
                name: format!("run {i}"),
                first: own.iter().map(|group| group.index).min(),
                run,
            });
            groups.extend(own.into_iter().map(|group| (i, group)));
        }
        groups.sort_by_key(|(part, group)| (group.index, *part));
        let held = groups.iter().map(|(part, group)| (group.index, *part));
        let mut run = Self::joined(parts, &held.collect::<Vec<_>>())?;
        run.groups = groups.into_iter().map(|(_, group)| group).collect();
        Ok(run)
    }

    /// The common fields of parts without their groups. `held` has the index of every group and the place of its part, in their order.
    pub(super) fn joined(mut parts: Vec<Part>, held: &[(u64, usize)]) -> Result<Self, RunError> {
        parts
            .iter_mut()
            .for_each(|part| forget_alone(&mut part.run));
        check_same(&parts)?;
        check_indices(&parts, held)?;
        // every field that is taken from the first part is then the same in any order
        parts.sort_by_key(|part| part.first);
        let mut instruction_sets: Vec<String> = Vec::new();
        for part in &parts {
            let own = &part.run.arithmetic.instruction_set;
            if !instruction_sets.contains(own) {
                instruction_sets.push(own.clone());
            }
        }
        // products are known only where trajectories diverged
        let products = parts.iter().map(|part| &part.run.products);
        let products = products.max_by_key(|found| !found.is_empty()).cloned();
        let solved = parts.iter().map(|part| part.run.equations.as_slice());
        let solved = equations::merged(solved);
        let gradient_fault = parts.iter().find_map(|part| part.run.gradient_fault);
        let not_compared = parts.iter().all(|part| part.run.not_compared);
        let first = parts.into_iter().next();
        let mut run = first.ok_or_else(|| mismatch("there is none"))?.run;
        run.arithmetic.instruction_set = instruction_sets.join(", ");
        run.products = products.unwrap_or_default();
        run.equations = solved;
        // all parts compare the same density, and the time of some may be over before
        run.gradient_fault = gradient_fault;
        run.not_compared = not_compared;
        run.part_of = None;
        run.is_stopped = false;
        Ok(run)
    }

    /// A field that keeps two runs from being merged, with its value in both.
    fn difference(&self, other: &Self) -> Option<String> {
        let texts = [
            ("version of bayes", &self.version, &other.version),
            (
                "random numbers (the versions of `rand`, `chacha20` or `rand_distr`)",
                &self.random_numbers,
                &other.random_numbers,
            ),
            ("model", &self.model, &other.model),
            ("engine", &self.engine, &other.engine),
            ("kernel", &self.kernel, &other.kernel),
        ];
        if let Some((what, mine, theirs)) = texts.into_iter().find(|text| text.1 != text.2) {
            return Some(format!("{what}: {mine} and {theirs}"));
        }
        if let Some(setting) = difference(&self.settings, &other.settings) {
            return Some(format!("setting {setting}"));
        }
        if self.seed != other.seed {
            return Some(format!("seed: {} and {}", self.seed, other.seed));
        }
        let parts = [
            ("data", self.fingerprint == other.fingerprint),
            ("recipe of the model", self.recipe == other.recipe),
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
        let (what, _) = parts.into_iter().find(|(_, same)| !same)?;
        Some(what.to_owned())
    }
}

/// Removes the settings that hold for one part alone: merged with others it may be precise enough, and there are more islands.
fn forget_alone(part: &mut Run) {
    part.settings.remove(PRECISION_MISSED);
    part.settings.remove(LIMITED);
}

/// A part of a run, without its groups.
pub(super) struct Part {
    /// Its name in messages.
    pub(super) name: String,
    /// The index of its first group.
    pub(super) first: Option<u64>,
    pub(super) run: Run,
}

/// Checks that parts are of the same run.
///
/// # Errors
/// [`RunError::Merge`] naming the first part that differs from the first of all; or naming the first part, if all others agree.
fn check_same(parts: &[Part]) -> Result<(), RunError> {
    let Some((first, others)) = parts.split_first() else {
        return Err(mismatch("there is none"));
    };
    if first.run.fingerprint == NO_FINGERPRINT {
        return Err(mismatch(
            "nothing tells whether their densities are the same; implement `Quantities::fingerprint`",
        ));
    }
    if let Some(part) = parts.iter().find(|part| part.run.layout.dim == 0) {
        let reason = format!("{} has some of its quantities alone", part.name);
        return Err(mismatch(&reason));
    }
    let differ = |one: &Part, other: &Part| one.run.difference(&other.run).is_some();
    let Some(other) = others.iter().find(|other| differ(other, first)) else {
        return Ok(());
    };
    let others_agree = others.len() > 1 && !others.iter().any(|one| differ(one, other));
    let (odd, usual) = match others_agree {
        true => (first, other),
        false => (other, first),
    };
    let what = odd.run.difference(&usual.run).unwrap_or_default();
    let reason = format!("{} and {} differ in their {what}", odd.name, usual.name);
    Err(mismatch(&reason))
}

/// Checks that every group of the wholes, and every group between the first and the last, occurs once.
///
/// # Errors
/// [`RunError::Merge`] with the first groups that are missing or occur twice.
fn check_indices(parts: &[Part], held: &[(u64, usize)]) -> Result<(), RunError> {
    let Some((first, mut holder)) = held.first().copied() else {
        return Ok(());
    };
    let kind = parts[holder].run.kind;
    let missing = |groups: Range<u64>| match groups.is_empty() {
        true => Ok(()),
        false => Err(mismatch(&format!("{} missing", named(kind, groups)))),
    };
    let wholes = || parts.iter().filter_map(|part| part.run.part_of.as_ref());
    let mut next = wholes().map(|whole| whole.start).fold(first, u64::min);
    let end = wholes().map(|whole| whole.end).max();
    for (index, part) in held {
        if *index < next {
            let (one, other) = (&parts[holder].name, &parts[*part].name);
            let group = named(kind, *index..index + 1);
            return Err(mismatch(&format!("{group} in {one} and in {other}")));
        }
        missing(next..*index)?;
        (next, holder) = (index + 1, *part);
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
#[must_use]
pub fn difference(
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

/// The fingerprint of a density without one.
const NO_FINGERPRINT: &str = "0000000000000000";

pub(super) fn mismatch(reason: &str) -> RunError {
    RunError::Merge {
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use crate::density::GradientFault;
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

    // Would detect the comparisons of the first part alone: their time may have been over.
    #[test]
    fn what_one_part_compared_is_known_of_the_whole() {
        let fault = GradientFault {
            met: 9,
            of: 10,
            gradient: 1.25,
            difference: 4.25,
        };
        let whole = islands(&[-1.0, -2.0], 4);
        let mut parts = [part(&whole, 0..1), part(&whole, 1..2)];
        parts[0].not_compared = true;
        parts[1].gradient_fault = Some(fault);
        let merged = Run::merge(parts.clone()).expect("they fit");
        assert_eq!(merged.gradient_fault, Some(fault));
        assert!(!merged.not_compared);
        parts[1].gradient_fault = None;
        parts[1].not_compared = true;
        assert!(Run::merge(parts).expect("they fit").not_compared);
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let run = islands(&[-1.0, -2.0], 4);
        assert_eq!(refusal(Vec::new()), "there is none");
        assert_eq!(
            refusal(vec![run.clone(), run.clone()]),
            "island 0 is in run 0 and in run 1"
        );
        let edited = |change: fn(&mut Run)| {
            let mut other = run.clone();
            change(&mut other);
            refusal(vec![run.clone(), other])
        };
        assert_eq!(
            edited(|other| other.fingerprint = "0".to_owned()),
            "run 1 and run 0 differ in their data"
        );
        assert_eq!(
            edited(|other| other.seed = 7),
            "run 1 and run 0 differ in their seed: 7 and 1"
        );
        assert_eq!(
            edited(|other| other.random_numbers = "ffffffff".to_owned()),
            "run 1 and run 0 differ in their random numbers (the versions of `rand`, `chacha20` or `rand_distr`): ffffffff and 0a1b2c3d"
        );
        assert_eq!(
            edited(|other| {
                other
                    .settings
                    .insert("particles".to_owned(), "8".to_owned());
            }),
            "run 1 and run 0 differ in their setting `particles`: 8 and none"
        );
        assert_eq!(
            refusal(vec![run, chains(2, 4)]),
            "run 1 and run 0 differ in their engine: hmc and psmc"
        );
    }

    #[test]
    fn the_odd_one_of_several_is_named() {
        let whole = islands(&[-1.0; 4], 4);
        for (odd, wanted) in [
            (0, "run 0 and run 1 differ in their seed: 2 and 1"),
            (1, "run 1 and run 0 differ in their seed: 2 and 1"),
            (3, "run 3 and run 0 differ in their seed: 2 and 1"),
        ] {
            // in another order than their groups
            let mut parts = [2, 0, 3, 1].map(|i| part(&whole, i..i + 1));
            parts[odd].seed = 2;
            assert_eq!(refusal(parts.to_vec()), wanted);
        }
        let twice = [2..4, 0..2, 1..3].map(|range| part(&whole, range));
        assert_eq!(refusal(twice.to_vec()), "island 1 is in run 1 and in run 2");
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
