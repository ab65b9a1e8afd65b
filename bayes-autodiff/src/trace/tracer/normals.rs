//! Normal variables as one operation.

use super::{Tracer, bulk};
use crate::function::Recip;
use crate::mode::{Mode, add_each_normal, normal_term};
use crate::real::Real;
use crate::trace::bulk::{Bulk, Normals, Scales, TILE};
use crate::trace::node::Node;
use crate::trace::recording::{Recording, with};
use crate::value::Value;
use std::ops::Range;

/// The minimum number of variables for an operation of their own.
const FEWEST: usize = 4;

/// Some normal variables, as `-½ Σ (s_i r (v_i - d_i - m))²`.
struct Variables {
    /// `v`, or nothing if it is 0.
    values: Vec<Real<Tracer>>,
    /// `d`, or nothing if it is 0.
    data: Vec<f64>,
    mean: Option<Real<Tracer>>,
    inverse: Option<Real<Tracer>>,
    /// `s`, or a single number for all.
    scales: Vec<f64>,
}

/// [`Mode::add_normal_terms`] of `[x, mean, sd]`.
pub(super) fn add(sum: &mut Real<Tracer>, len: usize, of: [&dyn Fn(usize) -> Real<Tracer>; 3]) {
    if !add_together(sum, len, of) {
        let [x, mean, sd] = of;
        add_each_normal(sum, len, x, mean, sd);
    }
}

/// [`add`] as operations on vectors; `false` if the variables are of no suitable kind.
fn add_together(
    sum: &mut Real<Tracer>,
    len: usize,
    of: [&dyn Fn(usize) -> Real<Tracer>; 3],
) -> bool {
    if len < FEWEST {
        return false;
    }
    let [x, mean, sd] = of.map(|of| (0..len).map(of).collect::<Vec<_>>());
    let Some(variables) = variables([&x, &mean, &sd]) else {
        return false;
    };
    // one operation, unless its operands would have to be kept until then
    let is_input = |r: &Recording, x| matches!(node(r, x), Some(Node::Input(_)));
    let tile = if with(|r| variables.values.iter().all(|x| is_input(r, *x))) {
        len
    } else {
        TILE
    };
    for start in (0..len).step_by(tile) {
        let tile = start..len.min(start + tile);
        let total = tile
            .clone()
            .map(|i| normal_term::<Value>(value(x[i]), value(mean[i]), value(sd[i])).0);
        let total = total.sum();
        let term = variables.operation(tile, total);
        *sum += term;
    }
    true
}

fn value(x: Real<Tracer>) -> Real<Value> {
    Real(x.0.value)
}

impl Variables {
    /// The operation on some of the variables, whose value is `total`.
    fn operation(&self, tile: Range<usize>, total: f64) -> Real<Tracer> {
        let values = self.values.get(tile.clone()).unwrap_or_default();
        let data = self.data.get(tile.clone());
        let scales = match &self.scales[..] {
            [scale] => Scales::Shared(*scale),
            scales => Scales::Each(with(|r| r.numbers(&scales[tile.clone()]))),
        };
        let normals = Normals {
            len: tile.len(),
            has_values: !values.is_empty(),
            data: data.map(|data| with(|r| r.numbers(data))),
            has_mean: self.mean.is_some(),
            has_inverse: self.inverse.is_some(),
            scales,
        };
        let shared = self.mean.iter().chain(&self.inverse);
        let of: Vec<Real<Tracer>> = values.iter().chain(shared).copied().collect();
        bulk(Bulk::Normals(normals), &of, [total])[0]
    }
}

/// The variables, if their standard deviations are data or one quantity, and so is one side of the differences.
fn variables([x, mean, sd]: [&[Real<Tracer>]; 3]) -> Option<Variables> {
    let (inverse, scales) = match Side::of(sd) {
        Side::Shared => (Some(Real(Tracer::unary::<Recip>(sd[0].0))), vec![1.0]),
        Side::Data if sd.iter().all(|each| each.0.value == sd[0].0.value) => {
            (None, vec![1.0 / sd[0].0.value])
        }
        Side::Data => (None, sd.iter().map(|sd| 1.0 / sd.0.value).collect()),
        Side::Vector | Side::Other => return None,
    };
    let (left, right) = (Side::of(x), Side::of(mean));
    let numbers = |side: &[Real<Tracer>]| {
        let is_zero = side.iter().all(|x| x.0.value == 0.0);
        if is_zero {
            Vec::new()
        } else {
            side.iter().map(|x| x.0.value).collect()
        }
    };
    let (values, data, shared) = match (left, right) {
        (Side::Vector, Side::Data) => (x, mean, None),
        (Side::Data, Side::Vector) => (mean, x, None),
        (Side::Vector, Side::Shared) => (x, &[][..], Some(mean[0])),
        (Side::Shared, Side::Vector) => (mean, &[][..], Some(x[0])),
        (Side::Data, Side::Shared) => (&[][..], x, Some(mean[0])),
        (Side::Shared, Side::Data) => (&[][..], mean, Some(x[0])),
        _ => return None,
    };
    Some(Variables {
        values: values.to_vec(),
        data: numbers(data),
        mean: shared,
        inverse,
        scales,
    })
}

/// The kind of one side of the differences.
enum Side {
    Data,
    /// The same quantity everywhere.
    Shared,
    /// A quantity for each variable, which has a place anyway.
    Vector,
    Other,
}

impl Side {
    fn of(x: &[Real<Tracer>]) -> Self {
        let first = x[0].0.id;
        if x.iter().all(|x| x.0.id.is_none()) {
            return Self::Data;
        }
        if x.iter().all(|x| x.0.id == first) {
            return Self::Shared;
        }
        if with(|r| x.iter().all(|x| has_place(r, *x))) {
            return Self::Vector;
        }
        Self::Other
    }
}

fn node(recording: &Recording, x: Real<Tracer>) -> Option<Node> {
    x.0.id.map(|id| recording.nodes[id as usize])
}

/// Whether a quantity has its own place, is a multiple of a quantity with a place, or is the row of a product with its intercept.
fn has_place(recording: &Recording, x: Real<Tracer>) -> bool {
    let at = |id| recording.nodes[id as usize];
    let is_value = |node| {
        matches!(
            node,
            Node::Input(_) | Node::Output { .. } | Node::Call { .. }
        )
    };
    match node(recording, x) {
        Some(Node::Affine { of, shift, .. }) => {
            let is_row = matches!(at(of), Node::Output { .. });
            is_row || (shift.get() == 0.0 && is_value(at(of)))
        }
        Some(Node::Sum { of, .. }) => of
            .into_iter()
            .any(|id| matches!(at(id), Node::Output { .. })),
        Some(node) => is_value(node),
        None => false,
    }
}
