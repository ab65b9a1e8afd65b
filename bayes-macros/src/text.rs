//! The user's tokens as text, with the layout of the source.

use proc_macro2::{Delimiter, LineColumn, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::ItemFn;

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

/// The text of a function without its attributes, with the line breaks and indents of the source; comments are lost. Empty if the
/// compiler gives no positions.
pub fn source_of(function: &ItemFn) -> String {
    let ItemFn {
        vis, sig, block, ..
    } = function;
    let tokens = quote!(#vis #sig #block);
    let first = tokens.clone().into_iter().next();
    let mut writer = Writer {
        margin: first.map(|token| token.span().start().column),
        ..Writer::default()
    };
    writer.stream(&tokens);
    match writer.has_positions {
        true => writer.text,
        false => String::new(),
    }
}

#[derive(Default)]
struct Writer {
    text: String,
    end: Option<LineColumn>,
    has_positions: bool,
    /// The column of unindented text, if line breaks are kept; otherwise line breaks become one space.
    margin: Option<usize>,
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
        if let Some(before) = self.end {
            self.gap(before, start);
        }
        self.text.push_str(text);
        self.end = Some(end);
    }
}

impl Writer {
    /// The text between two tokens.
    fn gap(&mut self, before: LineColumn, start: LineColumn) {
        match self.margin {
            Some(margin) if start.line > before.line => {
                // one empty line stays, further ones do not
                let breaks = (start.line - before.line).min(2);
                self.text.extend(std::iter::repeat_n('\n', breaks));
                let indent = start.column.saturating_sub(margin);
                self.text.extend(std::iter::repeat_n(' ', indent));
            }
            _ if before != start => self.text.push(' '),
            _ => {}
        }
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
    use super::{source_of, text_of};
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
    fn functions_keep_their_lines() {
        let source = "pub fn mean(\n    y: &[f64],\n) {\n    let mu = sample(Normal::new(0.0, 1.0));\n\n    observe(y, Normal::new(mu, 1.0));\n}";
        assert_eq!(source_of(&syn::parse_str(source).unwrap()), source);
        // a function within a module is written at the margin
        let within = source.replace('\n', "\n    ");
        let within = format!("/// The mean.\n    #[allow(unused)]\n    {within}");
        let found = source_of(&syn::parse_str(&within).unwrap());
        assert_eq!(found.replace(" \n", "\n"), source);
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
