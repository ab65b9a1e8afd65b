//! Observed data that the model also reads elsewhere, as in an autoregression: predictions are then one step ahead of the data.

use super::description::plain_names;
use super::observed_names;
use crate::ast::{ModelFn, Verb};
use crate::text::text_of;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Expr, ExprCall, ExprField, ExprForLoop, ExprMethodCall, ExprPath};

/// Methods that return the number of data, not the data.
const SIZES: [&str; 5] = ["len", "is_empty", "nrows", "ncols", "shape"];

/// The method `rereads`, if there are such data.
pub fn rereads(model: &ModelFn<'_>) -> Option<TokenStream> {
    let names: Vec<String> = names(model).iter().map(|name| plain_names(name)).collect();
    (!names.is_empty()).then(|| {
        quote! {
            fn rereads(&self) -> &'static [&'static str] {
                &[#(#names),*]
            }
        }
    })
}

/// The names of these data, as for observed variables.
fn names(model: &ModelFn<'_>) -> Vec<String> {
    let arguments = model.arguments.iter().map(|argument| argument.name);
    let mut reads = Reads {
        arguments: arguments.map(ToString::to_string).collect(),
        observed: observed_names(model.body).into_iter().collect(),
        read: BTreeSet::new(),
    };
    reads.visit_block(model.body);
    reads.observed.intersection(&reads.read).cloned().collect()
}

struct Reads {
    arguments: BTreeSet<String>,
    observed: BTreeSet<String>,
    /// Data arguments, and fields of them, whose numbers are read.
    read: BTreeSet<String>,
}

impl Reads {
    /// `y`, `study.y`: data of an argument as a whole.
    fn data(&self, expression: &Expr) -> Option<String> {
        let mut root = expression;
        while let Expr::Field(field) = root {
            root = &field.base;
        }
        let is_argument =
            matches!(root, Expr::Path(path) if self.arguments.contains(&text_of(path)));
        is_argument.then(|| text_of(expression))
    }
}

impl<'a> Visit<'a> for Reads {
    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        let observes =
            matches!(&*call.func, Expr::Path(path) if path.path.is_ident(Verb::Observe.word()));
        if !observes {
            return visit::visit_expr_call(self, call);
        }
        call.args
            .iter()
            .skip(1)
            .for_each(|other| self.visit_expr(other));
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        let is_size = SIZES.iter().any(|size| call.method == size);
        if !is_size || self.data(&call.receiver).is_none() {
            visit::visit_expr_method_call(self, call);
        }
    }

    /// The body of a loop reads the iterated data under another name.
    fn visit_expr_for_loop(&mut self, turns: &'a ExprForLoop) {
        self.visit_block(&turns.body);
    }

    fn visit_expr_field(&mut self, field: &'a ExprField) {
        match self.data(&Expr::Field(field.clone())) {
            Some(name) => drop(self.read.insert(name)),
            None => visit::visit_expr_field(self, field),
        }
    }

    fn visit_expr_path(&mut self, path: &'a ExprPath) {
        self.read.extend(self.data(&Expr::Path(path.clone())));
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::model;

    fn names(source: &str) -> Vec<String> {
        let function: syn::ItemFn = syn::parse_str(source).unwrap();
        super::names(&model(&function))
    }

    #[test]
    fn data_that_are_read_outside_of_observe_are_named() {
        let ar = "fn m(y: &[f64]) { for t in 1..y.len() { observe(y[t], Normal::new(phi * y[t - 1], 1.0)); } }";
        assert_eq!(names(ar), ["y"]);
        let carried = "fn m(y: &[f64]) { let mut past = 0.0; for t in 0..y.len() { observe(y[t], Normal::new(past, 1.0)); past = y[t].into(); } }";
        assert_eq!(names(carried), ["y"]);
        let field =
            "fn m(study: &Study) { observe(&study.y, Normal::new(study.x[0] + study.y[0], 1.0)); }";
        assert_eq!(names(field), ["study.y"]);
    }

    #[test]
    fn sizes_and_loops_are_no_reads() {
        for source in [
            "fn m(y: &[f64], x: &[f64]) { for i in 0..y.len() { observe(y[i], Normal::new(b * x[i], 1.0)); } }",
            "fn m(y: &[f64]) { let z = sample(Normal::new(0.0, 1.0).iid(y.len())); observe(y, Normal::new(&z, 1.0)); }",
            "fn m(y: &[f64], x: &[f64]) { for (y, x) in y.iter().zip(x) { observe(*y, Normal::new(b * *x, 1.0)); } }",
            "fn m(study: &Study) { observe(&study.y, Normal::new(b * study.x[study.y.len() - 1], 1.0)); }",
        ] {
            assert_eq!(names(source), [""; 0], "{source}");
        }
    }
}
