//! The rules that decide which warnings a run has.

use super::columns::ColumnDiagnostics;
use super::estimator::Estimator;
use super::genealogy::Families;
use super::rhat::noise_limit;
use super::warning::{E_BFMI, EVIDENCE_SE, EVIDENCE_SPREAD};
use super::{Estimate, Region, Warning};
use crate::run::{Group, Run, Stage, Trajectories, Weighting};
use bayes_autodiff::special::norm_quantile;
use rayon::prelude::*;

/// The smallest number of transitions for which E-BFMI is checked; with fewer it can be small by chance.
const E_BFMI_FROM: u64 = 100;
/// An R-hat that is always accepted (Vehtari et al. 2021).
const R_HAT: f64 = 1.01;
/// False-positive rate of the warning that chains or islands disagree.
const FALSE_ALARMS: f64 = 0.01;
/// Autocorrelation time granted to islands, because their particles share ancestors.
const PARTICLE_KINSHIP: f64 = 4.0;
/// Effective draws per chain, for up to [`ESS_CHAINS`] chains (Vehtari et al. 2021).
const ESS_PER_CHAIN: f64 = 100.0;
const ESS_CHAINS: usize = 4;
/// Acceptance rate below which a kernel is considered not to move.
const ACCEPTANCE: f64 = 0.05;
/// The smallest share of distinct particles that a resampling should keep.
const SURVIVORS: f64 = 0.1;
/// With fewer families the standard error of a single island is unreliable.
const FAMILIES: usize = 10;
/// Share of trajectories at the maximum tree depth above which a run is warned.
const SATURATED: f64 = 0.01;
/// Relative step in the power of the likelihood below which a temperature ladder stalls. With an ESS target of
/// one half a step is about 1/√d, so a thousandth would be normal for a million parameters.
const STALLED_STEP: f64 = 1e-3;
/// Number of stalled steps from which on a run is warned.
const STALLED_STEPS: usize = 3;

impl Run {
    /// Everything that is wrong with this run, worst first; empty for a healthy one.
    #[must_use]
    pub fn warnings(&self) -> Vec<Warning> {
        check(self, &diagnose(self))
    }
}

/// The diagnostics of all elements, in the order of a draw.
fn diagnose(run: &Run) -> Vec<ColumnDiagnostics> {
    let names = run.layout.element_names();
    let estimator = Estimator::of(run);
    let of = |(element, name): (usize, String)| {
        ColumnDiagnostics::of(&estimator, name, &run.column(element))
    };
    names.into_par_iter().enumerate().map(of).collect()
}

/// The warnings of a run, given the diagnostics of its elements.
pub(crate) fn check(run: &Run, elements: &[ColumnDiagnostics]) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if run.is_chains() {
        warnings.extend(chains_disagree(run, elements));
        warnings.extend(divergences(run, elements));
        warnings.extend(chains_too_short(run, elements));
        warnings.extend(low_energy_fraction(run));
        warnings.extend(depth_reached(run));
    } else {
        warnings.extend(ladder_incomplete(run));
        warnings.extend(island_dominates(run));
        warnings.extend(islands_disagree(run, elements));
        warnings.extend(ladder_stalled(run));
        warnings.extend(few_survivors(run));
        warnings.extend(single_island(run));
        warnings.extend(evidence_imprecise(run).or_else(|| evidence_scattered(run)));
    }
    warnings.extend(low_acceptance(run));
    warnings.extend(nan_densities(run));
    warnings
}

/// P_eff below two, or below a tenth of the islands. For two or three islands P_eff is below two, or close to
/// it, even if they are healthy, so for them the bound is 0.6 P.
fn island_dominates(run: &Run) -> Option<Warning> {
    let islands = run.groups.len();
    let weights = run.weights();
    let effective = weights.effective();
    let bound = (0.6 * islands as f64).min(2.0).max(0.1 * islands as f64);
    if run.weighting != Weighting::Evidence || islands < 2 || effective >= bound {
        return None;
    }
    let (island, weight) = weights.heaviest()?;
    Some(Warning::IslandDominates {
        island,
        weight,
        effective,
        islands,
    })
}

fn islands_disagree(run: &Run, elements: &[ColumnDiagnostics]) -> Option<Warning> {
    let (islands, particles) = (run.groups.len(), run.draws_per_group());
    let noise = noise_limit(islands, particles, PARTICLE_KINSHIP, rarity(elements.len()));
    let limit = R_HAT.max(noise);
    let (element, r_hat, elements) = largest_r_hat(elements, limit)?;
    Some(Warning::IslandsDisagree {
        element,
        r_hat,
        limit,
        elements,
    })
}

/// R-hat above 1.01, unless chains are so short that independent draws would show as much.
fn chains_disagree(run: &Run, elements: &[ColumnDiagnostics]) -> Option<Warning> {
    let (halves, draws) = (2 * run.groups.len(), run.draws_per_group() / 2);
    let limit = R_HAT.max(noise_limit(halves, draws, 1.0, rarity(elements.len())));
    let (element, r_hat, elements) = largest_r_hat(elements, limit)?;
    Some(Warning::ChainsDisagree {
        element,
        r_hat,
        limit,
        elements,
        improper: run.statements.iter().any(|s| s.improper),
    })
}

