//! Formulas, data and priors that are wrong: the message names the place and the remedy.

use crate::of;
use bayes::prelude::*;
use bayes_formula::{Family, Prior, formula};

const ROWS: &str = "y,x,w,c,k,g,h,n,one,half\n1.5,1,2,0,1,a,p,3,1,0.5\n2.5,2,4,1,0,b,p,4,1,0.2\n0.5,3,6,2,1,a,p,5,1,0.9\n3.5,5,10,3,0,b,p,2,1,0.4\n";

/// The error message of a formula with a family on the table.
fn message(text: &str, family: Family) -> String {
    refusal(text, family, ROWS)
}

/// The error message of a formula with a family on a table of these rows.
pub fn refusal(text: &str, family: Family, rows: &str) -> String {
    let made = formula(text).and_then(|formula| formula.family(family).on(&of(rows)));
    let error = made.err().unwrap_or_else(|| panic!("`{text}` is accepted"));
    error.to_string()
}

/// Formulas with a part of the expected message.
const UNFIT: &[(&str, &str)] = &[
    ("y ~ xx", "the table has no column `xx`; did you mean `x`?"),
    (
        "y ~ x + nothing",
        "the table has no column `nothing`; the table has y, x, w, c, k, g, h, n, one, half",
    ),
    ("z ~ x", "the table has no column `z`; the table has y"),
    (
        "y ~ x + (1 | gg)",
        "the table has no column `gg`; did you mean `g`?",
    ),
    ("g ~ x", "`g` holds texts, where numbers are needed"),
    ("y ~ log(g)", "`g` holds texts, where numbers are needed"),
    (
        "y ~ log(c)",
        "it is -inf in row 1; leave the row out, or use another function",
    ),
    (
        "y ~ sqrt(-x)",
        "it is NaN in row 1; leave the row out, or use another function",
    ),
    (
        "y ~ foo(x)",
        "there is no function `foo`; known are log, log2",
    ),
    ("y ~ ln(x)", "did you mean `log(x)`?"),
    ("y ~ sqtr(x)", "did you mean `sqrt`?"),
    (
        "y ~ mi(x)",
        "did you mean `--drop-missing`, `.drop_missing(true)`, which leave out the rows without a value",
    ),
    (
        "Surv(y, c) ~ x",
        "did you mean `time | cens(censored) ~ ..`",
    ),
    (
        "y | censored(c) ~ x",
        "did you mean `cens(c)` or `cens(c, upper)`?",
    ),
    ("y | weight(w) ~ x", "did you mean `weights`?"),
    (
        "y ~ log(x, 2)",
        "`log` takes one argument, without a name: `log(x)`",
    ),
    (
        "y ~ poly(x, 9)",
        "polynomials of degree 9 need more than 9 different values",
    ),
    (
        "y ~ poly(x, g)",
        "write `poly(x, degree)` or `poly(x, 2)`: numbers, and a degree from 1 to 20",
    ),
    (
        "y ~ scale(one)",
        "all its values are equal, so it has no scale",
    ),
    (
        "y ~ one",
        "the column `one` is the same in all rows, as the intercept is; leave it out",
    ),
    (
        "y ~ x + w",
        "the column `w` is a sum of others (x) times numbers",
    ),
    (
        "y ~ (1 | h)",
        "`h` has one level, and a group needs at least two",
    ),
    (
        "y ~ factor(g, base = \"q\")",
        "`g` has no level `q`; it has a, b",
    ),
    ("y ~ x + h", "`h` is `p` in all rows; leave it out"),
    (
        "one ~ x",
        "`one` is 1 in all rows, so there is nothing to explain",
    ),
    ("y ~ x + y", "the response cannot be a term too"),
    (
        "y ~ x + 1 + x | g",
        "write the coefficients of groups in brackets",
    ),
    (
        "y ~ (1 | g) + (1 | g)",
        "the coefficient `g:Intercept` varies in two terms; leave one out",
    ),
    ("y ~ poly(x, 2, raw = 1)", "write `poly(x, degree)`"),
    ("y ~ factor(g, h)", "write `factor(x)`, `factor(x, base"),
    ("y ~ factor(x + 1)", "`factor` takes the name of a column"),
    ("y ~ I(x:w)", "`:` is no arithmetic"),
    (
        "y | trials(n) ~ x",
        "the family gaussian has no trials; did you mean the family `binomial`?",
    ),
];

#[test]
fn formulas_that_do_not_fit_name_the_place() {
    for (text, wanted) in UNFIT {
        let message = message(text, Family::Gaussian);
        assert!(message.contains(wanted), "{text}: {message}");
    }
}

