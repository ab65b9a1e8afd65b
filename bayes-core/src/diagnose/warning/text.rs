//! The words of the warnings: what is wrong and by how much, then what to do.

use super::{Region, Warning};
use crate::report::short;
use std::fmt;

/// The standard error of the log evidence from which on it is called imprecise: a Bayes factor then
/// has a 95% interval that spans a factor of 7.
pub(crate) const EVIDENCE_SE: f64 = 0.5;
/// The islands' log evidences should have a standard deviation below this.
pub(crate) const EVIDENCE_SPREAD: f64 = 0.5;

/// E-BFMI from which on a chain is thought to cross its energies well enough, as in Stan.
pub(crate) const E_BFMI: f64 = 0.3;

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.problem(), self.remedy())
    }
}

impl Warning {
    /// What is wrong, and by how much.
    #[must_use]
    pub fn problem(&self) -> String {
        match self {
            Self::IslandDominates {
                island,
                weight,
                effective,
                islands,
            } => {
                let weight = percent(*weight);
                format!(
                    "island {island} has {weight} of the weight: the {islands} islands are worth {effective:.1}"
                )
            }
            Self::IslandsDisagree {
                element,
                r_hat,
                limit,
                elements,
            } => {
                let r_hat = r_hat_text(*r_hat, element, *elements, *limit);
                format!("the islands disagree: {r_hat}")
            }
            Self::ChainsDisagree {
                element,
                r_hat,
                limit,
                elements,
                ..
            } => {
                let r_hat = r_hat_text(*r_hat, element, *elements, *limit);
                format!("the chains have not converged: {r_hat}")
            }
            Self::ChainsTooShort {
                element,
                ess,
                wanted,
            } => format!(
                "the chains are too short: the draws of `{element}` are worth {ess:.0} independent \
                 ones, should be at least {wanted:.0}"
            ),
            Self::NanDensity {
                text,
                line,
                times,
                evaluations,
                cause,
            } => {
                let share = rate(*times, *evaluations);
                let cause = cause
                    .as_ref()
                    .map_or(String::new(), |cause| format!("; {cause}"));
                format!(
                    "the log density was NaN at {times} of {evaluations} evaluations ({share}), in `{text}` (line \
                     {line}){cause}"
                )
            }
            Self::Divergences { .. }
            | Self::LowEnergyFraction { .. }
            | Self::DepthReached { .. } => self.problem_of_trajectories(),
            _ => self.problem_of_particles(),
        }
    }

    /// What is wrong with the trajectories of chains.
    fn problem_of_trajectories(&self) -> String {
        match self {
            Self::Divergences {
                divergent,
                trajectories,
                region,
            } => {
                let place = |region: &Region| {
                    let (there, mean) = (short(region.there), short(region.mean));
                    format!(
                        ": where they started, `{}` is {there} on average (posterior mean {mean})",
                        region.element
                    )
                };
                let place = region.as_ref().map_or_else(String::new, place);
                format!("{divergent} of {trajectories} trajectories diverged{place}")
            }
            Self::LowEnergyFraction {
                chain,
                e_bfmi,
                chains,
            } => {
                let others = match chains {
                    0 | 1 => String::new(),
                    n => format!(" (and too low in {})", count(*n as u64 - 1, "other")),
                };
                format!(
                    "chain {chain} crosses its energies slowly: E-BFMI is {e_bfmi:.2}{others}, should be at \
                     least {E_BFMI}"
                )
            }
            Self::DepthReached {
                saturated,
                trajectories,
            } => format!(
                "{saturated} of {trajectories} trajectories reached the largest depth and were cut off"
            ),
            _ => String::new(),
        }
    }

    /// What is wrong with the ladder of temperatures, with the particles that climb it and with the evidence found on
    /// the way.
    fn problem_of_particles(&self) -> String {
        match self {
            Self::EvidenceImprecise { se } => format!(
                "the log evidence is uncertain: its standard error is {se:.2}, should be below {EVIDENCE_SE}"
            ),
            Self::EvidenceScattered { spread, islands } => format!(
                "the log evidence may be too low, by more than its standard error: those of the {islands} islands scatter by \
                 {spread:.2}, should be below {EVIDENCE_SPREAD}"
            ),
            Self::LadderIncomplete { islands, lambda } => {
                let islands = count(*islands as u64, "island");
                format!(
                    "the temperature ladder did not reach the posterior: {islands} stopped at a power of the \
                     likelihood as low as {lambda:.3e} instead of 1"
                )
            }
            Self::LadderStalled {
                island,
                stalled,
                stages,
            } => format!(
                "the temperature ladder stalled: {stalled} of {stages} steps of island {island} raised the \
                 power of the likelihood by less than 0.1%"
            ),
            Self::LowAcceptance {
                acceptance,
                stages,
                of,
            } => {
                let acceptance = percent(*acceptance);
                format!(
                    "hardly any move is accepted: {acceptance} at the last stage, below 5% at {stages} of \
                     {of} stages"
                )
            }
            Self::FewSurvivors {
                island,
                lambda,
                survivors,
                particles,
            } => format!(
                "resampling left {survivors} of {particles} particles of island {island} at the power \
                 {lambda:.3e} of the likelihood"
            ),
            Self::FewAncestors {
                ancestors,
                particles,
            } => {
                let ancestors = count(*ancestors as u64, "particle");
                format!(
                    "the standard errors are rough: the {particles} particles of the only island descend \
                     from {ancestors} of the prior"
                )
            }
            Self::ErrorsUnknown { particles } => format!(
                "no standard errors: all {particles} particles of the only island descend from one \
                 particle of the prior, or their ancestry was not kept"
            ),
            _ => String::new(),
        }
    }

