//! Advice for a parameter that leaves its range.

use super::{Constraint, ParameterError};

/// Families with a parameter in a bounded range, and the same family by the logarithm or the log odds of it, which may be any number.
const UNBOUNDED: [(&str, &str); 4] = [
    ("Bernoulli", "`BernoulliLogit::new(logit)`"),
    ("Binomial", "`BinomialLogit::new(n, logit)`"),
    ("Categorical", "`CategoricalLogit::new(logits)`"),
    ("Poisson", "`PoissonLog::new(log_rate)`"),
];

/// What to write instead, if a random value moves the parameter out of its range.
#[doc(hidden)]
#[must_use]
pub fn advice(error: &ParameterError) -> String {
    let ParameterError::Value {
        distribution,
        value,
        allowed,
        ..
    } = error
    else {
        return String::new();
    };
    let is = |what: Constraint| *allowed == what.words();
    let range = if *value < 0.0 && (is(Constraint::Positive) || is(Constraint::NonNegative)) {
        "; give it a prior on positive numbers, such as `HalfNormal::new(1.0)`, make it positive with `exp`, or mend negative data in it"
    } else if is(Constraint::Probability) {
        "; give it a prior on probabilities, such as `Beta::new(1.0, 1.0)`, or make it one with `logistic`"
    } else {
        ""
    };
    let mut unbounded = UNBOUNDED
        .iter()
        .filter(|(family, _)| family == distribution);
    match unbounded.next() {
        // an exponential that overflows, alone or in a quotient of two
        Some((_, family)) if !value.is_finite() => {
            format!("; write {family} where it is computed by an exponential, which overflows")
        }
        _ => range.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    macro_rules! names {
        ($($file:ident: $name:ident $constructors:tt $domain:ident $tests:ident;)*) => {
            const NAMES: &[&str] = &[$(stringify!($name)),*];
        };
    }
    bayes_catalogue::distributions!(names);

    /// The mutation that it detects: a line of the table is left out.
    #[test]
    fn each_family_by_a_logarithm_is_advised_where_its_twin_overflows() {
        for name in NAMES {
            let twin = name.strip_suffix("Logit").or(name.strip_suffix("Log"));
            let Some(twin) = twin.filter(|twin| NAMES.contains(twin)) else {
                continue;
            };
            let error = ParameterError::Value {
                distribution: NAMES.iter().find(|n| *n == &twin).copied().unwrap_or(""),
                parameter: "p",
                index: None,
                value: f64::INFINITY,
                allowed: Constraint::NonNegative.words(),
            };
            let advice = advice(&error);
            assert!(
                advice.contains(&format!("`{name}::new(")),
                "{name}: {advice}"
            );
        }
    }
}
