//! Rules about `sum_out`: the rest of its block runs once for each value, so it may only add terms.

use super::branch::is_lazy;
use super::scope::{Nature, Scope};
use crate::ast::{Call, Verb};
use crate::distribution::{Construction, is_discrete};
use crate::messages;
use crate::report::Report;
use crate::sum;
use crate::text::text_of;
use proc_macro2::Ident;
use syn::{Attribute, BinOp, Block, Expr, ExprPath, Local, Pat, Stmt};

/// A sum around the present place.
pub struct Sum {
    /// The quantity that is summed out.
    pub name: String,
    /// The number of blocks around its statement.
    pub depth: usize,
}

/// The distribution must be discrete, as far as its name shows.
pub fn distribution(call: Call<'_>, report: &mut Report) {
    let Some(distribution) = call.call.args.first().filter(|_| call.verb == Verb::SumOut) else {
        return;
    };
    if let Expr::MethodCall(method) = distribution
        && method.method == "iid"
    {
        report.at(
            &method.method,
            messages::sum_of_several(&text_of(&method.receiver)),
        );
    }
    let known = Construction::at_root(distribution).and_then(|construction| construction.known());
    if let Some(known) = known
        && known.name != "Mixture"
        && !is_discrete(distribution, &[])
    {
        report.at(distribution, messages::sum_of_continuous(known.name));
    }
}

/// The rows of a model must be independent given its random values. A quantity shared by several rows breaks this: with data that have
/// rows (`marked`), a sum must be in a loop over the rows. `iterated` has the texts of what the loops around it iterate over.
pub fn rows(name: &Ident, iterated: &[String], marked: &[String], report: &mut Report) {
    let is_over_rows = |text: &String| {
        let mut words = text.split(|c: char| !c.is_alphanumeric() && c != '_');
        words.any(|word| marked.iter().any(|name| name == word))
    };
    if !marked.is_empty() && !iterated.iter().any(is_over_rows) {
        report.at(name, messages::sum_over_rows(&name.to_string(), &marked[0]));
    }
}

/// The `let` of a sum binds a plain name to a `usize`.
pub fn binding(local: &Local, name: &Ident, report: &mut Report) {
    let (pattern, ty) = match &local.pat {
        Pat::Type(typed) => (&*typed.pat, Some(text_of(&typed.ty))),
        other => (other, None),
    };
    let is_mutable = matches!(pattern, Pat::Ident(bound) if bound.mutability.is_some());
    let other_type = ty.filter(|ty| ty != "usize");
    if is_mutable || other_type.is_some() {
        report.at(
            pattern,
            messages::binding_of_sum(&name.to_string(), other_type.as_deref()),
        );
    }
    let is_mark = |attribute: &Attribute| attribute.path().is_ident("dims");
    for attribute in local.attrs.iter().filter(|attribute| !is_mark(attribute)) {
        report.at(attribute, messages::attribute_of_sum());
    }
}

/// A block that sums cannot have a value: it would have one for each value of the quantity.
pub fn value_of_block(block: &Block, report: &mut Report) {
    let sum = block.stmts.iter().find_map(sum::name);
    if let (Some(name), Some(Stmt::Expr(value, None))) = (sum, block.stmts.last())
        && !matches!(
            value,
            Expr::Call(_) | Expr::ForLoop(_) | Expr::If(_) | Expr::Match(_) | Expr::Block(_)
        )
    {
        report.at(
            value,
            messages::value_of_sum(&text_of(value), &name.to_string()),
        );
    }
}

/// A quantity after a sum would be a different one for each value.
pub fn quantity(call: Call<'_>, sums: &[Sum], report: &mut Report) {
    let Some(sum) = sums.last().filter(|_| call.verb != Verb::SumOut) else {
        return;
    };
    let (word, text) = (call.verb.word(), text_of(call.call));
    let uses_value = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .any(|part| part == sum.name);
    report.at(
        call.word,
        match uses_value {
            true => messages::quantity_of_value(word, &sum.name),
            false => messages::quantity_in_sum(word, &sum.name, &text),
        },
    );
}

/// Methods that change what they are called on.
const CHANGING: [&str; 15] = [
    "append",
    "clear",
    "dedup",
    "drain",
    "extend",
    "extend_from_slice",
    "fill",
    "insert",
    "pop",
    "push",
    "push_back",
    "push_front",
    "push_str",
    "remove",
    "truncate",
];

/// A change of a name from before the sum would carry something from one value to the next.
pub fn change(expression: &Expr, scope: &Scope, sums: &[Sum], report: &mut Report) {
    let target = match expression {
        Expr::Assign(assignment) => &assignment.left,
        Expr::Binary(binary) if is_assignment(&binary.op) => &binary.left,
        Expr::MethodCall(call) if CHANGING.iter().any(|method| call.method == method) => {
            &call.receiver
        }
        Expr::Reference(reference) if reference.mutability.is_some() => &reference.expr,
        _ => return,
    };
    let (Some(name), Some(sum)) = (base(target), sums.last()) else {
        return;
    };
    let text = name.to_string();
    if scope.is_bound_outside(&text, sum.depth) {
        report.at(target, messages::assignment_in_sum(&text, &sum.name));
    }
}

fn is_assignment(op: &BinOp) -> bool {
    use BinOp::{
        AddAssign, BitAndAssign, BitOrAssign, BitXorAssign, DivAssign, MulAssign, RemAssign,
        ShlAssign, ShrAssign, SubAssign,
    };
    matches!(
        op,
        AddAssign(_)
            | SubAssign(_)
            | MulAssign(_)
            | DivAssign(_)
            | RemAssign(_)
            | BitAndAssign(_)
            | BitOrAssign(_)
            | BitXorAssign(_)
            | ShlAssign(_)
            | ShrAssign(_)
    )
}

/// `if k`: the value of a sum is a number.
pub fn condition(word: &str, condition: &Expr, scope: &Scope, report: &mut Report) {
    match condition {
        Expr::Path(path) if is_sum(path, scope) => {
            report.at(
                condition,
                messages::sum_as_condition(word, &text_of(condition)),
            );
        }
        Expr::Paren(inner) => self::condition(word, &inner.expr, scope, report),
        Expr::Unary(inner) => self::condition(word, &inner.expr, scope, report),
        Expr::Binary(binary) if is_lazy(&binary.op) => {
            self::condition(word, &binary.left, scope, report);
            self::condition(word, &binary.right, scope, report);
        }
        _ => {}
    }
}

/// Whether this is the value of a sum.
fn is_sum(path: &ExprPath, scope: &Scope) -> bool {
    let name = path.path.get_ident();
    name.is_some_and(|name| scope.nature(&name.to_string()) == Some(Nature::Summed))
}

/// `total` of `total`, `total[i]` and `total.part`.
fn base(target: &Expr) -> Option<&Ident> {
    match target {
        Expr::Path(path) => path.path.get_ident(),
        Expr::Index(index) => base(&index.expr),
        Expr::Field(field) => base(&field.base),
        Expr::Paren(inner) => base(&inner.expr),
        Expr::Unary(inner) => base(&inner.expr),
        _ => None,
    }
}
