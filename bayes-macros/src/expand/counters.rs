//! Counters of loops by which data are observed: `i` and `j` of `observe(y[(i, j)], ..)`, and `t` of `observe(y[t], ..)` in a loop that leaves some out.

use crate::ast::{Call, Verb};
use syn::visit::{self, Visit};
use syn::{
    Expr, ExprBreak, ExprCall, ExprClosure, ExprContinue, ExprForLoop, ExprIf, ExprMatch, Ident,
    Lit, Pat, PatIdent, parse_quote,
};

/// The counters of the loops around a place: names of whole numbers.
#[derive(Clone, Debug, Default)]
pub struct Counters(Vec<Counter>);

#[derive(Clone, Debug)]
struct Counter {
    name: Ident,
    /// Whether the loop begins behind 0, or observes in some of its turns alone: then the number of an observation is not its index.
    leaves_out: bool,
}

impl Counters {
    /// Adds the counter of a loop; returns the counters around it.
    pub fn enter(&mut self, expression: &ExprForLoop) -> Self {
        let around = self.clone();
        self.shadow(&expression.pat);
        self.0.extend(counter(expression).map(|name| Counter {
            name: name.clone(),
            leaves_out: leaves_out(expression),
        }));
        around
    }

    /// A pattern gives its names another meaning.
    pub fn shadow(&mut self, pattern: &Pat) {
        let mut bound = Bound(&mut self.0);
        bound.visit_pat(pattern);
    }

    /// The indices in `y[i][j]`, `y[(i, j)]` or `y[[i, j]]`, if they are two and both are counters; that of `y[i]`, if its loop leaves some out.
    pub fn indices<'e>(&self, data: &'e Expr) -> Option<Vec<&'e Ident>> {
        let mut indices = Vec::new();
        collect(data, &mut indices)?;
        let counter = |index: &&Ident| self.0.iter().find(|counter| counter.name == **index);
        let counters: Option<Vec<&Counter>> = indices.iter().map(counter).collect();
        let is_wanted = match counters?.as_slice() {
            [one] => one.leaves_out,
            [_, _] => true,
            _ => false,
        };
        is_wanted.then_some(indices)
    }
}

/// The index of the first element of a slice, `1` of `&y[1..]`; 0 if it begins with the first. `None` if the data are no slice of a name,
/// or if the index is another expression than a number or a name, which might not be the same when it is evaluated again.
pub fn first_of_slice(data: &Expr) -> Option<Expr> {
    match data {
        Expr::Reference(inner) => first_of_slice(&inner.expr),
        Expr::Paren(inner) => first_of_slice(&inner.expr),
        Expr::Index(slice) if matches!(&*slice.expr, Expr::Path(_) | Expr::Field(_)) => {
            let Expr::Range(range) = &*slice.index else {
                return None;
            };
            match range.start.as_deref() {
                None => Some(parse_quote!(0)),
                Some(start) => is_plain(start).then(|| start.clone()),
            }
        }
        _ => None,
    }
}

/// Whether an expression is a number, a name, or a sum or product of such.
fn is_plain(expression: &Expr) -> bool {
    match expression {
        Expr::Lit(_) | Expr::Path(_) => true,
        Expr::Field(field) => is_plain(&field.base),
        Expr::Paren(inner) => is_plain(&inner.expr),
        Expr::Binary(binary) => is_plain(&binary.left) && is_plain(&binary.right),
        _ => false,
    }
}

/// Whether a loop begins behind 0, or observes under a condition.
fn leaves_out(expression: &ExprForLoop) -> bool {
    let mut conditions = Conditions::default();
    conditions.visit_block(&expression.body);
    conditions.found || begins_behind_0(&expression.expr)
}

fn begins_behind_0(iterated: &Expr) -> bool {
    let Expr::Range(range) = iterated else {
        return false;
    };
    let is_0 = |start: &Expr| matches!(start, Expr::Lit(literal) if matches!(&literal.lit, Lit::Int(int) if int.base10_digits() == "0"));
    !range.start.as_deref().is_some_and(is_0)
}

/// Looks for what leaves turns of a loop without an observation.
#[derive(Default)]
struct Conditions {
    /// Branches around the present place.
    branches: usize,
    found: bool,
}

impl Conditions {
    fn within(&mut self, visit: impl FnOnce(&mut Self)) {
        self.branches += 1;
        visit(self);
        self.branches -= 1;
    }
}

impl<'a> Visit<'a> for Conditions {
    fn visit_expr_if(&mut self, branching: &'a ExprIf) {
        self.within(|conditions| visit::visit_expr_if(conditions, branching));
    }
    fn visit_expr_match(&mut self, branching: &'a ExprMatch) {
        self.within(|conditions| visit::visit_expr_match(conditions, branching));
    }
    fn visit_expr_continue(&mut self, _: &'a ExprContinue) {
        self.found = true;
    }
    fn visit_expr_break(&mut self, _: &'a ExprBreak) {
        self.found = true;
    }
    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        let observes = Call::from_call(call).is_some_and(|call| call.verb == Verb::Observe);
        self.found |= observes && self.branches > 0;
        visit::visit_expr_call(self, call);
    }
    // a `break` there is not that of this loop
    fn visit_expr_closure(&mut self, _: &'a ExprClosure) {}
}

struct Bound<'c>(&'c mut Vec<Counter>);

