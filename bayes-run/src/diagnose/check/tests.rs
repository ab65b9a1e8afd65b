//! Healthy runs have no warnings; each rule is tested in its own file.

use super::*;
use crate::diagnose::warning::testing::{change, healthy_trajectories, with_trajectories};
use crate::run::example::{chains, islands, normals, of_chain};

/// The share of seeds for which a healthy run has any warning.
fn alarms(seeds: u64, healthy: impl Fn() -> Run, correlation: f64) -> f64 {
    let alarmed = |seed: &u64| {
        let mut run = healthy();
        for (index, group) in run.groups.iter_mut().enumerate() {
            group.draws =
                autoregressive(10_000 * seed + index as u64, group.draws.len(), correlation);
        }
        !run.warnings().is_empty()
    };
    (1..=seeds).filter(alarmed).count() as f64 / seeds as f64
}

/// The chains, split into `superchains` superchains.
fn superchains(mut run: Run, superchains: u64) -> Run {
    for (c, chain) in run.groups.iter_mut().enumerate() {
        of_chain(chain).superchain = Some(c as u64 % superchains);
    }
    run
}

/// Three columns, each a stationary first-order autoregression of variance 1.
fn autoregressive(item: u64, values: usize, correlation: f64) -> Vec<f64> {
    let mut draws = normals(item, values);
    for i in 3..values {
        draws[i] = correlation * draws[i - 3] + (1.0 - correlation.powi(2)).sqrt() * draws[i];
    }
    draws
}

// With the fixed limit 1.01 for R-hat, the runs with few draws would have warnings for 34% to 100% of the
// seeds.
#[test]
fn healthy_runs_raise_no_alarm() {
    let even = |count| vec![-3.0; count];
    assert!(alarms(50, || islands(&even(8), 32), 0.0) <= 0.02);
    assert!(alarms(50, || islands(&even(8), 128), 0.3) <= 0.02);
    assert!(alarms(20, || islands(&even(64), 32), 0.3) <= 0.05);
    assert!(alarms(20, || islands(&even(8), 1024), 0.5) <= 0.05);
    assert!(alarms(50, || chains(200, 10), 0.0) <= 0.04);
    assert!(alarms(50, || superchains(chains(256, 1), 16), 0.0) <= 0.02);
    assert!(alarms(20, || superchains(chains(512, 10), 8), 0.8) <= 0.05);
    assert!(alarms(50, || superchains(chains(8, 500), 4), 0.0) <= 0.04);
    assert!(alarms(50, || chains(4, 250), 0.0) <= 0.04);
    assert!(alarms(20, || chains(4, 2000), 0.5) <= 0.05);
}

#[test]
fn healthy_trajectories_raise_no_alarm() {
    assert_eq!(with_trajectories(&healthy_trajectories()).warnings(), []);
}

#[test]
fn a_constant_element_is_no_reason_to_warn() {
    let mut run = chains(4, 500);
    change(&mut run, 1, |_, _, _| 2.5);
    assert_eq!(run.warnings(), []);
}
