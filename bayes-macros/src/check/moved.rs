//! Vectors and matrices that arithmetic or a distribution takes by value and that are used again: rustc would suggest a clone.
//!
//! Reports only what rustc certainly rejects: a vector that is drawn in a block, moved at a place that every run passes, and mentioned
//! afterwards. Names that are bound or assigned a second time are ignored.

use super::statement;
use crate::ast::{Call, Verb};
use crate::distribution::Construction;
use crate::messages;
use crate::report::Report;
use syn::visit::{self, Visit};
use syn::{
    Arm, BinOp, Block, Expr, ExprAssign, ExprBinary, ExprBreak, ExprCall, ExprClosure, ExprForLoop,
    ExprIf, ExprPath, ExprWhile, Ident, Item, Local, Macro, Pat, PatIdent, Stmt,
};

/// Families of vectors and matrices.
const VECTORS: [&str; 19] = [
    "Autoregressive",
    "Dirichlet",
    "GaussianField",
    "GaussianProcess",
    "GaussianRandomWalk",
    "HiddenMarkov",
    "Icar",
    "IntrinsicRandomWalk",
    "InverseWishart",
    "LKJ",
    "LKJCholesky",
    "MatrixNormal",
    "MultivariateNormal",
    "MultivariateStudentT",
    "Product",
    "StateSpace",
    "UniformSphere",
    "Wishart",
    "ZeroSumNormal",
];

/// The rule for every vector drawn in the body.
pub fn moved(body: &Block, report: &mut Report) {
    let mut blocks = Blocks(report);
    blocks.visit_block(body);
}

struct Blocks<'r>(&'r mut Report);

impl<'a> Visit<'a> for Blocks<'_> {
    fn visit_block(&mut self, block: &'a Block) {
        for (position, statement) in block.stmts.iter().enumerate() {
            if let Stmt::Local(local) = statement
                && let Some(name) = drawn_vector(local)
            {
                self.vector(name, &block.stmts[position + 1..]);
            }
        }
        visit::visit_block(self, block);
    }

    fn visit_item(&mut self, _: &'a Item) {}
}

impl Blocks<'_> {
    fn vector(&mut self, name: &Ident, after: &[Stmt]) {
        let mut uses = Uses {
            name,
            moved: None,
            is_certain: true,
            used_again: false,
            is_bound_again: false,
        };
        after
            .iter()
            .for_each(|statement| uses.visit_stmt(statement));
        if let (Some(place), true, false) = (uses.moved, uses.used_again, uses.is_bound_again) {
            self.0.at(place, messages::moved(&name.to_string()));
        }
    }
}

/// The name of a random vector or matrix in a statement.
fn drawn_vector(local: &Local) -> Option<&Ident> {
    let Pat::Ident(bound) = &local.pat else {
        return None;
    };
    let call = Call::from_expr(&local.init.as_ref()?.expr).filter(|call| call.verb.draws())?;
    if call.verb == Verb::Impute {
        return Some(&bound.ident);
    }
    let distribution = statement::distribution(call)?;
    let family = Construction::at_root(distribution)?;
    let is_vector = has_copies(distribution) || VECTORS.iter().any(|vector| family.name == vector);
    (is_vector && family.known().is_some()).then_some(&bound.ident)
}

/// Whether it ends in `.iid(n)`.
fn has_copies(distribution: &Expr) -> bool {
    match distribution {
        Expr::MethodCall(call) => call.method == "iid" || has_copies(&call.receiver),
        Expr::Paren(inner) => has_copies(&inner.expr),
        _ => false,
    }
}

/// The uses of a name, in the order of the text.
struct Uses<'a> {
    name: &'a Ident,
    /// The place of its move.
    moved: Option<&'a Ident>,
    /// Whether every run passes the present place.
    is_certain: bool,
    used_again: bool,
    is_bound_again: bool,
}

impl<'a> Uses<'a> {
    fn mention<'e>(&self, expression: &'e Expr) -> Option<&'e Ident> {
        match expression {
            Expr::Path(path) => path.path.get_ident().filter(|name| *name == self.name),
            Expr::Paren(inner) => self.mention(&inner.expr),
            _ => None,
        }
    }

    /// An operand or an argument; a bare name is moved.
    fn operand(&mut self, expression: &'a Expr) {
        match self.mention(expression) {
            Some(name) if self.is_certain && self.moved.is_none() => self.moved = Some(name),
            _ => self.visit_expr(expression),
        }
    }

    /// A part that some runs do not pass.
    fn perhaps(&mut self, visit: impl FnOnce(&mut Self)) {
        let outside = std::mem::replace(&mut self.is_certain, false);
        visit(self);
        self.is_certain = outside;
    }
}

