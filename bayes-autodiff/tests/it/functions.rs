//! Every elementary function: values and derivatives against high-precision references and against differences.

use bayes_autodiff::check::{Bivariate, Unary};
use bayes_autodiff::function::{BINARY, UNARY};
use serde_json::Value;
use std::collections::BTreeSet;

/// A row of `data/functions.json`; `data/functions.py` says how it was computed.
struct Reference {
    function: String,
    input: Vec<f64>,
    derivatives: Vec<f64>,
}

fn references() -> Vec<Reference> {
    let rows: Vec<Value> =
        serde_json::from_str(include_str!("../data/functions.json")).expect("a list of rows");
    rows.iter()
        .map(|row| Reference {
            function: row["f"]
                .as_str()
                .expect("the name of a function")
                .to_owned(),
            input: numbers(&row["x"]),
            derivatives: numbers(&row["d"]),
        })
        .collect()
}

fn numbers(list: &Value) -> Vec<f64> {
    let list = list.as_array().expect("a list of numbers");
    list.iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn unary(name: &str) -> Option<&'static Unary> {
    UNARY.iter().find(|f| f.name == name)
}

fn binary(name: &str) -> Option<&'static Bivariate> {
    BINARY.iter().find(|f| f.name == name)
}

macro_rules! methods {
    ($($arity:ident $file:ident {
        $($(#[$doc:meta])+ $function:ident $method:ident($($other:ident)?);)+
    })+) => {
        vec![$($(stringify!($method)),+),+]
    };
}

#[test]
fn functions_are_called_as_their_methods() {
    let names: Vec<&str> = UNARY
        .iter()
        .map(|f| f.name)
        .chain(BINARY.iter().map(|f| f.name))
        .collect();
    assert_eq!(names, bayes_catalogue::functions!(methods));
}

#[test]
fn every_function_has_references() {
    let listed: BTreeSet<String> = UNARY
        .iter()
        .map(|f| f.name)
        .chain(BINARY.iter().map(|f| f.name))
        .map(str::to_owned)
        .collect();
    let tested: BTreeSet<String> = references().into_iter().map(|row| row.function).collect();
    assert_eq!(listed, tested);
}

#[test]
fn differences_confirm_every_derivative() {
    let mut failures = Vec::new();
    for row in references() {
        let outcome = match (unary(&row.function), row.input.as_slice()) {
            (Some(f), [x]) => f.check(*x),
            (None, [x, y]) => binary(&row.function).unwrap().check(*x, *y),
            _ => panic!("{} takes another number of arguments", row.function),
        };
        failures.extend(outcome.err().map(|e| e.to_string()));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn values_and_derivatives_agree_with_references() {
    let mut failures = Vec::new();
    for row in references() {
        let got = match (unary(&row.function), row.input.as_slice()) {
            (Some(f), [x]) => {
                let (value, first, second) = (f.second)(*x);
                vec![value, first, second]
            }
            (None, [x, y]) => {
                let (value, first, second) = (binary(&row.function).unwrap().second)(*x, *y);
                [&[value], first.as_slice(), second.as_slice()].concat()
            }
            _ => panic!("{} takes another number of arguments", row.function),
        };
        for (order, (got, expected)) in got.iter().zip(&row.derivatives).enumerate() {
            let error = (got - expected).abs()
                / if *expected == 0.0 {
                    1.0
                } else {
                    expected.abs()
                };
            let bound = 1e-14;
            if error.is_nan() || error > bound {
                let Reference {
                    function, input, ..
                } = &row;
                failures.push(format!(
                    "{function}{input:?}, entry {order}: {got:e} is {error:.1e} off {expected:e}"
                ));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
