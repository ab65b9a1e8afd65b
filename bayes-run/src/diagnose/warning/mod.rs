//! Warnings: possible problems of a run. Each rule has a file, with its message and its tests.
//!
//! A new rule is one file and one line in the list below. The file has a struct for the findings, a function
//! `find` that checks a run, and the text of the warning (`Message`).

mod advice;
mod angle_at_cut;
mod approximation_poor;
mod chains_disagree;
mod chains_too_short;
mod controls_disagree;
mod convergence_unknown;
mod dependent_levels;
mod depth_reached;
pub(in crate::diagnose) mod divergences;
mod errors_unknown;
mod evidence_imprecise;
mod evidence_scattered;
mod few_ancestor_islands;
mod few_ancestors;
mod few_round_trips;
mod few_survivors;
mod few_visits;
mod form;
mod heavy_tails;
mod heavy_weights;
mod inexact_equations;
mod island_dominates;
mod islands_disagree;
mod labels;
mod ladder_incomplete;
mod ladder_stalled;
mod low_acceptance;
mod low_energy_fraction;
mod mass_beyond;
mod members_agree;
mod missed_mass;
mod moved_by;
mod nan_density;
mod never_tuned;
mod no_trace;
mod not_compared;
mod not_finite;
#[cfg(test)]
mod of_formula;
mod other_maxima;
mod panics;
mod paths_failed;
mod precision_missed;
mod r_hat;
mod rare_swaps;
mod rounded_prior;
mod single_island;
mod slow_likelihood;
mod slow_moves;
mod stopped;
mod stuck_particles;
#[cfg(test)]
pub(super) mod testing;
mod told;
pub(in crate::diagnose) mod trajectories;
mod unbalanced_slopes;
mod uneven_particles;
mod unseen_dose;
mod weights_correct;
mod wrong_gradient;

pub use advice::Advice;
pub use divergences::Region;
pub use form::Form;
pub use moved_by::MovedBy;
pub(crate) use nan_density::is_harmless;
pub use told::Told;

use super::ColumnDiagnostics;
use crate::run::{GroupKind, Run, Variable};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

/// The text of a warning.
trait Message {
    /// The problem, and its size.
    fn problem(&self) -> String;
    /// What the problem means and what to do.
    fn remedy(&self) -> &'static str;
    /// The remedy with settings of the run, if it names some.
    fn remedy_here(&self) -> Cow<'static, str> {
        self.remedy().into()
    }
    /// The remedy for users of formulas, if the others speak of what these do not have: statements, coordinates, and settings that neither
    /// the program `bayes` nor Python has. A test finds rules that lack it.
    fn remedy_of_formula(&self) -> Option<Cow<'static, str>> {
        None
    }
    /// A setting that would remove the problem, if the run shows one.
    fn advice(&self) -> Option<&Advice> {
        None
    }
}

