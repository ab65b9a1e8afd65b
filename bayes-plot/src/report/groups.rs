//! The tables of islands and of chains.

use super::page::Page;
use crate::label::{number, within};
use bayes_core::run::{Group, GroupKind, Run};
use std::collections::BTreeSet;

/// Maximum number of islands or chains in a table.
const ROWS: usize = 200;

/// Writes a row for each island or chain of a run with several.
pub(super) fn write(page: &mut Page, run: &Run) {
    let groups = run.groups.len();
    if groups < 2 {
        return;
    }
    let more = match groups.saturating_sub(ROWS) {
        0 => String::new(),
        more => format!("; {more} more are left out"),
    };
    let shown = run.groups.iter().take(ROWS);
    if run.kind == GroupKind::Islands {
        let weights = run.weights();
        let spread = spread(run);
        let rows = shown
            .zip(weights.as_slice())
            .map(|(group, weight)| island(group, *weight, spread));
        page.table(
            &format!(
                "Island by island: the log evidence by the path from the prior, the share of each in the posterior, the last moves, and how many of the initial particles have descendants{more}"
            ),
            &["island", "log evidence", "weight", "temperatures or levels", "acceptance", "least effective states", "ancestors"],
            &rows.collect::<Vec<_>>(),
        );
    } else {
        let rows = shown.map(chain);
        page.table(
            &format!(
                "Chain by chain; E-BFMI below 0.3 means that the chain moves slowly between low and high densities{more}"
            ),
            &["chain", "acceptance", "step size", "divergences", "leapfrog steps", "E-BFMI"],
            &rows.collect::<Vec<_>>(),
        );
    }
}

/// The difference between the largest and the smallest log evidence of the islands.
fn spread(run: &Run) -> f64 {
    let logs = || {
        run.groups
            .iter()
            .filter_map(Group::log_evidence_estimate)
            .filter(|log| log.is_finite())
    };
    logs().fold(f64::NEG_INFINITY, f64::max) - logs().fold(f64::INFINITY, f64::min)
}

fn island(group: &Group, weight: f64, spread: f64) -> Vec<String> {
    let history = group.history();
    let last = history.last();
    let sizes = history.iter().map(|stage| stage.ess);
    let sizes = sizes.filter(|ess| ess.is_finite());
    let ancestors = group.island().into_iter().flat_map(|own| &own.ancestors);
    let ancestors: BTreeSet<&u32> = ancestors.collect();
    vec![
        group.index.to_string(),
        within(group.log_evidence_estimate().unwrap_or(f64::NAN), spread),
        number(weight),
        history.len().to_string(),
        number(last.map_or(f64::NAN, |stage| stage.acceptance)),
        number(sizes.fold(f64::NAN, f64::min)),
        ancestors.len().to_string(),
    ]
}

fn chain(group: &Group) -> Vec<String> {
    let last = group.history().last();
    let trajectories = group.trajectories();
    let leapfrogs = trajectories.map_or(f64::NAN, |t| t.leapfrogs as f64 / t.transitions as f64);
    vec![
        group.index.to_string(),
        number(last.map_or(f64::NAN, |stage| stage.acceptance)),
        number(last.map_or(f64::NAN, |stage| stage.step_size)),
        trajectories.map_or("–".to_owned(), |t| t.divergent.to_string()),
        number(leapfrogs),
        number(trajectories.map_or(f64::NAN, |t| t.e_bfmi)),
    ]
}
