//! Chains: the slopes of the log density do not cancel, so that the draws have missed a steep place.
//!
//! The slopes have the expectation 0 ([`MeanSlopes`]). A chain that never enters a place where the density falls steeply lacks the
//! slopes there, and its other draws do not show that it lacks anything: their R-hat, effective sample size and standard errors are those
//! of the posterior without this place.

use super::moved_by::fitting_steps;
use super::{Message, MovedBy};
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::rank::normal_scores;
use crate::diagnose::rhat::{mean, variance};
use crate::diagnose::student;
use crate::model::VariableKind;
use crate::run::{MeanSlopes, Run, Variable};
use crate::text::short;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The probability that chance alone makes one of a run's mean slopes larger than the limit.
const FALSE_ALARMS: f64 = 1e-3;
/// Degrees of freedom of the standard error of one chain: it has at least 16 batches.
const DEGREES: usize = 15;

/// The mean slope of the log density along a coordinate is not 0.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct UnbalancedSlopes {
    /// The element of the coordinate whose mean slope is the most standard errors away from 0.
    pub element: String,
    /// Its mean slope, in the unconstrained coordinate.
    pub slope: f64,
    /// The standard error of this mean.
    pub se: f64,
    /// Number of coordinates whose mean slopes are too far from 0.
    pub coordinates: usize,
    /// What moved the chains.
    #[serde(default)]
    pub moved_by: MovedBy,
}

pub(super) fn find(run: &Run, _: &[ColumnDiagnostics]) -> Option<UnbalancedSlopes> {
    let chains = chains(run)?;
    let limit = limit(run.layout.dim, chains.len());
    let slopes = (0..run.layout.dim).map(|k| (k, mean_slope(&chains, k)));
    // also false for NaN
    let far: Vec<(usize, [f64; 2])> = slopes
        .filter(|(_, [mean, se])| mean.abs() > limit * se)
        .collect();
    let errors = |[mean, se]: [f64; 2]| mean.abs() / se;
    let (coordinate, [slope, se]) = far
        .iter()
        .copied()
        .max_by(|a, b| errors(a.1).total_cmp(&errors(b.1)))?;
    Some(UnbalancedSlopes {
        element: element(run, coordinate),
        slope,
        se,
        coordinates: far.len(),
        moved_by: MovedBy::of(run),
    })
}

/// The mean slopes of all chains; `None` if they are unknown, or need not cancel. They cancel where the gradient is right, and the density
/// falls to 0 without a jump; where it was 0 or had no gradient, it may have jumped. Where trajectories meet a density of 0 at an edge,
/// some diverge, and the warning of divergences is enough. A kernel without trajectories does not say what it met.
fn chains(run: &Run) -> Option<Vec<&MeanSlopes>> {
    let counts = run.counts();
    let has_edge = counts.non_finite.values().any(|count| count.infinite > 0);
    let mut trajectories = run.groups.iter().map(|group| group.trajectories());
    let may_jump = has_edge && trajectories.any(|t| t.is_none_or(|t| t.divergent > 0));
    if may_jump || counts.non_finite_gradients > 0 || run.gradient_fault.is_some() {
        return None;
    }
    let dim = run.layout.dim;
    let is_whole = |slopes: &&MeanSlopes| slopes.mean.len() == dim && slopes.se.len() == dim;
    let slopes = run
        .groups
        .iter()
        .map(|group| group.chain()?.mean_slopes.as_ref());
    let slopes: Option<Vec<&MeanSlopes>> = slopes.map(|found| found.filter(is_whole)).collect();
    slopes.filter(|chains| !chains.is_empty())
}

/// The mean slope over the chains, with its standard error: by the batches of the chains, or by their differences if these are larger.
fn mean_slope(chains: &[&MeanSlopes], coordinate: usize) -> [f64; 2] {
    let number = chains.len() as f64;
    let means: Vec<f64> = chains.iter().map(|chain| chain.mean[coordinate]).collect();
    let squares = chains.iter().map(|chain| chain.se[coordinate].powi(2));
    let within = squares.sum::<f64>() / number;
    let between = match chains.len() {
        1 => 0.0,
        _ => variance(&means),
    };
    [mean(&means), (within.max(between) / number).sqrt()]
}

/// The largest number of standard errors that is not reported: 3.5 for one coordinate of four chains, 4.8 for a hundred.
fn limit(dim: usize, chains: usize) -> f64 {
    let tail = 0.5 * FALSE_ALARMS / dim.max(1) as f64;
    student::quantile(1.0 - tail, (DEGREES * chains) as f64)
}

