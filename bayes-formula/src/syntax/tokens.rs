//! The words and signs of a formula.

use super::Operator;
use std::ops::Range;

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    Number(f64),
    Name(String),
    Text(String),
    Operator(Operator),
    Open,
    Close,
    Comma,
    Equals,
}

/// A byte range and its mistake.
pub(super) type Wrong = (Range<usize>, String);

/// The tokens with their byte ranges.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, Range<usize>)>, Wrong> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        }
        let (token, length) = token(&text[start..], first, start)?;
        found.push((token, start..start + length));
        start += length;
    }
    Ok(found)
}

/// The token at the beginning of the text, and its length in bytes.
fn token(text: &str, first: char, start: usize) -> Result<(Token, usize), Wrong> {
    let one = |token| Ok((token, first.len_utf8()));
    match first {
        ';' => one(Token::Operator(Operator::Semicolon)),
        '~' => one(Token::Operator(Operator::Tilde)),
        '|' if text.starts_with("||") => Ok((Token::Operator(Operator::DoubleBar), 2)),
        '|' => one(Token::Operator(Operator::Bar)),
        '+' => one(Token::Operator(Operator::Plus)),
        '-' => one(Token::Operator(Operator::Minus)),
        '*' if text.starts_with("**") => Ok((Token::Operator(Operator::Power), 2)),
        '*' => one(Token::Operator(Operator::Times)),
        '/' => one(Token::Operator(Operator::Divide)),
        ':' => one(Token::Operator(Operator::Colon)),
        '^' => one(Token::Operator(Operator::Power)),
        '(' => one(Token::Open),
        ')' => one(Token::Close),
        ',' => one(Token::Comma),
        '=' => one(Token::Equals),
        '"' | '\'' | '`' => quoted(text, first, start),
        '0'..='9' => number(text, start),
        '.' if text[1..].starts_with(|c: char| c.is_ascii_digit()) => number(text, start),
        c if c.is_alphabetic() || c == '_' || c == '.' => {
            let part = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
            let length = text.find(|c| !part(c)).unwrap_or(text.len());
            Ok((Token::Name(text[..length].to_owned()), length))
        }
        _ => {
            let message = format!(
                "`{first}` has no meaning here; write the name of a column with other signs than letters, digits, `_` and `.` in backquotes"
            );
            Err((start..start + first.len_utf8(), message))
        }
    }
}

fn quoted(text: &str, quote: char, start: usize) -> Result<(Token, usize), Wrong> {
    let Some(length) = text[1..].find(quote) else {
        return Err((
            start..start + text.len(),
            format!("the {quote} does not close"),
        ));
    };
    let inner = text[1..=length].to_owned();
    let token = match quote {
        '`' => Token::Name(inner),
        _ => Token::Text(inner),
    };
    Ok((token, length + 2))
}

fn number(text: &str, start: usize) -> Result<(Token, usize), Wrong> {
    let mut length = 0;
    let mut before = ' ';
    for c in text.chars() {
        let is_sign = (c == '-' || c == '+') && matches!(before, 'e' | 'E');
        if !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || is_sign) {
            break;
        }
        length += c.len_utf8();
        before = c;
    }
    let word = &text[..length];
    match word.parse::<f64>() {
        Ok(number) => Ok((Token::Number(number), length)),
        Err(_) => Err((
            start..start + length,
            format!("`{word}` is neither a number nor a name"),
        )),
    }
}
