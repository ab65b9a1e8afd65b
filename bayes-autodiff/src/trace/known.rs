//! Which of the latest nodes is equal to a new one.

use super::node::{Id, Node};
use rustc_hash::FxBuildHasher;
use std::hash::BuildHasher;

/// How many nodes a set holds.
const WAYS: usize = 4;

/// The most sets. All nodes of a long program would be a table that no cache holds, and a program that repeats an operation mostly
/// repeats one of the last.
const MOST: usize = 1 << 15;

/// Nodes by their hash: in each set the last that were met, the latest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    sets: Vec<[Id; WAYS]>,
}

/// In place of a node.
const NONE: Id = Id::MAX;

impl Known {
    /// The node among `nodes` that is equal to this one, if it is known; otherwise this one, which is the next, is known from now on.
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

    /// Makes more sets; what was known stays known.
    fn grow(&mut self, nodes: &[Node]) {
        let sets = vec![[NONE; WAYS]; (2 * self.sets.len()).max(64)];
        for set in std::mem::replace(&mut self.sets, sets) {
            // the latest last, so that it is the first again
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

    /// Meant to detect: a table that forgets when it grows, or takes a node for another.
    #[test]
    fn a_node_is_found_again_if_it_was_met_recently() {
        let (mut known, mut nodes) = (Known::default(), Vec::new());
        let (mut found, mut asked) = (0, 0);
        for number in 0..3 * MOST * WAYS {
            assert_eq!(known.find(&node(number), &nodes), None);
            nodes.push(node(number));
            // one that all share is met again and again
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
