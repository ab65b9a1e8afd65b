//! The ranks of one simulation.

use crate::density::LogDensity;
use crate::model::{Model, Simulated, StatementKind, score_on};
use crate::rng::Stream;
use crate::run::{Layout, Run, VariableKind};
use rand::RngExt;

/// The name under which the log likelihood is ranked.
const LOG_LIKELIHOOD: &str = "log likelihood";

/// The rank of the true value of each quantity among its posterior draws.
pub(super) struct Ranks {
    /// The quantities: elements that both models have, and the log likelihood.
    pub names: Vec<String>,
    /// `(rank + U) / (draws + 1)` with a uniform U that breaks ties, `[quantities]`; uniform under calibration.
    pub positions: Vec<f64>,
    /// The smallest effective sample size of the bulk over the quantities of the run.
    pub ess: f64,
}

impl Ranks {
    /// Ranks the true values of a simulation of `model` among `draws` draws of a run on its data. `posterior`
    /// computes the model's outputs.
    pub(super) fn of<Mo: Model>(
        model: &Mo,
        posterior: &dyn LogDensity,
        simulated: &Simulated,
        run: &Run,
        draws: usize,
        stream: &mut Stream,
    ) -> Self {
        let layout = &posterior.describe().layout;
        let values = posterior.quantities().output(&simulated.position);
        let found = run.layout.element_names();
        let names = layout.element_names().into_iter().enumerate();
        let pairs: Vec<(String, usize, usize)> = names
            .filter_map(|(i, name)| {
                let element = found.iter().position(|f| *f == name)?;
                Some((name, i, element))
            })
            .collect();
        let chosen = spread(run, draws, stream);
        let mut ranks = Self {
            names: pairs.iter().map(|(name, ..)| name.clone()).collect(),
            positions: pairs
                .iter()
                .map(|(_, i, element)| {
                    let drawn = chosen.iter().map(|row| row[*element]);
                    position_of(values[*i], drawn, stream)
                })
                .collect(),
            ess: smallest_ess(run),
        };
        // the data enter only through quantities like this one (Modrák et al. 2023)
        let likelihoods: Option<Vec<f64>> = chosen
            .iter()
            .map(|row| log_likelihood(model, simulated, &run.layout, row))
            .collect();
        let own = log_likelihood(model, simulated, layout, &values);
        if let (Some(own), Some(likelihoods)) = (own, likelihoods) {
            ranks.names.push(LOG_LIKELIHOOD.to_owned());
            ranks
                .positions
                .push(position_of(own, likelihoods.into_iter(), stream));
        }
        ranks
    }
}

/// Selects draws of a run by systematic resampling of their weights, which spreads them evenly over a chain.
fn spread<'r>(run: &'r Run, draws: usize, stream: &mut Stream) -> Vec<&'r [f64]> {
    let elements = run.layout.elements();
    let rows: Vec<&[f64]> = run.groups.iter().flat_map(|g| g.rows(elements)).collect();
    let weights = run.draw_weights();
    let start: f64 = stream.random();
    let (mut at, mut cumulated) = (0, weights.first().copied().unwrap_or(0.0));
    (0..draws)
        .filter_map(|i| {
            let target = (i as f64 + start) / draws as f64;
            while cumulated < target && at + 1 < rows.len() {
                at += 1;
                cumulated += weights[at];
            }
            rows.get(at).copied()
        })
        .collect()
}

/// The rank of `truth` among `drawn`, from 0 to 1; NaN if one of them is NaN.
fn position_of(truth: f64, drawn: impl Iterator<Item = f64>, stream: &mut Stream) -> f64 {
    let (mut below, mut equal, mut count) = (0.0, 0.0, 0.0);
    for x in drawn {
        if x.is_nan() || truth.is_nan() {
            return f64::NAN;
        }
        count += 1.0;
        below += f64::from(x < truth);
        equal += f64::from(x == truth);
    }
    // equal draws are placed by one uniform number, uniformly over the ranks that they could have
    let rank: f64 = below + (stream.random::<f64>() * (equal + 1.0)).floor();
    (rank + stream.random::<f64>()) / (count + 1.0)
}

/// The log likelihood of the simulated data at constrained values; `None` if the model does not have the quantities.
fn log_likelihood<Mo: Model>(
    model: &Mo,
    simulated: &Simulated,
    layout: &Layout,
    row: &[f64],
) -> Option<f64> {
    let random = layout
        .variables
        .iter()
        .filter(|v| v.kind != VariableKind::Deterministic);
    let values: Vec<(&str, &[f64])> = random
        .map(|v| {
            (
                v.name.as_str(),
                &row[v.offset..v.offset + v.shape.elements()],
            )
        })
        .collect();
    let scored = score_on(model, &values, &simulated.values).ok()?;
    let kinds = model.statements().iter().map(|s| s.kind);
    let terms = scored.terms.iter().zip(kinds);
    let likelihood = terms.filter(|(_, kind)| *kind != StatementKind::Sample);
    Some(likelihood.map(|(term, _)| term).sum())
}

fn smallest_ess(run: &Run) -> f64 {
    let rows = run.summary().rows;
    rows.iter()
        .map(|row| row.ess_bulk)
        .fold(f64::INFINITY, |least, ess| {
            if ess.is_nan() { ess } else { least.min(ess) }
        })
}
