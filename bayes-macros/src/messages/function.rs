//! Functions of random values.

use super::message;
use std::fmt::Display;

pub fn function_takes_no_options() -> String {
    message("`#[function]` takes no options", "write `#[function]`")
}

pub fn function_on_another_item() -> String {
    message(
        "`#[function]` must be on a function",
        "write `#[function] fn link(a: Real) -> Real { ... }`",
    )
}

pub fn function_qualifier(word: &str, name: impl Display) -> String {
    message(
        format!("a function of random values cannot be `{word}`"),
        format!("write `fn {name}(...)`"),
    )
}

pub fn function_of_data(name: impl Display) -> String {
    message(
        format!("neither the arguments nor the result of `{name}` are random"),
        "leave `#[function]` out: a function of data is an ordinary function; a random value is a `Real`, a `Vector` or a \
         `Matrix`",
    )
}

pub fn statement_in_function(word: &str) -> String {
    message(
        format!("`{word}` in a function: statements must be in the model"),
        match word {
            "observe" | "factor" | "deterministic" => format!(
                "return the value and write `{word}(...)` in the model; a function of your own of this name is \
                 `self::{word}(...)`"
            ),
            _ => format!(
                "write `let name = {word}(...);` in the model and pass `name`; a function of your own of this name is \
                 `self::{word}(...)`"
            ),
        },
    )
}
