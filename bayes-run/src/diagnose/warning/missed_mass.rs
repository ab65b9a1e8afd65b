//! Islands: a mode has more mass than the run gives it.

use super::Message;
use crate::diagnose::local_evidence::{self, LEAST_RISE};
use crate::diagnose::{ColumnDiagnostics, Estimator};
use crate::order;
use crate::run::{Group, LocalMass, Run};
use crate::text::{Style, count, percent};
use serde::{Deserialize, Serialize};

/// The missed mass must raise the log evidence by this many standard errors, and by [`LEAST_RISE`].
const ERRORS: f64 = 5.0;
/// The draws are where the mass is if their share is at least this part of the mass's share, and if the difference is within this many
/// standard errors.
const SHARED: f64 = 0.8;
const SHARE_ERRORS: f64 = 3.0;
/// The part of a mode's mass in its ellipsoid may be as small as this where tails are heavier than a Gaussian's.
const LEAST_INSIDE: f64 = 0.75;
/// Number of elements that are named: the elements in which the mode is farthest from the posterior's mean.
const NAMED: usize = 3;

/// Integration around a mode finds more mass than the evidence and the share of the draws there imply.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MissedMass {
    /// Elements with their values at the mode and the posterior standard deviations of the run. Of several modes, the mode with most
    /// mass.
    pub place: Vec<(String, f64, f64)>,
    /// Number of elements that are not named.
    pub more: usize,
    /// Number of modes that have more mass than the run says.
    pub modes: usize,
    /// The share of the posterior in the ellipsoid around the mode, by integration.
    pub mass_share: f64,
    /// The share of the run's draws in that ellipsoid.
    pub share: f64,
    /// Whether the draws are where the mass is, and only the path from the prior lacks it: nearly all draws are near the mode, or the two shares
    /// agree within their errors.
    #[serde(default)]
    pub is_seen: bool,
    /// Whether the log evidence of the run is the one by integration around the mode.
    #[serde(default)]
    pub is_printed: bool,
    /// Whether the mass is known only roughly: it is many times what the draws there imply, but its error is so large that it could be less.
    #[serde(default)]
    pub is_uncertain: bool,
    /// The log evidence by the path from the prior.
    pub log_evidence: f64,
    /// The log evidence including the missing mass, and its standard error; by integration around the mode if all draws are near it.
    pub with_it: [f64; 2],
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<MissedMass> {
    let evidence = run.log_evidence_of_path()?;
    // islands with different priors have other evidences than the run
    if run.settings.get("anchors").is_some_and(|fits| fits != "1") {
        return None;
    }
    // a selection of the quantities has no positions
    if run.groups.iter().any(|group| group.positions.is_empty()) {
        return None;
    }
    let modes = modes(run, evidence.mean);
    if modes.is_empty() {
        return None;
    }
    let estimator = Estimator::of(run);
    // relative to the largest of all, because a mass may be e^1000 times the evidence of the run
    let unit = modes
        .iter()
        .map(|mode| mode.log_mass)
        .fold(evidence.mean, f64::max);
    let seen = Seen {
        evidence: (evidence.mean - unit).exp(),
        se: evidence.se,
        effective: effective_size(&estimator),
        unit,
    };
    let excesses = modes
        .into_iter()
        .map(|mass| Excess::of(&estimator, &seen, mass));
    let missed: Vec<Excess<'_>> = excesses
        .filter(|excess| excess.is_missed() || excess.may_be_missed())
        .collect();
    let largest = missed.iter().max_by(|a, b| a.mass.total_cmp(&b.mass))?;
    // scaled to the whole Gaussian, beyond the ellipsoids
    let missing = missed.iter().map(Excess::missing).sum::<f64>();
    let rise = missing / LocalMass::INSIDE;
    let errors = missed.iter().map(|excess| excess.error.powi(2));
    // the error of the evidence counts once, for the mass that the run has seen
    let known = |se: f64| if se.is_nan() { 0.0 } else { se };
    let of_evidence = seen.evidence * known(evidence.se);
    let whole = seen.evidence + rise;
    let error = (errors.sum::<f64>() + of_evidence.powi(2)).sqrt() / whole;
    let (place, more) = place(&estimator, largest.at, elements);
    let mass_share = largest.mass / whole;
    // the share of a mode in its ellipsoid is less than a Gaussian's if its tails are heavier
    let of_draws =
        local_evidence::estimate(run).filter(|_| local_evidence::is_around(run, largest.at));
    let joined = of_draws.and_then(|_| run.log_evidence_joined());
    let agrees = || largest.agrees(seen.evidence + missing / LEAST_INSIDE);
    let is_seen = of_draws.is_some() || largest.share > SHARED * mass_share && agrees();
    Some(MissedMass {
        place,
        more,
        modes: missed.len(),
        mass_share,
        share: largest.share,
        is_seen,
        is_uncertain: !is_seen && !missed.iter().all(Excess::is_missed),
        is_printed: joined.is_some_and(|joined| joined.is_replaced()),
        log_evidence: evidence.mean,
        with_it: of_draws.map_or([unit + whole.ln(), error], |all| [all.mean, all.se]),
    })
}

