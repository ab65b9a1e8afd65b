//! Chains: trajectories diverged, and where, if there is evidence of a place.

use super::form::{self, Form};
use super::moved_by::fitting_steps;
use super::trajectories::total;
use super::{Message, MovedBy, shown};
use crate::diagnose::ColumnDiagnostics;
use crate::diagnose::rhat;
use crate::dist::Shape;
use crate::model::TermScale;
use crate::order;
use crate::run::{Group, Run, Variable};
use crate::text::short;
use bayes_autodiff::special::norm_quantile;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// With fewer starting points no region is named.
pub(in crate::diagnose) const FEWEST: usize = 5;
/// From this `target_acceptance` on, no higher one is advised.
const HIGH: f64 = 0.99;
/// The probability that a region is named although trajectories diverge everywhere alike.
pub(in crate::diagnose) const FALSE_ALARMS: f64 = 0.01;

/// Trajectories diverged.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Divergences {
    /// Number of such trajectories after the burn-in.
    pub divergent: u64,
    /// Number of all trajectories after the burn-in.
    pub trajectories: u64,
    /// Where the trajectories started, if an element stands out by more than chance.
    pub region: Option<Region>,
    /// The `target_acceptance` of the run's kernel, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target_acceptance: Option<f64>,
    /// What moved the chains.
    #[serde(default)]
    pub moved_by: MovedBy,
    /// The smallest step size of the chains, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub step_size: Option<f64>,
    /// The forms of the model's hierarchy, if it has one. The parts most related to divergences come first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forms: Vec<Form>,
}

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

/// Warns of any divergence: it marks a region that the chains could not enter.
pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<Divergences> {
    let (divergent, trajectories) = total(run, |t| t.divergent);
    let starts = starts(run);
    (divergent > 0).then(|| Divergences {
        divergent,
        trajectories,
        region: region(run, elements, &starts),
        target_acceptance: target_acceptance(run),
        moved_by: MovedBy::of(run),
        step_size: step_size(run),
        forms: form::forms(run, &|name| evidence(run, name, &starts)),
    })
}

/// The starting points of the divergent trajectories, as draws.
pub(in crate::diagnose) fn starts(run: &Run) -> Vec<&[f64]> {
    let width = run.layout.elements().max(1);
    let trajectories = run.groups.iter().filter_map(Group::trajectories);
    let starts = trajectories.flat_map(|t| t.divergent_starts.chunks_exact(width));
    starts.collect()
}

impl Message for Divergences {
    fn problem(&self) -> String {
        let Self {
            divergent,
            trajectories,
            region,
            ..
        } = self;
        let place = |region: &Region| {
            let (there, mean) = (short(region.there), short(region.mean));
            format!(
                ": at their starting points `{}` averages {there} (posterior mean {mean})",
                region.element
            )
        };
        let place = region.as_ref().map_or_else(String::new, place);
        format!("{divergent} of {trajectories} trajectories between draws diverged{place}")
    }

    fn remedy(&self) -> &'static str {
        "Part of the posterior may be missing. Raise `target_acceptance`, which takes smaller steps; if divergences remain, change the \
         parametrisation: where a random scale multiplies many quantities, as in group effects, the non-centred form suits little data \
         per group and the centred form much. `Inference::walnuts()`, whose steps fit the place, is another way; so is \
         `Inference::tempering()`, whose chains enter such places from the prior, which must be proper."
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        let steps = match self.moved_by {
            MovedBy::Walnuts => "Let steps be divided more often, as by `.kernel(Walnuts::new().halvings(13))` (10 by default); if divergences remain, ".to_owned(),
            _ => self.smaller_steps(),
        };
        self.advised(&steps, &form::advice(&self.forms)).into()
    }

    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        let advice = form::advice_for_formula(&self.forms);
        Some(self.advised(&self.smaller_steps(), &advice).into())
    }
}

impl Divergences {
    /// The whole remedy, with the advice about steps and about the model.
    fn advised(&self, steps: &str, advice: &str) -> String {
        let (missing, starts) = match self.region {
            Some(_) => (
                "Part of the posterior near these points may be missing.",
                " `run.divergences(name)` gives the starting points of divergent trajectories.",
            ),
            None => ("Part of the posterior may be missing.", ""),
        };
        format!("{missing} {steps}{advice}. {}{starts}", self.other_engine())
    }

