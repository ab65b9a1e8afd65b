//! Names of observed data: `observe(count, ..)` in `for &count in cases` observes `cases`.

use super::name_of_data;
use crate::ast::{Call, Verb};
use std::collections::VecDeque;
use syn::visit::{self, Visit};
use syn::{Arm, Block, Expr, ExprCall, ExprClosure, ExprForLoop, Item, Local, Pat, PatIdent};

/// The names of the data of all `observe` statements in a body, in the order of the statements.
pub fn observed_names(body: &Block) -> VecDeque<String> {
    let mut origins = Origins::default();
    origins.visit_block(body);
    origins.observed
}

#[derive(Default)]
struct Origins {
    /// The meaning of a name, later ones before earlier ones; its own text if there is no other.
    names: Vec<(String, String)>,
    observed: VecDeque<String>,
}

/// Methods that give the same elements, or some of them.
const SAME_ELEMENTS: [&str; 12] = [
    "iter",
    "into_iter",
    "copied",
    "cloned",
    "rev",
    "skip",
    "take",
    "step_by",
    "filter",
    "as_slice",
    "row_iter",
    "column_iter",
];

impl Origins {
    /// The name of data: its text, or the name of the data of which it is an element.
    fn name(&self, data: &Expr) -> String {
        let plain = name_of_data(data);
        let known = self.names.iter().rev().find(|(name, _)| *name == plain);
        match (data, known) {
            (Expr::Tuple(tuple), _) => {
                let names: Vec<String> = tuple.elems.iter().map(|part| self.name(part)).collect();
                format!("({})", names.join(", "))
            }
            (Expr::Reference(inner), _) => self.name(&inner.expr),
            (Expr::Paren(inner), _) => self.name(&inner.expr),
            (_, Some((_, origin))) => origin.clone(),
            (_, None) => plain,
        }
    }

    /// Gives the names of a pattern their own meaning from here on.
    fn shadow(&mut self, pattern: &Pat) {
        let mut bound = Bound(Vec::new());
        bound.visit_pat(pattern);
        self.names
            .extend(bound.0.into_iter().map(|name| (name.clone(), name)));
    }

    /// Binds an element of the iterated data of a loop.
    fn element(&mut self, pattern: &Pat, iterated: &Expr) {
        match (iterated, pattern) {
            (Expr::Reference(inner), _) => self.element(pattern, &inner.expr),
            (Expr::Paren(inner), _) => self.element(pattern, &inner.expr),
            (Expr::MethodCall(call), Pat::Tuple(pair)) if pair.elems.len() == 2 => {
                match (call.method.to_string().as_str(), call.args.first()) {
                    ("zip", Some(other)) => {
                        self.element(&pair.elems[0], &call.receiver);
                        self.element(&pair.elems[1], other);
                    }
                    ("enumerate", _) => {
                        self.shadow(&pair.elems[0]);
                        self.element(&pair.elems[1], &call.receiver);
                    }
                    (method, _) if SAME_ELEMENTS.contains(&method) => {
                        self.element(pattern, &call.receiver);
                    }
                    _ => self.shadow(pattern),
                }
            }
            (Expr::MethodCall(call), _)
                if SAME_ELEMENTS.iter().any(|method| call.method == method) =>
            {
                self.element(pattern, &call.receiver);
            }
            (Expr::Path(_) | Expr::Field(_) | Expr::Index(_), _) => self.alias(pattern, iterated),
            _ => self.shadow(pattern),
        }
    }

    /// A plain name, or one behind `&`, for an element of `data`.
    fn alias(&mut self, pattern: &Pat, data: &Expr) {
        match pattern {
            Pat::Reference(inner) => self.alias(&inner.pat, data),
            Pat::Paren(inner) => self.alias(&inner.pat, data),
            Pat::Type(typed) => self.alias(&typed.pat, data),
            Pat::Ident(bound) if bound.subpat.is_none() => {
                self.names.push((bound.ident.to_string(), self.name(data)));
            }
            other => self.shadow(other),
        }
    }

    /// Forgets the bindings of a block at its end.
    fn within(&mut self, visit: impl FnOnce(&mut Self)) {
        let outside = self.names.len();
        visit(self);
        self.names.truncate(outside);
    }
}

impl<'a> Visit<'a> for Origins {
    fn visit_block(&mut self, block: &'a Block) {
        self.within(|origins| visit::visit_block(origins, block));
    }

