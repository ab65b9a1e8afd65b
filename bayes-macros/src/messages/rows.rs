//! The mark `#[rows]`.

use super::message;
use std::fmt::Display;

pub fn rows_takes_no_options() -> String {
    message("`#[rows]` takes no options", "write `#[rows]`")
}

pub fn unknown_mark(written: &str) -> String {
    message(
        format!("unknown attribute `{written}`; did you mean `rows`?"),
        "write `#[rows]` before an argument with one row per observation",
    )
}

pub fn rows_of_no_struct() -> String {
    message(
        "`#[derive(RowData)]` must be on a struct",
        "implement `RowData` by hand for other types",
    )
}

pub fn no_field_with_rows(name: impl Display) -> String {
    message(
        format!("no field of `{name}` is marked `#[rows]`"),
        "write `#[rows]` above each field with one row per observation",
    )
}

pub fn rows_by_reference() -> String {
    message(
        "a field with rows must own its data, because `#[derive(RowData)]` copies rows",
        "write `Vec<f64>` for `&[f64]`, and `DMatrix<f64>` for `&DMatrix<f64>`; or pass the reference as an argument of its \
         own",
    )
}
