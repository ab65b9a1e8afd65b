//! Helpers for the tests of several rules.

use crate::run::example::{chains, of_chain};
use crate::run::{Run, Trajectories};

/// Asserts that `run` has exactly this warning.
pub(in crate::diagnose) fn assert_warned(run: &Run, text: &str) {
    let texts: Vec<String> = run.warnings().iter().map(ToString::to_string).collect();
    assert_eq!(texts, [text]);
}

/// Replaces every value of the element by `change(group, draw, value)`.
pub(in crate::diagnose) fn change(
    run: &mut Run,
    element: usize,
    change: impl Fn(usize, usize, f64) -> f64,
) {
    let width = run.layout.elements();
    for (index, group) in run.groups.iter_mut().enumerate() {
        for (draw, row) in group.draws.chunks_exact_mut(width).enumerate() {
            row[element] = change(index, draw, row[element]);
        }
    }
}

/// Chains, each with these trajectories.
pub(in crate::diagnose) fn with_trajectories(trajectories: &Trajectories) -> Run {
    let mut run = chains(4, 500);
    for group in &mut run.groups {
        of_chain(group).trajectories = Some(trajectories.clone());
    }
    run
}

pub(in crate::diagnose) fn healthy_trajectories() -> Trajectories {
    Trajectories {
        transitions: 500,
        leapfrogs: 3500,
        tree_depth_sum: 1500,
        e_bfmi: 0.9,
        ..Trajectories::default()
    }
}
