//! Islands: the weights of a late temperature have a heavier tail than its states show.

use super::Message;
use crate::diagnose::{ColumnDiagnostics, Estimator};
use crate::number;
use crate::numeric::log_mean_exp;
use crate::run::{Run, Stage};
use crate::text::percent;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The largest log of the effective sample size that a temperature had over the one that the posterior draws predict, without a warning: the
/// mean over the islands. In runs of 4 islands of 64 particles it was at most 0.05 on seven ordinary problems (84 runs), and at least 0.56 in
/// 180 runs whose posterior has heavier tails than the prior (experiments/figures.md).
const MOST: f64 = 0.4;
/// The temperatures before the posterior that are examined. The posterior draws reach back to them by small weights.
const STAGES: usize = 3;
/// The largest difference between the log increment of a temperature and its estimate from the posterior draws. A larger one says that the
/// density on the path was another, as where data are added in batches.
const LARGEST_GAP: f64 = 1.0;
/// The share of the draws with the largest likelihoods, which say where the tail lies.
const TOP: f64 = 0.01;

/// The weights of a late temperature have a much larger variance than its states show.
///
/// The effective sample size of a step from λ to λ' is known in two ways: from the states at λ, which have the weights, and from the draws of
/// the posterior, taken back to λ':
///
/// ```text
/// ESS share = (E_λ w)² / E_λ w² = 1 / (E_λ' w  E_λ' 1/w),    w = exp((λ' − λ) log likelihood)
/// ```
///
/// The two agree if the states at λ reach all places where weight lies. If the posterior has heavier tails than the prior, w has no variance:
/// few states are in the tail, the first share looks healthy and the second one does not. The mean weight is then too small in most runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeavyWeights {
    /// The power of the likelihood at the end of the step: of the island where the two shares differ most.
    #[serde(with = "number::one")]
    pub lambda: f64,
    /// The share of effective states by the weights, and by the posterior draws: geometric means over the islands.
    pub shares: [f64; 2],
    /// The quantity that is farthest from its mean, in standard deviations, in the draws of the largest likelihood.
    pub element: Option<String>,
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<HeavyWeights> {
    if !is_tempered(run) {
        return None;
    }
    let islands = run.groups.iter();
    let steps: Vec<Step> = islands
        .filter_map(|group| Step::worst(group.history(), &group.log_likelihood))
        .collect();
    let mean = |of: &dyn Fn(&Step) -> f64| steps.iter().map(of).sum::<f64>() / steps.len() as f64;
    // false for NaN: no island has such steps
    let is_heavy = mean(&Step::excess) > MOST;
    if !is_heavy {
        return None;
    }
    let worst = steps
        .iter()
        .max_by(|a, b| a.excess().total_cmp(&b.excess()))?;
    Some(HeavyWeights {
        lambda: worst.lambda,
        shares: [
            mean(&|step| step.seen).exp(),
            mean(&|step| step.predicted).exp(),
        ],
        element: element_of_tail(run, elements),
    })
}

/// Whether the path is by powers of the likelihood, with resampling at each.
fn is_tempered(run: &Run) -> bool {
    let is = |name: &str, holds: &dyn Fn(&str) -> bool| {
        run.settings.get(name).is_some_and(|setting| holds(setting))
    };
    let is_tempering = is("path", &|path| path.ends_with("to: [1.0, 1.0] }"));
    is_tempering && is("resampling", &|scheme| scheme != "Never") && run.part_of.is_none()
}

/// A step of the ladder with the logarithms of two estimates of its effective sample size, as shares of the states.
struct Step {
    lambda: f64,
    seen: f64,
    predicted: f64,
}

impl Step {
    /// The step of an island in which the two estimates differ most; `None` without temperatures or posterior draws.
    fn worst(history: &[Stage], log_likelihood: &[f64]) -> Option<Self> {
        let last = history.last()?;
        let is_finite = log_likelihood.iter().all(|l| l.is_finite());
        if last.lambda != 1.0 || log_likelihood.is_empty() || !is_finite {
            return None;
        }
        let late = history.len().saturating_sub(STAGES)..history.len();
        let steps = late.filter_map(|at| {
            let before = at.checked_sub(1).map_or(0.0, |at| history[at].lambda);
            Self::of(&history[at], before, log_likelihood)
        });
        steps.max_by(|a, b| a.excess().total_cmp(&b.excess()))
    }

    /// `None` in nested sampling, and if the draws say that the step was another.
    fn of(stage: &Stage, before: f64, log_likelihood: &[f64]) -> Option<Self> {
        let (step, rest) = (stage.lambda - before, 1.0 - stage.lambda);
        let mean = |power: f64| {
            let logs: Vec<f64> = log_likelihood.iter().map(|l| power * l).collect();
            log_mean_exp(&logs)
        };
        let at_step = mean(-rest);
        let backward = mean(-rest - step) - at_step;
        let is_known = stage.level.is_none() && stage.states > 0 && stage.ess > 0.0;
        let is_this_step = (stage.log_increment + backward).abs() < LARGEST_GAP;
        (is_known && is_this_step).then(|| Self {
            lambda: stage.lambda,
            seen: (stage.ess / stage.states as f64).ln(),
            predicted: -(mean(step - rest) - at_step + backward),
        })
    }

    /// The log of the estimate by the weights over the estimate by the posterior draws.
    fn excess(&self) -> f64 {
        self.seen - self.predicted
    }
}