/// The number of effective draws of the log likelihood.
fn effective_size(estimator: &Estimator<'_>) -> f64 {
    let run = estimator.run();
    let of = |group: &Group| group.log_likelihood.clone();
    let log_likelihood: Vec<Vec<f64>> = run.groups.iter().map(of).collect();
    let effective = estimator.effective_size(&log_likelihood);
    // a constant likelihood has no effective size
    match effective.is_nan() {
        true => run.total_draws() as f64,
        false => effective,
    }
}

/// The modes whose mass could matter, each once: several islands find the same mode.
fn modes(run: &Run, log_evidence: f64) -> Vec<&LocalMass> {
    let may_matter = |mass: &&LocalMass| local_evidence::matters(mass, log_evidence);
    let islands = run.groups.iter().filter_map(Group::island);
    let all = islands.flat_map(|island| &island.local_masses);
    let mut modes: Vec<&LocalMass> = Vec::new();
    for mass in all.filter(may_matter) {
        if !modes.iter().any(|known| known.is_same_mode(mass)) {
            modes.push(mass);
        }
    }
    modes
}

/// What the run says of the posterior.
struct Seen {
    /// The evidence, in a unit.
    evidence: f64,
    /// The standard error of its logarithm.
    se: f64,
    /// The number of effective draws.
    effective: f64,
    /// The logarithm of the unit.
    unit: f64,
}

/// The mass near a mode, and the mass that the draws there imply. In a healthy run they are equal.
struct Excess<'a> {
    at: &'a LocalMass,
    mass: f64,
    share: f64,
    /// The standard error of the share.
    share_error: f64,
    /// The evidence of the run.
    evidence: f64,
    /// The standard error of the mass that the draws imply.
    of_run: f64,
    /// The standard error of the difference of the masses.
    error: f64,
}

impl<'a> Excess<'a> {
    fn of(estimator: &Estimator<'_>, seen: &Seen, at: &'a LocalMass) -> Self {
        let groups = estimator.run().groups.iter();
        let column: Vec<Vec<f64>> = groups.map(|group| inside(group, at)).collect();
        let share = estimator.mean(&column);
        let mass = (at.log_mass - seen.unit).exp();
        // if few or no draws are inside, their spread does not say how many there should be
        let effective = seen.effective.max(1.0);
        let expected = share.mean.max(mass / seen.evidence);
        let expected = expected.clamp(1.0 / effective, 1.0);
        let outside = (1.0 - expected).max(1.0 / effective);
        let least = (expected * outside / effective).sqrt();
        let of_share = if share.se.is_nan() {
            least
        } else {
            share.se.max(least)
        };
        // an unknown error is assumed to be as large as the evidence
        let of_evidence = match seen.se {
            se if se.is_nan() => share.mean,
            se => share.mean * se,
        };
        let of_run = of_evidence.hypot(of_share) * seen.evidence;
        Self {
            at,
            mass,
            share: share.mean,
            share_error: of_share,
            evidence: seen.evidence,
            of_run,
            error: (mass * at.se).hypot(of_run),
        }
    }

