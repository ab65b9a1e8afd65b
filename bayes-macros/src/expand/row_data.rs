//! `#[derive(RowData)]`: a struct whose fields have rows.

use crate::marks::{self, Field};
use crate::report::Report;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{DeriveInput, Member};

/// `impl RowData` for a struct that owns its rows; a copy of some rows is a struct of the same type.
pub fn row_data(input: &DeriveInput, report: &mut Report) -> TokenStream {
    let Some(fields) = marks::fields(input, report) else {
        return TokenStream::new();
    };
    let (marked, same): (Vec<_>, Vec<_>) = fields.iter().partition(|field| field.has_rows);
    let which: Vec<_> = marked.iter().map(|field| which(field)).collect();
    let marked: Vec<&Member> = marked.iter().map(|field| &field.member).collect();
    let same: Vec<&Member> = same.iter().map(|field| &field.member).collect();
    let names = marked
        .iter()
        .map(|member| format!("{{}}.{}", plain_name(member)));
    let first = which.iter().zip(&marked).take(1);
    let rows = first.map(|(which, member)| quote!(#which::rows(&self.#member)));
    let name = &input.ident;
    let (for_impl, for_type, bounds) = input.generics.split_for_impl();
    quote! {
        impl #for_impl ::bayes::__private::RowData for #name #for_type #bounds {
            type Owned = Self;
            type View<'__rows> = &'__rows Self where Self: '__rows;
            fn rows(&self) -> usize {
                #(#rows)*
            }
            fn gather(&self, __rows: &[usize]) -> Self {
                Self {
                    #(#marked: #which::gather(&self.#marked, __rows),)*
                    #(#same: ::core::clone::Clone::clone(&self.#same),)*
                }
            }
            fn refill(&self, __rows: &[usize], __owned: &mut Self) {
                #(#which::refill(&self.#marked, __rows, &mut __owned.#marked);)*
            }
            fn view<'__rows>(&'__rows self, __owned: &'__rows Self) -> &'__rows Self {
                __owned
            }
            fn row_counts(&self, __name: &str) -> ::std::vec::Vec<::bayes::__private::RowCount> {
                <[_]>::concat(&[#(#which::row_counts(&self.#marked, &::std::format!(#names, __name))),*])
            }
        }
    }
}

/// `<T as RowData>`, at the field's type: there rustc reports its errors about a type without rows.
fn which(field: &Field<'_>) -> TokenStream {
    let ty = field.ty;
    quote_spanned!(ty.span()=> <#ty as ::bayes::__private::RowData>)
}

fn plain_name(member: &Member) -> String {
    use syn::ext::IdentExt;
    match member {
        Member::Named(name) => name.unraw().to_string(),
        Member::Unnamed(index) => index.index.to_string(),
    }
}
