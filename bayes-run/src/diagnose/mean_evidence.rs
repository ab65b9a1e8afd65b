//! The mean evidence of independent islands.

use super::estimate::Estimate;
use super::islands::pooled;
use super::log_normal::LogNormalMean;
use super::rhat::{mean, variance};
use crate::numeric::log_mean_exp;
use crate::run::Weights;

/// The largest distance below the mean evidence at which an island's log evidence counts towards the spread.
///
/// An island that found nothing has a log evidence far below the rest. It contributes nothing to the mean, so the distance must not
/// inflate the error without bound. A distance of 4 is beyond the reach of normal log evidences of sd 1.
const DEEPEST: f64 = 4.0;

/// The least number of islands for which the two sides of the interval differ: two or three islands say too little about their
/// spread.
const SKEWED_FROM: usize = 4;

/// The log of the islands' mean evidence, `log (1/P) Σ Zᵖ`, and its uncertainty.
///
/// The sample variance of the Zᵖ underestimates the variance of a right-skewed distribution, so intervals from the delta method
/// miss too often (test below). But log Zᵖ is about normal (a sum over temperatures, each a mean over particles), so its variance
/// s² determines the relative variance of Zᵖ:
///
/// ```text
/// se² = log(1 + (exp(s²) − 1) / P)
/// ```
///
/// s² is the sample variance of the log Zᵖ, averaged with the variances that each island estimates from the gains of its families
/// ([`pooled`]). Eight islands may agree by chance, and their spread alone is then far too small as an error.
pub(crate) struct MeanEvidence {
    log_mean: f64,
    /// The mean of the islands' log evidences.
    centre: f64,
    /// The variance of an island's log evidence, and its degrees of freedom.
    variance: f64,
    degrees_of_freedom: f64,
    islands: usize,
    /// The effective number of islands: unequal weights cost degrees of freedom.
    effective: f64,
}

impl MeanEvidence {
    /// From the log evidences of the islands, and the log evidence of each island with its own estimate of the error.
    pub(crate) fn of(log_evidence: &[f64], within: &[Option<Estimate>]) -> Self {
        let (log_mean, held) = held(log_evidence);
        let between = (variance(&held), held.len() as f64 - 1.0);
        let (variance, degrees_of_freedom) = known_within(within)
            .and_then(|within| pooled(between, within))
            .unwrap_or(between);
        Self {
            log_mean,
            centre: mean(&held),
            variance,
            degrees_of_freedom,
            islands: held.len(),
            effective: Weights::from_logs(log_evidence).effective(),
        }
    }

    /// The log of the mean evidence with its standard error.
    ///
    /// With the spread of the islands alone, and `P_eff − 1` degrees of freedom, the tests below require a coverage of 93.5% to 97%
    /// of 95% intervals for s up to 1.
    pub(crate) fn estimate(&self) -> Estimate {
        let islands = self.islands as f64;
        let lost = islands - self.effective;
        Estimate {
            mean: self.log_mean,
            se: (self.variance.exp_m1() / islands).ln_1p().sqrt(),
            degrees_of_freedom: (self.degrees_of_freedom - lost).max(1.0),
        }
    }

    /// The interval that contains the log of the mean evidence with the given probability.
    ///
    /// From four islands on, this is the interval of [`LogNormalMean`], which misses as often below as above. A symmetric interval
    /// about the estimate misses nearly always below the truth if the islands differ: ten times as often with a standard deviation
    /// of 0.7.
    pub(crate) fn interval(&self, level: f64) -> (f64, f64) {
        if self.islands < SKEWED_FROM || !self.log_mean.is_finite() {
            return self.estimate().interval(level);
        }
        let (low, high) = LogNormalMean {
            mean: self.centre,
            sd: self.variance.sqrt(),
            size: self.islands as f64,
            degrees_of_freedom: self.degrees_of_freedom,
        }
        .interval(level);
        // NaN for an invalid level
        if low <= high {
            (low.min(self.log_mean), high.max(self.log_mean))
        } else {
            (low, high)
        }
    }
}

/// The mean of the islands' own variance estimates, and its degrees of freedom; `None` if one of the islands has none.
fn known_within(within: &[Option<Estimate>]) -> Option<(f64, f64)> {
    let (mut variance, mut degrees) = (0.0, 0.0);
    for island in within {
        let island = island.as_ref()?;
        variance += island.se * island.se;
        degrees += island.degrees_of_freedom;
    }
    Some((variance / within.len() as f64, degrees))
}

