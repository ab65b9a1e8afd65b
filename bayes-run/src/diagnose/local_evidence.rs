//! The log evidence by integration around the mode where the draws are.
//!
//! Any region E of a posterior gives the evidence (Besag 1989; Chib 1995), and E is the ellipsoid around a mode:
//!
//! ```text
//! Z = ∫_E prior × likelihood / P(E | data)
//! ```
//!
//! The integral is [`LocalMass::log_mass`], and the draws give the probability: neither depends on the path from the prior. Tempering passes
//! a first-order transition where a scale becomes far smaller than its prior expects: at one temperature the posterior is about even over the
//! logarithm of the scale, and the coordinates with that scale are a funnel that moves hardly pass. Then few islands have a large evidence, the
//! others are too low, and their families do not show it. At the posterior the funnel has gone.

use super::Estimate;
use super::islands::ratio_estimate;
use super::rhat::{mean, variance};
use crate::run::{Group, LocalMass, Run};

/// The least share of the draws in the ellipsoid: the evidence is then at most twice the mass, which is below the evidence.
const LEAST_INSIDE: f64 = 0.5;
/// The least share of the draws near the mode. Shares of several modes come from the path, and may be wrong as the evidence.
const LEAST_NEAR: f64 = 0.95;
/// The evidence of the path counts alone up to this standard error.
const PRECISE: f64 = 0.05;
/// Integration counts if its error is smaller by this factor, or if the path is too low by more than chance explains.
const SHARPER: f64 = 2.0;
/// The probability of the interval of the difference that must contain 0 if both agree.
const AGREEMENT: f64 = 0.997;
/// A path that is lower by this many standard errors does not agree, however few degrees of freedom they have: the rule of
/// [`MissedMass`](super::warning::MissedMass).
const ERRORS: f64 = 5.0;

/// How integration changes the log evidence of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Joined {
    /// By the path from the prior.
    pub path: Estimate,
    /// By integration around the mode.
    pub mode: Estimate,
    /// The log evidence of the run.
    pub together: Estimate,
}

/// The joint log evidence of the path and of integration; `None` if the path counts alone.
///
/// A path that is precise, or more precise than the integral, counts alone. Otherwise their mean counts, weighted by their inverse variances.
/// If the path is significantly too low, it does not count: the mass of a part of the posterior is below the evidence. If it is significantly
/// higher, the draws may lack a part that the path has seen. An evidence without bias stays one.
pub(super) fn joined(run: &Run, path: &Estimate) -> Option<Joined> {
    let mode = estimate(run)?;
    let off = mode.minus(path);
    let (low, high) = off.interval(AGREEMENT);
    let is_imprecise = path.se > (SHARPER * mode.se).max(PRECISE);
    let is_too_low = (low > 0.0 || off.mean > ERRORS * off.se) && off.mean > PRECISE;
    let together = if is_too_low {
        mode
    } else if low <= 0.0 && high >= 0.0 && is_imprecise && !run.is_evidence_unbiased() {
        path.pooled_with(&mode)
    } else {
        return None;
    };
    Some(Joined {
        path: *path,
        mode,
        together,
    })
}

/// The log evidence by integration around the mode that all islands have found, and where nearly all of their draws are; `None` without such
/// a mode.
pub(super) fn estimate(run: &Run) -> Option<Estimate> {
    // islands with different priors have other evidences than the run
    if run.is_chains() || run.settings.get("anchors").is_some_and(|fits| fits != "1") {
        return None;
    }
    let alive = |group: &&Group| {
        let log_evidence = group.log_evidence();
        log_evidence.is_some_and(|log| log > f64::NEG_INFINITY)
    };
    let masses: Option<Vec<&LocalMass>> = run.groups.iter().filter(alive).map(main_mode).collect();
    let masses = masses.filter(|masses| !masses.is_empty())?;
    let is_same =
        |mass: &&LocalMass| mass.contains(&masses[0].mode) || masses[0].contains(&mass.mode);
    if masses.len() < run.groups.len() || !masses.iter().all(is_same) {
        return None;
    }
    let share = share(run, &masses)?;
    Some(log_mass(&masses).minus(&share))
}

/// The mode of an island where its draws are.
fn main_mode(group: &Group) -> Option<&LocalMass> {
    let there = |mass: &&LocalMass| {
        let draws = mass.draws.as_ref();
        draws.is_some_and(|there| there.inside >= LEAST_INSIDE && there.near >= LEAST_NEAR)
    };
    group.island()?.local_masses.iter().find(there)
}

/// The logarithm of the mass in the ellipsoid. The integrals of the islands are independent: their spread counts if it is larger than they say.
fn log_mass(masses: &[&LocalMass]) -> Estimate {
    let logs: Vec<f64> = masses.iter().map(|mass| mass.log_mass).collect();
    let within = mean(
        &masses
            .iter()
            .map(|mass| mass.se.powi(2))
            .collect::<Vec<f64>>(),
    );
    let islands = masses.len() as f64;
    let between = variance(&logs);
    let (variance, degrees_of_freedom) = match between > within {
        true => (between, (islands - 1.0).max(1.0)),
        false => (within, f64::INFINITY),
    };
    Estimate {
        mean: mean(&logs),
        se: (variance / islands).sqrt(),
        degrees_of_freedom,
    }
}

