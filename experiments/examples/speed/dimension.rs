//! The cost of a gradient relative to a value, as the dimension grows.

use super::block::Evaluation;
use super::clock::{Ratio, interleave};
use super::table::{Promise, Row};
use super::{Context, models};
use bayes::prelude::*;

/// The answers: the worst dimension of each model, and every dimension in the note.
pub fn rows(context: &Context) -> Vec<Row> {
    let promise = Promise::AtMost(4.0, 2.5);
    let schools = |d: usize, context: &Context| {
        let y: Vec<f64> = (0..d - 2).map(|j| (j as f64).sin()).collect();
        let sigma = vec![1.0; d - 2];
        ratio(context, &models::eight_schools(&y, &sigma))
    };
    let walk = |d: usize, context: &Context| {
        let y: Vec<f64> = (0..d - 1).map(|t| (0.1 * t as f64).sin()).collect();
        ratio(context, &models::walk(&y))
    };
    vec![
        worst(
            context,
            "schools one by one",
            &[10, 100, 1000, 10_000],
            promise,
            &schools,
        ),
        worst(
            context,
            "random walk carried along",
            &[10, 100, 1000, 10_000],
            promise,
            &walk,
        ),
        worst(
            context,
            "schools one by one",
            &[100_000],
            Promise::Nothing,
            &schools,
        ),
    ]
}

fn worst(
    context: &Context,
    name: &str,
    dimensions: &[usize],
    promise: Promise,
    measure: &dyn Fn(usize, &Context) -> Ratio,
) -> Row {
    let found: Vec<(usize, Ratio)> = dimensions
        .iter()
        .map(|d| (*d, measure(*d, context)))
        .collect();
    let each: Vec<String> = found
        .iter()
        .map(|(d, r)| format!("{:.2} at {d}", r.value))
        .collect();
    let largest = found
        .iter()
        .map(|(_, r)| *r)
        .max_by(|a, b| a.value.total_cmp(&b.value));
    let range = match dimensions {
        [only] => format!("d = {only}"),
        [first, .., last] => format!("d from {first} to {last}"),
        [] => String::new(),
    };
    Row::new(
        format!("gradient / value, {name}, {range}"),
        largest.expect("at least one dimension"),
        promise,
        each.join(", "),
    )
}

fn ratio<Mo: Model>(context: &Context, model: &Mo) -> Ratio {
    let [mut values, mut gradients] = [(); 2].map(|()| Evaluation::new(model, 16));
    let times = interleave(
        &mut [&mut || values.values(), &mut || gradients.gradients()],
        context.options.budget() / 3,
    );
    times[1].over(&times[0])
}
