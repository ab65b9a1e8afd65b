//! Indices into data: an index out of range is an error that names the data and the line.

use crate::ast::Call;
use crate::text::text_of;
use proc_macro2::{Literal, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprIndex, ExprMethodCall, Local, Pat, PatIdent};

/// The names whose indices are guarded: arguments and random values that nothing else in the body shadows. Their types are known at the
/// index.
#[derive(Debug, Default)]
pub struct Checked {
    names: Vec<String>,
    guards: usize,
    place_guards: usize,
}

/// The methods that gather at a list of places.
const GATHER: [&str; 2] = ["at", "select_rows"];

impl Checked {
    /// The names in `body` that can be guarded; `arguments` are the arguments of the function.
    pub fn of(arguments: impl Iterator<Item = String>, body: &Block) -> Self {
        let mut bound = Bound::default();
        bound.visit_block(body);
        let names = arguments
            .chain(bound.random)
            .filter(|name| !bound.other.contains(name))
            .collect();
        Self {
            names,
            guards: 0,
            place_guards: 0,
        }
    }

    /// `y[j]` becomes `y[site(&y, j, "y", line).in_range()]`; `data` is `y` in the user's text.
    pub fn guard(&mut self, expression: &mut ExprIndex, data: &TokenStream) {
        if !self.covers(&expression.expr) {
            return;
        }
        self.guards += 1;
        let name = text_of(data);
        let line = Literal::usize_unsuffixed(data.span().start().line);
        let (base, index) = (&expression.expr, &expression.index);
        // Spans at the index, so that rustc reports its errors there.
        *expression.index = Expr::Verbatim(quote_spanned! {index.span()=>
            ::bayes::__private::site(&#base, #index, #name, #line).in_range()
        });
    }

    /// `theta.at(&group)` becomes `theta.at(site(&theta, &group, "theta", line).places())`; `data` is `theta` in the user's text.
    pub fn guard_places(&mut self, call: &mut ExprMethodCall, data: &TokenStream) {
        let gathers = GATHER.iter().any(|method| call.method == method);
        if !gathers || call.args.len() != 1 || !self.covers(&call.receiver) {
            return;
        }
        self.place_guards += 1;
        let name = text_of(data);
        let line = Literal::usize_unsuffixed(call.method.span().start().line);
        let base = &call.receiver;
        for places in &mut call.args {
            *places = Expr::Verbatim(quote_spanned! {places.span()=>
                ::bayes::__private::site(&#base, #places, #name, #line).places()
            });
        }
    }

    /// The traits whose methods the guards call.
    pub fn imports(&self) -> TokenStream {
        let mut imports = TokenStream::new();
        if self.guards > 0 {
            imports.extend(quote!(
                #[allow(unused_imports)]
                use ::bayes::__private::{Checked as _, Unchecked as _};
            ));
        }
        if self.place_guards > 0 {
            imports.extend(quote!(
                #[allow(unused_imports)]
                use ::bayes::__private::{CheckedPlaces as _, UncheckedPlaces as _};
            ));
        }
        imports
    }

    /// Whether `base` is a guarded name or a field of one.
    fn covers(&self, base: &Expr) -> bool {
        match base {
            Expr::Path(path) => path
                .path
                .get_ident()
                .is_some_and(|name| self.names.iter().any(|known| name == known)),
            Expr::Field(field) => self.covers(&field.base),
            _ => false,
        }
    }
}

/// Names that the body binds, by the kind of binding.
#[derive(Default)]
struct Bound {
    random: Vec<String>,
    other: Vec<String>,
}

impl<'ast> Visit<'ast> for Bound {
    fn visit_local(&mut self, local: &'ast Local) {
        let is_draw = local
            .init
            .as_ref()
            .and_then(|init| Call::from_expr(&init.expr))
            .is_some_and(|c| c.verb.draws());
        match (&local.pat, is_draw) {
            (Pat::Ident(pattern), true) => self.random.push(pattern.ident.to_string()),
            _ => visit::visit_local(self, local),
        }
    }

    fn visit_pat_ident(&mut self, pattern: &'ast PatIdent) {
        self.other.push(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }
}
