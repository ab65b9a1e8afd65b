//! The sources that a number was computed from: the arithmetic of dependency graphs.

#![allow(
    clippy::disallowed_types,
    reason = "unions are looked up, and never listed in the order of the map"
)]

use crate::function::{Binary, Function, Ternary};
use crate::mode::{Mode, arguments};
use crate::real::Real;
use crate::simd::Mask;
use crate::trace::Operation;
use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};

/// Evaluation at one position in which every number knows its sources.
///
/// A choice depends on the compared numbers and on both sides. A branch of the program that looks at a value
/// ([`PlainValue`](crate::PlainValue)) is invisible.
#[derive(Clone, Copy, Debug, Default)]
pub struct Dependence;

/// A value and its set of sources.
#[derive(Clone, Copy, Debug)]
pub struct Dependent {
    value: f64,
    /// The set's place in the table of this thread.
    set: u32,
}

/// A truth value and its set of sources.
#[derive(Clone, Copy, Debug)]
pub struct DependentMask {
    holds: bool,
    set: u32,
}

/// The sets so far, each once, so that a number holds a place instead of a set.
#[derive(Default)]
struct Sets {
    sets: Vec<BTreeSet<usize>>,
    places: HashMap<BTreeSet<usize>, u32>,
    unions: HashMap<(u32, u32), u32>,
}

/// The empty set, which needs no place in the table.
const EMPTY: u32 = 0;

impl Sets {
    fn get(&self, place: u32) -> BTreeSet<usize> {
        if place == EMPTY {
            return BTreeSet::new();
        }
        self.sets[place as usize - 1].clone()
    }

    fn place(&mut self, set: BTreeSet<usize>) -> u32 {
        if let Some(place) = self.places.get(&set) {
            return *place;
        }
        self.sets.push(set.clone());
        let place = self.sets.len() as u32;
        self.places.insert(set, place);
        place
    }

    fn union(&mut self, a: u32, b: u32) -> u32 {
        let key = (a.min(b), a.max(b));
        if let Some(place) = self.unions.get(&key) {
            return *place;
        }
        let mut set = self.get(a);
        set.extend(self.get(b));
        let place = self.place(set);
        self.unions.insert(key, place);
        place
    }
}

thread_local! {
    static SETS: RefCell<Sets> = RefCell::default();
}

fn union(a: u32, b: u32) -> u32 {
    if a == b || b == EMPTY {
        return a;
    }
    if a == EMPTY {
        return b;
    }
    SETS.with_borrow_mut(|sets| sets.union(a, b))
}

impl Dependence {
    /// A number whose only source is `source`.
    #[must_use]
    pub fn number(value: f64, source: usize) -> Real<Self> {
        let set = SETS.with_borrow_mut(|sets| sets.place(BTreeSet::from([source])));
        Real(Dependent { value, set })
    }

    /// The sources of a number, ascending.
    #[must_use]
    pub fn sources(x: Real<Self>) -> BTreeSet<usize> {
        SETS.with_borrow(|sets| sets.get(x.0.set))
    }
}

impl Dependent {
    fn with(self, value: f64) -> Self {
        Self { value, ..self }
    }

    fn and(self, other: Self, value: f64) -> Self {
        let set = union(self.set, other.set);
        Self { value, set }
    }
}

impl Mask for DependentMask {
    fn and(self, other: Self) -> Self {
        Self {
            holds: self.holds & other.holds,
            set: union(self.set, other.set),
        }
    }
    fn or(self, other: Self) -> Self {
        Self {
            holds: self.holds | other.holds,
            set: union(self.set, other.set),
        }
    }
    fn not(self) -> Self {
        Self {
            holds: !self.holds,
            ..self
        }
    }
}

impl Mode for Dependence {
    type Repr = Dependent;
    type Mask = DependentMask;

    fn constant(value: f64) -> Dependent {
        Dependent { value, set: EMPTY }
    }
    fn plain_value(x: Dependent) -> f64 {
        x.value
    }
    fn add(a: Dependent, b: Dependent) -> Dependent {
        a.and(b, a.value + b.value)
    }
    fn sub(a: Dependent, b: Dependent) -> Dependent {
        a.and(b, a.value - b.value)
    }
    fn mul(a: Dependent, b: Dependent) -> Dependent {
        a.and(b, a.value * b.value)
    }
    fn div(a: Dependent, b: Dependent) -> Dependent {
        a.and(b, a.value / b.value)
    }
    fn neg(a: Dependent) -> Dependent {
        a.with(-a.value)
    }
    fn unary<F: Function>(a: Dependent) -> Dependent {
        a.with(F::value(a.value))
    }
    fn binary<F: Binary>(a: Dependent, b: Dependent) -> Dependent {
        a.and(b, F::value(a.value, b.value))
    }
    fn ternary<F: Ternary>(a: Dependent, b: Dependent, c: Dependent) -> Dependent {
        let value = F::value(a.value, b.value, c.value);
        a.and(b, value).and(c, value)
    }
    fn operation(function: &'static Operation, of: &[Dependent]) -> Dependent {
        let value = function.at(arguments(of.iter().map(|x| x.value)));
        let all = of
            .iter()
            .fold(Self::constant(value), |all, x| all.and(*x, value));
        all.with(value)
    }
    fn lt(a: Dependent, b: Dependent) -> DependentMask {
        DependentMask {
            holds: a.value < b.value,
            set: union(a.set, b.set),
        }
    }
    fn le(a: Dependent, b: Dependent) -> DependentMask {
        DependentMask {
            holds: a.value <= b.value,
            set: union(a.set, b.set),
        }
    }
    fn select(mask: DependentMask, a: Dependent, b: Dependent) -> Dependent {
        let value = if mask.holds { a.value } else { b.value };
        let chosen = a.and(b, value);
        let set = union(chosen.set, mask.set);
        Dependent { value, set }
    }
}

#[cfg(test)]
mod tests {
    use super::Dependence;
    use crate::{Real, Vector};
    use std::collections::BTreeSet;

    fn sources(x: Real<Dependence>) -> Vec<usize> {
        Dependence::sources(x).into_iter().collect()
    }

    #[test]
    fn a_number_depends_on_what_it_was_computed_from() {
        let [a, b, c] = [3, 1, 7].map(|source| Dependence::number(0.5, source));
        assert_eq!(sources(a * 2.0 + 1.0), [3]);
        assert_eq!(sources((a + b).exp() / 4.0), [1, 3]);
        assert_eq!(sources(Real::constant(2.0)), [] as [usize; 0]);
        let chosen = Real::select(a.lt(0.0), b, c);
        assert_eq!(sources(chosen), [1, 3, 7], "also on the side not chosen");
        let both = Vector::from_fn(3, |i| [a, b, a][i]);
        assert_eq!(sources(crate::log_sum_exp(&both)), [1, 3]);
        assert_eq!(Dependence::sources(a + b), BTreeSet::from([1, 3]));
    }
}
