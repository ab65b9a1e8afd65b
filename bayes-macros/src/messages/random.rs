//! Messages about random values where only data are allowed.

use super::message;

pub fn random_condition(word: &str, condition: &str, select: Option<&str>) -> String {
    message(
        format!(
            "`{word}` cannot depend on a random value: `{condition}` differs from particle to particle"
        ),
        match select {
            Some(select) => format!("write `{select}`; {JUMP}"),
            None => format!("{CHOOSE}; {JUMP}"),
        },
    )
}

pub fn random_while(condition: &str) -> String {
    message(
        format!(
            "`while` cannot depend on a random value: `{condition}` differs from particle to particle"
        ),
        "loop a fixed number of times: `for _ in 0..20 { ... }`",
    )
}

pub fn random_comparison(comparison: &str) -> String {
    message(
        format!(
            "a random value cannot be compared: `{comparison}` differs from particle to particle"
        ),
        format!("{CHOOSE}; {JUMP}"),
    )
}

/// How to choose between two values without a branch.
const CHOOSE: &str = "write `Real::select(a.lt(b), yes, no)` for `if a < b { yes } else { no }`, or use `max`, `min`, `abs`";
/// The drawback of such a choice.
const JUMP: &str = "if the two values differ at the threshold, the density jumps there and gradients do not see it: sum a \
                    latent class out with `sum_out`, use a smooth threshold (`logistic`), or use the kernel \
                    `RandomWalk::new()`";

pub fn random_match(value: &str) -> String {
    message(
        format!(
            "`match` cannot depend on a random value: `{value}` differs from particle to particle"
        ),
        "sum the cases out: `let k = sum_out(Categorical::new(&weights));`, after which `k` is a plain number",
    )
}

pub fn random_index(index: &str, data: &str) -> String {
    message(
        format!("`{index}` is random and cannot be an index of `{data}`"),
        "index by data, or sum the cases out: `let k = sum_out(Categorical::new(&weights));`, after which `k` is a plain number",
    )
}

pub fn random_into_number(name: &str, value: &str, number: &str) -> String {
    let whole = number.chars().all(|c| c.is_ascii_digit() || c == '-');
    let point = if whole { ".0" } else { "" };
    message(
        format!("`{value}` is random, but `{name}` is a plain number"),
        format!("declare it as `let mut {name}: Real = Real::from({number}{point});`"),
    )
}

pub fn whole_number(literal: &str, number: &str) -> String {
    message(
        format!("`{literal}` is a whole number, and random values calculate with `f64`"),
        format!("write `{number}.0`"),
    )
}

pub fn whole_value(value: &str, converted: &str) -> String {
    message(
        format!("`{value}` is a whole number, and random values calculate with `f64`"),
        format!("write `{converted}`"),
    )
}

pub fn sum_without_type(method: &str, iterated: &str) -> String {
    message(
        format!("the type of this `{method}` of random values is not known"),
        format!("write `{iterated}.{method}::<Real>()`"),
    )
}

pub fn named_elsewhere(name: &str, here: &str, receiver: &str) -> String {
    message(
        format!("a random value has no `{name}`"),
        format!("write `{receiver}.{here}()`"),
    )
}

pub fn probability_of_random(name: &str, here: &str, distribution: &str, argument: &str) -> String {
    let (logarithm, plain) = (
        format!("{distribution}.{here}({argument})"),
        !name.starts_with("log_"),
    );
    message(
        format!("`{name}` takes plain numbers, but this one depends on a random value"),
        if plain {
            format!("write `{logarithm}.exp()`, or `{logarithm}` for its logarithm")
        } else {
            format!("write `{logarithm}`")
        },
    )
}

pub fn plain_value() -> String {
    message(
        "`primal` cannot be used on a random value: operations are recorded once for all particles, and it reads the value of one",
        "compute with the random value itself, choose with `Real::select(a.lt(b), yes, no)`, or keep it in the \
         output of the model with `let name = deterministic(value);`",
    )
}

pub fn helper(name: impl std::fmt::Display, ty: &str) -> String {
    message(
        format!(
            "a function inside a model must be generic over the mode: `{ty}` alone is not defined there"
        ),
        format!("write `#[function]` above it, or a closure: `let {name} = |a: Real| ...;`"),
    )
}

pub fn random_turns(bound: &str) -> String {
    message(
        format!("the number of iterations of this loop is random: `{bound}`"),
        "loop over data, for example `for j in 0..y.len()`",
    )
}

pub fn function_is_method(written: &str, here: &str, own: Option<&str>) -> String {
    message(
        format!("`{written}` is no function of random values: it is a method here"),
        match own {
            Some(own) => format!("write `{here}`, or `{own}` for a function of your own"),
            None => format!("write `{here}`"),
        },
    )
}

pub fn list_index(index: &str, gathered: &str, element: &str) -> String {
    message(
        format!("`{index}` is a list, and an index is one place"),
        format!("write `{gathered}` for the elements at these places, or `{element}` in a loop"),
    )
}

pub fn moved(name: &str) -> String {
    message(
        format!("`{name}` is moved here and used again"),
        format!("write `&{name}` here"),
    )
}
