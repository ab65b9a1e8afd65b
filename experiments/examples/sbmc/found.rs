//! The results of the methods on a task, over the seeds.

use crate::score::Scores;
use crate::task::Task;
use bayes_experiments::common::estimate;

/// The results of a method with a number of members, seed by seed.
pub struct Found {
    pub method: String,
    pub scores: Vec<Scores>,
}

impl Found {
    pub fn members(&self) -> usize {
        self.scores[0].members
    }

    /// Mean over seeds of a figure, and its standard error.
    pub fn mean(&self, of: impl Fn(&Scores) -> f64) -> [f64; 2] {
        let values: Vec<f64> = self.scores.iter().map(of).collect();
        estimate(&values)
    }
}

/// All results of a task, in the order of the table.
pub struct Results<'a> {
    pub task: &'a Task,
    pub found: Vec<Found>,
}

impl Results<'_> {
    /// The rows of a method, by increasing numbers of members.
    pub fn of(&self, method: &str) -> impl Iterator<Item = &Found> + use<'_> {
        let method = method.to_owned();
        self.found
            .iter()
            .filter(move |found| found.method == method)
    }

    /// The row of a method with the most members.
    pub fn last(&self, method: &str) -> Option<&Found> {
        self.of(method).last()
    }

    /// The names of the groups of rows whose epistemic entropy is measured.
    pub fn sets(&self) -> Vec<&'static str> {
        let strange = self.task.predicted.strange.iter().map(|(name, _)| *name);
        ["right", "wrong"].into_iter().chain(strange).collect()
    }
}

/// The mean over the sets out of distribution of the epistemic entropy.
pub fn strange(scores: &Scores) -> f64 {
    let sets = &scores.epistemic[2..];
    sets.iter().sum::<f64>() / sets.len() as f64
}
