//! Arithmetic on the elements of a draw.

use crate::effects::grid::{nearest, wrong};
use crate::syntax::{Kind, Node};
use bayes::Error;

/// A function of a number.
type Function = fn(f64) -> f64;

const FUNCTIONS: [(&str, Function); 4] = [
    ("exp", f64::exp),
    ("log", f64::ln),
    ("sqrt", f64::sqrt),
    ("abs", f64::abs),
];

/// A function of the elements of a draw.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    Number(f64),
    /// An element by its number.
    Element(usize),
    Negative(Box<Self>),
    Binary(fn(f64, f64) -> f64, Box<[Self; 2]>),
    Call(Function, Box<Self>),
}

/// The text with names that have brackets, `b[age]`, in backquotes, as the parser of formulas reads them.
pub(super) fn marked(text: &str) -> Result<String, Error> {
    let mut found = String::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '`' => rest[1..].find('`').map_or(rest.len(), |end| end + 2),
            c if c.is_alphabetic() || c == '_' => {
                let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
                let name = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                if rest[name..].starts_with('[') {
                    let Some(end) = rest[name..].find(']') else {
                        let at = text.len() - rest.len();
                        return Err(wrong(
                            text,
                            at..text.len(),
                            "the bracket of this name does not close",
                        ));
                    };
                    let length = name + end + 1;
                    found += &format!("`{}`", &rest[..length]);
                    rest = &rest[length..];
                    continue;
                }
                name
            }
            c => c.len_utf8(),
        };
        found += &rest[..length];
        rest = &rest[length..];
    }
    Ok(found)
}

impl Expression {
    /// Looks up the names among the elements.
    pub(super) fn of(node: &Node, names: &[String], text: &str) -> Result<Self, Error> {
        let of = |node: &Node| Self::of(node, names, text).map(Box::new);
        Ok(match &node.kind {
            Kind::Number(number) => Self::Number(*number),
            Kind::Name(name) => Self::Element(element(name, names, text)?),
            Kind::Negative(inner) => Self::Negative(of(inner)?),
            Kind::Binary {
                operator,
                left,
                right,
            } => {
                let combine = operator
                    .arithmetic()
                    .map_err(|message| wrong(text, 0..0, message))?;
                Self::Binary(combine, Box::new([*of(left)?, *of(right)?]))
            }
            Kind::Call {
                function,
                arguments,
            } => {
                let known = FUNCTIONS.iter().find(|(name, _)| name == function);
                let (Some((_, function)), [argument]) = (known, arguments.as_slice()) else {
                    let known = FUNCTIONS.map(|(name, _)| name).join(", ");
                    let message = format!(
                        "`{function}` is no function of one number here; known are {known}"
                    );
                    return Err(wrong(text, 0..0, message));
                };
                Self::Call(*function, of(&argument.value)?)
            }
            Kind::Text(_) => return Err(wrong(text, 0..0, "a text is no number")),
        })
    }

    /// The value of the expression at the elements of a draw.
    pub(super) fn at(&self, draw: &[f64]) -> f64 {
        match self {
            Self::Number(number) => *number,
            Self::Element(element) => draw[*element],
            Self::Negative(inner) => -inner.at(draw),
            Self::Binary(combine, sides) => combine(sides[0].at(draw), sides[1].at(draw)),
            Self::Call(function, inner) => function(inner.at(draw)),
        }
    }
}

/// The number of an element, by its name or by a coefficient's name without `b[..]`.
fn element(name: &str, names: &[String], text: &str) -> Result<usize, Error> {
    let find = |wanted: &str| names.iter().position(|known| known == wanted);
    if let Some(found) = find(name).or_else(|| find(&format!("b[{name}]"))) {
        return Ok(found);
    }
    let part = format!("{name}[");
    let parts: Vec<&str> = names
        .iter()
        .filter(|known| known.starts_with(&part))
        .map(String::as_str)
        .collect();
    let message = match parts.as_slice() {
        [] => {
            let known: Vec<&str> = names
                .iter()
                .map(String::as_str)
                .filter(|known| !known.starts_with("z[") && !known.starts_with("l["))
                .collect();
            format!("the run has no quantity `{name}`{}", nearest(name, &known))
        }
        parts => format!(
            "`{name}` has several elements; name one of {}",
            parts.join(", ")
        ),
    };
    let at = text.find(name).map_or(0..0, |from| from..from + name.len());
    Err(wrong(text, at, message))
}
