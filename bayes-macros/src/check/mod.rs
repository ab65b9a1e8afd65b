//! The rules for models and for functions of random values, one function each.
//!
//! [`walk`] traverses the body once, tracks scopes and the context of each statement, and calls the rules that apply.

mod arithmetic;
mod branch;
mod construction;
mod dims;
mod free_function;
mod function;
mod generated;
mod helper;
mod idioms;
mod impute;
mod list_index;
mod moved;
mod placement;
mod random;
mod scope;
mod signature;
mod statement;
mod sum;
#[cfg(test)]
mod tests;
mod walk;
mod whole;

pub use function::function;
pub use signature::signature;

use crate::messages;
use crate::report::Report;
use syn::ItemFn;

/// The rules about the body.
pub fn body(function: &ItemFn, report: &mut Report) {
    let draws = walk::walk(function, report);
    moved::moved(&function.block, report);
    // A misplaced `sample` has been reported already and counts as a draw.
    if draws == 0 {
        report.at(
            &function.sig.ident,
            messages::no_sample(&function.sig.ident),
        );
    }
}