/// The element that belongs to a coordinate: the one with the same place, if every element has a coordinate of its own, or else the one
/// whose ranks follow the coordinate most.
fn element(run: &Run, coordinate: usize) -> String {
    let names = run.layout.element_names();
    let is_random = |variable: &&Variable| variable.kind == VariableKind::Continuous;
    let variables = run.layout.variables.iter().filter(is_random);
    let elements: Vec<usize> = variables.flat_map(Variable::range).collect();
    if elements.len() == run.layout.dim {
        return names[elements[coordinate]].clone();
    }
    let positions = run.groups.iter().flat_map(|group| {
        let rows = group.positions.chunks_exact(run.layout.dim);
        rows.map(|position| position[coordinate])
    });
    let scores = |values: Vec<f64>| normal_scores(&[values]).concat();
    let positions = scores(positions.collect());
    let follows = |element: &usize| {
        let values = scores(run.column(*element).concat());
        let products = positions.iter().zip(&values).map(|(a, b)| a * b);
        products.sum::<f64>().abs() / variance(&values).sqrt()
    };
    let known = elements.iter().map(|element| (follows(element), *element));
    let best = known
        .filter(|(follows, _)| follows.is_finite())
        .max_by(|a, b| a.0.total_cmp(&b.0));
    best.map_or_else(
        || format!("coordinate {coordinate}"),
        |(_, element)| names[element].clone(),
    )
}

/// The remedy, with this first part of it.
macro_rules! advice {
    ($($first:expr),+) => {
        concat!(
            "Means that depend on this part are wrong by more than their standard errors. ",
            $($first,)+
            ", or use `Inference::psmc()`, whose particles come from the prior."
        )
    };
}

/// What else may be the reason where a model is written in statements. No formula has a density that jumps.
const JUMPS: &str = "If the density jumps, as by `Real::select` on a random value or at a random bound of data, the slopes need not cancel, and nothing \
                     has to be done.";

impl Message for UnbalancedSlopes {
    fn problem(&self) -> String {
        let Self {
            element, slope, se, ..
        } = self;
        let others = match self.coordinates {
            0 | 1 => String::new(),
            2 => " (and of 1 other)".to_owned(),
            more => format!(" (and of {} others)", more - 1),
        };
        format!(
            "the draws miss a part of the posterior where the density is steep: the mean slope of the log density along \
             `{element}`{others} is {} ± {}, and over the whole posterior it is 0",
            short(*slope),
            short(*se)
        )
    }

