//! Names that mean `bayes`'s own types inside a model, regardless of other names in scope.

use crate::catalogue::KNOWN;
use crate::types::is_random as is_modal;
use proc_macro2::{Group, Ident, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::{Block, Path, Type, parse_quote_spanned};

/// `use ::bayes::dist::{...}` for the distributions that the body names.
///
/// The import is in a block around the user's block, so it overrides the user's module and yields to an import inside the body;
/// `self::Normal` is always the user's own.
pub fn imports(body: &Block) -> TokenStream {
    let mut mentioned = Vec::new();
    collect(body.to_token_stream(), &mut mentioned);
    let names = KNOWN
        .iter()
        .filter(|known| mentioned.iter().any(|name| name == known.name))
        .map(|known| Ident::new(known.name, Span::call_site()));
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        return TokenStream::new();
    }
    quote!(#[allow(unused_imports)] use ::bayes::dist::{#(#names),*};)
}

fn collect(tokens: TokenStream, names: &mut Vec<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(name) => names.push(name.to_string()),
            TokenTree::Group(group) => collect(group.stream(), names),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// The name of the mode in the macro's declarations; invisible to the user's code.
pub fn hidden_mode() -> Ident {
    Ident::new("__M", Span::mixed_site())
}

/// `Real` as a type becomes `Real<mode>`.
pub fn complete_type(ty: &mut Type, mode: &Ident) {
    let Type::Path(path) = ty else { return };
    if path.qself.is_none() && path.path.get_ident().is_some_and(is_modal) {
        path.path = complete(&path.path.segments[0].ident, mode);
    }
}

/// `Real` at the head of a path as in `Real::constant(0.0)` becomes `Real::<mode>`.
pub fn complete_path(path: &mut Path, mode: &Ident) {
    let bare = path.segments.len() > 1 && path.leading_colon.is_none();
    let Some(first) = path.segments.first() else {
        return;
    };
    if !bare || !first.arguments.is_none() || !is_modal(&first.ident) {
        return;
    }
    let mut completed = complete(&first.ident, mode);
    completed
        .segments
        .extend(path.segments.iter().skip(1).cloned());
    *path = completed;
}

/// The same for the tokens of a macro call such as `vec![Real::constant(0.0); n]`.
pub fn complete_tokens(tokens: TokenStream, mode: &Ident) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut completed = TokenStream::new();
    for (i, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Ident(name) if is_modal(name) && stands_alone(&tokens, i) => {
                completed.extend(complete(name, mode).into_token_stream());
            }
            TokenTree::Group(group) => {
                let mut inner =
                    Group::new(group.delimiter(), complete_tokens(group.stream(), mode));
                inner.set_span(group.span());
                completed.extend([TokenTree::Group(inner)]);
            }
            other => completed.extend([other.clone()]),
        }
    }
    completed
}

/// Whether the name at `position` is not part of a longer path or field, and has no arguments of its own.
fn stands_alone(tokens: &[TokenTree], position: usize) -> bool {
    let punct = |at: Option<usize>, what: char| {
        at.and_then(|at| tokens.get(at))
            .is_some_and(|t| matches!(t, TokenTree::Punct(p) if p.as_char() == what))
    };
    let before = position.checked_sub(1);
    let behind_path = punct(before, ':') && punct(position.checked_sub(2), ':');
    let has_arguments = punct(Some(position + 1), '<')
        || punct(Some(position + 1), ':') && punct(Some(position + 3), '<');
    let is_macro_or_call = punct(Some(position + 1), '!')
        || matches!(tokens.get(position + 1), Some(TokenTree::Group(_)));
    !behind_path && !punct(before, '.') && !has_arguments && !is_macro_or_call
}

/// Always with `::`, which is right for types and for expressions.
fn complete(name: &Ident, mode: &Ident) -> Path {
    parse_quote_spanned!(name.span()=> ::bayes::__private::#name::<#mode>)
}