/// The logarithm of the share of the draws in the ellipsoid. Its error is at least the error by as many independent draws as particles.
fn share(run: &Run, masses: &[&LocalMass]) -> Option<Estimate> {
    let shares = masses
        .iter()
        .map(|mass| mass.draws.map(|there| there.inside));
    let shares: Vec<f64> = shares.collect::<Option<_>>()?;
    let particles = run.groups.iter().filter_map(|group| {
        let last = group.island()?.history.last()?;
        Some(last.particles as f64)
    });
    let particles: f64 = particles.sum();
    let between = ratio_estimate(&run.weights(), &shares);
    let share = between.mean.min(1.0);
    let least = (share * (1.0 - share)).max(1.0 / particles) / particles;
    let (se, degrees_of_freedom) = match between.se.powi(2) > least {
        true => (between.se, between.degrees_of_freedom),
        false => (least.sqrt(), particles),
    };
    Some(Estimate {
        mean: share.ln(),
        se: se / share,
        degrees_of_freedom,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::Warning;
    use crate::run::DrawsThere;
    use crate::run::example::{islands, normals, of_island};

    const EXACT: f64 = -3.0;

    /// Eight islands whose path is off by `off` and differs by `spread` times the same noise, with a mode that has 65% of the draws. Integration there is right to its
    /// error of 0.03.
    fn run(off: f64, spread: f64, there: DrawsThere) -> Run {
        let noise = normals(3, 16);
        let paths: Vec<f64> = noise[..8]
            .iter()
            .map(|z| EXACT + off + spread * z)
            .collect();
        let mut run = islands(&paths, 64);
        for (group, z) in run.groups.iter_mut().zip(&noise[8..]) {
            of_island(group).local_masses = vec![LocalMass {
                mode: vec![0.0; 3],
                values: vec![0.0; 3],
                factor: vec![1.0, 0.0, 1.0, 0.0, 0.0, 1.0],
                // the share of standard normal draws, those of the example, is 0.65
                radius: 1.812,
                log_mass: EXACT + 0.65_f64.ln() + 0.03 * z,
                se: 0.03,
                draws: Some(there),
            }];
        }
        run
    }

    /// A path that is too low by its own errors.
    fn imprecise(there: DrawsThere) -> Run {
        run(-0.7, 1.0, there)
    }

    const THERE: DrawsThere = DrawsThere {
        inside: 0.65,
        near: 1.0,
    };

    fn is_missed_mass(warning: &Warning) -> bool {
        matches!(warning, Warning::MissedMass(_))
    }

    /// Fails with the path alone, whose error is 0.1.
    #[test]
    fn an_imprecise_path_is_joined_by_the_mode() {
        let run = imprecise(THERE);
        let path = run.log_evidence_of_path().expect("islands have one");
        assert!(path.se > 0.05 && path.mean < EXACT - 0.05, "{path}");
        let found = run.log_evidence_estimate().expect("it has both");
        assert!(
            (found.mean - EXACT).abs() < 0.06 && found.se < 0.06,
            "{found}"
        );
        let (low, high) = run.log_evidence_interval(0.95).expect("and an error");
        assert!(low < EXACT && EXACT < high && high - low < 0.25);
        let text = run.to_string();
        assert!(text.contains("(by integration around the mode -"), "{text}");
        assert!(!run.warnings().iter().any(is_missed_mass));
    }

    /// Seen to fail with the mass that a Gaussian would have outside of the ellipsoid: -3.3 with a part that the draws are said to lack.
    #[test]
    fn a_path_that_is_far_too_low_does_not_count() {
        let run = run(-3.0, 0.3, THERE);
        let found = run.log_evidence_estimate().expect("it has both");
        assert!((found.mean - EXACT).abs() < 4.0 * found.se, "{found}");
        assert!(found.se < 0.05, "{found}");
        let warnings = run.warnings();
        let told = warnings.iter().find(|warning| is_missed_mass(warning));
        let Some(Warning::MissedMass(told)) = told else {
            panic!("{warnings:?}");
        };
        assert!(told.is_seen, "{told:?}");
        assert_eq!(told.with_it, [found.mean, found.se]);
    }

    #[test]
    fn a_path_that_is_precise_counts_alone() {
        let run = run(0.0, 0.02, THERE);
        assert_eq!(run.log_evidence_joined(), None);
        assert_eq!(run.log_evidence_estimate(), run.log_evidence_of_path());
    }

    /// Mutations meant to be detected: shares that come from the path are believed.
    #[test]
    fn draws_in_several_modes_or_in_tails_give_no_evidence() {
        for there in [
            DrawsThere { near: 0.9, ..THERE },
            DrawsThere {
                inside: 0.4,
                ..THERE
            },
        ] {
            let run = imprecise(there);
            assert_eq!(run.log_evidence_joined(), None);
        }
        // an island with another mode, with none, or without a count
        let others: [fn(&mut Vec<LocalMass>); 3] = [
            |masses| masses[0].mode[1] = 9.0,
            Vec::clear,
            |masses| masses[0].draws = None,
        ];
        for change in others {
            let mut run = imprecise(THERE);
            change(&mut of_island(&mut run.groups[5]).local_masses);
            assert_eq!(run.log_evidence_joined(), None);
        }
    }

    #[test]
    fn islands_with_different_priors_have_no_common_evidence() {
        let mut run = imprecise(THERE);
        run.settings.insert("anchors".to_owned(), "2".to_owned());
        assert_eq!(estimate(&run), None);
    }
}
