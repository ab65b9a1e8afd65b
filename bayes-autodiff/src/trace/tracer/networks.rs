//! Networks as one operation, from the first layer on that depends on the position.

use super::{NOT_EVALUATED, Tracer, bulk, depends, values};
use crate::matrix::Matrix;
use crate::mode::Mode;
use crate::network::{Applied, Inputs, Layer, Network, Split};
use crate::real::Real;
use crate::trace::bulk::{Bulk, Choices, Outputs};
use crate::trace::recording::with;
use crate::trace::sharing::Weight;
use crate::value::Value;
use std::sync::Arc;

/// The most outputs of known layers that are kept, 512 MiB; where there are more, the layers are computed in every evaluation.
const MOST_KEPT: usize = 1 << 26;

/// [`Mode::network`].
pub(super) fn network(applied: Applied<'_>, weights: &[Real<Tracer>]) -> Matrix<Tracer> {
    let (rows, columns) = (applied.inputs.rows, applied.network.outputs());
    if !depends(weights) {
        let constants = Value::network(applied, &values(weights));
        return Matrix::from_fn(rows, columns, |i, k| constants[(i, k)].0.into());
    }
    if let Some(rest) = Rest::new(applied, weights) {
        return network(rest.applied(applied), &weights[rest.first..]);
    }
    let (outputs, weights) = outputs(applied, weights);
    let unknown = std::iter::repeat_n(NOT_EVALUATED, rows * columns);
    let elements = bulk(Bulk::Outputs(outputs), weights, unknown);
    Matrix::from_elements(rows, columns, elements)
}

/// [`Mode::add_network_choices`].
pub(super) fn add_choices(
    sum: &mut Real<Tracer>,
    applied: Applied<'_>,
    weights: &[Real<Tracer>],
    chosen: &dyn Fn(usize) -> usize,
) {
    if !depends(weights) {
        let mut total = Real::constant(0.0);
        Value::add_network_choices(&mut total, applied, &values(weights), chosen);
        *sum += total.0;
        return;
    }
    if let Some(rest) = Rest::new(applied, weights) {
        return add_choices(sum, rest.applied(applied), &weights[rest.first..], chosen);
    }
    let chosen: Vec<f64> = (0..applied.inputs.rows)
        .map(|row| chosen(row) as f64)
        .collect();
    let chosen = with(|r| r.numbers(&chosen));
    let (outputs, weights) = outputs(applied, weights);
    let choices = Bulk::Choices(Choices { outputs, chosen });
    *sum += bulk(choices, weights, [NOT_EVALUATED])[0];
}

/// A network on its rows, and its weights; from the first layer on that depends on coordinates that are not shared.
fn outputs<'w>(applied: Applied<'_>, weights: &'w [Real<Tracer>]) -> (Outputs, &'w [Real<Tracer>]) {
    let whole = on_data(applied);
    let weight = |x: &Real<Tracer>| match x.0.id {
        None => Some(Weight::Known(x.0.value)),
        Some(id) => with(|r| r.shared_weight(id)),
    };
    let shared: Vec<Option<Weight>> = weights.iter().map(weight).collect();
    let Some(Split { known, rest }) = applied.network.split(|k| shared[k].is_some()) else {
        return (whole, weights);
    };
    let is_dense = matches!(rest.layers()[0], Layer::Dense { .. });
    if !is_dense || whole.rows * known.outputs() > MOST_KEPT {
        return (whole, weights);
    }
    let (first, columns) = (known.parameters(), known.outputs());
    let layers = Outputs {
        network: Arc::new(known),
        ..whole.clone()
    };
    let own = shared.into_iter().take(first).flatten().collect();
    let (inputs, features) = with(|r| r.features(layers, own));
    let rest = Outputs {
        network: Arc::new(rest),
        inputs,
        columns,
        features: Some(features),
        ..whole
    };
    (rest, &weights[first..])
}

/// A network on its rows.
fn on_data(applied: Applied<'_>) -> Outputs {
    let Inputs {
        entries,
        rows,
        columns,
    } = applied.inputs;
    Outputs {
        network: applied.network.clone(),
        precision: applied.precision,
        inputs: with(|r| r.numbers(entries)),
        rows,
        columns,
        features: None,
    }
}

/// What is left of a network whose first layers have known weights: their outputs are computed once, and are its inputs.
struct Rest {
    network: Arc<Network>,
    /// Its first weight among those of the whole network.
    first: usize,
    /// `[rows, inputs]`, column by column.
    inputs: Vec<f64>,
}

impl Rest {
    /// `None` if the first layer with weights depends on the position, or if there are too many outputs to keep.
    fn new(applied: Applied<'_>, weights: &[Real<Tracer>]) -> Option<Self> {
        let is_known = |k: usize| weights[k].0.id.is_none();
        let Split { known, rest } = applied.network.split(is_known)?;
        if applied.inputs.rows * known.outputs() > MOST_KEPT {
            return None;
        }
        let (first, columns) = (known.parameters(), known.outputs());
        let network = &Arc::new(known);
        let found = Value::network(Applied { network, ..applied }, &values(&weights[..first]));
        let rows = 0..applied.inputs.rows;
        let of_column = |k| rows.clone().map(move |i| (i, k));
        Some(Self {
            network: Arc::new(rest),
            first,
            inputs: (0..columns)
                .flat_map(of_column)
                .map(|at| found[at].0)
                .collect(),
        })
    }

    /// On the rows of the whole network.
    fn applied<'a>(&'a self, whole: Applied<'a>) -> Applied<'a> {
        let inputs = Inputs {
            entries: &self.inputs,
            rows: whole.inputs.rows,
            columns: self.network.input().elements(),
        };
        Applied {
            network: &self.network,
            inputs,
            ..whole
        }
    }
}
