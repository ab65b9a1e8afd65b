//! The text of a formula as a tree of names, numbers, calls and operators.

mod parser;
mod tokens;

pub(crate) use parser::parse;

use std::fmt;
use std::ops::Range;

/// A part of a formula, with its byte range.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) kind: Kind,
    pub(crate) at: Range<usize>,
}

#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number(f64),
    /// A column, or `.`.
    Name(String),
    /// In quotes.
    Text(String),
    Call {
        function: String,
        arguments: Vec<Argument>,
    },
    /// With a minus in front.
    Negative(Box<Node>),
    Binary {
        operator: Operator,
        left: Box<Node>,
        right: Box<Node>,
    },
}

/// An argument of a call, perhaps with a name.
#[derive(Clone, Debug)]
pub(crate) struct Argument {
    pub(crate) name: Option<String>,
    pub(crate) value: Node,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Semicolon,
    Tilde,
    Bar,
    DoubleBar,
    Plus,
    Minus,
    Times,
    Divide,
    Colon,
    Power,
}

impl Operator {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Semicolon => ";",
            Self::Tilde => "~",
            Self::Bar => "|",
            Self::DoubleBar => "||",
            Self::Plus => "+",
            Self::Minus => "-",
            Self::Times => "*",
            Self::Divide => "/",
            Self::Colon => ":",
            Self::Power => "^",
        }
    }

    /// The arithmetic function of two numbers, or the reason why there is none.
    pub(crate) fn arithmetic(self) -> Result<fn(f64, f64) -> f64, String> {
        Ok(match self {
            Self::Plus => |a, b| a + b,
            Self::Minus => |a, b| a - b,
            Self::Times => |a, b| a * b,
            Self::Divide => |a, b| a / b,
            Self::Power => f64::powf,
            _ => return Err(format!("`{}` is no arithmetic", self.text())),
        })
    }

    /// The precedence: larger numbers bind more tightly, as in R.
    fn strength(self) -> u8 {
        match self {
            Self::Semicolon => 1,
            Self::Tilde => 2,
            Self::Bar | Self::DoubleBar => 3,
            Self::Plus | Self::Minus => 4,
            Self::Times | Self::Divide => 5,
            Self::Colon => 6,
            Self::Power => 8,
        }
    }
}

impl Node {
    /// Adds the columns that the node reads.
    pub(crate) fn columns(&self, found: &mut Vec<String>) {
        match &self.kind {
            Kind::Name(name) => found.push(name.clone()),
            Kind::Call {
                function,
                arguments,
            } => {
                // the second name of `C(x, contr.sum)` is the name of contrasts, and the name behind `base =` is a level
                let most = match function.as_str() {
                    "factor" | "C" => 1,
                    _ => arguments.len(),
                };
                let arguments = arguments.iter().take(most);
                let columns = arguments.filter(|argument| argument.name.is_none());
                columns.for_each(|argument| argument.value.columns(found));
            }
            Kind::Negative(inner) => inner.columns(found),
            Kind::Binary { left, right, .. } => {
                left.columns(found);
                right.columns(found);
            }
            Kind::Number(_) | Kind::Text(_) => {}
        }
    }
}

impl fmt::Display for Node {
    /// The same text for all ways to write the same expression, because it names columns.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            Kind::Number(number) => write!(f, "{number}"),
            Kind::Name(name) if is_plain(name) => f.write_str(name),
            // in backquotes, so that it does not read as another formula
            Kind::Name(name) => write!(f, "`{name}`"),
            Kind::Text(text) => write!(f, "'{text}'"),
            Kind::Call {
                function,
                arguments,
            } => {
                write!(f, "{function}(")?;
                for (i, Argument { name, value }) in arguments.iter().enumerate() {
                    // not a comma, which separates the names of elements
                    f.write_str(if i > 0 { "; " } else { "" })?;
                    if let Some(name) = name {
                        write!(f, "{name} = ")?;
                    }
                    write!(f, "{value}")?;
                }
                f.write_str(")")
            }
            Kind::Negative(inner)
                if matches!(
                    inner.kind,
                    Kind::Binary {
                        operator: Operator::Power,
                        ..
                    }
                ) =>
            {
                write!(f, "-{inner}")
            }
            Kind::Negative(inner) => write!(f, "-{}", Inner(inner)),
            Kind::Binary {
                operator,
                left,
                right,
            } => {
                let operator = operator.text();
                write!(f, "{}{operator}{}", Inner(left), Inner(right))
            }
        }
    }
}

/// Whether a name needs no backquotes.
fn is_plain(name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    name.chars().all(is_part) && name.starts_with(|c: char| !c.is_ascii_digit())
}

/// Writes a node in brackets if it has an operator.
struct Inner<'a>(&'a Node);

impl fmt::Display for Inner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.kind {
            Kind::Binary { .. } | Kind::Negative(_) => write!(f, "({})", self.0),
            _ => write!(f, "{}", self.0),
        }
    }
}
