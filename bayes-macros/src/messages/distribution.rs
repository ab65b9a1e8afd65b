//! Messages about misspelt distributions and statement words.

use super::message;

pub fn misspelt(written: &str, name: &str, call: &str) -> String {
    message(
        format!("unknown distribution `{written}`; did you mean `{name}`?"),
        format!("write `{call}`, or `self::{written}` for a distribution of your own"),
    )
}

pub fn misspelt_statement(written: &str, word: &str, arguments: &str) -> String {
    message(
        format!("unknown statement `{written}`; did you mean `{word}`?"),
        format!(
            "write `{word}({arguments})`, or `self::{written}(...)` for a function of your own"
        ),
    )
}

pub fn constructor_left_out(name: &str, call: &str) -> String {
    message(
        format!("the distribution `{name}` needs a constructor"),
        format!("write `{call}`"),
    )
}

pub fn number_of_parameters(function: &str, wanted: usize, given: usize, call: &str) -> String {
    let s = if wanted == 1 { "" } else { "s" };
    message(
        format!("`{function}` takes {wanted} parameter{s}; got {given}"),
        format!("write `{call}`"),
    )
}

pub fn unknown_constructor(name: &str, written: &str, calls: &str) -> String {
    message(
        format!("`{name}` has no constructor `{written}`"),
        format!("write `{calls}`"),
    )
}

pub fn restricted_non_centred(method: &str, other: &str) -> String {
    message(
        format!(
            "`.{method}(..)` and `.{other}(..)` do not go together: what is restricted has no form `location + scale z` with a free `z`"
        ),
        "leave `.non_centred()` out; without bounds, `.non_centred()` is right for the plain distribution and its copies by `.iid(n)`",
    )
}

pub fn no_non_centred(name: &str) -> String {
    message(
        format!("`{name}` has no location and no scale, and so no non-centred form"),
        "leave `.non_centred()` out",
    )
}
