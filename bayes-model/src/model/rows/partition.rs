//! Rows dealt into parts of equal size.

use super::RowsError;
use crate::rng::{Key, Purpose, RngExt};

/// Deals rows `0..rows` into `parts` disjoint parts at random; sizes differ by one at most, and each part is in ascending
/// order.
///
/// The same arguments give the same parts on every machine, so that each of several machines can take its own part.
///
/// ```
/// use bayes_model::model::rows::partition;
///
/// let parts = partition(10, 3, 1)?;
/// assert_eq!(parts.iter().map(Vec::len).collect::<Vec<_>>(), [4, 3, 3]);
/// let mut all = parts.concat();
/// all.sort_unstable();
/// assert!(all.into_iter().eq(0..10));
/// # Ok::<(), bayes_model::model::rows::RowsError>(())
/// ```
///
/// # Errors
/// [`RowsError::Parts`] without parts, or with more parts than rows.
pub fn partition(rows: usize, parts: usize, seed: u64) -> Result<Vec<Vec<usize>>, RowsError> {
    if parts == 0 || parts > rows {
        return Err(RowsError::Parts { parts, rows });
    }
    let order = shuffled(rows, Key::new(seed, Purpose::Rows));
    let (size, larger) = (rows / parts, rows % parts);
    let mut rest = order.as_slice();
    let deal = (0..parts).map(|part| {
        let (mine, others) = rest.split_at(size + usize::from(part < larger));
        rest = others;
        let mut mine = mine.to_vec();
        mine.sort_unstable();
        mine
    });
    Ok(deal.collect())
}

/// A random permutation (Fisher and Yates, in Durstenfeld's form).
pub fn shuffled(rows: usize, key: Key) -> Vec<usize> {
    let mut stream = key.stream();
    let mut order: Vec<usize> = (0..rows).collect();
    for last in (1..rows).rev() {
        // as 64 bits, so that the width of `usize` does not matter
        let other = stream.random_range(0..=last as u64) as usize;
        order.swap(last, other);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::{RowsError, partition};

    #[test]
    fn parts_are_disjoint_balanced_and_their_seed_decides() {
        for (rows, parts) in [(1, 1), (7, 7), (100, 8), (13, 2)] {
            let dealt = partition(rows, parts, 3).unwrap();
            let sizes: Vec<usize> = dealt.iter().map(Vec::len).collect();
            assert!(sizes.iter().max().unwrap() - sizes.iter().min().unwrap() <= 1);
            let mut all = dealt.concat();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..rows));
        }
        assert_eq!(partition(100, 4, 1), partition(100, 4, 1));
        assert_ne!(partition(100, 4, 1), partition(100, 4, 2));
    }

    #[test]
    fn every_row_is_as_likely_in_every_part() {
        let (rows, parts, seeds) = (6, 3, 3000);
        let mut counts = vec![[0_u32; 3]; rows];
        for seed in 0..seeds {
            for (part, dealt) in partition(rows, parts, seed).unwrap().iter().enumerate() {
                dealt.iter().for_each(|row| counts[*row][part] += 1);
            }
        }
        // 1000 expected, sd sqrt(3000 * 1/3 * 2/3) = 25.8
        assert!(
            counts.iter().flatten().all(|n| n.abs_diff(1000) < 130),
            "{counts:?}"
        );
    }

    #[test]
    fn more_parts_than_rows_are_refused() {
        for parts in [0, 4] {
            assert_eq!(
                partition(3, parts, 0),
                Err(RowsError::Parts { parts, rows: 3 })
            );
        }
    }
}
