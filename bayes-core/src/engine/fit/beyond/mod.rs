//! A second opinion on an approximation: what lies beyond its draws.
//!
//! K-hat judges the importance weights at the draws. An approximation of one of several modes, or of the neck of a funnel, has no draw
//! where its weights are large, so that k-hat is small and the error of the evidence too. Three searches do not depend on the draws alone:
//! climbs to other maxima, with the mass around each (`maxima`), short trajectories from the draws (`excursions`), and draws that are moved
//! apart (`widened`).

mod excursions;
pub(in crate::engine) mod maxima;
mod widened;

use super::approximation::Approximation;
use crate::density::{Counts, LogDensity};
use crate::engine::common::Common;
use crate::numeric::log_mean_exp;
use crate::run::Group;
use maxima::Begin;

/// Searches beyond the draws of a group, unless the user left it out, or the model has whole numbers.
/// `starts` are places near maxima that are known already.
pub(in crate::engine) fn search(
    approximation: &dyn Approximation,
    density: &dyn LogDensity,
    group: &mut Group,
    common: &Common,
    starts: &[Vec<f64>],
) {
    if !common.searches_beyond || !is_continuous(density) || common.is_stopped() {
        return;
    }
    let mut counts = Counts::default();
    let (seed, is_stopped) = (common.seed, || common.is_stopped());
    let log_mass = log_ratios(group).map(|ratios| log_mean_exp(&ratios));
    let climbs = log_mass
        .filter(|mass| mass.is_finite())
        .and_then(|log_mass| {
            let begin = Begin {
                groups: std::slice::from_ref(group),
                log_mass,
                known: starts,
                seed,
                climbs: maxima::CLIMBS,
                gradients: maxima::GRADIENTS,
                reserve: 0,
                places: maxima::PLACES,
            };
            maxima::found(density, &begin, (&mut counts, &is_stopped))
        });
    let excursions = excursions::made(
        approximation,
        density,
        (group, seed),
        (&mut counts, &is_stopped),
    );
    let widened = widened::found(density, group, (&mut counts, &is_stopped));
    group.counts.gradient_evaluations += counts.gradient_evaluations;
    group.counts.density_evaluations += counts.density_evaluations;
    if let Some(independent) = group.independent_mut() {
        independent.climbs = climbs;
        independent.excursions = excursions;
        independent.widened = widened;
    }
}

/// Whether a density has coordinates, and no whole numbers or params among them.
pub(in crate::engine) fn is_continuous(density: &dyn LogDensity) -> bool {
    let description = density.describe();
    density.dim() > 0
        && !description.discrete.contains(&true)
        && !description.params.contains(&true)
}

/// `ln p(x, y) − ln q(x)` at the draws, `[draws]`.
fn log_ratios(group: &Group) -> Option<Vec<f64>> {
    let log_approximation = &group.independent()?.log_approximation;
    let densities = group.log_prior.iter().zip(&group.log_likelihood);
    let pairs = densities.zip(log_approximation);
    Some(
        pairs
            .map(|((prior, likelihood), own)| prior + likelihood - own)
            .collect(),
    )
}
