//! Work on all threads, in an order that the results do not show.
//!
//! All callers share one loop of rayon. The library has fifty parallel loops, and each parallel iterator is compiled to some 3,000
//! lines of machine code.

use rayon::prelude::*;
use std::sync::{Mutex, PoisonError};

/// A piece of work, and then what came of it.
enum Place<I, T> {
    Waiting(I),
    Done(T),
    /// While it is worked on.
    Empty,
}

/// The results of `work` on every item, in the order of the items.
///
/// # Panics
/// If `work` does.
pub fn map<I: Send, T: Send>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(I) -> T + Sync,
) -> Vec<T> {
    let places = items
        .into_iter()
        .map(|item| Mutex::new(Place::Waiting(item)));
    let places: Vec<Mutex<Place<I, T>>> = places.collect();
    on_all_threads(places.len(), &|i| {
        // every place is locked once, so no thread waits
        let mut place = places[i].lock().unwrap_or_else(PoisonError::into_inner);
        if let Place::Waiting(item) = std::mem::replace(&mut *place, Place::Empty) {
            *place = Place::Done(work(item));
        }
    });
    let done = places.into_iter().filter_map(|place| {
        match place.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Place::Done(result) => Some(result),
            Place::Waiting(_) | Place::Empty => None,
        }
    });
    done.collect()
}

/// The results of `work` on every item, in the order of the items, or the first error in this order. All items are worked on.
///
/// # Errors
/// Those of `work`.
///
/// # Panics
/// If `work` does.
pub fn try_map<I: Send, T: Send, E: Send>(
    items: impl IntoIterator<Item = I>,
    work: impl Fn(I) -> Result<T, E> + Sync,
) -> Result<Vec<T>, E> {
    map(items, work).into_iter().collect()
}

/// `work` on every item.
///
/// # Panics
/// If `work` does.
pub fn each<I: Send>(items: impl IntoIterator<Item = I>, work: impl Fn(I) + Sync) {
    map(items, work);
}

/// Calls `work` with every number below `count`.
fn on_all_threads(count: usize, work: &(dyn Fn(usize) + Sync)) {
    (0..count).into_par_iter().for_each(work);
}

#[cfg(test)]
mod tests {
    use super::{each, map};

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let squares = map(0..1000_u64, |x| x * x);
        assert_eq!(squares, (0..1000).map(|x| x * x).collect::<Vec<u64>>());
        assert!(map(Vec::<u8>::new(), |x| x).is_empty());
    }

    #[test]
    fn items_may_be_changed_and_nested() {
        let mut numbers = vec![1.0; 64];
        each(numbers.chunks_mut(8).enumerate(), |(i, chunk)| {
            each(chunk.iter_mut(), |x| *x += i as f64);
        });
        for (i, x) in numbers.iter().enumerate() {
            assert_eq!(*x, 1.0 + (i / 8) as f64);
        }
    }

    #[test]
    #[should_panic(expected = "the seventh")]
    fn a_panic_reaches_the_caller() {
        each(0..20, |i| assert!(i != 7, "the seventh"));
    }
}
