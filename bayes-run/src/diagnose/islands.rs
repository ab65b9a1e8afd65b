//! Estimates from independent islands weighted by their evidence.

use super::estimate::Estimate;
use super::student::fisher_tail;
use crate::run::Weights;

/// The ratio estimate `φ̂ = Σ ωₚ mₚ` of the islands' means mₚ, with its standard error.
///
/// The delta method's `se² = Σ ωₚ² (mₚ − φ̂)²` is too small for few islands, because φ̂ follows the heaviest island. Two
/// corrections are exact if the mₚ have one variance v and do not depend on the weights; the larger correction is used:
///
/// ```text
/// Σ ωₚ² (mₚ − φ̂)² / (1 − 2ωₚ + Σ ω²)        each square over its expectation / v  ("HC2")
/// Σω² · Σ ωₚ (mₚ − φ̂)² / (1 − Σω²)          v estimated once for all islands
/// ```
///
/// With equal weights both are the variance of the mean, `Σ (mₚ − φ̂)² / (P(P − 1))`. Degrees of freedom are `P_eff − 1`. The
/// tests below require a coverage of 93.5% to 98.5% for 95% intervals, if log Zᵖ is normal with sd up to 1 and has
/// correlation up to 0.4 with mₚ. They show that the plain delta method fails.
pub(crate) fn ratio_estimate(weights: &Weights, means: &[f64]) -> Estimate {
    let weighted = |term: &dyn Fn(f64, f64) -> f64| -> f64 {
        weights
            .as_slice()
            .iter()
            .zip(means)
            .map(|(weight, mean)| term(*weight, *mean))
            .sum()
    };
    let squared_weights = weighted(&|weight, _| weight * weight);
    let mean = weighted(&|weight, mean| if weight == 0.0 { 0.0 } else { weight * mean });
    let island_wise = weighted(&|weight, value| {
        let expected = 1.0 - 2.0 * weight + squared_weights;
        if weight == 0.0 {
            0.0
        } else {
            (weight * (value - mean)).powi(2) / expected
        }
    });
    let common = weighted(&|weight, value| {
        if weight == 0.0 {
            0.0
        } else {
            weight * (value - mean).powi(2)
        }
    });
    let common = squared_weights * common / (1.0 - squared_weights);
    // With all weight on one island there is no spread between islands: 0/0 is NaN, as intended.
    let variance = if common.is_nan() {
        f64::NAN
    } else {
        island_wise.max(common)
    };
    let degrees_of_freedom = (1.0 / squared_weights - 1.0).max(1.0);
    Estimate {
        mean,
        se: variance.sqrt(),
        degrees_of_freedom,
    }
}

/// How often the between-islands error is used alone although the within-islands error is right.
const PRETEST: f64 = 0.01;

/// Combines the error between islands with the error within them, which comes from the ancestry of their particles.
///
/// Between P islands there are few degrees of freedom: the error of 8 islands is itself uncertain by a quarter, and a
/// deviation of 4 errors is not rare. The families of particles within the islands have many. So the two variances are
/// averaged by their degrees of freedom, unless the variance between islands is significantly the larger (F test). Then
/// islands differ in ways that ancestry does not show, such as different modes, and only the variance between islands is
/// used. The tests of `genealogy` check the coverage of the result.
pub(crate) fn with_families(
    between: Estimate,
    weights: &Weights,
    within: &[Option<Estimate>],
) -> Estimate {
    let (mut variance, mut squares, mut spread) = (0.0, 0.0, 0.0);
    for (weight, island) in weights
        .as_slice()
        .iter()
        .zip(within)
        .filter(|pair| *pair.0 > 0.0)
    {
        let Some(island) = island else { return between };
        variance += (weight * island.se).powi(2);
        squares += weight * weight;
        spread += weight.powi(4) / island.degrees_of_freedom;
    }
    // Satterthwaite (1946), with equal variances of the islands.
    let degrees = squares * squares / spread;
    let apart = (between.se * between.se, between.degrees_of_freedom);
    match pooled(apart, (variance, degrees)) {
        None => between,
        Some((variance, degrees_of_freedom)) => Estimate {
            se: variance.sqrt(),
            degrees_of_freedom,
            ..between
        },
    }
}