// Seen to detect: dates read as labels; and names of coefficients that only the run finds equal.
#[test]
fn dates_and_names_of_two_coefficients_are_refused_before_the_run() {
    let dates = "y,day\n1,2024-03-01\n2,2024-03-02\n4,2024-03-03\n3,2024-03-04\n";
    let error = refusal("y ~ day", Family::Gaussian, dates);
    assert!(
        error.contains("`day` holds dates; write `days(day)`"),
        "{error}"
    );
    let rows = "y,g,gb,x\n1,a,2,1\n2,b,1,2\n4,a,5,3\n3,b,1,5\n";
    let error = refusal("y ~ g + gb", Family::Gaussian, rows);
    assert!(
        error.contains("two coefficients would be called `gb`"),
        "{error}"
    );
}

// Seen to detect: each text a label with a coefficient of its own, without a word.
#[test]
fn texts_that_are_numbers_or_dates_in_another_notation_are_no_labels() {
    for (texts, wanted) in [
        (
            ["2%", "3%", "7%", "1%"],
            "`2%` in row 1, which look like percentages",
        ),
        (
            ["\"1,200\"", "\"3,000\"", "\"900,5\"", "\"1,5\""],
            "`1,200` in row 1, which look like numbers with separators",
        ),
        (
            ["free", "$5", "$7", "$1"],
            "`$5` in row 2, which look like amounts of money",
        ),
        (
            ["12:30", "9:05", "10:00", "11:00"],
            "`12:30` in row 1, which look like times of day",
        ),
        (
            ["01/02/2024", "03/02/2024", "01/03/2024", "02/03/2024"],
            "`01/02/2024` in row 1, which look like dates; write them as year, month and day",
        ),
    ] {
        let rows: Vec<String> = texts
            .iter()
            .enumerate()
            .map(|(i, x)| format!("{},{x}", i * i))
            .collect();
        let rows = format!("y,x\n{}\n", rows.join("\n"));
        let error = refusal("y ~ x", Family::Gaussian, &rows);
        assert!(
            error.contains(wanted) && error.contains("`factor(x)`"),
            "{error}"
        );
        // as they are written where that is asked for
        formula("y ~ 1 + (1 | x)")
            .and_then(|formula| formula.on(&of(&rows)))
            .expect("they are groups");
    }
}

// Seen to detect: "the same in all rows" of such columns.
#[test]
fn columns_whose_squares_no_number_holds_are_named() {
    for power in ["1e308", "1e-300"] {
        let rows = format!("y,x\n1,{power}\n2,-{power}\n4,{power}\n3,0\n2,0\n");
        let error = refusal("y ~ x", Family::Gaussian, &rows);
        assert!(
            error.contains(
                "the column `x` has values whose squares are beyond the range of numbers"
            ),
            "{error}"
        );
    }
}

#[test]
fn a_prior_of_correlations_needs_correlations_and_a_parameter_has_one_prior() {
    let made = |text: &str, priors: &[&str]| {
        let formula = priors.iter().try_fold(formula(text)?, |formula, prior| {
            formula.prior_of_text(prior)
        });
        formula?.on(&of(ROWS))
    };
    for (text, priors, wanted) in [
        (
            "y ~ x + (1 | g)",
            &["cor ~ lkj(2)"][..],
            "for effects of groups that are correlated",
        ),
        (
            "y ~ x",
            &["b ~ normal(0, 1)", "b ~ normal(0, 2)"],
            "`b` has two priors; leave one out",
        ),
        (
            "y ~ x",
            &["cor ~ lkj(2)", "cor ~ lkj(3)"],
            "`cor` has two priors; leave one out",
        ),
    ] {
        let error = made(text, priors).err().expect("it is wrong").to_string();
        assert!(error.contains(wanted), "{text}: {error}");
    }
}

// Seen to detect: the last of two priors, whichever it is.
#[test]
fn the_prior_of_a_coefficient_holds_before_the_prior_of_all() {
    let written = ["b ~ normal(0, 1)", "b[x] ~ normal(0, 9)"];
    for order in [[0, 1], [1, 0]] {
        let read = formula("y ~ x + c").expect("it is a formula");
        let read = order
            .iter()
            .try_fold(read, |formula, k| formula.prior_of_text(written[*k]));
        let fit = read
            .and_then(|formula| formula.on(&of(ROWS)))
            .expect("it fits");
        let priors = fit.priors().to_string();
        assert!(
            priors.contains("b[x]") && priors.contains("normal(0, 9)"),
            "{priors}"
        );
        assert!(priors.contains("normal(0, 1)"), "{priors}");
    }
}

