//! Where divergent trajectories started, if they did not start everywhere alike.

use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::rhat;
use crate::dist::Shape;
use crate::run::{Run, Variable};
use bayes_autodiff::special::norm_quantile;
use serde::{Deserialize, Serialize};

/// With fewer starting points no region is named.
const FEWEST: usize = 5;
/// The probability that a region is named although trajectories diverge everywhere alike.
const FALSE_ALARMS: f64 = 0.01;

/// Where divergent trajectories started: the element in which their starting points differ most from the posterior.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Region {
    /// The element.
    pub element: String,
    /// The element's mean over the starting points.
    pub there: f64,
    /// The element's posterior mean.
    pub mean: f64,
}

/// Where the starting points of divergent trajectories differ from the posterior by more than chance: the scalar quantity that differs
/// most, if one does, otherwise the element of a vector. `None` with fewer than [`FEWEST`] starting points.
///
/// If trajectories diverged at random times, the starting points are a random sample of the draws, even if the draws depend on each other.
/// The normal scores of their ranks among the draws then have mean 0 and standard error `1/√k`. Their mean, in standard errors, is
/// compared with the largest of as many normal numbers as elements were tested (Bonferroni), at half of [`FALSE_ALARMS`] for scalars and
/// for elements.
pub(super) fn region(
    run: &Run,
    elements: &[ColumnDiagnostics],
    starts: &[&[f64]],
) -> Option<Region> {
    if starts.len() < FEWEST {
        return None;
    }
    let variables = || run.layout.variables.iter();
    let is_scalar = |variable: &&Variable| variable.shape == Shape::Scalar;
    let scalars: Vec<usize> = variables()
        .filter(is_scalar)
        .flat_map(Variable::range)
        .collect();
    let others = variables().filter(|variable| !is_scalar(variable));
    let others: Vec<usize> = others.flat_map(Variable::range).collect();
    // another warning reports a quantity that is NaN
    let is_finite = |element: &usize| starts.iter().all(|start| start[*element].is_finite());
    let element = [scalars, others].iter().find_map(|candidates| {
        let limit = norm_quantile(1.0 - 0.25 * FALSE_ALARMS / candidates.len().max(1) as f64);
        let scored = candidates
            .iter()
            .filter(|element| is_finite(element))
            .map(|element| (standard_score(run, *element, starts), *element));
        scored
            .filter(|(score, _)| *score > limit)
            .max_by(|a, b| a.0.total_cmp(&b.0))
    });
    let (_, element) = element?;
    Some(Region::of(
        run,
        elements[element].name.clone(),
        element,
        starts,
    ))
}

/// The difference between starting points and posterior in a scalar quantity, in standard errors. The region is given if the difference
/// exceeds chance among all scalars.
pub(super) fn evidence(run: &Run, name: &str, starts: &[&[f64]]) -> Option<(f64, Region)> {
    let mut variables = run.layout.variables.iter();
    let scalars = variables.clone().filter(|v| v.shape == Shape::Scalar);
    let limit = norm_quantile(1.0 - 0.25 * FALSE_ALARMS / scalars.count().max(1) as f64);
    let scalar = variables.find(|v| v.name == name && v.shape == Shape::Scalar)?;
    let element = scalar.offset;
    let is_finite = starts.iter().all(|start| start[element].is_finite());
    if starts.len() < FEWEST || !is_finite {
        return None;
    }
    let score = standard_score(run, element, starts);
    (score > limit).then(|| (score, Region::of(run, name.to_owned(), element, starts)))
}

impl Region {
    fn of(run: &Run, name: String, element: usize, starts: &[&[f64]]) -> Self {
        let there: Vec<f64> = starts.iter().map(|start| start[element]).collect();
        Self {
            element: name,
            there: rhat::mean(&there),
            mean: rhat::mean(&run.column(element).concat()),
        }
    }

    /// Whether the starting points lie below the posterior mean.
    pub(super) fn is_low(&self) -> bool {
        self.there < self.mean
    }
}

/// The difference between starting points and draws in an element, in standard errors.
fn standard_score(run: &Run, element: usize, starts: &[&[f64]]) -> f64 {
    let mut draws = run.column(element).concat();
    draws.sort_unstable_by(f64::total_cmp);
    let size = draws.len() as f64;
    let score = |start: &&[f64]| {
        let below = draws.partition_point(|x| *x < start[element]);
        let up_to = draws.partition_point(|x| *x <= start[element]);
        // the mean rank of ties, with Blom's offset
        norm_quantile((0.5 * (below + up_to) as f64 + 0.125) / (size + 0.25))
    };
    let scores: Vec<f64> = starts.iter().map(score).collect();
    rhat::mean(&scores).abs() * (scores.len() as f64).sqrt()
}
