//! The effect on the evidence of a rule that looks at the results, on islands that cost nothing.

use super::{Precision, grown};
use crate::example::islands;
use crate::rng::{Key, Purpose};
use rand_distr::{Distribution as _, StandardNormal};
use std::ops::Range;

/// Islands whose evidences are log-normal with mean 1 and a coefficient of variation of 1.
fn log_evidences(repeat: u64, numbers: Range<u64>) -> Vec<f64> {
    let variance = 2f64.ln();
    let one = |number| {
        let key = Key::new(repeat, Purpose::Initial).group(number);
        let z: f64 = StandardNormal.sample(&mut key.stream());
        variance.sqrt() * z - 0.5 * variance
    };
    numbers.map(one).collect()
}

#[test]
fn a_stop_by_the_standard_error_costs_little_of_coverage_and_evidence() {
    const REPEATS: u64 = 1000;
    let wanted = Precision::log_evidence(0.1);
    let (mut covered, mut evidences, mut made) = (0, Vec::new(), 0);
    for repeat in 0..REPEATS {
        let run = |numbers| Ok(islands(&log_evidences(repeat, numbers), 4));
        let run = grown(run, |run| wanted.is_reached(run), 8, 1000).expect("nothing fails");
        let found = run
            .log_evidence_estimate()
            .expect("islands have an evidence");
        assert!(found.se <= 0.1);
        let (low, high) = run.log_evidence_interval(0.95).expect("several islands");
        covered += u64::from(low <= 0.0 && 0.0 <= high);
        evidences.push(found.mean.exp());
        made += run.groups.len();
    }
    let n = REPEATS as f64;
    let mean = evidences.iter().sum::<f64>() / n;
    let variance = evidences.iter().map(|z| (z - mean).powi(2)).sum::<f64>() / (n - 1.0);
    let coverage = covered as f64 / n;
    println!(
        "mean {mean:.4} ± {:.4}, sd {:.4}, coverage {coverage:.4}, {:.1} islands",
        (variance / n).sqrt(),
        variance.sqrt(),
        made as f64 / n
    );
    // a bias of at most a fifth of the standard error, plus 2.5 of its own Monte Carlo errors
    assert!(
        (mean - 1.0).abs() < 0.02 + 2.5 * (variance / n).sqrt(),
        "{mean}"
    );
    assert!(coverage > 0.92, "{coverage}");
}

#[test]
fn islands_are_added_by_half_and_never_beyond_the_most() {
    let made = |wanted: f64, first, most| {
        let wanted = Precision::log_evidence(wanted);
        let run = |numbers| Ok(islands(&log_evidences(1, numbers), 4));
        let run = grown(run, |run| wanted.is_reached(run), first, most);
        run.expect("nothing fails").groups.len()
    };
    assert_eq!(
        [made(9.0, 8, 1000), made(9.0, 40, 1000), made(9.0, 40, 30)],
        [16, 40, 30]
    );
    assert_eq!(made(1e-9, 8, 50), 50);
}
