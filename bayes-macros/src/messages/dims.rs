//! The mark `#[dims(..)]`.

use super::message;
use std::fmt::Display;

pub fn dims_form() -> String {
    message(
        "`#[dims(..)]` takes one dimension for each of the quantity, by name",
        "write `#[dims(school)]` if an argument `school` holds the names of the places, or `#[dims(year = 1990..2020)]`",
    )
}

pub fn dims_of_no_statement() -> String {
    message(
        "`#[dims(..)]` must be on a statement with a quantity or data",
        "put it above `let theta = sample(..)`, `observe(y, ..)`, or another statement with a name",
    )
}

pub fn dims_of_no_argument(name: impl Display) -> String {
    message(
        format!("`{name}` is no argument of the model"),
        format!(
            "add `{name}: &[String]` to the arguments, or say where the places are: `#[dims({name} = ..)]`"
        ),
    )
}