    /// The mass that the run has not seen.
    fn missing(&self) -> f64 {
        self.mass - self.share * self.evidence
    }

    /// Whether the share of the draws is within its errors of the share of the mass, of an evidence that is at most `largest_evidence`.
    fn agrees(&self, largest_evidence: f64) -> bool {
        let mass_share = self.mass / largest_evidence;
        let error = self.share_error.hypot(mass_share * self.at.se);
        mass_share - self.share < SHARE_ERRORS * error
    }

    /// Whether a mass with a large relative error is more than if it were what the draws imply: the error would then be relative to that smaller mass.
    fn may_be_missed(&self) -> bool {
        let implied = self.share * self.evidence + ERRORS * self.of_run;
        let least = LEAST_RISE.exp_m1() * self.evidence;
        self.missing() > least && self.mass > (1.0 + ERRORS * self.at.se) * implied
    }

    /// Whether the missing mass is more than its error explains.
    fn is_missed(&self) -> bool {
        let least = LEAST_RISE.exp_m1() * self.evidence;
        self.missing() > least && self.missing() > ERRORS * self.error
    }
}

/// For each draw, 1 if it is in the ellipsoid, otherwise 0.
fn inside(group: &Group, mass: &LocalMass) -> Vec<f64> {
    let positions = group.positions.chunks_exact(mass.mode.len());
    positions
        .map(|position| f64::from(u8::from(mass.contains(position))))
        .collect()
}

/// The elements in which the mode is farthest from the posterior's mean, in whole standard deviations, and the number of the other
/// elements.
fn place(
    estimator: &Estimator<'_>,
    mass: &LocalMass,
    elements: &[ColumnDiagnostics],
) -> (Vec<(String, f64, f64)>, usize) {
    let seen = |(element, value): (&ColumnDiagnostics, &f64), k: usize| {
        let column = estimator.run().column(k);
        let (mean, sd) = (estimator.mean(&column).mean, estimator.spread(&column));
        let distance = ((value - mean).abs() / sd).floor();
        let distance = if distance.is_nan() { 0.0 } else { distance };
        (distance, (element.name.clone(), *value, sd))
    };
    let pairs = elements.iter().zip(&mass.values).enumerate();
    let all = pairs.map(|(k, pair)| seen(pair, k)).collect();
    let all = order::descending_by(all, |(distance, _)| *distance);
    let more = all.len().saturating_sub(NAMED);
    let named = all.into_iter().take(NAMED);
    (named.map(|(_, element)| element).collect(), more)
}