#[test]
fn responses_that_do_not_fit_a_family_name_the_row() {
    let cases = [
        (
            "c ~ x",
            Family::Gamma,
            "`c` is 0 in row 1; it must hold numbers above 0, for the family gamma",
        ),
        (
            "c ~ x",
            Family::LogNormal,
            "`c` is 0 in row 1; it must hold numbers above 0",
        ),
        (
            "y ~ x",
            Family::Beta,
            "`y` is 1.5 in row 1; it must hold numbers between 0 and 1, both excluded",
        ),
        (
            "y ~ x",
            Family::Poisson,
            "`y` is 1.5 in row 1; it must hold whole numbers from 0, for the family poisson",
        ),
        (
            "c ~ x",
            Family::Bernoulli,
            "`c` is 2 in row 3; it must hold 0 and 1, or two labels",
        ),
        (
            "c ~ x",
            Family::Binomial,
            "the family binomial needs the number of trials of each row: `c | trials(n) ~ ..`",
        ),
        (
            "n | trials(c) ~ x",
            Family::Binomial,
            "`n` is 3 in row 1, which has 0 trials",
        ),
        (
            "c ~ x",
            Family::Cumulative,
            "`c` is 0 in row 1; it must hold whole numbers from 1",
        ),
        (
            "g ~ x",
            Family::Cumulative,
            "the labels of `g` have no order; number the grades from 1",
        ),
        (
            "I(-c) ~ x",
            Family::NegativeBinomial,
            "`I(-c)` is -1 in row 2; it must hold whole numbers from 0",
        ),
    ];
    for (text, family, wanted) in cases {
        let message = message(text, family);
        assert!(message.contains(wanted), "{text}: {message}");
    }
}

#[test]
fn priors_that_fit_no_parameter_are_refused() {
    let cases = [
        ("bb", Prior::normal(0.0, 1.0), "there is no parameter `bb`"),
        ("b[z]", Prior::normal(0.0, 1.0), "`b` has no `z`; it has x"),
        (
            "b[x",
            Prior::normal(0.0, 1.0),
            "the bracket of `b[x` does not close",
        ),
        ("nu", Prior::gamma(2.0, 0.1), "this regression has no `nu`"),
        (
            "sigma",
            Prior::normal(0.0, 1.0),
            "`sigma` is above 0, and normal(0, 1) is not",
        ),
        (
            "sd[h]",
            Prior::exponential(1.0),
            "`sd` has no `h`; it has g:Intercept",
        ),
    ];
    for (target, prior, wanted) in cases {
        let made = formula("y ~ x + (1 | g)")
            .and_then(|formula| formula.prior(target, prior).on(&of(ROWS)));
        let message = made.err().expect("it is refused").to_string();
        assert!(message.contains(wanted), "{target}: {message}");
    }
    let made = formula("y ~ x").and_then(|formula| formula.correlation_prior(0.0).on(&of(ROWS)));
    let message = made.err().expect("it is refused").to_string();
    assert_eq!(
        message,
        "setting `correlation_prior` is 0, must be positive and finite"
    );
    let made = formula("k ~ x").and_then(|formula| {
        formula
            .family(Family::ZeroInflatedPoisson)
            .prior("zi", Prior::exponential(1.0))
            .on(&of(ROWS))
    });
    let message = made.err().expect("it is refused").to_string();
    assert!(message.contains("`zi` lies between 0 and 1"), "{message}");
}

#[test]
fn other_tables_and_runs_are_refused() {
    let regression = formula("y ~ x + g")
        .and_then(|formula| formula.on(&of(ROWS)))
        .expect("it fits");
    let error = regression
        .of(&of("x,g\n1,c\n"))
        .err()
        .expect("a new label")
        .to_string();
    assert!(
        error.contains("`g` is `c` in this table, and was `a`, `b` where the model was fitted"),
        "{error}"
    );
    let error = regression
        .of(&of("x\n1\n"))
        .err()
        .expect("a column is missing")
        .to_string();
    assert!(error.contains("the table has no column `g`"), "{error}");
    let error = formula("y ~ x")
        .and_then(|formula| formula.on(&of("y,x\n")))
        .err()
        .expect("no rows")
        .to_string();
    assert!(error.contains("the table has no rows"), "{error}");
    #[model]
    fn other(y: f64) {
        let mu = sample(Normal::new(0.0, 1.0));
        observe(y, Normal::new(mu, 1.0));
    }
    let run = Inference::smc()
        .particles(16)
        .progress(false)
        .run(&other(0.5))
        .expect("it runs");
    let error = bayes_formula::Regression::of_run(&run, &of(ROWS))
        .err()
        .expect("no recipe")
        .to_string();
    assert!(
        error.starts_with("the run of `other` was not made by a formula"),
        "{error}"
    );
}
