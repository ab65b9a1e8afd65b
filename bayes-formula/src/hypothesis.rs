//! Hypotheses about the quantities of a run: `b[age] > 0`, `sd[site:Intercept] / sigma < 1`.

mod expression;

use crate::effects::grid::wrong;
use crate::summary::{HEADER, NAMES, Summary, summaries};
use crate::syntax::parse;
use crate::text;
use bayes::Error;
use bayes::diagnose::{Estimate, Probability, Unseen};
use bayes::prelude::*;
use expression::{Expression, Names, marked};
use serde_json::{Map, Value, json};
use std::fmt;

/// The answer of a run to a hypothesis, from [`hypothesis`].
#[derive(Clone, Debug)]
pub struct Hypothesis {
    /// The hypothesis as written.
    pub text: String,
    /// The posterior of the left side less the right side.
    pub difference: Summary,
    /// The posterior probability of the inequality with its Monte Carlo error; for `=` the probability that the left side is larger.
    pub probability: Estimate,
    /// How far the probability may be from 0 or 1 if it holds at no draw, or at all draws; otherwise `None`.
    pub unseen: Option<Unseen>,
    /// Whether the hypothesis is an inequality.
    pub is_directed: bool,
}

/// Asks a run of any model about an inequality or an equation between quantities.
///
/// Quantities are elements by their names, `b[age]` or `sigma`; `age` is short for `b[age]` if nothing else has this name. The beginning of a
/// name is enough where one element has it: `sd[site]` is `sd[site:Intercept]` of `(1 | site)`. Operators and functions are `+`, `-`, `*`, `/`, `^`, brackets, `exp`, `log`, `sqrt` and `abs`.
///
/// ```
/// # use bayes::data::Table;
/// # use bayes::prelude::*;
/// # use bayes_formula::{formula, hypothesis};
/// let table = Table::from_csv("y,x,z\n1,1,0\n2.1,2,1\n2.9,3,0\n4.2,4,1\n5,5,1\n5.8,6,0\n".as_bytes())?;
/// let run = Inference::nuts().draws(200).seed(1).progress(false).run(&formula("y ~ x + z")?.on(&table)?)?;
/// let larger = hypothesis(&run, "b[x] > 2 * b[z]")?;
/// assert!(larger.probability.mean > 0.5);
/// println!("{larger}"); // the difference, its interval, the probability and the odds
/// # Ok::<(), bayes::Error>(())
/// ```
///
/// # Errors
/// [`Error::Formula`] if the text is not a hypothesis, names a quantity that the run does not have, or gives a NaN difference at a draw.
pub fn hypothesis(run: &Run, text: &str) -> Result<Hypothesis, Error> {
    let (text_of, sign) = (marked(text)?, sign_of(text)?);
    let place = place_of(&text_of, sign).ok_or_else(|| wrong(text, 0..0, MISSING))?;
    let (left, right) = (&text_of[..place], &text_of[place + sign.len()..]);
    let names = Names::of(run);
    let side = |side: &str| Expression::of(&parse(side)?, &names, text);
    let (left, right) = (side(left)?, side(right)?);
    let draws = run.generate(run.seed, |draw, _| {
        vec![left.at(draw.values()) - right.at(draw.values())]
    })?;
    let undefined = draws.values.iter().filter(|x| x.is_nan()).count();
    if undefined > 0 {
        let all = draws.values.len();
        let message = format!(
            "it is not defined at {undefined} of {all} draws, as the logarithm of a negative number"
        );
        return Err(wrong(text, 0..text.len(), message));
    }
    let is_less = sign.starts_with('<');
    let Probability { estimate, unseen } = run.probability(|draw| {
        let difference = left.at(draw.values()) - right.at(draw.values());
        match is_less {
            true => difference < 0.0,
            false => difference > 0.0,
        }
    });
    Ok(Hypothesis {
        text: text.to_owned(),
        difference: summaries(run, &draws)?[0],
        probability: estimate,
        unseen,
        is_directed: sign != "=",
    })
}

const MISSING: &str = "a hypothesis has `>`, `<` or `=` between two sides: `b[age] > 0`";

