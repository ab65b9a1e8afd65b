//! Intercepts: a quantity that is added to every row of a product with data becomes part of the product.

use super::bulk::{Bulk, Product};
use super::node::{Bits, BulkNode, Id, Node};
use std::collections::BTreeMap;

/// Products with data whose outputs are needed only after the addition of the same quantity to all of them: an intercept.
#[derive(Default)]
pub(super) struct Shifts {
    /// The quantity, by the product.
    pub(super) of: BTreeMap<Id, Id>,
    /// The product and the row, by the sum.
    pub(super) outputs: BTreeMap<Id, (Id, u32)>,
}

/// Finds intercepts.
pub(super) fn shifts(nodes: &[Node], bulks: &[BulkNode], uses: &[u32]) -> Shifts {
    // by product and quantity, the row of each sum
    let mut found: BTreeMap<(Id, Id), Vec<(Id, u32)>> = BTreeMap::new();
    let one = [Bits::new(1.0); 2];
    for (id, node) in nodes.iter().enumerate() {
        let Node::Sum { of, factors } = *node else {
            continue;
        };
        for [output, shift] in [of, [of[1], of[0]]] {
            if let Node::Output { of, index } = nodes[output as usize]
                && factors == one
                && uses[output as usize] == 1
                && uses[id] > 0
            {
                let sums = found.entry((of, shift)).or_default();
                sums.push((id as Id, index));
                break;
            }
        }
    }
    let mut shifts = Shifts::default();
    for ((product, shift), sums) in found {
        let Node::Bulk(index) = nodes[product as usize] else {
            continue;
        };
        if let Bulk::Product(Product { rows, .. }) = bulks[index as usize].operation
            && rows == sums.len()
        {
            shifts.of.insert(product, shift);
            let outputs = sums.into_iter().map(|(sum, row)| (sum, (product, row)));
            shifts.outputs.extend(outputs);
        }
    }
    shifts
}
