//! From tokens to a tree, by operator precedence.

use super::tokens::{Token, Wrong, tokens};
use super::{Argument, Kind, Node, Operator};
use bayes::FormulaError;
use std::ops::Range;

/// A minus in front binds more tightly than a product, and less than a power.
const NEGATIVE: u8 = 7;

/// The deepest nesting of brackets and operators.
const DEEPEST: usize = 200;

/// Reads a formula, or a part of one.
///
/// # Errors
/// The mistake and its place.
pub(crate) fn parse(text: &str) -> Result<Node, FormulaError> {
    let read = || {
        let mut parser = Parser {
            tokens: tokens(text)?,
            next: 0,
            end: text.len(),
            depth: 0,
        };
        let node = parser.expression(0)?;
        match parser.peek() {
            None => Ok(node),
            Some((Token::Close, at)) => Err((at, "this bracket was never opened".to_owned())),
            Some((_, at)) => Err((at, "an operator is missing before this".to_owned())),
        }
    };
    read().map_err(|(at, message): Wrong| FormulaError {
        formula: text.to_owned(),
        at,
        message,
    })
}

struct Parser {
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    /// The length of the text in bytes.
    end: usize,
    depth: usize,
}

impl Parser {
    fn peek(&self) -> Option<(Token, Range<usize>)> {
        self.tokens.get(self.next).cloned()
    }

    fn take(&mut self) -> Option<(Token, Range<usize>)> {
        let token = self.peek();
        self.next += 1;
        token
    }

    fn is_next(&mut self, wanted: &Token) -> bool {
        let is = self.peek().is_some_and(|(token, _)| token == *wanted);
        self.next += usize::from(is);
        is
    }

    /// The byte range of the last token, for errors at the end.
    fn last(&self) -> Range<usize> {
        let last = self.tokens.last();
        last.map_or(0..self.end, |(_, at)| at.clone())
    }

    /// An expression of operators that bind more tightly than `least`.
    fn expression(&mut self, least: u8) -> Result<Node, Wrong> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err((self.last(), "there are too many brackets".to_owned()));
        }
        let mut left = self.operand()?;
        while let Some((Token::Operator(operator), at)) = self.peek() {
            let strength = operator.strength();
            if strength <= least {
                break;
            }
            self.next += 1;
            let right = if self.next < self.tokens.len() {
                // powers associate to the right
                self.expression(strength - u8::from(operator == Operator::Power))?
            } else {
                return Err((
                    at,
                    format!("something is missing after `{}`", operator.text()),
                ));
            };
            left = Node {
                at: left.at.start..right.at.end,
                kind: Kind::Binary {
                    operator,
                    left: Box::new(left),
                    right: Box::new(right),
                },
            };
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<Node, Wrong> {
        let Some((token, at)) = self.take() else {
            return Err((self.last(), "the formula ends too early".to_owned()));
        };
        let kind = match token {
            Token::Number(number) => Kind::Number(number),
            Token::Text(text) => Kind::Text(text),
            Token::Name(function) if self.is_next(&Token::Open) => {
                return self.call(function, at);
            }
            Token::Name(name) => Kind::Name(name),
            Token::Open => {
                let inner = self.expression(0)?;
                let Some((Token::Close, end)) = self.take() else {
                    return Err((at, "this bracket does not close".to_owned()));
                };
                return Ok(Node {
                    at: at.start..end.end,
                    ..inner
                });
            }
            Token::Operator(Operator::Minus) => {
                let inner = self.expression(NEGATIVE)?;
                return Ok(Node {
                    at: at.start..inner.at.end,
                    kind: Kind::Negative(Box::new(inner)),
                });
            }
            Token::Operator(Operator::Plus) => return self.expression(NEGATIVE),
            // a formula with one side
            Token::Operator(Operator::Tilde) => {
                return Err((
                    at,
                    "the response is missing before `~`: write `y ~ x`".to_owned(),
                ));
            }
            Token::Operator(operator) => {
                return Err((
                    at,
                    format!("something is missing before `{}`", operator.text()),
                ));
            }
            Token::Close => {
                return Err((at, "something is missing before this bracket".to_owned()));
            }
            Token::Comma | Token::Equals => {
                return Err((at, "this has no meaning outside of a function".to_owned()));
            }
        };
        Ok(Node { kind, at })
    }

    /// The arguments after an opening bracket.
    fn call(&mut self, function: String, at: Range<usize>) -> Result<Node, Wrong> {
        let mut arguments = Vec::new();
        let is_empty = self.peek().is_some_and(|(token, _)| token == Token::Close);
        if !is_empty {
            arguments.push(self.argument()?);
            while self.is_next(&Token::Comma) {
                arguments.push(self.argument()?);
            }
        }
        let Some((Token::Close, close)) = self.take() else {
            let message = format!("the bracket of `{function}(` does not close");
            return Err((at, message));
        };
        Ok(Node {
            kind: Kind::Call {
                function,
                arguments,
            },
            at: at.start..close.end,
        })
    }

    fn argument(&mut self) -> Result<Argument, Wrong> {
        let next = |k: usize| self.tokens.get(self.next + k).map(|(token, _)| token);
        let name = match (next(0), next(1)) {
            (Some(Token::Name(name)), Some(Token::Equals)) => Some(name.clone()),
            _ => None,
        };
        self.next += if name.is_some() { 2 } else { 0 };
        Ok(Argument {
            name,
            value: self.expression(0)?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> String {
        parse(text).map_or_else(|error| error.message, |node| node.to_string())
    }

    #[test]
    fn operators_bind_as_in_r() {
        assert_eq!(tree("y ~ a + b*c:d"), "y~(a+(b*(c:d)))");
        assert_eq!(tree("y ~ a; b ~ c | d"), "(y~a);(b~(c|d))");
        assert_eq!(tree("y ~ (1 + x | g) - z"), "y~(((1+x)|g)-z)");
        assert_eq!(tree("a - b - c"), "(a-b)-c");
        assert_eq!(tree("2^3^2"), "2^(3^2)");
        assert_eq!(tree("-x^2"), "-x^2");
        assert_eq!(tree("(-x)^2"), "(-x)^2");
        assert_eq!(tree("-1 + `a b`"), "(-1)+`a b`");
        assert_eq!(tree("-(a + b)"), "-(a+b)");
        assert_eq!(tree("poly(x, 2, raw = 1)"), "poly(x; 2; raw = 1)");
    }

    #[test]
    fn what_is_wrong_is_said() {
        let cases = [
            ("y ~", "something is missing after `~`"),
            ("~ x", "the response is missing before `~`: write `y ~ x`"),
            ("y ~ (x", "this bracket does not close"),
            ("y ~ x)", "this bracket was never opened"),
            ("y ~ log(x", "the bracket of `log(` does not close"),
            ("y ~ x z", "an operator is missing before this"),
            ("y ~ 2x", "`2x` is neither a number nor a name"),
            ("y ~ x, z", "an operator is missing before this"),
            ("y ~ 'a", "the ' does not close"),
            ("y ~ x + * z", "something is missing before `*`"),
            ("", "the formula ends too early"),
        ];
        for (text, message) in cases {
            assert_eq!(tree(text), message, "{text}");
        }
        let strange = parse("y ~ x & z").expect_err("`&` is no operator");
        assert_eq!(strange.at, 6..7);
        let deep = format!("y ~ {}x{}", "(".repeat(1000), ")".repeat(1000));
        assert_eq!(tree(&deep), "there are too many brackets");
    }
}
