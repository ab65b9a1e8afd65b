//! Segments: the program in parts whose values stay in the first-level cache, cut where few values pass from one part to the next. In a
//! loop these are its iterations with the values that they carry.

use super::graph::Graph;
use super::node::Id;
use super::schedule::Item;
use std::ops::Range;

/// The maximum number of values of a segment. For a block of 32 particles a value with its adjoint has 512 B.
const MOST: usize = 32;

/// The maximum number of values of a segment if a longer one halves the values that pass at its end: a product with data stays with its
/// users.
const MOST_AROUND_VECTORS: usize = 224;

/// The minimum number of values of a segment that is not the last.
const FEWEST: usize = 10;

/// The maximum number of terms of a segment.
const TERMS: usize = 1024;

/// The program in segments.
#[derive(Debug)]
pub(super) struct Segments {
    /// Ranges of the order, in order.
    pub(super) ranges: Vec<Range<usize>>,
    /// By value: whether a later segment uses it.
    pub(super) is_carried: Vec<bool>,
}

/// Cuts the program.
pub(super) fn segments(graph: &Graph, order: &[Item]) -> Segments {
    let last = last_uses(graph, order);
    let mut ranges = Vec::new();
    let mut ends = vec![0; order.len() + 1];
    let mut start = 0;
    while start < order.len() {
        let end = cut(graph, order, start, &last, &mut ends);
        ranges.push(start..end);
        start = end;
    }
    let mut is_carried = vec![false; graph.values.len()];
    for range in &ranges {
        for item in &order[range.clone()] {
            if let Item::Value(id) = *item {
                is_carried[id as usize] = last[id as usize] >= range.end;
            }
        }
    }
    Segments { ranges, is_carried }
}

/// A possible end of a segment.
#[derive(Clone, Copy)]
struct Cut {
    place: usize,
    /// The slots of its values, and of values that are used later.
    slots: usize,
    later: usize,
}

/// The end of the segment that begins at `start`: where the fewest of its values are used later. `ends` is memory for a number per place
/// and one more, all 0.
fn cut(graph: &Graph, order: &[Item], start: usize, last: &[usize], ends: &mut [usize]) -> usize {
    let (mut slots, mut later, mut best) = (0, 0, None);
    let mut place = start;
    while place < order.len() {
        let is_end = slots > MOST_AROUND_VECTORS || place - start > TERMS;
        if is_end && place > start + 1 {
            break;
        }
        if slots >= FEWEST || place - start == TERMS {
            // a cut before this item
            let is_better = best.is_none_or(|cut: Cut| {
                let no_larger = slots <= MOST || slots == cut.slots;
                let enough = no_larger || (2 * later <= cut.later && later < cut.later);
                later <= cut.later && enough
            });
            if is_better {
                best = Some(Cut {
                    place,
                    slots,
                    later,
                });
            }
        }
        if let Item::Value(id) = order[place] {
            let own = graph.values[id as usize].slots();
            slots += own;
            later += own;
            ends[last[id as usize]] += own;
        }
        later -= ends[place];
        place += 1;
    }
    for item in &order[start..place] {
        if let Item::Value(id) = *item {
            ends[last[id as usize]] = 0;
        }
    }
    match best {
        Some(cut) if place < order.len() || slots > MOST_AROUND_VECTORS => cut.place,
        None if place < order.len() => place - 1,
        _ => order.len(),
    }
}

/// The last use of each value; beyond the order if it is kept.
fn last_uses(graph: &Graph, order: &[Item]) -> Vec<usize> {
    let mut last = vec![0; graph.values.len()];
    for (place, item) in order.iter().enumerate() {
        let mut used = |id: Id| last[graph.source(id) as usize] = place;
        match *item {
            Item::Term(index) => graph.terms[index].1.operands(&mut used),
            Item::Value(id) => graph.values[id as usize].operands(&mut used),
        }
    }
    // after the last item
    for id in &graph.kept {
        last[graph.source(*id) as usize] = order.len();
    }
    last
}
