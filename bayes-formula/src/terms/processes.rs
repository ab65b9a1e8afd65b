//! `gp(x)`, `gp(x, k = 60)`.

use super::{Process, Reader};
use crate::signatures::usage;
use crate::syntax::{Argument, Kind, Node};
use bayes::FormulaError;

/// The default and smallest number of functions: the prior of the length scale covers the lengths that these functions can represent.
const FUNCTIONS: f64 = 40.0;
/// The largest number of functions.
const MOST_FUNCTIONS: f64 = 500.0;

/// Whether this is a Gaussian process.
pub(super) fn is_process(node: &Node) -> bool {
    matches!(&node.kind, Kind::Call { function, .. } if function == "gp")
}

impl Reader<'_> {
    /// Reads a Gaussian process.
    pub(super) fn process(&self, node: &Node) -> Result<Process, FormulaError> {
        let wrong = || self.wrong(node, usage("gp"));
        let Kind::Call { arguments, .. } = &node.kind else {
            return Err(wrong());
        };
        let (x, k) = match arguments.as_slice() {
            [Argument { name: None, value }] => (value, FUNCTIONS),
            [
                Argument { name: None, value },
                Argument {
                    name: Some(name),
                    value: k,
                },
            ] if name == "k" => match k.kind {
                Kind::Number(k) => (value, k),
                _ => return Err(wrong()),
            },
            _ => return Err(wrong()),
        };
        if !(FUNCTIONS..=MOST_FUNCTIONS).contains(&k) || k.fract() != 0.0 {
            let message = format!(
                "the number of functions `k` is a whole number from {FUNCTIONS} to {MOST_FUNCTIONS}"
            );
            return Err(self.wrong(node, message));
        }
        Ok(Process {
            node: node.clone(),
            x: x.clone(),
            k: k as usize,
        })
    }
}