    fn visit_local(&mut self, local: &'a Local) {
        if let Some(init) = &local.init {
            visit::visit_local_init(self, init);
        }
        // a value of its own, which the model may also use elsewhere: `let past = cases[t - 1];`
        self.shadow(&local.pat);
    }

    fn visit_expr_for_loop(&mut self, turns: &'a ExprForLoop) {
        self.visit_expr(&turns.expr);
        self.within(|origins| {
            origins.element(&turns.pat, &turns.expr);
            origins.visit_block(&turns.body);
        });
    }

    fn visit_expr_closure(&mut self, closure: &'a ExprClosure) {
        self.within(|origins| {
            closure
                .inputs
                .iter()
                .for_each(|input| origins.shadow(input));
            origins.visit_expr(&closure.body);
        });
    }

    fn visit_arm(&mut self, arm: &'a Arm) {
        self.within(|origins| {
            origins.shadow(&arm.pat);
            visit::visit_arm(origins, arm);
        });
    }

    fn visit_expr_let(&mut self, bound: &'a syn::ExprLet) {
        visit::visit_expr_let(self, bound);
        self.shadow(&bound.pat);
    }

    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        let verb = Call::from_call(call).map(|call| call.verb);
        let observes = matches!(verb, Some(Verb::Observe | Verb::Impute));
        if let (true, Some(data)) = (observes, call.args.first()) {
            let name = self.name(data);
            self.observed.push_back(name);
        }
        visit::visit_expr_call(self, call);
    }

    // the statements of a function inside the body do not belong to the model
    fn visit_item(&mut self, _: &'a Item) {}
}

struct Bound(Vec<String>);

impl Visit<'_> for Bound {
    fn visit_pat_ident(&mut self, pattern: &PatIdent) {
        self.0.push(pattern.ident.to_string());
        visit::visit_pat_ident(self, pattern);
    }
}

#[cfg(test)]
mod tests {
    fn names(body: &str) -> Vec<String> {
        let block: syn::Block = syn::parse_str(&format!("{{ {body} }}")).unwrap();
        super::observed_names(&block).into()
    }

    #[test]
    fn elements_of_a_loop_have_the_name_of_what_it_goes_through() {
        for body in [
            "for &count in cases { observe(count, d); }",
            "for count in cases.iter() { observe(*count, d); }",
            "for (t, count) in cases.iter().enumerate() { observe(*count, d); }",
            "for (x, count) in x.iter().zip(cases) { observe(*count, d); }",
            "for ((x, z), &c) in x.iter().zip(z).zip(cases) { observe(c, d); }",
            "for (t, (x, c)) in x.iter().zip(&cases[1..]).enumerate() { observe(c, d); }",
            "for week in cases { for &c in week { observe(c as f64, d); } }",
            "for t in 0..n { observe(cases[t], d); }",
            "for &count in cases.iter().skip(1) { if x { observe(count, d) } else { f(count) } }",
        ] {
            assert_eq!(names(body), ["cases"], "{body}");
        }
        assert_eq!(
            names("for c in &data.cases { observe(*c, d); }"),
            ["data.cases"]
        );
        assert_eq!(
            names("for (l, h) in low.iter().zip(high) { observe((*l, *h), d); }"),
            ["(low, high)"]
        );
    }

    #[test]
    fn what_is_computed_or_bound_anew_has_its_own_name() {
        for body in [
            "for t in 0..n { let count = cases[t] - past; observe(count, d); }",
            "for count in cases { let count = count.max(past); observe(count, d); }",
            "for &count in cases { f(count); } observe(count, d);",
            "for count in differences(cases) { observe(count, d); }",
            "for count in 0..3 { observe(count, d); }",
            "for Row { count, .. } in rows { observe(*count, d); }",
            "for count in cases { (0..3).for_each(|count| observe(count, d)); }",
            "for count in cases { match x { Some(count) => observe(count, d), None => {} } }",
            "let count = cases.map(ln); observe(&count, d);",
            "for t in 1..n { let count = cases[t - 1]; observe(count, d); }",
        ] {
            assert_eq!(names(body), ["count"], "{body}");
        }
    }

    #[test]
    fn names_are_in_the_order_of_the_statements() {
        assert_eq!(names("let x = impute(&data.x, d); f(x);"), ["data.x"]);
        let body = "observe(y, d); for &c in cases { observe(c, d); } if a { observe(&z[1..], d); } fn f() { observe(no, d); }";
        assert_eq!(names(body), ["y", "cases", "z"]);
    }
}
