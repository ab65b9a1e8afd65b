//! Rules about the signature: a model is a plain function of data.

use crate::dims::is_mark;
use crate::marks;
use crate::messages;
use crate::nearest::nearest;
use crate::parse::named;
use crate::report::Report;
use crate::text::text_of;
use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{FnArg, GenericParam, ItemFn, Pat, ReturnType, Safety, Signature, Type, TypeImplTrait};

/// Applies the rules; returns whether the signature defines the fields of the model's type.
pub fn signature(function: &ItemFn, report: &mut Report) -> bool {
    let signature = &function.sig;
    qualifiers(signature, report);
    return_type(signature, report);
    marks(signature, report);
    let rules = [
        receiver,
        mutable_references,
        type_generics,
        plain_arguments,
        concrete_types,
        variadic,
    ];
    // All rules run, even after one has failed.
    rules
        .map(|rule| rule(signature, report))
        .into_iter()
        .all(|right| right)
}

/// A model is called once to take its data, and its body is compiled for several number types. None of these keywords would have its
/// usual meaning.
fn qualifiers(signature: &Signature, report: &mut Report) {
    let name = &signature.ident;
    if let Some(word) = &signature.constness {
        report.at(word, messages::qualifier("const", name));
    }
    if let Some(word) = &signature.asyncness {
        report.at(word, messages::qualifier("async", name));
    }
    if let Safety::Unsafe(word) = &signature.safety {
        report.at(word, messages::qualifier("unsafe", name));
    }
    if let Some(abi) = &signature.abi {
        report.at(abi, messages::qualifier("extern", name));
    }
}

fn return_type(signature: &Signature, report: &mut Report) {
    if let ReturnType::Type(_, ty) = &signature.output {
        report.at(ty, messages::return_type());
    }
}

/// Data do not change while engines run the model on many threads.
fn mutable_references(signature: &Signature, report: &mut Report) -> bool {
    let mut right = true;
    for input in &signature.inputs {
        let FnArg::Typed(typed) = input else { continue };
        let Type::Reference(reference) = &*typed.ty else {
            continue;
        };
        if let Some(word) = &reference.mutability {
            report.at(
                word,
                messages::mutable_data(&text_of(&typed.pat), &text_of(&reference.elem)),
            );
            right = false;
        }
    }
    right
}

/// An argument may be marked `#[rows]`; any other attribute except lints would be lost.
fn marks(signature: &Signature, report: &mut Report) {
    for input in &signature.inputs {
        let FnArg::Typed(typed) = input else { continue };
        marks::options(&typed.attrs, report);
        for attribute in &typed.attrs {
            let name = text_of(attribute.path());
            if is_mark(attribute) {
                report.at(attribute, messages::dims_of_no_statement());
            }
            if nearest(&name, ["rows"].into_iter()).is_some() {
                report.at(attribute, messages::unknown_mark(&name));
            }
        }
    }
}

fn receiver(signature: &Signature, report: &mut Report) -> bool {
    let Some(receiver) = signature.receiver() else {
        return true;
    };
    report.at(receiver, messages::receiver(&signature.ident));
    false
}

/// The model's type holds the data, so their types must be known in the model's source.
fn type_generics(signature: &Signature, report: &mut Report) -> bool {
    let mut right = true;
    for parameter in &signature.generics.params {
        if let GenericParam::Type(parameter) = parameter {
            report.at(&parameter.ident, messages::type_generic(&parameter.ident));
            right = false;
        }
    }
    right
}

fn plain_arguments(signature: &Signature, report: &mut Report) -> bool {
    let mut right = true;
    for input in &signature.inputs {
        let FnArg::Typed(typed) = input else { continue };
        if named(input).is_some() {
            continue;
        }
        right = false;
        let ty = text_of(&typed.ty);
        match &*typed.pat {
            Pat::Ident(pattern) if pattern.mutability.is_some() => {
                report.at(
                    pattern.mutability,
                    messages::mutable_argument(&pattern.ident, &ty),
                );
            }
            pattern => report.at(pattern, messages::pattern_argument(&ty)),
        }
    }
    right
}

fn concrete_types(signature: &Signature, report: &mut Report) -> bool {
    let mut found = Vec::new();
    let mut finder = ImplTraits(&mut found);
    for input in &signature.inputs {
        if let FnArg::Typed(typed) = input {
            finder.visit_type(&typed.ty);
        }
    }
    for ty in &found {
        report.at(ty, messages::impl_trait());
    }
    found.is_empty()
}

struct ImplTraits<'a>(&'a mut Vec<proc_macro2::TokenStream>);

impl<'ast> Visit<'ast> for ImplTraits<'_> {
    fn visit_type_impl_trait(&mut self, ty: &'ast TypeImplTrait) {
        self.0.push(ty.to_token_stream());
        visit::visit_type_impl_trait(self, ty);
    }
}

fn variadic(signature: &Signature, report: &mut Report) -> bool {
    let Some(variadic) = &signature.variadic else {
        return true;
    };
    report.at(variadic, messages::variadic());
    false
}
