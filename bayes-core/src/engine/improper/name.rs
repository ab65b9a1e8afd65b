//! The name of the quantity that goes out.

use super::Outwards;
use crate::density::{Counts, LogDensity, Particles, Target};
use crate::error::{Edge, Improper};
use crate::model::VariableKind;

/// The quantity that goes out, and the edge it approaches.
pub(super) fn named(density: &dyn LogDensity, out: &Outwards) -> Improper {
    let (quantity, edge) = quantity(density, out);
    let mut ends = Particles::new(2, density.dim());
    ends.positions = [&out.near[..], &out.far].concat();
    Target::posterior(density).evaluate(&mut ends.block(), &mut Counts::default());
    let [near, far] = [0, 1].map(|i| ends.log_likelihood[i]);
    Improper {
        quantity,
        edge,
        rises: far > near + 1.0,
    }
}

/// The element whose value the coordinate changes most.
fn quantity(density: &dyn LogDensity, out: &Outwards) -> (String, Edge) {
    let quantities = density.quantities();
    let k = out.coordinate;
    let mut nearer = out.near.clone();
    nearer[k] += 1e-3;
    let (here, beside) = (quantities.output(&out.near), quantities.output(&nearer));
    let mut far = out.near.clone();
    far[k] = out.far[k];
    let there = quantities.output(&far);
    let layout = density.describe().layout;
    let random = layout
        .variables
        .iter()
        .filter(|v| v.kind != VariableKind::Deterministic);
    for variable in random {
        let range = variable.range();
        for (element, i) in range.clone().enumerate() {
            if here[i] != beside[i] {
                let name = match range.len() {
                    1 => variable.name.clone(),
                    _ => format!("{}[{element}]", variable.name),
                };
                return (name, edge(here[i], there[i]));
            }
        }
    }
    (format!("coordinate {k}"), Edge::End)
}

fn edge(here: f64, there: f64) -> Edge {
    let (size, before) = (there.abs(), here.abs());
    if size < 0.1 * before {
        Edge::Zero
    } else if size > 2.0 * before.max(1.0) {
        if there > 0.0 {
            Edge::Infinity
        } else {
            Edge::MinusInfinity
        }
    } else {
        Edge::End
    }
}
