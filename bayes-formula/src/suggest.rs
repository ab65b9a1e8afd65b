//! What was most likely meant by a word that a formula does not know: another program's name of it, or a slip of the pen.

use bayes::edit_distance;

/// Words of other programs, with what to write here.
type Words = &'static [(&'static str, &'static str)];

/// Of families.
pub(crate) const FAMILIES: Words = &[
    ("binary", "`bernoulli`"),
    ("coxph", "`cox`, with `time | cens(censored) ~ ..`"),
    (
        "multinom",
        "`categorical` for labels, `multinomial` for counts",
    ),
    ("softmax", "`categorical`"),
    ("nb", "`negative-binomial`"),
    ("nbinom", "`negative-binomial`"),
    ("nbinom2", "`negative-binomial`"),
    ("negbin", "`negative-binomial`"),
    ("ordered", "`cumulative`"),
    ("probit", "`bernoulli` with the link `probit`"),
    ("t", "`student`"),
    ("zinb", "`zero-inflated-negative-binomial`"),
    ("zib", "`zero-inflated-binomial`"),
    ("zip", "`zero-inflated-poisson`"),
    ("zoib", "`zero-one-inflated-beta`"),
];

/// Of what stands behind the response.
pub(crate) const ADDITIONS: Words = &[
    ("censored", "`cens(c)` or `cens(c, upper)`"),
    ("censoring", "`cens(c)` or `cens(c, upper)`"),
    ("exposure", "`rate(t)`"),
    ("sd", "`se(s)`"),
    ("size", "`trials(n)`"),
    ("stderr", "`se(s)`"),
    ("truncated", "`trunc(lower, upper)`"),
    ("truncation", "`trunc(lower, upper)`"),
];

/// What stands for residuals that depend on those before them.
const AUTOCORRELATION: &str = "`ar(time, gr = g, p = 1)`, autoregressive residuals (formulas have no others, such as moving averages)";

/// Of functions of columns, and of responses.
pub(crate) const FUNCTIONS: Words = &[
    ("arma", AUTOCORRELATION),
    ("as.factor", "`factor(x)`"),
    ("bs", "`s(x)`"),
    (
        "cbind",
        "`successes | trials(n) ~ ..` with the family `binomial`",
    ),
    ("cosy", AUTOCORRELATION),
    ("ln", "`log(x)`"),
    ("ma", AUTOCORRELATION),
    (
        "me",
        "a model in Rust, `#[model]`, whose true values are sampled (formulas have no measurement error of predictors)",
    ),
    (
        "mi",
        "`--drop-missing`, `.drop_missing(true)`, which leave out the rows without a value (formulas do not impute what is missing)",
    ),
    (
        "mvbind",
        "`mvbind(y1, y2) ~ x`, as the whole left side (`mvbind(log(y1), y2)` for a function of a response), or `cbind(a, b) ~ ..` with the family `dirichlet` or `multinomial`",
    ),
    ("ns", "`s(x)`"),
    (
        "set_rescor",
        "`mvbind(y1, y2) ~ x; set_rescor(TRUE)`, behind a semicolon",
    ),
    (
        "Surv",
        "`time | cens(censored) ~ ..`, where `censored` is 1 (or `right`) in rows whose event was not observed, with a family such as `cox` or `weibull`",
    ),
    ("te", "`t2(x, z)`"),
    ("ti", "`t2(x, z)`"),
];

/// `; did you mean ..?`, or nothing.
pub(crate) fn suggestion(word: &str, elsewhere: Words, known: &[&str]) -> String {
    let same = elsewhere
        .iter()
        .find(|(other, _)| other.eq_ignore_ascii_case(word));
    if let Some((_, here)) = same {
        return format!("; did you mean {here}?");
    }
    let letters = word.chars().count();
    let near = known
        .iter()
        .map(|name| (edit_distance(name, word), name))
        .min()
        .filter(|(distance, _)| *distance < letters.min(letters / 3 + 2));
    near.map_or_else(String::new, |(_, name)| format!("; did you mean `{name}`?"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_other_programs_and_slips_lead_to_the_words_here() {
        let known = ["cens", "trials", "weights"];
        for (word, wanted) in [
            ("censored", "; did you mean `cens(c)` or `cens(c, upper)`?"),
            ("weight", "; did you mean `weights`?"),
            ("trails", "; did you mean `trials`?"),
            ("foo", ""),
        ] {
            assert_eq!(suggestion(word, ADDITIONS, &known), wanted, "{word}");
        }
        assert!(suggestion("surv", FUNCTIONS, &known).contains("cens(censored)"));
        assert!(suggestion("arma", FUNCTIONS, &known).contains("`ar(time, gr = g, p = 1)`"));
    }
}
