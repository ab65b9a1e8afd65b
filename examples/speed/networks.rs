//! Networks: full-batch values and gradients a second on one core.

use super::Context;
use super::table::{Promise, Row};

/// The answers.
pub fn rows(_: &Context) -> Vec<Row> {
    let why = "networks are not yet part of the language";
    vec![
        Row::missing(
            "CNN, 1000 images, f32: values and gradients a second",
            Promise::AtLeast(150.0, 350.0),
            why,
        ),
        Row::missing(
            "MLP 768-128-2, 25000 rows, f32: share of the core's GEMM peak",
            Promise::AtLeast(0.6, 0.8),
            why,
        ),
    ]
}
