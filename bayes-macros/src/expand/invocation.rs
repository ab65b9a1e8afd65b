//! The arguments of macro calls, which are only tokens for the parser.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser};
use syn::punctuated::Punctuated;
use syn::{Expr, Macro, Token};

/// Macros without a value: they check or print.
const WITHOUT_VALUE: [&str; 14] = [
    "assert",
    "assert_eq",
    "assert_ne",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "eprint",
    "eprintln",
    "panic",
    "print",
    "println",
    "todo",
    "unimplemented",
    "unreachable",
];

/// Whether nothing can depend on a call of this macro.
pub fn is_without_value(invocation: &Macro) -> bool {
    let name = invocation.path.segments.last();
    name.is_some_and(|name| WITHOUT_VALUE.iter().any(|macro_| name.ident == macro_))
}

/// The arguments as expressions, if they look like `a, b` or `a; n`.
pub fn arguments(invocation: &Macro) -> Option<Vec<Expr>> {
    let list = Punctuated::<Expr, Token![,]>::parse_terminated;
    let repeated = |input: ParseStream<'_>| {
        let value = input.parse()?;
        input.parse::<Token![;]>()?;
        Ok(vec![value, input.parse()?])
    };
    let tokens = || invocation.tokens.clone();
    let list = list.parse2(tokens()).map(|list| list.into_iter().collect());
    list.or_else(|_| repeated.parse2(tokens())).ok()
}

/// The names and the fields in tokens: `study` and `study.y` of `study.y[0]`. What a macro does with them is unknown.
pub fn names(tokens: TokenStream) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let (mut is_joined, mut is_field) = (false, false);
    for token in tokens {
        match token {
            TokenTree::Ident(name) if is_field => {
                let whole = found.last().map(|first| format!("{first}.{name}"));
                found.extend(whole);
                (is_joined, is_field) = (true, false);
            }
            TokenTree::Ident(name) => {
                found.push(name.to_string());
                is_joined = true;
            }
            TokenTree::Punct(dot) if dot.as_char() == '.' && is_joined => {
                (is_joined, is_field) = (false, true);
            }
            TokenTree::Group(group) => {
                found.extend(names(group.stream()));
                (is_joined, is_field) = (false, false);
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {
                (is_joined, is_field) = (false, false);
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{arguments, names};

    /// The mutations that it detects: the names in groups are lost; fields are only names.
    #[test]
    fn arguments_are_expressions_or_names() {
        let call = |text: &str| syn::parse_str::<syn::Macro>(text).unwrap();
        for (text, count) in [("m![]", 0), ("m![a, b.c, d[0],]", 3), ("m![a; y.len()]", 2)] {
            let count_of = arguments(&call(text)).map(|found| found.len());
            assert_eq!(count_of, Some(count), "{text}");
        }
        let other = call("m!(a => study.y[i] .. { b })");
        assert!(arguments(&other).is_none());
        assert_eq!(names(other.tokens), ["a", "study", "study.y", "i", "b"]);
    }
}
