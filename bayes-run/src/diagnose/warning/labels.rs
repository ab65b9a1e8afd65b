//! Whether chains or islands disagree only because the elements of a vector change places, as the components of a mixture do.

use crate::diagnose::ess;
use crate::diagnose::rhat::{self, noise_limit, rarity, variance};
use crate::order;
use crate::run::{Group, Run};
use std::collections::BTreeMap;
use std::ops::Range;

/// The remedy for switched labels.
pub(super) const REMEDY: &str = "The elements of a vector have switched labels: sorted within each draw they agree, and the log density is the same \
     whatever their order. Sort them in the draws by `run.relabelled(..)`, with all vectors that have an element for each of them, or in the model by \
     `.ordered()`, or use only what does not depend on their order.";
/// The same of a formula.
pub(super) const OF_FORMULA: &str = "The elements of a vector have switched labels: sorted within each draw they agree. Terms that are alike change places: leave \
     one of them out, or use only what does not depend on their order.";
/// The smallest R-hat that needs an explanation.
const WRONG: f64 = 1.1;
/// The largest R-hat of sorted elements that confirms the explanation.
const GOOD: f64 = 1.05;
/// The largest R-hat of the log density: chains at different levels differ by more than the order of these elements. A difference of half a
/// nat of two chains beside two others, where the log density varies by 1, makes an R-hat of 1.04.
const R_HAT: f64 = 1.02;
/// Assumed autocorrelation time of the log density in chains.
const KINSHIP: f64 = 2.0;
/// If a density stays the same when elements change places, its mean is the same in all orders. Components with fixed weights that are
/// unequal are no copies: their orders are modes of unequal height. In many coordinates the log density varies by so much that R-hat does
/// not show nats. Orders are level if they differ by less than this many nats beyond `ERRORS` of the Monte Carlo errors.
const NATS: f64 = 0.5;
const ERRORS: f64 = 2.0;
/// A mean with a larger Monte Carlo error, in nats, does not show that orders are level.
const VAGUE: f64 = 0.5;
/// An order with a smaller share of the draws is left out: where components overlap, single draws change places.
const RARE: f64 = 0.05;
/// Draws of an island that have the information of an independent one, because particles share ancestors.
const FAMILY: f64 = 4.0;

/// Whether the elements of the vector to which `element` belongs agree once they are sorted within each draw, and the log density does not
/// depend on their order.
pub(super) fn change_places(run: &Run, element: &str, r_hat: f64) -> bool {
    let variables = run.layout.variables.iter();
    let mut of_element = variables.filter(|v| v.element_names().iter().any(|name| name == element));
    let Some(range) = of_element.next().map(|variable| variable.range()) else {
        return false;
    };
    if range.len() < 2 || r_hat.is_nan() || r_hat <= WRONG {
        return false;
    }
    let (from, elements) = (range.start, run.layout.elements());
    // `[groups][draws][range]`
    let sorted: Vec<Vec<Vec<f64>>> = run
        .groups
        .iter()
        .map(|group| {
            let rows = group.rows(elements).map(|row| {
                let mut values = row[range.clone()].to_vec();
                order::sort(&mut values);
                values
            });
            rows.collect()
        })
        .collect();
    let agree = range.clone().all(|element| {
        let column = |group: &Vec<Vec<f64>>| group.iter().map(|row| row[element - from]).collect();
        let columns: Vec<Vec<f64>> = sorted.iter().map(column).collect();
        across(run, &columns) < GOOD
    });
    agree && are_groups_level(run) && are_orders_level(run, &range)
}

/// Whether chains or islands have the same levels of the log density.
fn are_groups_level(run: &Run) -> bool {
    let levels: Vec<Vec<f64>> = run.groups.iter().map(levels).collect();
    // particles share ancestors, and neighbouring draws of chains are alike
    let limit = match run.is_chains() {
        true => noise_limit(
            2 * levels.len(),
            run.draws_per_group() / 2,
            KINSHIP,
            rarity(1),
        ),
        false => GOOD,
    };
    across(run, &levels) < limit.max(R_HAT)
}

/// Whether the log density has the same mean in all orders of these elements.
fn are_orders_level(run: &Run, range: &Range<usize>) -> bool {
    let mut orders: BTreeMap<Vec<usize>, Sums> = BTreeMap::new();
    for group in &run.groups {
        let levels = levels(group);
        let variance_of_mean = variance(&levels) / independent(run, &levels);
        let mut own: BTreeMap<Vec<usize>, (f64, f64)> = BTreeMap::new();
        for (row, level) in group.rows(run.layout.elements()).zip(&levels) {
            let (count, sum) = own.entry(places(&row[range.clone()])).or_default();
            *count += 1.0;
            *sum += level;
        }
        for (order, (count, sum)) in own {
            let sums = orders.entry(order).or_default();
            sums.count += count;
            sums.sum += sum;
            // the mean of a part of the draws has a variance that is larger by the inverse of its share
            sums.variance += count * levels.len() as f64 * variance_of_mean;
        }
    }
    let draws = run.total_draws() as f64;
    let mut common: Vec<Sums> = orders.into_values().collect();
    common.retain(|sums| sums.count >= RARE * draws);
    let means = common.iter().map(Sums::mean);
    let Some((highest, error)) = means.clone().max_by(|a, b| a.0.total_cmp(&b.0)) else {
        // of many elements each order is rare; then the levels of the groups tell
        return true;
    };
    means.into_iter().all(|(level, own)| {
        own.max(error) < VAGUE && highest - level < NATS + ERRORS * own.hypot(error)
    })
}