impl Visit<'_> for Bound<'_> {
    fn visit_pat_ident(&mut self, pattern: &PatIdent) {
        self.0.retain(|counter| counter.name != pattern.ident);
        visit::visit_pat_ident(self, pattern);
    }
}

/// `i` of `for i in 0..n` and of `for (i, x) in xs.iter().enumerate()`.
fn counter(expression: &ExprForLoop) -> Option<&Ident> {
    match (&*expression.pat, &*expression.expr) {
        (Pat::Ident(pattern), Expr::Range(_)) => Some(&pattern.ident),
        (Pat::Tuple(pair), Expr::MethodCall(call)) if call.method == "enumerate" => {
            match pair.elems.first() {
                Some(Pat::Ident(pattern)) => Some(&pattern.ident),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The names in the indices of data, from left to right; nothing if an index is another expression.
fn collect<'e>(data: &'e Expr, indices: &mut Vec<&'e Ident>) -> Option<()> {
    match data {
        Expr::Index(expression) => {
            collect(&expression.expr, indices)?;
            names(&expression.index, indices)
        }
        Expr::Reference(inner) => collect(&inner.expr, indices),
        Expr::Paren(inner) => collect(&inner.expr, indices),
        Expr::Path(_) | Expr::Field(_) => Some(()),
        _ => None,
    }
}

fn names<'e>(index: &'e Expr, indices: &mut Vec<&'e Ident>) -> Option<()> {
    match index {
        Expr::Path(path) => {
            indices.push(path.path.get_ident()?);
            Some(())
        }
        Expr::Tuple(tuple) => tuple
            .elems
            .iter()
            .try_for_each(|index| names(index, indices)),
        Expr::Array(array) => array
            .elems
            .iter()
            .try_for_each(|index| names(index, indices)),
        Expr::Paren(inner) => names(&inner.expr, indices),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use syn::parse_quote;

    fn indices(loops: &[ExprForLoop], data: &Expr) -> Option<Vec<String>> {
        let mut counters = Counters::default();
        for expression in loops {
            counters.enter(expression);
        }
        let found = counters.indices(data)?;
        Some(found.into_iter().map(ToString::to_string).collect())
    }

    #[test]
    fn two_counters_of_loops_are_the_indices() {
        let loops: [ExprForLoop; 2] = [
            parse_quote!(for i in 0..n {}),
            parse_quote!(for (j, x) in xs.iter().enumerate() {}),
        ];
        let data: [Expr; 3] = [
            parse_quote!(y[i][j]),
            parse_quote!(&y[(i, j)]),
            parse_quote!(data.y[[i, j]]),
        ];
        for data in &data {
            let found = indices(&loops, data).expect("both are counters");
            assert_eq!(found, ["i", "j"]);
        }
    }

    #[test]
    fn one_counter_is_the_index_where_its_loop_leaves_some_out() {
        let data: Expr = parse_quote!(y[i]);
        let loops: [ExprForLoop; 4] = [
            parse_quote!(for i in 0..n {
                if !y[i].is_nan() {
                    observe(y[i], d);
                }
            }),
            parse_quote!(for i in 0..n {
                if y[i].is_nan() {
                    continue;
                }
                observe(y[i], d);
            }),
            parse_quote!(for i in 1..n {
                observe(y[i], d);
            }),
            parse_quote!(for (i, g) in group.iter().enumerate() {
                match g {
                    0 => observe(y[i], d),
                    _ => {}
                }
            }),
        ];
        for expression in loops {
            assert_eq!(indices(&[expression], &data), Some(vec!["i".to_owned()]));
        }
        let all: [ExprForLoop; 2] = [
            parse_quote!(for i in 0..n {
                observe(y[i], d);
            }),
            parse_quote!(for i in 0..n {
                let m = if late { a } else { b };
                observe(y[i], m);
            }),
        ];
        for expression in all {
            assert_eq!(indices(&[expression], &data), None);
        }
    }

    #[test]
    fn slices_have_the_index_of_their_first_element() {
        let first =
            |data: Expr| first_of_slice(&data).map(|first| quote::quote!(#first).to_string());
        let cases: [(Expr, Option<&str>); 7] = [
            (parse_quote!(&y[1..]), Some("1")),
            (parse_quote!(y[..k]), Some("0")),
            (parse_quote!(&data.y[lag + 1..=n]), Some("lag + 1")),
            (parse_quote!(&y), None),
            (parse_quote!(y[i]), None),
            (parse_quote!(&y[next()..]), None),
            (parse_quote!(&y[i][1..]), None),
        ];
        for (data, wanted) in cases {
            assert_eq!(first(data).as_deref(), wanted);
        }
    }

    #[test]
    fn other_indices_are_not_evaluated_twice() {
        let loops: [ExprForLoop; 3] = [
            parse_quote!(for i in 0..n {}),
            parse_quote!(for j in 0..n {}),
            // another meaning of `j`
            parse_quote!(for (k, j) in pairs {}),
        ];
        let data: [Expr; 5] = [
            parse_quote!(y[i]),
            parse_quote!(y[i][i + 1]),
            parse_quote!(y[next()][i]),
            parse_quote!(y[i][j]),
            parse_quote!(rows(i)[i][i]),
        ];
        for data in &data {
            assert_eq!(indices(&loops, data), None);
        }
        let pair: Expr = parse_quote!(y[i][j]);
        assert!(indices(&loops[..2], &pair).is_some());
    }
}
