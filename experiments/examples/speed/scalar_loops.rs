//! Models written with scalar loops, compared with hand-written scalar gradients.

use super::block::{Evaluation, PARTICLES};
use super::clock::interleave;
use super::hand::scalar;
use super::table::{Promise, Row};
use super::{Context, models};
use bayes::prelude::*;
use std::hint::black_box;

/// The answers.
pub fn rows(context: &Context) -> Vec<Row> {
    let problems = &context.problems;
    let (y, sigma) = &problems.schools;
    let data = scalar::Schools::new(y, sigma);
    let (series, sigma1) = &problems.garch;
    let mut variances = vec![0.0; series.len()];
    vec![
        row(
            context,
            "eight_schools",
            &models::eight_schools(y, sigma),
            &mut |at, gradient| scalar::eight_schools(&data, at, gradient),
        ),
        row(
            context,
            "arK",
            &models::ark(&problems.ark),
            &mut |at, gradient| scalar::ark(&problems.ark, at, gradient),
        ),
        row(
            context,
            "garch11",
            &models::garch(series, *sigma1),
            &mut |at, gradient| scalar::garch(series, *sigma1, at, &mut variances, gradient),
        ),
    ]
}

fn row<Mo: Model>(
    context: &Context,
    name: &str,
    model: &Mo,
    by_hand: &mut dyn FnMut(&[f64], &mut [f64]) -> f64,
) -> Row {
    let mut evaluation = Evaluation::new(model, PARTICLES);
    evaluation.check(by_hand);
    let positions = evaluation.particles.positions.clone();
    let dim = evaluation.particles.dim;
    let mut slopes = vec![0.0; dim];
    let times = interleave(
        &mut [&mut || evaluation.gradients(), &mut || {
            for at in positions.chunks_exact(dim) {
                black_box(by_hand(black_box(at), &mut slopes));
            }
        }],
        context.options.budget(),
    );
    let micro = |i: usize| times[i].best() * 1e6 / PARTICLES as f64;
    Row::new(
        format!("{name} by a scalar loop, value and gradient: scalar by hand / model"),
        times[1].over(&times[0]),
        Promise::AtLeast(2.5, 4.0),
        format!(
            "µs a particle: model {:.3}, by hand {:.3}",
            micro(0),
            micro(1)
        ),
    )
}
