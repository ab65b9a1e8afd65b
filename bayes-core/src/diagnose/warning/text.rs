//! The texts of the warnings: what is wrong and by how much, then what to do.

use super::{Region, Warning};
use crate::report::short;
use std::fmt;

/// A log evidence with a larger standard error is called imprecise: the 95% interval of a Bayes factor then
/// spans a factor of 7.
pub(crate) const EVIDENCE_SE: f64 = 0.5;
/// The standard deviation of the islands' log evidences should be below this.
pub(crate) const EVIDENCE_SPREAD: f64 = 0.5;

/// The smallest E-BFMI that is not warned of, as in Stan.
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
                    "island {island} carries {weight} of the weight: the effective number of islands is {effective:.1} of {islands}"
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
                "the chains are too short: the effective sample size of `{element}` is {ess:.0}; at least {wanted:.0} \
                 is recommended"
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
                        ": at their starting points `{}` averages {there} (posterior mean {mean})",
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
                    "the E-BFMI of chain {chain} is {e_bfmi:.2}{others}; at least {E_BFMI} is recommended"
                )
            }
            Self::DepthReached {
                saturated,
                trajectories,
            } => {
                format!("{saturated} of {trajectories} trajectories reached the maximum tree depth")
            }
            _ => String::new(),
        }
    }

    /// What is wrong with the temperature ladder, the particles or the evidence.
    fn problem_of_particles(&self) -> String {
        match self {
            Self::EvidenceImprecise { se } => format!(
                "the log evidence is imprecise: its standard error is {se:.2}; it should be below {EVIDENCE_SE}"
            ),
            Self::EvidenceScattered { spread, islands } => format!(
                "the log evidence may be too low by more than its standard error: the log evidences of the {islands} \
                 islands have standard deviation {spread:.2}; it should be below {EVIDENCE_SPREAD}"
            ),
            Self::LadderIncomplete { islands, lambda } => {
                let islands = count(*islands as u64, "island");
                format!(
                    "the temperature ladder did not reach the posterior: {islands} stopped before the power of the \
                     likelihood was 1; the lowest power is {lambda:.3e}"
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
                    "the acceptance rate is too low: {acceptance} at the last stage, and below 5% at {stages} of \
                     {of} stages"
                )
            }
            Self::FewSurvivors {
                island,
                lambda,
                survivors,
                particles,
            } => format!(
                "resampling kept {survivors} distinct particles of {particles} in island {island}, at the power \
                 {lambda:.3e} of the likelihood"
            ),
            Self::FewAncestors {
                ancestors,
                particles,
            } => {
                let ancestors = count(*ancestors as u64, "initial particle");
                format!(
                    "the standard errors are unreliable: the {particles} particles of the only island descend \
                     from {ancestors}"
                )
            }
            Self::ErrorsUnknown { particles } => format!(
                "there are no standard errors: all {particles} particles of the only island descend from one \
                 initial particle, or their ancestry was not recorded"
            ),
            _ => String::new(),
        }
    }

    /// What it means and what to do.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::IslandDominates { .. } => {
                "The estimates and their standard errors rest on few islands. Use more particles per island or more \
                 mutation steps, so that the islands agree on the evidence."
            }
            Self::IslandsDisagree { .. } => {
                "The particles of an island stay correlated after resampling, or islands found different modes. Use \
                 more mutation steps or more particles."
            }
            Self::ChainsDisagree { improper: true, .. } => {
                "Do not use these draws. Run longer chains with a longer burn-in, preferably by `Inference::nuts()`. If \
                 the posterior may be multimodal, replace the flat priors by proper ones and use islands."
            }
            Self::ChainsDisagree { .. } => {
                "Do not use these draws. Run longer chains with a longer burn-in, preferably by `Inference::nuts()`. If \
                 the posterior may be multimodal, use `Inference::psmc()`."
            }
            Self::ChainsTooShort { .. } => {
                "Standard errors and R-hat are not reliable. Keep more draws, thin more or use more chains."
            }
            Self::Divergences { .. }
            | Self::LowEnergyFraction { .. }
            | Self::DepthReached { .. } => self.remedy_of_trajectories(),
            Self::LadderIncomplete { .. } => {
                "The draws are not from the posterior. End the schedule at 1, or allow more temperatures."
            }
            Self::LadderStalled { .. } => {
                "The moves no longer spread the particles out. Use more mutation steps, more particles or another \
                 kernel."
            }
            Self::LowAcceptance { .. } => {
                "The draws hardly move. Use a smaller step size, fewer leapfrog steps or another kernel."
            }
            Self::FewSurvivors { .. } => {
                "The step from the previous temperature was too large. Use an adaptive schedule, a higher ESS \
                 target or more particles."
            }
            Self::FewAncestors { .. } | Self::ErrorsUnknown { .. } => {
                "Use several islands (`Inference::psmc()`), or more particles."
            }
            Self::EvidenceImprecise { .. } => {
                "Use more particles, more mutation steps or more islands."
            }
            Self::EvidenceScattered { .. } => {
                "Use more particles per island, more mutation steps or `.ess_target(0.9)`. More islands do not help."
            }
            Self::NanDensity {
                times, evaluations, ..
            } if is_rare(*times, *evaluations) => {
                "Such moves are rejected. They are too rare to change the result much."
            }
            Self::NanDensity { cause: Some(_), .. } => {
                "Such moves are rejected, so part of the posterior may be missing."
            }
            Self::NanDensity { .. } => {
                "Such moves are rejected, so part of the posterior may be missing. Guard the expression \
                 against overflow, 0/0 and roots or logarithms of negative numbers."
            }
        }
    }

    /// What to do about the trajectories of chains.
    fn remedy_of_trajectories(&self) -> &'static str {
        match self {
            Self::Divergences { region: None, .. } => {
                "Part of the posterior may be missing. Write group effects in the non-centred parametrisation, or raise \
                 the kernel's `target_acceptance`."
            }
            Self::Divergences { .. } => {
                "Part of the posterior near these points may be missing. Write group effects in the non-centred \
                 parametrisation, or raise the kernel's `target_acceptance`. `run.divergences(name)` gives the starting \
                 points of divergent trajectories."
            }
            Self::LowEnergyFraction { .. } => {
                "The chain explores the tails of the posterior slowly. Write group effects in the non-centred \
                 parametrisation, or reparametrise heavy-tailed quantities."
            }
            Self::DepthReached { .. } => {
                "The draws are valid but strongly autocorrelated. Rescale the parameters to similar magnitudes, \
                 try `.mass(Mass::Covariance)`, or raise `max_depth`. Jumps of the density have the same effect; \
                 `model.check(..)` looks for them."
            }
            _ => "",
        }
    }
}

/// Below this share of evaluations, NaN most likely came from a few trial steps that were too long.
const RARE: f64 = 1e-4;

fn is_rare(times: u64, evaluations: u64) -> bool {
    (times as f64) < RARE * evaluations as f64
}

/// `0.4%`; a share below a hundredth of a percent is written as `3.0 in a million`.
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
    format!("R-hat is {r_hat:.3} for `{element}`{others}; it should be below {limit:.3}")
}

/// A share in percent, with one more digit near 0 and 1.
fn percent(share: f64) -> String {
    if (0.1..=0.9).contains(&share) {
        format!("{:.0}%", 100.0 * share)
    } else {
        format!("{:.1}%", 100.0 * share)
    }
}

/// A number with its noun, in the plural unless the number is 1.
pub(crate) fn count(number: u64, noun: &str) -> String {
    if number == 1 {
        format!("1 {noun}")
    } else {
        format!("{number} {noun}s")
    }
}
