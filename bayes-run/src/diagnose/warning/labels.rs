//! Whether chains or islands disagree only because the elements of a vector change places, as the components of a mixture do.

use crate::diagnose::rhat::{self, noise_limit, rarity};
use crate::order;
use crate::run::{Group, Run};

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
/// The largest R-hat of the log density: if a density stays the same when elements change places, chains in different orders have the same
/// levels of it. Components with fixed weights that are unequal are no copies, and their orders are modes of unequal height. A difference
/// of half a nat of two chains beside two others, where the log density varies by 1, makes an R-hat of 1.04.
const LEVEL: f64 = 1.02;
/// Assumed autocorrelation time of the log density in chains.
const KINSHIP: f64 = 2.0;

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
    agree && is_level(run)
}

/// Whether chains or islands have the same levels of the log density.
fn is_level(run: &Run) -> bool {
    let level = |group: &Group| {
        let pairs = group.log_prior.iter().zip(&group.log_likelihood);
        pairs
            .map(|(prior, likelihood)| prior + likelihood)
            .collect()
    };
    let levels: Vec<Vec<f64>> = run.groups.iter().map(level).collect();
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
    across(run, &levels) < limit.max(LEVEL)
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
    use crate::run::example::{chains, islands};

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
}
