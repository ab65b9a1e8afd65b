//! Counters of nested loops as indices of observed data: `i` and `j` of `observe(y[(i, j)], ..)`.

use syn::visit::{self, Visit};
use syn::{Expr, ExprForLoop, Ident, Pat, PatIdent};

/// The counters of the loops around a place: names of whole numbers.
#[derive(Clone, Debug, Default)]
pub struct Counters(Vec<Ident>);

impl Counters {
    /// Adds the counter of a loop; returns the counters around it.
    pub fn enter(&mut self, expression: &ExprForLoop) -> Self {
        let around = self.clone();
        self.shadow(&expression.pat);
        self.0.extend(counter(expression).cloned());
        around
    }

    /// A pattern gives its names another meaning.
    pub fn shadow(&mut self, pattern: &Pat) {
        let mut bound = Bound(&mut self.0);
        bound.visit_pat(pattern);
    }

    /// The indices in `y[i][j]`, `y[(i, j)]` or `y[[i, j]]`, if there are two and both are counters.
    pub fn indices<'e>(&self, data: &'e Expr) -> Option<Vec<&'e Ident>> {
        let mut indices = Vec::new();
        collect(data, &mut indices)?;
        let are_counters = indices.iter().all(|index| self.0.contains(index));
        (indices.len() == 2 && are_counters).then_some(indices)
    }
}

struct Bound<'c>(&'c mut Vec<Ident>);

impl Visit<'_> for Bound<'_> {
    fn visit_pat_ident(&mut self, pattern: &PatIdent) {
        self.0.retain(|counter| *counter != pattern.ident);
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
