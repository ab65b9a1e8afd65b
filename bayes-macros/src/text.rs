//! The user's tokens as text, spaced as in the source.

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use quote::ToTokens;

/// The text of `tokens` with the user's own spacing; line breaks become one space.
///
/// Compilers that give no positions (rust-analyzer) fall back to the spacing of `TokenStream`.
pub fn text_of(tokens: impl ToTokens) -> String {
    let tokens = tokens.to_token_stream();
    let mut writer = Writer::default();
    writer.stream(&tokens);
    if writer.has_positions {
        tidy(&writer.text)
    } else {
        tokens.to_string()
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    end: Option<LineColumn>,
    has_positions: bool,
}

impl Writer {
    fn stream(&mut self, tokens: &TokenStream) {
        for token in tokens.clone() {
            match token {
                TokenTree::Group(group) => {
                    let (open, close) = brackets(group.delimiter());
                    // `syn` gives both brackets the span of the whole group.
                    let (start, end) = (group.span().start(), group.span().end());
                    self.token(open, start, moved(start, open.len() as isize));
                    self.stream(&group.stream());
                    self.token(close, moved(end, -(close.len() as isize)), end);
                }
                other => self.token(&other.to_string(), other.span().start(), other.span().end()),
            }
        }
    }

    fn token(&mut self, text: &str, start: LineColumn, end: LineColumn) {
        if text.is_empty() {
            return;
        }
        self.has_positions |= start != end;
        if self.end.is_some_and(|before| before != start) {
            self.text.push(' ');
        }
        self.text.push_str(text);
        self.end = Some(end);
    }
}

fn moved(place: LineColumn, columns: isize) -> LineColumn {
    LineColumn {
        line: place.line,
        column: place.column.saturating_add_signed(columns),
    }
}

fn brackets(delimiter: Delimiter) -> (&'static str, &'static str) {
    match delimiter {
        Delimiter::Parenthesis => ("(", ")"),
        Delimiter::Brace => ("{", "}"),
        Delimiter::Bracket => ("[", "]"),
        Delimiter::None => ("", ""),
    }
}

/// Undoes the line breaks that rustfmt puts after an opening and before a closing bracket.
fn tidy(text: &str) -> String {
    text.replace("( ", "(")
        .replace(", )", ")")
        .replace(" )", ")")
        .replace(" .", ".")
        .replace(",)", ")")
}

#[cfg(test)]
mod tests {
    use super::text_of;
    use proc_macro2::TokenStream;

    fn round(source: &str) -> String {
        text_of(source.parse::<TokenStream>().unwrap())
    }

    #[test]
    fn keeps_the_users_spacing() {
        let source = "let z = sample(Normal::new(0.0, 1.0).iid(y.len()));";
        assert_eq!(round(source), source);
    }

    #[test]
    fn joins_what_rustfmt_broke_over_lines() {
        let source = "observe(\n    y[j],\n    Normal::new(theta, sigma[j])\n        .iid(3),\n);";
        assert_eq!(
            round(source),
            "observe(y[j], Normal::new(theta, sigma[j]).iid(3));"
        );
    }
}
