//! Statements: their place and their parts.

use super::message;
use std::fmt::Display;

pub fn no_sample(name: impl Display) -> String {
    message(
        format!("the model `{name}` has no random value"),
        "draw at least one: `let theta = sample(Normal::new(0.0, 1.0));`",
    )
}

pub fn no_name(word: &str, call: &str) -> String {
    message(
        format!("the value of `{word}` has no name"),
        format!("write `let name = {call};`"),
    )
}

pub fn pattern_name(word: &str, call: &str) -> String {
    message(
        format!("the value of `{word}` is bound to a pattern"),
        format!("give it one name, `let name = {call};`, and destructure it afterwards"),
    )
}

pub fn nested(word: &str, call: &str) -> String {
    message(
        format!("`{word}` inside an expression: its value has no name"),
        format!("write `let name = {call};` on a line before, and `name` here"),
    )
}

pub fn name_twice(name: &str, call: &str, word: &str) -> String {
    message(
        format!("two quantities are called `{name}`; names in the output must be unique"),
        format!("give this `{word}` a name of its own: `let {name}_2 = {call};`"),
    )
}

pub fn in_branch(word: &str, place: &str, call: &str) -> String {
    message(
        format!("`{word}` under `{place}`: a model must have the same quantities in every run"),
        format!("write `let name = {call};` before the `{place}` and use `name` inside"),
    )
}

pub fn in_repeat(word: &str, place: &str, call: &str) -> String {
    message(
        format!("`{word}` in a `{place}` loop: a model must have the same quantities in every run"),
        format!("loop over data: `for j in 0..n {{ let name = {call}; }}`"),
    )
}

pub fn in_closure(word: &str, call: &str) -> String {
    message(
        format!("`{word}` in a closure: a model must have the same quantities in every run"),
        format!(
            "write a loop, `for j in 0..n {{ let name = {call}; }}`, or draw a vector with `.iid(n)`"
        ),
    )
}

pub fn hidden_in_macro(word: &str, name: &str) -> String {
    message(
        format!("`{word}` inside `{name}!`: `#[model]` cannot see into other macros"),
        match word {
            "observe" | "factor" => format!("write `{word}(...);` as a statement of its own"),
            _ => format!("write `let name = {word}(...);` before, and `name` here"),
        },
    )
}

pub fn early_return() -> String {
    message(
        "`return` in a model: the statements after it would be missing from some runs",
        "put the `observe` statements that depend on the condition under `if` or `else`",
    )
}

pub fn question_mark() -> String {
    message(
        "`?` in a model: a model cannot return an error",
        "do what can fail before calling the model, and pass the result as an argument",
    )
}

pub fn after_loop(name: &str, vector: &str) -> String {
    message(
        format!("`{name}` is one quantity of each iteration, and its loop is over"),
        format!(
            "for a vector that is used later, draw it before the loop, `{vector}`, and write `{name}[i]` inside"
        ),
    )
}

pub fn own_value(name: &str, statement: &str) -> String {
    let previous = format!("previous_{name}");
    message(
        format!(
            "`{name}` has no value yet: each iteration draws its own, and does not see the one before"
        ),
        format!(
            "carry the last value in a variable of its own: before the loop `let mut {previous} = ..;` with a first value, in it `{statement}` with \
             `{previous}` in the place of `{name}`, and then `{previous} = {name};`"
        ),
    )
}

pub fn leaves_loop(word: &str) -> String {
    message(
        format!(
            "`{word}` in a loop with `sample`: a model must have the same quantities in every run"
        ),
        "draw in every iteration, and put the `observe` that depends on the condition under `if`",
    )
}

pub fn observe_without_data(distribution: &str) -> String {
    message(
        "`observe` takes data and a distribution; the data are missing",
        format!("write `observe(y, {distribution})`"),
    )
}

pub fn observe_without_distribution(data: &str) -> String {
    message(
        "`observe` takes data and a distribution; the distribution is missing",
        format!("write `observe({data}, Normal::new(mu, sigma))`"),
    )
}

pub fn observe_count(given: usize) -> String {
    message(
        format!("`observe` takes two arguments, data and a distribution; got {given}"),
        "write `observe(y, Normal::new(mu, sigma))`",
    )
}