/// Pools two estimates of a variance with their degrees of freedom; `None` if the first is significantly the larger (F test).
pub(super) fn pooled(between: (f64, f64), within: (f64, f64)) -> Option<(f64, f64)> {
    let ((between, known), (within, degrees)) = (between, within);
    // Also false for NaN, if one of the two is unknown.
    let consistent = fisher_tail(between / within, known, degrees) >= PRETEST;
    let variance = (known * between + degrees * within) / (known + degrees);
    consistent.then_some((variance, known + degrees))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::log_mean_exp;
    use crate::run::example::normals;

    /// Simulated runs of each setting: the coverage's own error is then 0.005.
    const RUNS: usize = 2000;

    /// Log evidences of unit mean evidence and island means of weighted mean 0, for each run.
    ///
    /// log Zᵖ is normal with sd `spread`, mₚ normal with sd 1 and the given correlation to log Zᵖ.
    fn simulate(islands: usize, spread: f64, correlation: f64) -> Vec<(Vec<f64>, Vec<f64>)> {
        let normals = normals(99, 2 * RUNS * islands);
        let independent = (1.0 - correlation * correlation).sqrt();
        let run = |pairs: &[f64]| {
            let of = |pair: &[f64]| {
                let mean = correlation * (pair[0] - spread) + independent * pair[1];
                (spread * pair[0] - 0.5 * spread * spread, mean)
            };
            pairs.chunks_exact(2).map(of).unzip()
        };
        normals.chunks_exact(2 * islands).map(run).collect()
    }

    fn coverage(runs: &[(Vec<f64>, Vec<f64>)], estimate: fn(&[f64], &[f64]) -> Estimate) -> f64 {
        let covers = |(log_evidence, means): &&(Vec<f64>, Vec<f64>)| {
            let (low, high) = estimate(log_evidence, means).interval(0.95);
            low < 0.0 && 0.0 < high
        };
        runs.iter().filter(covers).count() as f64 / runs.len() as f64
    }

    fn mean_estimate(log_evidence: &[f64], means: &[f64]) -> Estimate {
        ratio_estimate(&Weights::from_logs(log_evidence), means)
    }

    #[test]
    fn intervals_of_means_cover_as_they_say() {
        for islands in [8, 12, 16] {
            for spread in [0.1, 0.3, 0.5, 0.7, 1.0] {
                for correlation in [0.0, 0.4] {
                    let runs = simulate(islands, spread, correlation);
                    let share = coverage(&runs, mean_estimate);
                    assert!(
                        (0.935..=0.985).contains(&share),
                        "P {islands}, sd {spread}, correlation {correlation}: {share}"
                    );
                }
            }
        }
    }

    #[test]
    fn strong_dependence_of_means_on_the_evidence_costs_little() {
        for islands in [8, 16] {
            for spread in [0.3, 0.5] {
                let share = coverage(&simulate(islands, spread, 0.8), mean_estimate);
                assert!(
                    (0.92..=0.97).contains(&share),
                    "P {islands}, sd {spread}: {share}"
                );
            }
        }
    }

    /// The delta method with the usual small-sample factor.
    fn delta_method(mean: f64, squares: impl Iterator<Item = f64>, islands: usize) -> Estimate {
        let degrees_of_freedom = islands as f64 - 1.0;
        let variance = squares.sum::<f64>() * islands as f64 / degrees_of_freedom;
        Estimate {
            mean,
            se: variance.sqrt(),
            degrees_of_freedom,
        }
    }

    #[test]
    fn the_delta_method_would_not_cover() {
        let runs = simulate(8, 1.0, 0.4);
        let of_mean = coverage(&runs, |log_evidence, means| {
            let weights = Weights::from_logs(log_evidence);
            let mean = ratio_estimate(&weights, means).mean;
            let terms = weights.as_slice().iter().zip(means);
            delta_method(mean, terms.map(|(w, m)| (w * (m - mean)).powi(2)), 8)
        });
        let of_evidence = coverage(&runs, |log_evidence, _| {
            let weights = Weights::from_logs(log_evidence);
            let terms = weights.as_slice().iter().map(|w| (w - 0.125).powi(2));
            delta_method(log_mean_exp(log_evidence), terms, 8)
        });
        assert!(
            of_mean < 0.87 && of_evidence < 0.90,
            "{of_mean}, {of_evidence}"
        );
    }

    fn with_error(se: f64, degrees_of_freedom: f64) -> Estimate {
        Estimate {
            mean: 1.0,
            se,
            degrees_of_freedom,
        }
    }

    #[test]
    fn consistent_errors_are_averaged_by_their_degrees() {
        let within = vec![Some(with_error(0.4, 50.0)); 4];
        let pooled = with_families(with_error(0.3, 3.0), &Weights::equal(4), &within);
        // Within: 4 (0.4/4)² = 0.04 with 200 degrees; between: 0.09 with 3.
        assert!((pooled.se.powi(2) - (3.0 * 0.09 + 200.0 * 0.04) / 203.0).abs() < 1e-12);
        assert!((pooled.degrees_of_freedom - 203.0).abs() < 1e-9);
    }

    #[test]
    fn islands_that_differ_more_than_their_families_count_alone() {
        let (between, weights) = (with_error(1.0, 3.0), Weights::equal(4));
        let within = vec![Some(with_error(0.4, 50.0)); 4];
        assert_eq!(with_families(between, &weights, &within), between);
        assert_eq!(
            with_families(between, &weights, &[None, None, None, None]),
            between
        );
        let unknown = vec![Some(with_error(f64::NAN, 1.0)); 4];
        assert_eq!(with_families(between, &weights, &unknown), between);
    }

    #[test]
    fn equal_weights_give_the_error_of_a_mean() {
        let estimate = ratio_estimate(&Weights::equal(4), &[1.0, 2.0, 3.0, 6.0]);
        assert_eq!(estimate.mean, 3.0);
        assert!((estimate.se - (14.0f64 / 12.0).sqrt()).abs() < 1e-12);
        assert!((estimate.degrees_of_freedom - 3.0).abs() < 1e-12);
    }

    #[test]
    fn an_island_of_all_the_weight_knows_no_error() {
        let estimate = mean_estimate(&[0.0, f64::NEG_INFINITY], &[2.0, f64::NAN]);
        assert_eq!(estimate.mean, 2.0);
        assert!(estimate.se.is_nan());
    }
}
