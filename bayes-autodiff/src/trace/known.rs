//! The search for an equal node among the latest ones.

use super::node::{Id, Node};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// Number of nodes in a set.
const WAYS: usize = 4;

/// The maximum number of sets. A table of all nodes of a long program would not fit into any cache, and a program that repeats an
/// operation mostly repeats a recent one.
const MOST: usize = 1 << 15;

/// Nodes by their hash: each set has its most recent nodes, the latest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    sets: Vec<[Id; WAYS]>,
}

/// Marks a place without a node.
const NONE: Id = Id::MAX;

impl Known {
    /// The node among `nodes` that is equal to this one, if it is known. Otherwise this node, which is the next, becomes known.
    pub(super) fn find(&mut self, node: &Node, nodes: &[Node]) -> Option<Id> {
        if nodes.len() >= self.sets.len() && self.sets.len() < MOST {
            self.grow(nodes);
        }
        let place = self.place(node);
        let set = &mut self.sets[place];
        let is_equal = |id: &Id| nodes.get(*id as usize) == Some(node);
        let known = set.iter().position(is_equal);
        let id = known.map_or(nodes.len() as Id, |way| set[way]);
        let way = known.unwrap_or(WAYS - 1);
        set[..=way].rotate_right(1);
        set[0] = id;
        known.map(|_| id)
    }

    fn place(&self, node: &Node) -> usize {
        // the upper bits of this hash are the better ones
        let hash = FxBuildHasher.hash_one(node) >> 20;
        hash as usize & (self.sets.len() - 1)
    }

    /// Adds sets; known nodes stay known.
    fn grow(&mut self, nodes: &[Node]) {
        let sets = vec![[NONE; WAYS]; (2 * self.sets.len()).max(64)];
        for set in std::mem::replace(&mut self.sets, sets) {
            // the latest node last, so that it is the first again
            for id in set.into_iter().rev().filter(|id| *id != NONE) {
                let place = self.place(&nodes[id as usize]);
                let set = &mut self.sets[place];
                set.rotate_right(1);
                set[0] = id;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Known, MOST, WAYS};
    use crate::trace::node::{Bits, Node};

    fn node(number: usize) -> Node {
        Node::Constant(Bits::new(number as f64))
    }

    /// Meant to detect: a table that forgets nodes when it grows, or confuses two nodes.
    #[test]
    fn a_node_is_found_again_if_it_was_met_recently() {
        let (mut known, mut nodes) = (Known::default(), Vec::new());
        let (mut found, mut asked) = (0, 0);
        for number in 0..3 * MOST * WAYS {
            assert_eq!(known.find(&node(number), &nodes), None);
            nodes.push(node(number));
            // a node that all share is met again and again
            assert_eq!(known.find(&node(0), &nodes), Some(0));
            if number % 1000 == 999 {
                let before = node(number - 100);
                let again = known.find(&before, &nodes);
                assert!(again.is_none_or(|id| nodes[id as usize] == before));
                found += usize::from(again.is_some());
                asked += 1;
            }
        }
        assert!(found as f64 > 0.99 * f64::from(asked), "{found} of {asked}");
    }
}
