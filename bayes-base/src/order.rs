//! Numbers and other items in order, by code that is compiled once: a sort with a closure of its own takes the compiler a tenth of a second.
//!
//! [`f64::total_cmp`] gives the order; equal items keep their places.

/// Sorts numbers, the smallest first.
pub fn sort(values: &mut [f64]) {
    values.sort_by(f64::total_cmp);
}

/// The places of numbers, the place of the smallest first.
#[must_use]
pub fn ascending(values: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|a, b| values[*a].total_cmp(&values[*b]));
    places
}

/// The places of numbers, the place of the largest first.
#[must_use]
pub fn descending(values: &[f64]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..values.len()).collect();
    places.sort_by(|a, b| values[*b].total_cmp(&values[*a]));
    places
}

/// The items in the order of their keys, the largest first.
#[must_use]
pub fn descending_by<T>(items: Vec<T>, key: impl Fn(&T) -> f64) -> Vec<T> {
    let keys: Vec<f64> = items.iter().map(key).collect();
    let mut items: Vec<Option<T>> = items.into_iter().map(Some).collect();
    let places = descending(&keys).into_iter();
    places.filter_map(|place| items[place].take()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_items_keep_their_places() {
        let keys = [1.0, -0.0, 3.0, 0.0, 1.0, f64::INFINITY, 3.0];
        assert_eq!(ascending(&keys), [1, 3, 0, 4, 2, 6, 5]);
        assert_eq!(descending(&keys), [5, 2, 6, 0, 4, 3, 1]);
        let items: Vec<(f64, usize)> = keys.into_iter().zip(0..).collect();
        let sorted = descending_by(items, |item| item.0);
        let places: Vec<usize> = sorted.into_iter().map(|item| item.1).collect();
        assert_eq!(places, descending(&keys));
    }

    #[test]
    fn every_number_has_a_place() {
        let mut values = [f64::NAN, 1.0, f64::NEG_INFINITY, -f64::NAN, 0.0];
        let of_places = ascending(&values).into_iter().map(|place| values[place]);
        let of_places: Vec<u64> = of_places.map(f64::to_bits).collect();
        sort(&mut values);
        assert!(values[0].is_nan() && values[4].is_nan());
        assert_eq!(values[1..4], [f64::NEG_INFINITY, 0.0, 1.0]);
        assert_eq!(values.map(f64::to_bits)[..], of_places);
    }
}
