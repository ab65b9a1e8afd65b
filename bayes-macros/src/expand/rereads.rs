//! Observed data that the model also reads elsewhere, as in an autoregression: predictions are then one step ahead of the data.

use super::description::plain_names;
use super::{bound_name, invocation, observed_names};
use crate::ast::{Call, ModelFn, Verb};
use crate::text::text_of;
use proc_macro2::TokenStream;
use quote::quote;
use std::collections::BTreeSet;
use syn::visit::{self, Visit};
use syn::{Block, Expr, ExprCall, ExprField, ExprForLoop, ExprMethodCall, ExprPath, Local, Macro};

/// Methods that tell how many data there are, or which are missing, and no value.
const PRESENCE: [&str; 10] = [
    "is_empty",
    "is_finite",
    "is_infinite",
    "is_nan",
    "is_none",
    "is_some",
    "len",
    "ncols",
    "nrows",
    "shape",
];

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
        used: used_names(model.body),
        read: BTreeSet::new(),
    };
    reads.visit_block(model.body);
    reads.observed.intersection(&reads.read).cloned().collect()
}

/// The names that stand alone as expressions, or in the arguments of a macro.
fn used_names(body: &Block) -> BTreeSet<String> {
    struct Used(BTreeSet<String>);
    impl<'a> Visit<'a> for Used {
        fn visit_expr_path(&mut self, path: &'a ExprPath) {
            self.0
                .extend(path.path.get_ident().map(ToString::to_string));
        }

        fn visit_macro(&mut self, call: &'a Macro) {
            if !invocation::is_without_value(call) {
                self.0.extend(invocation::names(call.tokens.clone()));
            }
        }
    }
    let mut used = Used(BTreeSet::new());
    used.visit_block(body);
    used.0
}

struct Reads {
    arguments: BTreeSet<String>,
    observed: BTreeSet<String>,
    /// The names of the body that expressions use.
    used: BTreeSet<String>,
    /// Data arguments, and fields of them, whose numbers are read.
    read: BTreeSet<String>,
}

