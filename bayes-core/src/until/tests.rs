//! The effect on the evidence of a rule that looks at the results, on islands that cost nothing.

use super::{FIRST, Precision, grown, next};
use crate::example::islands;
use crate::rng::{Key, Purpose};
use crate::run::{Run, RunError};
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

/// Until the log evidence of islands has this standard error.
fn until(wanted: f64) -> impl Fn(&Run) -> Result<Option<f64>, RunError> {
    let wanted = Precision::log_evidence(wanted);
    move |run| match wanted.is_reached(run)? {
        true => Ok(None),
        false => wanted.needed(run).map(Some),
    }
}

/// The runs that end by a wanted standard error: their shares, and their mean number of islands.
struct Found {
    covered: f64,
    evidences: Vec<f64>,
    islands: f64,
}

impl Found {
    /// The mean evidence, and its error.
    fn mean(&self) -> (f64, f64) {
        let n = self.evidences.len() as f64;
        let mean = self.evidences.iter().sum::<f64>() / n;
        let squares = self.evidences.iter().map(|z| (z - mean).powi(2));
        (mean, (squares.sum::<f64>() / (n - 1.0) / n).sqrt())
    }
}

/// Runs whose islands are made by `islands(repeat, numbers)`, and whose true evidence is 1.
fn simulate(
    repeats: u64,
    (wanted, first): (f64, u64),
    islands: impl Fn(u64, Range<u64>) -> Run,
) -> Found {
    let (mut covered, mut evidences, mut made) = (0, Vec::new(), 0);
    for repeat in 0..repeats {
        let run = |numbers| Ok(islands(repeat, numbers));
        let run = grown(run, until(wanted), first, 1000).expect("nothing fails");
        let found = run.log_evidence_estimate().expect("there are islands");
        assert!(found.se <= wanted);
        let (low, high) = run.log_evidence_interval(0.95).expect("several islands");
        covered += u64::from(low <= 0.0 && 0.0 <= high);
        evidences.push(found.mean.exp());
        made += run.groups.len();
    }
    Found {
        covered: covered as f64 / repeats as f64,
        evidences,
        islands: made as f64 / repeats as f64,
    }
}

// Mutation meant to be detected: a run that ends by the standard error of two islands that are alike.
#[test]
fn a_stop_by_the_standard_error_costs_little_of_coverage_and_evidence() {
    let unknown = |repeat, numbers| islands(&log_evidences(repeat, numbers), 4);
    let found = simulate(1000, (0.1, FIRST), unknown);
    let (mean, error) = found.mean();
    println!(
        "mean {mean:.4} ± {error:.4}, coverage {:.4}, {:.1} islands",
        found.covered, found.islands
    );
    // a bias of at most a fifth of the standard error, plus 2.5 of its own Monte Carlo errors
    assert!((mean - 1.0).abs() < 0.02 + 2.5 * error, "{mean}");
    assert!(found.covered > 0.92, "{}", found.covered);
    // 100 islands have the wanted error
    assert!(found.islands < 130.0, "{}", found.islands);
}

/// Islands whose log evidences have an error of 0.2, of which each knows as much as its 32 families show.
fn knowing(repeat: u64, numbers: Range<u64>) -> Run {
    const FAMILIES: usize = 32;
    let (mut logs, mut all) = (Vec::new(), Vec::new());
    for number in numbers {
        let mut stream = Key::new(repeat, Purpose::Initial).group(number).stream();
        let mut normal = || -> f64 { StandardNormal.sample(&mut stream) };
        let log: f64 = 0.2 * normal() - 0.02;
        let each = 0.2 / (FAMILIES as f64).sqrt();
        logs.push(log);
        all.push((0..FAMILIES).map(|_| each * normal()).collect::<Vec<f64>>());
    }
    let mut run = islands(&logs, 4);
    for (group, gains) in run.groups.iter_mut().zip(all) {
        group.island_mut().expect("it is an island").gains = gains;
    }
    run
}

// The standard error of a share is 0.007. Mutation meant to be detected: a first round of 16 islands.
#[test]
fn few_islands_that_know_their_errors_are_enough() {
    for right in [2.0, 4.0, 10.0, 40.0] {
        let wanted = (f64::exp_m1(0.04) / right).ln_1p().sqrt();
        let found = simulate(1000, (1.0001 * wanted, FIRST), knowing);
        let (mean, error) = found.mean();
        println!(
            "{right}: {:.2} islands, coverage {:.3}, mean {mean:.4} ± {error:.4}",
            found.islands, found.covered
        );
        assert!(found.islands < 1.3 * right, "{right}: {}", found.islands);
        assert!(found.covered > 0.93, "{right}: {}", found.covered);
        assert!((mean - 1.0).abs() < 0.2 * wanted + 2.5 * error, "{mean}");
    }
}

#[test]
fn rounds_add_what_the_error_asks_for() {
    assert_eq!(next(2, 100.0), 4);
    assert_eq!(next(2, 0.5), 3);
    assert_eq!(next(40, 1.5), 60);
    assert_eq!(next(40, f64::INFINITY), 80);
    assert_eq!(next(40, 1.01), 46);
}

#[test]
fn the_chosen_number_of_islands_is_the_first_round_and_the_most_is_kept() {
    let made = |wanted: f64, first, most| {
        let run = |numbers| Ok(islands(&log_evidences(1, numbers), 4));
        let run = grown(run, until(wanted), first, most);
        run.expect("nothing fails").groups.len()
    };
    assert_eq!([made(9.0, 40, 1000), made(9.0, 40, 30)], [40, 30]);
    assert_eq!(made(1e-9, 8, 50), 50);
    // two islands that know nothing of their errors have one degree of freedom, four have three
    let alike = |numbers: Range<u64>| Ok(islands(&vec![0.0; numbers.count()], 4));
    let run = grown(alike, until(9.0), FIRST, 1000).expect("nothing fails");
    assert_eq!(run.groups.len(), 4);
}
