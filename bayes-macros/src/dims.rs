//! The mark `#[dims(school, year = 1990..2020)]` on a statement.

use crate::ast::Call;
use proc_macro2::{TokenStream, TokenTree};
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, ExprPath, Ident, Local, Macro, Meta, Stmt, Token};

/// A dimension and the names of the places along it.
#[derive(Clone)]
pub struct Dim {
    /// Its name; without places, also the argument that holds the places.
    pub name: Ident,
    /// The places, an expression in the arguments.
    pub places: Option<Expr>,
    /// The data of whose rows these are some; with places, those name all rows.
    pub part: Option<Part>,
    /// Of such rows: the user's name of the dimension of all rows.
    pub rows: Option<String>,
}

/// Some rows of data with gaps.
#[derive(Clone)]
pub enum Part {
    /// Those with a value.
    Known(Expr),
    /// Those without.
    Missing(Expr),
}

impl Parse for Dim {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let name = input.parse()?;
        let places = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Self {
            name,
            places,
            part: None,
            rows: None,
        })
    }
}

impl Dim {
    /// Whether its places are computed from one of these names.
    pub fn uses(&self, name: &Ident) -> bool {
        let data = self.part.as_ref().map(|part| match part {
            Part::Known(data) | Part::Missing(data) => data,
        });
        let mut finder = Finder(name, false);
        let expressions = self.places.iter().chain(data);
        expressions.for_each(|expression| finder.visit_expr(expression));
        let is_plain = self.places.is_none() && self.part.is_none();
        finder.1 || is_plain && self.name == *name
    }
}

struct Finder<'n>(&'n Ident, bool);

impl Visit<'_> for Finder<'_> {
    fn visit_macro(&mut self, invocation: &Macro) {
        // the use of a name inside a macro is invisible
        self.1 |= mentions(invocation.tokens.clone(), self.0);
    }

    fn visit_expr_path(&mut self, path: &ExprPath) {
        self.1 |= path.path.is_ident(self.0);
        visit::visit_expr_path(self, path);
    }
}

fn mentions(tokens: TokenStream, name: &Ident) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Ident(other) => other == *name,
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Punct(_) | TokenTree::Literal(_) => false,
    })
}

/// Whether an attribute is the mark.
pub fn is_mark(attribute: &Attribute) -> bool {
    attribute.path().is_ident("dims")
}

/// The dimensions in a mark.
///
/// # Errors
/// If there are none, or if they have a form other than `name` or `name = places`.
pub fn parse(mark: &Attribute) -> syn::Result<Vec<Dim>> {
    let list = Punctuated::<Dim, Token![,]>::parse_terminated;
    let dims = match &mark.meta {
        Meta::List(given) => given.parse_args_with(list)?,
        _ => Punctuated::new(),
    };
    match dims.is_empty() {
        true => Err(syn::Error::new_spanned(mark, "no dimension")),
        false => Ok(dims.into_iter().collect()),
    }
}

/// The statement call in `let name = call`.
pub fn call_of(local: &Local) -> Option<Call<'_>> {
    Call::from_expr(&local.init.as_ref()?.expr)
}

/// The attributes of a statement.
fn attributes(statement: &mut Stmt) -> Option<&mut Vec<Attribute>> {
    match statement {
        Stmt::Local(local) => Some(&mut local.attrs),
        Stmt::Expr(Expr::Call(call), _) => Some(&mut call.attrs),
        _ => None,
    }
}

/// Removes the marks of a statement, which rustc does not know; returns the first of them.
pub fn take(statement: &mut Stmt) -> Option<Attribute> {
    let attributes = attributes(statement)?;
    let mark = attributes
        .iter()
        .find(|attribute| is_mark(attribute))
        .cloned();
    attributes.retain(|attribute| !is_mark(attribute));
    mark
}
