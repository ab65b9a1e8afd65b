//! `let k = sum_out(distribution);`: the sum is over the rest of its block.

use crate::ast::{Call, Verb};
use crate::expand::bound_name;
use syn::{Block, Ident, Local, Stmt};

/// A sum, taken out of its block.
pub struct Summed {
    /// The `let` statement.
    pub statement: Stmt,
    /// The name of the quantity.
    pub name: Ident,
    /// The statements after it.
    pub rest: Block,
}

impl Summed {
    /// Takes the first sum and all statements after it out of a block.
    pub fn take(block: &mut Block) -> Option<Self> {
        let names = block.stmts.iter().map(name);
        let (place, name) = names
            .enumerate()
            .find_map(|(place, name)| Some((place, name?.clone())))?;
        let rest = Block {
            brace_token: block.brace_token,
            stmts: block.stmts.split_off(place + 1),
        };
        let statement = block.stmts.pop()?;
        Some(Self {
            statement,
            name,
            rest,
        })
    }
}

/// The name of the quantity that a statement sums out.
pub fn name(statement: &Stmt) -> Option<&Ident> {
    let Stmt::Local(local) = statement else {
        return None;
    };
    is_sum(local).then(|| bound_name(&local.pat)).flatten()
}

/// Whether a `let` statement sums a quantity out.
pub fn is_sum(local: &Local) -> bool {
    let value = local.init.as_ref().map(|init| &*init.expr);
    let call = value.and_then(Call::from_expr);
    call.is_some_and(|call| call.verb == Verb::SumOut)
}
