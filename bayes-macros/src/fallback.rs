//! Replacements for the model's items in case of errors: the user sees the mistakes, not their consequences at every use of the model.

use crate::ast::ModelFn;
use crate::expand;
use crate::report::Report;
use proc_macro2::TokenStream;
use quote::quote;
use syn::{FnArg, ItemFn};

/// The item unchanged, with the reason why it is not a model.
pub fn not_a_function(item: TokenStream, error: &syn::Error) -> TokenStream {
    let error = error.to_compile_error();
    quote!(#error #item)
}

/// The model's own type and constructor with a program that does nothing.
///
/// rust-analyzer still gets the real program: a statement is wrong while it is being written, and this is when completion is needed.
pub fn stub(model: &ModelFn<'_>, report: Report) -> TokenStream {
    let errors = report.into_tokens();
    let structure = expand::structure(model);
    let constructor = expand::constructor(model);
    let (real, nothing) = (expand::program(model), program());
    let description = description();
    let methods = quote! {
        #description
        #[cfg(rust_analyzer)]
        #real
        #[cfg(not(rust_analyzer))]
        #nothing
    };
    let which = quote!(::bayes::__private::Model);
    let implementation = expand::implement(model, &which, &methods);
    let capabilities = expand::all_capabilities(model);
    let rows = model.has_rows().then(|| expand::rows_stub(model));
    quote!(#errors #structure #constructor #[allow(unexpected_cfgs)] #implementation #rows #capabilities)
}

/// A function of random values with a body that does nothing, except for rust-analyzer.
pub fn function(function: ItemFn, report: Report) -> TokenStream {
    let errors = report.into_tokens();
    let ItemFn {
        attrs,
        vis,
        sig,
        block,
        ..
    } = function;
    quote! {
        #errors
        #(#attrs)*
        #[allow(unused, unexpected_cfgs)]
        #vis #sig {
            #[cfg(rust_analyzer)]
            #block
            #[cfg(not(rust_analyzer))]
            { ::core::unimplemented!() }
        }
    }
}

/// For a method: the same signature without a body, because a type cannot replace it.
fn method(function: &ItemFn, report: Report) -> TokenStream {
    let errors = report.into_tokens();
    let visibility = &function.vis;
    let mut signature = function.sig.clone();
    for input in &mut signature.inputs {
        match input {
            FnArg::Typed(typed) => typed.attrs.clear(),
            FnArg::Receiver(receiver) => receiver.attrs.clear(),
        }
    }
    quote!(#errors #[allow(unused, missing_docs)] #visibility #signature { ::core::unimplemented!() })
}

/// For a signature that gives the model's type no fields: a type without data.
pub fn without_a_type(function: &ItemFn, report: Report) -> TokenStream {
    if function.sig.receiver().is_some() {
        return method(function, report);
    }
    let errors = report.into_tokens();
    let (visibility, name) = (&function.vis, &function.sig.ident);
    let (generics, bounds) = (&function.sig.generics, &function.sig.generics.where_clause);
    let inputs = function.sig.inputs.iter().filter_map(|input| match input {
        FnArg::Receiver(_) => None,
        FnArg::Typed(typed) => {
            let ty = &typed.ty;
            Some(quote!(_: #ty))
        }
    });
    let (description, program) = (description(), program());
    quote! {
        #errors
        #[allow(non_camel_case_types, missing_docs)]
        #[derive(::core::clone::Clone, ::core::marker::Copy, ::core::fmt::Debug)]
        #visibility struct #name {}
        #[allow(missing_docs)]
        #visibility fn #name #generics (#(#inputs),*) -> #name #bounds { #name {} }
        impl ::bayes::__private::Model for #name { #description #program }
        impl ::bayes::__private::AllSampled for #name {}
        impl ::bayes::__private::Differentiable for #name {}
        impl ::bayes::__private::GaussianReference for #name {}
        impl ::bayes::__private::GaussianPrior for #name {}
    }
}

/// The description of a model without statements.
fn description() -> TokenStream {
    quote! {
        fn name(&self) -> &'static str { "" }
        fn file(&self) -> &'static str { "" }
        fn statements(&self) -> &'static [::bayes::__private::Statement] { &[] }
    }
}

/// A program that does nothing.
fn program() -> TokenStream {
    quote! {
        fn program<__M: ::bayes::__private::Mode, __I: ::bayes::__private::Interpreter<__M>>(&self, _: &mut __I) {}
    }
}
