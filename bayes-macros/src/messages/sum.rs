//! `sum_out`.

use super::message;

pub fn sum_of_continuous(distribution: &str) -> String {
    message(
        format!("`sum_out` sums over whole numbers, and `{distribution}` has none"),
        "write `sample` for a continuous quantity",
    )
}

pub fn quantity_in_sum(word: &str, sum: &str, call: &str) -> String {
    message(
        format!(
            "`{word}` behind `sum_out`: the rest of the block runs for each value of `{sum}`, so this would be another quantity each time"
        ),
        format!(
            "write `let name = {call};` before `let {sum} = sum_out(..);`, or put the sum and its `observe` into a block of their own, `{{ .. }}`"
        ),
    )
}

pub fn assignment_in_sum(name: &str, sum: &str) -> String {
    message(
        format!(
            "`{name}` is changed behind `sum_out`: the rest of the block runs for each value of `{sum}`, from the same start each time"
        ),
        format!(
            "declare `{name}` behind `let {sum} = sum_out(..);`, or add terms by `factor(..)`. A chain, in which `{sum}` depends on the value before, is \
             `HiddenMarkov::new(start, moves, emissions, length)`"
        ),
    )
}

pub fn sum_over_rows(sum: &str) -> String {
    message(
        format!(
            "`{sum}` is one value for all rows: the rows marked `#[rows]` must be independent given the random values"
        ),
        "write `sum_out` in the loop over rows, for a value of each row, or leave the mark `#[rows]` out",
    )
}
