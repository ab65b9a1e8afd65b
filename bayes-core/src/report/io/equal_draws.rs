//! Draws of equal weight, for formats that know no weights.

use crate::run::{Group, Run};

/// The draws of a run as chains of equal lengths and weights.
///
/// The draws of islands, and of any run with weights, are resampled to as many equal ones: each draw is there as often as its weight
/// says, up to one more or less, and all form one chain. Chains that a merge has put together are cut to the length of the shortest.
pub(super) struct EqualDraws<'a> {
    pub(super) chains: usize,
    /// Draws of each chain.
    pub(super) each: usize,
    /// For each draw its group and its place there, chain by chain.
    pub(super) rows: Vec<(&'a Group, usize)>,
    /// The place of each among all draws of the run.
    pub(super) places: Vec<usize>,
}

impl<'a> EqualDraws<'a> {
    pub(super) fn of(run: &'a Run) -> Self {
        let elements = run.layout.elements();
        let all = run.groups.iter().flat_map(|group| {
            let length = group.len(elements);
            (0..length).map(move |draw| (group, draw))
        });
        if run.is_chains() {
            let each = run.draws_per_group();
            let kept = all.enumerate().filter(|(_, (_, draw))| *draw < each);
            let (places, rows) = kept.unzip();
            return Self {
                chains: run.groups.len(),
                each,
                rows,
                places,
            };
        }
        let all: Vec<(&Group, usize)> = all.collect();
        let places = repeated(&run.draw_weights(), all.len());
        Self {
            chains: 1,
            each: all.len(),
            rows: places.iter().map(|row| all[*row]).collect(),
            places,
        }
    }

    /// Log prior with the Jacobian, plus log likelihood.
    pub(super) fn log_densities(&self) -> Vec<f64> {
        let of =
            |(group, draw): &(&Group, usize)| group.log_prior[*draw] + group.log_likelihood[*draw];
        self.rows.iter().map(of).collect()
    }

    /// A statistic of every draw; `None` if some group does not have it.
    pub(super) fn listed<T: Copy + 'a>(
        &self,
        list: impl Fn(&'a Group) -> &'a [T],
    ) -> Option<Vec<T>> {
        let value = |(group, draw): &(&'a Group, usize)| list(group).get(*draw).copied();
        self.rows.iter().map(value).collect()
    }
}

/// `count` places, each as often as its weight says, up to one more or less: systematic resampling from the middle of its
/// first step, so that the same run gives the same file.
fn repeated(weights: &[f64], count: usize) -> Vec<usize> {
    let total: f64 = weights.iter().sum();
    let (mut sum, mut rows) = (0.0, Vec::with_capacity(count));
    for (row, weight) in weights.iter().enumerate() {
        sum += weight / total;
        while rows.len() < count && (rows.len() as f64 + 0.5) < sum * count as f64 {
            rows.push(row);
        }
    }
    // rounding may leave the last one out
    let last = rows.last().copied().unwrap_or(0);
    rows.resize(count, last);
    rows
}

#[cfg(test)]
mod tests {
    use super::repeated;

    #[test]
    fn weights_are_met_up_to_one() {
        let weights = [0.05, 0.5, 0.0, 0.45];
        let rows = repeated(&weights, 40);
        let count = |row| rows.iter().filter(|found| **found == row).count();
        assert_eq!([0, 1, 2, 3].map(count), [2, 20, 0, 18]);
        assert_eq!(repeated(&[1.0; 5], 5), [0, 1, 2, 3, 4]);
    }
}
