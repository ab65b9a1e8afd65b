//! The functions of formulas with their arguments: what messages say of a call with others.

/// A function, the ways to call it, and what its arguments are.
struct Signature {
    function: &'static str,
    forms: &'static [&'static str],
    arguments: &'static str,
}

/// All functions besides those of numbers, which take one argument.
const SIGNATURES: &[Signature] = &[
    Signature {
        function: "s",
        forms: &["s(x)", "s(x, k = 10)", "s(x, by = z)"],
        arguments: "one column, the number `k` of knots, and the column `by` of a multiplier or of labels with a curve each",
    },
    Signature {
        function: "t2",
        forms: &["t2(x, z)", "t2(x, z, k = 5)"],
        arguments: "two columns, and the number `k` of knots of each",
    },
    Signature {
        function: "gp",
        forms: &["gp(x)", "gp(x, k = 60)"],
        arguments: "one column, and the number `k` of functions",
    },
    Signature {
        function: "mo",
        forms: &["mo(x)"],
        arguments: "one column of grades",
    },
    Signature {
        function: "ar",
        forms: &["ar(time)", "ar(time, gr = g)", "ar(time, gr = g, p = 2)"],
        arguments: "the column `time` that orders the rows, that of the series, `gr`, and the number `p` of residuals before a row that it depends on",
    },
    Signature {
        function: "offset",
        forms: &["offset(x)", "offset(log(days))"],
        arguments: "one column, or a function of columns",
    },
    Signature {
        function: "factor",
        forms: &[
            "factor(x)",
            "factor(x, base = \"level\")",
            "factor(x, contrasts = \"sum\")",
        ],
        arguments: "one column, and either its first label, `base`, or its contrasts by name, `treatment`, `sum` or `helmert`, but not both; contrasts take no label",
    },
    Signature {
        function: "days",
        forms: &["days(date)"],
        arguments: "a column of dates such as 2024-03-01; its numbers are the days since the first of them",
    },
    Signature {
        function: "ordered",
        forms: &["ordered(x)", "ordered(x, \"low\", \"middle\", \"high\")"],
        arguments: "one column, and its labels from the lowest to the highest unless they are numbers or the table has their order",
    },
    Signature {
        function: "poly",
        forms: &["poly(x, degree)", "poly(x, 2)"],
        arguments: "numbers, and a degree from 1 to 20",
    },
    Signature {
        function: "trials",
        forms: &["trials(n)"],
        arguments: "the number of trials of each row",
    },
    Signature {
        function: "weights",
        forms: &["weights(w)"],
        arguments: "the weight of each row",
    },
    Signature {
        function: "se",
        forms: &["se(s)", "se(s, sigma = TRUE)"],
        arguments: "the known standard deviation of each row, and whether `sigma` is added to it",
    },
    Signature {
        function: "rate",
        forms: &["rate(t)"],
        arguments: "the exposure of each row",
    },
    Signature {
        function: "cens",
        forms: &["cens(c)", "cens(c, upper)", "cens(c, end = e)"],
        arguments: "how each row is censored, the upper ends of intervals, `y2`, and where the observation of each row ended, `end`",
    },
    Signature {
        function: "trunc",
        forms: &["trunc(lower, upper)", "trunc(ub = upper)"],
        arguments: "the bounds `lb` and `ub` within which rows are observed",
    },
];

/// How to call a function: ``write `gp(x)` or `gp(x, k = 60)`: one column, and the number `k` of functions``.
pub(crate) fn usage(function: &str) -> String {
    let known = SIGNATURES.iter().find(|known| known.function == function);
    let Some(Signature {
        forms, arguments, ..
    }) = known
    else {
        return format!("`{function}` takes one argument, without a name: `{function}(x)`");
    };
    let forms: Vec<String> = forms.iter().map(|form| format!("`{form}`")).collect();
    let forms = match forms.as_slice() {
        [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
        _ => forms.concat(),
    };
    format!("write {forms}: {arguments}")
}

#[cfg(test)]
mod tests {
    use super::{SIGNATURES, usage};
    use crate::formula;

    const ADDITIONS: [&str; 6] = ["trials", "weights", "se", "rate", "cens", "trunc"];

    #[test]
    fn forms_can_be_read_and_are_of_their_function() {
        for signature in SIGNATURES {
            for form in signature.forms {
                assert!(
                    form.starts_with(&format!("{}(", signature.function)),
                    "{form}"
                );
                let written = match ADDITIONS.contains(&signature.function) {
                    true => format!("y | {form} ~ 1"),
                    false => format!("y ~ {form}"),
                };
                formula(&written).unwrap_or_else(|error| panic!("{form}: {error}"));
            }
            let said = usage(signature.function);
            assert!(said.contains(signature.forms[0]), "{said}");
        }
        assert!(usage("log").contains("`log(x)`"));
    }
}
