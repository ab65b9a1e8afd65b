//! Networks as one operation, starting at the first layer that depends on the position.

use super::{NOT_EVALUATED, Tracer, bulk, depends, values};
use crate::matrix::Matrix;
use crate::mode::Mode;
use crate::network::{Applied, Inputs, Split};
use crate::real::Real;
use crate::trace::bulk::{Bulk, Choices, Outputs};
use crate::trace::recording::with;
use crate::trace::sharing::Weight;
use crate::value::Value;
use std::sync::Arc;

/// The maximum number of kept outputs of first layers, 512 MiB; with more, the layers are computed in every evaluation.
const MOST_KEPT: usize = 1 << 26;

/// [`Mode::network`].
pub(super) fn network(applied: Applied<'_>, weights: &[Real<Tracer>]) -> Matrix<Tracer> {
    let (rows, columns) = (applied.inputs.rows, applied.network.outputs());
    if !depends(weights) {
        let constants = Value::network(applied, &values(weights));
        return Matrix::from_fn(rows, columns, |i, k| constants[(i, k)].0.into());
    }
    let found = match is_evaluated() {
        true => {
            let outputs = Value::network(applied, &values(weights));
            let all = (0..rows).flat_map(|i| (0..columns).map(move |k| (i, k)));
            all.map(|place| outputs[place].0).collect()
        }
        false => vec![NOT_EVALUATED; rows * columns],
    };
    let (outputs, weights) = outputs(applied, weights);
    let elements = bulk(Bulk::Outputs(outputs), weights, found);
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
    let mut total = Real::constant(NOT_EVALUATED);
    if is_evaluated() {
        total = Real::constant(0.0);
        Value::add_network_choices(&mut total, applied, &values(weights), chosen);
    }
    let chosen: Vec<f64> = (0..applied.inputs.rows)
        .map(|row| chosen(row) as f64)
        .collect();
    let chosen = with(|r| r.numbers(&chosen));
    let (outputs, weights) = outputs(applied, weights);
    let choices = Bulk::Choices(Choices { outputs, chosen });
    *sum += bulk(choices, weights, [total.0])[0];
}

/// Whether the program may go by the outputs, so that they are computed while it runs.
fn is_evaluated() -> bool {
    with(|r| r.is_for_one)
}

/// A network on its rows, and its weights, starting at the first layer whose weights are neither numbers nor shared by all particles.
fn outputs<'w>(applied: Applied<'_>, weights: &'w [Real<Tracer>]) -> (Outputs, &'w [Real<Tracer>]) {
    let whole = on_data(applied);
    if with(|r| r.is_for_one) {
        return (whole, weights);
    }
    let weight = |x: &Real<Tracer>| match x.0.id {
        None => Some(Weight::Known(x.0.value)),
        Some(id) => with(|r| r.shared_weight(id)),
    };
    let all: Vec<Option<Weight>> = weights.iter().map(weight).collect();
    let is_number = |k: usize| matches!(all[k], Some(Weight::Known(_)));
    let shared = applied.network.split(|k| all[k].is_some());
    // derivatives pass back only to the inputs of a dense layer
    let shared = shared.filter(Split::goes_on_with_dense);
    let split = shared.or_else(|| applied.network.split(is_number));
    let Some(Split { known, rest }) = split else {
        return (whole, weights);
    };
    if whole.rows * known.outputs() > MOST_KEPT {
        return (whole, weights);
    }
    let (first, columns) = (known.parameters(), known.outputs());
    let layers = Outputs {
        network: Arc::new(known),
        ..whole.clone()
    };
    let own = all.into_iter().take(first).flatten().collect();
    let (inputs, features) = with(|r| r.features(layers, own));
    let rest = Outputs {
        network: Arc::new(rest),
        inputs,
        columns,
        features,
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