/// The place of a sign outside of the names in backquotes.
fn place_of(marked: &str, sign: &str) -> Option<usize> {
    let mut start = 0;
    marked.split('`').enumerate().find_map(|(number, part)| {
        let is_outside = number.is_multiple_of(2);
        let found = part.find(sign).filter(|_| is_outside);
        let place = found.map(|at| start + at);
        start += part.len() + 1;
        place
    })
}

/// The sign between the sides.
fn sign_of(text: &str) -> Result<&'static str, Error> {
    let plain = marked(text)?;
    // text in backquotes is a name
    let outside: String = plain.split('`').step_by(2).collect();
    let found: Vec<&str> = ["<", ">", "="]
        .into_iter()
        .filter(|sign| outside.contains(sign))
        .collect();
    match found.as_slice() {
        ["<"] if outside.matches('<').count() == 1 => Ok("<"),
        [">"] if outside.matches('>').count() == 1 => Ok(">"),
        ["="] if outside.matches('=').count() == 1 => Ok("="),
        _ => Err(wrong(text, 0..0, MISSING)),
    }
}

impl Hypothesis {
    /// The odds of an inequality: its probability over the probability of the contrary, infinite if it holds at all draws. Under a prior
    /// with equal chances for both, the odds are the Bayes factor for the inequality.
    #[must_use]
    pub fn odds(&self) -> f64 {
        self.probability.mean / (1.0 - self.probability.mean)
    }

    /// As a JSON object: `hypothesis`, `probability`, `probability_mcse`, `odds`, and the numbers of the difference. Infinite odds are null.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let mut object: Map<String, Value> = self.difference.json();
        for (name, value) in [
            ("hypothesis", json!(self.text)),
            ("probability", json!(self.probability.mean)),
            ("probability_mcse", json!(self.probability.se)),
            ("odds", json!(self.odds())),
        ] {
            object.insert(name.to_owned(), value);
        }
        Value::Object(object)
    }

    /// A line of comma-separated values, with the columns of [`header`](Self::header).
    #[must_use]
    pub fn to_csv(&self) -> String {
        let Estimate { mean, se, .. } = self.probability;
        let name = text::field(&self.text);
        let [mean, se, odds] = [mean, se, self.odds()].map(text::ten_digits);
        format!("{name},{mean},{se},{odds}{}", self.difference.csv())
    }

    /// The header line of comma-separated values.
    #[must_use]
    pub fn header() -> String {
        format!(
            "hypothesis,probability,probability_mcse,odds,{}",
            NAMES.join(",")
        )
    }
}

/// A table of the difference, and a line with the probability.
impl fmt::Display for Hypothesis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.text)?;
        let cells = std::iter::once("left - right".to_owned()).chain(self.difference.cells());
        let header: Vec<&str> = std::iter::once("").chain(HEADER).collect();
        text::write(f, &header, &[cells.collect()], 1)?;
        let side = match self.is_directed {
            true => "",
            false => " that the left side is larger",
        };
        if self.unseen.is_some() {
            let probability = Probability {
                estimate: self.probability,
                unseen: self.unseen,
            };
            return writeln!(f, "probability{side} {probability}");
        }
        let Estimate { mean, se, .. } = self.probability;
        let (mean, error) = (
            text::number(mean, 10.0 * se.max(1e-4)),
            text::number(se, 10.0 * se),
        );
        match self.is_directed {
            true => {
                let odds = text::number(self.odds(), self.odds());
                writeln!(f, "probability {mean} (mcse {error}), odds {odds}")
            }
            false => writeln!(f, "probability{side} {mean} (mcse {error})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_stands_outside_of_names() {
        let sign = |text: &str| sign_of(text).map_err(|error| error.to_string());
        assert_eq!(sign("b[factor(a; base = 'v')u] > 0"), Ok(">"));
        assert_eq!(sign("b[x] = 2 * b[z]"), Ok("="));
        assert_eq!(sign("`a > b` < 1"), Ok("<"));
        for text in ["b[x]", "b[x] > 0 > c", "b[x] >= 0"] {
            let error = sign(text).expect_err("it has no single sign");
            assert!(error.contains("between two sides"), "{error}");
        }
    }
}