/// The log density of the draws in one order.
#[derive(Default)]
struct Sums {
    count: f64,
    sum: f64,
    /// The variance of the sum.
    variance: f64,
}

impl Sums {
    /// The mean and its Monte Carlo error.
    fn mean(&self) -> (f64, f64) {
        (self.sum / self.count, self.variance.sqrt() / self.count)
    }
}

/// The log density of each draw.
fn levels(group: &Group) -> Vec<f64> {
    let pairs = group.log_prior.iter().zip(&group.log_likelihood);
    pairs
        .map(|(prior, likelihood)| prior + likelihood)
        .collect()
}

/// The number of independent draws with the same information.
fn independent(run: &Run, levels: &[f64]) -> f64 {
    let draws = levels.len() as f64;
    match run.is_chains() {
        true => ess::of_mean(&[levels.to_vec()]).min(draws),
        false => draws / FAMILY,
    }
}

/// The numbers of the elements in increasing order of their values.
fn places(values: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    places
}

fn across(run: &Run, columns: &[Vec<f64>]) -> f64 {
    match run.is_chains() {
        true => rhat::chains(columns),
        false => rhat::islands(columns),
    }
}

#[cfg(test)]
mod tests {
    use crate::diagnose::warning::testing::change;
    use crate::run::Run;
    use crate::run::example::{chains, islands, normals};

    #[test]
    fn components_that_change_places_are_no_modes() {
        // beta is (low, high) in one half of the chains, (high, low) in the other
        let place = |element: usize, chain: usize| match (element + chain) % 2 {
            0 => 5.0,
            _ => -5.0,
        };
        let mut run = chains(4, 500);
        (1..3).for_each(|element| {
            change(&mut run, element, |chain, _, value| {
                value + place(element, chain)
            });
        });
        let told = |run: &Run| run.warnings()[0].to_string().contains("switched labels");
        assert!(told(&run), "{:?}", run.warnings());
        // orders of unequal height, as with weights that are fixed and unequal, are modes
        run.groups[1..].iter_mut().step_by(2).for_each(|group| {
            group
                .log_likelihood
                .iter_mut()
                .for_each(|term| *term -= 1.0);
        });
        assert!(!told(&run), "{:?}", run.warnings());
        // a single element that disagrees is a mode
        let mut run = chains(4, 500);
        change(&mut run, 1, |chain, _, value| value + place(1, chain));
        assert!(!told(&run), "{:?}", run.warnings());
        let mut run = islands(&[-3.0; 8], 256);
        (1..3).for_each(|element| {
            change(&mut run, element, |island, _, value| {
                value + place(element, island)
            });
        });
        assert!(told(&run), "{:?}", run.warnings());
    }

    /// Whether chains of 100 coordinates, whose log density has a standard deviation of 7, are told to have switched labels. The draws are in the
    /// first order where `is_first`, and then the log density is lower by `nats`.
    fn told(nats: f64, is_first: impl Fn(usize, usize) -> bool) -> bool {
        let mut run = chains(4, 1000);
        for element in 1..3 {
            change(&mut run, element, |chain, draw, value| {
                let up = (element == 1) == is_first(chain, draw);
                value + if up { 5.0 } else { -5.0 }
            });
        }
        for (chain, group) in run.groups.iter_mut().enumerate() {
            let noise = normals(70 + chain as u64, 1000);
            let terms = group.log_likelihood.iter_mut().zip(noise).enumerate();
            for (draw, (term, noise)) in terms {
                let lower = if is_first(chain, draw) { nats } else { 0.0 };
                *term += 7.0 * noise - lower;
            }
        }
        let text = run.warnings().into_iter().map(|told| told.to_string());
        text.collect::<String>().contains("switched labels")
    }

    /// R-hat of the log density is 1.01, which does not show 1.7 nats.
    #[test]
    fn orders_are_level_by_nats_and_not_by_r_hat() {
        let by_chain = |chain: usize, _| chain.is_multiple_of(2);
        assert!(told(0.0, by_chain));
        assert!(!told(1.7, by_chain));
    }

    /// Chains that change orders within themselves have one mean log density each, although the orders differ.
    #[test]
    fn orders_are_compared_within_chains_too() {
        let by_draw = |chain: usize, draw: usize| draw < 200 * (chain + 1);
        assert!(told(0.0, by_draw));
        assert!(!told(2.0, by_draw));
    }
}
