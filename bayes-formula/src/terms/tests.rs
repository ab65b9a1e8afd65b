//! Formulas in words.

use super::{Terms, read};

/// The terms in words, with group terms in brackets.
fn said(text: &str) -> String {
    let columns = ["y", "a", "b", "c"].map(str::to_owned);
    let formula = match read(text, Some(&columns)) {
        Ok(formulas) => formulas.first().clone(),
        Err(error) => return error.message,
    };
    let words = |terms: &Terms| {
        let product = |product: &Vec<usize>| {
            let names = product.iter().map(|k| terms.factors[*k].to_string());
            names.collect::<Vec<_>>().join(":")
        };
        let intercept = if terms.intercept { "1" } else { "0" };
        let products = terms.products.iter().map(product);
        std::iter::once(intercept.to_owned())
            .chain(products)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut said = words(&formula.predictor.terms);
    for group in &formula.predictor.groups {
        let bar = if group.correlated { "|" } else { "||" };
        said += &format!(" ({} {bar} {})", words(&group.terms), group.name());
    }
    said
}

#[test]
fn terms_expand_as_in_r() {
    let cases = [
        ("y ~ a", "1 a"),
        ("y ~ 0 + a", "0 a"),
        ("y ~ a - 1", "0 a"),
        ("y ~ 1", "1"),
        ("y ~ a * b", "1 a b a:b"),
        ("y ~ b:a + a", "1 a b:a"),
        ("y ~ (a + b + c)^2", "1 a b c a:b a:c b:c"),
        ("y ~ a * b * c - a:b:c", "1 a b c a:b a:c b:c"),
        ("y ~ a + c + (b - c)", "1 a c b"),
        ("log(y) ~ .", "1 a b c"),
        ("y | trials(a) ~ .", "1 b c"),
        ("y | weights(a) + cens(b, c) ~ .", "1"),
        ("y ~ .^2 - a:b", "1 a b c a:c b:c"),
        ("y ~ (1 | (a + b)/c)", "1 (1 | a) (1 | b) (1 | a:b:c)"),
        ("y ~ a / b", "1 a a:b"),
        ("y ~ .", "1 a b c"),
        ("y ~ . - b", "1 a c"),
        ("y ~ log(a) + I(a^2)", "1 log(a) I(a^2)"),
        ("y ~ a + (1 + a | b)", "1 a (1 a | b)"),
        ("y ~ (0 + a || b:c)", "1 (0 a || b:c)"),
        ("y ~ (1 | a/b)", "1 (1 | a) (1 | a:b)"),
        ("y ~ (a | b + c)", "1 (1 a | b) (1 a | c)"),
        ("y ~ a + offset(log(b))", "1 a"),
    ];
    for (text, wanted) in cases {
        assert_eq!(said(text), wanted, "{text}");
    }
}

#[test]
fn what_is_no_formula_is_refused() {
    let cases = [
        ("a + b", "a formula is a response, `~` and terms: `y ~ x`"),
        (
            "y ~ a^2",
            "`a^2` is `a` itself; for the power of a column write `I(a^2)`",
        ),
        (
            "y ~ 2 + a",
            "this is no term; arithmetic stands in `I(..)`: `y ~ I(2 * x)`",
        ),
        ("y ~ a - b", "this is not there to be removed"),
        (
            "y ~ (. | b)",
            "name the columns whose coefficients vary; `.` has no meaning here",
        ),
        (
            "y ~ a:(1 | b)",
            "a group is a term by itself, in brackets: `x + (1 | group)`",
        ),
        (
            "y ~ (1 || p | b)",
            "between two bars stands the id of correlated terms: `(1 | p | group)`",
        ),
        (
            "y ~ (1 | 2 | b)",
            "between two bars stands the id of correlated terms: `(1 | p | group)`",
        ),
        ("y ~ (0 | b)", "a group needs a coefficient: `(1 | group)`"),
        (
            "y ~ (1 | log(b))",
            "the groups behind `|` are a column, `a:b`, `a/b` or `a + b`",
        ),
        (
            "y | weight(a) ~ b",
            "behind the response there are trials, weights, se, rate, cens, trunc, with `+` between them: `successes | trials(n) + weights(w) ~ x`; did you mean `weights`?",
        ),
        ("y ~ (a + b)^a", "the exponent of terms is a number"),
        ("y ~ a - offset(b)", "an offset is added, and not removed"),
    ];
    for (text, message) in cases {
        assert_eq!(said(text), message, "{text}");
    }
}