/// The normal score that the largest of all R-hats (bulk and folded, of each element) exceeds in 1% of runs.
fn rarity(elements: usize) -> f64 {
    norm_quantile(1.0 - FALSE_ALARMS / (2 * elements.max(1)) as f64)
}

/// The element with the largest R-hat, its R-hat, and the number of elements above the limit, if there are any.
fn largest_r_hat(elements: &[ColumnDiagnostics], limit: f64) -> Option<(String, f64, usize)> {
    let above = || elements.iter().filter(|element| element.r_hat > limit);
    let worst = above().max_by(|a, b| a.r_hat.total_cmp(&b.r_hat))?;
    Some((worst.name.clone(), worst.r_hat, above().count()))
}

/// Chains with fewer than four draws each are treated as independent draws, with a bound on their number.
fn chains_too_short(run: &Run, elements: &[ColumnDiagnostics]) -> Option<Warning> {
    let counted = if run.draws_per_group() < 4 {
        1
    } else {
        run.groups.len().min(ESS_CHAINS)
    };
    let wanted = ESS_PER_CHAIN * counted as f64;
    let size = |element: &ColumnDiagnostics| element.ess_bulk.min(element.ess_tail);
    let worst = elements
        .iter()
        .filter(|element| size(element) < wanted)
        .min_by(|a, b| size(a).total_cmp(&size(b)))?;
    Some(Warning::ChainsTooShort {
        element: worst.name.clone(),
        ess: size(worst),
        wanted,
    })
}

/// Warns of any divergence: it marks a region that the chains could not enter.
fn divergences(run: &Run, elements: &[ColumnDiagnostics]) -> Option<Warning> {
    let (divergent, trajectories) = trajectories(run, |t| t.divergent);
    let width = run.layout.elements();
    let starts: Vec<&[f64]> = run
        .groups
        .iter()
        .filter_map(|group| group.trajectories.as_ref())
        .flat_map(|t| t.divergent_starts.chunks_exact(width.max(1)))
        .collect();
    (divergent > 0).then(|| Warning::Divergences {
        divergent,
        trajectories,
        region: region(run, elements, &starts),
    })
}

/// The element in which the starting points of divergent trajectories differ most from the posterior, if there is one.
fn region(run: &Run, elements: &[ColumnDiagnostics], starts: &[&[f64]]) -> Option<Region> {
    // the element whose mean over the starting points is farthest from its posterior mean, in posterior standard deviations
    let outlier = (0..run.layout.elements()).map(|element| {
        let column = run.column(element).concat();
        let there: Vec<f64> = starts.iter().map(|start| start[element]).collect();
        let (mean, there) = (super::rhat::mean(&column), super::rhat::mean(&there));
        let distance = (there - mean).abs() / super::rhat::variance(&column).sqrt();
        (distance, element, there, mean)
    });
    let (_, element, there, mean) = outlier
        .filter(|(distance, ..)| distance.is_finite())
        .max_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Region {
        element: elements[element].name.clone(),
        there,
        mean,
    })
}

fn low_energy_fraction(run: &Run) -> Option<Warning> {
    let e_bfmi = |(chain, group): (usize, &Group)| {
        let trajectories = group.trajectories.as_ref()?;
        let (e_bfmi, many) = (trajectories.e_bfmi, trajectories.transitions >= E_BFMI_FROM);
        (many && e_bfmi < E_BFMI).then_some((chain, e_bfmi))
    };
    let low: Vec<(usize, f64)> = run.groups.iter().enumerate().filter_map(e_bfmi).collect();
    let (chain, e_bfmi) = low.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1))?;
    Some(Warning::LowEnergyFraction {
        chain,
        e_bfmi,
        chains: low.len(),
    })
}

fn depth_reached(run: &Run) -> Option<Warning> {
    let (saturated, trajectories) = trajectories(run, |t| t.saturated);
    let many = saturated as f64 > SATURATED * trajectories as f64;
    many.then_some(Warning::DepthReached {
        saturated,
        trajectories,
    })
}

/// The sum of a count over all chains, and the number of trajectories.
fn trajectories(run: &Run, field: fn(&Trajectories) -> u64) -> (u64, u64) {
    let all = || run.groups.iter().filter_map(|g| g.trajectories.as_ref());
    let sum = |count: fn(&Trajectories) -> u64| all().map(count).fold(0, u64::saturating_add);
    (sum(field), sum(|t| t.transitions))
}

fn ladder_incomplete(run: &Run) -> Option<Warning> {
    let last = |group: &Group| group.history.last().map(|stage| stage.lambda);
    let short: Vec<f64> = run
        .groups
        .iter()
        .filter_map(last)
        .filter(|l| *l < 1.0)
        .collect();
    let lambda = short.iter().copied().reduce(f64::min)?;
    Some(Warning::LadderIncomplete {
        islands: short.len(),
        lambda,
    })
}