/// The element whose values in the draws of the largest likelihood are farthest from its mean.
fn element_of_tail(run: &Run, elements: &[ColumnDiagnostics]) -> Option<String> {
    let mut all: Vec<f64> = run
        .groups
        .iter()
        .flat_map(|g| g.log_likelihood.clone())
        .collect();
    let rank = ((1.0 - TOP) * all.len() as f64) as usize;
    let rank = rank.min(all.len().checked_sub(1)?);
    let (_, bound, _) = all.select_nth_unstable_by(rank, f64::total_cmp);
    let bound = *bound;
    let estimator = Estimator::of(run);
    let distance = |k: usize| {
        let column = run.column(k);
        let (mean, sd) = (estimator.mean(&column).mean, estimator.spread(&column));
        let pairs = run.groups.iter().zip(&column);
        let squares = pairs.flat_map(|(group, values)| {
            let draws = group.log_likelihood.iter().zip(values);
            draws
                .filter(|(l, _)| **l >= bound)
                .map(|(_, x)| ((x - mean) / sd).powi(2))
        });
        squares.filter(|square| square.is_finite()).sum::<f64>()
    };
    let farthest = (0..elements.len()).max_by(|a, b| distance(*a).total_cmp(&distance(*b)))?;
    Some(elements[farthest].name.clone())
}

impl Message for HeavyWeights {
    fn problem(&self) -> String {
        let Self {
            lambda,
            shares: [seen, predicted],
            ..
        } = self;
        format!(
            "the weights at the power {lambda:.3} of the likelihood seem to have {} effective states, but by the posterior draws they have {}",
            percent(*seen),
            percent(*predicted)
        )
    }

    fn remedy(&self) -> &'static str {
        "Hardly any state before the last moves was where the posterior has its largest likelihoods, so the log evidence is probably too low by \
         more than its error. The posterior has heavier tails than the prior, or a narrow peak."
    }

    fn remedy_here(&self) -> Cow<'static, str> {
        let prior = match &self.element {
            Some(element) => format!("In its tails give `{element}` a prior with heavier ones"),
            None => "In its tails give the parameters priors with heavier ones".to_owned(),
        };
        format!(
            "{} {prior}, such as Student's t; for a peak take more particles.",
            self.remedy()
        )
        .into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example::{islands, normals, of_island};

    /// Islands that went from power `before` to the posterior: draws of a normal of variance 1 with the log likelihood `curvature` x² / 2, and
    /// the effective sample size that the step has for states of the temperature before.
    fn of(before: f64, curvature: f64, ess: f64) -> Run {
        let mut run = islands(&[-3.0; 4], 64);
        run.settings.insert(
            "path".to_owned(),
            "Path { from: [1.0, 0.0], to: [1.0, 1.0] }".to_owned(),
        );
        run.settings
            .insert("resampling".to_owned(), "Systematic".to_owned());
        for (p, group) in run.groups.iter_mut().enumerate() {
            let draws = normals(40 + p as u64, 2048);
            group.log_likelihood = draws.iter().map(|x| 0.5 * curvature * x * x).collect();
            let island = of_island(group);
            let at = island.history.len() - 2;
            island.history[at].lambda = before;
            // E 1/w of a normal of variance 1: exact
            let step = 1.0 - before;
            let last = &mut island.history[at + 1];
            last.log_increment = 0.5 * (1.0 + step * curvature).ln();
            last.ess = ess * last.states as f64;
            // the step before says nothing
            island.history[at].log_increment = 100.0;
            island.history[at - 1].log_increment = 100.0;
        }
        run
    }

    /// The share by the posterior is √((1 − h c) (1 + h c)): 0.87 of h c = 0.5.
    ///
    /// Mutations meant to be detected: 1/w in place of w, or weights of the whole likelihood in place of the step's.
    #[test]
    fn weights_without_variance_are_named_and_light_ones_are_not() {
        let found = find(&of(0.5, 1.0, 0.87), &[]);
        assert_eq!(found, None);
        let found = find(&of(0.5, 1.98, 0.9), &[]).expect("1/w and w differ");
        assert_eq!(found.lambda, 1.0);
        assert!((found.shares[0] - 0.9).abs() < 1e-9, "{found:?}");
        assert!(found.shares[1] < 0.6, "{found:?}");
        // a likelihood that falls
        assert_eq!(find(&of(0.5, -0.9, 0.9), &[]), None);
    }

    #[test]
    fn runs_on_another_path_say_nothing() {
        for (name, setting) in [
            ("path", "Path { from: [1.0, 0.0], to: [0.25, 1.0] }"),
            ("resampling", "Never"),
        ] {
            let mut run = of(0.5, 1.98, 0.9);
            run.settings.insert(name.to_owned(), setting.to_owned());
            assert_eq!(find(&run, &[]), None);
        }
        let mut batches = of(0.5, 1.98, 0.9);
        for group in &mut batches.groups {
            let history = &mut of_island(group).history;
            history
                .last_mut()
                .expect("it has temperatures")
                .log_increment -= 5.0;
        }
        assert_eq!(find(&batches, &[]), None);
    }

    #[test]
    fn the_message_names_the_shares_and_the_quantity() {
        let found = HeavyWeights {
            lambda: 1.0,
            shares: [0.91, 0.2],
            element: Some("x[2]".to_owned()),
        };
        let text = crate::diagnose::Warning::HeavyWeights(found.into()).to_string();
        let parts = [
            "the weights at the power 1.000 of the likelihood seem to have 91.0% effective states, but by the posterior draws they have 20%. Hardly",
            "or a narrow peak. In its tails give `x[2]` a prior with heavier ones, such as Student's t; for a peak",
        ];
        assert!(parts.iter().all(|part| text.contains(part)), "{text}");
    }
}