    /// The engines that enter places where this one diverges.
    fn other_engine(&self) -> &'static str {
        match self.moved_by {
            MovedBy::Walnuts => {
                "`Inference::tempering()`, whose chains enter such places from the prior, is another way; the prior must be proper."
            }
            MovedBy::Tempering => {
                "`Inference::psmc()`, whose particles come from the prior, is another way."
            }
            MovedBy::Nuts | MovedBy::Hmc | MovedBy::Other => concat!(
                fitting_steps!(),
                ", is another way; so is `Inference::tempering()`, whose chains enter such places from the prior, which must be proper."
            ),
        }
    }

    /// What smaller steps promise, and how to take them, as the beginning of a sentence.
    fn smaller_steps(&self) -> String {
        let step_size = self
            .step_size
            .map(|size| format!("step size {}", short(size)));
        match self.target_acceptance {
            Some(now) if now >= HIGH => {
                let steps = step_size.map_or_else(String::new, |size| format!(" ({size})"));
                format!(
                    "The setting `target_acceptance` is {now} already{steps}, so that smaller steps will hardly help: "
                )
            }
            now => {
                let higher = if now.is_some_and(|now| now >= 0.9) {
                    HIGH
                } else {
                    0.95
                };
                // runs of other programs have no settings of a kernel
                let kernel = match self.moved_by {
                    MovedBy::Nuts if now.is_some() => Some("Nuts"),
                    MovedBy::Walnuts if now.is_some() => Some("Walnuts"),
                    _ => None,
                };
                let call = kernel.map_or_else(String::new, |kernel| {
                    format!(", as by `.kernel({kernel}::new().target_acceptance({higher}))`")
                });
                let now = now.map(|now| format!("now {now}"));
                let known: Vec<String> = now.into_iter().chain(step_size).collect();
                let known = match known.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", known.join(", ")),
                };
                format!(
                    "Raise `target_acceptance`{known}{call}, which takes smaller steps; if \
                     divergences remain, "
                )
            }
        }
    }
}

/// The smallest step size of the chains after the burn-in.
fn step_size(run: &Run) -> Option<f64> {
    let last = run.groups.iter().filter_map(|group| group.history().last());
    let sizes = last
        .map(|stage| stage.step_size)
        .filter(|size| size.is_finite());
    sizes.min_by(f64::total_cmp)
}

/// Where the starting points of divergent trajectories differ from the posterior by more than chance: the scalar quantity that differs
/// most, if one does, otherwise the element of a vector. `None` with fewer than [`FEWEST`] starting points.
///
/// If trajectories diverged at random times, the starting points are a random sample of the draws, even if the draws depend on each other.
/// The normal scores of their ranks among the draws then have mean 0 and standard error `1/√k`. Their mean, in standard errors, is
/// compared with the largest of as many normal numbers as elements were tested (Bonferroni), at half of [`FALSE_ALARMS`] for scalars and
/// for elements.
fn region(run: &Run, elements: &[ColumnDiagnostics], starts: &[&[f64]]) -> Option<Region> {
    if starts.len() < FEWEST {
        return None;
    }
    // another warning reports a quantity that is NaN
    let is_finite = |element: &usize| starts.iter().all(|start| start[*element].is_finite());
    let scalars = scalars(run);
    let others = others(run, &scalars);
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

/// The elements that are scalar quantities, or scales of the terms of a formula, each once; coordinates of others are left out.
pub(in crate::diagnose) fn scalars(run: &Run) -> Vec<usize> {
    let is_scalar = |variable: &&Variable| variable.shape == Shape::Scalar;
    let own = shown(run).filter(is_scalar).flat_map(Variable::range);
    let mut all: Vec<usize> = own.collect();
    if let Some(recipe) = &run.recipe {
        let names = run.layout.element_names();
        let place = |scale: &TermScale| names.iter().position(|name| *name == scale.scale);
        for element in recipe.scales.iter().filter_map(place) {
            if !all.contains(&element) {
                all.push(element);
            }
        }
    }
    all
}

/// The other elements.
pub(in crate::diagnose) fn others(run: &Run, scalars: &[usize]) -> Vec<usize> {
    let all = shown(run).flat_map(Variable::range);
    all.filter(|element| !scalars.contains(element)).collect()
}

/// The difference between starting points and posterior in one of the [`scalars`], in standard errors. The region is given if the
/// difference exceeds chance among all of them.
fn evidence(run: &Run, name: &str, starts: &[&[f64]]) -> Option<(f64, Region)> {
    let scalars = scalars(run);
    let limit = norm_quantile(1.0 - 0.25 * FALSE_ALARMS / scalars.len().max(1) as f64);
    let names = run.layout.element_names();
    let element = scalars
        .into_iter()
        .find(|element| names[*element] == name)?;
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
pub(in crate::diagnose) fn standard_score(run: &Run, element: usize, starts: &[&[f64]]) -> f64 {
    let mut draws = run.column(element).concat();
    order::sort(&mut draws);
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

/// The kernel from the settings of the run.
fn kernel(run: &Run) -> Option<&String> {
    run.settings.get("kernel")
}

/// The kernel's `target_acceptance`.
fn target_acceptance(run: &Run) -> Option<f64> {
    let (_, rest) = kernel(run)?.split_once("target_acceptance: ")?;
    let end = rest.find([',', ' ', '}']).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

#[cfg(test)]
mod tests;
