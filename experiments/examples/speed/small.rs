//! Small models in blocks of 32 particles, compared with JAX `vmap` in a compiled loop.

use super::block::{Evaluation, PARTICLES};
use super::clock::{Ratio, interleave};
use super::table::{Promise, Row};
use super::{Context, models, peers};
use bayes::prelude::*;

/// JAX's microseconds per particle on another machine; used if Python is not available.
const ELSEWHERE: [(&str, f64); 3] = [("gauss", 0.067), ("gmm", 0.023), ("eight_schools", 0.035)];

/// The answers.
pub fn rows(context: &Context) -> Vec<Row> {
    let gauss = &context.problems.gauss;
    let (y, sigma) = &context.problems.schools;
    let gauss = models::gauss(&gauss.x, &gauss.y, gauss.noise);
    let [first, second, third] = ELSEWHERE;
    vec![
        row(context, first, &gauss),
        row(context, second, &models::gmm(16)),
        row(context, third, &models::eight_schools(y, sigma)),
    ]
}

fn row<Mo: Model>(context: &Context, (name, elsewhere): (&str, f64), model: &Mo) -> Row {
    let mut evaluation = Evaluation::new(model, PARTICLES);
    let mut read = || {
        let times = interleave(
            &mut [&mut || evaluation.gradients()],
            context.options.budget(),
        );
        times[0].best() * 1e6 / PARTICLES as f64
    };
    // In turn with the peer, which runs in a separate process.
    let (mut mine, mut jax) = (f64::INFINITY, None);
    for _ in 0..2 {
        mine = read().min(mine);
        let reading = peers::gradient(context, name);
        jax = reading.map(|reading| jax.map_or(reading, |jax: f64| jax.min(reading)));
    }
    let where_from = if jax.is_some() {
        "in this run"
    } else {
        "on another machine"
    };
    let jax = jax.unwrap_or(elsewhere);
    Row::new(
        format!("{name}, value and gradient, block of {PARTICLES}: JAX / model"),
        Ratio::of(vec![jax / mine]),
        Promise::AtLeast(1.0, 2.0),
        format!("model {mine:.4} µs, JAX {jax:.4} µs {where_from}"),
    )
}