    fn remedy(&self) -> &'static str {
        match self.moved_by {
            MovedBy::Nuts => advice!(
                "Use ",
                fitting_steps!(),
                ", take smaller steps (`.kernel(Nuts::new().target_acceptance(0.99))`)"
            ),
            MovedBy::Hmc => advice!(
                "Let HMC halve its steps where they are too long (`.kernel(Hmc::new())`, without `.halvings(0)`); if it halves them already, use ",
                fitting_steps!()
            ),
            MovedBy::Tempering => advice!(
                "Take more and smaller steps at each temperature (`.kernel(Hmc::new().target_acceptance(0.9)).mutations(5)`)"
            ),
            MovedBy::Walnuts => {
                advice!("Divide steps earlier (`.kernel(Walnuts::new().energy_tolerance(0.1))`)")
            }
            MovedBy::Other => advice!("Use ", fitting_steps!()),
        }
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        format!("{} {JUMPS}", self.remedy()).into()
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let remedy = match self.moved_by {
            // the program and Python have no other settings of steps
            MovedBy::Walnuts => {
                advice!("Take smaller steps (`.kernel(Walnuts::new().target_acceptance(0.99))`)")
            }
            MovedBy::Hmc => advice!("Use ", fitting_steps!()),
            _ => self.remedy(),
        };
        Some(remedy.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::density::NonFinite;
    use crate::diagnose::Warning;
    use crate::diagnose::warning::testing::{assert_warned, healthy_trajectories};
    use crate::run::Trajectories;
    use crate::run::example::{chains as healthy, of_chain, tempered};

    /// Four chains with this mean slope and standard error of the second coordinate in each.
    fn with_slope(slope: f64, se: f64) -> Run {
        let mut run = healthy(4, 500);
        let dim = run.layout.dim;
        for group in &mut run.groups {
            let mut slopes = MeanSlopes {
                mean: vec![0.0; dim],
                se: vec![1.0; dim],
            };
            (slopes.mean[1], slopes.se[1]) = (slope, se);
            of_chain(group).mean_slopes = Some(slopes);
        }
        run
    }

    #[test]
    fn slopes_that_do_not_cancel_are_reported_by_the_name_of_the_quantity() {
        assert_warned(
            &with_slope(-0.3, 0.1),
            "the draws miss a part of the posterior where the density is steep: the mean slope of the log density along `beta[0]` is \
             -0.3000 ± 0.05000, and over the whole posterior it is 0. Means that depend on this part are wrong by more than their standard \
             errors. Let HMC halve its steps where they are too long (`.kernel(Hmc::new())`, without `.halvings(0)`); if it halves them already, use `Inference::walnuts()`, \
             whose steps fit the place, or use `Inference::psmc()`, whose particles come from the prior. If the density jumps, as by `Real::select` on a random value or at a random bound of data, the slopes need not cancel, and nothing has to be \
             done.",
        );
        assert_eq!(with_slope(-0.15, 0.1).warnings(), []);
    }

    /// Would detect an error that ignores how far chains differ.
    #[test]
    fn chains_that_differ_have_a_larger_error() {
        let mut run = with_slope(0.3, 0.01);
        for (group, slope) in run.groups.iter_mut().zip([-0.5, 0.5, 0.2, 1.0]) {
            of_chain(group).mean_slopes.as_mut().unwrap().mean[1] = slope;
        }
        assert_eq!(run.warnings(), []);
    }

    #[test]
    fn slopes_without_any_spread_are_reported() {
        assert_eq!(with_slope(0.0, 0.0).warnings(), []);
        let warnings = with_slope(1e-3, 0.0).warnings();
        assert!(matches!(warnings[..], [Warning::UnbalancedSlopes(_)]));
    }

    #[test]
    fn densities_that_may_jump_need_not_balance() {
        let mut run = with_slope(-0.3, 0.1);
        let edge = NonFinite {
            infinite: 1,
            ..NonFinite::default()
        };
        run.groups[2].counts.non_finite.insert(0, edge);
        // no trajectories, such as MALA
        assert!(super::find(&run, &[]).is_none());
        for group in &mut run.groups {
            of_chain(group).trajectories = Some(healthy_trajectories());
        }
        assert!(super::find(&run, &[]).is_some());
        of_chain(&mut run.groups[2]).trajectories = Some(Trajectories {
            divergent: 1,
            ..healthy_trajectories()
        });
        assert!(super::find(&run, &[]).is_none());
        let mut run = with_slope(-0.3, 0.1);
        run.groups[2].counts.non_finite_gradients = 1;
        assert!(super::find(&run, &[]).is_none());
        let mut run = with_slope(-0.3, 0.1);
        of_chain(&mut run.groups[2]).mean_slopes = None;
        assert!(super::find(&run, &[]).is_none());
    }

    /// Would detect advice to use smaller steps of NUTS in a run of parallel tempering by NUTS, and other advice for another engine.
    #[test]
    fn the_advice_is_for_the_engine() {
        let first_words = |mut run: Run, kernel: &str| {
            run.kernel = kernel.to_owned();
            let found = find(&run, &[]).expect("a slope that is too far from 0");
            let text = found.remedy().split(". ").nth(1).map(str::to_owned);
            text.expect("two sentences")
        };
        let of = |kernel| first_words(with_slope(-0.3, 0.1), kernel);
        assert!(of("nuts").contains("`.kernel(Nuts::new()"));
        assert!(of("hmc").contains("without `.halvings(0)`"));
        assert!(of("nuts").starts_with("Use `Inference::walnuts()`"));
        assert!(of("walnuts").contains("`.kernel(Walnuts::new()"));
        assert!(of("mala").starts_with("Use `Inference::walnuts()`"));
        let mut run = with_slope(-0.3, 0.1);
        let exchanges = tempered(1, 4, 0.5, 9).groups[0].exchanges().cloned();
        of_chain(&mut run.groups[0]).exchanges = exchanges;
        assert!(first_words(run, "nuts").contains("at each temperature"));
    }

    /// Would detect names by the place of a coordinate where elements have none of their own.
    #[test]
    fn a_coordinate_of_a_simplex_has_the_name_of_the_element_that_follows_it() {
        let mut run = with_slope(-0.3, 0.1);
        let dim = run.layout.dim - 1;
        run.layout.dim = dim;
        for group in &mut run.groups {
            let rows = group.positions.chunks_exact(dim + 1);
            group.positions = rows.flat_map(|row| [row[2], row[1]]).collect();
            let slopes = of_chain(group).mean_slopes.as_mut().unwrap();
            slopes.mean.truncate(dim);
            slopes.se.truncate(dim);
        }
        let found = find(&run, &[]).expect("a slope that is too far from 0");
        assert_eq!(found.element, "beta[0]");
    }
}
