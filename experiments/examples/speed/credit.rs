//! Credit, 690 rows by 15 columns: the model compared with the same density written by hand, in scalar code and in vectors.

use super::block::{Evaluation, PARTICLES};
use super::clock::{Ratio, Times, interleave};
use super::hand::lanes::{COLUMNS, Credit, Set};
use super::hand::scalar;
use super::table::{Promise, Row};
use super::{Context, models, peers};
use bayes::autodiff::simd::InstructionSet;
use bayes::density::ArithmeticSettings;

/// Microseconds of the fastest peer, Stan's generated C++ with its fused likelihood, on a machine where the scalar code
/// below took [`SCALAR_THERE`].
const STAN: f64 = 8.6;
const SCALAR_THERE: f64 = 13.9;

/// The answers.
pub fn rows(context: &Context) -> Vec<Row> {
    let mut rows = Vec::new();
    for set in Set::available() {
        let (level, promise) = level(set);
        if level.is_available() {
            rows.extend(with(context, set, rows.is_empty()));
        } else {
            let why = "not compiled: set BAYES_INSTRUCTION_SETS=avx2,avx512";
            rows.push(Row::missing(format!("credit, {set:?}"), promise, why));
        }
    }
    if rows.is_empty() {
        let why = "this processor has neither AVX-512 nor AVX2";
        rows.push(Row::missing("credit", Promise::AtLeast(4.0, 6.0), why));
    }
    rows
}

/// The instruction set of models, and the limits that apply to it.
fn level(set: Set) -> (InstructionSet, Promise) {
    match set {
        Set::Avx512 => (InstructionSet::Avx512, Promise::AtLeast(4.0, 6.0)),
        Set::Avx2 => (InstructionSet::Avx2, Promise::AtLeast(2.5, 6.0)),
    }
}

/// The rows for one instruction set; `is_default` if it is the default for users.
fn with(context: &Context, set: Set, is_default: bool) -> Vec<Row> {
    let (level, promise) = level(set);
    let (x, y) = &context.problems.credit;
    let by_row: Vec<[f64; COLUMNS]> = x
        .row_iter()
        .map(|row| std::array::from_fn(|k| row[k]))
        .collect();
    let model = models::credit(x, y);
    let settings = ArithmeticSettings {
        instruction_set: Some(level),
        ..ArithmeticSettings::default()
    };
    let mut evaluation = Evaluation::with(&model, PARTICLES, settings);
    evaluation.check(&mut |at, gradient| scalar::credit(&by_row, y, at, gradient));
    let lanes = Credit::new(&by_row, y);
    let positions = evaluation.particles.positions.clone();
    let mut log_density = vec![0.0; PARTICLES];
    let mut gradient = vec![0.0; PARTICLES * COLUMNS];
    lanes.evaluate(set, &positions, &mut log_density, &mut gradient);
    let mut place = (0, &log_density, &gradient);
    evaluation.check(&mut |_, slopes| {
        let (i, log_density, gradient) = place;
        slopes.copy_from_slice(&gradient[i * COLUMNS..(i + 1) * COLUMNS]);
        place.0 += 1;
        log_density[i]
    });
    let mut slopes = vec![0.0; COLUMNS];
    let times = interleave(
        &mut [
            &mut || evaluation.gradients(),
            &mut || {
                for at in positions.chunks_exact(COLUMNS) {
                    std::hint::black_box(scalar::credit(&by_row, y, at, &mut slopes));
                }
            },
            &mut || lanes.evaluate(set, &positions, &mut log_density, &mut gradient),
        ],
        context.options.budget(),
    );
    describe(context, set, promise, &times, is_default)
}

fn describe(
    context: &Context,
    set: Set,
    promise: Promise,
    times: &[Times],
    is_default: bool,
) -> Vec<Row> {
    let [model, scalar, lanes] = [&times[0], &times[1], &times[2]];
    let micro = |times: &Times| times.best() * 1e6 / PARTICLES as f64;
    let note = format!(
        "µs a particle: model {:.2}, scalar by hand {:.2}, vectors by hand {:.2}",
        micro(model),
        micro(scalar),
        micro(lanes)
    );
    let mut rows = vec![
        Row::new(
            format!("credit, value and gradient: scalar by hand / model, {set:?}"),
            scalar.over(model),
            promise,
            note,
        ),
        Row::new(
            format!("credit, value and gradient: model / vectors by hand, {set:?}"),
            model.over(lanes),
            Promise::AtMost(1.3, 1.0),
            "",
        ),
    ];
    if is_default {
        rows.push(fastest_peer(context, scalar.over(model), micro(model)));
    }
    rows
}

/// The peer of this run, or the peer whose time relative to the scalar code is known.
fn fastest_peer(context: &Context, over_scalar: Ratio, model: f64) -> Row {
    let promise = Promise::AtLeast(2.5, 4.0);
    let scaled = over_scalar.times(STAN / SCALAR_THERE);
    match peers::gradient(context, "credit") {
        Some(jax) if jax / model < scaled.value => {
            let ratio = Ratio::of(vec![jax / model]);
            Row::new(
                "credit, value and gradient: JAX / model",
                ratio,
                promise,
                format!("JAX {jax:.2} µs in this run"),
            )
        }
        jax => Row::new(
            "credit, value and gradient: Stan / model",
            scaled,
            promise,
            format!(
                "Stan {STAN} µs where the scalar code took {SCALAR_THERE}{}",
                jax.map_or(String::new(), |jax| format!(
                    "; JAX {jax:.2} µs in this run"
                ))
            ),
        ),
    }
}
