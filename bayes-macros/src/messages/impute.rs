//! `impute`.

use super::message;

/// A statement as an example.
const EXAMPLE: &str = "write `let x = impute(x, Normal::new(mu, tau));` with the data, NaN or `None` where a value is missing, and the distribution of a value";

pub fn impute_count(given: usize) -> String {
    message(
        format!("`impute` takes two arguments, data and a distribution; got {given}"),
        EXAMPLE,
    )
}

pub fn impute_swapped(name: &str, distribution: &str, data: &str) -> String {
    message(
        "`impute` takes the data first, then their distribution",
        format!("write `let {name} = impute({data}, {distribution});`"),
    )
}

pub fn impute_discrete(distribution: &str) -> String {
    message(
        format!("`{distribution}` is discrete, and missing whole numbers have no gradient"),
        "sum missing classes and flags out, `let k = sum_out(..);`. Where nothing else uses the missing values, observe the known ones alone, \
         `if known[i] { observe(y[i], ..); }`, and draw the others after the run, `let y_new = generate(..);`",
    )
}

pub fn impute_censored() -> String {
    message(
        "cannot impute under a censored distribution: a missing value has no limit at which it was recorded",
        "leave `.censored(..)` out, or restrict the values to an interval by `.truncated(low, high)`",
    )
}

pub fn impute_random(data: &str) -> String {
    message(
        format!("`{data}` is random, and `impute` takes data"),
        "write `impute` once for each list of data, with the argument of the model",
    )
}

pub fn impute_no_argument(name: &str, data: &str) -> String {
    message(
        format!(
            "`{name}` is bound in the body, but the data of `impute` must be an argument of the model, so that missing values have the numbers of their rows"
        ),
        format!(
            "give the model `{data}` as an argument, computed before the call: `let {name} = impute({name}, ..);`"
        ),
    )
}

pub fn impute_part(part: &str) -> String {
    message(
        format!("`{part}` is a part of data, in which rows have other numbers"),
        "give the model this part as an argument of its own",
    )
}

pub fn impute_in_loop() -> String {
    message(
        "`impute` in a loop: it takes a whole list, and gives a vector of all values",
        "write it before the loop, with a distribution of one value or a parameter for each, `let x = impute(x, Normal::new(alpha + beta * &z, tau));`, and \
         `x[i]` inside. A series in which a value depends on the one before is a `StateSpace` with `.skip_missing()`, or a latent series, \
         drawn as a whole and observed where it is known",
    )
}

pub fn impute_dims() -> String {
    message(
        "`#[dims(..)]` of `impute` takes one dimension, the rows of the data",
        "write `#[dims(person)]`, where the argument `person` has a name for each value, known or missing",
    )
}