impl Message for MissedMass {
    fn problem(&self) -> String {
        let Self {
            place,
            more,
            modes,
            mass_share,
            share,
            is_seen,
            is_uncertain,
            is_printed: _,
            log_evidence,
            with_it: [with_it, se],
        } = self;
        let named: Vec<String> = place
            .iter()
            .map(|(name, value, sd)| {
                let style = Style::for_error(0.1 * sd, value.abs().max(*sd));
                format!("`{name}` = {}", style.write(*value))
            })
            .collect();
        let others = match more {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let places = match modes {
            1 => String::new(),
            modes => format!(", and near {}", count(*modes as u64 - 1, "other mode")),
        };
        if *is_seen {
            return format!(
                "the draws near {}{others}{places} are {} of all, but their mass is not in the evidence by the path from the prior: by integration there, the log evidence is \
                 about {with_it:.2} ± {se:.2}, and not {log_evidence:.2}",
                named.join(", "),
                percent(*share)
            );
        }
        if *is_uncertain {
            return format!(
                "the run may have missed a part of the posterior near {}{others}{places}: by an integration with a large error, about {} of the \
                 posterior lies there, but only {} of the draws. With that part the log evidence would be about {with_it:.2} ± {se:.2}, and not \
                 {log_evidence:.2}",
                named.join(", "),
                percent(*mass_share),
                percent(*share)
            );
        }
        format!(
            "the run missed a part of the posterior near {}{others}{places}: by integration {} of the posterior lies there, but only {} of the \
             draws. With that part the log evidence is about {with_it:.2} ± {se:.2}, and not {log_evidence:.2}",
            named.join(", "),
            percent(*mass_share),
            percent(*share)
        )
    }

    fn remedy(&self) -> &'static str {
        if self.is_printed {
            return "Tempering lost most of the mass on the way, as where the prior hardly reaches the data, or expects a scale far larger than the data \
                    show. The log evidence of the run is the one by integration. With a prior that covers the data both would agree.";
        }
        if self.is_seen {
            return "Tempering lost most of the mass on the way, as where the prior hardly reaches the data, or expects a scale far larger than the data \
                    show. Use the log evidence named here, or a prior that covers the data.";
        }
        if self.is_uncertain {
            return "Evidence, means and intervals may lack this part, whose shape is far from a Gaussian's, so that its mass is known only roughly. Ask \
                    `Inference::evidence()`, whose nested islands do not depend on the path, or use more particles.";
        }
        "Evidence, means and intervals lack this part. More particles or islands do not help where a narrow mode is a small part of every \
         density on the path but the last. Use the log evidence named here; for a mean, weigh \
         the run's and the value at the mode by their shares."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::{islands, of_island};

    /// Islands of standard normal draws in three dimensions. One island has found `log_mass` around a mode, within `radius` of it.
    fn with_mode(mode: [f64; 3], radius: f64, log_mass: f64, se: f64) -> Run {
        let mut run = islands(&[-3.0; 4], 512);
        of_island(&mut run.groups[2]).local_masses = vec![LocalMass {
            mode: mode.to_vec(),
            values: mode.to_vec(),
            factor: vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
            radius,
            log_mass,
            se,
            draws: None,
        }];
        run
    }

    #[test]
    fn a_mode_that_few_draws_have_found_is_named_with_its_share() {
        assert_warned(
            &with_mode([0.0; 3], 0.25, -1.0, 0.02),
            "the run missed a part of the posterior near `mu` = 0.000, `beta[0]` = 0.000, `beta[1]` = 0.000: by integration 80% of the \
             posterior lies there, but only 0.6% of the draws. With that part the log evidence is about -0.78 ± 0.02, and not -3.00. Evidence, \
             means and intervals lack this part. More particles or islands do not help where a narrow mode is a small part of every density \
             on the path but the last. Use the log evidence named here; for a mean, weigh the run's and the value at the mode by their \
             shares.",
        );
    }

    #[test]
    fn a_mode_that_no_draw_has_found_needs_no_error_of_the_evidence() {
        let mut run = with_mode([9.0, 0.0, 0.0], 1.0, -3.0, 0.02);
        let found = find(&run, &[]).expect("the evidence is doubled");
        assert_eq!(found.share, 0.0);
        assert!((found.with_it[0] - (-3.0 + (1.0 + 1.0 / 0.9_f64).ln())).abs() < 1e-3);
        // two modes add up; the same mode found twice counts once
        let first = of_island(&mut run.groups[2]).local_masses[0].clone();
        let second = LocalMass {
            mode: vec![-9.0, 0.0, 0.0],
            ..first.clone()
        };
        of_island(&mut run.groups[0]).local_masses = vec![first, second];
        let found = find(&run, &[]).expect("the evidence is tripled");
        assert_eq!(found.modes, 2);
        assert!((found.with_it[0] - (-3.0 + (1.0 + 2.0 / 0.9_f64).ln())).abs() < 1e-3);
        // islands with different anchors have other evidences
        run.settings.insert("anchors".to_owned(), "2".to_owned());
        assert_eq!(find(&run, &[]), None);
    }

    /// Would detect a rule that takes a mode in the ellipsoid of another one for the same mode. The island with the broad mode comes first.
    #[test]
    fn a_spike_in_the_ellipsoid_of_a_broad_mode_is_a_mode() {
        let mut run = with_mode([0.5, 0.5, 0.0], 0.05, -2.0, 0.02);
        let spike = of_island(&mut run.groups[2]).local_masses[0].clone();
        let broad = LocalMass {
            mode: vec![0.0; 3],
            values: vec![0.0; 3],
            radius: 2.5,
            log_mass: -3.0 + LocalMass::INSIDE.ln(),
            ..spike.clone()
        };
        assert!(broad.contains(&spike.mode) && !spike.is_same_mode(&broad));
        of_island(&mut run.groups[0]).local_masses = vec![broad];
        let found = find(&run, &[]).expect("the spike has most of the mass");
        assert_eq!((found.modes, found.is_seen), (1, false));
        let both = ((-3.0_f64).exp() + (-2.0_f64).exp() / LocalMass::INSIDE).ln();
        assert!((found.with_it[0] - both).abs() < 0.01, "{found:?}");
    }

    /// The mutation that it detects: masses relative to the evidence of the run, which overflow.
    #[test]
    fn a_mode_with_nearly_all_of_the_posterior_is_named() {
        for log_mass in [300.0, 4000.0] {
            for mode in [[0.0; 3], [9.0, 0.0, 0.0]] {
                let found = find(&with_mode(mode, 2.5, log_mass, 0.02), &[]);
                let found = found.expect("the evidence is far larger");
                let wanted = log_mass - LocalMass::INSIDE.ln();
                assert!((found.with_it[0] - wanted).abs() < 1e-9, "{found:?}");
                assert!((found.with_it[1] - 0.02).abs() < 0.01, "{found:?}");
                assert!((found.mass_share - LocalMass::INSIDE).abs() < 1e-9);
                let is_seen = found.problem().starts_with("the draws near ");
                assert_eq!(is_seen, mode[0] == 0.0, "{}", found.problem());
            }
        }
    }

    /// Mutations meant to be detected: half of the mass's share is enough, and a difference of any number of errors is allowed.
    #[test]
    fn a_mode_with_too_few_draws_is_missed_though_many_draws_are_there() {
        // of normal draws in three dimensions 35% and 55% are within these radii
        for (radius, share, excess) in [(1.281, 0.35, 1.43_f64), (1.626, 0.55, 0.91)] {
            let run = with_mode([0.0; 3], radius, -3.0 + excess.ln(), 0.002);
            let found = find(&run, &[]).expect("the mass is larger than the share");
            assert!((found.share - share).abs() < 0.04, "{found:?}");
            assert!((found.mass_share - 0.65).abs() < 0.02, "{found:?}");
            let (problem, remedy) = (found.problem(), found.remedy());
            assert!(problem.starts_with("the run missed"), "{problem}");
            assert!(remedy.starts_with("Evidence, means and"), "{remedy}");
        }
    }

    #[test]
    fn a_mode_with_the_mass_that_the_draws_give_it_is_no_warning() {
        // 90% of normal draws are within 2.5 of the mean
        let missed =
            |log_share: f64, se| find(&with_mode([0.0; 3], 2.5, -3.0 + log_share, se), &[]);
        assert_eq!(missed(0.9_f64.ln(), 0.02), None);
        assert!(missed(1.3_f64.ln(), 0.02).is_some());
        // a mass whose error is as large as the rise
        assert_eq!(missed(1.3_f64.ln(), 0.3), None);
    }

    /// Would detect errors relative to the mass that was found: then no mass with an error above a fifth is ever said, however large it is.
    #[test]
    fn a_large_mass_that_is_known_roughly_is_named() {
        for se in [0.25, 0.6, 0.95] {
            for rise in [2.0, 10.0] {
                let run = with_mode([9.0, 0.0, 0.0], 1.0, -3.0 + rise, se);
                let found = find(&run, &[]).expect("no draw is there");
                assert!(found.is_uncertain && !found.is_seen, "{found:?}");
                assert!(
                    found.with_it[1] > 0.8 * se && found.with_it[1] < se,
                    "{found:?}"
                );
            }
        }
        // four times the mass of the draws there, by chance
        let run = with_mode([0.0; 3], 0.7, -3.0 + 0.4_f64.ln(), 0.7);
        let found = find(&run, &[]);
        assert_eq!(found, None);
        let told = with_mode([9.0, 0.0, 0.0], 1.0, -1.0, 0.6).warnings();
        let text = told[0].to_string();
        assert!(
            text.starts_with("the run may have missed a part of the posterior near "),
            "{text}"
        );
        assert!(text.contains("Ask `Inference::evidence()`"), "{text}");
    }
}
