//! The standard error of one island's log evidence, from the gains of its families by reweighting.

use super::estimate::Estimate;
use crate::run::Group;
#[cfg(doc)]
use crate::run::Island;

/// The log evidence of an island with its standard error; `None` if it did not record the gains of its families.
pub(super) fn log_evidence(group: &Group) -> Option<Estimate> {
    let log_evidence = group.log_evidence_estimate()?;
    let gains = &group.island()?.gains;
    (!gains.is_empty()).then(|| estimate(log_evidence, gains))
}

/// A log evidence with its standard error, from the gains of the families.
///
/// A family is all descendants of one initial particle. Its gain g ([`Island::gains`]) is the share of the weight that reweighting gave
/// it, summed over the temperatures; gains and losses by resampling do not count. The relative error of the evidence is the sum of the
/// families' gains beyond their expectation, and families hardly depend on each other:
///
/// ```text
/// relative variance of Z = Σ g²
/// ```
///
/// If nothing moves and nothing is resampled, these are the squares of Chan & Lai (2013). Their estimate also counts the luck of
/// resampling, which a kernel that mixes forgets before it reaches the evidence: that estimate was up to twice the error.
pub(super) fn estimate(log_evidence: f64, gains: &[f64]) -> Estimate {
    let families = gains.len() as f64;
    let sum_of = |power: i32| -> f64 { gains.iter().map(|g| g.powi(power)).sum() };
    let (squares, fourths) = (sum_of(2), sum_of(4));
    // twice the square of a variance over the variance of its estimate
    let degrees_of_freedom = 2.0 * squares * squares / (fourths - squares * squares / families);
    Estimate {
        mean: log_evidence,
        // error on the log scale of a log-normal Z; NaN if only one family is left
        se: squares.ln_1p().sqrt(),
        // for equal squares, such as zeros, the ratio is not a number
        degrees_of_freedom: degrees_of_freedom.min(families).max(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnose::genealogy::Families;
    use crate::diagnose::toy::{PARTICLES, Toy, calibration, log_evidence as truth};
    use crate::run::example::of_island;

    const REPEATS: u64 = 400;

    /// Estimated over observed variance, and the coverage of 95% intervals, of this estimate and of the genealogical one.
    fn calibrations(toy: Toy) -> [(f64, f64); 2] {
        let groups: Vec<Group> = (0..REPEATS).map(|seed| toy.smc(seed)).collect();
        let gains: Vec<Estimate> = groups.iter().filter_map(log_evidence).collect();
        let genealogical = |group: &Group| {
            let families = Families::of(group, PARTICLES)?;
            Some(Estimate {
                mean: group.log_evidence()?,
                se: families.log_evidence_se(),
                degrees_of_freedom: families.degrees_of_freedom().max(1.0),
            })
        };
        let genealogical: Vec<Estimate> = groups.iter().filter_map(genealogical).collect();
        [gains, genealogical].map(|estimates| calibration(&estimates, truth()))
    }

    // The ratio of variances has a standard error of 0.07 and the coverage one of 0.011. Detects gains that count resampling (shares
    // after the moves instead of shares before the reweighting): 2.2 and more with systematic resampling and perfect moves.
    #[test]
    fn the_error_is_right_however_well_particles_mix() {
        for correlation in [0.0, 0.5, 0.9] {
            for multinomial in [false, true] {
                let toy = Toy {
                    correlation,
                    multinomial,
                    ..Toy::default()
                };
                let [(ratio, share), _] = calibrations(toy);
                assert!(
                    (0.75..=1.3).contains(&ratio),
                    "{toy:?}: variance ratio {ratio}"
                );
                assert!((0.91..=0.98).contains(&share), "{toy:?}: coverage {share}");
            }
        }
    }

    #[test]
    fn the_genealogical_error_is_too_large_for_particles_that_mix() {
        let toy = Toy {
            correlation: 0.0,
            steps: 12,
            ..Toy::default()
        };
        let [(gains, _), (genealogical, _)] = calibrations(toy);
        assert!((0.75..=1.3).contains(&gains), "variance ratio {gains}");
        assert!(genealogical > 2.0, "variance ratio {genealogical}");
    }

    #[test]
    fn without_gains_there_is_no_error() {
        let mut group = Toy::default().smc(1);
        of_island(&mut group).gains.clear();
        assert_eq!(log_evidence(&group), None);
        of_island(&mut group).gains = vec![0.0; 8];
        let exact = log_evidence(&group).expect("gains are there");
        assert_eq!((exact.se, exact.degrees_of_freedom), (0.0, 8.0));
    }
}
