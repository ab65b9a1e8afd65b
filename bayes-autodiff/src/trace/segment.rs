//! Segments: the program in parts whose values stay in the first-level cache, cut where few values pass from one part to the
//! next. In a loop these are its iterations, with what they carry.

use super::graph::{Expression, Graph};
use super::node::Id;
use super::schedule::Item;
use std::ops::Range;

/// The most values of a segment. Those of a block of 32 particles with their adjoints are 512 B each.
const MOST: usize = 32;

/// The fewest values of a segment that is not the last.
const FEWEST: usize = 10;

/// The most terms of a segment.
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
    let (first, last) = lives(graph, order);
    let crossing = crossing(&first, &last, order.len());
    let mut ranges = Vec::new();
    let mut start = 0;
    while start < order.len() {
        let end = cut(&order[start..], &crossing[start..]) + start;
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

/// The number of items in the next segment.
fn cut(order: &[Item], crossing: &[u32]) -> usize {
    let (mut values, mut best) = (0, None);
    for (place, item) in order.iter().enumerate() {
        // a cut before this item
        let fits = values <= MOST && place <= TERMS;
        if !fits {
            return best.map_or(place - 1, |(_, end)| end);
        }
        if values >= FEWEST || place == TERMS {
            let count = crossing[place];
            if best.is_none_or(|(fewest, _)| count <= fewest) {
                best = Some((count, place));
            }
        }
        if matches!(item, Item::Value(_)) {
            values += 1;
        }
    }
    order.len()
}

/// Where values are computed and used last.
fn lives(graph: &Graph, order: &[Item]) -> (Vec<usize>, Vec<usize>) {
    let mut first = vec![usize::MAX; graph.values.len()];
    let mut last = vec![0; graph.values.len()];
    for (place, item) in order.iter().enumerate() {
        let mut used = |id: Id| last[id as usize] = place;
        match *item {
            Item::Term(index) => graph.terms[index].1.operands(&mut used),
            Item::Value(id) => {
                let value: &Expression = &graph.values[id as usize];
                value.operands(&mut used);
                first[id as usize] = place;
            }
        }
    }
    (first, last)
}

/// How many values are computed before each place and used there or later.
fn crossing(first: &[usize], last: &[usize], len: usize) -> Vec<u32> {
    let mut changes = vec![0_i32; len + 2];
    for (first, last) in first.iter().zip(last) {
        if *first < *last {
            changes[first + 1] += 1;
            changes[last + 1] -= 1;
        }
    }
    let mut count = 0;
    let sums = changes.iter().map(|change| {
        count += change;
        count.unsigned_abs()
    });
    sums.collect()
}