fn ladder_stalled(run: &Run) -> Option<Warning> {
    let particles = run.draws_per_group() as f64;
    let stalled = |group: &Group| stalled_steps(&group.history, particles);
    let (island, stalled) = run
        .groups
        .iter()
        .map(stalled)
        .enumerate()
        .max_by_key(|(_, stalled)| *stalled)?;
    let stages = run.groups[island].history.len();
    (stalled >= STALLED_STEPS).then_some(Warning::LadderStalled {
        island,
        stalled,
        stages,
    })
}

/// Number of tiny steps, without the last, which only closes the gap to 1. A fine schedule given by the user keeps
/// the ESS near the number of particles, so it is not taken for a stall.
fn stalled_steps(history: &[Stage], particles: f64) -> usize {
    let tiny = |pair: &&[Stage]| {
        let [before, after] = pair else { return false };
        after.lambda - before.lambda < STALLED_STEP * after.lambda && after.ess < 0.9 * particles
    };
    history.windows(2).rev().skip(1).filter(tiny).count()
}

fn few_survivors(run: &Run) -> Option<Warning> {
    let particles = run.draws_per_group();
    let bound = (SURVIVORS * particles as f64).max(2.0);
    let mut worst: Option<(usize, &Stage)> = None;
    for (island, group) in run.groups.iter().enumerate() {
        for stage in group
            .history
            .iter()
            .filter(|stage| stage.unique_ancestors > 0)
        {
            if worst.is_none_or(|(_, other)| stage.unique_ancestors < other.unique_ancestors) {
                worst = Some((island, stage));
            }
        }
    }
    let (island, stage) = worst.filter(|(_, stage)| (stage.unique_ancestors as f64) < bound)?;
    let (lambda, survivors) = (stage.lambda, stage.unique_ancestors);
    Some(Warning::FewSurvivors {
        island,
        lambda,
        survivors,
        particles,
    })
}

/// The standard errors of a single island can only come from its ancestry.
fn single_island(run: &Run) -> Option<Warning> {
    let [island] = run.groups.as_slice() else {
        return None;
    };
    let particles = run.draws_per_group();
    match Families::of(island, particles).map_or(0, |families| families.count) {
        0 | 1 => Some(Warning::ErrorsUnknown { particles }),
        ancestors if ancestors < FAMILIES => Some(Warning::FewAncestors {
            ancestors,
            particles,
        }),
        _ => None,
    }
}

fn evidence_imprecise(run: &Run) -> Option<Warning> {
    let Estimate { se, .. } = run.log_evidence_estimate()?;
    (se > EVIDENCE_SE).then_some(Warning::EvidenceImprecise { se })
}

/// Adaptation to the particles, and islands with large evidence that are too rare to occur, leave a bias of the order of the
/// variance of an island's log evidence, which averaging over islands does not remove.
fn evidence_scattered(run: &Run) -> Option<Warning> {
    let known = run.groups.iter().filter_map(|group| group.log_evidence);
    let log_evidences: Vec<f64> = known.filter(|z| z.is_finite()).collect();
    let islands = log_evidences.len();
    let spread = super::rhat::variance(&log_evidences).sqrt();
    (islands >= 4 && spread > EVIDENCE_SPREAD)
        .then_some(Warning::EvidenceScattered { spread, islands })
}

/// Acceptance is too low at the last stage on average, or at more than half of all stages.
fn low_acceptance(run: &Run) -> Option<Warning> {
    let last: Vec<f64> = run
        .groups
        .iter()
        .filter_map(|group| group.history.last().map(|stage| stage.acceptance))
        .collect();
    let acceptance = super::rhat::mean(&last);
    let all = || run.groups.iter().flat_map(|group| &group.history);
    let (stages, of) = (
        all().filter(|stage| stage.acceptance < ACCEPTANCE).count(),
        all().count(),
    );
    let low = acceptance < ACCEPTANCE || 2 * stages > of;
    (low && of > 0).then_some(Warning::LowAcceptance {
        acceptance,
        stages,
        of,
    })
}

fn nan_densities(run: &Run) -> Vec<Warning> {
    let counts = run.counts();
    let evaluations = counts
        .density_evaluations
        .saturating_add(counts.gradient_evaluations);
    let statement = |index: &usize| {
        let known = run.statements.get(*index);
        known.map_or((format!("statement {index}"), 0), |s| {
            (s.text.clone(), s.line)
        })
    };
    let nan = counts.non_finite.iter().filter(|(_, count)| count.nan > 0);
    nan.map(|(index, count)| {
        let (text, line) = statement(index);
        Warning::NanDensity {
            text,
            line,
            times: count.nan,
            evaluations,
            cause: count.cause.clone(),
        }
    })
    .collect()
}

#[cfg(test)]
mod tests;
