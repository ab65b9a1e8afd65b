//! The elements that a picture shows, and their draws.

use crate::label::count;
use bayes_core::Error;
use bayes_core::run::{Draws, GroupKind, PictureError, Run, RunError, Variable, VariableKind};

/// The draws of one element.
#[derive(Clone, Debug)]
pub(crate) struct Column {
    /// The element: `mu`, `beta[3]`.
    pub(crate) name: String,
    /// Its index in a draw.
    pub(crate) element: usize,
    pub(crate) is_discrete: bool,
    /// Values, group by group.
    pub(crate) groups: Vec<Vec<f64>>,
}

impl Column {
    fn of(run: &Run, variable: &Variable, element: usize) -> Self {
        let names = variable.element_names();
        Self {
            name: names[element - variable.offset].clone(),
            element,
            is_discrete: variable.kind == VariableKind::Discrete,
            groups: run.map_draws(|draw| draw.values()[element]),
        }
    }

    /// All values, group after group.
    pub(crate) fn all(&self) -> Vec<f64> {
        self.groups.concat()
    }

    /// Quantiles of the draws with these weights, as in the summary of a run.
    pub(crate) fn quantiles<const Q: usize>(
        &self,
        weights: &[f64],
        probabilities: [f64; Q],
    ) -> Result<[f64; Q], RunError> {
        let draws = Draws {
            weights: weights.to_vec(),
            values: self.all(),
            elements: 1,
            groups: self.groups.iter().map(Vec::len).collect(),
        };
        let mut quantiles = [f64::NAN; Q];
        for (quantile, probability) in quantiles.iter_mut().zip(probabilities) {
            *quantile = draws.quantile(probability)?[0];
        }
        Ok(quantiles)
    }

    /// Returns an error unless some value can be drawn.
    pub(crate) fn check(self) -> Result<Self, Error> {
        let mut values = self.groups.iter().flatten();
        if values.any(|value| value.is_finite()) {
            return Ok(self);
        }
        Err(PictureError::NotFinite { name: self.name }.into())
    }
}

/// The elements that a picture shows.
#[derive(Debug)]
pub(crate) struct Columns {
    pub(crate) columns: Vec<Column>,
    /// Weight of every draw, group after group; they sum to 1.
    pub(crate) weights: Vec<f64>,
    /// The number of elements that were left out, in a sentence; empty if none were.
    pub(crate) note: String,
}

impl Columns {
    /// The `wanted` quantities or elements. Without any, up to `most` elements that vary and are part of the answer: the first element of each
    /// quantity before any second one.
    pub(crate) fn of(run: &Run, wanted: &[String], most: usize) -> Result<Self, Error> {
        let (elements, note) = if wanted.is_empty() {
            let (varying, hidden) = (varying(run), hidden(run));
            let total = hidden.iter().filter(|hidden| !**hidden).count();
            let both = varying.iter().zip(&hidden);
            let fixed = both
                .filter(|(varies, hidden)| !**varies && !**hidden)
                .count();
            // if no element varies, all are shown
            let is_fixed = |element: usize| fixed < total && !varying[element];
            let is_left_out = |element: usize| hidden[element] || is_fixed(element);
            let elements = first_elements(run, most, is_left_out);
            let shown = elements.len();
            let never = match fixed {
                0 => String::new(),
                1 => " (one never varies)".to_owned(),
                _ => format!(" ({fixed} never vary)"),
            };
            let of = count(total, "element");
            let note = match shown < total {
                true => format!("{shown} of {of} are shown{never}."),
                false => String::new(),
            };
            (elements, note)
        } else {
            (named_elements(run, wanted)?, String::new())
        };
        let column =
            |(variable, element): (&Variable, usize)| Column::of(run, variable, element).check();
        Ok(Self {
            columns: elements.into_iter().map(column).collect::<Result<_, _>>()?,
            weights: run.draw_weights(),
            note,
        })
    }
}

/// Whether each element differs between draws. The elements above the diagonal of a Cholesky factor do not.
fn varying(run: &Run) -> Vec<bool> {
    let width = run.layout.elements();
    let mut rows = run
        .groups
        .iter()
        .flat_map(|group| group.draws.chunks_exact(width.max(1)));
    let mut varying = vec![false; width];
    let Some(first) = rows.next() else {
        return varying;
    };
    for row in rows {
        let pairs = varying.iter_mut().zip(row.iter().zip(first));
        pairs.for_each(|(varies, (value, first))| *varies |= value != first);
    }
    varying
}

/// Whether each element is no part of the answer; none if all are.
fn hidden(run: &Run) -> Vec<bool> {
    let mut hidden = vec![false; run.layout.elements()];
    for variable in run.layout.variables.iter().filter(|v| run.hides(&v.name)) {
        hidden[variable.range()].fill(true);
    }
    match hidden.contains(&false) {
        true => hidden,
        false => vec![false; hidden.len()],
    }
}

/// Up to `most` elements in the order of the model.
fn first_elements(
    run: &Run,
    most: usize,
    is_left_out: impl Fn(usize) -> bool,
) -> Vec<(&Variable, usize)> {
    let mut chosen: Vec<(usize, usize, &Variable)> = Vec::new();
    for variable in &run.layout.variables {
        let range = variable.range().filter(|element| !is_left_out(*element));
        chosen.extend(range.map(|element| (element - variable.offset, element, variable)));
    }
    // a quantity's first element before any second one
    chosen.sort_by_key(|(index, element, _)| (*index, *element));
    chosen.truncate(most);
    chosen.sort_by_key(|(_, element, _)| *element);
    chosen
        .into_iter()
        .map(|(_, element, variable)| (variable, element))
        .collect()
}

fn named_elements<'a>(
    run: &'a Run,
    wanted: &[String],
) -> Result<Vec<(&'a Variable, usize)>, Error> {
    let mut chosen = Vec::new();
    for name in wanted {
        let Some((stem, _)) = name.split_once('[') else {
            let variable = run.variable(name)?;
            chosen.extend(variable.range().map(|element| (variable, element)));
            continue;
        };
        let variable = run.variable(stem)?;
        let names = variable.element_names();
        let Some(index) = names.iter().position(|element| element == name) else {
            return Err(PictureError::Element {
                name: stem.to_owned(),
                wanted: name.clone(),
                first: names.first().cloned().unwrap_or_default(),
                last: names.last().cloned().unwrap_or_default(),
            }
            .into());
        };
        chosen.push((variable, variable.offset + index));
    }
    Ok(chosen)
}

/// Engine, groups, draws and seed of a run, in a sentence.
pub(crate) fn source(run: &Run) -> String {
    let draws = match run.kind {
        GroupKind::Independent => count(run.total_draws(), "draw"),
        kind => format!(
            "{} of {}",
            count(run.groups.len(), kind.name()),
            count(run.draws_per_group(), "draw")
        ),
    };
    format!(
        "{} by {}: {draws}, seed {}.",
        run.model, run.engine, run.seed
    )
}

/// Whether the groups are chains, whose draws have an order.
pub(crate) fn is_chains(run: &Run) -> bool {
    run.kind == GroupKind::Chains
}