    /// What it means and what to do.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::IslandDominates { .. } => {
                "The estimates and their errors rest on few islands; use more particles per island or more \
                 mutation steps, so that the islands agree on the evidence."
            }
            Self::IslandsDisagree { .. } => {
                "Particles of an island stay alike after resampling, or islands found different modes; use \
                 more mutation steps or more particles."
            }
            Self::ChainsDisagree { improper: true, .. } => {
                "Do not use these draws; run longer chains with a longer burn-in, with `Inference::nuts()` if they \
                 are not; if the posterior may have several modes, give the flat priors proper ones and use islands."
            }
            Self::ChainsDisagree { .. } => {
                "Do not use these draws; run longer chains with a longer burn-in, or use \
                 `Inference::psmc()` if the posterior may have several modes."
            }
            Self::ChainsTooShort { .. } => {
                "Errors and R-hat are not reliable; keep more draws, thin more or use more chains."
            }
            Self::Divergences { .. }
            | Self::LowEnergyFraction { .. }
            | Self::DepthReached { .. } => self.remedy_of_trajectories(),
            Self::LadderIncomplete { .. } => {
                "The draws are not from the posterior; end the schedule at 1, or allow more temperatures."
            }
            Self::LadderStalled { .. } => {
                "The particles no longer move apart; use more mutation steps or more particles, or another \
                 kernel."
            }
            Self::LowAcceptance { .. } => {
                "The draws stay where they are; use a smaller step size, fewer leapfrog steps or another \
                 kernel."
            }
            Self::FewSurvivors { .. } => {
                "The step from the temperature before was too large; use an adaptive schedule, a higher ESS \
                 target or more particles."
            }
            Self::FewAncestors { .. } | Self::ErrorsUnknown { .. } => {
                "Use several islands (`Inference::psmc()`), or more particles."
            }
            Self::EvidenceImprecise { .. } => {
                "Use more particles, more mutation steps or more islands."
            }
            Self::EvidenceScattered { .. } => {
                "Use more particles in each island, more mutation steps or `.ess_target(0.9)`; more islands do not help."
            }
            Self::NanDensity {
                times, evaluations, ..
            } if is_rare(*times, *evaluations) => {
                "Such moves are rejected; so few of them hardly change the result."
            }
            Self::NanDensity { cause: Some(_), .. } => {
                "Such moves are rejected, so part of the posterior may be missing."
            }
            Self::NanDensity { .. } => {
                "Such moves are rejected, so part of the posterior may be missing; guard the expression \
                 against overflow, 0/0 and roots or logarithms of negative numbers."
            }
        }
    }

    /// What to do about the trajectories of chains.
    fn remedy_of_trajectories(&self) -> &'static str {
        match self {
            Self::Divergences { region: None, .. } => {
                "A part of the posterior may be missing; write group effects non-centred, or raise \
                 `target_acceptance` of the kernel."
            }
            Self::Divergences { .. } => {
                "A part of the posterior near there may be missing; write group effects non-centred, or raise \
                 `target_acceptance` of the kernel. `run.divergences(name)` tells where trajectories diverged."
            }
            Self::LowEnergyFraction { .. } => {
                "Its tails are heavier than its trajectories can follow; write group effects non-centred, or \
                 give heavy-tailed quantities another parametrisation."
            }
            Self::DepthReached { .. } => {
                "The draws are valid but take long to become independent; bring the quantities to like scales, \
                 try `.mass(Mass::Covariance)`, or raise `max_depth`; `model.check(..)` looks for jumps of the density, which \
                 have the same effect."
            }
            _ => "",
        }
    }
}

/// A share of evaluations that is most likely the doing of trial steps that went too far.
const RARE: f64 = 1e-4;

fn is_rare(times: u64, evaluations: u64) -> bool {
    (times as f64) < RARE * evaluations as f64
}

/// `0.4%`, or `3 in a million` where that is less than a hundredth of a percent.
fn rate(times: u64, evaluations: u64) -> String {
    let share = times as f64 / evaluations as f64;
    if is_rare(times, evaluations) {
        format!("{:.1} in a million", 1e6 * share)
    } else if share < 0.001 {
        format!("{:.2}%", 100.0 * share)
    } else {
        percent(share)
    }
}

fn r_hat_text(r_hat: f64, element: &str, elements: usize, limit: f64) -> String {
    let others = match elements {
        0 | 1 => String::new(),
        2 => " (and too high for 1 other)".to_owned(),
        n => format!(" (and too high for {} others)", n - 1),
    };
    format!("R-hat is {r_hat:.3} for `{element}`{others}, should be below {limit:.3}")
}

/// A share in percent, with a digit more near 0 and 1.
fn percent(share: f64) -> String {
    if (0.1..=0.9).contains(&share) {
        format!("{:.0}%", 100.0 * share)
    } else {
        format!("{:.1}%", 100.0 * share)
    }
}

/// A number with its noun, in the plural unless it is 1.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}
