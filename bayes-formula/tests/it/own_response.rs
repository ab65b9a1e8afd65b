//! A response among what explains it, and calls with other arguments than a function has: refused with the place and what to do.

use crate::of;
use crate::refusals::refusal;
use bayes_formula::{Family, formula};

const ROWS: &str = "y,before,x,n,c,g,t\n1.5,1.2,-0.4,3,0,a,1\n2.5,0.3,0.9,2,1,b,2\n0.5,0.8,1.7,4,0,a,3\n3.5,2.9,-1.1,5,1,b,4\n2,1.1,0.2,1,0,a,5\n1,0.4,0.6,2,0,b,6\n";

/// A response that is known from what it is given, and what reads it.
const KNOWN: &[(&str, &str)] = &[
    ("y ~ x + log(y)", "`log(y)`"),
    ("log(y) ~ x + y", "`y`"),
    ("y ~ x * I(y^2)", "`I(y^2)`"),
    ("y ~ scale(y)", "`scale(y)`"),
    ("y ~ poly(y, 2)", "`poly(y, 2)`"),
    ("y ~ factor(y)", "`factor(y)`"),
    ("y ~ s(y)", "`s(y)`"),
    ("y ~ s(x, by = y)", "`s(x, by = y)`"),
    ("y ~ t2(x, y)", "`t2(x, y)`"),
    ("y ~ gp(y)", "`gp(y)`"),
    ("y ~ mo(y)", "`mo(y)`"),
    ("y ~ offset(0.5 * y)", "`offset(0.5 * y)`"),
    ("y ~ (1 | y)", "`(1 | y)`"),
    ("y ~ (1 | g:y)", "`(1 | g:y)`"),
    ("y ~ (1 + y | g)", "`(1 + y | g)`"),
    ("y ~ x; sigma ~ s(y)", "`s(y)`"),
    ("y - before ~ before + y", "`y`"),
    ("y - before ~ I(y - before)", "`I(y - before)`"),
    ("y - before ~ s(y - before)", "`s(y - before)`"),
    ("y - before ~ I(before - y)", "`I(before - y)`"),
    ("y - before ~ I(y * before) + before", "`I(y * before)`"),
];

/// Would detect a response that is its own predictor: a regression without an error, whose evidence says nothing.
#[test]
fn a_response_that_its_terms_know_is_refused_with_the_term() {
    for (text, term) in KNOWN {
        let message = refusal(text, Family::Gaussian, ROWS);
        let wanted = format!("the response cannot be a term too, and {term} reads it");
        assert!(message.contains(&wanted), "{text}: {message}");
    }
    for text in ["y ~ y", "y ~ x; sigma ~ y"] {
        let message = refusal(text, Family::Gaussian, ROWS);
        let wanted = "the response cannot be a term too, and `y` is the response itself";
        assert!(message.contains(wanted), "{text}: {message}");
    }
    // columns that are observed together
    let rows = "a,b,c,x\n0.2,0.3,0.5,1\n0.1,0.6,0.3,2\n0.4,0.4,0.2,4\n";
    let message = refusal("cbind(a, b, c) ~ s(b)", Family::Dirichlet, rows);
    assert!(message.contains("`s(b)` reads it"), "{message}");
}

#[test]
fn a_response_does_not_change_its_own_density() {
    for text in [
        "y | weights(y) ~ x",
        "y | se(0.1 * y) ~ x",
        "y | trunc(ub = y) ~ x",
        "y | cens(y) ~ x",
        "y | cens(c, end = y) ~ x",
    ] {
        let message = refusal(text, Family::Gaussian, ROWS);
        assert!(
            message.contains("the response, which would change")
                || message.contains("is the response itself, which would change"),
            "{text}: {message}"
        );
    }
    let message = refusal("n | trials(n) ~ x", Family::Binomial, ROWS);
    assert!(
        message.contains("`n` is the response itself, which would change its own density"),
        "{message}"
    );
    let message = refusal("n | rate(n) ~ x", Family::Poisson, ROWS);
    assert!(
        message.contains("`n` is the response itself, which would change its own density"),
        "{message}"
    );
}

/// A response of several columns has a density given some of them; an interval is observed with its lower end.
#[test]
fn changes_given_earlier_values_are_regressions() {
    for text in [
        "y - before ~ before + x",
        "log(y / before) ~ log(before)",
        "y - before | weights(before) ~ x",
        "y | cens(c, y + 1) ~ x",
        "y - before ~ x; before ~ x",
        "y - before ~ before; before ~ x",
        "y - before ~ n; before ~ x; n ~ before",
        "y - before ~ x; y + before ~ x",
        "y - before ~ I((y + before) / 2)",
        "y - before ~ I(y * before)",
        "log(y / before) ~ log(y * before)",
    ] {
        let made = formula(text).and_then(|formula| formula.on(&of(ROWS)));
        assert!(
            made.is_ok(),
            "{text}: {}",
            made.err().expect("it is an error")
        );
    }
}

