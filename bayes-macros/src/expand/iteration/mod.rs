//! Which loops create nothing that outlives an iteration, and the brackets around their bodies.
//!
//! A reverse-mode interpreter records what a model computes and can free it at the end of an iteration whose values
//! are not used later. If one value escapes, freeing would give a wrong gradient, so a body is put in brackets
//! only if no value can escape from it: the walk gives every binding a [`Nature`](nature::Nature) from its
//! initialiser and checks how the body uses bindings from outside. In doubt the body is left unchanged, which only costs
//! speed.
//!
//! The library's own random values and distributions must keep their part of this: none of them may fill a cell that is
//! shared between iterations.

mod compound;
mod known;
mod names;
mod nature;
mod pattern;
#[cfg(test)]
mod tests;
mod walk;

use super::context;
use crate::ast::ModelFn;
use proc_macro2::{Ident, Span};
use quote::quote_spanned;
use syn::spanned::Spanned;
use syn::{Block, Expr, ExprBlock, Stmt};

/// Puts brackets around the bodies in `body`, the body of `model`, whose iterations can be closed.
pub fn close(model: &ModelFn<'_>, body: &mut Block) {
    let arguments = model.arguments.iter().map(|a| a.name.to_string());
    walk::walk(arguments, body);
}

/// `{ body }` becomes `{ let mark = open(); { body } close(mark); }`.
fn bracket(body: &mut Block) {
    // Mixed-site hygiene: the user's body does not see the mark.
    let span = Span::mixed_site().located_at(body.span());
    let (context, mark) = (context(span), Ident::new("__mark", span));
    let inner = Block {
        brace_token: body.brace_token,
        stmts: std::mem::take(&mut body.stmts),
    };
    let open = quote_spanned!(span=> let #mark = #context.open(););
    // A body that always leaves the loop early never gets here.
    let close = quote_spanned!(span=> #[allow(unreachable_code)] #context.close(#mark););
    body.stmts = vec![
        Stmt::Expr(Expr::Verbatim(open), None),
        Stmt::Expr(block(inner), None),
        Stmt::Expr(Expr::Verbatim(close), None),
    ];
}

fn block(block: Block) -> Expr {
    Expr::Block(ExprBlock {
        attrs: Vec::new(),
        label: None,
        block,
    })
}