impl<'a> Visit<'a> for Uses<'a> {
    fn visit_expr_path(&mut self, path: &'a ExprPath) {
        let is_name = path.path.get_ident().is_some_and(|name| name == self.name);
        self.used_again |= is_name && self.moved.is_some();
    }

    fn visit_expr_binary(&mut self, binary: &'a ExprBinary) {
        use BinOp::{Add, Div, Mul, Sub};
        if matches!(binary.op, Add(_) | Sub(_) | Mul(_) | Div(_)) {
            self.operand(&binary.left);
            self.operand(&binary.right);
        } else {
            self.visit_expr(&binary.left);
            self.perhaps(|uses| uses.visit_expr(&binary.right));
        }
    }

    fn visit_expr_call(&mut self, call: &'a ExprCall) {
        let construction = Construction::of(call);
        if construction.is_some_and(|construction| construction.known().is_some()) {
            call.args.iter().for_each(|argument| self.operand(argument));
        } else {
            visit::visit_expr_call(self, call);
        }
    }

    fn visit_expr_for_loop(&mut self, turns: &'a ExprForLoop) {
        self.visit_pat(&turns.pat);
        self.visit_expr(&turns.expr);
        let mut leaves = Leaves(false);
        leaves.visit_block(&turns.body);
        let before = self.moved.is_some();
        if leaves.0 {
            self.perhaps(|uses| uses.visit_block(&turns.body));
        } else {
            self.visit_block(&turns.body);
            // the next iteration uses it again
            self.used_again |= !before && self.moved.is_some();
        }
    }

    fn visit_expr_if(&mut self, branching: &'a ExprIf) {
        self.visit_expr(&branching.cond);
        self.perhaps(|uses| {
            uses.visit_block(&branching.then_branch);
            if let Some((_, otherwise)) = &branching.else_branch {
                uses.visit_expr(otherwise);
            }
        });
    }

    fn visit_arm(&mut self, arm: &'a Arm) {
        self.perhaps(|uses| visit::visit_arm(uses, arm));
    }

    fn visit_expr_while(&mut self, repeated: &'a ExprWhile) {
        self.perhaps(|uses| visit::visit_expr_while(uses, repeated));
    }

    fn visit_expr_loop(&mut self, repeated: &'a syn::ExprLoop) {
        self.perhaps(|uses| visit::visit_expr_loop(uses, repeated));
    }

    fn visit_expr_closure(&mut self, closure: &'a ExprClosure) {
        self.perhaps(|uses| visit::visit_expr_closure(uses, closure));
    }

    fn visit_pat_ident(&mut self, pattern: &'a PatIdent) {
        self.is_bound_again |= pattern.ident == *self.name;
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr_assign(&mut self, assignment: &'a ExprAssign) {
        self.is_bound_again |= self.mention(&assignment.left).is_some();
        visit::visit_expr_assign(self, assignment);
    }

    fn visit_macro(&mut self, _: &'a Macro) {}

    fn visit_item(&mut self, _: &'a Item) {}
}

/// Whether a loop may end early.
struct Leaves(bool);

impl Visit<'_> for Leaves {
    fn visit_expr_break(&mut self, _: &ExprBreak) {
        self.0 = true;
    }
}

#[cfg(test)]
mod tests {
    use super::moved;
    use crate::report::Report;

    fn is_moved(body: &str) -> bool {
        let text = format!("{{ let b = sample(Normal::new(0.0, 1.0).iid(3)); {body} }}");
        let mut report = Report::default();
        moved(&syn::parse_str(&text).unwrap(), &mut report);
        !report.is_empty()
    }

    #[test]
    fn a_vector_that_is_used_after_its_move_is_reported() {
        for body in [
            "let m = x * b; observe(y, Normal::new(m, b[0]));",
            "observe(y, Normal::new(b, 1.0)); factor(b.sum());",
            "let m = b * 2.0 + b;",
            "for i in 0..n { observe(y[i], Normal::new(rows[i] * b, 1.0)); }",
            "{ let m = x * b; } if data { f(&b); }",
            "let m = x * (b); let f = |i| b[i];",
        ] {
            assert!(is_moved(body), "{body}");
        }
    }

    #[test]
    fn what_rustc_accepts_is_left_alone() {
        for body in [
            "let m = x * &b; let n = x * b;",
            "let s = b.sum(); let m = x * b;",
            "if data { let m = x * b; } else { let m = z * b; }",
            "let m = x * b; let b = 1.0; let n = b * 2.0;",
            "for i in 0..n { let m = x * b; break; }",
            "let f = || x * b; f(); let n = 1.0;",
            "let m = own(b); let n = b[0];",
            "for i in 0..n { let b = row(i); let m = x * b; let k = b * 2.0; }",
        ] {
            assert!(!is_moved(body), "{body}");
        }
        let scalar = "{ let b = sample(Normal::new(0.0, 1.0)); let m = b * b; }";
        let mut report = Report::default();
        moved(&syn::parse_str(scalar).unwrap(), &mut report);
        assert!(report.is_empty());
    }
}
