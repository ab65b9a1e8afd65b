//! Additions behind `|` of a response that are refused.

use crate::additions::ROWS;
use crate::of;
use crate::refusals::refusal;
use bayes_formula::{Family, Link, formula};

/// Formulas with a family and a part of the expected message.
const REFUSED: &[(&str, Family, &str)] = &[
    (
        "y | foo(w) ~ x",
        Family::Gaussian,
        "behind the response there are trials, weights, se, rate, cens, trunc, with `+` between them",
    ),
    (
        "y | weights(w, x) ~ x",
        Family::Gaussian,
        "write `weights(w)`",
    ),
    (
        "y | weights(w) + weights(s) ~ x",
        Family::Gaussian,
        "`weights` is there twice",
    ),
    (
        "y | weights(I(w - 1)) ~ x",
        Family::Gaussian,
        "`I(w-1)` is -0.5 in row 3; it must hold numbers from 0, for `weights`",
    ),
    (
        "y | weights(I(0 * w)) ~ x",
        Family::Gaussian,
        "are 0 in all rows",
    ),
    (
        "y | weights(ww) ~ x",
        Family::Gaussian,
        "the table has no column `ww`; did you mean `w`?",
    ),
    (
        "y | se(x) ~ 1",
        Family::Gaussian,
        "`x` is -1 in row 1; it must hold numbers above 0, for `se`",
    ),
    (
        "y | se(s, sigma = 2) ~ x",
        Family::Gaussian,
        "write `se(s)` or `se(s, sigma = TRUE)`",
    ),
    (
        "y | se(s) ~ x",
        Family::Gamma,
        "the family gamma has no `se`; gaussian and student have",
    ),
    (
        "y | rate(t) ~ x",
        Family::Gaussian,
        "the family gaussian has no `rate`; did you mean the family `poisson`?",
    ),
    (
        "k | rate(x) ~ 1",
        Family::Poisson,
        "`x` is -1 in row 1; it must hold numbers above 0, for `rate`",
    ),
    (
        "y | cens(w) ~ x",
        Family::Gaussian,
        "`w` is `0.5` in row 3; `cens` takes none, left, right and interval, or 0, -1, 1 and 2",
    ),
    (
        "y | cens(c) ~ x",
        Family::Gaussian,
        "row 4 of `c` is interval-censored and needs its upper end: `cens(c, upper)`",
    ),
    (
        "y | cens(c, s) ~ x",
        Family::Gaussian,
        "the upper end `s` is 0.4 in row 4; it must be above the lower one, 0.9",
    ),
    (
        "k | cens(c, upper) ~ x",
        Family::HurdlePoisson,
        "the family hurdle-poisson has no `cens`; gaussian, student",
    ),
    (
        "y | trunc(1) ~ x",
        Family::Gaussian,
        "`y` is 0.4 in row 1, outside of the bounds of `trunc`, 1 and inf",
    ),
    (
        "y | trunc(5, 1) ~ x",
        Family::Gaussian,
        "the bounds of `trunc` are 5 and 1 in row 1; the upper one must be above the lower one",
    ),
    (
        "k | trunc(ub = 7.5) ~ x",
        Family::Poisson,
        "they must be whole numbers, for the family poisson",
    ),
    (
        "y | trunc() ~ x",
        Family::Gaussian,
        "write `trunc(lower, upper)` or `trunc(ub = upper)`",
    ),
    (
        "k | trunc(0) ~ x",
        Family::ZeroInflatedPoisson,
        "the family zero-inflated-poisson has no `trunc`",
    ),
];

#[test]
fn rates_have_the_link_that_they_are_a_factor_by() {
    let made = formula("k | rate(t) ~ x").map(|formula| formula.family(Family::Poisson));
    let made = made.and_then(|formula| formula.link(Link::Softplus).on(&of(ROWS)));
    let error = made.err().expect("it is refused").to_string();
    assert!(
        error.contains("`rate` needs the link log, and this is softplus"),
        "{error}"
    );
}

#[test]
fn additions_that_do_not_fit_are_refused() {
    for (text, family, wanted) in REFUSED {
        let error = refusal(text, *family, ROWS);
        assert!(error.contains(wanted), "{text}: {error}");
    }
}
