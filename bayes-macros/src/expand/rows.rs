//! A model on some of its rows: `#[rows]` on its arguments.

use super::program::{Program, parameters};
use super::{context, implement, implement_own};
use crate::ast::{Argument, Binding, ModelFn};
use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{GenericParam, Type};

/// The body as a function of the data, which are the model's or copied rows, and `impl Rows`.
pub fn rows(model: &ModelFn<'_>, program: &Program) -> TokenStream {
    let body = body(model, program);
    let name = model.name;
    let generics = model
        .generics
        .params
        .iter()
        .map(|parameter| match parameter {
            GenericParam::Const(constant) => {
                let name = &constant.ident;
                quote!(#name)
            }
            _ => quote!('_),
        });
    // Lifetimes left open: copied rows live shorter than the model's data.
    let call = call(quote!(#name::<#(#generics),*>), model, |argument| {
        argument.has_rows
    });
    let implementation = implementation(model, &call);
    quote!(#body #implementation)
}

/// `impl Rows` for a model whose program does nothing.
pub fn stub(model: &ModelFn<'_>) -> TokenStream {
    implementation(model, &TokenStream::new())
}

/// The call of the body with the model's own data.
pub fn call_with_own_data(model: &ModelFn<'_>) -> TokenStream {
    call(quote!(Self), model, |_| false)
}

/// The user's body as an associated function of its data.
fn body(model: &ModelFn<'_>, program: &Program) -> TokenStream {
    let context = context(Span::mixed_site());
    let parameters = parameters();
    let arguments = model.arguments.iter().map(|argument| {
        let (name, ty) = (argument.name, &argument.ty);
        match argument.binding {
            Binding::Copied => quote!(#name: #ty),
            Binding::Borrowed => quote!(#name: &#ty),
        }
    });
    let body = program.behind(&TokenStream::new());
    let function = quote_spanned! {Span::mixed_site()=>
        #[doc(hidden)]
        #[inline(always)]
        #[allow(clippy::ptr_arg, clippy::too_many_arguments, clippy::type_complexity)]
        fn __body<#parameters>(#(#arguments,)* #context: &mut __I) {
            #body
        }
    };
    implement_own(model, &function)
}

/// The call of the body; for arguments that are `copied`, with the rows in `data`.
fn call(owner: TokenStream, model: &ModelFn<'_>, copied: fn(&Argument<'_>) -> bool) -> TokenStream {
    let (this, data) = (this(), data());
    let context = context(Span::mixed_site());
    let mut position = 0;
    let arguments = model.arguments.iter().map(|argument| {
        let own = reference(argument);
        if !copied(argument) {
            let name = argument.name;
            return match argument.binding {
                Binding::Copied => quote!(#this.#name),
                Binding::Borrowed => own,
            };
        }
        let (which, at) = (which(argument), Literal::usize_unsuffixed(position));
        position += 1;
        quote!(&#which::view(#own, &#data.#at))
    });
    quote_spanned!(Span::mixed_site()=> #owner::__body::<__M, __I>(#(#arguments,)* #context);)
}

fn implementation(model: &ModelFn<'_>, call: &TokenStream) -> TokenStream {
    let (this, data) = (this(), data());
    let rows = Ident::new("__rows", Span::mixed_site());
    let context = context(Span::mixed_site());
    let parameters = parameters();
    let marked: Vec<_> = model.arguments.iter().filter(|a| a.has_rows).collect();
    let at: Vec<_> = (0..marked.len()).map(Literal::usize_unsuffixed).collect();
    let which: Vec<_> = marked.iter().map(|argument| which(argument)).collect();
    let own: Vec<_> = marked.iter().map(|argument| reference(argument)).collect();
    let same = model
        .arguments
        .iter()
        .filter(|a| !a.has_rows)
        .map(|a| a.name);
    let items = quote_spanned! {Span::mixed_site()=>
        type Data = (#(#which::Owned,)*);
        fn gather(&#this, #rows: &[usize]) -> Self::Data {
            (#(#which::gather(#own, #rows),)*)
        }
        fn refill(&#this, #rows: &[usize], #data: &mut Self::Data) {
            #(#which::refill(#own, #rows, &mut #data.#at);)*
        }
        fn numbers_of<'__data>(
            &'__data #this,
            #data: &'__data Self::Data,
            __show: &mut dyn ::core::ops::FnMut(&'__data [f64]),
        ) {
            #[allow(unused_imports)]
            use ::bayes::__private::{Known as _, Unknown as _, describe};
            #(describe("", &#data.#at).numbers().map(&mut *__show);)*
            #(describe("", &#this.#same).numbers().map(&mut *__show);)*
        }
        #[inline(always)]
        #[allow(unused_variables)]
        fn program_of<#parameters>(&#this, #data: &Self::Data, #context: &mut __I) {
            #call
        }
    };
    implement(model, &quote!(::bayes::__private::Rows), &items)
}

/// The method `row_counts` of `impl Model`.
pub fn row_counts(model: &ModelFn<'_>) -> TokenStream {
    let this = this();
    let marked = model.arguments.iter().filter(|argument| argument.has_rows);
    let counts = marked.map(|argument| {
        let (which, own) = (which(argument), reference(argument));
        let name = argument.plain_name();
        quote!(#which::row_counts(#own, #name))
    });
    quote_spanned! {Span::mixed_site()=>
        fn row_counts(&#this) -> ::std::vec::Vec<::bayes::__private::RowCount> {
            <[_]>::concat(&[#(#counts),*])
        }
    }
}

/// `<T as RowData>`, at the type: there rustc reports its errors about a type without rows.
fn which(argument: &Argument<'_>) -> TokenStream {
    let ty = referent(argument);
    quote_spanned!(argument.ty.span()=> <#ty as ::bayes::__private::RowData>)
}

/// The type of the data themselves: `[f64]` of `&[f64]`.
fn referent<'a>(argument: &'a Argument<'_>) -> &'a Type {
    fn inside(ty: &Type) -> &Type {
        match ty {
            Type::Reference(reference) => &reference.elem,
            Type::Paren(inner) => inside(&inner.elem),
            Type::Group(inner) => inside(&inner.elem),
            other => other,
        }
    }
    inside(&argument.ty)
}

/// A reference to the data in the model.
fn reference(argument: &Argument<'_>) -> TokenStream {
    let (this, name) = (this(), argument.name);
    if std::ptr::eq(referent(argument), &argument.ty) {
        quote!(&#this.#name)
    } else {
        quote!(#this.#name)
    }
}

fn this() -> Ident {
    Ident::new("self", Span::mixed_site())
}

fn data() -> Ident {
    Ident::new("__rows_of_data", Span::mixed_site())
}
