//! Random values where only data may stand.

use super::message;

pub fn random_condition(word: &str, condition: &str, select: Option<&str>) -> String {
    message(
        format!("`{word}` on a random value: `{condition}` differs from particle to particle"),
        select.map_or_else(|| CHOOSE.to_owned(), |select| format!("write `{select}`")),
    )
}

pub fn random_while(condition: &str) -> String {
    message(
        format!("`while` on a random value: `{condition}` differs from particle to particle"),
        "loop a fixed number of times: `for _ in 0..20 { ... }`",
    )
}

pub fn random_comparison(comparison: &str) -> String {
    message(
        format!("a random value is compared: `{comparison}` differs from particle to particle"),
        CHOOSE,
    )
}

/// How to choose between two values without a branch.
const CHOOSE: &str = "write `Real::select(a.lt(b), yes, no)` for `if a < b { yes } else { no }`, or use `max`, `min`, `abs`";

pub fn random_match(value: &str) -> String {
    message(
        format!("`match` on a random value: `{value}` differs from particle to particle"),
        "sum the cases out: `observe(y, Mixture::new(weights, components))`",
    )
}

pub fn random_index(index: &str, data: &str) -> String {
    message(
        format!("`{index}` is random and cannot be an index of `{data}`"),
        "index by data, or sum the cases out: `observe(y, Mixture::new(weights, components))`",
    )
}

pub fn random_turns(bound: &str) -> String {
    message(
        format!("the number of turns of this loop is random: `{bound}`"),
        "loop over data, for example `for j in 0..y.len()`",
    )
}
