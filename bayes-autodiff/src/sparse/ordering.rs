//! An order of elimination in which a sparse factor stays sparse.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The places in an order of elimination with little fill: at each step a place with the fewest neighbours among those that are left, by
/// the bound of Amestoy, Davis and Duff (1996, section 4) on their number, the smallest place first among equals.
///
/// `adjacent[i]`: the neighbours of place `i`, each once and without `i`.
pub(super) fn minimum_degree(adjacent: Vec<Vec<u32>>) -> Vec<u32> {
    let n = adjacent.len();
    let mut graph = Quotient::new(adjacent);
    let first = (0..n).map(|i| Reverse((graph.adjacent[i].len() as u32, i as u32)));
    let mut queue: BinaryHeap<_> = first.collect();
    let mut order = Vec::with_capacity(n);
    while let Some(Reverse((degree, place))) = queue.pop() {
        let is_current = graph.degree[place as usize] == degree;
        if !is_current || graph.is_eliminated[place as usize] {
            continue;
        }
        order.push(place);
        let left = (n - order.len()) as u32;
        for other in graph.eliminate(place, left) {
            queue.push(Reverse((graph.degree[other as usize], other)));
        }
    }
    order
}

/// The graph of the places that are left: places beside each other, and sets in which all are neighbours, one for each place that was
/// eliminated.
struct Quotient {
    /// Neighbours that no set says.
    adjacent: Vec<Vec<u32>>,
    /// The sets that a place is in.
    sets: Vec<Vec<u32>>,
    /// The places of a set; empty if the set lies in a later one.
    members: Vec<Vec<u32>>,
    degree: Vec<u32>,
    is_eliminated: Vec<bool>,
    /// The elimination in which a place was last found.
    found: Vec<u32>,
    /// The elimination for which `outside` holds.
    counted: Vec<u32>,
    /// The number of places of a set outside the newest one.
    outside: Vec<u32>,
}

impl Quotient {
    fn new(adjacent: Vec<Vec<u32>>) -> Self {
        let n = adjacent.len();
        Self {
            degree: adjacent.iter().map(|own| own.len() as u32).collect(),
            adjacent,
            sets: vec![Vec::new(); n],
            members: vec![Vec::new(); n],
            is_eliminated: vec![false; n],
            found: vec![u32::MAX; n],
            counted: vec![u32::MAX; n],
            outside: vec![0; n],
        }
    }

    /// Removes a place, after which its neighbours are neighbours of each other; returns them. `left`: the number of places that remain.
    fn eliminate(&mut self, place: u32, left: u32) -> Vec<u32> {
        let own = place as usize;
        self.is_eliminated[own] = true;
        let members = self.neighbours(place);
        for set in std::mem::take(&mut self.sets[own]) {
            self.members[set as usize] = Vec::new();
        }
        self.count_outside(place, &members);
        for member in &members {
            let member = *member as usize;
            let (found, outside) = (&self.found, &self.outside);
            // those in the new set need not be said twice
            self.adjacent[member].retain(|other| found[*other as usize] != place);
            // a set without places outside lies in the new one
            self.sets[member].retain(|set| outside[*set as usize] > 0);
            let beyond: u32 = self.sets[member].iter().map(|s| outside[*s as usize]).sum();
            let beside = (self.adjacent[member].len() + members.len() - 1) as u32;
            self.degree[member] = (beside + beyond).min(left - 1);
            self.sets[member].push(place);
        }
        self.members[own].clone_from(&members);
        members
    }

    /// The neighbours of a place, ascending, marked as found by it; the place is marked too.
    fn neighbours(&mut self, place: u32) -> Vec<u32> {
        let mut all = Vec::new();
        self.found[place as usize] = place;
        let found = &mut self.found;
        let mut visit = |others: &[u32]| {
            for other in others {
                if found[*other as usize] != place {
                    found[*other as usize] = place;
                    all.push(*other);
                }
            }
        };
        visit(&self.adjacent[place as usize]);
        for set in &self.sets[place as usize] {
            visit(&self.members[*set as usize]);
        }
        all.sort_unstable();
        all
    }

    /// Counts the places outside `members` of every set that has one of them.
    fn count_outside(&mut self, place: u32, members: &[u32]) {
        for member in members {
            let sizes = &self.members;
            self.sets[*member as usize].retain(|set| !sizes[*set as usize].is_empty());
            for set in &self.sets[*member as usize] {
                let set = *set as usize;
                if self.counted[set] != place {
                    self.counted[set] = place;
                    self.outside[set] = self.members[set].len() as u32;
                }
                self.outside[set] -= 1;
            }
        }
    }
}
