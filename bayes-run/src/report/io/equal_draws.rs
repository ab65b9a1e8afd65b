//! Draws of equal weight, for formats that know no weights.

use crate::run::{Group, Run};

/// Number of chains for resampled draws: readers want several.
const CHAINS: usize = 4;

/// Default maximum for resampled draws: the number that users of such formats are used to.
const MOST: usize = 4000;

/// The draws of a run as chains of equal lengths and weights.
///
/// The draws of islands, and of any run with weights, are resampled to equal draws in four chains. Each draw occurs as often as its weight
/// says, up to one more or less. Chains that were merged from several runs are cut to the length of the shortest.
pub(super) struct EqualDraws<'a> {
    pub(super) chains: usize,
    /// Number of draws of each chain.
    pub(super) each: usize,
    /// The group of each draw and its index in the group, chain by chain.
    pub(super) rows: Vec<(&'a Group, usize)>,
    /// The index of each draw among all draws of the run.
    pub(super) places: Vec<usize>,
}

impl<'a> EqualDraws<'a> {
    /// Default number of resampled draws.
    pub(super) fn usual(run: &Run) -> usize {
        run.total_draws().min(MOST)
    }

    /// The chains of MCMC unchanged; other draws resampled to `number` draws in four chains, rounded down, or in one chain if there are
    /// fewer than four.
    ///
    /// The resampled chains take turns, so that each is a systematic sample of the whole. If each chain held the islands one after
    /// another, readers would see a mean that wanders.
    pub(super) fn new(run: &'a Run, number: usize) -> Self {
        let all = rows(run);
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
        let chains = if number < CHAINS { 1 } else { CHAINS };
        let each = number / chains;
        let chosen = repeated(&run.draw_weights(), chains * each);
        let turns = |chain: usize| chosen.iter().skip(chain).step_by(chains).copied();
        let places: Vec<usize> = (0..chains).flat_map(turns).collect();
        Self {
            chains,
            each,
            rows: places.iter().map(|place| all[*place]).collect(),
            places,
        }
    }

    /// Log prior with the Jacobian, plus log likelihood.
    pub(super) fn log_densities(&self) -> Vec<f64> {
        let of =
            |(group, draw): &(&Group, usize)| group.log_prior[*draw] + group.log_likelihood[*draw];
        self.rows.iter().map(of).collect()
    }

    /// A statistic of every draw; `None` if some group lacks it.
    pub(super) fn listed<T: Copy + 'a>(
        &self,
        list: impl Fn(&'a Group) -> &'a [T],
    ) -> Option<Vec<T>> {
        let value = |(group, draw): &(&'a Group, usize)| list(group).get(*draw).copied();
        self.rows.iter().map(value).collect()
    }
}

impl Run {
    /// Draws of equal weight that represent the run, for programs that know no weights. For each chain, the indices of its draws among all
    /// draws of the run, in the order of [`Run::draws`]. All chains have the same length.
    ///
    /// The draws are the ones in [`Run::to_arviz`]: all draws of chains, unchanged; for islands and any other run with weights at most
    /// 4000 draws, resampled in four chains, which have no order.
    #[must_use]
    pub fn equal_draws(&self) -> Vec<Vec<usize>> {
        let draws = EqualDraws::new(self, EqualDraws::usual(self));
        let chains = draws.places.chunks_exact(draws.each.max(1));
        chains.map(<[usize]>::to_vec).collect()
    }
}

/// Every draw of a run: its group and its index in the group.
fn rows(run: &Run) -> impl Iterator<Item = (&Group, usize)> {
    let elements = run.layout.elements();
    run.groups.iter().flat_map(move |group| {
        let length = group.len(elements);
        (0..length).map(move |draw| (group, draw))
    })
}

/// `count` indices, each as often as its weight says, up to one more or less: systematic resampling from the middle of its first step, so
/// that the same run gives the same file.
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
    use super::{EqualDraws, repeated};
    use crate::run::example::{chains, islands};

    #[test]
    fn chains_keep_their_draws_and_islands_are_resampled_by_their_weights() {
        assert_eq!(chains(2, 3).equal_draws(), [[0, 1, 2], [3, 4, 5]]);
        let run = islands(&[0.0, f64::NEG_INFINITY], 8);
        let equal = run.equal_draws();
        assert_eq!(equal.iter().map(Vec::len).collect::<Vec<_>>(), [4; 4]);
        // the second island has no weight, so each draw of the first occurs twice
        let mut places = equal.concat();
        places.sort_unstable();
        assert_eq!(places, (0..16).map(|k| k / 2).collect::<Vec<usize>>());
    }

    #[test]
    fn weights_are_met_up_to_one() {
        let weights = [0.05, 0.5, 0.0, 0.45];
        let rows = repeated(&weights, 40);
        let count = |row| rows.iter().filter(|found| **found == row).count();
        assert_eq!([0, 1, 2, 3].map(count), [2, 20, 0, 18]);
        assert_eq!(repeated(&[1.0; 5], 5), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn each_chain_is_a_sample_of_the_whole() {
        let run = islands(&[0.0, 3f64.ln()], 400);
        let draws = EqualDraws::new(&run, 162);
        assert_eq!((draws.chains, draws.each, draws.rows.len()), (4, 40, 160));
        for chain in draws.rows.chunks(40) {
            let of_first = chain.iter().filter(|(group, _)| group.index == 0).count();
            assert_eq!(of_first, 10, "a quarter of the weight");
            let distinct: std::collections::BTreeSet<usize> =
                chain.iter().map(|(_, draw)| *draw).collect();
            assert!(distinct.len() > 30, "spread over each island");
        }
        assert_eq!(EqualDraws::new(&run, 3).chains, 1);
    }
}
