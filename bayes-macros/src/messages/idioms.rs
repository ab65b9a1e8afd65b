//! Messages about idioms of other languages.

use super::message;

pub fn number_among_random(number: &str) -> String {
    message(
        format!(
            "`{number}` is a number, and other elements of this array are random: an array has one type"
        ),
        format!("write `Real::from({number})`"),
    )
}

pub fn power(corrected: &str) -> String {
    message("`^` is no power in Rust", format!("write `{corrected}`"))
}

pub fn row_of_data(matrix: &str, row: &str, vector: &str) -> String {
    message(
        format!("a row of the data `{matrix}` cannot be multiplied by random values"),
        format!(
            "write `let product = {matrix} * &{vector};` before the loop, one operation for all rows, and `product[{row}]` here; or \
             `{vector}.dot(&{matrix}.row({row}).transpose())`"
        ),
    )
}

pub fn range_by_value(range: &str) -> String {
    message(
        format!("`{range}` is a part of a list, which is used by reference"),
        format!("write `&{range}`"),
    )
}

pub fn number_with_range(number: &str) -> String {
    message(
        "a number cannot be combined with a part of a random vector",
        format!("write `Real::from({number})`"),
    )
}

pub fn named_parameter(corrected: &str) -> String {
    message(
        "parameters have no names in Rust: they are given in the order of the constructor",
        format!("write `{corrected}`"),
    )
}
