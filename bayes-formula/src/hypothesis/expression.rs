//! Arithmetic on the elements of a draw.

use crate::effects::grid::{nearest, wrong};
use crate::syntax::{Kind, Node};
use bayes::Error;
use bayes::model::TermScale;
use bayes::prelude::*;

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

/// Stands for a backquote within a name, as in the name of a spline of the column `my column`, while the name is in backquotes itself.
const INNER: &str = "\u{1}";

/// The place of the bracket that closes the first character, a bracket. Labels may have brackets: `b[a [kg]]`.
fn closing(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    text.char_indices().find_map(|(at, c)| {
        match c {
            '[' => depth += 1,
            ']' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    })
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
                    let Some(end) = closing(&rest[name..]) else {
                        let at = text.len() - rest.len();
                        return Err(wrong(
                            text,
                            at..text.len(),
                            "the bracket of this name does not close",
                        ));
                    };
                    let length = name + end + 1;
                    let name = rest[..length].replace('`', INNER);
                    found += &format!("`{name}`");
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
    pub(super) fn of(node: &Node, names: &Names, text: &str) -> Result<Self, Error> {
        let of = |node: &Node| Self::of(node, names, text).map(Box::new);
        Ok(match &node.kind {
            Kind::Number(number) => Self::Number(*number),
            Kind::Name(name) => Self::Element(names.element(&name.replace(INNER, "`"), text)?),
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

/// The most elements that a message names.
const NAMED: usize = 8;

/// The names of the elements of a run.
pub(super) struct Names {
    elements: Vec<String>,
    /// Whether a summary shows each element. Others can be named, but are not proposed.
    is_shown: Vec<bool>,
    /// The scales of the terms of a formula.
    scales: Vec<TermScale>,
}

impl Names {
    pub(super) fn of(run: &Run) -> Self {
        let recipe = run.recipe.as_ref();
        let elements = run.layout.element_names();
        Self {
            is_shown: elements.iter().map(|name| !run.hides(name)).collect(),
            elements,
            scales: recipe.map_or_else(Vec::new, |recipe| recipe.scales.clone()),
        }
    }

    fn find(&self, name: &str) -> Option<usize> {
        self.elements.iter().position(|known| known == name)
    }

    /// The elements that a summary shows, with their numbers.
    fn shown(&self) -> impl Iterator<Item = (usize, &str)> {
        let all = self.elements.iter().map(String::as_str).enumerate();
        all.filter(|(element, _)| self.is_shown[*element])
    }

    /// The elements of which the name is a beginning: those of a quantity, `sd`, or of some of its names, `sd[site]`.
    fn beginning(&self, name: &str) -> Vec<(usize, &str)> {
        let part = match name.strip_suffix(']') {
            Some(open) => format!("{open}:"),
            None => format!("{name}["),
        };
        let all = self.shown();
        all.filter(|(_, element)| element.starts_with(&part))
            .collect()
    }

    /// The coefficients of a column: of its labels, `b[armtrt]` of `arm`, of functions of it, `b[scale(age)]`, and of products.
    fn coefficients(&self, name: &str) -> Vec<&str> {
        let stripped = name.strip_prefix("b[").and_then(|n| n.strip_suffix(']'));
        let column = stripped.unwrap_or(name);
        let is_of = |part: &str| part.starts_with(column) || part.contains(&format!("({column}"));
        let terms = self.shown().filter_map(|(_, element)| {
            let inner = element.strip_prefix("b[")?.strip_suffix(']')?;
            inner.split(':').any(is_of).then_some(element)
        });
        terms.collect()
    }

    /// The only scale of the response's effects of the groups of a name: `sd[site]` of `(1 | site)`, also beside `sd[site:plot:Intercept]` of
    /// groups within these and beside `sd[sigma:site:Intercept]` of the spread.
    fn scale(&self, name: &str) -> Option<usize> {
        let groups = name.strip_prefix("sd[")?.strip_suffix(']')?;
        let begin = format!("sd[{groups}:");
        let is_of = |one: &&TermScale| {
            one.scale.starts_with(&begin) && grouping(&one.term) == Some(plain(groups))
        };
        let mut scales = self.scales.iter().filter(is_of);
        match (scales.next(), scales.next()) {
            (Some(only), None) => self.find(&only.scale),
            _ => None,
        }
    }

    /// The number of an element: by its name, by the name of a coefficient without `b[..]`, or by the beginning of a name that no other element
    /// has. `Intercept` is `intercept`, as priors and brms call it.
    fn element(&self, name: &str, text: &str) -> Result<usize, Error> {
        let is_intercept = name.eq_ignore_ascii_case("intercept");
        let short = match is_intercept {
            true => "intercept".to_owned(),
            false => format!("b[{name}]"),
        };
        if let Some(found) = self.find(name).or_else(|| self.find(&short)) {
            return Ok(found);
        }
        if let Some(found) = self.scale(name) {
            return Ok(found);
        }
        let message = match self.beginning(name).as_slice() {
            [(only, _)] => return Ok(*only),
            [] => {
                let known: Vec<&str> = self.shown().map(|(_, element)| element).collect();
                let (near, found) = (nearest(name, &known), self.coefficients(name));
                let hint = match found.is_empty() || near.starts_with("; did you mean") {
                    true => near,
                    false => format!("; the coefficients of this column are {}", some(&found)),
                };
                format!("the run has no quantity `{name}`{hint}")
            }
            several => {
                let several: Vec<&str> = several.iter().map(|(_, element)| *element).collect();
                format!(
                    "`{name}` has several elements; name one of {}",
                    some(&several)
                )
            }
        };
        let at = text.find(name).map_or(0..0, |from| from..from + name.len());
        Err(wrong(text, at, message))
    }
}

/// The first of some names.
fn some(names: &[&str]) -> String {
    let more = match names.len() > NAMED {
        true => ", ..",
        false => "",
    };
    format!("{}{more}", names[..names.len().min(NAMED)].join(", "))
}

/// The groups of a term, `site:plot` of `(1 | site : plot)`; `None` without any.
fn grouping(term: &str) -> Option<String> {
    term.rsplit_once('|').map(|(_, groups)| plain(groups))
}

/// The groups of a term or of a scale without what only a term has: brackets, blanks and backquotes.
fn plain(groups: &str) -> String {
    let is_part = |c: &char| !matches!(c, ')' | '`') && !c.is_whitespace();
    groups.chars().filter(is_part).collect()
}