/// `before` follows from `y - before` and `y`: given it, `y` has no density beside that of the difference.
#[test]
fn a_response_that_others_know_together_with_it_is_refused() {
    for text in [
        "y - before ~ x; y ~ before",
        "y - before ~ x; before ~ log(y)",
        "y - before ~ x; y + before ~ before",
        "y - before ~ x; y ~ n; n ~ before",
    ] {
        let message = refusal(text, Family::Gaussian, ROWS);
        let is_told = message.contains("is given a column that is known only together with it")
            || message.contains("depend on each other in a circle");
        assert!(
            is_told && message.contains("set_rescor(TRUE)"),
            "{text}: {message}"
        );
    }
}

/// Would detect a density that counts a column twice.
#[test]
fn a_response_that_follows_from_others_is_refused() {
    for (text, wanted) in [
        (
            "y - before ~ x; y ~ x; before ~ n",
            "the response `before` follows from `y-before`, `y`",
        ),
        (
            "y - before ~ x; before - y ~ n",
            "the response `before-y` follows from `y-before`",
        ),
        (
            "n ~ x; sqrt(n) ~ x",
            "the response `sqrt(n)` follows from `n`",
        ),
    ] {
        let message = refusal(text, Family::Gaussian, ROWS);
        assert!(message.contains(wanted), "{text}: {message}");
    }
}

#[test]
fn a_coefficient_of_a_column_does_not_vary_by_this_column_alone() {
    for (text, wanted) in [
        (
            "y ~ (x | x)",
            "`x` is the same in all rows of a group of `x`",
        ),
        ("y ~ (g | g)", "write `(1 | g)`"),
        ("y ~ x; sigma ~ (log(n) | n)", "`log(n)` is the same"),
        (
            "y ~ (1 + n | n:g)",
            "`n` is the same in all rows of a group of `n:g`",
        ),
        ("y ~ (1 + n:t | n:t)", "`n:t` is the same"),
    ] {
        let message = refusal(text, Family::Gaussian, ROWS);
        assert!(message.contains(wanted), "{text}: {message}");
    }
    for text in ["y ~ (1 + n:x | n)", "y ~ (0 + n | n)", "y ~ (1 + x | n:g)"] {
        let made = formula(text).and_then(|formula| formula.on(&of(ROWS)));
        assert!(
            made.is_ok(),
            "{text}: {}",
            made.err().expect("it is an error")
        );
    }
}

/// Calls with other arguments, and parts of the message.
const CALLS: &[(&str, &[&str])] = &[
    (
        "y ~ x + ar(1)",
        &[
            "`1` is no column",
            "`ar(time, p = 1)`",
            "`time` that orders the rows",
        ],
    ),
    ("y ~ x + ar(2)", &["`ar(time, p = 2)`"]),
    ("y ~ x + ar(t, 2)", &["`2` is no column", "`ar(t, p = 2)`"]),
    (
        "y ~ x + ar()",
        &["`ar` needs the column that orders the rows"],
    ),
    (
        "y ~ x + ar(t, p = g)",
        &["`ar(time, gr = g, p = 2)`", "number `p` of residuals"],
    ),
    ("y ~ s(x, 5)", &["`s(x, k = 10)`", "number `k` of knots"]),
    ("y ~ s(x, knots = 5)", &["`s(x, k = 10)`"]),
    ("y ~ t2(x)", &["`t2(x, z, k = 5)`: two columns"]),
    ("y ~ gp(x, 60)", &["`gp(x, k = 60)`: one column"]),
    ("y ~ mo(n, c)", &["write `mo(x)`: one column of grades"]),
    ("y ~ mo(x = n)", &["write `mo(x)`"]),
    ("y ~ offset(x, 2)", &["`offset(log(days))`"]),
    ("y ~ offset(a = x)", &["`offset(x)`"]),
    ("y ~ poly(x, degree = 2)", &["`poly(x, 2)`"]),
    (
        "y ~ factor(g, \"b\")",
        &["`factor(x, base = \"level\")`", "first label, `base`"],
    ),
    (
        "y ~ log(x, base = 2)",
        &["`log` takes one argument, without a name: `log(x)`"],
    ),
    ("y ~ scale()", &["`scale` takes one argument"]),
    (
        "y | weights(a = x) ~ x",
        &["write `weights(w)`: the weight of each row"],
    ),
    (
        "y | se(x, 1) ~ x",
        &["`se(s, sigma = TRUE)`: the known standard deviation"],
    ),
    (
        "y | cens(c, x, t, n) ~ x",
        &["`cens(c, end = e)`: how each row is censored"],
    ),
    (
        "y | trunc() ~ x",
        &["`trunc(ub = upper)`: the bounds `lb` and `ub`"],
    ),
];

#[test]
fn calls_with_other_arguments_name_those_of_the_function() {
    for (text, wanted) in CALLS {
        let message = refusal(text, Family::Gaussian, ROWS);
        for part in *wanted {
            assert!(message.contains(part), "{text}: {message}");
        }
    }
}
