//! Elementary functions, and sums of many of them. Nothing here depends on the type of a function: a program that is recorded holds no
//! copy of this code.

use super::{Number, Tracer, bulk, depends, logarithms};
use crate::function::{Binary, Deviance, Function, LnLogistic, Square, XLnY};
use crate::lanes::LOGITS;
use crate::real::Real;
use crate::trace::bulk::{Bulk, Functions, Logits, TILE};
use crate::trace::operation::Operation;
use crate::trace::recording::with;
use rustc_hash::FxHashSet;

/// The minimum number of functions of a datum and a value for an operation of their own.
const FEWEST: usize = 4;

/// A number, or a quantity, for each index.
type At<'a, T> = &'a dyn Fn(usize) -> T;

/// A function of one argument.
pub(super) fn unary(function: &'static Operation, a: Number) -> Number {
    let value = function.at([a.value, 0.0, 0.0]);
    if a.id.is_none() {
        Number::constant(value)
    } else if function == Square::operation() {
        a.times(a)
    } else {
        logarithms::without_rounding(function, value, a)
            .unwrap_or_else(|| Number::call(value, function, &[a]))
    }
}

/// A function of two arguments.
pub(super) fn binary(function: &'static Operation, a: Number, b: Number) -> Number {
    let value = function.at([a.value, b.value, 0.0]);
    if a.id.is_none() && b.id.is_none() {
        return Number::constant(value);
    }
    if function == Deviance::operation() && a.id.is_none() && a.value == 0.0 {
        return b;
    }
    if function == XLnY::operation()
        && let Some(ln) = logarithms::known_ln(b)
    {
        return Number {
            value,
            ..a.times(ln)
        };
    }
    Number::call(value, function, &[a, b])
}

/// A function of three arguments.
pub(super) fn ternary(function: &'static Operation, of: [Number; 3]) -> Number {
    let value = function.at(of.map(|x| x.value));
    if of.iter().all(|x| x.id.is_none()) {
        return Number::constant(value);
    }
    Number::call(value, function, &of)
}

/// A function of as many arguments as it takes.
pub(super) fn any(function: &'static Operation, of: &[Number]) -> Number {
    match *of {
        [a] => unary(function, a),
        [a, b] => binary(function, a, b),
        [a, b, c] => ternary(function, [a, b, c]),
        _ => unreachable!("an operation has one to three arguments"),
    }
}

/// [`Mode::add_logit_terms`](crate::Mode::add_logit_terms).
pub(super) fn add_logits(
    sum: &mut Real<Tracer>,
    len: usize,
    outcome: At<'_, f64>,
    logit: At<'_, Real<Tracer>>,
) {
    let sign = |i| 2.0 * outcome(i) - 1.0;
    // one logarithm for each instruction
    for start in (0..len).step_by(LOGITS) {
        let tile = start..len.min(start + LOGITS);
        let logits: Vec<Real<Tracer>> = tile.clone().map(logit).collect();
        let signs: Vec<f64> = tile.map(sign).collect();
        let terms = logits.iter().zip(&signs);
        let value = terms.map(|(x, sign)| LnLogistic::value(sign * x.0.value));
        let total = value.sum();
        let term = if depends(&logits) {
            let signs = with(|r| r.numbers(&signs));
            bulk(Bulk::Logits(Logits { signs }), &logits, [total])[0]
        } else {
            Real::constant(total)
        };
        *sum += term;
    }
}

/// [`Mode::add_function_terms`](crate::Mode::add_function_terms): adds `factor function(datum(i), value(i)) + base(i)`.
pub(super) fn add_functions(
    sum: &mut Real<Tracer>,
    len: usize,
    (function, factor): (&'static Operation, f64),
    [datum, base]: [At<'_, f64>; 2],
    value: At<'_, Real<Tracer>>,
) {
    let of: Vec<Real<Tracer>> = (0..len).map(value).collect();
    // equal functions are recognised, for example with few groups and counts
    let pair = |i: usize| (of[i].0.id, datum(i).to_bits());
    let pairs: FxHashSet<_> = (0..len).map(pair).collect();
    if len < FEWEST || 2 * pairs.len() < len {
        for (i, x) in of.iter().enumerate() {
            let term = Real(binary(function, Number::constant(datum(i)), x.0));
            *sum += term * factor + base(i);
        }
        return;
    }
    for start in (0..len).step_by(TILE) {
        let tile = start..len.min(start + TILE);
        let of = &of[tile.clone()];
        let mut data: Vec<f64> = tile.clone().map(datum).collect();
        let base: f64 = tile.map(base).sum();
        let pairs = data.iter().zip(of);
        let total: f64 = pairs.map(|(d, x)| function.at([*d, x.0.value, 0.0])).sum();
        let total = base + factor * total;
        data.push(base);
        *sum += if depends(of) {
            let functions = Functions {
                function,
                factor,
                data: with(|r| r.numbers(&data)),
            };
            bulk(Bulk::Functions(functions), of, [total])[0]
        } else {
            Real::constant(total)
        };
    }
}