impl Reads {
    /// `y`, `study.y`, `y[i]`: data of an argument, or an element of them.
    fn element(&self, expression: &Expr) -> Option<String> {
        match expression {
            Expr::Index(index) => self.element(&index.expr),
            Expr::Paren(inner) => self.element(&inner.expr),
            Expr::Reference(inner) => self.element(&inner.expr),
            other => self.data(other),
        }
    }

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
        let verb = Call::from_call(call).map(|call| call.verb);
        // no term of the density depends on what is generated
        if verb == Some(Verb::Generate) {
            return;
        }
        // the model uses the values of `impute`
        let data = usize::from(verb == Some(Verb::Observe));
        let others = call.args.iter().skip(data);
        others.for_each(|other| self.visit_expr(other));
    }

    fn visit_expr_method_call(&mut self, call: &'a ExprMethodCall) {
        let is_presence = PRESENCE.iter().any(|method| call.method == method);
        if is_presence && self.element(&call.receiver).is_some() {
            // an index may be data too
            if let Expr::Index(index) = &*call.receiver {
                self.visit_expr(&index.index);
            }
            return;
        }
        visit::visit_expr_method_call(self, call);
    }

    /// A quantity for the output is no part of the density, unless something else uses it.
    fn visit_local(&mut self, local: &'a Local) {
        let call = local
            .init
            .as_ref()
            .and_then(|init| Call::from_expr(&init.expr));
        let is_output = call.is_some_and(|call| call.verb == Verb::Deterministic);
        let name = bound_name(&local.pat).map(ToString::to_string);
        if !is_output || name.is_none_or(|name| self.used.contains(&name)) {
            visit::visit_local(self, local);
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

    fn visit_macro(&mut self, call: &'a Macro) {
        if invocation::is_without_value(call) {
            return;
        }
        match invocation::arguments(call) {
            Some(arguments) => arguments.iter().for_each(|one| self.visit_expr(one)),
            // `names` keeps the observed ones
            None => self.read.extend(invocation::names(call.tokens.clone())),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::model;

    fn names(source: &str) -> Vec<String> {
        let function: syn::ItemFn = syn::parse_str(source).unwrap();
        super::names(&model(&function, false))
    }

    #[test]
    fn data_that_are_read_outside_of_observe_are_named() {
        let ar = "fn m(y: &[f64]) { for t in 1..y.len() { observe(y[t], Normal::new(phi * y[t - 1], 1.0)); } }";
        assert_eq!(names(ar), ["y"]);
        let carried = "fn m(y: &[f64]) { let mut past = 0.0; for t in 0..y.len() { observe(y[t], Normal::new(past, 1.0)); past = y[t].into(); } }";
        assert_eq!(names(carried), ["y"]);
        let used = "fn m(y: &[f64]) { let a = sample(Normal::new(0.0, 1.0)); let r = deterministic(y[0] - a); observe(y, Normal::new(r, 1.0)); }";
        assert_eq!(names(used), ["y"]);
        let indexed = "fn m(y: &[u64], x: &[f64]) { observe(y, Poisson::new(a)); if x[y[0] as usize].is_nan() { factor(a); } }";
        assert_eq!(names(indexed), ["y"]);
        let field =
            "fn m(study: &Study) { observe(&study.y, Normal::new(study.x[0] + study.y[0], 1.0)); }";
        assert_eq!(names(field), ["study.y"]);
    }

    /// The mutations that it detects: the arguments of macros are no uses, or no reads.
    #[test]
    fn arguments_of_macros_are_read() {
        for call in ["vec![r; n]", "vec![0.0, r]", "own!(of r => n)"] {
            let source = format!(
                "fn m(y: &[f64], n: usize) {{ let r = deterministic(y[0] * 0.5); observe(y, Normal::new(&{call}, 1.0)); }}"
            );
            assert_eq!(names(&source), ["y"], "{call}");
        }
        for call in ["vec![s.y[0]; n]", "vec![0.0, f(s.y[0])]", "own!(s.y => n)"] {
            let source =
                format!("fn m(s: &S, n: usize) {{ observe(&s.y, Normal::new(&{call}, 1.0)); }}");
            assert_eq!(names(&source), ["s.y"], "{call}");
        }
    }

    #[test]
    fn sizes_and_loops_are_no_reads() {
        for source in [
            "fn m(y: &[f64], x: &[f64]) { for i in 0..y.len() { observe(y[i], Normal::new(b * x[i], 1.0)); } }",
            "fn m(y: &[f64]) { let z = sample(Normal::new(0.0, 1.0).iid(y.len())); observe(y, Normal::new(&z, 1.0)); }",
            "fn m(y: &[f64], x: &[f64]) { for (y, x) in y.iter().zip(x) { observe(*y, Normal::new(b * *x, 1.0)); } }",
            "fn m(y: &[f64]) { for t in 0..y.len() { if !y[t].is_nan() { observe(y[t], Normal::new(mu, 1.0)); } } }",
            "fn m(y: &[f64]) { let mu = sample(Normal::new(0.0, 1.0)); observe(y, Normal::new(mu, 1.0)); let residual = deterministic(y[0] - mu); }",
            "fn m(y: &[f64]) { observe(y, Normal::new(mu, 1.0)); let next = generate(Normal::new(y[y.len() - 1], 1.0)); }",
            "fn m(y: &[f64]) { assert!(y[0] > 0.0); let z = vec![0.0; y.len()]; observe(y, Normal::new(&z, 1.0)); }",
            "fn m(y: &[f64]) { let r = deterministic(y[0] * 0.5); println!(\"{}\", r); observe(y, Normal::new(mu, 1.0)); }",
            "fn m(study: &Study) { observe(&study.y, Normal::new(b * study.x[study.y.len() - 1], 1.0)); }",
        ] {
            assert_eq!(names(source), [""; 0], "{source}");
        }
    }
}