/// `when { file: Struct, .. }`: the rules for runs with the property `when`, in the order of their warnings.
macro_rules! rules {
    ($($when:ident { $($file:ident: $Rule:ident,)* })*) => {
        $($(pub use $file::$Rule;)*)*

        /// A reason not to trust a result: the problem, its size, and what to do.
        ///
        /// Islands, chains and elements are numbered from 0, as in the exports.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        pub enum Warning {
            $($(#[doc = concat!("See [`", stringify!($Rule), "`].")] $Rule(Told<$Rule>),)*)*
        }

        impl Warning {
            /// All warnings of a run, given the diagnostics of its elements, worst first.
            pub(crate) fn all_of(run: &Run, elements: &[ColumnDiagnostics]) -> Vec<Self> {
                let mut warnings = Vec::new();
                $(if $when(run) {
                    $(let found = $file::find(run, elements).into_iter();
                    warnings.extend(found.map(|found| Self::$Rule(Told::of(run, found))));)*
                })*
                // weights that miss a part of the posterior correct nothing
                if warnings.iter().any(Self::is_of_missed_part) {
                    warnings.retain(|warning| !matches!(warning, Self::WeightsCorrect(_)));
                }
                warnings
            }

            fn message(&self) -> &dyn Message {
                match self {
                    $($(Self::$Rule(told) => &**told,)*)*
                }
            }

            /// Whether it is told to somebody who wrote a formula.
            fn is_of_formula(&self) -> bool {
                match self {
                    $($(Self::$Rule(told) => told.is_of_formula(),)*)*
                }
            }
        }
    };
}

rules! {
    chains {
        chains_disagree: ChainsDisagree,
        convergence_unknown: ConvergenceUnknown,
        divergences: Divergences,
        unbalanced_slopes: UnbalancedSlopes,
        angle_at_cut: AngleAtCut,
        chains_too_short: ChainsTooShort,
        few_visits: FewVisits,
        low_energy_fraction: LowEnergyFraction,
        depth_reached: DepthReached,
        never_tuned: NeverTuned,
    }
    tempered {
        few_round_trips: FewRoundTrips,
        rare_swaps: RareSwaps,
    }
    islands {
        ladder_incomplete: LadderIncomplete,
        precision_missed: PrecisionMissed,
        missed_mass: MissedMass,
        island_dominates: IslandDominates,
        islands_disagree: IslandsDisagree,
        ladder_stalled: LadderStalled,
        stuck_particles: StuckParticles,
        few_survivors: FewSurvivors,
        heavy_weights: HeavyWeights,
        slow_moves: SlowMoves,
        dependent_levels: DependentLevels,
        slow_likelihood: SlowLikelihood,
        errors_unknown: ErrorsUnknown,
        single_island: SingleIsland,
        few_ancestors: FewAncestors,
        few_ancestor_islands: FewAncestorIslands,
        uneven_particles: UnevenParticles,
        evidence_imprecise: EvidenceImprecise,
        evidence_scattered: EvidenceScattered,
        controls_disagree: ControlsDisagree,
    }
    searched {
        other_maxima: OtherMaxima,
    }
    independent {
        approximation_poor: ApproximationPoor,
        mass_beyond: MassBeyond,
        heavy_tails: HeavyTails,
        weights_correct: WeightsCorrect,
        members_agree: MembersAgree,
        paths_failed: PathsFailed,
    }
    every {
        stopped: Stopped,
        low_acceptance: LowAcceptance,
        panics: Panicked,
        nan_density: NanDensity,
        inexact_equations: InexactEquations,
        unseen_dose: UnseenDose,
        rounded_prior: PriorRounds,
        not_finite: NotFinite,
        no_trace: NoTrace,
        wrong_gradient: WrongGradient,
        not_compared: NotCompared,
    }
}

/// Whether a formula is the model: its users know its terms and priors, and neither statements nor coordinates.
fn is_of_formula(run: &Run) -> bool {
    run.recipe.is_some()
}

/// The variables that a formula does not hide.
fn shown(run: &Run) -> impl Iterator<Item = &Variable> {
    let variables = run.layout.variables.iter();
    variables.filter(|variable| !run.hides(&variable.name))
}

/// The elements that a formula shows, if there are some of them; otherwise all. Among elements of which one is told, its users know these.
fn known<'e>(run: &Run, elements: Vec<&'e ColumnDiagnostics>) -> Vec<&'e ColumnDiagnostics> {
    let is_hidden = |element: &&ColumnDiagnostics| run.hides(&element.name);
    match elements.iter().all(is_hidden) {
        true => elements,
        false => elements.into_iter().filter(|e| !is_hidden(e)).collect(),
    }
}

fn chains(run: &Run) -> bool {
    run.is_chains()
}

fn tempered(run: &Run) -> bool {
    run.exchanges().next().is_some()
}

fn islands(run: &Run) -> bool {
    run.kind == GroupKind::Islands
}

fn independent(run: &Run) -> bool {
    run.kind == GroupKind::Independent
}

fn searched(run: &Run) -> bool {
    chains(run) || independent(run)
}

fn every(_: &Run) -> bool {
    true
}

impl Warning {
    /// Whether the draws of an approximation, and so their weights, miss a part of the posterior.
    pub(crate) fn is_of_missed_part(&self) -> bool {
        matches!(
            self,
            Self::OtherMaxima(_) | Self::MassBeyond(_) | Self::HeavyTails(_)
        )
    }

    /// Whether the log evidence of islands may be further from the truth than its error says.
    pub(crate) fn doubts_evidence(&self) -> bool {
        matches!(
            self,
            Self::LadderIncomplete(_)
                | Self::MissedMass(_)
                | Self::IslandsDisagree(_)
                | Self::LadderStalled(_)
                | Self::StuckParticles(_)
                | Self::FewSurvivors(_)
                | Self::HeavyWeights(_)
                | Self::SlowMoves(_)
                | Self::DependentLevels(_)
                | Self::SlowLikelihood(_)
                | Self::EvidenceScattered(_)
        )
    }

    /// Whether it doubts the log evidence by the path from the prior alone. Where integration around the mode has nearly all of the weight, no doubt is
    /// left.
    pub(crate) fn is_of_path(&self) -> bool {
        match self {
            Self::MissedMass(missed) => missed.is_seen,
            Self::LadderStalled(_) | Self::HeavyWeights(_) | Self::DependentLevels(_) => true,
            _ => false,
        }
    }

    /// The problem, and its size.
    #[must_use]
    pub fn problem(&self) -> String {
        self.message().problem()
    }

    /// What the problem means and what to do.
    #[must_use]
    pub fn remedy(&self) -> Cow<'static, str> {
        let message = self.message();
        let of_formula = self.is_of_formula().then(|| message.remedy_of_formula());
        of_formula
            .flatten()
            .unwrap_or_else(|| message.remedy_here())
    }

    /// A larger setting that would remove the problem, with its cost; `None` if the run does not show one.
    #[must_use]
    pub fn advice(&self) -> Option<&Advice> {
        self.message().advice()
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}", self.problem(), self.remedy())?;
        match self.advice() {
            Some(advice) => write!(f, " Try {advice}."),
            None => Ok(()),
        }
    }
}
