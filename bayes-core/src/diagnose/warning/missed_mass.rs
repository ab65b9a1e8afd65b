//! Islands: a mode has more mass than the run gives it.

use super::Message;
use crate::diagnose::{ColumnDiagnostics, Estimate, Estimator};
use crate::run::{Group, LocalMass, Run};
use crate::text::{Style, percent};
use serde::{Deserialize, Serialize};

/// By how many standard errors, and by how much beyond them, the evidence must rise with the mass that was missed.
const ERRORS: f64 = 5.0;
const RISE: f64 = 0.05;
/// The elements that are named: those in which the mode is farthest from the posterior's mean.
const NAMED: usize = 3;

/// Integration around a mode finds more mass than the evidence and the share of the draws there say.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MissedMass {
    /// Elements with their values at the mode and the posterior standard deviations of the run.
    pub place: Vec<(String, f64, f64)>,
    /// Number of elements that are not named.
    pub more: usize,
    /// The log mass there, and its standard error.
    pub log_mass: [f64; 2],
    /// The log evidence of the run.
    pub log_evidence: f64,
    /// The share of its draws there.
    pub share: f64,
    /// The log evidence with the mass that is missing.
    pub with_it: f64,
}

pub(super) fn find(run: &Run, elements: &[ColumnDiagnostics]) -> Option<MissedMass> {
    let evidence = run.log_evidence_estimate()?;
    // what a mode is off by is less than all of its mass
    let may_matter = |mass: &&LocalMass| (mass.log_mass - evidence.mean).exp().ln_1p() > RISE;
    let all = run.groups.iter().flat_map(|group| &group.local_masses);
    let mut modes: Vec<&LocalMass> = Vec::new();
    for mass in all.filter(may_matter) {
        if !modes.iter().any(|known| known.contains(&mass.mode)) {
            modes.push(mass);
        }
    }
    if modes.is_empty() {
        return None;
    }
    let estimator = Estimator::of(run);
    let missed = |mass: &LocalMass| missed(&estimator, &evidence, mass);
    let found = modes
        .into_iter()
        .filter_map(|mass| Some((missed(mass)?, mass)));
    let (missed, mass) = found.max_by(|a, b| a.0.rise.total_cmp(&b.0.rise))?;
    let (place, more) = place(&estimator, mass, elements);
    Some(MissedMass {
        place,
        more,
        log_mass: [mass.log_mass, mass.se],
        log_evidence: evidence.mean,
        share: missed.share,
        with_it: evidence.mean + missed.rise,
    })
}

/// What the mass near a mode adds to a log evidence, and the share of the draws there.
struct Missed {
    rise: f64,
    share: f64,
}

/// `None` if the rise is within the errors of all three: mass, evidence and share.
fn missed(estimator: &Estimator<'_>, evidence: &Estimate, mass: &LocalMass) -> Option<Missed> {
    let groups = estimator.run().groups.iter();
    let column: Vec<Vec<f64>> = groups.map(|group| inside(group, mass)).collect();
    let share = estimator.mean(&column);
    let mass_share = (mass.log_mass - evidence.mean).exp();
    let ratio = 1.0 + mass_share - share.mean;
    let known = |se: f64| if se.is_nan() { f64::INFINITY } else { se };
    let of_share = if share.mean == 0.0 {
        0.0
    } else {
        known(share.se)
    };
    let of_evidence = if share.mean == 0.0 {
        0.0
    } else {
        mass_share * known(evidence.se)
    };
    let error = (mass_share * mass.se).hypot(of_evidence).hypot(of_share) / ratio;
    let rise = ratio.ln();
    (rise > RISE + ERRORS * error).then_some(Missed {
        rise,
        share: share.mean,
    })
}

/// For each draw whether it is in the ellipsoid, 0 or 1.
fn inside(group: &Group, mass: &LocalMass) -> Vec<f64> {
    let positions = group.positions.chunks_exact(mass.mode.len());
    positions
        .map(|position| f64::from(u8::from(mass.contains(position))))
        .collect()
}

/// The elements in which the mode is farthest from the posterior's mean, in whole standard deviations, and the number of the others.
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
    let mut all: Vec<_> = pairs.map(|(k, pair)| seen(pair, k)).collect();
    all.sort_by(|a, b| b.0.total_cmp(&a.0));
    let more = all.len().saturating_sub(NAMED);
    let named = all.into_iter().take(NAMED);
    (named.map(|(_, element)| element).collect(), more)
}

impl Message for MissedMass {
    fn problem(&self) -> String {
        let Self {
            place,
            more,
            log_mass: [log_mass, se],
            log_evidence,
            share,
            with_it,
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
        format!(
            "the run missed a part of the posterior near {}{others}: integration there finds a log mass of {log_mass:.2} ± {se:.2}, but the run has a \
             log evidence of {log_evidence:.2} and {} of its draws there. With this mass the log evidence is at least {with_it:.2}",
            named.join(", "),
            percent(*share)
        )
    }

    fn remedy(&self) -> &'static str {
        "Evidence, means and intervals lack this part. More particles or islands do not help where a narrow mode is a small part of every \
         density on the path but the last. Take the log evidence named here. For draws, mix this run with a Laplace approximation of the mode, \
         weighted by their masses, or give the prior more density there."
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::warning::testing::assert_warned;
    use crate::run::example::islands;

    /// Islands of standard normal draws in three dimensions, one of which has found a mode at the origin with this log mass: a tenth as wide as
    /// the posterior, so that few draws lie there.
    fn with_mode(log_mass: f64, se: f64) -> Run {
        let mut run = islands(&[-3.0; 4], 512);
        run.groups[2].local_masses = vec![LocalMass {
            mode: vec![0.0; 3],
            values: vec![0.0; 3],
            factor: vec![10.0, 0.0, 10.0, 0.0, 0.0, 10.0],
            radius: 2.5,
            log_mass,
            se,
        }];
        run
    }

    #[test]
    fn a_mode_that_no_draw_has_found_is_named_with_its_mass() {
        assert_warned(
            &with_mode(-1.0, 0.02),
            "the run missed a part of the posterior near `mu` = 0.000, `beta[0]` = 0.000, `beta[1]` = 0.000: integration there finds a log mass \
             of -1.00 ± 0.02, but the run has a log evidence of -3.00 and 0.6% of its draws there. With this mass the log evidence is at least \
             -0.87. Evidence, means and intervals lack this part. More particles or islands do not help where a narrow mode is a small part \
             of every density on the path but the last. Take the log evidence named here. For draws, mix this run with a Laplace \
             approximation of the mode, weighted by their masses, or give the prior more density there.",
        );
    }

    #[test]
    fn a_mode_with_the_mass_that_the_draws_give_it_is_no_warning() {
        // 0.3% of the draws, and of the evidence
        assert_eq!(with_mode(-3.0 + 0.003_f64.ln(), 0.02).warnings(), []);
        // a mass whose error is as large as the rise
        assert_eq!(with_mode(-3.0, 0.3).warnings(), []);
    }
}
