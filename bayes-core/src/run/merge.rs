//! Merging runs of the same model that were made separately.

use super::{Group, Run, RunError};

impl Run {
    /// Merges the groups of all `runs` into one run, in the order of their indices. Islands 0 to 3 of one process and
    /// 4 to 7 of another give the same bytes as a run of islands 0 to 7.
    ///
    /// A density written by hand needs [`Quantities::fingerprint`](crate::density::Quantities::fingerprint) for it.
    ///
    /// # Errors
    /// [`RunError::Merge`] without runs, if they differ in model, data, engine, kernel, settings, seed, weighting or layout,
    /// or if two of them hold the same group. Instruction sets may differ; that of the first is kept.
    pub fn merge(runs: impl IntoIterator<Item = Self>) -> Result<Self, RunError> {
        let mut runs = runs.into_iter();
        let mut merged = runs.next().ok_or_else(|| mismatch("there is none"))?;
        if merged.fingerprint == NO_FINGERPRINT {
            return Err(mismatch(
                "nothing tells whether their densities are the same; implement `Quantities::fingerprint`",
            ));
        }
        for run in runs {
            if let Some(what) = merged.difference(&run) {
                return Err(mismatch(&format!("they differ in {what}")));
            }
            merged.groups.extend(run.groups);
        }
        merged.groups.sort_by_key(|group| group.index);
        let same = |pair: &[Group]| pair[0].index == pair[1].index;
        if let Some(pair) = merged.groups.windows(2).find(|pair| same(pair)) {
            let twice = format!("group {} is there twice", pair[0].index);
            return Err(mismatch(&twice));
        }
        Ok(merged)
    }

    /// Why two runs cannot be merged.
    fn difference(&self, other: &Self) -> Option<&'static str> {
        let parts = [
            ("their version of bayes", self.version == other.version),
            ("their model", self.model == other.model),
            ("their data", self.fingerprint == other.fingerprint),
            ("their engine", self.engine == other.engine),
            ("their kernel", self.kernel == other.kernel),
            ("their settings", self.settings == other.settings),
            ("their seed", self.seed == other.seed),
            (
                "their gradients",
                self.arithmetic.gradient == other.arithmetic.gradient,
            ),
            ("the kind of their groups", self.kind == other.kind),
            ("their weighting", self.weighting == other.weighting),
            ("their quantities", self.layout == other.layout),
        ];
        parts.into_iter().find(|(_, same)| !same).map(|part| part.0)
    }
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

    #[test]
    fn parts_in_any_order_make_the_whole() {
        let whole = islands(&[-1.0, -2.0, -3.0], 4);
        let merged = Run::merge([part(&whole, 2..3), part(&whole, 0..2)]).expect("they fit");
        let text = |run: &Run| serde_json::to_string(run).expect("runs are JSON");
        assert_eq!(text(&merged), text(&whole));
    }

    #[test]
    fn what_does_not_belong_together_is_refused() {
        let run = islands(&[-1.0, -2.0], 4);
        assert_eq!(refusal(Vec::new()), "there is none");
        assert_eq!(
            refusal(vec![run.clone(), run.clone()]),
            "group 0 is there twice"
        );
        let mut other = run.clone();
        other.fingerprint = "0".to_owned();
        assert_eq!(
            refusal(vec![run.clone(), other]),
            "they differ in their data"
        );
        assert_eq!(
            refusal(vec![run, chains(2, 4)]),
            "they differ in their engine"
        );
    }
}