/// The log of the islands' mean evidence, and their log evidences, raised where necessary to [`DEEPEST`] below it.
fn held(log_evidence: &[f64]) -> (f64, Vec<f64>) {
    // An island whose evidence is NaN has no weight.
    let known = |log: &f64| {
        if log.is_nan() {
            f64::NEG_INFINITY
        } else {
            *log
        }
    };
    let mean = log_mean_exp(&log_evidence.iter().map(known).collect::<Vec<_>>());
    let held = |log: &f64| known(log).max(mean - DEEPEST);
    (mean, log_evidence.iter().map(held).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::example::normals;

    /// Simulated runs: log Zᵖ is normal with sd `spread`, and the mean evidence is 1. Each island estimates its own error as from
    /// `degrees` normal numbers, if any.
    fn simulate(runs: usize, islands: usize, spread: f64, degrees: usize) -> Vec<MeanEvidence> {
        let known = normals(7, runs * islands * degrees);
        let normals = normals(99, runs * islands);
        let one = |(run, normals): (usize, &[f64])| {
            let log = |z: &f64| spread * z - 0.5 * spread * spread;
            let log_evidence: Vec<f64> = normals.iter().map(log).collect();
            let within = |island: usize| {
                let from = (run * islands + island) * degrees;
                let squares = known[from..from + degrees].iter().map(|z| z * z);
                (degrees > 0).then(|| Estimate {
                    mean: log_evidence[island],
                    se: spread * (squares.sum::<f64>() / degrees as f64).sqrt(),
                    degrees_of_freedom: degrees as f64,
                })
            };
            let within: Vec<Option<Estimate>> = (0..islands).map(within).collect();
            MeanEvidence::of(&log_evidence, &within)
        };
        normals.chunks_exact(islands).enumerate().map(one).collect()
    }

    /// The share of 95% intervals that contain the truth.
    fn coverage(runs: &[MeanEvidence], interval: impl Fn(&MeanEvidence) -> (f64, f64)) -> f64 {
        let holds = |run: &&MeanEvidence| {
            let (low, high) = interval(run);
            low < 0.0 && 0.0 < high
        };
        runs.iter().filter(holds).count() as f64 / runs.len() as f64
    }

    // The standard error of a share is 0.005.
    #[test]
    fn symmetric_intervals_cover_as_they_say() {
        for islands in [8, 12, 16] {
            for spread in [0.05, 0.3, 0.5, 0.7, 1.0] {
                let runs = simulate(2000, islands, spread, 0);
                let share = coverage(&runs, |run| run.estimate().interval(0.95));
                assert!(
                    (0.935..=0.97).contains(&share),
                    "P {islands}, sd {spread}: {share}"
                );
            }
        }
    }

    // The standard error of a share is 0.011. Detects degrees of freedom without the islands' own: 0.99.
    #[test]
    fn errors_that_the_islands_know_keep_the_coverage() {
        for spread in [0.05, 0.7] {
            let runs = simulate(400, 8, spread, 20);
            let share = coverage(&runs, |run| run.interval(0.95));
            assert!((0.917..=0.98).contains(&share), "sd {spread}: {share}");
        }
    }

    /// Eight islands that agree by chance.
    const ALIKE: [f64; 8] = [0.0, 0.01, -0.01, 0.0, 0.02, 0.01, -0.02, 0.0];

    fn knowing(se: f64) -> Vec<Option<Estimate>> {
        let island = |log: &f64| Estimate {
            mean: *log,
            se,
            degrees_of_freedom: 50.0,
        };
        ALIKE.iter().map(|log| Some(island(log))).collect()
    }

    #[test]
    fn islands_that_agree_by_chance_do_not_lessen_the_error() {
        let alone = MeanEvidence::of(&ALIKE, &[None; 8]).estimate();
        let found = MeanEvidence::of(&ALIKE, &knowing(0.1)).estimate();
        assert!(alone.se < 0.006, "{alone}");
        // 0.1 / √8 = 0.035
        assert!((0.03..0.036).contains(&found.se), "{found}");
        assert!((found.degrees_of_freedom - 407.0).abs() < 0.1, "{found:?}");
    }

    #[test]
    fn islands_that_differ_more_than_they_know_count_alone() {
        let found = MeanEvidence::of(&ALIKE, &knowing(0.001)).estimate();
        let alone = MeanEvidence::of(&ALIKE, &[None; 8]).estimate();
        assert_eq!(found, alone);
        let unknown = MeanEvidence::of(&ALIKE, &knowing(f64::NAN)).estimate();
        assert_eq!(unknown, alone);
    }

    #[test]
    fn evidence_is_averaged_on_the_natural_scale() {
        let of = |logs: &[f64]| MeanEvidence::of(logs, &vec![None; logs.len()]).estimate();
        let estimate = of(&[-1000.0, -1000.0 + 3f64.ln()]);
        assert!((estimate.mean - (-1000.0 + 2f64.ln())).abs() < 1e-12);
        let with_nan = of(&[0.0, f64::NAN]);
        assert!((with_nan.mean + 2f64.ln()).abs() < 1e-12 && with_nan.se > 1.0);
    }

    #[test]
    fn an_island_that_found_nothing_does_not_inflate_the_error_without_bound() {
        let healthy = [0.05, -0.1, 0.1, 0.0, -0.05, 0.02, -0.02];
        let with = |last: f64| {
            let all: Vec<f64> = healthy.iter().copied().chain([last]).collect();
            MeanEvidence::of(&all, &[None; 8]).estimate().se
        };
        assert!(with(0.0) < 0.05);
        assert_eq!(with(-50.0), with(-500.0));
        assert!(with(-50.0) < 1.0);
    }
}
