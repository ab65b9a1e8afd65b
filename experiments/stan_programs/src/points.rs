//! Log densities and gradients at positions.

use bayes::density::{LogDensity, Particles};
use bayes::dist::Shape;
use bayes::model::VariableKind;
use bayes::rng::{RngExt, stream};
use serde_json::{Value, json};
use std::time::Instant;

const POINTS: usize = 5;
/// Positions of a block for the time of a gradient.
const BLOCK: usize = 32;

/// A model at five positions, as JSON: coordinates, values by name, log densities, gradients, and the microseconds of a gradient alone and in a block.
pub fn line(density: &dyn LogDensity, posterior: &str, program: &str, data: &str) -> String {
    let layout = density.describe().layout;
    let mut stream = stream(1);
    let dim = density.dim();
    let mut particles = Particles::new(POINTS, dim);
    let near = near(program, dim);
    for (i, x) in particles.positions.iter_mut().enumerate() {
        *x = near.0[i % dim] + near.1 * stream.random_range(-1.0..1.0);
    }
    density.evaluate_gradient([1.0, 1.0], &mut particles.block());
    let points = (0..POINTS).map(|i| {
        let position = &particles.positions[i * dim..(i + 1) * dim];
        let values = density.quantities().output(position);
        let sampled = layout
            .variables
            .iter()
            .filter(|v| v.kind == VariableKind::Continuous);
        let by_name = sampled.map(|v| (v.name.clone(), nested(&values[v.range()], v.shape)));
        json!({
            "position": position,
            "values": by_name.collect::<serde_json::Map<String, Value>>(),
            "log_density": particles.log_prior[i] + particles.log_likelihood[i],
            "gradient": &particles.gradient[i * dim..(i + 1) * dim],
        })
    });
    let sampled = layout
        .variables
        .iter()
        .filter(|v| v.kind == VariableKind::Continuous);
    let variables: Vec<Value> = sampled.map(|v| json!([v.name, extents(v.shape)])).collect();
    json!({
        "posterior": posterior,
        "program": program,
        "data": data,
        "dim": dim,
        "variables": variables,
        "points": points.collect::<Vec<Value>>(),
        "microseconds": [microseconds(density, 1), microseconds(density, BLOCK)],
    })
    .to_string()
}

/// The centre of the positions and how far they are from it; other centres than 0 where the program's probabilities round to 0 or 1, or its
/// differential equations take too long.
fn near(program: &str, dim: usize) -> (Vec<f64>, f64) {
    match program {
        "dogs_log" => (vec![5.0, -5.0], 1.0),
        "lotka_volterra" => {
            let at: [f64; 8] = [0.55, 0.028, 0.8, 0.024, 34.0, 6.0, 0.25, 0.25];
            (at.map(f64::ln).to_vec(), 0.3)
        }
        "sir" => ([1.0_f64, 0.2, 10.5, 0.36].map(f64::ln).to_vec(), 0.2),
        "soil_incubation" => (vec![-1.0, -3.0, -1.5, -1.5, 2.0, -1.0], 0.5),
        _ => (vec![0.0; dim], 1.0),
    }
}

fn extents(shape: Shape) -> Vec<usize> {
    match shape {
        Shape::Scalar => Vec::new(),
        Shape::Vector(length) => vec![length],
        Shape::Matrix(rows, columns) => vec![rows, columns],
    }
}

/// The elements as nested lists, rows first.
fn nested(values: &[f64], shape: Shape) -> Value {
    match shape {
        Shape::Scalar => json!(values[0]),
        Shape::Vector(_) => json!(values),
        Shape::Matrix(_, columns) => values.chunks(columns.max(1)).collect(),
    }
}

/// The microseconds of a gradient for each position of a block: the least of several.
fn microseconds(density: &dyn LogDensity, positions: usize) -> f64 {
    let mut particles = Particles::new(positions, density.dim());
    let mut stream = stream(2);
    particles
        .positions
        .iter_mut()
        .for_each(|x| *x = stream.random_range(-1.0..1.0));
    let start = Instant::now();
    let mut least = f64::INFINITY;
    let mut times = 0;
    while times < 3 || (times < 1000 && start.elapsed().as_secs_f64() < 0.2) {
        let start = Instant::now();
        density.evaluate_gradient([1.0, 1.0], &mut particles.block());
        least = least.min(start.elapsed().as_secs_f64());
        times += 1;
    }
    least * 1e6 / positions as f64
}
