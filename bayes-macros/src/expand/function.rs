//! A function of random values, generic over the mode of arithmetic.

use super::index::Checked;
use super::names;
use super::program::Rewriter;
use crate::parse::named;
use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::parse_quote_spanned;
use syn::visit_mut::VisitMut;
use syn::{GenericParam, Generics, Item, ItemFn, Stmt, Type, TypeParamBound, WherePredicate};

/// `function` with the mode filled in wherever `Real`, `Vector` or another type of random quantities has none.
pub fn function(function: &ItemFn) -> ItemFn {
    let mut function = function.clone();
    let mode = own_mode(&function.sig.generics).unwrap_or_else(|| {
        let mode = names::hidden_mode();
        declare(&mode, &mut function.sig.generics);
        mode
    });
    let arguments = function.sig.inputs.iter().filter_map(named);
    let arguments = arguments.map(|(name, _)| name.to_string());
    let checked = Checked::of(arguments, &function.block);
    let mut rewriter = Rewriter::new(mode, checked);
    rewriter.visit_signature_mut(&mut function.sig);
    rewriter.visit_block_mut(&mut function.block);
    let imports = Stmt::Item(Item::Verbatim(rewriter.checked.imports()));
    function.block.stmts.insert(0, imports);
    function
}

/// The mode of a function that names one: `fn h<M: Mode>(state: State<M>, a: Real)`.
fn own_mode(generics: &Generics) -> Option<Ident> {
    let declared = generics
        .type_params()
        .find(|p| p.bounds.iter().any(is_mode));
    declared.map(|p| p.ident.clone()).or_else(|| {
        let predicates = &generics.where_clause.as_ref()?.predicates;
        predicates.iter().find_map(|predicate| match predicate {
            WherePredicate::Type(bounded) if bounded.bounds.iter().any(is_mode) => {
                let Type::Path(path) = &bounded.bounded_ty else {
                    return None;
                };
                path.path.get_ident().cloned()
            }
            _ => None,
        })
    })
}

fn is_mode(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else {
        return false;
    };
    let last = bound.path.segments.last();
    last.is_some_and(|segment| segment.ident == "Mode")
}

/// Adds the mode after the user's own parameters.
fn declare(mode: &Ident, generics: &mut Generics) {
    let span = Span::mixed_site();
    let bound = quote_spanned!(span=> ::bayes::__private::Mode);
    let parameter: GenericParam = parse_quote_spanned!(span=> #mode: #bound);
    generics.params.push(parameter);
}
