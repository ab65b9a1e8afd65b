//! `sum_out`.

use super::message;

pub fn sum_of_continuous(distribution: &str) -> String {
    message(
        format!("`sum_out` sums over whole numbers, and `{distribution}` has none"),
        "write `sample` for a continuous quantity",
    )
}

pub fn sum_of_several(distribution: &str) -> String {
    message(
        "`sum_out` sums over the values of one quantity, and `.iid(..)` has several",
        format!("write `let k = sum_out({distribution});` in a loop, `for i in 0..n {{ .. }}`"),
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

/// The same if the quantity is computed from the value.
pub fn quantity_of_value(word: &str, sum: &str) -> String {
    message(
        format!(
            "`{word}` behind `sum_out`: the rest of the block runs for each value of `{sum}`, so this would be another quantity each time"
        ),
        format!(
            "`{sum}` is drawn after the run: `run.predict(&model)?.draws(\"{sum}\")`; compute from these draws what depends on it"
        ),
    )
}

pub fn sum_over_rows(sum: &str, marked: &str) -> String {
    message(
        format!(
            "`{sum}` is shared by several rows: the rows marked `#[rows]` must be independent given the random values"
        ),
        format!(
            "write `sum_out` in a loop over rows, `for i in 0..{marked}.len()`, for a value of each row, or leave the mark `#[rows]` out"
        ),
    )
}

pub fn binding_of_sum(sum: &str, ty: Option<&str>) -> String {
    message(
        match ty {
            Some(ty) => format!("`{sum}` is a `usize` behind `sum_out`, and not a `{ty}`"),
            None => format!("`{sum}` is the same in the rest of its block, and cannot be `mut`"),
        },
        format!(
            "write `let {sum} = sum_out(..);`, and `{sum} as f64` or a variable of its own where another is needed"
        ),
    )
}

pub fn attribute_of_sum() -> String {
    message(
        "the statement `sum_out` takes no attribute but `#[dims(..)]`",
        "leave it out",
    )
}

pub fn value_of_sum(value: &str, sum: &str) -> String {
    message(
        format!(
            "`{value}` is the value of a block with `sum_out`: it would have one for each value of `{sum}`"
        ),
        "end the block with a statement, and add terms by `observe(..)` or `factor(..)`",
    )
}

pub fn after_sum(sum: &str) -> String {
    message(
        format!("`{sum}` has a value in the block of its `sum_out` alone, and that block is over"),
        format!(
            "move what depends on `{sum}` into that block; its values are drawn after the run: `run.predict(&model)?.draws(\"{sum}\")`"
        ),
    )
}

pub fn sum_as_condition(word: &str, sum: &str) -> String {
    message(
        format!(
            "`{sum}` is a whole number (`usize`) behind `sum_out`, and `{word}` takes a condition"
        ),
        format!("write `{word} {sum} == 1`"),
    )
}