pub fn swapped(distribution: &str, data: &str) -> String {
    message(
        "`observe` takes the data first, then their distribution",
        format!("write `observe({data}, {distribution})`"),
    )
}

pub fn sample_two(word: &str, distribution: &str, size: &str) -> String {
    message(
        format!("`{word}` takes one argument, a distribution; got 2"),
        format!("for a vector of independent values write `{word}({distribution}.iid({size}))`"),
    )
}

pub fn sample_censored() -> String {
    message(
        "cannot sample from a censored distribution: censoring applies to data",
        "to restrict a random value write `.truncated(low, high)`; for censored data use `observe`",
    )
}

pub fn within_of_data(word: &str) -> String {
    message(
        format!(
            "`.within(..)` is for the priors of `sample`, and `{word}` needs a density that is normalised"
        ),
        "write `.truncated(low, high)`",
    )
}

pub fn one_argument(word: &str, given: usize) -> String {
    let example = match word {
        "deterministic" => "let ratio = deterministic(a / b);",
        "factor" => "factor(-0.5 * mu * mu);",
        "generate" => "let y_new = generate(Normal::new(mu, sigma));",
        "param" => "let psi = param(Normal::new(0.0, 0.1));",
        _ => "let mu = sample(Normal::new(0.0, 1.0));",
    };
    message(
        format!("`{word}` takes one argument; got {given}"),
        format!("write `{example}`"),
    )
}

pub fn discrete_param(start: &str) -> String {
    message(
        format!("`{start}` is discrete, but a param is learnt by its gradient"),
        "start it from a continuous distribution, `let psi = param(Normal::new(0.0, 0.1));`",
    )
}

pub fn generated_data(name: &str, call: &str) -> String {
    message(
        format!("`{name}` is data, and predictions of both would have one name"),
        format!("give the new value a name of its own: `let {name}_new = {call};`"),
    )
}

pub fn generated_observed(name: &str) -> String {
    message(
        format!("`{name}` is observed too, and predictions of both would have one name"),
        format!("give the new value a name of its own, such as `{name}_new`"),
    )
}

pub fn uses_generated(word: &str, name: &str) -> String {
    message(
        format!("`{name}` is drawn after the run: `{word}` cannot use it"),
        "use it in `generate` alone, or compute with the draws that `run.predict(&model)?` gives",
    )
}

pub fn observed_param(data: &str) -> String {
    message(
        format!("`{data}` is a param and cannot be observed: `observe` takes data"),
        format!(
            "observe data under a distribution that depends on it: `observe(y, Normal::new({data}, 1.0))`"
        ),
    )
}

pub fn observed_random(data: &str) -> String {
    message(
        format!("`{data}` is random and cannot be observed: `observe` takes data"),
        format!(
            "observe data under a distribution that depends on it: `observe(y, Normal::new({data}, 1.0))`; if it is a residual \
             `y - mean`, write `observe(y, Normal::new(mean, 1.0))`"
        ),
    )
}

pub fn observed_residual(residual: &str, data: &str, mean: &str) -> String {
    message(
        format!("`{residual}` is random and cannot be observed: `observe` takes data"),
        format!(
            "observe the data, with the rest as their mean: `observe({data}, Normal::new({mean}, 1.0))`"
        ),
    )
}

pub fn no_model_of_a_program() -> String {
    message(
        "a program needs the call of a model, as a closure of the table of its data",
        "write `bayes::main!(|data| line(&data.reals(\"x\")?, &data.reals(\"y\")?))`, with statements before the call \
         `|data| { let x = data.reals(\"x\")?; line(&x) }`, and `bayes::main!(funnel(10))` for a model without data",
    )
}

pub fn block_without_a_model() -> String {
    message(
        "the block of a program ends with the model, and this is no value",
        "end it with the call of the model, without a semicolon: `{ let x = data.reals(\"x\")?; line(&x) }`",
    )
}

pub fn no_model_of_a_module() -> String {
    message(
        "a module of Python needs a model",
        "name functions with `#[model]`: `bayes::python!(schools, radon);`",
    )
}
