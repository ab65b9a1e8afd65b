//! The attribute and the signature.

use super::message;
use std::fmt::Display;

pub fn unknown_option() -> String {
    message(
        "`#[model]` has no such option",
        "write `#[model]`; settings belong to the engine, as in `Inference::smc().particles(256)`. The only option, `#[model(forward)]`, is for \
         models that have no trace",
    )
}

pub fn not_a_function() -> String {
    message(
        "`#[model]` must be on a function",
        "write `#[model] fn name(y: &[f64]) { ... }`",
    )
}

pub fn qualifier(word: &str, name: impl Display) -> String {
    message(
        format!("a model cannot be `{word}`"),
        format!("write `fn {name}(...)`"),
    )
}

pub fn return_type() -> String {
    message(
        "a model cannot return a value",
        "remove the return type; keep a computed value with `let name = deterministic(value);`",
    )
}

pub fn mutable_data(name: &str, ty: &str) -> String {
    message(
        "data cannot be changed by a model",
        format!("write `{name}: &{ty}`"),
    )
}

pub fn mutable_argument(name: impl Display, ty: &str) -> String {
    message(
        "an argument is data and cannot be changed by a model",
        format!(
            "write `{name}: {ty}`, and copy it in the body if you need to: `let mut copy = {name}.clone();`"
        ),
    )
}

pub fn receiver(name: impl Display) -> String {
    message(
        "a model takes no `self`",
        format!("write a free function and pass the data by name: `fn {name}(data: &Data)`"),
    )
}

pub fn type_generic(name: impl Display) -> String {
    message(
        format!("a model cannot be generic over a type, here `{name}`"),
        "write the type of the data, for example `y: &[f64]`",
    )
}

pub fn pattern_argument(ty: &str) -> String {
    message(
        "an argument of a model must be a plain name",
        format!("write `data: {ty}`, and destructure it in the body: `let ... = data;`"),
    )
}

pub fn impl_trait() -> String {
    message(
        "an argument of a model must have a concrete type",
        "write the type of the data, for example `y: &[f64]`",
    )
}

pub fn variadic() -> String {
    message(
        "a model has a fixed number of arguments",
        "pass the data as a slice, for example `y: &[f64]`",
    )
}
